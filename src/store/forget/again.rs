//! What was forgotten once, in chains and notes that came from elsewhere: the same is left out again.

use std::collections::{HashMap, HashSet};

use super::{Rewriting, What};
use crate::git::{Oid, Swap};
use crate::store::Store;
use crate::store::layout;

/// What was forgotten before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Before {
    /// Each card that is gone or was written anew, with what stands in its place.
    pub(crate) cards: HashMap<Oid, Option<Oid>>,
    /// Decisions that went with them.
    pub(crate) decisions: HashSet<String>,
}

/// What became of a card that was forgotten or written anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Gone,
    Anew(Oid),
}

impl Before {
    /// Where several rounds of forgetting have left a card; none for one that was not touched.
    pub(super) fn fate(&self, id: Oid) -> Option<Fate> {
        let (mut at, mut fate) = (id, None);
        // Each round makes other ids, so this ends; a broken ledger must not make it endless.
        for _ in 0..=self.cards.len() {
            match self.cards.get(&at) {
                None => return fate,
                Some(None) => return Some(Fate::Gone),
                Some(Some(new)) => (at, fate) = (*new, Some(Fate::Anew(*new))),
            }
        }
        None
    }
}

impl Store<'_> {
    /// The chain of `session` with tip `tip` without what was forgotten before, and how many of its cards that were;
    /// none where nothing of the session is left. Writes what has to be written, and moves nothing.
    pub(crate) fn without_forgotten(
        &self,
        before: &Before,
        session: &str,
        tip: Oid,
    ) -> anyhow::Result<(Option<Oid>, usize)> {
        if before.cards.is_empty() {
            return Ok((Some(tip), 0));
        }
        let commits = self.commits(&[tip]);
        if commits.iter().all(|(id, _)| before.fate(*id).is_none()) {
            return Ok((Some(tip), 0));
        }
        let what = What::Before(before.clone());
        let mut work = Rewriting::new(&what);
        for (id, commit) in commits {
            self.rewrite(&mut work, id, &commit)?;
        }
        let name = layout::ref_name(session);
        Ok((self.new_tip(&work, &name, tip), work.done.gone.len()))
    }

    /// Takes the lines of forgotten cards out of fetched notes; whether there were any. The same notes always become the
    /// same commit, so that merging them twice changes nothing.
    pub(crate) fn clean_notes(&self, before: &Before, name: &str) -> anyhow::Result<bool> {
        let tip = self.repo.find_ref(name)?;
        let Some(old) = tip.filter(|_| !before.cards.is_empty()) else {
            return Ok(false);
        };
        let what = What::Before(before.clone());
        let mut work = Rewriting::new(&what);
        // Of those that were written anew our own notes have the lines, without what was forgotten.
        work.done.gone.extend(before.cards.keys());
        let notes = self.repo.notes(name)?;
        if notes.iter().all(|note| work.note(&note.text) == note.text) {
            return Ok(false);
        }
        let after = notes
            .iter()
            .map(|note| (note.object, work.note(&note.text)));
        let after: Vec<_> = after.filter(|(_, text)| !text.is_empty()).collect();
        let at = self.repo.read_commit(old)?.at;
        let new = self.repo.write_notes(&after, Some(at))?;
        // Where a fetch moved it meanwhile, the next one that looks cleans it.
        Ok(self.repo.swap_ref(name, Some(old), new, "segue: forgot")? == Swap::Done)
    }
}
