//! Putting a card on its session's chain: objects first, then the ref by compare-and-swap, then the note.

use anyhow::{Context, bail};

use super::layout::{
    self, CARD_JSON, CARD_MD, CENSUS_JSON, DECISIONS_MD, INDEX, SUMMARY_MD, WORKTREE,
};
use super::{Appended, Store, wire};
use crate::git::{CommitRead, Oid, Swap, TreeEntry};
use crate::handoff::card::Card;
use crate::handoff::decision::DecisionLog;
use crate::handoff::markdown;
use crate::handoff::session::Kind;

/// How often a card is put on a chain that others move at the same time.
pub(super) const SWAP_TRIES_MAX: u32 = 50;
/// How far back a link to another session's card is looked for before it is made, in cards.
const LINK_SEARCH_CARDS_MAX: usize = 1_000;

/// A chain's tip as far as a new card needs it.
struct Tip {
    id: Oid,
    commit: CommitRead,
    kind: Kind,
    decisions: DecisionLog,
}

impl Store<'_> {
    /// Commits a card on top of its session's chain and moves the ref by compare-and-swap, with retries. An autosave
    /// at the tip is replaced; decisions at the tip that the card does not know are carried forward. `parent_card` is
    /// another session's card (hex) that the chain goes on from: the first parent of a first card, the second parent
    /// of a later one. A real card also gets its line in the note on the recorded HEAD.
    ///
    /// The same content as the tip's makes no commit, whatever kind and trigger it has, but for one case: a real card
    /// takes the place of an autosave that says the same.
    pub(crate) fn append(
        &self,
        card: &Card,
        parent_card: Option<&str>,
    ) -> anyhow::Result<Appended> {
        let name = layout::ref_name(card.provenance.session.ref_name());
        let mut card = card.clone();
        let mut warnings = Vec::new();
        let link = self.link(&mut card, parent_card, &mut warnings);
        let mut pen = self.pen(card.provenance.kind);
        for _ in 0..SWAP_TRIES_MAX {
            let old = self.tip_id(&name)?;
            let tip = old.and_then(|id| self.look_at_tip(id, &mut warnings));
            if let Some(tip) = &tip {
                card.decisions.unite(&tip.decisions);
            }
            let tree = self.write_card_tree(&card)?;
            if let Some(tip) = &tip
                && tip.commit.tree == tree
                && (tip.kind != Kind::Autosave || card.provenance.kind == Kind::Autosave)
            {
                return Ok(Appended {
                    id: tip.id.to_string(),
                    written: false,
                    warnings,
                });
            }
            let parents = self.parents(tip.as_ref(), link);
            let message = layout::message(&card);
            let id = pen.write(tree, &parents, &message, None, &mut warnings)?;
            let log = format!("segue: {}", card.provenance.kind.as_str());
            if self.repo.swap_ref(&name, old, id, &log)? == Swap::Moved {
                continue;
            }
            let lost = self.without_lost_work(&mut card, id, &parents, &mut pen, &mut warnings)?;
            let id = lost.unwrap_or(id);
            self.keep(id, || {
                self.write_card_tree(&card)?;
                pen.write_again().map(|_| ())
            })?;
            self.note(&card, id, None, &mut warnings);
            if card.provenance.kind == Kind::Card {
                self.repo.sweep_temporary_objects();
            }
            return Ok(Appended {
                id: id.to_string(),
                written: true,
                warnings,
            });
        }
        bail!("cannot move `{name}`: others moved it {SWAP_TRIES_MAX} times")
    }

    /// The card of another session that this one goes on from; its decisions join the card's. One that is not there
    /// costs a warning, not the card.
    fn link(
        &self,
        card: &mut Card,
        parent_card: Option<&str>,
        warnings: &mut Vec<String>,
    ) -> Option<Oid> {
        let id = parent_card?;
        let read = Oid::from_hex(id.as_bytes())
            .context("it is no id")
            .and_then(|oid| Ok((oid, self.read_decisions(self.repo.read_commit(oid)?.tree)?)));
        match read {
            Ok((oid, decisions)) => {
                card.decisions.unite(&decisions);
                Some(oid)
            }
            Err(err) => {
                warnings.push(format!("cannot go on from card `{id}`: {err:#}"));
                None
            }
        }
    }

    /// The tip, or none with a warning where it cannot be read: then a new chain begins, since a parent that is not
    /// there would make the repository unsound.
    fn look_at_tip(&self, id: Oid, warnings: &mut Vec<String>) -> Option<Tip> {
        let look = || -> anyhow::Result<Tip> {
            let commit = self.repo.read_commit(id)?;
            let decisions = self.read_decisions(commit.tree)?;
            let (kind, _) = layout::kind_and_trigger(&layout::trailers(&commit.message));
            Ok(Tip {
                id,
                commit,
                kind,
                decisions,
            })
        };
        match look() {
            Ok(tip) => Some(tip),
            Err(err) => {
                warnings.push(format!(
                    "a new chain begins, the old tip is broken: {err:#}"
                ));
                None
            }
        }
    }

    /// Parents of a new card: the tip, or those of the autosave that it replaces; and the card that is taken up,
    /// unless the chain has it already.
    fn parents(&self, tip: Option<&Tip>, link: Option<Oid>) -> Vec<Oid> {
        let mut parents = match tip {
            None => Vec::new(),
            Some(tip) if tip.kind == Kind::Autosave => tip.commit.parents.clone(),
            Some(tip) => vec![tip.id],
        };
        if let Some(link) = link
            && !parents.contains(&link)
            && !self.is_linked(parents.first().copied(), link)
        {
            parents.push(link);
        }
        parents
    }

    /// Whether a card of the chain below `from` goes on from `link` already.
    fn is_linked(&self, from: Option<Oid>, link: Oid) -> bool {
        let mut next = from;
        for _ in 0..LINK_SEARCH_CARDS_MAX {
            let Some(commit) = next.and_then(|id| self.repo.read_commit(id).ok()) else {
                return false;
            };
            if commit.parents.contains(&link) {
                return true;
            }
            next = commit.parents.first().copied();
        }
        false
    }

    /// Writes the tree of a card: the same content gives the same id.
    pub(super) fn write_card_tree(&self, card: &Card) -> anyhow::Result<Oid> {
        let mut files = vec![
            (CARD_JSON, wire::encode_card(card)?),
            (CARD_MD, markdown::card(card).into_bytes()),
            (DECISIONS_MD, card.decisions.render().into_bytes()),
        ];
        if let Some(census) = &card.census {
            files.push((CENSUS_JSON, wire::encode_census(census)?));
        }
        if let Some(summary) = &card.summary {
            files.push((SUMMARY_MD, summary.clone().into_bytes()));
        }
        let mut entries = Vec::new();
        for (name, bytes) in files {
            entries.push(TreeEntry {
                name: name.to_owned(),
                oid: self.repo.write_blob(&bytes)?,
                tree: false,
            });
        }
        let carried = card.census.as_ref().and_then(|one| one.carried.as_ref());
        for (name, tree) in carried.into_iter().flat_map(|carried| {
            let trees = [
                (WORKTREE, Some(&carried.tree)),
                (INDEX, carried.index.as_ref()),
            ];
            trees
                .into_iter()
                .filter_map(|(name, tree)| Some((name, tree?)))
        }) {
            entries.push(TreeEntry {
                name: name.to_owned(),
                oid: Oid::from_hex(tree.as_bytes()).context("a carried tree has no id")?,
                tree: true,
            });
        }
        self.repo.write_tree(entries)
    }

    /// Adds the card's line to the note on the commit that it was written at; the line of the card that it replaced goes.
    pub(super) fn note(
        &self,
        card: &Card,
        id: Oid,
        replaced: Option<Oid>,
        warnings: &mut Vec<String>,
    ) {
        let head = card.census.as_ref().and_then(|census| census.head.as_ref());
        let Some(head) = head.filter(|_| card.provenance.kind == Kind::Card) else {
            return;
        };
        let line = layout::note_line(card, &id.to_string());
        let noted = Oid::from_hex(head.as_bytes())
            .context("it is no id")
            .and_then(|head| {
                let gone = replaced.map(|id| format!("{id} "));
                let add = |before: &[u8]| match &gone {
                    Some(gone) => with_line(&without_lines(before, gone.as_bytes()), &line),
                    None => with_line(before, &line),
                };
                self.repo.change_note(layout::NOTES_REF, head, add)
            });
        if let Err(err) = noted {
            warnings.push(format!("no note on commit `{head}`: {err:#}"));
        }
    }

    pub(super) fn read_decisions(&self, tree: Oid) -> anyhow::Result<DecisionLog> {
        let text = self.repo.read_file(tree, DECISIONS_MD)?.unwrap_or_default();
        Ok(DecisionLog::parse(&String::from_utf8_lossy(&text)))
    }
}

/// A note without the lines that begin so.
fn without_lines(before: &[u8], start: &[u8]) -> Vec<u8> {
    let lines = before.split_inclusive(|byte| *byte == b'\n');
    lines
        .filter(|line| !line.starts_with(start))
        .flatten()
        .copied()
        .collect()
}

/// A note with one more line; one that it has already is not added again.
fn with_line(before: &[u8], line: &str) -> Vec<u8> {
    let mut after = before.to_owned();
    if before
        .split(|byte| *byte == b'\n')
        .any(|one| one == line.as_bytes())
    {
        return after;
    }
    if !after.is_empty() && !after.ends_with(b"\n") {
        after.push(b'\n');
    }
    after.extend_from_slice(line.as_bytes());
    after.push(b'\n');
    after
}
