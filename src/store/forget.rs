//! Forgetting: chains are written anew without a card, or without a text.
//!
//! A forgotten card's children get its parents, with their own moments and messages. A decision that came into the
//! world with a forgotten card goes from the later ones too, unless another line of the chain brought it; that a
//! decision was taken back stays. Where a text is forgotten, each claim and each decision that holds it goes, elsewhere
//! on a card it is replaced by [`MARK`]; a card that still holds it then goes whole.

use std::collections::{HashMap, HashSet};

use anyhow::bail;

use super::Store;
use super::carried;
use super::layout::{self, NOTES_REF, REFS, REMOTE_REFS};
use crate::git::rewrite::Move;
use crate::git::{CommitRead, Oid, TreeEntry};
use crate::handoff::card::{Card, Continues};
use crate::handoff::session::SessionId;
use again::{Before, Fate};
use text::{MARK, contains, spellings, strip};

pub(crate) mod again;
mod notes;
mod text;

/// How often chains are written anew while somebody takes their objects away.
const REWRITE_TRIES_MAX: u32 = 3;

/// What is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// One card, by its id in hex.
    Card(String),
    /// Every card of a session, by its ref name.
    Session(String),
    /// A text, wherever it stands.
    Text(String),
    /// What was forgotten before.
    Before(Before),
}

/// What is different once it is forgotten.
#[derive(Debug, Clone, Default)]
pub(crate) struct Forgetting {
    /// The cards that are gone, by their ids.
    pub(crate) gone: Vec<Oid>,
    /// The cards that are written anew: what stands in the place of each.
    pub(crate) anew: HashMap<Oid, Oid>,
    /// How many cards are, or would be, written anew.
    pub(crate) touched: usize,
    /// The words of decisions that are gone from later cards, by their ids.
    pub(crate) decisions: HashMap<String, String>,
    /// The refs that move.
    pub(crate) moves: Vec<Move>,
}

/// The commits of every chain, and what became of those looked at so far.
struct Rewriting<'w> {
    what: &'w What,
    logs: HashMap<Oid, HashSet<String>>,
    /// The decisions that a card still has.
    surviving: HashMap<Oid, HashSet<String>>,
    /// What a child has in the place of a parent.
    places: HashMap<Oid, Vec<Oid>>,
    holding: HashMap<Oid, bool>,
    /// The notes as they were written anew.
    notes: Vec<(Oid, Vec<u8>)>,
    done: Forgetting,
}

impl Store<'_> {
    /// What forgetting would do: writes nothing, and moves nothing.
    pub(crate) fn would_forget(&self, what: &What) -> anyhow::Result<Forgetting> {
        let mut work = Rewriting::new(what);
        let mut touched = HashSet::new();
        for (id, commit) in self.commits(&self.all_tips(&[REFS])?) {
            let is_gone = what.is_gone(id, &commit);
            let holds = !is_gone && self.says(&mut work, &commit)?;
            if is_gone {
                work.done.gone.push(id);
            }
            if is_gone || holds || commit.parents.iter().any(|one| touched.contains(one)) {
                touched.insert(id);
            }
        }
        work.done.touched = touched.len() - work.done.gone.len();
        Ok(work.done)
    }

    /// Writes the chains anew and moves their refs, all or none. Fetched refs that still reach a forgotten card are
    /// deleted, and the notes lose their history where they lose a line.
    pub(crate) fn forget(&self, what: &What) -> anyhow::Result<Forgetting> {
        let refs = self.repo.refs_under(REFS)?;
        let tips: Vec<Oid> = refs.iter().map(|(_, id)| *id).collect();
        let mut work = self.rewriting(what, &tips)?;
        for (name, old) in refs {
            let new = self.new_tip(&work, &name, old);
            if new != Some(old) {
                work.done.moves.push(Move { name, old, new });
            }
        }
        self.drop_fetched(&mut work)?;
        self.rewrite_notes(&mut work)?;
        work.done.touched = work.done.anew.len();
        self.repo.move_refs(&work.done.moves, "segue: forgot")?;
        // No ref held the new commits before: a `git gc --prune=now` may have taken some of them.
        for _ in 0..REWRITE_TRIES_MAX {
            if self.stands(&work) {
                return Ok(work.done);
            }
            self.rewriting(what, &tips)?;
            if !work.notes.is_empty() {
                self.repo.write_notes(&work.notes, None)?;
            }
        }
        bail!("cannot keep the cards that were written anew: another process removes their objects")
    }

    /// Writes every commit that `tips` reach anew where that is needed; moves nothing.
    fn rewriting<'w>(&self, what: &'w What, tips: &[Oid]) -> anyhow::Result<Rewriting<'w>> {
        let mut work = Rewriting::new(what);
        for (id, commit) in self.commits(tips) {
            self.rewrite(&mut work, id, &commit)?;
        }
        Ok(work)
    }

    /// Whether all that was written anew is there.
    fn stands(&self, work: &Rewriting<'_>) -> bool {
        let moves = work.done.moves.iter();
        let notes = moves
            .clone()
            .any(|one| one.name == NOTES_REF && one.new.is_some());
        if notes && self.repo.notes(NOTES_REF).is_err() {
            return false;
        }
        work.done.anew.values().all(|id| self.is_whole(*id))
    }

    fn rewrite(
        &self,
        work: &mut Rewriting<'_>,
        id: Oid,
        commit: &CommitRead,
    ) -> anyhow::Result<()> {
        if let Some(new) = work.what.anew(id).filter(|new| self.repo.has(*new)) {
            self.inherit(work, id, commit);
            work.places.insert(id, vec![new]);
            work.done.anew.insert(id, new);
            return Ok(());
        }
        let holds = self.says(work, commit)?;
        let mut parents: Vec<Oid> = Vec::new();
        for parent in &commit.parents {
            for place in work.place(*parent) {
                if !parents.contains(&place) {
                    parents.push(place);
                }
            }
        }
        self.inherit(work, id, commit);
        if work.what.is_gone(id, commit) {
            work.drop(id, commit, parents);
            return Ok(());
        }
        if !holds && parents == commit.parents {
            return Ok(());
        }
        let (tree, message) = match self.read_card(id, commit) {
            Ok(stored) => self.changed(work, id, commit, stored.card)?,
            Err(_) => (commit.tree, commit.message.clone()),
        };
        let new = self.repo.rewrite_commit(id, tree, &parents, &message)?;
        if holds && self.says(work, &self.repo.read_commit(new)?)? {
            work.drop(id, commit, parents);
            return Ok(());
        }
        work.places.insert(id, vec![new]);
        work.done.anew.insert(id, new);
        Ok(())
    }

    /// Notes which decisions a card keeps: those that one of its parents keeps, and those that it brought itself.
    fn inherit(&self, work: &mut Rewriting<'_>, id: Oid, commit: &CommitRead) {
        let log = self.read_decisions(commit.tree).unwrap_or_default();
        let all: HashSet<String> = log.all().iter().map(|one| one.id.clone()).collect();
        let of = |map: &HashMap<Oid, HashSet<String>>, id: &String| {
            let mut logs = commit.parents.iter().filter_map(|one| map.get(one));
            logs.any(|log| log.contains(id))
        };
        let gone = work.what.is_gone(id, commit);
        let keeps = |one: &&String| match work.what {
            What::Before(before) => !before.decisions.contains(*one),
            _ => of(&work.surviving, one) || (!gone && !of(&work.logs, one)),
        };
        let kept: HashSet<String> = all.iter().filter(keeps).cloned().collect();
        for one in log.all().iter().filter(|one| !kept.contains(&one.id)) {
            work.done.decisions.insert(one.id.clone(), one.what.clone());
        }
        work.surviving.insert(id, kept);
        work.logs.insert(id, all);
    }

    /// The tree and message of a card without what is forgotten; files that we do not know stay.
    fn changed(
        &self,
        work: &mut Rewriting<'_>,
        id: Oid,
        commit: &CommitRead,
        mut card: Card,
    ) -> anyhow::Result<(Oid, String)> {
        let before = card.clone();
        if let Some(on) = &card.provenance.continues {
            card.provenance.continues = self.continues(work, on);
        }
        let kept = work.surviving.get(&id).cloned().unwrap_or_default();
        let text = work.what.text();
        card.decisions.retain(
            |one| kept.contains(&one.id),
            |line| text.is_none_or(|text| !line.contains(text)),
        );
        if let Some(text) = text {
            strip(&mut card, text);
            let spellings = spellings(text);
            self.without_text(&mut card, commit, |bytes| {
                spellings.iter().any(|one| contains(bytes, one))
            })?;
            let still: HashSet<&String> = card.decisions.all().iter().map(|one| &one.id).collect();
            for one in before
                .decisions
                .all()
                .iter()
                .filter(|one| !still.contains(&one.id))
            {
                work.done.decisions.insert(one.id.clone(), MARK.to_owned());
            }
        }
        if card == before {
            return Ok((commit.tree, commit.message.clone()));
        }
        let ours = self.repo.entries(self.write_card_tree(&card)?)?;
        let is_ours = |name: &str| layout::FILES.contains(&name);
        let old = self.repo.entries(commit.tree)?;
        let others = old.into_iter().filter(|entry| !is_ours(&entry.name));
        let entries: Vec<TreeEntry> = ours.into_iter().chain(others).collect();
        Ok((self.repo.write_tree(entries)?, layout::message(&card)))
    }

    /// The card that is gone on from, where it stands now.
    fn continues(&self, work: &Rewriting<'_>, on: &Continues) -> Option<Continues> {
        let old = Oid::from_hex(on.card.as_bytes()).ok()?;
        let new = work.place(old).first().copied()?;
        let commit = self.repo.read_commit(new).ok()?;
        let trailers = layout::trailers(&commit.message);
        let session = layout::trailer(&trailers, layout::SESSION)?;
        Some(Continues {
            session: if session == on.session.ref_name() {
                on.session.clone()
            } else {
                SessionId::from_ref_name(session)
            },
            card: new.to_string(),
        })
    }

    /// Where a chain's ref is to point: nowhere when no card of its own session is left.
    fn new_tip(&self, work: &Rewriting<'_>, name: &str, old: Oid) -> Option<Oid> {
        let new = work.place(old).first().copied()?;
        let is_dropped = !work.done.anew.contains_key(&old) && new != old;
        let commit = self.repo.read_commit(new).ok()?;
        let trailers = layout::trailers(&commit.message);
        let session = layout::trailer(&trailers, layout::SESSION).unwrap_or_default();
        (!is_dropped || name.strip_prefix(REFS) == Some(session)).then_some(new)
    }

    fn drop_fetched(&self, work: &mut Rewriting<'_>) -> anyhow::Result<()> {
        for (name, old) in self.repo.refs_under(REMOTE_REFS)? {
            let mut reached = self.commits(&[old]).into_iter();
            let mut stale = false;
            for (id, commit) in reached.by_ref() {
                stale |= work.what.is_gone(id, &commit) || work.places.contains_key(&id);
                stale |= self.says(work, &commit)?;
            }
            if stale {
                work.done.moves.push(Move {
                    name,
                    old,
                    new: None,
                });
            }
        }
        Ok(())
    }

    /// Whether the text that is to be forgotten stands in a commit's message or in a file of its tree.
    fn says(&self, work: &mut Rewriting<'_>, commit: &CommitRead) -> anyhow::Result<bool> {
        let Some(text) = work.what.text() else {
            return Ok(false);
        };
        if commit.message.contains(text) {
            return Ok(true);
        }
        let spellings = spellings(text);
        if self.tree_holds(&mut work.holding, commit.tree, &spellings)? {
            return Ok(true);
        }
        for file in self.carried_files(commit)? {
            let known = work.holding.get(&file.blob).copied();
            let holds = match known {
                Some(holds) => holds,
                None => {
                    let blob = self.repo.without_refs().find_object(file.blob);
                    blob.is_ok_and(|blob| spellings.iter().any(|one| contains(&blob.data, one)))
                }
            };
            work.holding.insert(file.blob, holds);
            if holds
                || spellings
                    .iter()
                    .any(|one| contains(file.name().as_bytes(), one))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn tree_holds(
        &self,
        holding: &mut HashMap<Oid, bool>,
        tree: Oid,
        spellings: &[Vec<u8>],
    ) -> anyhow::Result<bool> {
        for entry in self.repo.entries(tree)? {
            if entry.tree && carried::is_carried(&entry.name) {
                continue;
            }
            let known = holding.get(&entry.oid).copied();
            let holds = match known {
                Some(holds) => holds,
                None if !self.repo.has(entry.oid) => false,
                None if entry.tree => self.tree_holds(holding, entry.oid, spellings)?,
                None => {
                    let bytes = self.repo.read_file(tree, &entry.name)?.unwrap_or_default();
                    spellings.iter().any(|one| contains(&bytes, one))
                }
            };
            holding.insert(entry.oid, holds);
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl What {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Card(_) | Self::Session(_) | Self::Before(_) => None,
        }
    }

    /// What stands in the place of a card that was written anew before.
    fn anew(&self, id: Oid) -> Option<Oid> {
        match self {
            Self::Before(before) => match before.fate(id)? {
                Fate::Anew(new) => Some(new),
                Fate::Gone => None,
            },
            _ => None,
        }
    }

    fn is_gone(&self, id: Oid, commit: &CommitRead) -> bool {
        match self {
            Self::Card(card) => Oid::from_hex(card.as_bytes()).is_ok_and(|card| card == id),
            Self::Session(session) => {
                let trailers = layout::trailers(&commit.message);
                layout::trailer(&trailers, layout::SESSION) == Some(session)
            }
            Self::Text(_) => false,
            Self::Before(before) => before.fate(id) == Some(Fate::Gone),
        }
    }
}

impl<'w> Rewriting<'w> {
    fn new(what: &'w What) -> Self {
        Self {
            what,
            logs: HashMap::new(),
            surviving: HashMap::new(),
            places: HashMap::new(),
            holding: HashMap::new(),
            notes: Vec::new(),
            done: Forgetting::default(),
        }
    }

    fn place(&self, id: Oid) -> Vec<Oid> {
        self.places.get(&id).cloned().unwrap_or_else(|| vec![id])
    }

    fn drop(&mut self, id: Oid, commit: &CommitRead, parents: Vec<Oid>) {
        let of = commit
            .parents
            .iter()
            .filter_map(|one| self.surviving.get(one));
        let kept = of.flatten().cloned().collect();
        self.surviving.insert(id, kept);
        self.places.insert(id, parents);
        self.done.gone.push(id);
    }
}
