//! Where the repository stands, asked of the git program: for repositories whose refs gix cannot read.

use anyhow::Context as _;
use gix::bstr::ByteSlice;

use super::place::{Place, part, rebased_branch};
use crate::deadline::Deadline;
use crate::git::{Oid, Repo, content};
use crate::handoff::census::Worktree;

/// Where the repository stands; what fails is named in `cut`.
pub(super) fn of(repo: &Repo, deadline: Deadline, cut: &mut Vec<String>) -> Place {
    let git = Git { repo, deadline };
    let upstream = git.upstream();
    let worktrees = git.worktrees();
    let stashes = git.stashes();
    let mut place = Place {
        head: part("head", git.commit("HEAD"), cut),
        branch: part("branch", git.branch(), cut),
        upstream: part("upstream", upstream, cut),
        worktrees: part("worktrees", worktrees, cut),
        stashes: part("stashes", stashes, cut),
    };
    place.clip(cut);
    place
}

/// Whether a ref that marks an operation in progress is there.
pub(super) fn has_ref(repo: &Repo, name: &str, deadline: Deadline) -> bool {
    let git = Git { repo, deadline };
    git.commit(name).is_ok_and(|commit| commit.is_some())
}

struct Git<'a> {
    repo: &'a Repo,
    deadline: Deadline,
}

impl Git<'_> {
    /// What git answers; none when it says no, which it does without a complaint under `--quiet`.
    fn ask(&self, args: &[&str]) -> anyhow::Result<Option<Vec<u8>>> {
        let call = self.repo.program(args).deadline(self.deadline);
        let output = call.run()?;
        if output.success() {
            return Ok(Some(output.stdout));
        }
        anyhow::ensure!(output.code == Some(1), "{}", output.complaint());
        Ok(None)
    }

    fn commit(&self, name: &str) -> anyhow::Result<Option<Oid>> {
        let name = format!("{name}^{{commit}}");
        let answer = self.ask(&["rev-parse", "--quiet", "--verify", &name])?;
        match answer {
            Some(id) => Ok(Some(
                Oid::from_hex(id.trim()).context("cannot read an id of git")?,
            )),
            None => Ok(None),
        }
    }

    fn branch(&self) -> anyhow::Result<Option<String>> {
        let answer = self.ask(&["symbolic-ref", "--quiet", "HEAD"])?;
        let name = match answer {
            Some(name) => name.trim().strip_prefix(b"refs/heads/").map(<[u8]>::to_vec),
            None => rebased_branch(self.repo.git_dir()).map(|name| name.shorten().to_vec()),
        };
        Ok(name.map(|name| content::shown(name.as_bstr())))
    }

    fn upstream(&self) -> anyhow::Result<Option<(String, Option<Oid>)>> {
        let Some(head) = self.ask(&["symbolic-ref", "--quiet", "HEAD"])? else {
            return Ok(None);
        };
        let head = head.trim().to_str_lossy();
        let answer = self.ask(&["for-each-ref", "--format=%(upstream:short)", &head])?;
        let name = answer.unwrap_or_default();
        let name = content::shown(name.trim().as_bstr());
        if name.is_empty() {
            return Ok(None);
        }
        let commit = self.commit("@{upstream}").unwrap_or_default();
        Ok(Some((name, commit)))
    }

    fn worktrees(&self) -> anyhow::Result<Vec<Worktree>> {
        let answer = self.ask(&["worktree", "list", "--porcelain", "-z"])?;
        let answer = answer.unwrap_or_default();
        let here = self
            .repo
            .workdir()
            .and_then(|root| root.canonicalize().ok());
        let mut found: Vec<Worktree> = Vec::new();
        let mut bare = false;
        for line in answer.split(|&byte| byte == 0) {
            if let Some(path) = line.strip_prefix(b"worktree ") {
                found.push(Worktree {
                    path: path.to_str_lossy().into_owned(),
                    branch: None,
                });
            } else if let (Some(branch), Some(last)) =
                (line.strip_prefix(b"branch refs/heads/"), found.last_mut())
            {
                last.branch = Some(content::shown(branch.as_bstr()));
            } else if line == b"bare" {
                bare = true;
            }
        }
        if bare {
            // The first is the repository itself.
            found.remove(0);
        }
        found.retain(|tree| std::path::Path::new(&tree.path).canonicalize().ok() != here);
        Ok(found)
    }

    fn stashes(&self) -> anyhow::Result<Vec<String>> {
        let answer = self.ask(&["stash", "list", "-z", "--format=%gs"])?;
        let answer = answer.unwrap_or_default();
        let subjects = answer.split(|&byte| byte == 0);
        Ok(subjects
            .filter(|subject| !subject.is_empty())
            .map(|subject| subject.to_str_lossy().into_owned())
            .collect())
    }
}
