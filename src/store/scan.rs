//! Looking through what is stored for secrets: cards, their messages, and the notes.

use std::collections::HashSet;

use super::Store;
use super::carried;
use super::layout::{NOTES_REF, REFS, REMOTE_NOTES, REMOTE_REFS};
use crate::git::{CommitRead, Oid};
use crate::handoff::redact::{Found, Redactor};

/// A larger file is none of ours, and no text.
const TEXT_BYTES_MAX: usize = 10 << 20;
/// What a place in a commit's message is called beside the files.
const MESSAGE: &str = "message";
/// What a place in a note is called beside the files.
const NOTES: &str = "notes";

/// What is looked through.
#[derive(Debug, Clone)]
pub(crate) enum Reach {
    /// All that this card (hex) goes back to.
    Card(String),
    /// Every chain, ours and fetched, and the notes.
    All,
}

/// What was looked through, and where something stands that should not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Scan {
    /// How many cards.
    pub(crate) cards: usize,
    /// How many different texts.
    pub(crate) texts: usize,
    /// The secrets, in the order of the cards, the oldest first.
    pub(crate) secrets: Vec<Secret>,
}

/// Where a secret stands; never what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Secret {
    /// The card's id in hex: of those that share the text, the first that has it.
    pub(crate) card: String,
    /// The file in its tree, `message`, or `notes`.
    pub(crate) file: String,
    /// The line in it, from 1.
    pub(crate) line: usize,
    /// What it is, as in `[redacted:<kind>]`.
    pub(crate) kind: &'static str,
}

impl Store<'_> {
    /// Looks for secrets in what is stored. Each text is looked through once, however many cards share it.
    pub(crate) fn scan(&self, reach: &Reach, redactor: &Redactor) -> anyhow::Result<Scan> {
        let tips = match reach {
            Reach::Card(id) => vec![Oid::from_hex(id.as_bytes())?],
            Reach::All => self.all_tips(&[REFS, REMOTE_REFS])?,
        };
        let mut scanning = Scanning {
            redactor,
            seen: HashSet::new(),
            scan: Scan::default(),
        };
        for (id, commit) in self.commits(&tips) {
            scanning.scan.cards += 1;
            let card = id.to_string();
            scanning.text(&card, MESSAGE, commit.message.as_bytes());
            self.scan_tree(&mut scanning, &card, commit.tree, "")?;
            self.scan_carried(&mut scanning, &card, &commit)?;
        }
        if matches!(reach, Reach::All) {
            self.scan_notes(&mut scanning)?;
        }
        Ok(scanning.scan)
    }

    /// The commits that refs with these prefixes point to.
    pub(super) fn all_tips(&self, prefixes: &[&str]) -> anyhow::Result<Vec<Oid>> {
        let mut tips = Vec::new();
        for prefix in prefixes {
            let refs = self.repo.refs_under(prefix)?;
            tips.extend(refs.into_iter().map(|(_, id)| id));
        }
        Ok(tips)
    }

    /// Every commit that `tips` reach, each once, parents before their children; one that cannot be read is where the
    /// walk ends.
    pub(super) fn commits(&self, tips: &[Oid]) -> Vec<(Oid, CommitRead)> {
        let mut met = HashSet::new();
        let mut sorted = Vec::new();
        let mut open: Vec<(Oid, CommitRead, usize)> = Vec::new();
        for tip in tips {
            let mut next = Some(*tip);
            loop {
                if let Some(id) = next.take()
                    && met.insert(id)
                    && let Ok(commit) = self.repo.read_commit(id)
                {
                    open.push((id, commit, 0));
                }
                let Some((_, commit, at)) = open.last_mut() else {
                    break;
                };
                match commit.parents.get(*at) {
                    Some(parent) => {
                        next = Some(*parent);
                        *at += 1;
                    }
                    None => sorted.extend(open.pop().map(|(id, commit, _)| (id, commit))),
                }
            }
        }
        sorted
    }

    fn scan_tree(
        &self,
        scanning: &mut Scanning<'_>,
        card: &str,
        tree: Oid,
        folder: &str,
    ) -> anyhow::Result<()> {
        for entry in self.repo.entries(tree)? {
            if folder.is_empty() && carried::is_carried(&entry.name) {
                continue;
            }
            // A submodule's commit is not in this repository.
            if !self.repo.has(entry.oid) || !scanning.seen.insert(entry.oid) {
                continue;
            }
            let path = format!("{folder}{}", entry.name);
            if entry.tree {
                self.scan_tree(scanning, card, entry.oid, &format!("{path}/"))?;
            } else if let Some(bytes) = self.repo.read_file(tree, &entry.name)? {
                scanning.text(card, &path, &bytes);
            }
        }
        Ok(())
    }

    /// What the card carries is looked through where HEAD has something else.
    fn scan_carried(
        &self,
        scanning: &mut Scanning<'_>,
        card: &str,
        commit: &CommitRead,
    ) -> anyhow::Result<()> {
        for file in self.carried_files(commit)? {
            if scanning.seen.insert(file.blob) && self.repo.has(file.blob) {
                let (text, places) = self.secrets_of(&file, scanning.redactor)?;
                scanning.scan.texts += 1;
                scanning.note_places(card, &file.name(), &text, &places);
            }
        }
        Ok(())
    }

    fn scan_notes(&self, scanning: &mut Scanning<'_>) -> anyhow::Result<()> {
        let mut refs = vec![NOTES_REF.to_owned()];
        let fetched = self.repo.refs_under(REMOTE_NOTES)?;
        refs.extend(fetched.into_iter().map(|(name, _)| name));
        for name in refs {
            for note in self.repo.notes(&name)? {
                if scanning.seen.insert(note.blob) {
                    scanning.note(&note.object.to_string(), &note.text);
                }
            }
        }
        Ok(())
    }
}

/// A scan under way.
struct Scanning<'s> {
    redactor: &'s Redactor,
    /// Blobs and trees that have been looked through.
    seen: HashSet<Oid>,
    scan: Scan,
}

impl Scanning<'_> {
    fn text(&mut self, card: &str, file: &str, bytes: &[u8]) {
        if bytes.len() > TEXT_BYTES_MAX || bytes.contains(&0) {
            return;
        }
        self.scan.texts += 1;
        let text = String::from_utf8_lossy(bytes);
        self.note_places(card, file, &text, &self.redactor.places(&text));
    }

    fn note_places(&mut self, card: &str, file: &str, text: &str, places: &[Found]) {
        let secrets = lines(text, places).map(|(line, kind)| Secret {
            card: card.to_owned(),
            file: file.to_owned(),
            line,
            kind,
        });
        self.scan.secrets.extend(secrets);
    }

    /// A note has one line a card, with the card's id in front; any other line belongs to the commit that it is on.
    fn note(&mut self, commit: &str, bytes: &[u8]) {
        self.scan.texts += 1;
        let text = String::from_utf8_lossy(bytes);
        let places = self.redactor.places(&text);
        for (line, kind) in lines(&text, &places) {
            let words = text.lines().nth(line - 1).unwrap_or_default();
            let first = words.split(' ').next().unwrap_or_default();
            let named = Oid::from_hex(first.as_bytes()).is_ok();
            self.scan.secrets.push(Secret {
                card: if named { first } else { commit }.to_owned(),
                file: NOTES.to_owned(),
                line,
                kind,
            });
        }
    }
}

/// The line and the kind of each secret in a text.
fn lines(text: &str, places: &[Found]) -> impl Iterator<Item = (usize, &'static str)> {
    let line = |start: usize| text[..start].matches('\n').count() + 1;
    places.iter().map(move |one| (line(one.start), one.kind))
}
