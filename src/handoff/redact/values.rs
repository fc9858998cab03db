//! Whether a value behind a telling name is a secret, or a placeholder, a reference, a type, a word.

use super::names::Telling;

/// How a value was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    /// In quotes.
    Quoted,
    /// Without quotes and without a blank: `NAME=value`.
    Set,
    /// Without quotes in YAML, prose or a program: `name: value`, `name = value`.
    Said,
}

/// A password is at least this long, in bytes; shorter ones are not worth the false alarms.
const PASSWORD_BYTES_MIN: usize = 6;
/// The same where a digit or a mark stands in it.
const MIXED_PASSWORD_BYTES_MIN: usize = 4;
/// A key is at least this long, in bytes.
const KEY_BYTES_MIN: usize = 8;
/// A key without a digit is at least this long, in bytes.
const PLAIN_KEY_BYTES_MIN: usize = 20;
/// No word of a language's everyday use is this long, in bytes.
const WORD_BYTES_MAX: usize = 16;

/// Whether `value`, given so behind such a name, is a secret.
pub(super) fn is_secret(value: &str, given: Given, telling: Telling) -> bool {
    if is_placeholder(value) {
        return false;
    }
    if given != Given::Quoted && (is_code(value) || is_path(value)) {
        return false;
    }
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let marks = value.bytes().any(|byte| {
        matches!(
            byte,
            b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'*' | b'+' | b'~'
        )
    });
    let lettered = digits && letters;
    match (telling, given) {
        (Telling::Password, Given::Set) => {
            value.len() >= PASSWORD_BYTES_MIN
                || (digits || marks) && value.len() >= MIXED_PASSWORD_BYTES_MIN
        }
        (Telling::Password, Given::Quoted) => {
            let spaced = value.contains(' ');
            (lettered || marks) && value.len() >= MIXED_PASSWORD_BYTES_MIN && !spaced
                || !spaced && value.len() >= PASSWORD_BYTES_MIN && !is_name(value)
                || spaced && lettered && marks && value.len() >= KEY_BYTES_MIN
                || spaced && value.len() >= WORD_BYTES_MAX && (lettered || is_passphrase(value))
        }
        (Telling::Password, Given::Said) => {
            value.len() >= PASSWORD_BYTES_MIN && (lettered || letters && marks) && !is_name(value)
                || value.len() > WORD_BYTES_MAX
                    && value.bytes().all(|byte| byte.is_ascii_lowercase())
        }
        (Telling::Key | Telling::Header, Given::Set) => {
            value.len() >= KEY_BYTES_MIN && letters && (lettered || !is_name(value))
        }
        (Telling::Key | Telling::Header, _) => {
            value.len() >= KEY_BYTES_MIN && lettered && !value.contains(' ') && !is_name(value)
                || value.len() >= PLAIN_KEY_BYTES_MIN && letters && is_one_word(value)
        }
    }
}

/// Four small words and more: `correct horse battery staple`.
fn is_passphrase(value: &str) -> bool {
    let words = value.split(' ');
    words.clone().count() >= 4
        && words.clone().all(|word| {
            (3..=9).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase())
        })
        && !words.into_iter().any(|word| {
            matches!(
                word,
                "the" | "your" | "for" | "and" | "must" | "with" | "password" | "not" | "please"
            )
        })
}

fn is_one_word(value: &str) -> bool {
    value
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
        && !is_camel(value)
}

/// `someTokenName`, `SomeTokenName`: humps of at least three letters.
fn is_camel(value: &str) -> bool {
    const HUMP_BYTES_MIN: usize = 3;
    let humps = value.bytes().filter(u8::is_ascii_uppercase).count() + 1;
    value.bytes().all(|byte| byte.is_ascii_alphanumeric()) && value.len() / humps >= HUMP_BYTES_MIN
}

/// Words joined as a name is: `my-app-secret`, `auth_token_v2`, `ACCESS_TOKEN`, `utf8`, `uint256`.
pub(super) fn is_name(value: &str) -> bool {
    const SEGMENT_DIGITS_MAX: usize = 3;
    let mut segments = 0;
    let wordy = value.split(['_', '-', '.', ':']).all(|segment| {
        segments += 1;
        let letters = segment.trim_end_matches(|c: char| c.is_ascii_digit());
        segment.len() - letters.len() <= SEGMENT_DIGITS_MAX
            && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
            && letters.len() <= WORD_BYTES_MAX
    });
    if !wordy {
        return false;
    }
    let is_type = ["8", "16", "32", "64", "128", "256", "512"]
        .iter()
        .any(|bits| value.ends_with(bits));
    segments > 1 || is_type
}

/// `xxxx`, `****`, `<your-token>`, `${TOKEN}`, `changeme`, and what this module itself puts in a secret's place.
pub(super) fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    let Some(&first) = value.as_bytes().first() else {
        return true;
    };
    let lower = value.to_ascii_lowercase();
    let opens = matches!(first, b'<' | b'[' | b'{' | b'(')
        || value.starts_with("%(")
        || value.starts_with("${")
        || value.starts_with("$(")
        || value.contains("${")
        || value.contains("{{");
    let variable = value.strip_prefix('$').is_some_and(|name| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.'))
            && !name.starts_with(|c: char| c.is_ascii_digit())
    });
    let windows_variable = value.len() > 2 && value.starts_with('%') && value.ends_with('%');
    let masked = value.bytes().all(|byte| byte == first)
        || value
            .chars()
            .all(|c| matches!(c, 'x' | 'X' | '*' | '.' | '-' | '_' | '#' | '?' | '•' | '…'));
    let wordy = value
        .bytes()
        .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_' | b' ' | b'.'));
    let says = wordy
        && ([
            "your",
            "example",
            "placeholder",
            "changeme",
            "change-me",
            "change_me",
            "redacted",
            "dummy",
            "replace",
            "insert",
        ]
        .iter()
        .any(|word| lower.contains(word))
            || WORDS.contains(&lower.as_str()));
    opens
        || variable
        || windows_variable
        || masked
        || says
        || value.contains("[redacted:")
        || value.contains("://")
}

/// Words that stand for a secret and are none.
const WORDS: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "token",
    "string",
    "none",
    "null",
    "undefined",
    "true",
    "false",
    "required",
    "optional",
    "hidden",
    "masked",
    "missing",
    "invalid",
    "expired",
    "unknown",
    "default",
    "sample",
    "fake",
    "test",
    "foobar",
    "value",
    "boolean",
    "number",
    "object",
    "unset",
    "empty",
    "input",
    "bearer",
    "basic",
    "passphrase",
    "apikey",
    "api_key",
    "api-key",
    "credentials",
    "disabled",
    "enabled",
    "include",
    "same-origin",
    "omit",
    "inherit",
];

/// A call, a path through a program's names, a generic type: not a value.
fn is_code(value: &str) -> bool {
    let is_ident = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let head = value.trim_start_matches(['&', '*', '!']);
    let head_end = head
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '?')))
        .unwrap_or(head.len());
    let (head, tail) = head.split_at(head_end);
    let names: Vec<&str> = head
        .split(['.', ':', '?'])
        .filter(|part| !part.is_empty())
        .collect();
    let is_names = !names.is_empty()
        && names
            .iter()
            .all(|part| is_ident(part) && !looks_random(part.as_bytes()));
    let is_chain = is_names && names.len() > 1 && tail.is_empty();
    let is_call = is_names && tail.starts_with(['(', '[']) || value.contains("()");
    let is_identifier =
        is_names && names.len() == 1 && tail.is_empty() && is_snake_or_camel(names[0]);
    is_chain || is_call || is_identifier
}

fn is_snake_or_camel(name: &str) -> bool {
    name.trim_matches('_').contains('_') && is_name(name.trim_matches('_'))
}

/// `/etc/token`, `./secret.json`, `~/.netrc`, `C:\keys`.
fn is_path(value: &str) -> bool {
    let rooted = value.starts_with('/')
        || value.starts_with("./")
        || value.starts_with("../")
        || value.starts_with("~/")
        || value.get(1..3) == Some(":\\");
    rooted && !looks_random(value.as_bytes())
}

/// Letters of both cases and digits, mixed as chance mixes them and no words do.
pub(super) fn looks_random(value: &[u8]) -> bool {
    const BYTES_MIN: usize = 16;
    // In a base62 string made by chance 20 of 100 bytes stand in runs of three small letters and more; in
    // `someCamelCaseName2` 80 do.
    const WORDY_PERCENT_MAX: usize = 45;
    const CHANGES_PERCENT_MIN: usize = 25;
    let class = |byte: &u8| match byte {
        b'0'..=b'9' => 0_usize,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    let mut counts = [0_usize; 4];
    let (mut changes, mut wordy) = (0, 0);
    for run in value.chunk_by(|a, b| class(a) == class(b)) {
        let class = class(&run[0]);
        counts[class] += run.len();
        changes += usize::from(class != 3);
        wordy += if class == 1 && run.len() >= 3 {
            run.len()
        } else {
            0
        };
    }
    let length = counts[..3].iter().sum::<usize>();
    value.len() >= BYTES_MIN
        && counts[..3].iter().all(|&count| count > 0)
        && wordy * 100 <= length * WORDY_PERCENT_MAX
        && changes * 100 >= length * CHANGES_PERCENT_MIN
}
