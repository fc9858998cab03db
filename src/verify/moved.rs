//! Which paths hold something else than they did, committed or not: two censuses and the trees of their HEADs.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use gix::bstr::ByteSlice;

use crate::deadline::Deadline;
use crate::git::Oid;
use crate::git::tree_diff;
use crate::handoff::census::{Census, DirtyPath};
use crate::handoff::freshness::MovedPath;

/// More paths than this are not compared one by one.
const PATHS_MAX: usize = 5000;

/// What a path held at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Holds {
    Nothing,
    Blob(String),
    /// A folder that nobody added, a submodule, or a file too large to be hashed.
    Something,
}

/// A census with the tree of its HEAD.
pub(super) struct Moment<'a> {
    pub(super) census: &'a Census,
    pub(super) tree: Option<Oid>,
}

/// Every path whose content differs between two moments, by path.
pub(super) fn between(
    repo: &gix::Repository,
    then: &Moment<'_>,
    now: &Moment<'_>,
    deadline: Deadline,
) -> anyhow::Result<Vec<MovedPath>> {
    let mut committed: BTreeMap<String, (Holds, Holds)> = BTreeMap::new();
    for one in tree_diff::between(repo, then.tree, now.tree, PATHS_MAX, deadline)? {
        let path = crate::git::content::shown(one.path.as_bstr());
        committed.insert(path, (holds(one.old), holds(one.new)));
    }
    let dirty = then.census.dirty.iter().chain(&now.census.dirty);
    let mut paths: BTreeSet<String> = dirty.map(|dirty| dirty.path.clone()).collect();
    paths.extend(committed.keys().cloned());
    let mut moved = Vec::new();
    for path in &paths {
        anyhow::ensure!(!deadline.passed(), "out of time");
        let (was, is) = (then.census.dirty_path(path), now.census.dirty_path(path));
        if path.ends_with('/') {
            if let Some(how) = folder(path, was.is_some(), is.is_some(), &paths) {
                moved.push(made(path, how));
            }
            continue;
        }
        let (old, new) = committed
            .get(path)
            .map_or((None, None), |(old, new)| (Some(old), Some(new)));
        let before = side(repo, was, old, then.tree, path)?;
        let after = side(repo, is, new, now.tree, path)?;
        if before != after && !was_in_unknown_folder(path, then.census, now.census, &before, &after)
        {
            let how = match was.is_some() && is.is_none() && old.is_none() {
                true => reverted(&before, &after),
                false => how(&before, &after, is.is_some()),
            };
            moved.push(made(path, how));
        }
    }
    Ok(moved)
}

fn made(path: &str, how: &str) -> MovedPath {
    MovedPath {
        path: path.to_owned(),
        how: how.to_owned(),
    }
}

/// What was not committed is not there any more, and no commit touched the path.
fn reverted(before: &Holds, after: &Holds) -> &'static str {
    match (before, after) {
        (_, Holds::Nothing) => "gone",
        _ => "reverted",
    }
}

fn how(before: &Holds, after: &Holds, dirty: bool) -> &'static str {
    match (before, after) {
        (_, Holds::Nothing) => "gone",
        (Holds::Nothing, _) => "new",
        _ if dirty => "changed",
        _ => "committed",
    }
}

/// A folder that nobody added is one path of a census; it moved when it came or went with all that is in it.
fn folder(path: &str, was: bool, is: bool, all: &BTreeSet<String>) -> Option<&'static str> {
    let has_known_files = all
        .range(path.to_owned()..)
        .skip(1)
        .take_while(|below| below.starts_with(path))
        .any(|below| !below.ends_with('/'));
    match (was, is) {
        // Some of it was added since, and the rest is listed by file.
        _ if has_known_files => None,
        (true, false) => Some("gone"),
        (false, true) => Some("new"),
        _ => None,
    }
}

/// Whether a path that seems to have come or gone lay in a folder of which only the name is known.
fn was_in_unknown_folder(
    path: &str,
    then: &Census,
    now: &Census,
    before: &Holds,
    after: &Holds,
) -> bool {
    let inside = |census: &Census| {
        path.match_indices('/')
            .any(|(slash, _)| census.dirty_path(&path[..=slash]).is_some())
    };
    (*before == Holds::Nothing && inside(then)) || (*after == Holds::Nothing && inside(now))
}

/// What a path held: what the census says, else what HEAD has there.
fn side(
    repo: &gix::Repository,
    dirty: Option<&DirtyPath>,
    in_diff: Option<&Holds>,
    tree: Option<Oid>,
    path: &str,
) -> anyhow::Result<Holds> {
    if let Some(dirty) = dirty {
        let gone = dirty.unstaged == 'D' || (dirty.staged == 'D' && dirty.unstaged == ' ');
        return Ok(match &dirty.blob {
            Some(blob) => Holds::Blob(blob.clone()),
            None if gone => Holds::Nothing,
            None => Holds::Something,
        });
    }
    if let Some(holds) = in_diff {
        return Ok(holds.clone());
    }
    Ok(holds(in_tree(repo, tree, path)?))
}

/// The blob at a path of a tree.
pub(super) fn in_tree(
    repo: &gix::Repository,
    tree: Option<Oid>,
    path: &str,
) -> anyhow::Result<Option<Oid>> {
    let Some(tree) = tree else { return Ok(None) };
    let entry = repo
        .find_tree(tree)
        .and_then(|tree| tree.lookup_entry_by_path(path))
        .with_context(|| format!("cannot look up `{path}` in tree `{tree}`"))?;
    Ok(entry
        .filter(|entry| !entry.mode().is_tree())
        .map(|entry| entry.object_id()))
}

fn holds(id: Option<Oid>) -> Holds {
    id.map_or(Holds::Nothing, |id| Holds::Blob(id.to_string()))
}
