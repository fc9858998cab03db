//! The repository: found, trusted, and read or written through gix, or through the git program where gix would be
//! silently wrong. Knows nothing of cards.

use std::path::{Path, PathBuf};

pub(crate) mod process;

pub(crate) use gix::ObjectId as Oid;

/// What the environment says about where the repository is and who we are; read once, at the door.
#[derive(Debug, Clone, Default)]
pub(crate) struct GitEnv {
    /// `GIT_DIR` and what else git itself honours is read by gix and git; this is the rest that we need.
    pub(crate) config_parameters: Option<String>,
    /// Now, in seconds since 1970 UTC: `GIT_COMMITTER_DATE` where it is set, else the clock.
    pub(crate) now: i64,
    /// Offset of the person's clock from UTC, in seconds.
    pub(crate) utc_offset: i32,
    /// `GIT_COMMITTER_NAME`, else `GIT_AUTHOR_NAME`.
    pub(crate) name: Option<String>,
    /// `GIT_COMMITTER_EMAIL`, else `GIT_AUTHOR_EMAIL`.
    pub(crate) email: Option<String>,
}

/// A repository.
pub(crate) struct Repo {
    gix: Option<gix::Repository>,
    git_dir: PathBuf,
    common_dir: PathBuf,
    workdir: Option<PathBuf>,
    env: GitEnv,
}

/// One entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    /// Its name, one level.
    pub(crate) name: String,
    /// The blob or tree.
    pub(crate) oid: Oid,
    /// Whether it is a tree.
    pub(crate) tree: bool,
}

/// A commit as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommitRead {
    /// Its tree.
    pub(crate) tree: Oid,
    /// Its parents.
    pub(crate) parents: Vec<Oid>,
    /// The committer's moment, in seconds since 1970 UTC.
    pub(crate) at: i64,
    /// The whole message.
    pub(crate) message: String,
}

/// How moving a ref ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Swap {
    /// It points to the new commit.
    Done,
    /// Somebody else moved it first.
    Moved,
}

/// Why there is no repository to use.
#[derive(Debug)]
pub(crate) enum Found {
    /// A repository.
    Repo(Box<Repo>),
    /// None at this place or above.
    None,
}

impl std::fmt::Debug for Repo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repo")
            .field("git_dir", &self.git_dir)
            .finish_non_exhaustive()
    }
}

impl Repo {
    /// The repository that `dir` is in, honouring `GIT_DIR` and its kin. An error where there is one that must not be
    /// used (not ours, an unknown extension, broken), with a hint.
    pub(crate) fn discover(_dir: &Path, _env: &GitEnv) -> anyhow::Result<Found> {
        anyhow::bail!("cannot open the repository: not built yet")
    }

    /// The bare repository at `path`, made when it is not there.
    pub(crate) fn open_or_init_bare(_path: &Path, _env: &GitEnv) -> anyhow::Result<Self> {
        anyhow::bail!("cannot make the store: not built yet")
    }

    /// gix's own handle; none where only the git program may be used.
    pub(crate) fn gix(&self) -> Option<&gix::Repository> {
        self.gix.as_ref()
    }

    /// This work tree's git directory.
    pub(crate) fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The git directory that all work trees share.
    pub(crate) fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The work tree's root; none in a bare repository.
    pub(crate) fn workdir(&self) -> Option<&Path> {
        self.workdir.as_deref()
    }

    /// What the environment said.
    pub(crate) fn env(&self) -> &GitEnv {
        &self.env
    }

    /// The last value of a config key (`segue.saveInterval`), from the command line, environment, local, global or
    /// system config.
    pub(crate) fn config(&self, _key: &str) -> Option<String> {
        None
    }

    /// Every value of a config key, in order.
    pub(crate) fn config_all(&self, _key: &str) -> Vec<String> {
        Vec::new()
    }

    /// Writes a blob; one that exists costs nothing.
    pub(crate) fn write_blob(&self, _bytes: &[u8]) -> anyhow::Result<Oid> {
        anyhow::bail!("cannot write a blob: not built yet")
    }

    /// Writes a tree; the entries may come in any order.
    pub(crate) fn write_tree(&self, _entries: Vec<TreeEntry>) -> anyhow::Result<Oid> {
        anyhow::bail!("cannot write a tree: not built yet")
    }

    /// Writes a commit by us, now.
    pub(crate) fn write_commit(
        &self,
        _tree: Oid,
        _parents: &[Oid],
        _message: &str,
    ) -> anyhow::Result<Oid> {
        anyhow::bail!("cannot write a commit: not built yet")
    }

    /// Reads a commit.
    pub(crate) fn read_commit(&self, _id: Oid) -> anyhow::Result<CommitRead> {
        anyhow::bail!("cannot read a commit: not built yet")
    }

    /// The bytes of the file at `path` in a commit's or a tree's tree; none when it is not there.
    pub(crate) fn read_file(&self, _treeish: Oid, _path: &str) -> anyhow::Result<Option<Vec<u8>>> {
        anyhow::bail!("cannot read a file of a commit: not built yet")
    }

    /// Whether an object is there.
    pub(crate) fn has(&self, _id: Oid) -> bool {
        false
    }

    /// What a ref points to; none when there is no such ref.
    pub(crate) fn find_ref(&self, _name: &str) -> anyhow::Result<Option<Oid>> {
        anyhow::bail!("cannot look up a ref: not built yet")
    }

    /// Every ref under a prefix that ends with `/`, by name; broken ones are left out.
    pub(crate) fn refs_under(&self, _prefix: &str) -> anyhow::Result<Vec<(String, Oid)>> {
        anyhow::bail!("cannot list refs: not built yet")
    }

    /// Moves a ref from `old` (none: it must not exist) to `new`, with a reflog entry.
    pub(crate) fn swap_ref(
        &self,
        _name: &str,
        _old: Option<Oid>,
        _new: Oid,
        _log: &str,
    ) -> anyhow::Result<Swap> {
        anyhow::bail!("cannot move a ref: not built yet")
    }

    /// Deletes refs with their logs, each only while it points to what is given.
    pub(crate) fn delete_refs(&self, _refs: &[(String, Oid)]) -> anyhow::Result<()> {
        anyhow::bail!("cannot delete refs: not built yet")
    }
}
