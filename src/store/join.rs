//! A fetched chain of a session and our own of the same one, made one: ours moves forward where it is behind, and where
//! both grew a commit joins them. Nothing is dropped, and a second look at the same fetched chain changes nothing.
//!
//! Autosaves never travel, since the next one takes their place: a fetched one is passed over, and one of ours at the
//! tip is set upon what came. A join is a pure function of what it joins, its moment too, so that two machines of one
//! person that join the same cards make the same commit; one that both made differently gives way to the fetched one.

use std::collections::HashSet;

use anyhow::bail;

use super::Store;
use super::append::SWAP_TRIES_MAX;
use super::layout::{self, CARD_MD, DECISIONS_MD};
use super::pen::Pen;
use crate::git::{CommitRead, Oid, Swap, TreeEntry};
use crate::handoff::card::Card;
use crate::handoff::decision::united;
use crate::handoff::markdown;
use crate::handoff::session::Kind;

/// How many autosaves may stand on each other at a tip; we leave one.
const AUTOSAVES_MAX: usize = 16;

/// What became of our chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It had all of it.
    Nothing,
    /// It moved forward to this card (hex).
    Forward(String),
    /// Both had grown; this card (hex) joins them.
    Joined(String),
}

/// A commit of a chain with what it says.
struct Link {
    id: Oid,
    commit: CommitRead,
    kind: Kind,
}

/// Two commits of one session.
struct Pair {
    newer: Link,
    older: Link,
}

impl Store<'_> {
    /// Takes the fetched chain with tip `fetched` into our chain of `session` (its ref name). Without a chain of ours
    /// nothing happens: one that was only fetched stays where the fetch put it. `warnings` gets what went wrong beside.
    pub(crate) fn take_in(
        &self,
        session: &str,
        fetched: Oid,
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<Taken> {
        let name = layout::ref_name(session);
        let Some(theirs) = self.last_real(session, fetched)? else {
            return Ok(Taken::Nothing);
        };
        for _ in 0..SWAP_TRIES_MAX {
            let Some(old) = self.tip_id(&name)? else {
                return Ok(Taken::Nothing);
            };
            let ours = self.last_real(session, old)?;
            if let Some(ours) = ours
                && self.repo.is_ancestor(theirs, ours)?
            {
                return Ok(Taken::Nothing);
            }
            let apart = match ours {
                Some(ours) if !self.adds_nothing_to(ours, theirs)? => Some(ours),
                _ => None,
            };
            let joined = apart.is_some();
            let mut pen = self.pen(Kind::Join);
            let base = match apart {
                Some(ours) => self.join(ours, theirs, &mut pen, warnings)?,
                None => theirs,
            };
            // An autosave of ours stands on top of what came.
            let set = || match Some(old) == ours {
                true => Ok(base),
                false => self.set_upon(base, old, ours),
            };
            let new = set()?;
            let log = if joined { "segue: join" } else { "segue: pull" };
            if self.repo.swap_ref(&name, Some(old), new, log)? == Swap::Moved {
                continue;
            }
            self.keep(new, || set().map(|_| ()))?;
            if let Some(ours) = apart {
                self.keep(base, || {
                    self.united(&self.newer_first(ours, theirs)?)?;
                    pen.write_again().map(|_| ())
                })?;
            }
            let new = new.to_string();
            return Ok(if joined {
                Taken::Joined(new)
            } else {
                Taken::Forward(new)
            });
        }
        bail!("cannot move `{name}`: others moved it {SWAP_TRIES_MAX} times")
    }

    /// The newest card, autosaves apart, of a fetched chain that our chain of the session does not have; none where it
    /// has it, or where we have no chain of that session.
    pub(crate) fn new_to_ours(&self, session: &str, fetched: Oid) -> anyhow::Result<Option<Oid>> {
        let name = layout::ref_name(session);
        let Some(tip) = self.tip_id(&name)?.filter(|tip| *tip != fetched) else {
            return Ok(None);
        };
        let Some(theirs) = self.last_real(session, fetched)? else {
            return Ok(None);
        };
        let has = match self.last_real(session, tip)? {
            Some(ours) => self.repo.is_ancestor(theirs, ours)?,
            None => false,
        };
        Ok((!has).then_some(theirs))
    }

    /// The newest card of a chain, from a commit on, that is no autosave; none where the session has only autosaves.
    pub(crate) fn last_real(&self, session: &str, tip: Oid) -> anyhow::Result<Option<Oid>> {
        let mut id = tip;
        for _ in 0..AUTOSAVES_MAX {
            let commit = self.repo.read_commit(id)?;
            let trailers = layout::trailers(&commit.message);
            // The first card of a session may stand on another session's.
            if layout::trailer(&trailers, layout::SESSION) != Some(session) {
                return Ok(None);
            }
            if layout::kind_and_trigger(&trailers).0 != Kind::Autosave {
                return Ok(Some(id));
            }
            match commit.parents.first() {
                Some(parent) => id = *parent,
                None => return Ok(None),
            }
        }
        bail!("cannot find the last card of `{session}` under {AUTOSAVES_MAX} autosaves")
    }

    /// Whether `theirs` has all that `ours` says: it goes on from it, or from everything that `ours` only joined.
    fn adds_nothing_to(&self, ours: Oid, theirs: Oid) -> anyhow::Result<bool> {
        if self.repo.is_ancestor(ours, theirs)? {
            return Ok(true);
        }
        let link = self.read_link(ours)?;
        if link.kind != Kind::Join {
            return Ok(false);
        }
        let mut met: HashSet<Oid> = self.commits(&[theirs]).iter().map(|(id, _)| *id).collect();
        let mut next = vec![ours];
        while let Some(id) = next.pop() {
            if met.insert(id) {
                let link = self.read_link(id)?;
                if link.kind != Kind::Join {
                    return Ok(false);
                }
                next.extend(link.commit.parents);
            }
        }
        let log = self.read_decisions(self.repo.read_commit(theirs)?.tree)?;
        Ok(united([&log, &self.read_decisions(link.commit.tree)?]) == log)
    }

    /// The commit that joins two cards: the newer one with the decisions of both, and it is as old as the newer one.
    fn join(
        &self,
        one: Oid,
        other: Oid,
        pen: &mut Pen<'_>,
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<Oid> {
        let pair = self.newer_first(one, other)?;
        let (tree, mut card) = self.united(&pair)?;
        card.provenance.kind = Kind::Join;
        let message = layout::message(&card);
        let parents = [pair.newer.id, pair.older.id];
        pen.write(
            tree,
            &parents,
            &message,
            Some(pair.newer.commit.at),
            warnings,
        )
    }

    /// An autosave of ours that stood on `below`, set upon `base`: the newer of both with the decisions of both. Gives
    /// `base` itself where that says it all.
    fn set_upon(&self, base: Oid, autosave: Oid, below: Option<Oid>) -> anyhow::Result<Oid> {
        let (base, autosave) = (self.read_link(base)?, self.read_link(autosave)?);
        let base_id = base.id;
        let base_tree = base.commit.tree;
        let mut parents = vec![base_id];
        for parent in &autosave.commit.parents {
            if Some(*parent) != below && !self.repo.is_ancestor(*parent, base_id)? {
                parents.push(*parent);
            }
        }
        let ours_is_newer = autosave.commit.at > base.commit.at;
        let pair = if ours_is_newer {
            Pair {
                newer: autosave,
                older: base,
            }
        } else {
            Pair {
                newer: base,
                older: autosave,
            }
        };
        let (tree, mut card) = self.united(&pair)?;
        if tree == base_tree && parents.len() == 1 {
            return Ok(base_id);
        }
        card.provenance.kind = Kind::Autosave;
        let message = layout::message(&card);
        self.repo
            .write_commit_at(tree, &parents, &message, pair.newer.commit.at)
    }

    /// The newer card with the decisions of both, and its tree: as it stands but for what shows decisions, so that what
    /// a later version put beside is kept.
    fn united(&self, Pair { newer, older }: &Pair) -> anyhow::Result<(Oid, Card)> {
        let mut card = self.decode(&newer.commit)?;
        let other = self.read_decisions(older.commit.tree)?;
        let decisions = united([&card.decisions, &other]);
        if decisions == card.decisions {
            return Ok((newer.commit.tree, card));
        }
        card.decisions = decisions;
        let mut entries = self.repo.entries(newer.commit.tree)?;
        entries.retain(|entry| entry.name != CARD_MD && entry.name != DECISIONS_MD);
        for (name, text) in [
            (CARD_MD, markdown::card(&card)),
            (DECISIONS_MD, card.decisions.render()),
        ] {
            entries.push(TreeEntry {
                name: name.to_owned(),
                oid: self.repo.write_blob(text.as_bytes())?,
                tree: false,
            });
        }
        Ok((self.repo.write_tree(entries)?, card))
    }

    /// The newer one first; of two of the same second, by id, so that every machine sees the same order.
    fn newer_first(&self, one: Oid, other: Oid) -> anyhow::Result<Pair> {
        let (one, other) = (self.read_link(one)?, self.read_link(other)?);
        Ok(if (one.commit.at, one.id) >= (other.commit.at, other.id) {
            Pair {
                newer: one,
                older: other,
            }
        } else {
            Pair {
                newer: other,
                older: one,
            }
        })
    }

    fn read_link(&self, id: Oid) -> anyhow::Result<Link> {
        let commit = self.repo.read_commit(id)?;
        let (kind, _) = layout::kind_and_trigger(&layout::trailers(&commit.message));
        Ok(Link { id, commit, kind })
    }
}
