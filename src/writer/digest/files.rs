//! Which files were read and changed, when, and how often.

use super::paths::Place;
use crate::handoff::transcript::{Action, Outcome, ToolUse};

/// A changed file is settled when it was not used for so many tool uses.
const SETTLED_CALLS: usize = 60;
/// Words behind which a name is defined, in the languages that agents write most.
const DEFINING: &[&str] = &[
    "fn",
    "func",
    "function",
    "def",
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "type",
    "module",
];
/// So many names of what was added are kept for one file.
const NAMES_MAX: usize = 3;
/// A shorter name tells nothing, in bytes.
const NAME_BYTES_MIN: usize = 4;

/// One file and what was done with it.
#[derive(Debug)]
pub(in crate::writer) struct FileUse {
    /// As a card writes it.
    pub(in crate::writer) path: String,
    /// How often it was read.
    pub(in crate::writer) reads: usize,
    /// How often it was changed.
    pub(in crate::writer) edits: usize,
    /// The place of its last change.
    pub(in crate::writer) last_edit: Option<usize>,
    /// Whether it was written whole.
    pub(in crate::writer) written: bool,
    /// Whether it was deleted in the end.
    pub(in crate::writer) deleted: bool,
    /// Names that its changes defined, the latest first.
    pub(in crate::writer) names: Vec<String>,
    /// The number of the call of each use.
    uses: Vec<usize>,
}

impl FileUse {
    /// How much it was used, the latest uses most. `calls` is the number of the last call.
    pub(in crate::writer) fn weight(&self, calls: usize) -> f64 {
        super::weight(&self.uses, calls)
    }

    /// Whether it was changed and then not looked at again for long: what was to be done with it is done. A file that
    /// was only read that long ago is asked for again more often than such a one.
    pub(in crate::writer) fn is_settled(&self, calls: usize) -> bool {
        let last = self.uses.last().copied().unwrap_or_default();
        self.edits > 0 && calls.saturating_sub(last) > SETTLED_CALLS
    }

    /// Its name with the folder that it lies in: enough for who has the whole path elsewhere on the card.
    pub(in crate::writer) fn short(&self) -> &str {
        let mut slashes = self.path.rmatch_indices('/').map(|(at, _)| at + 1);
        slashes.next();
        slashes.next().map_or(&self.path, |at| &self.path[at..])
    }

    /// Its name alone.
    pub(in crate::writer) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// Adds what one call did with a file. `number` is the call's.
pub(super) fn add(
    files: &mut Vec<FileUse>,
    place: &Place,
    at: usize,
    number: usize,
    action: &Action,
    call: &ToolUse,
) {
    let (path, change) = match action {
        Action::Read { path } => (path, false),
        Action::Edit { path, .. } | Action::Write { path } | Action::Delete { path } => {
            (path, true)
        }
        _ => return,
    };
    let failed = !matches!(call.outcome, Outcome::Ok | Outcome::Open);
    if path.is_empty() || (failed && !change) {
        return;
    }
    let path = place.path(path);
    let file = match files.iter().position(|file| file.path == path) {
        Some(at) => &mut files[at],
        None if failed => return,
        None => {
            files.push(FileUse {
                path,
                reads: 0,
                edits: 0,
                last_edit: None,
                written: false,
                deleted: false,
                names: Vec::new(),
                uses: Vec::new(),
            });
            files.last_mut().expect("one was pushed a line above")
        }
    };
    file.uses.push(number);
    if failed {
        return;
    }
    match action {
        Action::Read { .. } => file.reads += 1,
        _ => {
            file.edits += 1;
            file.last_edit = Some(at);
            file.deleted = matches!(action, Action::Delete { .. });
            file.written |= matches!(action, Action::Write { .. });
        }
    }
    if let Action::Edit { added, .. } = action {
        for name in defined(added) {
            file.names.retain(|known| *known != name);
            file.names.insert(0, name);
        }
        file.names.truncate(NAMES_MAX);
    }
}

/// The names that a piece of code defines.
fn defined(code: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut names = Vec::new();
    for line in code.lines() {
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            if !DEFINING.contains(&word) {
                continue;
            }
            let name = match words.next() {
                // A method's receiver, as in `func (s *Store) Save()`.
                Some(next) if next.starts_with('(') => words
                    .by_ref()
                    .find(|one| one.contains('('))
                    .unwrap_or_default(),
                Some(next) => next,
                None => break,
            };
            let name: String = name.chars().take_while(|c| is_part(*c)).collect();
            let telling =
                name.len() >= NAME_BYTES_MIN && name.starts_with(|c: char| !c.is_ascii_digit());
            if telling && names.len() < NAMES_MAX && looks_named(&name) {
                names.push(name);
            }
            break;
        }
    }
    names
}

/// Whether a word is a name in code rather than one of a sentence.
fn looks_named(word: &str) -> bool {
    word.contains('_') || word.chars().any(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_code_defines() {
        let check = |code: &str, expect: &[&str]| assert_eq!(defined(code), expect, "{code}");
        check(
            "pub fn read_line(x: u8) {\n    let y = 1;\n}",
            &["read_line"],
        );
        check("func (s *Store) SaveAll() error {", &["SaveAll"]);
        check(
            "class TokenBucket(Base):\n    def take_one(self):",
            &["TokenBucket", "take_one"],
        );
        check("// the type of thing that a function does", &[]);
    }
}
