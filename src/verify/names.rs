//! Whether a path or a commit that somebody names is there.

use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;

use super::ground::Ground;
use super::{Answer, path_answer};
use crate::git::Repo;
use crate::git::history::{self, Resolved};
use crate::handoff::claim::{Claim, Origin};
use crate::handoff::hand::{Named, Seen};

/// A place to look names up in.
pub(crate) struct Names<'a> {
    ground: Ground<'a>,
    dir: &'a Path,
    home: Option<&'a Path>,
}

impl<'a> Names<'a> {
    /// Relative paths are seen from the root of the work tree, then from `dir`; `~` is `home`.
    pub(crate) fn new(repo: Option<&'a Repo>, dir: &'a Path, home: Option<&'a Path>) -> Self {
        Self {
            ground: Ground::new(repo.map(Repo::without_refs), None),
            dir,
            home,
        }
    }

    /// Looks for one name. A path that lies in one place only may be shortened at its beginning, as people do.
    pub(crate) fn look(&self, named: &Named<'_>) -> Seen {
        match *named {
            Named::Path { path, line } => self.path(path, line),
            Named::Commit(id) => self.commit(id),
        }
    }

    fn path(&self, path: &str, line: Option<u32>) -> Seen {
        let there = match self.find(path) {
            Ok(there) => there,
            Err(seen) => return seen,
        };
        // The lines are counted as when the card is judged.
        let claim = Claim::new(Origin::Agent, "");
        match path_answer(&self.ground, &claim, &there, line) {
            Answer::No(why) => Seen::Missing(why),
            Answer::Yes | Answer::Unknown(_) => Seen::Here(there),
        }
    }

    /// The path as the repository knows it.
    fn find(&self, path: &str) -> Result<String, Seen> {
        let exists = |path: &Path| path.symlink_metadata().is_ok();
        if let Some(below) = path.strip_prefix("~/") {
            let full = self.home.ok_or(Seen::Unknown)?.join(below);
            return if exists(&full) {
                Ok(full.to_string_lossy().into_owned())
            } else {
                Err(missing(path))
            };
        }
        let full = self.ground.full(path);
        if full.as_deref().is_some_and(exists) {
            return Ok(self
                .ground
                .relative(path)
                .unwrap_or_else(|| path.to_owned()));
        }
        let near: PathBuf = self.dir.join(path);
        if exists(&near) {
            let near = near.to_string_lossy().into_owned();
            return Ok(self.ground.relative(&near).unwrap_or(near));
        }
        let tracked = self.tracked_ending_with(path);
        match &tracked[..] {
            [one] => Ok(one.clone()),
            [] if full.is_some() => Err(missing(path)),
            _ => Err(Seen::Unknown),
        }
    }

    /// Tracked files whose path ends with `path`, and folders of some; two are as good as many.
    fn tracked_ending_with(&self, path: &str) -> Vec<String> {
        let index = self
            .ground
            .repo()
            .and_then(|repo| repo.index_or_empty().ok());
        let Some(index) = index.filter(|_| !path.starts_with(['/', '.'])) else {
            return Vec::new();
        };
        let path = path.trim_end_matches('/');
        let (tail, within) = (format!("/{path}"), format!("/{path}/"));
        let mut found: Vec<String> = Vec::new();
        for entry in index.entries() {
            let name = entry.path(&index).to_str_lossy();
            let folder = name.find(&within).map(|at| &name[..at + within.len() - 1]);
            let Some(known) = folder.or(name.ends_with(&tail).then_some(&*name)) else {
                continue;
            };
            if found.last().is_none_or(|last| last != known) {
                found.push(known.to_owned());
            }
            if found.len() > 1 {
                break;
            }
        }
        found
    }

    fn commit(&self, id: &str) -> Seen {
        let Some(repo) = self.ground.repo() else {
            return Seen::Unknown;
        };
        match history::resolve(repo, id) {
            Ok(Resolved::Commit(id)) => Seen::Here(id.to_string()),
            Ok(Resolved::Missing) => Seen::Missing(format!("no commit `{id}` in this repository")),
            Ok(Resolved::Ambiguous) => {
                Seen::Missing(format!("`{id}` is the beginning of more than one commit"))
            }
            Err(_) => Seen::Unknown,
        }
    }
}

fn missing(path: &str) -> Seen {
    Seen::Missing(format!("no file or folder `{path}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::sandbox::Sandbox;

    #[test]
    fn paths_and_commits_are_found_where_people_mean_them() {
        let sandbox = Sandbox::unborn(&[]);
        sandbox.write("src/deep/a.rs", "one\ntwo\n");
        sandbox.write("src/b.rs", "");
        sandbox.write("docs/b.rs", "");
        let head = sandbox.commit("first");
        sandbox.write("new.txt", "");
        let (repo, root) = (sandbox.repo(), sandbox.root());
        let (dir, home) = (root.join("src"), root.join("docs"));
        let names = Names::new(Some(&repo), &dir, Some(&home));
        let path = |path: &str, line, expect: Seen| {
            assert_eq!(names.look(&Named::Path { path, line }), expect, "{path}");
        };
        let here = |path: &str| Seen::Here(path.to_owned());
        path("src/deep/a.rs", Some(2), here("src/deep/a.rs"));
        path("a.rs", None, here("src/deep/a.rs"));
        path("deep/a.rs", None, here("src/deep/a.rs"));
        path("deep/", None, here("src/deep/"));
        path("deep", None, here("src/deep"));
        path("b.rs", None, here("src/b.rs"));
        path("new.txt", None, here("new.txt"));
        path(
            &root.join("new.txt").to_string_lossy(),
            None,
            here("new.txt"),
        );
        path("~/b.rs", None, here(&home.join("b.rs").to_string_lossy()));
        let no = |why: &str| Seen::Missing(why.to_owned());
        path("c.rs", None, no("no file or folder `c.rs`"));
        path(
            "/nowhere/c.rs",
            None,
            no("no file or folder `/nowhere/c.rs`"),
        );
        path(
            "src/deep/a.rs",
            Some(3),
            no("`src/deep/a.rs` has 2 lines, not 3"),
        );
        let short = &head[..7];
        let wrong = "f".repeat(40);
        assert_eq!(names.look(&Named::Commit(short)), here(&head));
        assert_eq!(
            names.look(&Named::Commit(&wrong)),
            no(&format!("no commit `{wrong}` in this repository"))
        );
        let nowhere = Names::new(None, &root, None);
        assert_eq!(nowhere.look(&Named::Commit(short)), Seen::Unknown);
    }
}
