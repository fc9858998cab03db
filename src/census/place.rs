//! Where the repository stands: branch, upstream, an operation in progress, recent commits, other work trees, stashes.

use std::path::Path;

use anyhow::Context as _;
use gix::bstr::ByteSlice;

use crate::git::{Oid, content};
use crate::handoff::census::Worktree;

/// This many other work trees are listed.
const WORKTREES_MAX: usize = 50;
/// This many stashes are listed.
const STASHES_MAX: usize = 20;

/// Where the repository stands, as far as its refs say it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// HEAD's commit; none on an unborn branch.
    pub(super) head: Option<Oid>,
    /// HEAD's branch, short; the one that is rebased while a rebase detaches HEAD.
    pub(super) branch: Option<String>,
    /// The upstream's short name, and its commit where it has one.
    pub(super) upstream: Option<(String, Option<Oid>)>,
    /// The other work trees, by path.
    pub(super) worktrees: Vec<Worktree>,
    /// The subjects of the stashes, newest first.
    pub(super) stashes: Vec<String>,
}

/// Where the repository stands; what fails is named in `cut`.
pub(super) fn of(repo: &gix::Repository, cut: &mut Vec<String>) -> Place {
    let head = part("head", head(repo), cut);
    let upstream = match &head.branch {
        Some(branch) => part("upstream", upstream(repo, branch.as_ref()), cut),
        None => None,
    };
    let worktrees = worktrees(repo, cut);
    let stashes = stashes(repo.common_dir());
    let mut place = Place {
        head: head.commit,
        branch: head.branch.map(|name| content::shown(name.shorten())),
        upstream,
        worktrees: part("worktrees", worktrees, cut),
        stashes: part("stashes", stashes, cut),
    };
    place.clip(cut);
    place
}

impl Place {
    /// Keeps lists to a length that a reader can take in.
    pub(super) fn clip(&mut self, cut: &mut Vec<String>) {
        self.worktrees.sort_by(|a, b| a.path.cmp(&b.path));
        if self.worktrees.len() > WORKTREES_MAX {
            let more = self.worktrees.len() - WORKTREES_MAX;
            cut.push(format!("worktrees: {more} more"));
            self.worktrees.truncate(WORKTREES_MAX);
        }
        if self.stashes.len() > STASHES_MAX {
            let more = self.stashes.len() - STASHES_MAX;
            cut.push(format!("stashes: {more} more"));
            self.stashes.truncate(STASHES_MAX);
        }
    }
}

/// A part of a census, or nothing and the reason in `cut`.
pub(super) fn part<T: Default>(name: &str, part: anyhow::Result<T>, cut: &mut Vec<String>) -> T {
    part.unwrap_or_else(|err| {
        cut.push(format!("{name}: {err:#}"));
        T::default()
    })
}

#[derive(Default)]
struct Head {
    commit: Option<Oid>,
    branch: Option<gix::refs::FullName>,
}

fn head(repo: &gix::Repository) -> anyhow::Result<Head> {
    let head = repo.head().context("cannot read HEAD")?;
    let branch = match head.referent_name() {
        Some(name) => Some(name.to_owned()),
        None => rebased_branch(repo.git_dir()),
    };
    // git takes an unreadable branch for one without commits.
    let commit = head.try_into_peeled_id().ok().flatten();
    Ok(Head {
        commit: commit.map(gix::Id::detach),
        branch,
    })
}

/// `refs/heads/<name>` from the files that `git rebase` keeps while it runs.
pub(super) fn rebased_branch(git_dir: &Path) -> Option<gix::refs::FullName> {
    ["rebase-merge/head-name", "rebase-apply/head-name"]
        .iter()
        .find_map(|file| std::fs::read(git_dir.join(file)).ok())
        .and_then(|name| gix::refs::FullName::try_from(name.trim().as_bstr().to_owned()).ok())
        .filter(|name| name.as_bstr().starts_with(b"refs/heads/"))
}

/// The name of the branch that `branch` follows, and its commit where its ref exists.
fn upstream(
    repo: &gix::Repository,
    branch: &gix::refs::FullNameRef,
) -> anyhow::Result<Option<(String, Option<Oid>)>> {
    let Some(tracking) = tracking_name(repo, branch)? else {
        return Ok(None);
    };
    let reference = repo
        .try_find_reference(&tracking)
        .context("cannot read the upstream's ref")?;
    let commit = match reference {
        Some(mut reference) => Some(
            reference
                .peel_to_id()
                .context("cannot read the upstream's ref")?
                .detach(),
        ),
        None => None,
    };
    Ok(Some((content::shown(tracking.shorten()), commit)))
}

fn tracking_name(
    repo: &gix::Repository,
    branch: &gix::refs::FullNameRef,
) -> anyhow::Result<Option<gix::refs::FullName>> {
    let here = gix::remote::Direction::Fetch;
    let is_local = repo
        .branch_remote_name(branch.shorten(), here)
        .is_some_and(|remote| remote.as_bstr() == b".".as_bstr());
    // A branch may follow another one of the same repository.
    let name = if is_local {
        repo.branch_remote_ref_name(branch, here)
    } else {
        repo.branch_remote_tracking_ref_name(branch, here)
    };
    name.transpose().context("cannot read the upstream's name")
}

fn worktrees(repo: &gix::Repository, cut: &mut Vec<String>) -> anyhow::Result<Vec<Worktree>> {
    let mut found = Vec::new();
    if repo.kind() == gix::repository::Kind::LinkedWorkTree {
        let main = repo
            .main_repo()
            .context("cannot open the main work tree's repository")?;
        if let Some(root) = main.workdir() {
            found.push(worktree(root, main.git_dir()));
        }
    }
    let linked = repo.worktrees().context("cannot list work trees")?;
    let here = std::fs::canonicalize(repo.git_dir()).ok();
    for proxy in linked {
        if std::fs::canonicalize(proxy.git_dir()).ok() == here {
            continue;
        }
        match proxy.base() {
            Ok(root) => found.push(worktree(&root, proxy.git_dir())),
            Err(err) => cut.push(format!("worktrees: {err}")),
        }
    }
    Ok(found)
}

fn worktree(root: &Path, git_dir: &Path) -> Worktree {
    let head = std::fs::read(git_dir.join("HEAD")).unwrap_or_default();
    let branch = head
        .trim()
        .strip_prefix(b"ref: refs/heads/")
        .map(|name| content::shown(name.as_bstr()));
    Worktree {
        path: root.to_string_lossy().into_owned(),
        branch,
    }
}

/// The stash's log holds one line a stash, oldest first, with the subject behind a tab.
fn stashes(common_dir: &Path) -> anyhow::Result<Vec<String>> {
    let log = match std::fs::read(common_dir.join("logs/refs/stash")) {
        Ok(log) => log,
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(err) => return Err(err).context("cannot read the stash's log"),
    };
    let subject = |line: &[u8]| {
        let start = line.find_byte(b'\t').map_or(line.len(), |tab| tab + 1);
        String::from_utf8_lossy(&line[start..]).into_owned()
    };
    Ok(log.lines().rev().map(subject).collect())
}
