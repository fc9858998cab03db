//! Which files two trees have in different content; names only, no renames.

use std::ops::ControlFlow;

use anyhow::Context as _;
use gix::bstr::{BStr, BString};
use gix::diff::tree::visit::{Action, Change};
use gix::diff::tree::{Recorder, Visit};

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

/// The files that differ, by path; an error when there are more than `files_max` or time runs out. No tree stands for
/// the empty one. A mode alone makes no difference.
pub(crate) fn between(
    repo: &gix::Repository,
    old: Option<Oid>,
    new: Option<Oid>,
    files_max: usize,
    deadline: Deadline,
) -> anyhow::Result<Vec<Differs>> {
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
    let mut found: Vec<Differs> = visitor
        .recorder
        .records
        .into_iter()
        .filter_map(differs)
        .collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn differs(change: gix::diff::tree::recorder::Change) -> Option<Differs> {
    use gix::diff::tree::recorder::Change;
    let (path, old, new) = match change {
        Change::Addition {
            entry_mode,
            oid,
            path,
            ..
        } => (path, None, (!entry_mode.is_tree()).then_some(oid)),
        Change::Deletion {
            entry_mode,
            oid,
            path,
            ..
        } => (path, (!entry_mode.is_tree()).then_some(oid), None),
        Change::Modification {
            previous_entry_mode,
            previous_oid,
            entry_mode,
            oid,
            path,
        } => (
            path,
            (!previous_entry_mode.is_tree()).then_some(previous_oid),
            (!entry_mode.is_tree()).then_some(oid),
        ),
    };
    (old != new).then_some(Differs { path, old, new })
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

    fn visit(&mut self, change: Change) -> Action {
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
