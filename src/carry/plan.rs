//! What bringing a tree into a work tree would write, and what is in the way of it. Writes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::tree::EntryKind;

use crate::deadline::Deadline;
use crate::error::Failure;
use crate::git::content::{BLOB_BYTES_MAX, Content, Held, Taken, shown};
use crate::git::tree_diff::{self, Change, Leaf};
use crate::git::{Oid, Repo};

/// So many files of a folder in the way are named.
const FOLDER_FILES_NAMED_MAX: usize = 3;

/// What is to be written, and what stands in the way.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The paths to write or remove, by path.
    pub(crate) steps: Vec<Change>,
    /// The paths that are as they are to be already.
    pub(crate) there: Vec<BString>,
    /// What would be lost, by path: the path and why.
    pub(crate) in_the_way: Vec<(String, String)>,
}

/// What turns a work tree that holds `from` at these paths into one that holds `to`. Submodules are left alone. An error
/// where `to` has a path that git would not check out: a tree may come from anyone.
pub(crate) fn plan(
    repo: &Repo,
    from: Option<Oid>,
    to: Oid,
    deadline: Deadline,
) -> anyhow::Result<Plan> {
    let gix = repo.without_refs();
    let mut changes = tree_diff::changes(gix, from, Some(to), usize::MAX, deadline)?;
    let is_submodule = |leaf: Option<Leaf>| leaf.is_some_and(|leaf| leaf.kind == EntryKind::Commit);
    changes.retain(|one| !is_submodule(one.old) && !is_submodule(one.new));
    check_paths(&changes)?;
    let index = gix.index_or_empty().context("cannot read the index")?;
    let root = repo.workdir().context("the repository has no work tree")?;
    let going = changes.iter().filter(|one| one.new.is_none());
    let mut look = Look {
        content: Content::new(gix)?,
        index: &index,
        root,
        hash: repo.hash_kind(),
        going: going.map(|one| one.path.clone()).collect(),
        deadline,
    };
    let mut plan = Plan::default();
    for change in changes {
        match look.at(&change)? {
            Stands::AsItIsToBe => plan.there.push(change.path),
            Stands::Free => plan.steps.push(change),
            Stands::InTheWay(why) => plan.in_the_way.push((shown(change.path.as_bstr()), why)),
        }
    }
    Ok(plan)
}

/// What stands at a path.
enum Stands {
    AsItIsToBe,
    Free,
    InTheWay(String),
}

struct Look<'l> {
    content: Content<'l>,
    index: &'l gix::index::State,
    root: &'l Path,
    hash: gix::hash::Kind,
    /// Paths that are to be removed.
    going: BTreeSet<BString>,
    deadline: Deadline,
}

impl Look<'_> {
    fn at(&mut self, change: &Change) -> anyhow::Result<Stands> {
        let path = change.path.as_bstr();
        if let Some(above) = self.blocked_above(path)? {
            // What is to go from behind a link is not there.
            return Ok(match change.new {
                None => Stands::AsItIsToBe,
                Some(_) => Stands::InTheWay(format!("`{above}` is no folder here")),
            });
        }
        let cannot = || format!("cannot read `{}`", shown(path));
        let taken = self
            .content
            .take(path, self.index, BLOB_BYTES_MAX, self.deadline)
            .with_context(cannot)?;
        let here = match taken {
            Taken::File { kind, bytes } => Some(Leaf {
                kind,
                id: gix::objs::compute_hash(self.hash, gix::objs::Kind::Blob, &bytes)?,
            }),
            Taken::Other => return self.at_folder(change),
            Taken::Nothing => None,
            Taken::TooLarge(_) => {
                let held = self
                    .content
                    .held(path, self.index, u64::MAX, self.deadline)
                    .with_context(cannot)?;
                let kind = change.old.map_or(EntryKind::Blob, |old| old.kind);
                match held {
                    Held::File(Some(id)) => Some(Leaf { kind, id }),
                    _ => None,
                }
            }
        };
        Ok(if here == change.new {
            Stands::AsItIsToBe
        } else if here == change.old {
            Stands::Free
        } else if here.is_none() {
            // Not in a sparse checkout, or removed here: then the removal would be lost.
            let skipped = self.index.entry_by_path(path).is_some_and(|entry| {
                let skip = gix::index::entry::Flags::SKIP_WORKTREE;
                entry.flags.contains(skip)
            });
            match skipped {
                true => Stands::Free,
                false => Stands::InTheWay("it was removed here".to_owned()),
            }
        } else if change.old.is_none() {
            Stands::InTheWay("another file is there".to_owned())
        } else {
            Stands::InTheWay("it was changed here".to_owned())
        })
    }

    /// A folder stands where the other tree has something else: it may go when all that is in it goes.
    fn at_folder(&self, change: &Change) -> anyhow::Result<Stands> {
        if change.new.is_none() {
            return Ok(Stands::AsItIsToBe);
        }
        if !self.full(change.path.as_bstr())?.is_dir() {
            return Ok(Stands::InTheWay("no file is there".to_owned()));
        }
        let mut others = Vec::new();
        self.staying(change.path.clone(), &mut others)?;
        Ok(match others.is_empty() {
            true => Stands::Free,
            false => Stands::InTheWay(format!("a folder is there, with {}", others.join(", "))),
        })
    }

    /// Files below a folder that are not to be removed.
    fn staying(&self, folder: BString, found: &mut Vec<String>) -> anyhow::Result<()> {
        let full = self.full(folder.as_bstr())?;
        let listing = std::fs::read_dir(&full)
            .with_context(|| format!("cannot read `{}`", shown(folder.as_bstr())))?;
        for item in listing {
            let item = item?;
            let mut path = folder.clone();
            path.push(b'/');
            let name = item.file_name();
            path.extend_from_slice(gix::path::os_str_into_bstr(&name).context("not a path here")?);
            if item.file_type()?.is_dir() {
                self.staying(path, found)?;
            } else if !self.going.contains(&path) {
                found.push(format!("`{}`", shown(path.as_bstr())));
            }
            if found.len() == FOLDER_FILES_NAMED_MAX {
                break;
            }
        }
        Ok(())
    }

    /// The first thing on the way to a path that is no folder and is not going to be removed.
    fn blocked_above(&self, path: &BStr) -> anyhow::Result<Option<String>> {
        for (at, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            let folder = path[..at].as_bstr();
            let Ok(meta) = self.full(folder)?.symlink_metadata() else {
                return Ok(None);
            };
            if !meta.is_dir() {
                let goes = self.going.contains(folder);
                return Ok((!goes).then(|| shown(folder)));
            }
        }
        Ok(None)
    }

    fn full(&self, path: &BStr) -> anyhow::Result<PathBuf> {
        let path = gix::path::from_bstr(path).context("not a path here")?;
        Ok(self.root.join(path))
    }
}

/// Refuses what git would not check out: names that lead out of the work tree or into a git directory on any file system,
/// two things that would stand at one place.
fn check_paths(changes: &[Change]) -> anyhow::Result<()> {
    let refuse = |path: &BStr, why: String| -> anyhow::Result<()> {
        let text = format!("cannot bring back `{}`: {why}", shown(path));
        Err(Failure::fatal(text)
            .hint("the card's tree was not made by git-segue: do not use it")
            .into())
    };
    // Also where letters of another case are the same name.
    let mut coming: BTreeMap<Vec<u8>, &BStr> = BTreeMap::new();
    for change in changes {
        let path = change.path.as_bstr();
        let is_link = change.new.is_some_and(|leaf| leaf.kind == EntryKind::Link);
        let mut names = path.split(|byte| *byte == b'/').peekable();
        while let Some(name) = names.next() {
            let last_link = is_link && names.peek().is_none();
            let mode = last_link.then_some(gix::validate::path::component::Mode::Symlink);
            let options = gix::validate::path::component::Options {
                // Names that only Windows cannot have are no danger elsewhere.
                protect_windows: cfg!(windows),
                protect_hfs: true,
                protect_ntfs: true,
            };
            if let Err(err) = gix::validate::path::component(name.as_bstr(), mode, options) {
                return refuse(path, err.to_string());
            }
        }
        if change.new.is_some()
            && let Some(other) = coming.insert(path.to_ascii_lowercase(), path)
            && other == path
        {
            return refuse(path, "it is there twice".to_owned());
        }
    }
    for path in coming.keys() {
        for (at, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            if let Some(above) = coming.get(&path[..at]) {
                let why = format!("`{}` is both a file and a folder", shown(above));
                return refuse(path.as_bstr(), why);
            }
        }
    }
    Ok(())
}
