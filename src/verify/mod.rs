//! Judges claims against the repository: when a card is written, and again whenever it is shown.

use std::time::Duration;

use crate::deadline::Deadline;
use crate::git::Repo;
use crate::git::history::{self, Resolved};
use crate::handoff::card::Card;
use crate::handoff::census::Census;
use crate::handoff::claim::{Claim, Evidence, Section, Sections, Verdict};
use crate::handoff::redact::is_redacted;

mod glance;
mod ground;
mod moved;
mod names;
mod since;
#[cfg(test)]
mod tests;

pub(crate) use glance::glance;
pub(crate) use names::Names;
pub(crate) use since::since;

use ground::Ground;

/// Whether HEAD reaches a commit is looked for this long at most, a claim.
const REACH_MILLISECONDS_MAX: u64 = 100;
/// Counting the lines of a file stops beyond this size; a claim about a line of a larger file stays unconfirmed.
const LINES_BYTES_MAX: u64 = 10 * 1024 * 1024;
/// Completing the contents and commits of a draft takes at most this long.
const FILL_MILLISECONDS_MAX: u64 = 300;
/// An id in a verdict has this many digits.
const SHORT_ID_DIGITS: usize = 10;

/// The answer to one piece of evidence.
enum Answer {
    Yes,
    No(String),
    Unknown(String),
}

/// The repository's answer to one claim. `census` was taken a moment ago. Only what is said to be done or worth
/// reading can be refuted: a next step may well name a file that is still to be made.
pub(crate) fn judge(
    repo: Option<&Repo>,
    census: Option<&Census>,
    section: Section,
    claim: &Claim,
) -> Verdict {
    let ground = Ground::new(repo.map(Repo::without_refs), census);
    judge_on(&ground, section, claim)
}

/// A fresh verdict for each claim of a card, in its order.
pub(crate) fn again(repo: Option<&Repo>, census: Option<&Census>, card: &Card) -> Vec<Verdict> {
    let ground = Ground::new(repo.map(Repo::without_refs), census);
    card.sections
        .iter()
        .map(|(section, judged)| judge_on(&ground, section, &judged.claim))
        .collect()
}

/// Completes the evidence of a draft: the blob id of what each path holds now, full commit ids and their subjects. By
/// these a later reader tells what changed. What cannot be found out in a moment stays open.
pub(crate) fn fill_blobs(repo: &Repo, census: &Census, sections: &mut Sections<Claim>) {
    let mut ground = Ground::new(Some(repo.without_refs()), Some(census));
    fill_on(&mut ground, sections);
}

fn fill_on(ground: &mut Ground<'_>, sections: &mut Sections<Claim>) {
    let deadline = Deadline::after(Duration::from_millis(FILL_MILLISECONDS_MAX));
    for section in Section::ALL {
        let claims = sections.of_mut(section).iter_mut();
        for evidence in claims.flat_map(|claim| &mut claim.evidence) {
            match evidence {
                Evidence::Path { path, blob, .. } => {
                    if let Some(inside) = ground.relative(path) {
                        *path = inside;
                    }
                    if blob.is_none() {
                        *blob = ground.blob(path, deadline);
                    }
                }
                Evidence::Commit { id, subject } => {
                    if let Some((full, said)) = ground.commit_facts(id) {
                        *id = full;
                        if subject.is_empty() {
                            *subject = said;
                        }
                    }
                }
                Evidence::Command { .. } => {}
            }
        }
    }
}

fn judge_on(ground: &Ground<'_>, section: Section, claim: &Claim) -> Verdict {
    let refutable = matches!(section, Section::Done | Section::ReadFirst);
    let mut confirmed = 0usize;
    let mut open = None;
    for evidence in &claim.evidence {
        let answer = match evidence {
            Evidence::Path { path, line, .. } => path_answer(ground, claim, path, *line),
            Evidence::Commit { id, .. } => commit_answer(ground, id),
            Evidence::Command { .. } if section != Section::Done => continue,
            Evidence::Command {
                line,
                exit,
                passed,
                stale,
            } => command_answer(line, *exit, *passed, *stale),
        };
        match answer {
            Answer::Yes => confirmed += 1,
            Answer::No(why) if refutable => return Verdict::Refuted(why),
            Answer::No(why) | Answer::Unknown(why) => open = open.or(Some(why)),
        }
    }
    match open {
        None if confirmed > 0 => Verdict::Confirmed,
        open => Verdict::Unconfirmed(open),
    }
}

fn path_answer(ground: &Ground<'_>, claim: &Claim, path: &str, line: Option<u32>) -> Answer {
    let Some(full) = ground.full(path) else {
        return Answer::Unknown("no work tree to look in".to_owned());
    };
    if is_redacted(path) {
        return Answer::Unknown("a secret was taken out of its name".to_owned());
    }
    let Ok(meta) = full.symlink_metadata() else {
        return if says_it_is_gone(&claim.text) {
            Answer::Yes
        } else {
            Answer::No(format!("`{path}` does not exist"))
        };
    };
    let Some(line) = line else {
        return Answer::Yes;
    };
    if !meta.is_file() || meta.len() > LINES_BYTES_MAX {
        return Answer::Unknown(format!("the lines of `{path}` cannot be counted"));
    }
    let Ok(bytes) = std::fs::read(&full) else {
        return Answer::Unknown(format!("`{path}` cannot be read"));
    };
    let ends = memchr::memchr_iter(b'\n', &bytes).count();
    let lines = ends + usize::from(bytes.last().is_some_and(|&last| last != b'\n'));
    if usize::try_from(line).is_ok_and(|line| (1..=lines).contains(&line)) {
        Answer::Yes
    } else {
        let plural = if lines == 1 { "" } else { "s" };
        Answer::No(format!("`{path}` has {lines} line{plural}, not {line}"))
    }
}

/// A path that is gone is no contradiction where the claim says so.
fn says_it_is_gone(text: &str) -> bool {
    let text = text.to_lowercase();
    ["delet", "remov", "renam", "mov", "drop"]
        .iter()
        .any(|stem| {
            text.split(|c: char| !c.is_alphabetic())
                .any(|word| word.starts_with(stem))
        })
}

fn commit_answer(ground: &Ground<'_>, id: &str) -> Answer {
    let short = id.get(..SHORT_ID_DIGITS).unwrap_or(id);
    let Some(repo) = ground.repo() else {
        return Answer::Unknown("no repository to look in".to_owned());
    };
    let commit = match history::resolve(repo, id) {
        Ok(Resolved::Commit(commit)) => commit,
        Ok(Resolved::Missing) => return Answer::No(format!("commit `{short}` does not exist")),
        Ok(Resolved::Ambiguous) => {
            return Answer::Unknown(format!("`{short}` is more than one commit"));
        }
        Err(err) => return Answer::Unknown(format!("{err:#}")),
    };
    let Some(head) = ground.head() else {
        return Answer::No(format!(
            "commit `{short}` is not reachable: HEAD has no commit"
        ));
    };
    let deadline = Deadline::after(Duration::from_millis(REACH_MILLISECONDS_MAX));
    match history::reaches(repo, head, commit, deadline) {
        Ok(Some(true)) => Answer::Yes,
        Ok(Some(false)) => Answer::No(format!("commit `{short}` is not reachable from HEAD")),
        Ok(None) => Answer::Unknown(format!("no time to look whether HEAD reaches `{short}`")),
        Err(err) => Answer::Unknown(format!("{err:#}")),
    }
}

fn command_answer(line: &str, exit: Option<i32>, passed: Option<bool>, stale: bool) -> Answer {
    match (passed, stale) {
        (Some(true), false) => Answer::Yes,
        (Some(true), true) => Answer::Unknown("passed on an older tree".to_owned()),
        (Some(false), _) => {
            let exit = exit.map_or_else(String::new, |code| format!(" with exit code {code}"));
            Answer::No(format!("the last run of `{line}` failed{exit}"))
        }
        (None, _) => Answer::Unknown(format!("no result of `{line}` was seen")),
    }
}
