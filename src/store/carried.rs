//! The work that cards carry, looked into: only what HEAD does not have. The rest of a carried tree is the repository's
//! own history, and none of our business.

use std::collections::BTreeSet;

use anyhow::Context as _;
use gix::bstr::{BString, ByteSlice};
use gix::objs::tree::EntryKind;

use super::Store;
use super::layout::{self, HEAD, INDEX, WORKTREE};
use super::pen::Pen;
use crate::deadline::Deadline;
use crate::git::content::shown;
use crate::git::tree_diff::{self, Leaf};
use crate::git::tree_edit::Edit;
use crate::git::{CommitRead, Oid, Swap};
use crate::handoff::card::Card;
use crate::handoff::redact::{Found, Redactor, readable};

/// How long two trees may be compared.
const COMPARE_TIME_MAX: std::time::Duration = std::time::Duration::from_secs(600);
/// What is said where what was carried is gone before the card stands.
const LOST: &str = "the work tree is not carried: another process removed its objects";
/// What is said of a path that was forgotten.
const FORGOTTEN: &str = "forgotten";

/// A file of a carried tree that is not HEAD's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CarriedFile {
    /// [`WORKTREE`] or [`INDEX`].
    tree: &'static str,
    path: BString,
    /// Its content.
    pub(super) blob: Oid,
    /// What HEAD has at its path.
    head: Option<Leaf>,
}

impl CarriedFile {
    /// As a path in the card's tree.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.tree, shown(self.path.as_bstr()))
    }
}

/// Whether an entry of a card's tree is a carried tree.
pub(super) fn is_carried(name: &str) -> bool {
    name == WORKTREE || name == INDEX
}

impl Store<'_> {
    /// The files of a card's carried trees that are not as HEAD has them; all of them where HEAD's commit is not here.
    pub(super) fn carried_files(&self, commit: &CommitRead) -> anyhow::Result<Vec<CarriedFile>> {
        let entries = self.repo.entries(commit.tree)?;
        let carried = [WORKTREE, INDEX].into_iter().filter_map(|name| {
            let mut trees = entries.iter().filter(|entry| entry.tree);
            Some((name, trees.find(|entry| entry.name == name)?.oid))
        });
        let carried: Vec<_> = carried.collect();
        if carried.is_empty() {
            return Ok(Vec::new());
        }
        let head = self.head_tree(commit);
        let mut files = Vec::new();
        for (name, tree) in carried {
            let deadline = Deadline::after(COMPARE_TIME_MAX);
            let gix = self.repo.without_refs();
            for one in tree_diff::changes(gix, head, Some(tree), usize::MAX, deadline)? {
                let Some(leaf) = one.new.filter(|leaf| leaf.kind != EntryKind::Commit) else {
                    continue;
                };
                if one.old.is_none_or(|old| old.id != leaf.id) {
                    files.push(CarriedFile {
                        tree: name,
                        path: one.path,
                        blob: leaf.id,
                        head: one.old,
                    });
                }
            }
        }
        Ok(files)
    }

    /// Sees to it that all that a new card carries is there now that its ref holds it: a `git gc --prune=now` may have run
    /// since it was written, and it cannot be written again from here. Then the same card without it takes its place.
    pub(super) fn without_lost_work(
        &self,
        card: &mut Card,
        id: Oid,
        parents: &[Oid],
        pen: &mut Pen<'_>,
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<Option<Oid>> {
        let Some(census) = card.census.as_mut().filter(|one| one.carried.is_some()) else {
            return Ok(None);
        };
        let commit = self.repo.read_commit(id);
        let files = commit.and_then(|commit| self.carried_files(&commit));
        if files.is_ok_and(|files| files.iter().all(|file| self.repo.has(file.blob))) {
            return Ok(None);
        }
        census.carried = None;
        census.cut.push(LOST.to_owned());
        warnings.push(LOST.to_owned());
        let tree = self.write_card_tree(card)?;
        let new = pen.write(tree, parents, &layout::message(card), None, warnings)?;
        let name = layout::ref_name(card.provenance.session.ref_name());
        match self
            .repo
            .swap_ref(&name, Some(id), new, "segue: without lost work")?
        {
            Swap::Done => Ok(Some(new)),
            // Whoever moved the chain on stands upon it.
            Swap::Moved => Ok(None),
        }
    }

    /// The tree of the commit that a card was written at; none where it is not here.
    fn head_tree(&self, commit: &CommitRead) -> Option<Oid> {
        let trailers = layout::trailers(&commit.message);
        let head = Oid::from_hex(layout::trailer(&trailers, HEAD)?.as_bytes()).ok()?;
        Some(self.repo.read_commit(head).ok()?.tree)
    }

    /// The text of a carried file, and the secrets in it that HEAD's does not have.
    pub(super) fn secrets_of(
        &self,
        file: &CarriedFile,
        redactor: &Redactor,
    ) -> anyhow::Result<(String, Vec<Found>)> {
        let text = |id: Oid| -> anyhow::Result<String> {
            let blob = self.repo.without_refs().find_object(id);
            let blob = blob.with_context(|| format!("cannot read blob {id}"))?;
            Ok(readable(&blob.data).into_owned())
        };
        let now = text(file.blob)?;
        let before = || {
            let head = file.head.filter(|leaf| leaf.kind != EntryKind::Commit);
            head.and_then(|leaf| text(leaf.id).ok()).unwrap_or_default()
        };
        let places = redactor.new_places(&now, before);
        Ok((now, places))
    }

    /// Takes the files that hold a text out of what a card carries: HEAD's stand in their places.
    pub(super) fn without_text(
        &self,
        card: &mut Card,
        commit: &CommitRead,
        holds: impl Fn(&[u8]) -> bool,
    ) -> anyhow::Result<()> {
        let census = card.census.as_mut();
        let Some(carried) = census.and_then(|one| one.carried.as_mut()) else {
            return Ok(());
        };
        let mut edits: [Vec<Edit>; 2] = [Vec::new(), Vec::new()];
        for file in self.carried_files(commit)? {
            let blob = self.repo.without_refs().find_object(file.blob);
            let blob = blob.with_context(|| format!("cannot read blob {}", file.blob))?;
            if holds(&blob.data) || holds(&file.path) {
                edits[usize::from(file.tree == INDEX)].push((file.path, file.head));
            }
        }
        let [worktree, index] = edits;
        let edited = |hex: &str, edits: &[Edit]| -> anyhow::Result<String> {
            let tree = Oid::from_hex(hex.as_bytes()).context("a carried tree has no id")?;
            Ok(self.repo.edited_tree(Some(tree), edits)?.to_string())
        };
        carried.tree = edited(&carried.tree, &worktree)?;
        carried.files = carried.files.saturating_sub(worktree.len());
        if let Some(tree) = &carried.index {
            carried.index = Some(edited(tree, &index)?);
            carried.staged = carried.staged.saturating_sub(index.len());
        }
        let gone: BTreeSet<String> = worktree
            .into_iter()
            .chain(index)
            .map(|(path, _)| path)
            .filter(|path| !holds(path))
            .map(|path| shown(path.as_bstr()))
            .collect();
        for path in gone {
            carried.leave_out(path, FORGOTTEN);
        }
        carried.left_out.retain(|one| !holds(one.path.as_bytes()));
        carried.intended.retain(|path| !holds(path.as_bytes()));
        Ok(())
    }
}
