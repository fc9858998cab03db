//! Notes on commits, written as git writes them.
//!
//! Not by `gix::Repository::notes()`: it wants a configured identity and, in 0.90, reads the time zones of the whole
//! machine to stamp its commit.

use anyhow::{Context, bail};
use gix::note::plumbing::State;

use super::{Oid, Repo, Swap};

/// How often a note is tried while others write notes too.
const NOTE_TRIES_MAX: u32 = 50;

impl Repo {
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
            let blob = if after.is_empty() {
                None
            } else {
                Some(self.write_blob(&after)?)
            };
            let objects = &self.inner.objects;
            let write = |state: &mut State| -> gix::Result<Oid> {
                state.edit(object, blob, objects)?;
                state.write(objects)
            };
            let tree =
                write(&mut state).with_context(|| format!("cannot write the note on {object}"))?;
            let parents: Vec<Oid> = old.into_iter().collect();
            let commit = self.write_commit(tree, &parents, "Notes by git-segue\n")?;
            if self.swap_ref(notes_ref, old, commit, "segue: note")? == Swap::Done {
                return Ok(());
            }
        }
        bail!(
            "cannot write the note on {object}: others moved `{notes_ref}` {NOTE_TRIES_MAX} times"
        )
    }

    fn notes_at(&self, notes_ref: &str) -> anyhow::Result<(Option<Oid>, State)> {
        let tip = self.find_ref(notes_ref)?;
        let tree = match tip {
            Some(tip) => self.read_commit(tip)?.tree,
            None => Oid::empty_tree(self.hash_kind()),
        };
        let state = State::new(tree, &self.inner.objects)
            .with_context(|| format!("cannot read `{notes_ref}`"))?;
        Ok((tip, state))
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
