//! Values behind telling names: `KEY=value`, JSON and YAML, program text, XML.

use super::Found;
use super::headers;
use super::names::{Telling, telling};
use super::values::{Given, is_secret};

/// Blanks between a name, its sign and its value: tables are wider, but few.
const BLANKS_MAX: usize = 24;
/// A value is read this far, in bytes; the longest tokens in use are half of it.
const VALUE_BYTES_MAX: usize = 16_384;
/// A name is read back at most this far, in bytes.
const NAME_BYTES_MAX: usize = 80;

/// Adds each secret behind a telling name in `text`.
pub(super) fn find(text: &[u8], found: &mut Vec<Found>) {
    for at in memchr::memchr3_iter(b'=', b':', b'>', text) {
        let Some(name) = name_before(text, at) else {
            continue;
        };
        let hit = match name.telling {
            Telling::Header => headers::credentials(text, at, &name),
            _ => assigned(text, at, &name),
        };
        found.extend(hit);
    }
    for at in memchr::memchr_iter(b'|', text) {
        found.extend(name_before(text, at).and_then(|name| in_cell(text, at, &name)));
    }
}

/// The value in the cell of a table behind the cell with its name: `| DB_PASSWORD | hunter2 |`.
fn in_cell(text: &[u8], at: usize, name: &Name) -> Option<Found> {
    let line = text[..name.start].iter().rposition(|&byte| byte == b'\n');
    let before = &text[line.map_or(0, |end| end + 1)..name.start];
    // In `cat token | sha256sum` a word stands before the name; where a table was clipped nothing may.
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'$';
    let begins_cell = before.contains(&b'|') || !before.iter().any(is_word);
    let value = value_behind(text, at + 1)?;
    let cell = ahead(text, value.end, |byte| is_blank(byte) || byte == b'`');
    let ends_cell = matches!(text.get(cell), None | Some(b'|' | b'\n' | b'\r'));
    (begins_cell && ends_cell).then(|| said(text, &value, name.telling))?
}

/// The value that is all there is on the line below a name: `Password:` and, under it, `hunter2`.
fn on_next_line(text: &[u8], line_end: usize, telling: Telling) -> Option<Found> {
    let from = ahead(text, line_end, |byte| byte == b'\r');
    if text.get(from) != Some(&b'\n') {
        return None;
    }
    let value = value_behind(text, from + 1)?;
    let rest = ahead(text, value.end, |byte| {
        is_blank(byte) || matches!(byte, b'`' | b'"' | b'\'' | b'\r')
    });
    let is_alone = matches!(text.get(rest), None | Some(b'\n'));
    is_alone.then(|| said(text, &value, telling))?
}

/// A value that was only mentioned: it has to look like a secret.
fn said(text: &[u8], value: &Value, telling: Telling) -> Option<Found> {
    let written = std::str::from_utf8(&text[value.start..value.end]).ok()?;
    is_secret(written, Given::Said, telling).then(|| Found {
        start: value.start,
        end: value.end,
        kind: kind(telling),
    })
}

/// A telling name in front of a sign.
#[derive(Debug)]
pub(super) struct Name {
    telling: Telling,
    /// Where it begins.
    pub(super) start: usize,
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
pub(super) fn ahead(text: &[u8], at: usize, is_in: impl Fn(u8) -> bool) -> usize {
    text[at..]
        .iter()
        .position(|&byte| !is_in(byte))
        .map_or(text.len(), |length| at + length)
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// A value's place, and how it was given.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) is_quoted: bool,
    is_tight: bool,
}

/// The value behind a sign that ends at `at`.
pub(super) fn value_behind(text: &[u8], at: usize) -> Option<Value> {
    let text = &text[..text.len().min(at + VALUE_BYTES_MAX)];
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

/// What stands in `[redacted:<kind>]`.
pub(super) fn kind(telling: Telling) -> &'static str {
    match telling {
        Telling::Password => "password",
        Telling::Key => "credential",
        Telling::Header => "authorization",
    }
}

fn assigned(text: &[u8], at: usize, name: &Name) -> Option<Found> {
    let is_xml = text[at] == b'>';
    let mut value = value_behind(text, at + 1)?;
    if text[at] == b':' && value.start == value.end && !value.is_quoted {
        return on_next_line(text, value.end, name.telling);
    }
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
    let has_blank = text[value.start..value.end].contains(&b' ');
    let given = match (value.is_quoted, is_tight || is_xml) {
        // A shell's quotes around a variable's value say nothing of it.
        (true, true) if name.is_upper && !has_blank => Given::Set,
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
