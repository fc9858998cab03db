//! Secrets on command lines and in the few other places where a blank stands between a name and its value.

use memchr::memmem;

use super::Found;
use super::assignments::{ahead, is_blank, kind, value_behind};
use super::names::{Telling, telling};
use super::values::{Given, is_secret};

/// How far back the program of a flag, or the `login` of a `.netrc` line, is looked for, in bytes.
const PROGRAM_BYTES_MAX: usize = 80;

/// Short flags before a password, and the programs whose they are.
const SHORT_FLAGS: &[(&[u8], &[&[u8]])] = &[
    (b" -p", &[b"sshpass", b"mysql", b"mariadb", b"login"]),
    (b" -a", &[b"redis-cli"]),
];

/// `--token value`, `-u user:password`, `sshpass -p password`, `login me password secret`.
pub(super) fn find(text: &[u8], found: &mut Vec<Found>) {
    for at in memmem::find_iter(text, b"--") {
        let name_end = ahead(text, at + 2, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
        });
        if text
            .get(name_end)
            .copied()
            .is_none_or(|byte| !is_blank(byte))
        {
            continue;
        }
        let name = std::str::from_utf8(&text[at + 2..name_end]).unwrap_or_default();
        if let Some(telling) = telling(name) {
            found.extend(argument(text, name_end, telling));
        }
    }
    for sign in [&b"-u "[..], b"--user "] {
        for at in memmem::find_iter(text, sign) {
            found.extend(user_and_password(text, at + sign.len()));
        }
    }
    for (sign, programs) in SHORT_FLAGS {
        for at in memmem::find_iter(text, sign) {
            let before = &text[at.saturating_sub(PROGRAM_BYTES_MAX)..at];
            if programs
                .iter()
                .any(|program| memmem::find(before, program).is_some())
            {
                found.extend(argument(text, at + sign.len(), Telling::Password));
            }
        }
    }
    for sign in [&b" is "[..], b" to ", b" was "] {
        for at in memmem::find_iter(text, sign) {
            if let Some(telling) = word_before(text, at).and_then(telling) {
                found.extend(argument(text, at + sign.len() - 1, telling));
            }
        }
    }
    for at in memmem::find_iter(text, b" password ") {
        if memmem::find(&text[at.saturating_sub(PROGRAM_BYTES_MAX)..at], b"login ").is_some() {
            found.extend(argument(text, at + b" password".len(), Telling::Password));
        }
    }
    for at in memmem::find_iter(text, b"IDENTIFIED BY ") {
        found.extend(argument(
            text,
            at + b"IDENTIFIED BY".len(),
            Telling::Password,
        ));
    }
}

/// The word that ends at `at`: `password` in `the password is …`.
fn word_before(text: &[u8], at: usize) -> Option<&str> {
    let from = at.saturating_sub(PROGRAM_BYTES_MAX);
    let word = text[from..at]
        .rsplit(|byte| byte.is_ascii_whitespace())
        .next()?;
    std::str::from_utf8(word).ok()
}

fn argument(text: &[u8], at: usize, telling: Telling) -> Option<Found> {
    let value = value_behind(text, at)?;
    let written = std::str::from_utf8(&text[value.start..value.end]).ok()?;
    let given = if value.is_quoted {
        Given::Quoted
    } else {
        Given::Said
    };
    is_secret(written, given, telling).then(|| Found {
        start: value.start,
        end: value.end,
        kind: kind(telling),
    })
}

fn user_and_password(text: &[u8], at: usize) -> Option<Found> {
    let value = value_behind(text, at)?;
    let colon = memchr::memchr(b':', &text[value.start..value.end])?;
    let start = value.start + colon + 1;
    let written = std::str::from_utf8(&text[start..value.end]).ok()?;
    is_secret(written, Given::Said, Telling::Password).then_some(Found {
        start,
        end: value.end,
        kind: "password",
    })
}
