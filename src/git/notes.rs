//! Notes on commits, written as git writes them.
//!
//! Not by `gix::Repository::notes()`: it wants a configured identity and, in 0.90, reads the time zones of the whole
//! machine to stamp its commit.

use anyhow::{Context, bail};
use gix::note::plumbing::State;

use super::{Oid, Repo, Swap};

/// How often a note is tried while others write notes too.
const NOTE_TRIES_MAX: u32 = 50;

/// A note as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    /// What it is on.
    pub(crate) object: Oid,
    /// Its blob.
    pub(crate) blob: Oid,
    /// What it says.
    pub(crate) text: Vec<u8>,
}

impl Repo {
    /// Every note of a notes ref; none where there is no such ref.
    pub(crate) fn notes(&self, notes_ref: &str) -> anyhow::Result<Vec<Note>> {
        let mut notes = Vec::new();
        if let Some(tip) = self.find_ref(notes_ref)? {
            let tree = self.read_commit(tip)?.tree;
            self.notes_below(tree, "", &mut notes)
                .with_context(|| format!("cannot read `{notes_ref}`"))?;
        }
        Ok(notes)
    }

    /// The folders of a notes tree and a note's name in the last one make up the id that the note is on.
    fn notes_below(&self, tree: Oid, above: &str, notes: &mut Vec<Note>) -> anyhow::Result<()> {
        for entry in self.entries(tree)? {
            let name = format!("{above}{}", entry.name);
            if entry.tree {
                self.notes_below(entry.oid, &name, notes)?;
            } else if let Ok(object) = Oid::from_hex(name.as_bytes()) {
                let text = self.read_file(tree, &entry.name)?.unwrap_or_default();
                notes.push(Note {
                    object,
                    blob: entry.oid,
                    text,
                });
            }
        }
        Ok(())
    }

    /// Replaces the note on `object` by what `change` makes of it, with retries while others write; an empty text
    /// removes it. A text that stays as it is writes nothing.
    pub(crate) fn change_note(
        &self,
        notes_ref: &str,
        object: Oid,
        change: impl Fn(&[u8]) -> Vec<u8>,
    ) -> anyhow::Result<()> {
        for _ in 0..NOTE_TRIES_MAX {
            let (old, mut state) = self.notes_at(notes_ref)?;
            let before = self.note_in(&mut state, object)?.unwrap_or_default();
            let after = change(&before);
            if after == before {
                return Ok(());
            }
            let commit = self.write_note(old, &mut state, object, &after)?;
            if self.swap_ref(notes_ref, old, commit, "segue: note")? == Swap::Moved {
                continue;
            }
            // A `git gc --prune=now` may have taken what no ref held before.
            let stands = |repo: &Self| -> anyhow::Result<bool> {
                let mut state = State::new(repo.read_commit(commit)?.tree, &repo.inner.objects)?;
                Ok(repo.note_in(&mut state, object)?.unwrap_or_default() == after)
            };
            if !stands(self).unwrap_or(false) {
                let (_, mut state) = self.notes_from(old)?;
                self.write_note(old, &mut state, object, &after)?;
            }
            return Ok(());
        }
        bail!(
            "cannot write the note on {object}: others moved `{notes_ref}` {NOTE_TRIES_MAX} times"
        )
    }

    /// The commit of notes in which `object` has this one; an empty text removes it.
    fn write_note(
        &self,
        old: Option<Oid>,
        state: &mut State,
        object: Oid,
        text: &[u8],
    ) -> anyhow::Result<Oid> {
        let blob = match text {
            b"" => None,
            text => Some(self.write_blob(text)?),
        };
        let objects = &self.inner.objects;
        let mut write = || -> gix::Result<Oid> {
            state.edit(object, blob, objects)?;
            state.write(objects)
        };
        let tree = write().with_context(|| format!("cannot write the note on {object}"))?;
        let parents: Vec<Oid> = old.into_iter().collect();
        self.write_commit(tree, &parents, "Notes by git-segue\n")
    }

    fn notes_at(&self, notes_ref: &str) -> anyhow::Result<(Option<Oid>, State)> {
        self.notes_from(self.find_ref(notes_ref)?)
            .with_context(|| format!("cannot read `{notes_ref}`"))
    }

    fn notes_from(&self, tip: Option<Oid>) -> anyhow::Result<(Option<Oid>, State)> {
        let tree = match tip {
            Some(tip) => self.read_commit(tip)?.tree,
            None => Oid::empty_tree(self.hash_kind()),
        };
        Ok((tip, State::new(tree, &self.inner.objects)?))
    }

    fn note_in(&self, state: &mut State, object: Oid) -> anyhow::Result<Option<Vec<u8>>> {
        let mut read = || -> gix::Result<Option<Vec<u8>>> {
            match state.get(&object, &self.inner.objects)? {
                Some(blob) => Ok(Some(self.inner.find_blob(blob)?.detach().data)),
                None => Ok(None),
            }
        };
        read().with_context(|| format!("cannot read the note on {object}"))
    }
}
