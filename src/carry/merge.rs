//! Merging a carried tree with what is here, by git itself: as two commits on the card's HEAD.

use anyhow::{Context as _, bail};
use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::tree::EntryKind;

use crate::deadline::Deadline;
use crate::error::Failure;
use crate::git::tree_diff::Leaf;
use crate::git::tree_edit::Edit;
use crate::git::{Oid, Repo};

/// The end code of `git merge-tree` where there are conflicts.
const CONFLICTS: i32 = 1;
/// What the two sides are called in conflict marks.
const OURS: &str = "here";

/// What came of a merge.
#[derive(Debug)]
pub(crate) struct Merged {
    /// Both made one; files in conflict with git's marks in them.
    pub(crate) tree: Oid,
    /// The paths in conflict, by path.
    pub(crate) conflicts: Vec<BString>,
}

/// Merges two trees that both began as the commit `base` (nothing where there is none). `theirs_name` is what conflict
/// marks call the carried side. Writes objects, moves nothing.
pub(crate) fn merge(
    repo: &Repo,
    base: Option<Oid>,
    ours: Oid,
    theirs: Oid,
    theirs_name: &str,
    deadline: Deadline,
) -> anyhow::Result<Merged> {
    let base = match base {
        Some(base) => base,
        None => repo.write_commit(repo.edited_tree(None, &[])?, &[], "nothing\n")?,
    };
    let side = |tree: Oid, message: &str| repo.write_commit(tree, &[base], message);
    let (ours, theirs) = (side(ours, "here\n")?, side(theirs, "carried\n")?);
    let (ours_id, theirs_id) = (ours.to_string(), theirs.to_string());
    let args = [
        "merge-tree",
        "--write-tree",
        "-z",
        "--name-only",
        "--no-messages",
        &ours_id,
        &theirs_id,
    ];
    let output = repo.program(&args).deadline(deadline).run()?;
    if !output.success() && output.code != Some(CONFLICTS) {
        let text = format!("cannot merge: {}", output.complaint());
        return Err(Failure::fatal(text)
            .hint("it takes git 2.38 or newer")
            .into());
    }
    let mut parts = output.stdout.split(|byte| *byte == 0);
    let tree = parts.next().unwrap_or_default();
    let tree = Oid::from_hex(tree.trim()).context("cannot read the answer of `git merge-tree`")?;
    let mut conflicts: Vec<BString> = parts
        .filter(|path| !path.is_empty())
        .map(BString::from)
        .collect();
    conflicts.sort();
    conflicts.dedup();
    let names = [
        (ours_id.as_str(), OURS),
        (theirs_id.as_str(), theirs_name),
        (&base.to_string(), "when the card was written"),
    ];
    let tree = renamed(repo, tree, &conflicts, &names)?;
    Ok(Merged { tree, conflicts })
}

/// The tree with conflict marks that name the sides: git knows them by the ids of our two commits only.
fn renamed(
    repo: &Repo,
    tree: Oid,
    conflicts: &[BString],
    names: &[(&str, &str)],
) -> anyhow::Result<Oid> {
    let mut edits: Vec<Edit> = Vec::new();
    for path in conflicts {
        let Some(leaf) = repo.leaf_at(tree, path.as_bstr())? else {
            continue;
        };
        if matches!(leaf.kind, EntryKind::Commit | EntryKind::Link) {
            continue;
        }
        let blob = repo.without_refs().find_object(leaf.id);
        let blob = blob.context("cannot read a merged file")?;
        let text = marked(blob.data.as_bstr(), names);
        if text != blob.data {
            let id = repo.write_blob(&text)?;
            edits.push((path.clone(), Some(Leaf { id, ..leaf })));
        }
    }
    if edits.is_empty() {
        return Ok(tree);
    }
    repo.edited_tree(Some(tree), &edits)
}

fn marked(text: &BStr, names: &[(&str, &str)]) -> Vec<u8> {
    let mut marked = text.to_vec();
    for (id, name) in names {
        for mark in ["<<<<<<<", "|||||||", ">>>>>>>"] {
            let (from, to) = (format!("{mark} {id}"), format!("{mark} {name}"));
            marked = marked.replace(from, to);
        }
    }
    marked
}

/// The index as a tree; an error where it has conflicts.
pub(crate) fn index_tree(repo: &Repo, deadline: Deadline) -> anyhow::Result<Oid> {
    let output = repo.program(&["write-tree"]).deadline(deadline).run()?;
    if !output.success() {
        bail!("cannot use the index: {}", output.complaint());
    }
    Oid::from_hex(output.stdout.trim()).context("cannot read the answer of `git write-tree`")
}
