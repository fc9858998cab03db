//! What one claim of a card is worth now.

use super::{
    CommitFate, Evidence, HeadFate, Judged, PathFate, SHORT_ID_DIGITS, Since, Standing, Verdict,
};
use crate::handoff::claim::Section;
use crate::handoff::plain::name;

/// The gravest of what its evidence says. A claim that the machine refuted when it was written stays refuted as long as
/// what it names did not move.
pub(super) fn of(section: Section, judged: &Judged, since: Option<&Since>) -> Standing {
    let gravest = judged
        .claim
        .evidence
        .iter()
        .map(|evidence| of_evidence(section, evidence, since))
        .max_by_key(gravity)
        .unwrap_or(Standing::Unchecked);
    match (&judged.verdict, gravest) {
        (Verdict::Refuted(why), Standing::Holds | Standing::Gone(_) | Standing::Unchecked) => {
            Standing::Contradicted(why.clone())
        }
        (_, gravest) => gravest,
    }
}

fn gravity(standing: &Standing) -> u8 {
    match standing {
        Standing::Unchecked => 0,
        Standing::Holds => 1,
        Standing::PassedOnOlderTree(_) => 2,
        Standing::Changed(_) => 3,
        Standing::Gone(_) => 4,
        Standing::Contradicted(_) => 5,
    }
}

fn of_evidence(section: Section, evidence: &Evidence, since: Option<&Since>) -> Standing {
    match evidence {
        Evidence::Path { path, .. } => of_path(path, since),
        Evidence::Commit { id, .. } => of_commit(id, since),
        Evidence::Command {
            passed,
            stale,
            line,
            ..
        } => of_command(section, line, *passed, *stale, since),
    }
}

fn of_path(path: &str, since: Option<&Since>) -> Standing {
    let fate = since
        .and_then(|since| since.paths.iter().find(|(named, _)| named == path))
        .map_or(PathFate::Unknown, |(_, fate)| *fate);
    let path = name(path);
    match fate {
        PathFate::Same | PathFate::Absent => Standing::Holds,
        PathFate::Changed => Standing::Changed(format!("`{path}` changed since")),
        PathFate::Reverted => Standing::Changed(format!(
            "the uncommitted change of `{path}` is gone: back to the committed version"
        )),
        PathFate::Committed => Standing::Changed(format!("`{path}` changed since, in a commit")),
        PathFate::New => Standing::Changed(format!("`{path}` is there now")),
        PathFate::Gone => Standing::Gone(format!("`{path}` is gone")),
        PathFate::Unknown => Standing::Unchecked,
    }
}

fn of_commit(id: &str, since: Option<&Since>) -> Standing {
    let fate = since
        .and_then(|since| since.named_commits.iter().find(|(named, _)| named == id))
        .map_or(CommitFate::Unknown, |(_, fate)| *fate);
    let short = id.get(..SHORT_ID_DIGITS).unwrap_or(id);
    match fate {
        CommitFate::Reached => Standing::Holds,
        CommitFate::Elsewhere => {
            Standing::Gone(format!("commit `{short}` is no longer reachable from HEAD"))
        }
        CommitFate::Missing => Standing::Gone(format!("commit `{short}` is gone")),
        CommitFate::Unknown => Standing::Unchecked,
    }
}

fn of_command(
    section: Section,
    line: &str,
    passed: Option<bool>,
    stale: bool,
    since: Option<&Since>,
) -> Standing {
    let moved = since.map(|since| {
        !since.moved.is_empty()
            || matches!(
                since.head,
                HeadFate::Gone | HeadFate::NotHere | HeadFate::Unknown
            )
    });
    let line = name(line);
    match (passed, moved) {
        (None, _) => Standing::Unchecked,
        (Some(true), _) if stale => Standing::PassedOnOlderTree(format!(
            "`{line}` passed, but files were changed after its last run"
        )),
        (Some(true), Some(true)) => Standing::PassedOnOlderTree(format!(
            "`{line}` passed, but files were changed since the card"
        )),
        (Some(false), _) if section == Section::Done => {
            Standing::Contradicted(format!("the last run of `{line}` failed"))
        }
        (Some(false), Some(true)) => {
            Standing::Changed(format!("`{line}` failed, but files were changed since"))
        }
        (Some(_), Some(false)) => Standing::Holds,
        (Some(_), None) => Standing::Unchecked,
    }
}
