//! A census: what is true in the repository at one moment. The value; `crate::census` takes one.

use super::carried::Carried;

/// Ahead and behind are counted up to here.
pub(crate) const COUNT_MAX: usize = 1000;

/// What is said where a filter of the person's does not end: then no file is read any more.
pub(crate) const FILTER_HANGS: &str = "out of time: a clean filter does not end";

/// What is true in the repository at one moment. Nothing in it changes from call to call while the repository
/// does not: no clock, no process id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Census {
    /// The work tree's root; the git directory of a bare repository.
    pub(crate) root: String,
    /// HEAD's commit id in hex; none on an unborn branch.
    pub(crate) head: Option<String>,
    /// The branch's short name; none when HEAD is detached.
    pub(crate) branch: Option<String>,
    /// The branch that this one follows.
    pub(crate) upstream: Option<Upstream>,
    /// `merge`, `rebase`, `cherry-pick`, `revert`, `bisect`, `am`.
    pub(crate) operation: Option<String>,
    /// Every path that differs from HEAD, sorted by path.
    pub(crate) dirty: Vec<DirtyPath>,
    /// What the card carries of them; none where nobody asked for it, or nothing differs.
    pub(crate) carried: Option<Carried>,
    /// The last five commits of HEAD, newest first.
    pub(crate) recent: Vec<Commit>,
    /// The repository's other work trees.
    pub(crate) worktrees: Vec<Worktree>,
    /// The subjects of the stashes, newest first.
    pub(crate) stashes: Vec<String>,
    /// What `segue.censusCommand` printed, which then takes the place of what stands above.
    pub(crate) command: Option<CommandOutput>,
    /// Why it is not whole: out of time, an error of one part, too many paths.
    pub(crate) cut: Vec<String>,
}

impl Census {
    /// Changes every text that somebody wrote and every branch's name, as a redactor does; paths and ids stay.
    pub(crate) fn map_texts(&mut self, mut change: impl FnMut(&str) -> String) {
        self.branch = self.branch.as_deref().map(&mut change);
        if let Some(upstream) = &mut self.upstream {
            upstream.name = change(&upstream.name);
        }
        for worktree in &mut self.worktrees {
            worktree.branch = worktree.branch.as_deref().map(&mut change);
        }
        for commit in &mut self.recent {
            commit.subject = change(&commit.subject);
        }
        for stash in &mut self.stashes {
            *stash = change(stash);
        }
        if let Some(command) = &mut self.command {
            command.command = change(&command.command);
            command.output = change(&command.output);
        }
    }

    /// Whether files must not be read, since a filter of the person's does not end.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.cut.iter().any(|why| why.ends_with(FILTER_HANGS))
    }

    /// The dirty entry of a path relative to the root.
    pub(crate) fn dirty_path(&self, path: &str) -> Option<&DirtyPath> {
        self.dirty.iter().find(|one| one.path == path)
    }
}

/// The branch that another one follows, and how far they are apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Upstream {
    /// Short name, as `origin/main`.
    pub(crate) name: String,
    /// Commits that only we have, at most [`COUNT_MAX`]; none when the upstream's ref is gone or out of time.
    pub(crate) ahead: Option<usize>,
    /// Commits that only the upstream has, at most [`COUNT_MAX`].
    pub(crate) behind: Option<usize>,
}

/// A path that differs from HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DirtyPath {
    /// Relative to the root, `/` between levels; quoted as git does where it is not UTF-8. An untracked folder is
    /// one path that ends with `/`.
    pub(crate) path: String,
    /// The index against HEAD, as in `git status --porcelain`: `A`, `M`, `D`, `T`, `U`; a blank when equal.
    pub(crate) staged: char,
    /// The work tree against the index: `M`, `D`, `T`, `U`, `?` for untracked; a blank when equal.
    pub(crate) unstaged: char,
    /// The blob id of what the work tree holds, in hex; none for what is gone, a folder, or over the size limit.
    pub(crate) blob: Option<String>,
}

/// A commit in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commit {
    /// Full id in hex.
    pub(crate) id: String,
    /// First line of its message.
    pub(crate) subject: String,
}

/// Another work tree of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Worktree {
    /// Its root.
    pub(crate) path: String,
    /// The branch checked out there; none when detached.
    pub(crate) branch: Option<String>,
}

/// What the person's own census command printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandOutput {
    /// The command line as configured.
    pub(crate) command: String,
    /// What it printed, clipped.
    pub(crate) output: String,
    /// Its exit status; none when it was killed or did not start.
    pub(crate) exit: Option<i32>,
}
