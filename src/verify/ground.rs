//! What claims are held against: a repository, its work tree, and the census of a moment ago.

use std::path::{Component, Path, PathBuf};

use gix::bstr::ByteSlice;

use crate::deadline::Deadline;
use crate::git::Oid;
use crate::git::content::{BLOB_BYTES_MAX, Content, Held};
use crate::git::history::{self, Resolved};
use crate::handoff::census::Census;

/// A repository to look things up in; outside of one, only absolute paths can be looked at.
pub(super) struct Ground<'a> {
    repo: Option<&'a gix::Repository>,
    census: Option<&'a Census>,
    root: Option<PathBuf>,
    content: Option<Content<'a>>,
}

impl<'a> Ground<'a> {
    pub(super) fn new(repo: Option<&'a gix::Repository>, census: Option<&'a Census>) -> Self {
        let root = repo.and_then(gix::Repository::workdir);
        Self {
            repo,
            census,
            root: root.and_then(|root| std::path::absolute(root).ok()),
            content: repo
                .filter(|_| !census.is_some_and(Census::is_unreadable))
                .and_then(|repo| Content::new(repo).ok()),
        }
    }

    pub(super) fn repo(&self) -> Option<&'a gix::Repository> {
        self.repo
    }

    /// HEAD's commit, as the census has it.
    pub(super) fn head(&self) -> Option<Oid> {
        self.census
            .and_then(|census| census.head.as_deref())
            .and_then(|head| Oid::from_hex(head.as_bytes()).ok())
    }

    /// The path relative to the root with `/` between levels; none when it lies outside or there is no root.
    pub(super) fn relative(&self, path: &str) -> Option<String> {
        let root = self.root.as_deref()?;
        let inside = match Path::new(path).strip_prefix(root) {
            Ok(inside) => inside,
            Err(_) if Path::new(path).is_absolute() => return None,
            Err(_) => Path::new(path),
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in inside.components() {
            match part {
                Component::Normal(name) => parts.push(name.to_str()?),
                Component::CurDir => {}
                Component::ParentDir => {
                    parts.pop()?;
                }
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        let mut relative = parts.join("/");
        if path.ends_with('/') && !relative.is_empty() {
            relative.push('/');
        }
        Some(relative).filter(|relative| !relative.is_empty())
    }

    /// Where the path is on disk; none for a relative one without a root.
    pub(super) fn full(&self, path: &str) -> Option<PathBuf> {
        match &self.root {
            Some(root) => Some(root.join(path)),
            None => Some(PathBuf::from(path)).filter(|path| path.is_absolute()),
        }
    }

    /// The blob id, in hex, of what a file of the work tree holds now; none for what is no file, is too large, or lies
    /// outside.
    pub(super) fn blob(&mut self, path: &str, deadline: Deadline) -> Option<String> {
        let relative = self.relative(path)?;
        let seen = self
            .census
            .and_then(|census| census.dirty_path(&relative))
            .and_then(|dirty| dirty.blob.clone());
        match seen {
            Some(blob) => Some(blob),
            None => match self.held(&relative, deadline) {
                Some(Held::File(Some(id))) => Some(id.to_string()),
                _ => None,
            },
        }
    }

    /// What stands at a path relative to the root now; none when it cannot be read.
    pub(super) fn held(&mut self, relative: &str, deadline: Deadline) -> Option<Held> {
        if deadline.passed() {
            return None;
        }
        // Read once a process; a census has read it before.
        let index = self.repo?.index_or_empty().ok()?;
        let content = self.content.as_mut()?;
        let path = relative.as_bytes().as_bstr();
        content.held(path, &index, BLOB_BYTES_MAX, deadline).ok()
    }

    /// The full id in hex and the subject of the one commit that `id` means.
    pub(super) fn commit_facts(&self, id: &str) -> Option<(String, String)> {
        let repo = self.repo?;
        match history::resolve(repo, id).ok()? {
            Resolved::Commit(id) => {
                let facts = history::facts(repo, id).ok()?;
                Some((facts.id.to_string(), facts.subject))
            }
            Resolved::Ambiguous | Resolved::Missing => None,
        }
    }
}
