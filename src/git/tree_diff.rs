//! Where two trees differ; no renames.

use std::ops::ControlFlow;

use anyhow::Context as _;
use gix::bstr::{BStr, BString};
use gix::diff::tree::visit::{self, Action};
use gix::diff::tree::{Recorder, Visit};
use gix::objs::tree::{EntryKind, EntryMode};

use super::Oid;
use crate::deadline::Deadline;

/// A file that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Differs {
    /// Its path.
    pub(crate) path: BString,
    /// Its blob in the first tree; none when it is not there.
    pub(crate) old: Option<Oid>,
    /// Its blob in the second tree.
    pub(crate) new: Option<Oid>,
}

/// What a tree has at a path: never a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// File, link or submodule.
    pub(crate) kind: EntryKind,
    /// The blob, or the submodule's commit.
    pub(crate) id: Oid,
}

/// A path at which two trees differ, in content or in mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// The path.
    pub(crate) path: BString,
    /// What the first tree has there; none when it has nothing, or a folder.
    pub(crate) old: Option<Leaf>,
    /// What the second tree has there.
    pub(crate) new: Option<Leaf>,
}

/// The files that differ, by path; an error when there are more than `files_max` or time runs out. No tree stands for
/// the empty one. A mode alone makes no difference.
pub(crate) fn between(
    repo: &gix::Repository,
    old: Option<Oid>,
    new: Option<Oid>,
    files_max: usize,
    deadline: Deadline,
) -> anyhow::Result<Vec<Differs>> {
    let changes = changes(repo, old, new, files_max, deadline)?.into_iter();
    let differing = changes.map(|one| Differs {
        path: one.path,
        old: one.old.map(|leaf| leaf.id),
        new: one.new.map(|leaf| leaf.id),
    });
    Ok(differing.filter(|one| one.old != one.new).collect())
}

/// The paths at which two trees differ, in content or in mode, by path; limits as for [`between`].
pub(crate) fn changes(
    repo: &gix::Repository,
    old: Option<Oid>,
    new: Option<Oid>,
    files_max: usize,
    deadline: Deadline,
) -> anyhow::Result<Vec<Change>> {
    if old == new {
        return Ok(Vec::new());
    }
    let tree = |id: Option<Oid>| match id {
        Some(id) => repo
            .find_tree(id)
            .with_context(|| format!("cannot read tree `{id}`")),
        None => Ok(repo.empty_tree()),
    };
    let (old, new) = (tree(old)?, tree(new)?);
    let hash = repo.object_hash();
    let mut visitor = Bounded {
        recorder: Recorder::default(),
        files_max,
        deadline,
        stopped: None,
    };
    let walked = gix::diff::tree(
        gix::objs::TreeRefIter::from_bytes(&old.data, hash),
        gix::objs::TreeRefIter::from_bytes(&new.data, hash),
        &mut gix::diff::tree::State::default(),
        &repo.objects,
        &mut visitor,
    );
    if let Some(why) = visitor.stopped {
        anyhow::bail!("{why}");
    }
    walked.context("cannot compare two trees")?;
    let records = visitor.recorder.records.into_iter();
    let mut found: Vec<Change> = records.filter_map(change).collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn change(recorded: gix::diff::tree::recorder::Change) -> Option<Change> {
    use gix::diff::tree::recorder::Change as Recorded;
    let leaf = |mode: EntryMode, id: Oid| {
        let kind = mode.kind();
        (kind != EntryKind::Tree).then_some(Leaf { kind, id })
    };
    let (path, old, new) = match recorded {
        Recorded::Addition {
            entry_mode,
            oid,
            path,
            ..
        } => (path, None, leaf(entry_mode, oid)),
        Recorded::Deletion {
            entry_mode,
            oid,
            path,
            ..
        } => (path, leaf(entry_mode, oid), None),
        Recorded::Modification {
            previous_entry_mode,
            previous_oid,
            entry_mode,
            oid,
            path,
        } => (
            path,
            leaf(previous_entry_mode, previous_oid),
            leaf(entry_mode, oid),
        ),
    };
    (old != new).then_some(Change { path, old, new })
}

/// Records changes up to a number and a moment.
struct Bounded {
    recorder: Recorder,
    files_max: usize,
    deadline: Deadline,
    stopped: Option<String>,
}

impl Visit for Bounded {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.recorder.pop_front_tracked_path_and_set_current();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.recorder.push_back_tracked_path_component(component);
    }

    fn push_path_component(&mut self, component: &BStr) {
        self.recorder.push_path_component(component);
    }

    fn pop_path_component(&mut self) {
        self.recorder.pop_path_component();
    }

    fn visit(&mut self, change: visit::Change) -> Action {
        if self.recorder.records.len() >= self.files_max {
            self.stopped = Some(format!("more than {} paths", self.files_max));
            return ControlFlow::Break(());
        }
        if self.deadline.passed() {
            self.stopped = Some("out of time".to_owned());
            return ControlFlow::Break(());
        }
        self.recorder.visit(change)
    }
}
