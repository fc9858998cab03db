//! The index, where a person asks for it: only the entries that differ are set, so that all others keep what git notes
//! beside them.

use std::collections::BTreeSet;

use anyhow::{Context as _, bail};
use gix::bstr::{BString, ByteSlice};
use gix::index::entry::{Flags, Stage};
use gix::objs::tree::EntryKind;

use crate::deadline::Deadline;
use crate::git::content::shown;
use crate::git::tree_diff::{self, Change, Leaf};
use crate::git::{Oid, Repo};

/// What is to be set, and what stands in the way.
#[derive(Debug, Default)]
pub(crate) struct IndexPlan {
    /// The entries to set or remove.
    pub(crate) steps: Vec<Change>,
    /// What would be lost: the path and why.
    pub(crate) in_the_way: Vec<(String, String)>,
}

/// What turns an index that holds `from` at these paths into one that holds `to`.
pub(crate) fn plan_index(
    repo: &Repo,
    from: Option<Oid>,
    to: Oid,
    deadline: Deadline,
) -> anyhow::Result<IndexPlan> {
    let gix = repo.without_refs();
    let index = gix.index_or_empty().context("cannot read the index")?;
    let mut plan = IndexPlan::default();
    for change in tree_diff::changes(gix, from, Some(to), usize::MAX, deadline)? {
        let path = change.path.as_bstr();
        let entry = index.entry_by_path_and_stage(path, Stage::Unconflicted);
        let entry = entry.filter(|entry| !entry.flags.contains(Flags::INTENT_TO_ADD));
        let here = entry.and_then(|entry| {
            let kind = entry.mode.to_tree_entry_mode()?.kind();
            Some(Leaf { kind, id: entry.id })
        });
        if here == change.new {
            continue;
        }
        if here == change.old && index.entry_range(path).is_none_or(|range| range.len() < 2) {
            plan.steps.push(change);
        } else {
            let why = "something else is staged here";
            plan.in_the_way.push((shown(path), why.to_owned()));
        }
    }
    Ok(plan)
}

/// Sets the entries, and those that are only meant to be added.
pub(crate) fn put_index(repo: &Repo, steps: &[Change], deadline: Deadline) -> anyhow::Result<()> {
    let mut lines = Vec::new();
    let null = Oid::null(repo.hash_kind());
    // A file that becomes a folder, or the other way round, has to go before the other comes.
    let (coming, going): (Vec<&Change>, Vec<&Change>) =
        steps.iter().partition(|one| one.new.is_some());
    for step in going.into_iter().chain(coming) {
        let (mode, id) = match step.new {
            Some(leaf) => (octal(leaf.kind), leaf.id),
            None => ("0", null),
        };
        lines.extend_from_slice(format!("{mode} {id}\t").as_bytes());
        lines.extend_from_slice(&step.path);
        lines.push(0);
    }
    if lines.is_empty() {
        return Ok(());
    }
    let call = repo.program(&["update-index", "-z", "--index-info"]);
    let output = call.stdin(&lines).deadline(deadline).run()?;
    if !output.success() {
        bail!("cannot write the index: {}", output.complaint());
    }
    Ok(())
}

impl IndexPlan {
    /// Notes beside the entries how their files look, so that git need not read them; and adds those paths of `intended`
    /// that are in `written` as only meant to be added.
    pub(crate) fn settle(
        repo: &Repo,
        intended: &[String],
        written: &BTreeSet<BString>,
        deadline: Deadline,
    ) -> anyhow::Result<()> {
        let mut list = Vec::new();
        for path in written
            .iter()
            .filter(|path| intended.contains(&shown(path.as_bstr())))
        {
            list.extend_from_slice(path);
            list.push(0);
        }
        if !list.is_empty() {
            let args = [
                "--literal-pathspecs",
                "add",
                "--force",
                "--intent-to-add",
                "--pathspec-from-file=-",
                "--pathspec-file-nul",
            ];
            let output = repo.program(&args).stdin(&list).deadline(deadline).run()?;
            if !output.success() {
                bail!("cannot write the index: {}", output.complaint());
            }
        }
        // It ends with 1 where files differ from the index, which is no failure here.
        let refresh = repo.program(&["update-index", "-q", "--refresh"]);
        refresh.deadline(deadline).run()?;
        Ok(())
    }
}

fn octal(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::BlobExecutable => "100755",
        EntryKind::Link => "120000",
        EntryKind::Commit => "160000",
        EntryKind::Blob | EntryKind::Tree => "100644",
    }
}
