//! Passwords and tokens in front of the `@` of a URL.

use memchr::memmem;

use super::Found;
use super::values::{is_placeholder, looks_random};

/// What stands before the host is at most this long, in bytes.
const USERINFO_BYTES_MAX: usize = 2_000;

/// Adds each password in a URL of `text`.
pub(super) fn find(text: &[u8], found: &mut Vec<Found>) {
    for at in memmem::find_iter(text, b"://") {
        let start = at + 3;
        let rest = &text[start..text.len().min(start + USERINFO_BYTES_MAX)];
        let end = rest
            .iter()
            .position(|&byte| {
                byte.is_ascii_whitespace()
                    || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
            })
            .unwrap_or(rest.len());
        let Some(userinfo) = userinfo(&rest[..end]) else {
            continue;
        };
        if memmem::find(userinfo, b"[redacted:").is_some() {
            continue;
        }
        let (offset, secret) = match memchr::memchr(b':', userinfo) {
            Some(colon) => (colon + 1, &userinfo[colon + 1..]),
            None if looks_random(userinfo) => (0, userinfo),
            None => continue,
        };
        let Ok(written) = std::str::from_utf8(secret) else {
            continue;
        };
        if !is_placeholder(written) {
            found.push(Found {
                start: start + offset,
                end: start + offset + secret.len(),
                kind: "url-password",
            });
        }
    }
}

/// What stands before the last `@` of the authority. A password may hold a `/` that nobody escaped: then the authority
/// is taken to go on to the first `@`, if a `:` that begins no port stands before the slash.
fn userinfo(rest: &[u8]) -> Option<&[u8]> {
    let authority_end = rest
        .iter()
        .position(|byte| matches!(byte, b'/' | b'?' | b'#'))
        .unwrap_or(rest.len());
    let authority = &rest[..authority_end];
    if let Some(at) = memchr::memrchr(b'@', authority) {
        return Some(&authority[..at]);
    }
    let colon = memchr::memchr(b':', authority)?;
    let is_port = authority[colon + 1..].iter().all(u8::is_ascii_digit);
    let at = memchr::memchr(b'@', rest)?;
    (!is_port).then(|| &rest[..at])
}
