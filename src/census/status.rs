//! Which paths differ from HEAD: one pass over the index, one walk for what is untracked, no threads. A census is
//! mostly taken of small repositories, where starting threads costs more than the work.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Mode, Stat};

use super::staged;
use super::untracked;
use crate::deadline::Deadline;
use crate::git::Oid;
use crate::git::content::{self, BLOB_BYTES_MAX, Content, Held};
use crate::handoff::census::DirtyPath;

/// More dirty paths than this are counted, not listed.
pub(super) const DIRTY_PATHS_MAX: usize = 2000;
/// The clock is looked at once in this many index entries.
const CLOCK_EVERY_ENTRIES: usize = 256;

/// One path that differs, as it is found piece by piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) staged: char,
    pub(super) unstaged: char,
    /// What the work tree holds there, once that was read.
    held: Option<Held>,
}

impl Default for Found {
    fn default() -> Self {
        Self {
            staged: ' ',
            unstaged: ' ',
            held: None,
        }
    }
}

/// The paths that differ, by their bytes.
pub(super) type Paths = BTreeMap<BString, Found>;

/// Every path of the work tree and the index that differs from HEAD, and why that may not be all. Neither is written, not
/// even to refresh the index.
pub(super) fn scan(
    repo: &gix::Repository,
    head: Option<Oid>,
    deadline: Deadline,
) -> (Paths, Vec<String>) {
    let mut cut = Vec::new();
    let mut paths = Paths::new();
    if let Err(err) = collect(repo, head, deadline, &mut paths, &mut cut) {
        cut.push(format!("status: {err:#}"));
    }
    (paths, cut)
}

fn collect(
    repo: &gix::Repository,
    head: Option<Oid>,
    deadline: Deadline,
    paths: &mut Paths,
    cut: &mut Vec<String>,
) -> anyhow::Result<()> {
    let index = repo.index_or_empty().context("cannot read the index")?;
    match staged::changes(repo, head, &index, deadline) {
        Ok(staged) => {
            for (path, how) in staged {
                paths.entry(path).or_default().staged = how;
            }
        }
        Err(err) => cut.push(format!("staged: {err:#}")),
    }
    if let Err(err) = Tracked::new(repo, &index, deadline)?.scan(paths) {
        cut.push(format!("unstaged: {err:#}"));
    }
    if let Err(err) = untracked::walk(repo, &index, deadline, paths) {
        cut.push(format!("untracked: {err:#}"));
    }
    Ok(())
}

/// The index against the work tree.
struct Tracked<'a> {
    repo: &'a gix::Repository,
    index: &'a gix::index::State,
    deadline: Deadline,
    content: Content<'a>,
    root: Vec<u8>,
    stat: gix::index::entry::stat::Options,
    files: gix::fs::Capabilities,
    /// Whether files outside of a sparse checkout count when they are there all the same.
    sparse: bool,
}

impl<'a> Tracked<'a> {
    fn new(
        repo: &'a gix::Repository,
        index: &'a gix::index::State,
        deadline: Deadline,
    ) -> anyhow::Result<Self> {
        let root = repo.workdir().context("the repository is bare")?;
        let mut root = gix::path::into_bstr(root)
            .context("cannot use the work tree's path")?
            .to_vec();
        if root.last() != Some(&b'/') {
            root.push(b'/');
        }
        // A path from here is found faster than one from the root of the file system, by a tenth of the whole census.
        if repo.workdir() == Some(repo.current_dir()) {
            root.clear();
        }
        Ok(Self {
            repo,
            index,
            deadline,
            content: Content::new(repo)?,
            root,
            stat: repo.stat_options()?,
            files: repo.filesystem_options()?,
            sparse: repo
                .config_snapshot()
                .boolean("core.sparseCheckout")
                .unwrap_or(false),
        })
    }

    /// Compares every entry; on time out, what was found so far stays in `paths`.
    fn scan(&mut self, paths: &mut Paths) -> anyhow::Result<()> {
        let mut full = self.root.clone();
        let base = full.len();
        let mut gone_folder: Vec<u8> = Vec::new();
        let entries = self.index.entries();
        for (at, entry) in entries.iter().enumerate() {
            if at % CLOCK_EVERY_ENTRIES == 0 && self.deadline.passed() {
                anyhow::bail!("out of time after {at} of {} files", entries.len());
            }
            let path = entry.path(self.index);
            if entry.stage_raw() != 0 {
                let found = paths.entry(path.to_owned()).or_default();
                (found.staged, found.unstaged) = ('U', 'U');
                continue;
            }
            let outside = entry.flags.contains(Flags::SKIP_WORKTREE);
            if entry.flags.contains(Flags::ASSUME_VALID)
                || entry.mode == Mode::DIR
                || (outside && !self.sparse)
                || (outside && !gone_folder.is_empty() && path.starts_with(&gone_folder))
            {
                continue;
            }
            full.truncate(base);
            full.extend_from_slice(path);
            let file = gix::path::from_byte_slice(&full).context("cannot use a path")?;
            let (how, held) = match gix::index::fs::Metadata::from_path_no_follow(file) {
                Ok(meta) => self.compare(entry, path, file, &meta)?,
                Err(_) if outside => {
                    gone_folder = gone_above(file, path);
                    (' ', None)
                }
                Err(_) => ('D', Some(Held::Nothing)),
            };
            let how = match how {
                ' ' | 'M' if entry.flags.contains(Flags::INTENT_TO_ADD) => 'A',
                how => how,
            };
            if how != ' ' {
                let found = paths.entry(path.to_owned()).or_default();
                (found.unstaged, found.held) = (how, held);
            }
        }
        Ok(())
    }

    fn compare(
        &mut self,
        entry: &gix::index::Entry,
        path: &BStr,
        file: &Path,
        meta: &gix::index::fs::Metadata,
    ) -> anyhow::Result<(char, Option<Held>)> {
        if entry.mode == Mode::COMMIT {
            return Ok((self.submodule(entry, file, meta), None));
        }
        if meta.is_dir() {
            return Ok(('D', Some(Held::Nothing)));
        }
        let is_link = meta.is_symlink();
        let kind_differs = if entry.mode == Mode::SYMLINK {
            // Without links in the file system, git keeps a link as a plain file with its target in it.
            !is_link && (self.files.symlink || !meta.is_file())
        } else {
            !meta.is_file()
        };
        if kind_differs {
            return Ok(('T', None));
        }
        let runs_differs = self.files.executable_bit
            && meta.is_file()
            && entry.mode != Mode::SYMLINK
            && meta.is_executable() != (entry.mode == Mode::FILE_EXECUTABLE);
        let stat = Stat::from_fs(meta).context("cannot read a file's times")?;
        if entry.stat.matches(&stat, self.stat)
            && !entry.stat.is_racy(self.index.timestamp(), self.stat)
        {
            return Ok((if runs_differs { 'M' } else { ' ' }, None));
        }
        if !self.is_below_folders(path) {
            return Ok(('D', Some(Held::Nothing)));
        }
        // As git does: another size is another content, unless the index says that it does not know the size.
        if entry.stat.size != 0 && entry.stat.size != stat.size {
            return Ok(('M', None));
        }
        let held = match self.content.held(path, self.index, u64::MAX, self.deadline) {
            Ok(held) => held,
            Err(err) if self.deadline.passed() => return Err(err),
            // A file that may not be read differs as far as anyone can tell; its content is asked for once more and
            // then counted as not read.
            Err(_) => return Ok(('M', None)),
        };
        let same = matches!(held, Held::File(Some(id)) if id == entry.id);
        let how = if same && !runs_differs { ' ' } else { 'M' };
        Ok((how, (meta.len() <= BLOB_BYTES_MAX).then_some(held)))
    }

    /// A submodule differs when another commit is checked out in it; what is dirty inside is not looked at.
    fn submodule(
        &self,
        entry: &gix::index::Entry,
        file: &Path,
        meta: &gix::index::fs::Metadata,
    ) -> char {
        if !meta.is_dir() {
            return 'T';
        }
        let options = self.repo.open_options().clone().open_path_as_is(false);
        let inner = gix::open_opts(file, options);
        match inner.map(|inner| inner.head_id().map(gix::Id::detach)) {
            Ok(Ok(head)) if head != entry.id => 'M',
            // Not checked out, or on a branch without commits: git says nothing either.
            _ => ' ',
        }
    }

    /// Whether every folder above `path` is one; behind a link, git sees no file of ours.
    fn is_below_folders(&self, path: &BStr) -> bool {
        path.find_iter(b"/").all(|slash| {
            let mut folder = self.root.clone();
            folder.extend_from_slice(&path[..slash]);
            gix::path::from_byte_slice(&folder)
                .ok()
                .and_then(|folder| folder.symlink_metadata().ok())
                .is_some_and(|meta| meta.is_dir())
        })
    }
}

/// The folder directly above `file`, relative to the root and with a `/`, when it is gone as well.
fn gone_above(file: &Path, path: &BStr) -> Vec<u8> {
    let Some(slash) = path.rfind_byte(b'/') else {
        return Vec::new();
    };
    let is_gone = file.parent().is_some_and(|folder| !folder.exists());
    if is_gone {
        path[..=slash].to_vec()
    } else {
        Vec::new()
    }
}

/// The paths as a census keeps them, at most [`DIRTY_PATHS_MAX`], with the ids of their contents.
pub(super) fn list(
    repo: &gix::Repository,
    mut paths: Paths,
    deadline: Deadline,
    cut: &mut Vec<String>,
) -> Vec<DirtyPath> {
    if paths.len() > DIRTY_PATHS_MAX {
        cut.push(format!("dirty: {} more", paths.len() - DIRTY_PATHS_MAX));
        // What git already knows is worth more than what nobody added.
        let mut order: Vec<(BString, Found)> = paths.into_iter().collect();
        order.sort_by_key(|(_, found)| found.unstaged == '?');
        order.truncate(DIRTY_PATHS_MAX);
        paths = order.into_iter().collect();
    }
    let mut ids = match Ids::new(repo, deadline) {
        Ok(ids) => Some(ids),
        Err(err) => {
            if !paths.is_empty() {
                cut.push(format!("contents: {err:#}"));
            }
            None
        }
    };
    let mut unread = 0usize;
    let mut dirty = Vec::with_capacity(paths.len());
    for (path, found) in &paths {
        let blob = match (found.held, &mut ids) {
            _ if found.unstaged == 'D' => None,
            (Some(Held::File(id)), _) => id,
            (Some(_), _) | (None, None) => None,
            (None, Some(ids)) => ids.of(path.as_bstr(), &mut unread),
        };
        dirty.push(DirtyPath {
            path: content::shown(path.as_bstr()),
            staged: found.staged,
            unstaged: found.unstaged,
            blob: blob.map(|id| id.to_string()),
        });
    }
    if unread > 0 {
        cut.push(format!("contents: {unread} not read"));
    }
    dirty
}

struct Ids<'a> {
    content: Content<'a>,
    index: gix::worktree::Index,
    deadline: Deadline,
}

impl<'a> Ids<'a> {
    fn new(repo: &'a gix::Repository, deadline: Deadline) -> anyhow::Result<Self> {
        Ok(Self {
            content: Content::new(repo)?,
            index: repo.index_or_empty().context("cannot read the index")?,
            deadline,
        })
    }

    fn of(&mut self, path: &BStr, unread: &mut usize) -> Option<Oid> {
        if path.ends_with(b"/") {
            return None;
        }
        let held = if self.deadline.passed() {
            None
        } else {
            self.content
                .held(path, &self.index, BLOB_BYTES_MAX, self.deadline)
                .ok()
        };
        match held {
            Some(Held::File(id)) => id,
            Some(Held::Nothing | Held::Other) => None,
            None => {
                *unread += 1;
                None
            }
        }
    }
}
