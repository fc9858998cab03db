//! A census with the uncommitted work that the card carries.

use std::time::Duration;

use anyhow::Context as _;

use crate::carry;
use crate::census;
use crate::deadline::Deadline;
use crate::git::content::Changed;
use crate::git::{Oid, Repo};
use crate::handoff::carried::Carried;
use crate::handoff::census::{Census, FILTER_HANGS};
use crate::handoff::redact::Redactor;

/// What gathering the work tree may take of a save's time, beside the census.
const CARRY_TIME_MAX: Duration = Duration::from_secs(5);

/// Whether a card carries the uncommitted work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carry {
    /// It does not.
    No,
    /// It would: the card says what, and nothing is stored.
    Count,
    /// It does.
    Yes,
}

impl Carry {
    /// As `segue.carryWorktree` says.
    pub(crate) fn wished(wish: bool) -> Self {
        if wish { Self::Yes } else { Self::No }
    }
}

/// A census, and what the card carries. Work that cannot be carried costs a line in the census, not the card. `known` is
/// what the card before carried.
pub(super) fn census(
    repo: &Repo,
    command: Option<&str>,
    redactor: &Redactor,
    known: Option<&Carried>,
    carry: Carry,
    deadline: Deadline,
) -> Census {
    let time = deadline.at_most(super::CENSUS_TIME_MAX);
    if repo.workdir().is_none() {
        return census::take(repo, command, time);
    }
    let (mut census, changes) = census::take_with_changes(repo, command, time);
    let work = Gathering {
        head: census.head.clone(),
        known: known.cloned(),
        redactor: redactor.clone(),
        carry,
        deadline: deadline.at_most(CARRY_TIME_MAX),
    };
    let carried = changes.and_then(|changes| work.run_in_time(repo, changes));
    match carried {
        Ok(carried) => census.carried = carried,
        Err(err) => census
            .cut
            .push(format!("the work tree is not carried: {err:#}")),
    }
    census
}

struct Gathering {
    head: Option<String>,
    known: Option<Carried>,
    redactor: Redactor,
    carry: Carry,
    deadline: Deadline,
}

impl Gathering {
    /// By the deadline, also where a filter of the person's does not end.
    fn run_in_time(self, repo: &Repo, changes: Vec<Changed>) -> anyhow::Result<Option<Carried>> {
        if !repo.runs_filters() {
            return self.run(repo, &changes);
        }
        let (deadline, again) = (self.deadline, repo.again());
        let ended = deadline.wait_for(move || self.run(&again, &changes));
        ended.context(FILTER_HANGS)?
    }

    fn run(&self, repo: &Repo, changes: &[Changed]) -> anyhow::Result<Option<Carried>> {
        let head = self.head.as_deref();
        let ground = carry::Ground {
            repo,
            head: head.map(|id| Oid::from_hex(id.as_bytes())).transpose()?,
            redactor: &self.redactor,
            store: match self.carry {
                Carry::Yes => carry::Store::Yes,
                Carry::No | Carry::Count => carry::Store::No,
            },
            known: self.known.as_ref(),
            deadline: self.deadline,
        };
        carry::gather(&ground, changes)
    }
}
