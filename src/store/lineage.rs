//! Every card that a chain goes back to: its own, those of the sessions that it goes on from, and both sides of a
//! join. Newest first, one commit at a time, and no more of it than its message: that is enough for a list.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::{Glance, Store, layout};
use crate::error::Failure;
use crate::git::{CommitRead, Oid};

/// The walk; see [`Store::lineage`].
pub(crate) struct Lineage<'r> {
    store: Store<'r>,
    /// Cards that have been met, so that each comes once.
    met: HashSet<Oid>,
    /// The parents of the card that came last: read only when the next one is asked for.
    parents: Vec<Oid>,
    waiting: BinaryHeap<Waiting>,
}

/// A card's commit that is known, and still to come.
struct Waiting {
    at: i64,
    /// Of two of the same second, the one met first comes first.
    place: Reverse<usize>,
    id: Oid,
    /// None for one to begin at: its moment is known without reading it.
    commit: Option<CommitRead>,
}

impl<'r> Store<'r> {
    /// Walks from cards (hex id and moment) to all that they go back to. One that is not there is an
    /// error, and the walk goes on with the others.
    pub(crate) fn lineage(
        &self,
        from: impl IntoIterator<Item = (String, i64)>,
    ) -> anyhow::Result<Lineage<'r>> {
        let mut lineage = Lineage {
            store: *self,
            met: HashSet::new(),
            parents: Vec::new(),
            waiting: BinaryHeap::new(),
        };
        for (id, at) in from {
            let id = Oid::from_hex(id.as_bytes())
                .map_err(|_| Failure::no(format!("no card `{id}`: that is no id")))?;
            lineage.meet(id, at, None);
        }
        Ok(lineage)
    }
}

impl Lineage<'_> {
    fn meet(&mut self, id: Oid, at: i64, commit: Option<CommitRead>) {
        if self.met.insert(id) {
            let place = Reverse(self.met.len());
            let waiting = Waiting {
                at,
                place,
                id,
                commit,
            };
            self.waiting.push(waiting);
        }
    }

    fn read(&mut self, id: Oid, commit: Option<CommitRead>) -> anyhow::Result<Glance> {
        let commit = commit.map_or_else(|| self.store.repo.read_commit(id), Ok)?;
        let glance = Glance {
            id: id.to_string(),
            at: commit.at,
            goal: commit.message.lines().next().unwrap_or_default().to_owned(),
            trailers: layout::trailers(&commit.message),
        };
        self.parents = commit.parents;
        Ok(glance)
    }
}

impl Iterator for Lineage<'_> {
    type Item = anyhow::Result<Glance>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(parent) = self.parents.pop() {
            if self.met.contains(&parent) {
                continue;
            }
            match self.store.repo.read_commit(parent) {
                Ok(commit) => self.meet(parent, commit.at, Some(commit)),
                Err(err) => {
                    let end =
                        format!("the chain ends here: card {parent} is not in this repository");
                    return Some(Err(err.context(end)));
                }
            }
        }
        let next = self.waiting.pop()?;
        Some(self.read(next.id, next.commit))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.place).cmp(&(other.at, other.place))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}
