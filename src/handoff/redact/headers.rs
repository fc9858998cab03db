//! Credentials of HTTP: what stands behind `Authorization:` and `Cookie:`, and behind a scheme's name wherever it stands.

use memchr::memmem;

use super::Found;
use super::assignments::{Name, ahead, value_behind};
use super::encoded;
use super::names::Telling;
use super::values::{Given, is_placeholder, is_secret};

/// `Bearer <token>` and `Basic <base64>` wherever they stand.
pub(super) fn find(text: &[u8], found: &mut Vec<Found>) {
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
                // A name and a password, as HTTP's Basic scheme has them.
                let pair = encoded::decode(written.trim_end_matches('=').as_bytes());
                pair.is_some_and(|pair| pair.contains(&b':'))
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
pub(super) fn credentials(text: &[u8], at: usize, name: &Name) -> Option<Found> {
    let value = value_behind(text, at + 1)?;
    let around = name.start.checked_sub(1).map(|before| text[before]);
    let end = if value.is_quoted {
        value.end
    } else {
        ahead(text, value.start, |byte| {
            let closes = matches!(byte, b'"' | b'\'' | b'`') && around == Some(byte);
            !closes && !matches!(byte, b'\n' | b'\r' | b'\\')
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
