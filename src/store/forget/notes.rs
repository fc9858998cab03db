//! Notes without the lines of what is forgotten.

use super::Rewriting;
use crate::git::Oid;
use crate::git::rewrite::Move;
use crate::store::Store;
use crate::store::layout::{NOTES_REF, REMOTE_NOTES};

impl Store<'_> {
    pub(super) fn rewrite_notes(&self, work: &mut Rewriting<'_>) -> anyhow::Result<()> {
        for (name, old) in self.repo.refs_under(REMOTE_NOTES)? {
            let notes = self.repo.notes(&name)?;
            if notes.iter().any(|note| work.note(&note.text) != note.text) {
                work.done.moves.push(Move {
                    name,
                    old,
                    new: None,
                });
            }
        }
        let Some(old) = self.repo.find_ref(NOTES_REF)? else {
            return Ok(());
        };
        let notes = self.repo.notes(NOTES_REF)?;
        let after = notes
            .iter()
            .map(|note| (note.object, work.note(&note.text)));
        let after: Vec<_> = after.filter(|(_, text)| !text.is_empty()).collect();
        let same = notes.iter().map(|note| (note.object, &note.text));
        if same.eq(after.iter().map(|(object, text)| (*object, text))) {
            return Ok(());
        }
        let new = match after.is_empty() {
            true => None,
            false => Some(self.repo.write_notes(&after, None)?),
        };
        work.notes = after;
        let name = NOTES_REF.to_owned();
        work.done.moves.push(Move { name, old, new });
        Ok(())
    }
}

impl Rewriting<'_> {
    /// A note without the lines of forgotten cards and those that hold the text; the ids of the others as they are now.
    pub(super) fn note(&self, text: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(text);
        let mut kept = String::new();
        for line in text.split_inclusive('\n') {
            let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
            let card = Oid::from_hex(first.as_bytes()).ok();
            let is_gone = card.is_some_and(|id| self.done.gone.contains(&id));
            if is_gone || self.what.text().is_some_and(|text| line.contains(text)) {
                continue;
            }
            match card.and_then(|id| self.done.anew.get(&id)) {
                Some(new) => kept.push_str(&format!("{new} {rest}")),
                None => kept.push_str(line),
            }
        }
        kept.into_bytes()
    }
}
