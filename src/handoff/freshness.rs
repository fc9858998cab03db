//! How far the repository has moved since a card was written. Judges facts that others gathered.

use std::collections::BTreeMap;

use super::card::Card;
use super::census::{COUNT_MAX, Census, Commit};
use super::claim::{Evidence, Judged, Verdict};
use super::plain::name;
use super::redact::{self, Redactor};

mod elsewhere;
mod standing;
#[cfg(test)]
mod tests;

const DAY_SECONDS: i64 = 24 * 60 * 60;
/// From this age on a card is no longer fresh.
const FRESH_SECONDS_MAX: i64 = DAY_SECONDS;
/// A card older than this is stale.
const STALE_SECONDS_MIN: i64 = 7 * DAY_SECONDS;
/// A card older than this is very stale.
const VERY_STALE_SECONDS_MIN: i64 = 30 * DAY_SECONDS;
/// More commits than this since the card make it stale.
const SLIGHTLY_STALE_COMMITS_MAX: usize = 5;
/// This many paths are named in the reasons; the rest is counted.
const PATHS_NAMED_MAX: usize = 5;
/// An id in a reason has this many digits.
const SHORT_ID_DIGITS: usize = 10;

/// What a card's age asks of its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Go on.
    Fresh,
    /// Look at what moved.
    SlightlyStale,
    /// Check each claim.
    Stale,
    /// Write a new card.
    VeryStale,
}

impl Level {
    /// As people see it: `FRESH`, `SLIGHTLY_STALE`, `STALE`, `VERY_STALE`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "FRESH",
            Self::SlightlyStale => "SLIGHTLY_STALE",
            Self::Stale => "STALE",
            Self::VeryStale => "VERY_STALE",
        }
    }

    /// What it asks for.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Self::Fresh => "go on",
            Self::SlightlyStale => "look at what moved",
            Self::Stale => "check each claim",
            Self::VeryStale => "write a new card",
        }
    }
}

/// What one claim is worth now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// As it was written.
    Holds,
    /// The content of its path changed.
    Changed(String),
    /// Its path or commit is gone.
    Gone(String),
    /// Its command passed, but files were changed since.
    PassedOnOlderTree(String),
    /// The machine says otherwise.
    Contradicted(String),
    /// Nothing to look at.
    Unchecked,
}

/// How far the repository has moved since a card was written, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Freshness {
    /// The level.
    pub(crate) level: Level,
    /// Why, one short line each, the gravest first.
    pub(crate) reasons: Vec<String>,
    /// The paths named on the card whose content changed or that are gone, in the order of the card.
    pub(crate) moved: Vec<MovedPath>,
    /// Commits that HEAD has and the card's HEAD has not, newest first.
    pub(crate) commits: Vec<Commit>,
    /// Each claim of the card, in its order, with what it is worth now.
    pub(crate) standings: Vec<Standing>,
}

/// A path that moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MovedPath {
    /// Relative to the root.
    pub(crate) path: String,
    /// `changed`, `committed`, `gone`, `new`; `reverted` where an uncommitted change is gone.
    pub(crate) how: String,
}

/// What became of the commit that a card was written at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeadFate {
    /// It is still HEAD.
    Same,
    /// HEAD is ahead of it.
    Ancestor,
    /// It is there, but HEAD does not reach it any more.
    LeftBehind,
    /// It is gone.
    Gone,
    /// The card was written in another repository, and its commit never came here.
    NotHere,
    /// Time ran out, or the repository could not say.
    Unknown,
}

/// What became of a path that a card names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathFate {
    /// It holds what it held.
    Same,
    /// Its content changed in the work tree.
    Changed,
    /// Its content changed, and the change is committed.
    Committed,
    /// Its uncommitted change is gone: it holds what is committed.
    Reverted,
    /// It is no longer there.
    Gone,
    /// It was not there, and now it is.
    New,
    /// It was not there, and still is not.
    Absent,
    /// It cannot be said.
    Unknown,
}

impl PathFate {
    /// As [`MovedPath::how`]; none when it did not move.
    fn how(self) -> Option<&'static str> {
        match self {
            Self::Changed => Some("changed"),
            Self::Committed => Some("committed"),
            Self::Reverted => Some("reverted"),
            Self::Gone => Some("gone"),
            Self::New => Some("new"),
            Self::Same | Self::Absent | Self::Unknown => None,
        }
    }
}

/// What became of a commit that a card names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommitFate {
    /// HEAD reaches it.
    Reached,
    /// It is there, but HEAD does not reach it.
    Elsewhere,
    /// It is not there.
    Missing,
    /// It cannot be said.
    Unknown,
}

/// What a repository says of the time since a card was written; `crate::verify` gathers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Since {
    /// The card's HEAD.
    pub(crate) head: HeadFate,
    /// How many commits HEAD has that the card's HEAD has not, at most [`COUNT_MAX`]; none when it cannot be said.
    pub(crate) ahead: Option<usize>,
    /// Those commits, newest first, as many as a reader may want.
    pub(crate) commits: Vec<Commit>,
    /// The commit that took the place of the card's HEAD, where that was rewritten.
    pub(crate) replacement: Option<Commit>,
    /// Whether the card's work tree is no longer there.
    pub(crate) worktree_gone: bool,
    /// Every path whose content is not what it was, whether the card names it or not, by path.
    pub(crate) moved: Vec<MovedPath>,
    /// The paths that the card names, in its order, as they stand on it.
    pub(crate) paths: Vec<(String, PathFate)>,
    /// The commits that the card names, as they stand on it.
    pub(crate) named_commits: Vec<(String, CommitFate)>,
    /// What could not be found out, and why.
    pub(crate) unseen: Vec<String>,
}

impl Freshness {
    /// Judges a card that is `age_seconds` old. `now` is the repository's census of this moment and `since` what it
    /// says of the time between; without them, or for a card without a census, only the age counts.
    pub(crate) fn between(
        card: &Card,
        age_seconds: i64,
        now: Option<&Census>,
        since: Option<&Since>,
    ) -> Self {
        let mut reasons = Reasons::default();
        reasons.age(age_seconds.max(0));
        let since = since.filter(|_| card.census.is_some());
        if let (Some(then), Some(now)) = (&card.census, now) {
            reasons.place(then, now);
            if let Some(since) = since {
                reasons.history(then, since);
                reasons.paths(since);
            }
        }
        let named = since.map_or(&[][..], |since| &since.paths);
        let moved = named.iter().filter_map(|(path, fate)| {
            Some(MovedPath {
                path: path.clone(),
                how: fate.how()?.to_owned(),
            })
        });
        let standings = card
            .sections
            .iter()
            .map(|(section, judged)| standing::of(section, judged, since));
        let (level, lines) = reasons.sorted();
        Self {
            level,
            reasons: lines,
            moved: moved.collect(),
            commits: since.map_or_else(Vec::new, |since| since.commits.clone()),
            standings: standings.collect(),
        }
    }
}

/// The reasons with the level that each alone asks for.
#[derive(Default)]
struct Reasons {
    lines: Vec<(Level, String)>,
}

impl Reasons {
    fn add(&mut self, level: Level, line: impl Into<String>) {
        self.lines.push((level, line.into()));
    }

    fn age(&mut self, seconds: i64) {
        let level = if seconds > VERY_STALE_SECONDS_MIN {
            Level::VeryStale
        } else if seconds > STALE_SECONDS_MIN {
            Level::Stale
        } else if seconds >= FRESH_SECONDS_MAX {
            Level::SlightlyStale
        } else {
            return;
        };
        let days = seconds / DAY_SECONDS;
        self.add(level, format!("{} old", count(days, "day")));
    }

    fn place(&mut self, then: &Census, now: &Census) {
        if !same_branch(then, now) {
            let clean = |branch: &String| Redactor::default().clean(branch, &mut BTreeMap::new());
            let is = now.branch.as_ref().map(clean);
            let line = match (&then.branch, &is) {
                (Some(was), Some(is)) => {
                    format!("branch is now `{}`, was `{}`", name(is), name(was))
                }
                (Some(was), None) => format!("HEAD is now detached, was on `{}`", name(was)),
                (None, Some(is)) => format!("branch is now `{}`, HEAD was detached", name(is)),
                (None, None) => return,
            };
            self.add(Level::Stale, line);
        }
        if then.operation != now.operation {
            if let Some(was) = &then.operation {
                self.add(
                    Level::SlightlyStale,
                    format!("no longer in progress: {was}"),
                );
            }
            if let Some(is) = &now.operation {
                self.add(Level::SlightlyStale, format!("in progress now: {is}"));
            }
        }
        if let (Some(was), Some(is)) = (&then.command, &now.command)
            && was != is
        {
            let line = format!("`{}` prints something else now", name(&is.command));
            self.add(Level::SlightlyStale, line);
        }
        for cut in now.cut.iter().filter(|cut| !then.cut.contains(cut)) {
            self.add(Level::SlightlyStale, format!("not seen now: {cut}"));
        }
    }

    fn history(&mut self, then: &Census, since: &Since) {
        let was = short(then.head.as_deref().unwrap_or("none"));
        let instead = since.replacement.as_ref().map_or_else(String::new, |one| {
            let subject = name(&one.subject);
            format!("; `{}` \"{subject}\" took its place", short(&one.id))
        });
        match since.head {
            HeadFate::Same => {}
            HeadFate::Ancestor => {
                let ahead = since.ahead.unwrap_or(COUNT_MAX);
                let level = if ahead > SLIGHTLY_STALE_COMMITS_MAX {
                    Level::Stale
                } else {
                    Level::SlightlyStale
                };
                let more = if ahead >= COUNT_MAX { " or more" } else { "" };
                let commits = count(ahead.try_into().unwrap_or(i64::MAX), "commit");
                self.add(level, format!("{commits}{more} since"));
            }
            HeadFate::LeftBehind => self.add(
                Level::VeryStale,
                format!("HEAD was moved: it no longer reaches the card's commit `{was}`{instead}"),
            ),
            HeadFate::Gone => self.add(
                Level::VeryStale,
                format!("the card's commit `{was}` is gone{instead}"),
            ),
            HeadFate::NotHere => self.add(
                Level::VeryStale,
                format!("the card's commit `{was}` is not in this repository: fetch its branch"),
            ),
            HeadFate::Unknown => self.add(
                Level::Stale,
                format!("cannot tell whether HEAD reaches the card's commit `{was}`"),
            ),
        }
        if since.worktree_gone {
            let line = format!("its work tree `{}` is gone", name(&then.root));
            self.add(Level::VeryStale, line);
        }
        for unseen in &since.unseen {
            self.add(Level::SlightlyStale, format!("not seen: {unseen}"));
        }
    }

    fn paths(&mut self, since: &Since) {
        let named: Vec<(&str, &str)> = since
            .paths
            .iter()
            .filter_map(|(path, fate)| Some((path.as_str(), fate.how()?)))
            .collect();
        for (path, how) in named.iter().take(PATHS_NAMED_MAX) {
            let what = match *how {
                "gone" => "is gone",
                "new" => "is new",
                "committed" => "changed in a commit",
                "reverted" => "is back to the committed version, its uncommitted change is gone",
                _ => "changed",
            };
            let path = name(path);
            self.add(Level::Stale, format!("`{path}` {what} (named on the card)"));
        }
        if named.len() > PATHS_NAMED_MAX {
            let more = named.len() - PATHS_NAMED_MAX;
            self.add(
                Level::Stale,
                format!("{more} more paths named on the card moved"),
            );
        }
        let others: Vec<&str> = since
            .moved
            .iter()
            .map(|moved| moved.path.as_str())
            .filter(|path| !since.paths.iter().any(|(named, _)| named == path))
            .collect();
        if !others.is_empty() {
            let mut list: Vec<String> = others
                .iter()
                .take(PATHS_NAMED_MAX)
                .map(|path| format!("`{}`", name(path)))
                .collect();
            if others.len() > PATHS_NAMED_MAX {
                list.push(format!("{} more", others.len() - PATHS_NAMED_MAX));
            }
            let line = format!("changed, not named on the card: {}", list.join(", "));
            self.add(Level::SlightlyStale, line);
        }
    }

    /// The gravest level, and the lines with the gravest first.
    fn sorted(mut self) -> (Level, Vec<String>) {
        self.lines
            .sort_by_key(|(level, _)| std::cmp::Reverse(*level));
        let level = self.lines.first().map_or(Level::Fresh, |(level, _)| *level);
        (
            level,
            self.lines.into_iter().map(|(_, line)| line).collect(),
        )
    }
}

/// Whether a card's branch is the one of now. On a card stands no secret that was part of its name.
pub(crate) fn same_branch(then: &Census, now: &Census) -> bool {
    match (&then.branch, &now.branch) {
        (Some(was), Some(is)) => redact::may_be_of(was, is),
        (was, is) => was == is,
    }
}

fn short(id: &str) -> &str {
    id.get(..SHORT_ID_DIGITS).unwrap_or(id)
}

fn count(number: i64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}
