//! `census.json`, version 1.

use serde::{Deserialize, Serialize};

use super::carried::CarriedV1;
use crate::handoff::census::{Census, CommandOutput, Commit, DirtyPath, Upstream, Worktree};

/// A census as it is stored.
#[derive(Serialize, Deserialize)]
pub(super) struct CensusV1 {
    root: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    upstream: Option<UpstreamV1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    dirty: Vec<DirtyV1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    carried: Option<CarriedV1>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    recent: Vec<CommitV1>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    worktrees: Vec<WorktreeV1>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stashes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<CommandV1>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cut: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct UpstreamV1 {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ahead: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    behind: Option<usize>,
}

#[derive(Serialize, Deserialize)]
struct DirtyV1 {
    path: String,
    staged: char,
    unstaged: char,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blob: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct CommitV1 {
    id: String,
    subject: String,
}

#[derive(Serialize, Deserialize)]
struct WorktreeV1 {
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct CommandV1 {
    command: String,
    output: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exit: Option<i32>,
}

impl From<&Census> for CensusV1 {
    fn from(census: &Census) -> Self {
        let census = census.clone();
        Self {
            root: census.root,
            head: census.head,
            branch: census.branch,
            upstream: census.upstream.map(|one| UpstreamV1 {
                name: one.name,
                ahead: one.ahead,
                behind: one.behind,
            }),
            operation: census.operation,
            dirty: each(census.dirty, |one| DirtyV1 {
                path: one.path,
                staged: one.staged,
                unstaged: one.unstaged,
                blob: one.blob,
            }),
            carried: census.carried.map(CarriedV1::from),
            recent: each(census.recent, |one| CommitV1 {
                id: one.id,
                subject: one.subject,
            }),
            worktrees: each(census.worktrees, |one| WorktreeV1 {
                path: one.path,
                branch: one.branch,
            }),
            stashes: census.stashes,
            command: census.command.map(|one| CommandV1 {
                command: one.command,
                output: one.output,
                exit: one.exit,
            }),
            cut: census.cut,
        }
    }
}

impl From<CensusV1> for Census {
    fn from(stored: CensusV1) -> Self {
        Self {
            root: stored.root,
            head: stored.head,
            branch: stored.branch,
            upstream: stored.upstream.map(|one| Upstream {
                name: one.name,
                ahead: one.ahead,
                behind: one.behind,
            }),
            operation: stored.operation,
            dirty: each(stored.dirty, |one| DirtyPath {
                path: one.path,
                staged: one.staged,
                unstaged: one.unstaged,
                blob: one.blob,
            }),
            carried: stored.carried.map(CarriedV1::into),
            recent: each(stored.recent, |one| Commit {
                id: one.id,
                subject: one.subject,
            }),
            worktrees: each(stored.worktrees, |one| Worktree {
                path: one.path,
                branch: one.branch,
            }),
            stashes: stored.stashes,
            command: stored.command.map(|one| CommandOutput {
                command: one.command,
                output: one.output,
                exit: one.exit,
            }),
            cut: stored.cut,
        }
    }
}

pub(super) fn each<T, U>(many: Vec<T>, change: impl Fn(T) -> U) -> Vec<U> {
    many.into_iter().map(change).collect()
}
