//! Values that are known to be secret, in the forms that other programs give them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use memchr::memmem::Finder;

use super::Found;

/// A shorter value is not looked for: it would be found everywhere. In bytes.
pub(crate) const LITERAL_BYTES_MIN: usize = 4;
/// A shorter value is not looked for in base64. In bytes.
const BASE64_BYTES_MIN: usize = 9;
const KIND: &str = "literal";

/// The known values, ready to be looked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Literals {
    known: Vec<Known>,
}

/// One form of a known value.
#[derive(Debug, Clone)]
struct Known {
    finder: Finder<'static>,
    /// Words alone may stand inside of longer ones that are no secret: `postgres` in `postgresql`.
    whole: bool,
}

impl Literals {
    /// Each of `values`, and its base64; what JSON, a shell or a URL makes of it is found in a decoded view.
    pub(super) fn new(mut values: Vec<String>) -> Self {
        values.retain(|value| value.trim().len() >= LITERAL_BYTES_MIN);
        // The longest first, so that one inside another leaves nothing of it.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        let mut known = Vec::new();
        let mut add = |form: &[u8], whole| {
            let finder = Finder::new(form).into_owned();
            known.push(Known { finder, whole });
        };
        for value in &values {
            let value = value.trim();
            let whole = value.chars().all(|c| c.is_alphabetic() || c == ' ');
            add(value.as_bytes(), whole);
            if value.contains('\'') {
                add(value.replace('\'', r"'\''").as_bytes(), false);
            }
            if value.len() >= BASE64_BYTES_MIN {
                for offset in 0..3 {
                    add(&inner_base64(value.as_bytes(), offset), false);
                }
            }
        }
        Self { known }
    }

    /// Adds each place of a known value in `text`.
    pub(super) fn find(&self, text: &[u8], found: &mut Vec<Found>) {
        for Known { finder, whole } in &self.known {
            let places = finder.find_iter(text).map(|start| Found {
                start,
                end: start + finder.needle().len(),
                kind: KIND,
            });
            found.extend(places.filter(|place| !whole || stands_alone(text, place)));
        }
    }
}

/// Whether no letter and no digit stands right beside a place.
fn stands_alone(text: &[u8], place: &Found) -> bool {
    // A byte of 128 and more is part of a letter of another script, or near enough.
    let is_letter = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
    };
    let before = place.start.checked_sub(1).and_then(|at| text.get(at));
    !is_letter(before) && !is_letter(text.get(place.end))
}

/// The characters of a base64 text that `value` alone decides when it begins at `offset` bytes of a group of three.
fn inner_base64(value: &[u8], offset: usize) -> Vec<u8> {
    let value = &value[(3 - offset) % 3..];
    let groups = value.len() / 3 * 3;
    STANDARD.encode(&value[..groups]).into_bytes()
}
