//! Takes a census of a repository: reads, never writes, and keeps to its time.

use std::time::Duration;

use crate::deadline::Deadline;
use crate::git::content::Changed;
use crate::git::{Oid, Repo, history};
use crate::handoff::census::{COUNT_MAX, Census, Commit, FILTER_HANGS, Upstream};

mod changes;
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
/// How long beyond its deadline a census is waited for where a filter of the person's may be at work.
const FILTER_GRACE_MILLISECONDS: u64 = 100;

/// What is true in the repository now; parts that fail or run out of time are named in `cut`, and the rest goes on.
///
/// With `command` (`segue.censusCommand`), what it prints takes the place of paths, commits, work trees and stashes;
/// HEAD and branch are read all the same, since a card is written at a commit.
///
/// Of submodules only the commit that is checked out counts; what is dirty inside is not looked at.
pub(crate) fn take(repo: &Repo, command: Option<&str>, deadline: Deadline) -> Census {
    in_time(repo, command, deadline, |repo, command, deadline| {
        taken(repo, command, deadline, None)
    })
    .unwrap_or_else(|| without_paths(repo, deadline))
}

/// A census, and every path that differs from HEAD, untracked folders file by file; an error where that is not all.
pub(crate) fn take_with_changes(
    repo: &Repo,
    command: Option<&str>,
    deadline: Deadline,
) -> (Census, anyhow::Result<Vec<Changed>>) {
    let both = in_time(repo, command, deadline, |repo, command, deadline| {
        let mut scan = None;
        let census = taken(repo, command, deadline, Some(&mut scan));
        let gix = repo.without_refs();
        let scan = scan.unwrap_or_else(|| {
            let head = census.head.as_deref();
            let head = head.and_then(|id| Oid::from_hex(id.as_bytes()).ok());
            status::scan(gix, head, deadline)
        });
        (census, changes::of(gix, scan, deadline))
    });
    both.unwrap_or_else(|| {
        let late = anyhow::anyhow!(FILTER_HANGS);
        (without_paths(repo, deadline), Err(late))
    })
}

/// Does `work` by the deadline also where it may have to wait for a filter of the person's, which cannot be told to stop.
fn in_time<T: Send + 'static>(
    repo: &Repo,
    command: Option<&str>,
    deadline: Deadline,
    work: fn(&Repo, Option<&str>, Deadline) -> T,
) -> Option<T> {
    if !repo.runs_filters() {
        return Some(work(repo, command, deadline));
    }
    let (again, command) = (repo.again(), command.map(str::to_owned));
    let grace = Duration::from_millis(FILTER_GRACE_MILLISECONDS);
    let end = Deadline::after(deadline.left() + grace);
    end.wait_for(move || work(&again, command.as_deref(), deadline))
}

/// What is left of a census when a filter of the person's does not end.
fn without_paths(repo: &Repo, deadline: Deadline) -> Census {
    let mut cut = Vec::new();
    let place = place_of(repo, deadline, &mut cut);
    let mut census = began(repo, &place, deadline);
    cut.push(format!("status: {FILTER_HANGS}"));
    census.cut = cut;
    census
}

/// What a scan of the work tree found.
type Scan = (status::Paths, Vec<String>);

fn taken(
    repo: &Repo,
    command: Option<&str>,
    deadline: Deadline,
    scan: Option<&mut Option<Scan>>,
) -> Census {
    let mut cut = Vec::new();
    let place = place_of(repo, deadline, &mut cut);
    let mut census = began(repo, &place, deadline);
    match command {
        Some(command) => census.command = Some(command::run(repo, command, deadline, &mut cut)),
        None => fill(
            &mut census,
            repo.without_refs(),
            place,
            deadline,
            &mut cut,
            scan,
        ),
    }
    census.cut = cut;
    census
}

fn place_of(repo: &Repo, deadline: Deadline, cut: &mut Vec<String>) -> Place {
    match repo.gix() {
        Some(gix) => place::of(gix, cut),
        None => plain_git::of(repo, deadline, cut),
    }
}

fn began(repo: &Repo, place: &Place, deadline: Deadline) -> Census {
    let root = repo.workdir().unwrap_or_else(|| repo.git_dir());
    Census {
        root: root.to_string_lossy().into_owned(),
        head: place.head.map(|id| id.to_string()),
        branch: place.branch.clone(),
        operation: operation(repo, deadline).map(str::to_owned),
        ..Census::default()
    }
}

fn fill(
    census: &mut Census,
    repo: &gix::Repository,
    place: Place,
    deadline: Deadline,
    cut: &mut Vec<String>,
    keep: Option<&mut Option<Scan>>,
) {
    if let Some(head) = place.head {
        census.recent = part("recent", recent(repo, head), cut);
    }
    if repo.workdir().is_some() {
        let (paths, mut missing) = status::scan(repo, place.head, deadline);
        if let Some(keep) = keep {
            *keep = Some((paths.clone(), missing.clone()));
        }
        census.dirty = status::list(repo, paths, deadline, &mut missing);
        cut.extend(missing);
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
