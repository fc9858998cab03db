//! JSON that a terminal cannot obey: what serde_json leaves as it is, and a terminal might act upon, is escaped.

use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

use crate::handoff::plain::is_unseen;

/// `value` on one line.
pub(super) fn render(value: &Value) -> String {
    let mut bytes = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, Escaping));
    match written {
        Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
        // A value in memory always serialises; its plain form is the same data.
        Err(_) => value.to_string(),
    }
}

/// serde_json's compact form, with every character escaped that acts instead of showing.
struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + io::Write,
    {
        let mut from = 0;
        for (at, found) in fragment.match_indices(acts) {
            writer.write_all(&fragment.as_bytes()[from..at])?;
            for unit in found.encode_utf16() {
                write!(writer, "\\u{unit:04x}")?;
            }
            from = at + found.len();
        }
        writer.write_all(&fragment.as_bytes()[from..])
    }
}

/// Controls (serde_json escapes those below a blank itself), and what nobody sees: turns of the direction of writing, tags.
fn acts(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{9f}') || is_unseen(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_escaped_and_read_back_the_same() {
        let value = serde_json::json!({"a": "x\u{9b}31m\u{202e}y\u{1b}\n\"é🦀\u{e0041}"});
        let text = render(&value);
        assert_eq!(
            text,
            "{\"a\":\"x\\u009b31m\\u202ey\\u001b\\n\\\"é🦀\\udb40\\udc41\"}"
        );
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
