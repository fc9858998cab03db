//! Strings made by chance beside a word that tells what they are.

use super::Found;
use super::values::looks_random;

/// The shortest such string, in bytes.
const BYTES_MIN: usize = 20;
/// The longest one: what is longer is data, in bytes.
const BYTES_MAX: usize = 512;
/// How far before the string the word may stand, in bytes.
const REACH_BYTES: usize = 48;

/// The telling words, in small letters.
const WORDS: &[&[u8]] = &[
    b"password",
    b"passwd",
    b"secret",
    b"token",
    b"credential",
    b"api key",
    b"apikey",
    b"api-key",
    b"api_key",
    b"access key",
    b"private key",
    b"bearer",
    b"auth",
];
/// How the id of a key begins, beside which the key itself may stand.
const KEY_IDS: &[&[u8]] = &[b"akia", b"asia"];
/// What stands right before a string that is no secret: a hash, a file's content, a public key.
const HARMLESS: &[&[u8]] = &[
    b"sha1-", b"sha256-", b"sha384-", b"sha512-", b"sha256:", b"sha512:", b"h1:", b"base64,",
];

/// Adds each string in `text` that looks made by chance and stands beside a telling word.
pub(super) fn find(text: &[u8], found: &mut Vec<Found>) {
    let mut start = 0;
    for run in text.split(|&byte| !is_in(byte)) {
        let at = start;
        start += run.len() + 1;
        let run = run.trim_ascii_end();
        if !(BYTES_MIN..=BYTES_MAX).contains(&run.len()) || !is_one_word(run) || !looks_random(run)
        {
            continue;
        }
        let reach = text[at.saturating_sub(REACH_BYTES)..at].to_ascii_lowercase();
        let own = run[..run.len().min(8)].to_ascii_lowercase();
        let is_harmless = HARMLESS
            .iter()
            .any(|mark| reach.ends_with(mark) || own.starts_with(mark));
        let is_public_key = run.starts_with(b"AAAA");
        let tells = WORDS.iter().any(|word| {
            memchr::memmem::find_iter(&reach, word).any(|at| ends_word(&reach[at + word.len()..]))
        });
        let beside_id = KEY_IDS
            .iter()
            .any(|id| memchr::memmem::find(&reach, id).is_some());
        if (tells || beside_id) && !is_harmless && !is_public_key {
            found.push(Found {
                start: at,
                end: at + run.len(),
                kind: "high-entropy",
            });
        }
    }
}

/// `token` and `tokens`, not `author`.
fn ends_word(behind: &[u8]) -> bool {
    let behind = behind.strip_prefix(b"s").unwrap_or(behind);
    !behind.first().is_some_and(u8::is_ascii_alphabetic)
}

fn is_in(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_' | b'~')
}

/// Not a path or a list of names: some piece between the marks is itself long and random.
fn is_one_word(run: &[u8]) -> bool {
    const PIECE_BYTES_MIN: usize = 10;
    run.split(|byte| matches!(byte, b'-' | b'_' | b'/' | b'='))
        .any(|piece| piece.len() >= PIECE_BYTES_MIN && looks_mixed(piece))
}

fn looks_mixed(piece: &[u8]) -> bool {
    piece.iter().any(u8::is_ascii_uppercase) && piece.iter().any(u8::is_ascii_lowercase)
}
