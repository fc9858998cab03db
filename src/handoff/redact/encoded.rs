//! Base64 of text in which a secret stands: in a Kubernetes manifest, in what `base64 <file>` printed.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::Found;

/// A shorter run holds no secret of a known shape. In characters.
const RUN_CHARS_MIN: usize = 24;
/// Less text between what is none holds no secret of a known shape. In bytes.
const TEXT_BYTES_MIN: usize = 16;
/// A run goes on behind the end of a line that is at least so long: coreutils and MIME have 76, PEM has 64.
const LINE_CHARS_MIN: usize = 40;

/// However it is padded, and also where a clip has cut it.
const LOOSE: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Adds each run of base64 in `text` in whose text `look` finds something.
pub(super) fn find(text: &[u8], look: impl Fn(&[u8]) -> Vec<Found>, found: &mut Vec<Found>) {
    let mut at = 0;
    while let Some(run) = next_run(text, at) {
        at = run.end;
        if run.characters.len() < RUN_CHARS_MIN {
            continue;
        }
        // What stands before it without a blank (a path, a mark of a diff, a hash) may shift where the base64 begins.
        let hit = (0..4).find_map(|skip| {
            let bytes = bytes_of(&run.characters[skip..])?;
            let texts = bytes.split(|byte| !is_text(byte));
            let mut texts = texts.filter(|text| text.len() >= TEXT_BYTES_MIN);
            texts.find_map(|text| look(text).first().copied())
        });
        found.extend(hit.map(|hit| Found {
            start: run.start,
            end: run.end,
            kind: hit.kind,
        }));
    }
}

fn is_text(byte: &u8) -> bool {
    !byte.is_ascii_control() || byte.is_ascii_whitespace()
}

/// The text that `characters` are base64 of, in either alphabet; none where it is no text.
pub(super) fn decode(characters: &[u8]) -> Option<Vec<u8>> {
    bytes_of(characters).filter(|text| text.iter().all(is_text))
}

fn bytes_of(characters: &[u8]) -> Option<Vec<u8>> {
    let standard = |character: &u8| match character {
        b'-' => b'+',
        b'_' => b'/',
        other => *other,
    };
    let mut standard: Vec<u8> = characters.iter().map(standard).collect();
    if standard.len() % 4 == 1 {
        // Cut by a clip: the last character alone is no byte.
        standard.pop();
    }
    LOOSE.decode(standard).ok()
}

/// A run of base64, perhaps over several lines.
struct Run {
    start: usize,
    end: usize,
    characters: Vec<u8>,
}

/// The first run that begins at `at` or behind it.
fn next_run(text: &[u8], at: usize) -> Option<Run> {
    let is_character = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte);
    let line_end = |from: usize| {
        let rest = &text[from..];
        from + rest
            .iter()
            .position(|byte| !is_character(byte))
            .unwrap_or(rest.len())
    };
    let start = at + text[at..].iter().position(is_character)?;
    let mut end = line_end(start);
    let mut characters = text[start..end].to_vec();
    let mut line = end - start;
    while line >= LINE_CHARS_MIN {
        let blank = text[end..]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        let next = end + blank;
        let next_end = line_end(next);
        if blank == 0 || next_end == next {
            break;
        }
        characters.extend_from_slice(&text[next..next_end]);
        (line, end) = (next_end - next, next_end);
    }
    let padding = text[end..]
        .iter()
        .take(2)
        .take_while(|byte| **byte == b'=')
        .count();
    Some(Run {
        start,
        end: end + padding,
        characters,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found_in(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        let look = |text: &[u8]| {
            let start = memchr::memmem::find(text, b"secret");
            let hit = start.map(|start| Found {
                start,
                end: start + 6,
                kind: "x",
            });
            hit.into_iter().collect()
        };
        find(text.as_bytes(), look, &mut found);
        found.iter().map(|one| &text[one.start..one.end]).collect()
    }

    fn check(text: &str, expect: &[&str]) {
        assert_eq!(found_in(text), expect, "{text}");
    }

    #[test]
    fn a_run_is_found_whole_whatever_stands_around_it() {
        // `printf 'here is a secret word' | base64`, and 2 letters more.
        check(
            "data: aGVyZSBpcyBhIHNlY3JldCB3b3Jk.",
            &["aGVyZSBpcyBhIHNlY3JldCB3b3Jk"],
        );
        check(
            "k=\"aGVyZSBpcyBhIHNlY3JldCB3b3JkOg==\"",
            &["aGVyZSBpcyBhIHNlY3JldCB3b3JkOg=="],
        );
        check(
            "aGVyZSBpcyBhIHNlY3JldCB3b3JkOg",
            &["aGVyZSBpcyBhIHNlY3JldCB3b3JkOg"],
        );
        check(
            "YSBsaW5lIHRoYXQgaXMgbG9uZyBlbm91Z2ggdG8gZ28gb24gYmVoaW5kIGl0cyBlbmQgdGhlIHNl\n  Y3JldCB3b3Jk\n",
            &[
                "YSBsaW5lIHRoYXQgaXMgbG9uZyBlbm91Z2ggdG8gZ28gb24gYmVoaW5kIGl0cyBlbmQgdGhlIHNl\n  Y3JldCB3b3Jk",
            ],
        );
        check(
            "src/handoff/redact/encoded/rs and cGxhaW4gd29yZHMgYWxvbmUgaGVyZQ==",
            &[],
        );
        let word = "aGVyZSBpcyBhIHNlY3JldCB3b3Jk";
        for front in ["+", "-d", "cache/", "https://h.io/a/"] {
            let text = format!("{front}{word} x");
            assert!(
                found_in(&text).iter().any(|run| run.ends_with(word)),
                "{text}"
            );
        }
        check("", &[]);
    }

    #[test]
    fn what_is_no_text_is_not_decoded() {
        assert_eq!(decode(b"iVBORw0KGgoAAAANSUhEUgAA"), None, "an image");
        assert_eq!(decode(b"Y/h_-"), None);
        assert_eq!(decode(b"aGVyZQ").as_deref(), Some(&b"here"[..]));
        assert_eq!(decode(b"a"), Some(Vec::new()));
    }
}
