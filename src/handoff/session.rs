//! A session (one conversation of one host), and what makes a card of it be written.

use sha2::{Digest, Sha256};

/// Longest host id that becomes a ref name as it is, in bytes.
const REF_NAME_BYTES_MAX: usize = 100;
/// How much of a session's name people see and type, in characters.
const SHORT_CHARS: usize = 8;
/// The session of a card whose host gave no id.
const UNKNOWN: &str = "_unknown";

/// A conversation's id as its host gave it, and the name that it has as a ref.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SessionId {
    id: String,
    ref_name: String,
}

impl SessionId {
    /// Any text is an id; one that is not safe as one level of a ref name is named by its hash.
    pub(crate) fn new(id: &str) -> Self {
        if id.is_empty() {
            return Self::unknown();
        }
        let ref_name = if is_safe(id) {
            id.to_owned()
        } else {
            format!("x-{}", sha256_hex(id.as_bytes(), 16))
        };
        Self {
            id: id.to_owned(),
            ref_name,
        }
    }

    /// The session of a ref, whose true id may stand on its cards only.
    pub(crate) fn from_ref_name(name: &str) -> Self {
        Self {
            id: name.to_owned(),
            ref_name: name.to_owned(),
        }
    }

    /// The session of cards whose host gave no id.
    pub(crate) fn unknown() -> Self {
        Self {
            id: UNKNOWN.to_owned(),
            ref_name: UNKNOWN.to_owned(),
        }
    }

    /// Whether this is [`Self::unknown`].
    pub(crate) fn is_unknown(&self) -> bool {
        self.ref_name == UNKNOWN
    }

    /// The id as the host gave it.
    pub(crate) fn as_str(&self) -> &str {
        &self.id
    }

    /// One level of a ref name: `refs/segue/<this>`.
    pub(crate) fn ref_name(&self) -> &str {
        &self.ref_name
    }

    /// What people see and type.
    pub(crate) fn short(&self) -> &str {
        short(&self.ref_name)
    }
}

/// The first characters of a session's ref name or of a card's id: what people see and type.
pub(crate) fn short(name: &str) -> &str {
    name.char_indices()
        .nth(SHORT_CHARS)
        .map_or(name, |(at, _)| &name[..at])
}

/// The shortest beginnings that tell names apart: UUIDs of version 7 that were made within a minute share their first eight
/// characters.
#[derive(Debug, Default)]
pub(crate) struct Shorts {
    /// In order, each once.
    names: Vec<String>,
}

impl Shorts {
    /// Those of `names`.
    pub(crate) fn of(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut names: Vec<String> = names.into_iter().map(Into::into).collect();
        names.sort();
        names.dedup();
        Self { names }
    }

    /// The shortest beginning of `name`, eight characters at least, that no other name has.
    pub(crate) fn get<'n>(&self, name: &'n str) -> &'n str {
        let at = self.names.partition_point(|one| one.as_str() < name);
        let before = at.checked_sub(1).and_then(|at| self.names.get(at));
        let mut behind = self.names[at..].iter();
        let behind = behind.find(|other| *other != name);
        let shared = |other: &String| {
            let pairs = name.chars().zip(other.chars());
            pairs.take_while(|(a, b)| a == b).count()
        };
        let shared = before.into_iter().chain(behind).map(shared).max();
        let chars = shared.map_or(0, |shared| shared + 1).max(SHORT_CHARS);
        name.char_indices()
            .nth(chars)
            .map_or(name, |(at, _)| &name[..at])
    }
}

/// The first `digits` hex digits of the SHA-256 of `bytes`.
pub(crate) fn sha256_hex(bytes: &[u8], digits: usize) -> String {
    let mut hex: String = Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    hex.truncate(digits);
    hex
}

fn is_safe(id: &str) -> bool {
    id.len() <= REF_NAME_BYTES_MAX
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
        && !id.starts_with('.')
        && !id.ends_with('.')
        && !id.contains("..")
        && !id.to_ascii_lowercase().ends_with(".lock")
        && id != UNKNOWN
        && !looks_hashed(id)
}

/// Whether an id could be taken for the name of a hashed one.
fn looks_hashed(id: &str) -> bool {
    id.strip_prefix("x-")
        .is_some_and(|hex| hex.len() == 16 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Why a card was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// The host compacted because the window was full.
    CompactAuto,
    /// The person asked for a compaction.
    CompactManual,
    /// The person cleared the conversation.
    Clear,
    /// A turn ended.
    Turn,
    /// A prompt was sent.
    Prompt,
    /// The session ended.
    End,
    /// `git segue save`.
    Manual,
}

impl Trigger {
    const ALL: [(Self, &'static str); 7] = [
        (Self::CompactAuto, "compact-auto"),
        (Self::CompactManual, "compact-manual"),
        (Self::Clear, "clear"),
        (Self::Turn, "turn"),
        (Self::Prompt, "prompt"),
        (Self::End, "end"),
        (Self::Manual, "manual"),
    ];

    /// As it stands in a trailer and in `card.json`.
    pub(crate) fn as_str(self) -> &'static str {
        name_of(&Self::ALL, self)
    }

    /// The reverse of [`Self::as_str`].
    pub(crate) fn parse(name: &str) -> Option<Self> {
        value_of(&Self::ALL, name)
    }
}

/// What a commit of a chain is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A real card; stays in the chain.
    Card,
    /// A card that the next one replaces.
    Autosave,
    /// The previous card with one more decision.
    Decision,
    /// Two chains of one session, joined.
    Join,
}

impl Kind {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Card, "card"),
        (Self::Autosave, "autosave"),
        (Self::Decision, "decision"),
        (Self::Join, "join"),
    ];

    /// As it stands in a trailer and in `card.json`.
    pub(crate) fn as_str(self) -> &'static str {
        name_of(&Self::ALL, self)
    }

    /// The reverse of [`Self::as_str`].
    pub(crate) fn parse(name: &str) -> Option<Self> {
        value_of(&Self::ALL, name)
    }
}

/// The name of a value in a closed table that lists every value of its type.
pub(super) fn name_of<T: Copy + PartialEq>(all: &[(T, &'static str)], value: T) -> &'static str {
    all.iter()
        .find(|(one, _)| *one == value)
        .map_or("", |(_, name)| name)
}

/// The value of a name in a closed table.
pub(super) fn value_of<T: Copy>(all: &[(T, &'static str)], name: &str) -> Option<T> {
    all.iter()
        .find(|(_, one)| *one == name)
        .map(|(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_safe_id_is_its_own_ref_name_and_any_other_is_hashed() {
        for id in ["0190a000-0000-7000-8000-000000000001", "a", "A.b_c-9"] {
            assert_eq!(SessionId::new(id).ref_name(), id);
        }
        let hashed = SessionId::new("a/b");
        assert_eq!(hashed.ref_name(), "x-c14cddc033f64b9d");
        assert_eq!(hashed.as_str(), "a/b");
        for id in [
            "a..b",
            ".a",
            "a.lock",
            "a.",
            "ä",
            "a b",
            "x-c14cddc033f64b9d",
            "_unknown",
        ] {
            assert!(SessionId::new(id).ref_name().starts_with("x-"), "{id}");
        }
        assert!(SessionId::new("").is_unknown());
        assert!(!SessionId::new("_unknown").is_unknown());
    }

    #[test]
    fn short_is_eight_characters_and_never_splits_one() {
        assert_eq!(short("0190a000-0000"), "0190a000");
        assert_eq!(short("äöüäöüäöü"), "äöüäöüäö");
        assert_eq!(short("abc"), "abc");
    }

    #[test]
    fn names_that_begin_alike_are_told_apart_by_as_much_as_it_takes() {
        let names = [
            "0190a000-1234-7000",
            "0190a000-1299-7000",
            "s-1",
            "s-1-more",
            "0290a000-77",
        ];
        let shorts = Shorts::of(names);
        let short: Vec<&str> = names.iter().map(|name| shorts.get(name)).collect();
        let expect = [
            "0190a000-123",
            "0190a000-129",
            "s-1",
            "s-1-more",
            "0290a000",
        ];
        assert_eq!(short, expect);
        assert_eq!(Shorts::default().get("0190a000-1"), "0190a000");
    }
}
