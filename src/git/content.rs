//! What the work tree holds: the blob id that git would give to the content of a file, without storing it.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gix::bstr::{BStr, ByteSlice};

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

/// Reads files of the work tree as git would store them: line endings, encodings and the person's own clean filters
/// are applied, the last as `git status` runs them.
pub(crate) struct Content<'repo> {
    repo: &'repo gix::Repository,
    filters: Option<gix::filter::Pipeline<'repo>>,
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
            root: root.to_owned(),
        })
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
        let relative = gix::path::from_bstr(path)
            .with_context(|| format!("cannot read `{path}`: not a path here"))?;
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
        let filters = match &mut self.filters {
            Some(filters) => filters,
            none => none.insert(filters_of(self.repo, index)?),
        };
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

fn filters_of<'repo>(
    repo: &'repo gix::Repository,
    index: &gix::index::State,
) -> anyhow::Result<gix::filter::Pipeline<'repo>> {
    let attributes = repo.attributes_only(
        index,
        gix::worktree::stack::state::attributes::Source::WorktreeThenIdMapping,
    )?;
    Ok(gix::filter::Pipeline::new(repo, attributes.detach())?)
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
