//! What nobody added: a walk through the work tree beside the index, with a folder that holds nothing tracked as one
//! path. Ignore files are read only where there is something that nobody added.

use std::ops::Range;
use std::path::PathBuf;

use anyhow::Context as _;
use gix::bstr::{BStr, BString, ByteSlice, ByteVec as _};
use gix::index::entry::Mode;
use gix::worktree::stack::state::ignore::Source;

use super::folded;
use super::status::Paths;
use crate::deadline::Deadline;

/// Adds what is untracked to `paths`. `status.showUntrackedFiles=no` is heeded: people set it where the walk would be
/// endless.
pub(super) fn walk(
    repo: &gix::Repository,
    index: &gix::index::State,
    deadline: Deadline,
    paths: &mut Paths,
) -> anyhow::Result<()> {
    let config = repo.config_snapshot();
    if config
        .string("status.showUntrackedFiles")
        .is_some_and(|value| matches!(value.to_ascii_lowercase().as_slice(), b"no" | b"false"))
    {
        return Ok(());
    }
    let files = repo.filesystem_options()?;
    let links = if files.ignore_case || files.precompose_unicode {
        folded::walk(repo, index, deadline, paths)?
    } else {
        let root = repo.workdir().context("the repository is bare")?;
        let root = if root == repo.current_dir() {
            PathBuf::from(".")
        } else {
            root.to_owned()
        };
        let mut walk = Walk {
            index,
            deadline,
            root,
            ignored: repo.excludes(index, None, Source::WorktreeThenIdMappingIfNotSkipped)?,
            paths,
            links: Vec::new(),
        };
        walk.tracked_folder(&mut BString::default(), 0..index.entries().len())?;
        walk.links
    };
    for link in links {
        shadow(index, link, paths);
    }
    Ok(())
}

/// The files that are not ignored in an untracked folder (ending with `/`), repositories inside of it as one path each;
/// none where it is a repository itself, or holds more than `files_max`.
pub(super) fn files_below(
    repo: &gix::Repository,
    index: &gix::index::State,
    mut folder: BString,
    files_max: usize,
    deadline: Deadline,
) -> anyhow::Result<Option<Vec<BString>>> {
    let root = repo.workdir().context("the repository is bare")?.to_owned();
    let mut walk = Walk {
        index,
        deadline,
        root,
        ignored: repo.excludes(index, None, Source::WorktreeThenIdMappingIfNotSkipped)?,
        paths: &mut Paths::new(),
        links: Vec::new(),
    };
    if walk.full(folder.as_bstr())?.join(".git").exists() {
        return Ok(None);
    }
    let mut files = Vec::new();
    let fits = walk.gather(&mut folder, files_max, &mut files)?;
    Ok(fits.then_some(files))
}

/// A link where tracked files had a folder: they are gone, even where it leads to the same files.
fn shadow(index: &gix::index::State, mut link: BString, paths: &mut Paths) {
    link.push_byte(b'/');
    for entry in index.prefixed_entries(link.as_ref()).unwrap_or_default() {
        paths
            .entry(entry.path(index).to_owned())
            .or_default()
            .unstaged = 'D';
    }
}

struct Walk<'a> {
    index: &'a gix::index::State,
    deadline: Deadline,
    root: PathBuf,
    ignored: gix::AttributeStack<'a>,
    paths: &'a mut Paths,
    /// Links that nobody added.
    links: Vec<BString>,
}

/// The names that the index has in one folder.
struct Names<'a> {
    /// Files, links and submodules, sorted.
    files: Vec<&'a BStr>,
    /// Folders with a `/` behind, sorted, and where the entries below them stand.
    folders: Vec<(&'a BStr, Range<usize>)>,
}

impl<'a> Walk<'a> {
    /// Looks through a folder that has tracked files: those in `range`, with `folder` (empty, or ending with `/`) before
    /// their names.
    fn tracked_folder(&mut self, folder: &mut BString, range: Range<usize>) -> anyhow::Result<()> {
        anyhow::ensure!(!self.deadline.passed(), "out of time");
        // One that is gone or closed to us holds nothing that we could name; git says no more.
        let Ok(listing) = std::fs::read_dir(self.full(folder.as_bstr())?) else {
            return Ok(());
        };
        let names = self.names(folder.len(), range);
        let length = folder.len();
        for item in listing {
            let Ok(item) = item else { continue };
            let name = item.file_name();
            let name = gix::path::os_str_into_bstr(&name).context("cannot use a name")?;
            if name == ".git" || names.files.binary_search(&name).is_ok() {
                continue;
            }
            let Ok(kind) = item.file_type() else { continue };
            folder.push_str(name);
            if kind.is_dir() {
                folder.push_byte(b'/');
                let below = folder[length..].as_bstr();
                match names.folders.binary_search_by(|(one, _)| one.cmp(&below)) {
                    Ok(at) => self.tracked_folder(folder, names.folders[at].1.clone())?,
                    Err(_) if self.holds_something(folder)? => self.add(folder.clone()),
                    Err(_) => {}
                }
            } else if (kind.is_file() || kind.is_symlink()) && !self.is_ignored(folder)? {
                if kind.is_symlink() {
                    self.links.push(folder.clone());
                }
                self.add(folder.clone());
            }
            folder.truncate(length);
        }
        Ok(())
    }

    /// Whether a folder without tracked files, ending with `/`, is not ignored and holds anything that is not: git
    /// does not see folders that are empty.
    fn holds_something(&mut self, folder: &mut BString) -> anyhow::Result<bool> {
        Ok(!self.gather(folder, 0, &mut Vec::new())?)
    }

    /// Adds every file below a folder, ending with `/`, that is not ignored; whether there were at most `files_max`.
    fn gather(
        &mut self,
        folder: &mut BString,
        files_max: usize,
        files: &mut Vec<BString>,
    ) -> anyhow::Result<bool> {
        anyhow::ensure!(!self.deadline.passed(), "out of time");
        if self.is_ignored(folder)? {
            return Ok(true);
        }
        let full = self.full(folder.as_bstr())?;
        // Another repository is one thing, whatever is in it.
        if full.join(".git").exists() {
            files.push(folder.clone());
            return Ok(files.len() <= files_max);
        }
        let Ok(listing) = std::fs::read_dir(full) else {
            return Ok(true);
        };
        let length = folder.len();
        for item in listing {
            let Ok(item) = item else { continue };
            let Ok(kind) = item.file_type() else { continue };
            let name = item.file_name();
            folder.push_str(gix::path::os_str_into_bstr(&name).context("cannot use a name")?);
            let mut fits = true;
            if kind.is_dir() {
                folder.push_byte(b'/');
                fits = self.gather(folder, files_max, files)?;
            } else if (kind.is_file() || kind.is_symlink()) && !self.is_ignored(folder)? {
                files.push(folder.clone());
                fits = files.len() <= files_max;
            }
            folder.truncate(length);
            if !fits {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The names at `length` bytes into the paths of `range`.
    fn names(&self, length: usize, range: Range<usize>) -> Names<'a> {
        let index = self.index;
        let entries = index.entries();
        let mut names = Names {
            files: Vec::new(),
            folders: Vec::new(),
        };
        let mut at = range.start;
        while at < range.end {
            let rest = &entries[at].path(index)[length..];
            match rest.find_byte(b'/') {
                None => {
                    // The versions of a conflict follow each other under one name.
                    if names.files.last() != Some(&rest.as_bstr()) {
                        names.files.push(rest.as_bstr());
                    }
                    at += 1;
                }
                Some(slash) => {
                    let name = rest[..=slash].as_bstr();
                    let below = entries[at..range.end]
                        .partition_point(|entry| entry.path(index)[length..].starts_with(name));
                    // A sparse index has a whole folder as one entry, which is not checked out.
                    let inside = if entries[at].mode == Mode::DIR {
                        at..at
                    } else {
                        at..at + below
                    };
                    names.folders.push((name, inside));
                    at += below.max(1);
                }
            }
        }
        names
    }

    fn full(&self, folder: &BStr) -> anyhow::Result<PathBuf> {
        let folder = gix::path::from_bstr(folder).context("cannot use a path")?;
        Ok(self.root.join(folder))
    }

    /// Whether ignore files take a path out; a folder's ends with `/`.
    fn is_ignored(&mut self, path: &BString) -> anyhow::Result<bool> {
        let (path, mode) = match path.strip_suffix(b"/") {
            Some(folder) => (folder.as_bstr(), Mode::DIR),
            None => (path.as_bstr(), Mode::FILE),
        };
        let at = self.ignored.at_entry(path, Some(mode));
        Ok(at.context("cannot read ignore files")?.is_excluded())
    }

    fn add(&mut self, path: BString) {
        self.paths.entry(path).or_default().unstaged = '?';
    }
}
