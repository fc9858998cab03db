//! Values behind telling names: `KEY=value`, JSON and YAML, program text, XML, command line flags, headers.

use memchr::memmem;

use super::Found;
use super::names::{Telling, telling};
use super::values::{Given, is_placeholder, is_secret};

/// Blanks between a name, its sign and its value: tables are wider, but few.
const BLANKS_MAX: usize = 24;
/// A name is read back at most this far, in bytes.
const NAME_BYTES_MAX: usize = 80;

/// Adds each secret behind a telling name in `text`.
pub(super) fn find(text: &[u8], found: &mut Vec<Found>) {
    for at in memchr::memchr3_iter(b'=', b':', b'>', text) {
        let Some(name) = name_before(text, at) else {
            continue;
        };
        let hit = match name.telling {
            Telling::Header => header(text, at, &name),
            _ => assigned(text, at, &name),
        };
        found.extend(hit);
    }
    flags(text, found);
    schemes(text, found);
}

/// A telling name in front of a sign.
#[derive(Debug)]
struct Name {
    telling: Telling,
    /// Where it begins.
    start: usize,
    /// Written in capitals, as environment variables are.
    is_upper: bool,
    /// Whether it touches the sign.
    is_tight: bool,
}

fn name_before(text: &[u8], at: usize) -> Option<Name> {
    let sign = text[at];
    let next = text.get(at + 1);
    if sign == b':' && (next == Some(&b':') || next == Some(&b'/')) {
        return None;
    }
    if sign == b'>' && at > 0 && matches!(text[at - 1], b'=' | b'-' | b'/') {
        return None;
    }
    let signs = back(text, at, |byte| {
        matches!(byte, b'=' | b':' | b'!' | b'?' | b'+')
    });
    let blanks = back(text, signs, |byte| matches!(byte, b' ' | b'\t'));
    if signs - blanks > BLANKS_MAX {
        return None;
    }
    let end = back(text, blanks, |byte| {
        matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b']' | b'*')
    });
    let start = name_start(text, end);
    if sign == b'>' && (start == 0 || text[start - 1] != b'<') {
        return None;
    }
    let is_tight = signs == blanks;
    let named = |start: usize, end: usize| {
        let name = std::str::from_utf8(&text[start..end]).ok()?;
        let telling = telling(name)?;
        let is_upper = !name.bytes().any(|byte| byte.is_ascii_lowercase());
        Some(Name {
            telling,
            start,
            is_upper,
            is_tight,
        })
    };
    // In front of a URL's `@`, another finder's matter.
    if start == end || text[..start].ends_with(b"://") {
        return None;
    }
    if let Some(name) = named(start, end) {
        return Some(name);
    }
    if start > 0 && text[start - 1] == b' ' {
        // `API key: …`, `the password is: …`
        match text[start..end].to_ascii_lowercase().as_slice() {
            b"key" => return named(name_start(text, start - 1), end),
            b"is" => return named(name_start(text, start - 1), start - 1),
            _ => {}
        }
    }
    // `password: &str = …`: the name stands before the type.
    if sign == b'=' {
        let before = back(text, start, |byte| {
            matches!(byte, b' ' | b'&' | b'\'' | b'<')
        });
        if before > 0 && text[before - 1] == b':' {
            return named(name_start(text, before - 1), before - 1);
        }
    }
    None
}

fn name_start(text: &[u8], end: usize) -> usize {
    let from = end.saturating_sub(NAME_BYTES_MAX);
    from + back(&text[from..], end - from, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
    })
}

/// Where the run of such bytes before `at` begins.
fn back(text: &[u8], at: usize, is_in: fn(u8) -> bool) -> usize {
    text[..at]
        .iter()
        .rposition(|&byte| !is_in(byte))
        .map_or(0, |before| before + 1)
}

/// Where the run of such bytes from `at` on ends.
fn ahead(text: &[u8], at: usize, is_in: impl Fn(u8) -> bool) -> usize {
    text[at..]
        .iter()
        .position(|&byte| !is_in(byte))
        .map_or(text.len(), |length| at + length)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// A value's place, and how it was given.
struct Value {
    start: usize,
    end: usize,
    is_quoted: bool,
    is_tight: bool,
}

fn value_behind(text: &[u8], at: usize) -> Option<Value> {
    let signs = ahead(text, at, |byte| matches!(byte, b'=' | b'>' | b':' | b'~'));
    let blanks = ahead(text, signs, is_blank);
    if blanks - signs > BLANKS_MAX {
        return None;
    }
    let slashes = ahead(text, blanks, |byte| byte == b'\\');
    // The letter before the quote in `b"…"`, `f'…'`.
    let is_prefixed = matches!(
        text.get(slashes),
        Some(b'b' | b'f' | b'r' | b'u' | b'@' | b'$')
    ) && matches!(text.get(slashes + 1), Some(b'"' | b'\''));
    let start = slashes + usize::from(is_prefixed);
    let is_tight = blanks == signs;
    match text.get(start) {
        Some(&quote @ (b'"' | b'\'' | b'`')) => {
            let start = start + 1;
            let end = ahead(text, start, |byte| byte != quote && byte != b'\n');
            Some(Value {
                start,
                end,
                is_quoted: true,
                is_tight,
            })
        }
        Some(_) => {
            let end = ahead(text, start, |byte| !ends_bare_value(byte));
            Some(Value {
                start,
                end,
                is_quoted: false,
                is_tight,
            })
        }
        None => None,
    }
}

fn ends_bare_value(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(
            byte,
            b'"' | b'\''
                | b'`'
                | b','
                | b';'
                | b'&'
                | b')'
                | b'}'
                | b']'
                | b'<'
                | b'>'
                | b'|'
                | b'\\'
        )
}

fn kind(telling: Telling) -> &'static str {
    match telling {
        Telling::Password => "password",
        Telling::Key => "credential",
        Telling::Header => "authorization",
    }
}

fn assigned(text: &[u8], at: usize, name: &Name) -> Option<Found> {
    let is_xml = text[at] == b'>';
    let mut value = value_behind(text, at + 1)?;
    if is_xml && !text[value.end..].starts_with(b"</") {
        return None;
    }
    let is_tight = text[at] == b'=' && name.is_tight && value.is_tight;
    // In a file of variables and in YAML the value goes on to the blank, whatever stands in it.
    let begins_word = name.start == 0 || matches!(text[name.start - 1], b'\n' | b' ');
    let is_variable = is_tight && name.is_upper;
    let is_yaml = text[at] == b':' && !value.is_tight;
    if !value.is_quoted && begins_word && (is_variable || is_yaml) {
        let longer = ahead(text, value.start, |byte| {
            !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'<')
        });
        value.end = value.end.max(longer);
    }
    let given = match (value.is_quoted, is_tight || is_xml) {
        (true, _) => Given::Quoted,
        (false, true) => Given::Set,
        (false, false) => Given::Said,
    };
    let telling = if given == Given::Set && name.is_upper {
        Telling::Password
    } else {
        name.telling
    };
    let written = std::str::from_utf8(&text[value.start..value.end]).ok()?;
    let written = if value.is_quoted {
        written
    } else {
        written.trim_end_matches(['.', ':', ',', ';', ')', '}', ']', '|'])
    };
    is_secret(written, given, telling).then(|| Found {
        start: value.start,
        end: value.start + written.len(),
        kind: kind(name.telling),
    })
}

/// Schemes whose credentials are one word.
const WORD_SCHEMES: &[&str] = &[
    "bearer",
    "basic",
    "token",
    "apikey",
    "negotiate",
    "bot",
    "splunk",
    "key",
];
/// Schemes whose credentials are a list.
const LIST_SCHEMES: &[&str] = &[
    "digest",
    "aws4-hmac-sha256",
    "hmac",
    "oauth",
    "sharedkey",
    "ntlm",
    "hawk",
    "signature",
];

/// The credentials behind `Authorization:` or `Cookie:`, to the end of the line or of the quotes around it.
fn header(text: &[u8], at: usize, name: &Name) -> Option<Found> {
    let value = value_behind(text, at + 1)?;
    let around = name.start.checked_sub(1).map(|before| text[before]);
    let end = if value.is_quoted {
        value.end
    } else {
        ahead(text, value.start, |byte| {
            !matches!(byte, b'\n' | b'\r' | b'\\')
                && !(matches!(byte, b'"' | b'\'' | b'`') && around == Some(byte))
        })
    };
    let line = std::str::from_utf8(&text[value.start..end]).ok()?;
    if is_placeholder(line) {
        return None;
    }
    let is_cookie = text[name.start..at]
        .to_ascii_lowercase()
        .windows(6)
        .any(|word| word == b"cookie");
    if is_cookie {
        return cookie(line, value.start);
    }
    let (scheme, rest) = line.split_once(' ').unwrap_or(("", line));
    let scheme = scheme.to_ascii_lowercase();
    let rest_start = value.start + line.len() - rest.len();
    let is_list = LIST_SCHEMES.contains(&scheme.as_str());
    let is_known = is_list || WORD_SCHEMES.contains(&scheme.as_str());
    let (start, candidate) = if is_known {
        (rest_start, rest)
    } else {
        (value.start, line)
    };
    let word_end = candidate
        .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';'))
        .unwrap_or(candidate.len());
    let credentials = if is_list {
        candidate
    } else {
        &candidate[..word_end]
    };
    let is_hit = if is_known {
        is_credentials(credentials)
    } else {
        is_secret(credentials, Given::Said, Telling::Key)
    };
    is_hit.then(|| Found {
        start,
        end: start + credentials.len(),
        kind: "authorization",
    })
}

/// What stands behind a scheme and is no word of a sentence.
fn is_credentials(value: &str) -> bool {
    const BYTES_MIN: usize = 6;
    value.len() >= BYTES_MIN
        && !is_placeholder(value)
        && !value
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_' | b'.'))
        && !value.contains('(')
}

fn cookie(line: &str, start: usize) -> Option<Found> {
    const COOKIE_BYTES_MIN: usize = 6;
    let (_, first) = line.split_once('=')?;
    let value = first.split(';').next()?.trim();
    let is_hit = value.len() >= COOKIE_BYTES_MIN && !is_placeholder(value) && !value.contains(' ');
    is_hit.then(|| Found {
        start,
        end: start + line.trim_end().len(),
        kind: "cookie",
    })
}

/// `--token value`, `-u user:password`, `sshpass -p password`, `login me password secret`.
fn flags(text: &[u8], found: &mut Vec<Found>) {
    for at in memmem::find_iter(text, b"--") {
        let name_end = ahead(text, at + 2, |byte| {
            byte.is_ascii_alphanumeric() || byte == b'-'
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
    for at in memmem::find_iter(text, b"sshpass -p") {
        found.extend(argument(text, at + b"sshpass -p".len(), Telling::Password));
    }
    for at in memmem::find_iter(text, b" password ") {
        if memmem::find(&text[at.saturating_sub(NAME_BYTES_MAX)..at], b"login ").is_some() {
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
    is_secret(written, Given::Said, Telling::Password).then(|| Found {
        start,
        end: value.end,
        kind: "password",
    })
}

/// `Bearer <token>` and `Basic <base64>` wherever they stand.
fn schemes(text: &[u8], found: &mut Vec<Found>) {
    const WORD_BYTES_MIN: usize = 8;
    for sign in [&b"earer "[..], b"EARER ", b"asic ", b"ASIC "] {
        for at in memmem::find_iter(text, sign) {
            let start = at + sign.len();
            let end = ahead(text, start, |byte| {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_' | b'.' | b'~')
            });
            let word = &text[start..end];
            let Ok(written) = std::str::from_utf8(word) else {
                continue;
            };
            let is_hit = if sign.len() == b"asic ".len() {
                super::literals::is_base64_of_pair(word)
            } else {
                is_secret(written.trim_end_matches('.'), Given::Said, Telling::Key)
            };
            if word.len() >= WORD_BYTES_MIN && is_hit {
                found.push(Found {
                    start,
                    end,
                    kind: "authorization",
                });
            }
        }
    }
}
