//! Blobs, trees and commits: written loose by gix, read from wherever they are.

use std::time::Duration;

use anyhow::{Context, anyhow};
use gix::bstr::ByteSlice;
use gix::objs::tree::{Entry, EntryKind};
use gix::objs::{Write as _, WriteTo};

use super::{CommitRead, Oid, Repo, TreeEntry};

/// How often a write is tried: `git gc` may remove an empty object folder between its making and its use.
const WRITE_TRIES_MAX: u32 = 4;
/// A half-written object that is older has no writer any more.
const TEMPORARY_STALE_SECONDS: u64 = 24 * 60 * 60;

impl Repo {
    /// Writes a blob; one that exists costs nothing.
    ///
    /// An unreachable blob that is reused is not made younger, as git would: for a card to lose it, the same content
    /// would have to lie about for two weeks and a `git gc` to run in the very moment before the ref moves.
    pub(crate) fn write_blob(&self, bytes: &[u8]) -> anyhow::Result<Oid> {
        let blob = gix::objs::BlobRef { data: bytes };
        self.write_object(&blob).context("cannot write a blob")
    }

    /// Writes a tree; the entries may come in any order.
    pub(crate) fn write_tree(&self, entries: Vec<TreeEntry>) -> anyhow::Result<Oid> {
        let mut entries: Vec<Entry> = entries
            .into_iter()
            .map(|entry| Entry {
                mode: if entry.tree {
                    EntryKind::Tree.into()
                } else {
                    EntryKind::Blob.into()
                },
                filename: entry.name.into(),
                oid: entry.oid,
            })
            .collect();
        entries.sort();
        self.write_object(&gix::objs::Tree { entries })
            .context("cannot write a tree")
    }

    /// Writes a commit by us, now.
    pub(crate) fn write_commit(
        &self,
        tree: Oid,
        parents: &[Oid],
        message: &str,
    ) -> anyhow::Result<Oid> {
        self.write_commit_by(self.signature(), tree, parents, message)
    }

    /// Writes a commit by us at a given moment, in seconds since 1970 UTC: the same content is the same commit,
    /// whenever and wherever one person writes it.
    pub(crate) fn write_commit_at(
        &self,
        tree: Oid,
        parents: &[Oid],
        message: &str,
        at: i64,
    ) -> anyhow::Result<Oid> {
        let by = gix::actor::Signature {
            time: gix::date::Time {
                seconds: at,
                offset: 0,
            },
            ..self.signature()
        };
        self.write_commit_by(by, tree, parents, message)
    }

    fn write_commit_by(
        &self,
        by: gix::actor::Signature,
        tree: Oid,
        parents: &[Oid],
        message: &str,
    ) -> anyhow::Result<Oid> {
        let commit = gix::objs::Commit {
            tree,
            parents: parents.iter().copied().collect(),
            author: by.clone(),
            committer: by,
            encoding: None,
            message: message.into(),
            extra_headers: Vec::new(),
        };
        self.write_object(&commit).context("cannot write a commit")
    }

    /// A commit, byte for byte.
    pub(crate) fn raw_commit(&self, id: Oid) -> anyhow::Result<Vec<u8>> {
        let read = self.inner.find_commit(id);
        let commit = read.with_context(|| format!("cannot read commit {id}"))?;
        Ok(commit.detach().data)
    }

    /// Writes a commit that is made already.
    pub(crate) fn write_raw_commit(&self, bytes: &[u8]) -> anyhow::Result<Oid> {
        self.write_bytes(gix::objs::Kind::Commit, bytes)
            .context("cannot write a commit")
    }

    pub(super) fn write_object(&self, object: &dyn WriteTo) -> anyhow::Result<Oid> {
        let mut bytes = Vec::new();
        object.write_to(&mut bytes)?;
        self.write_bytes(object.kind(), &bytes)
    }

    fn write_bytes(&self, kind: gix::objs::Kind, bytes: &[u8]) -> anyhow::Result<Oid> {
        let id = gix::objs::compute_hash(self.inner.object_hash(), kind, bytes)?;
        let objects = &self.inner.objects;
        let mut tries = 1;
        loop {
            // Looked at on each try: another process may have written it.
            if gix::objs::Exists::exists(objects, &id) {
                return Ok(id);
            }
            match objects.write_buf(kind, bytes) {
                Ok(id) => return Ok(id),
                Err(_) if tries < WRITE_TRIES_MAX => tries += 1,
                Err(err) => return Err(anyhow!(err)),
            }
        }
    }

    /// Removes what killed writers left in the object folder. `git gc` knows only the names that git gives to its own
    /// half-written objects, not those of gix 0.90 (`.tmp` and six characters). What cannot be removed stays.
    pub(crate) fn sweep_temporary_objects(&self) {
        let Ok(entries) = std::fs::read_dir(self.common_dir.join("objects")) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.as_encoded_bytes();
            if name.len() == ".tmp123456".len()
                && name.starts_with(b".tmp")
                && super::is_older_than(&entry.path(), Duration::from_secs(TEMPORARY_STALE_SECONDS))
            {
                std::fs::remove_file(entry.path()).ok();
            }
        }
    }

    /// Who we are, now: the environment's name and address, else the configuration's, else a generic one.
    pub(super) fn signature(&self) -> gix::actor::Signature {
        let (name, email) = match (&self.env.name, &self.env.email) {
            (Some(name), Some(email)) => (Some(name.clone()), Some(email.clone())),
            (name, email) => {
                let (config_name, config_email) = super::config::identity(&self.inner);
                (name.clone().or(config_name), email.clone().or(config_email))
            }
        };
        gix::actor::Signature {
            name: plain(&name.unwrap_or_else(|| super::NAME_FALLBACK.to_owned())).into(),
            email: plain(&email.unwrap_or_else(|| super::EMAIL_FALLBACK.to_owned())).into(),
            time: gix::date::Time {
                seconds: self.env.now.max(0),
                offset: self.env.utc_offset,
            },
        }
    }

    /// Reads a commit.
    pub(crate) fn read_commit(&self, id: Oid) -> anyhow::Result<CommitRead> {
        let commit = self
            .inner
            .find_commit(id)
            .with_context(|| format!("cannot read commit {id}"))?;
        let read = || -> gix::Result<CommitRead> {
            let decoded = commit.decode()?;
            Ok(CommitRead {
                tree: decoded.tree(),
                parents: decoded.parents().collect(),
                at: decoded.committer()?.time()?.seconds,
                message: decoded.message.to_str_lossy().into_owned(),
            })
        };
        read().with_context(|| format!("cannot read commit {id}"))
    }

    /// The bytes of the file at `path` in a commit's or a tree's tree; none when it is not there.
    pub(crate) fn read_file(&self, treeish: Oid, path: &str) -> anyhow::Result<Option<Vec<u8>>> {
        let read = || -> gix::Result<Option<Vec<u8>>> {
            let tree = self.inner.find_object(treeish)?.peel_to_tree()?;
            match tree.lookup_entry_by_path(path)? {
                Some(entry) => Ok(Some(entry.object()?.detach().data)),
                None => Ok(None),
            }
        };
        read().with_context(|| format!("cannot read `{path}` of {treeish}"))
    }

    /// The entries of a tree.
    pub(crate) fn entries(&self, tree: Oid) -> anyhow::Result<Vec<TreeEntry>> {
        let read = || -> gix::Result<Vec<TreeEntry>> {
            let tree = self.inner.find_tree(tree)?;
            let entries = tree.iter().map(|entry| {
                let entry = entry?;
                Ok(TreeEntry {
                    name: entry.filename().to_str_lossy().into_owned(),
                    oid: entry.object_id(),
                    tree: entry.mode().is_tree(),
                })
            });
            entries.collect()
        };
        read().with_context(|| format!("cannot read tree {tree}"))
    }

    /// Every object whose id begins with these hex digits; none for what is no prefix of an id.
    pub(crate) fn ids_with_prefix(&self, digits: &str) -> anyhow::Result<Vec<Oid>> {
        super::history::objects_with_prefix(&self.inner, digits)
    }

    /// Whether an object is there.
    pub(crate) fn has(&self, id: Oid) -> bool {
        self.inner.has_object(id)
    }
}

/// A name or address without what would end it in a commit's header.
fn plain(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control() && !matches!(c, '<' | '>'))
        .collect::<String>()
        .trim()
        .to_owned()
}
