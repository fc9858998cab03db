//! Takes a census of a repository: reads, never writes, and keeps to its time.

use std::time::Duration;

use crate::deadline::Deadline;
use crate::git::{Oid, Repo, history};
use crate::handoff::census::{COUNT_MAX, Census, Commit, Upstream};

mod command;
mod folded;
#[cfg(test)]
mod oracle;
mod place;
mod plain_git;
mod staged;
mod status;
#[cfg(test)]
mod tests;
mod untracked;

use place::{Place, part};

/// This many commits of HEAD are listed.
const RECENT_COMMITS_MAX: usize = 5;
/// Counting how far the upstream is takes at most this: without a commit graph a long history costs most of a second.
const UPSTREAM_MILLISECONDS_MAX: u64 = 150;

/// What is true in the repository now; parts that fail or run out of time are named in `cut`, and the rest goes on.
///
/// With `command` (`segue.censusCommand`), what it prints takes the place of paths, commits, work trees and stashes;
/// HEAD and branch are read all the same, since a card is written at a commit.
///
/// Of submodules only the commit that is checked out counts; what is dirty inside is not looked at.
pub(crate) fn take(repo: &Repo, command: Option<&str>, deadline: Deadline) -> Census {
    let mut cut = Vec::new();
    let place = match repo.gix() {
        Some(gix) => place::of(gix, &mut cut),
        None => plain_git::of(repo, deadline, &mut cut),
    };
    let root = repo.workdir().unwrap_or_else(|| repo.git_dir());
    let mut census = Census {
        root: root.to_string_lossy().into_owned(),
        head: place.head.map(|id| id.to_string()),
        branch: place.branch.clone(),
        operation: operation(repo, deadline).map(str::to_owned),
        ..Census::default()
    };
    match command {
        Some(command) => census.command = Some(command::run(repo, command, deadline, &mut cut)),
        None => fill(&mut census, repo.without_refs(), place, deadline, &mut cut),
    }
    census.cut = cut;
    census
}

fn fill(
    census: &mut Census,
    repo: &gix::Repository,
    place: Place,
    deadline: Deadline,
    cut: &mut Vec<String>,
) {
    if let Some(head) = place.head {
        census.recent = part("recent", recent(repo, head), cut);
    }
    if repo.workdir().is_some() {
        let status = status::take(repo, place.head, deadline);
        census.dirty = status.dirty;
        cut.extend(status.cut);
    }
    census.worktrees = place.worktrees;
    census.stashes = place.stashes;
    if let Some((name, theirs)) = place.upstream {
        let deadline = deadline.at_most(Duration::from_millis(UPSTREAM_MILLISECONDS_MAX));
        census.upstream = Some(upstream(repo, name, place.head, theirs, deadline, cut));
    }
}

fn recent(repo: &gix::Repository, head: Oid) -> anyhow::Result<Vec<Commit>> {
    let commits = history::recent(repo, head, RECENT_COMMITS_MAX)?.into_iter();
    Ok(commits
        .map(|commit| Commit {
            id: commit.id.to_string(),
            subject: commit.subject,
        })
        .collect())
}

fn upstream(
    repo: &gix::Repository,
    name: String,
    ours: Option<Oid>,
    theirs: Option<Oid>,
    deadline: Deadline,
    cut: &mut Vec<String>,
) -> Upstream {
    let mut upstream = Upstream {
        name,
        ahead: None,
        behind: None,
    };
    if let (Some(ours), Some(theirs)) = (ours, theirs) {
        let distance = history::distance(repo, ours, Some(theirs), COUNT_MAX, deadline);
        let distance = part("upstream", distance, cut);
        if deadline.passed() && (distance.ahead.is_none() || distance.behind.is_none()) {
            cut.push("upstream: out of time".to_owned());
        }
        (upstream.ahead, upstream.behind) = (distance.ahead, distance.behind);
    }
    upstream
}

/// What is under way, in the words of a census.
fn operation(repo: &Repo, deadline: Deadline) -> Option<&'static str> {
    let has = |name: &str| repo.git_dir().join(name).exists();
    // In files where refs are files; elsewhere these two are refs like any other.
    let has_head = |name: &str| {
        has(name) || (repo.gix().is_none() && plain_git::has_ref(repo, name, deadline))
    };
    if has("rebase-apply/applying") {
        return Some("am");
    }
    if has("rebase-apply") || has("rebase-merge") {
        return Some("rebase");
    }
    if has("MERGE_HEAD") {
        return Some("merge");
    }
    if has_head("CHERRY_PICK_HEAD") {
        return Some("cherry-pick");
    }
    if has_head("REVERT_HEAD") {
        return Some("revert");
    }
    // Between two picks of a sequence there is no head, only the list of what is to come.
    if let Ok(todo) = std::fs::read(repo.git_dir().join("sequencer/todo")) {
        let revert = todo.trim_ascii_start().starts_with(b"revert");
        return Some(if revert { "revert" } else { "cherry-pick" });
    }
    has("BISECT_LOG").then_some("bisect")
}
