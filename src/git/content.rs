//! What the work tree holds: the blob id that git would give to the content of a file, or that content, as git would
//! store it. Nothing is stored.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::Mode as IndexMode;
use gix::objs::tree::EntryKind;

use super::Oid;
use crate::deadline::Deadline;

/// Larger files are not hashed for their own sake.
pub(crate) const BLOB_BYTES_MAX: u64 = 10 * 1024 * 1024;

/// What stands at a path of the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    /// Nothing.
    Nothing,
    /// A folder, or something that git cannot track.
    Other,
    /// A file or link; the blob id of its content, none when it is larger than was asked for.
    File(Option<Oid>),
}

/// A path of the work tree or the index that differs from HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changed {
    /// Relative to the root; one that ends with `/` is an untracked repository inside of this one.
    pub(crate) path: BString,
    /// The index against HEAD, as in `git status --porcelain`; a blank when equal.
    pub(crate) staged: char,
    /// The work tree against the index, `?` for untracked; a blank when equal.
    pub(crate) unstaged: char,
}

/// What was read at a path of the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Taken {
    /// Nothing stands there, or it is behind a link.
    Nothing,
    /// A folder, or something that git cannot track.
    Other,
    /// A file that is larger than was asked for, in bytes.
    TooLarge(u64),
    /// A file or link as git would store it.
    File {
        /// As what.
        kind: EntryKind,
        /// Its content.
        bytes: Vec<u8>,
    },
}

/// Reads files of the work tree as git would store them: line endings, encodings and the person's own clean filters
/// are applied, the last as `git status` runs them.
pub(crate) struct Content<'repo> {
    repo: &'repo gix::Repository,
    filters: Option<gix::filter::Pipeline<'repo>>,
    files: gix::fs::Capabilities,
    root: PathBuf,
}

impl<'repo> Content<'repo> {
    /// For the work tree of `repo`; an error in a bare repository.
    pub(crate) fn new(repo: &'repo gix::Repository) -> anyhow::Result<Self> {
        let root = repo
            .workdir()
            .context("cannot read the work tree: the repository is bare")?;
        Ok(Self {
            repo,
            filters: None,
            files: repo.filesystem_options()?,
            root: root.to_owned(),
        })
    }

    /// What stands at `path`, relative to the root, as git would store it, when it has at most `bytes_max`. `index` is the
    /// repository's index: it says what a file is where the file system cannot, and filters ask it what is stored now.
    pub(crate) fn take(
        &mut self,
        path: &BStr,
        index: &gix::index::State,
        bytes_max: u64,
        deadline: Deadline,
    ) -> anyhow::Result<Taken> {
        let relative = relative(path)?;
        let full = self.root.join(&relative);
        let Ok(meta) = full.symlink_metadata() else {
            return Ok(Taken::Nothing);
        };
        if !self.is_below_folders(&relative) {
            return Ok(Taken::Nothing);
        }
        if meta.is_symlink() {
            let target = std::fs::read_link(&full).context("cannot read the link")?;
            let bytes = gix::path::into_bstr(target).context("cannot read the link")?;
            let kind = EntryKind::Link;
            return Ok(Taken::File {
                kind,
                bytes: bytes.to_vec(),
            });
        }
        if !meta.is_file() {
            return Ok(Taken::Other);
        }
        if meta.len() > bytes_max {
            return Ok(Taken::TooLarge(meta.len()));
        }
        let known = index.entry_by_path(path).map(|entry| entry.mode);
        let kind = match known {
            // Without links in the file system, git keeps a link as a plain file with its target in it.
            Some(IndexMode::SYMLINK) if !self.files.symlink => {
                let bytes = std::fs::read(&full)?;
                let kind = EntryKind::Link;
                return Ok(Taken::File { kind, bytes });
            }
            Some(IndexMode::FILE_EXECUTABLE) if !self.files.executable_bit => {
                EntryKind::BlobExecutable
            }
            _ if self.files.executable_bit && is_executable(&meta) => EntryKind::BlobExecutable,
            _ => EntryKind::Blob,
        };
        let bytes = self.filtered(&full, &relative, index, bytes_max, deadline)?;
        Ok(Taken::File { kind, bytes })
    }

    /// Whether every folder on the way to a path is one, and no link.
    fn is_below_folders(&self, relative: &Path) -> bool {
        let above = relative.ancestors().skip(1);
        let mut folders = above.filter(|folder| !folder.as_os_str().is_empty());
        folders.all(|folder| {
            let meta = self.root.join(folder).symlink_metadata();
            meta.is_ok_and(|meta| meta.is_dir())
        })
    }

    /// The person's filters, made when a first file asks for them.
    fn filters(
        &mut self,
        index: &gix::index::State,
    ) -> anyhow::Result<&mut gix::filter::Pipeline<'repo>> {
        Ok(match &mut self.filters {
            Some(filters) => filters,
            none => {
                let source = gix::worktree::stack::state::attributes::Source::WorktreeThenIdMapping;
                let attributes = self.repo.attributes_only(index, source)?.detach();
                none.insert(gix::filter::Pipeline::new(self.repo, attributes)?)
            }
        })
    }

    fn filtered(
        &mut self,
        full: &Path,
        relative: &Path,
        index: &gix::index::State,
        bytes_max: u64,
        deadline: Deadline,
    ) -> anyhow::Result<Vec<u8>> {
        use gix::filter::plumbing::pipeline::convert::ToGitOutcome;

        let file = Timed {
            file: std::fs::File::open(full)?,
            deadline,
        };
        let filters = self.filters(index)?;
        // It may grow while it is read.
        let limit = bytes_max.saturating_add(1);
        let mut bytes = Vec::new();
        match filters.convert_to_git(file, relative, index)? {
            ToGitOutcome::Unchanged(file) => file.take(limit).read_to_end(&mut bytes)?,
            ToGitOutcome::Process(output) => output.take(limit).read_to_end(&mut bytes)?,
            ToGitOutcome::Buffer(output) => output.take(limit).read_to_end(&mut bytes)?,
        };
        let fits = u64::try_from(bytes.len()).is_ok_and(|read| read < limit);
        anyhow::ensure!(fits, "it grew while it was read");
        Ok(bytes)
    }

    /// What stands at `path`, relative to the root, and the blob id of its content when it has at most `bytes_max`.
    /// `index` is the repository's index; filters ask it what is stored now.
    pub(crate) fn held(
        &mut self,
        path: &BStr,
        index: &gix::index::State,
        bytes_max: u64,
        deadline: Deadline,
    ) -> anyhow::Result<Held> {
        let relative = relative(path)?;
        let full = self.root.join(&relative);
        let Ok(meta) = full.symlink_metadata() else {
            return Ok(Held::Nothing);
        };
        if meta.is_symlink() {
            let target =
                std::fs::read_link(&full).with_context(|| format!("cannot read link `{path}`"))?;
            let target = gix::path::into_bstr(target)
                .with_context(|| format!("cannot read link `{path}`"))?;
            return Ok(Held::File(Some(self.id_of(&target)?)));
        }
        if !meta.is_file() {
            return Ok(Held::Other);
        }
        if meta.len() > bytes_max {
            return Ok(Held::File(None));
        }
        let id = self
            .filtered_id(&full, &relative, index, meta.len(), deadline)
            .with_context(|| format!("cannot read `{path}`"))?;
        Ok(Held::File(Some(id)))
    }

    fn filtered_id(
        &mut self,
        full: &Path,
        relative: &Path,
        index: &gix::index::State,
        length: u64,
        deadline: Deadline,
    ) -> anyhow::Result<Oid> {
        use gix::filter::plumbing::pipeline::convert::ToGitOutcome;

        let hash = self.repo.object_hash();
        let file = Timed {
            file: std::fs::File::open(full)?,
            deadline,
        };
        let filters = self.filters(index)?;
        let mut bytes = Vec::new();
        match filters.convert_to_git(file, relative, index)? {
            ToGitOutcome::Unchanged(mut file) => {
                let never = std::sync::atomic::AtomicBool::new(false);
                let id = gix::objs::compute_stream_hash(
                    hash,
                    gix::objs::Kind::Blob,
                    &mut file,
                    length,
                    &mut gix::progress::Discard,
                    &never,
                )?;
                return Ok(id);
            }
            ToGitOutcome::Process(mut output) => {
                output.read_to_end(&mut bytes)?;
            }
            ToGitOutcome::Buffer(output) => bytes.extend_from_slice(output),
        }
        self.id_of(&bytes)
    }

    fn id_of(&self, bytes: &[u8]) -> anyhow::Result<Oid> {
        let hash = self.repo.object_hash();
        Ok(gix::objs::compute_hash(
            hash,
            gix::objs::Kind::Blob,
            bytes.as_bytes(),
        )?)
    }
}

/// A path or name as a census keeps it: quoted as git does where it is not UTF-8.
pub(crate) fn shown(name: &BStr) -> String {
    match name.to_str() {
        Ok(text) => text.to_owned(),
        Err(_) => gix::quote::ansi_c::quote(name).to_string(),
    }
}

#[cfg(unix)]
fn is_executable(meta: &std::fs::Metadata) -> bool {
    // Git looks at the owner's bit alone.
    std::os::unix::fs::MetadataExt::mode(meta) & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_meta: &std::fs::Metadata) -> bool {
    false
}

/// A path of git's as the file system has it.
fn relative(path: &BStr) -> anyhow::Result<std::borrow::Cow<'_, Path>> {
    gix::path::from_bstr(path).with_context(|| format!("cannot read `{path}`: not a path here"))
}

/// A file that stops being readable when time is up.
struct Timed {
    file: std::fs::File,
    deadline: Deadline,
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.deadline.passed() {
            return Err(std::io::Error::new(
                std::io::ErrorKind::TimedOut,
                "out of time",
            ));
        }
        self.file.read(buffer)
    }
}
