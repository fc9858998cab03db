//! Every path that differs from HEAD, for those who need each file: untracked folders are looked into, and no list is cut.

use anyhow::Context as _;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::Mode;

use super::status::{self, Found, Paths};
use super::untracked;
use crate::deadline::Deadline;
use crate::git::content::Changed;

/// An untracked folder with more files than this, all untracked ones counted, stays one path.
const UNTRACKED_FILES_MAX: usize = 10_000;
/// How a submodule is marked in which something is not committed.
const DIRTY_INSIDE: char = 'm';

/// The paths of a scan, by path; an error where the scan was cut short. An untracked folder that stays one path, ending
/// with `/`, is another repository, or has too many files.
pub(super) fn of(
    repo: &gix::Repository,
    (paths, cut): (Paths, Vec<String>),
    deadline: Deadline,
) -> anyhow::Result<Vec<Changed>> {
    anyhow::ensure!(cut.is_empty(), "{}", cut.join(", "));
    let index = repo.index_or_empty().context("cannot read the index")?;
    let root = repo.workdir().context("the repository is bare")?;
    let mut changes = dirty_submodules(repo, &index, &paths, deadline);
    let mut room = UNTRACKED_FILES_MAX;
    for (path, found) in paths {
        let folder = match path.ends_with(b"/") {
            true => path.clone(),
            false => {
                changes.push(changed(path.clone(), found));
                // Git says nothing of what lies in a folder that took the place of a tracked file.
                let is_gone = matches!(found.unstaged, 'D' | 'T');
                let full = gix::path::from_bstr(path.as_bstr()).map(|path| root.join(path));
                let is_folder = full.is_ok_and(|full| is_folder(&full));
                if !is_gone || !is_folder || is_submodule(&index, path.as_bstr()) {
                    continue;
                }
                let mut folder = path;
                folder.push(b'/');
                folder
            }
        };
        match untracked::files_below(repo, &index, folder.clone(), room, deadline)? {
            Some(files) => {
                room -= files.len();
                changes.extend(files.into_iter().map(untracked));
            }
            None => changes.push(untracked(folder)),
        }
    }
    changes.sort_by(|one, other| one.path.cmp(&other.path));
    // One that was taken out of the index and still lies in an untracked folder was found twice.
    changes.dedup_by(|later, kept| {
        let same = later.path == kept.path;
        if same {
            let either = |one: char, other: char| if one == ' ' { other } else { one };
            kept.staged = either(kept.staged, later.staged);
            kept.unstaged = either(kept.unstaged, later.unstaged);
        }
        same
    });
    Ok(changes)
}

fn changed(path: BString, found: Found) -> Changed {
    Changed {
        path,
        staged: found.staged,
        unstaged: found.unstaged,
    }
}

fn untracked(path: BString) -> Changed {
    Changed {
        path,
        staged: ' ',
        unstaged: '?',
    }
}

fn is_folder(path: &std::path::Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_dir())
}

fn is_submodule(index: &gix::index::State, path: &BStr) -> bool {
    let entry = index.entry_by_path(path);
    entry.is_some_and(|entry| entry.mode == Mode::COMMIT)
}

/// Submodules with their own commit checked out in which something is not committed.
fn dirty_submodules(
    repo: &gix::Repository,
    index: &gix::index::State,
    known: &Paths,
    deadline: Deadline,
) -> Vec<Changed> {
    let submodules = index.entries().iter();
    let submodules = submodules.filter(|entry| entry.mode == Mode::COMMIT);
    let mut dirty = Vec::new();
    for path in submodules.map(|entry| entry.path(index)) {
        if known.get(path).is_some_and(|found| found.unstaged != ' ') {
            continue;
        }
        let root = repo.workdir().zip(gix::path::from_bstr(path).ok());
        let options = repo.open_options().clone().open_path_as_is(false);
        let inner = root.and_then(|(root, path)| gix::open_opts(root.join(path), options).ok());
        let Some(inner) = inner else { continue };
        let head = inner.head_id().ok().map(gix::Id::detach);
        let (paths, cut) = status::scan(&inner, head, deadline);
        if !paths.is_empty() || !cut.is_empty() {
            dirty.push(Changed {
                path: path.to_owned(),
                staged: ' ',
                unstaged: DIRTY_INSIDE,
            });
        }
    }
    dirty
}
