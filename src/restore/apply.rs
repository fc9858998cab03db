//! The uncommitted work that a card carries, brought back into a work tree.

use std::collections::BTreeSet;

use anyhow::Context as _;
use gix::bstr::{BString, ByteSlice};

use crate::carry::{self, Ground, IndexPlan, Plan};
use crate::census;
use crate::deadline::Deadline;
use crate::error::Failure;
use crate::git::content::shown;
use crate::git::tree_diff::Change;
use crate::git::{Oid, Repo, history};
use crate::handoff::card::Stored;
use crate::handoff::carried::Carried;
use crate::handoff::session::short;
use crate::place::Place;
use crate::secrets;

/// How the work is to be brought back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wish<'w> {
    /// Merged with whatever is here; else only onto the card's HEAD, where nothing is in the way.
    pub(crate) merge: bool,
    /// What was staged is staged again; else the index is left alone.
    pub(crate) index: bool,
    /// The environment's variables, for finding their values in files.
    pub(crate) variables: &'w [(String, String)],
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Brought {
    /// The paths that were written or removed: `A`, `M` or `D`, and the path.
    pub(crate) written: Vec<(char, String)>,
    /// How many paths were as they are to be already.
    pub(crate) there: usize,
    /// The paths that were written with conflict marks, or whose two sides could not be made one.
    pub(crate) conflicts: Vec<String>,
    /// What would have been lost, and why; then nothing was written.
    pub(crate) in_the_way: Vec<(String, String)>,
    /// How many entries of the index were set; none where it was left alone.
    pub(crate) staged: Option<usize>,
    /// Why the index was left alone though it was asked for.
    pub(crate) index_kept: Option<String>,
}

/// What a card carries, and onto what.
struct Onto<'o> {
    repo: &'o Repo,
    carried: &'o Carried,
    /// The card's HEAD, and its tree.
    base: Option<Oid>,
    base_tree: Option<Oid>,
    /// HEAD's tree here.
    here_tree: Option<Oid>,
    name: String,
    deadline: Deadline,
}

/// Brings the work of a card back. Everything is looked at before anything is written. An error of kind `No` where the
/// card carries nothing, or was written at another commit and nobody asked to merge.
pub(crate) fn apply(
    place: &Place,
    stored: &Stored,
    wish: Wish<'_>,
    deadline: Deadline,
) -> anyhow::Result<Brought> {
    let repo = &place.repo;
    let carried = carried(stored)?;
    if repo.workdir().is_none() {
        return Err(Failure::fatal("there is no work tree here").into());
    }
    let here = repo.head_commit()?;
    let base = base(repo, stored, here, wish)?;
    let tree_of = |commit: Option<Oid>| -> anyhow::Result<Option<Oid>> {
        let facts = commit.map(|id| history::facts(repo.without_refs(), id));
        Ok(facts.transpose()?.map(|facts| facts.tree))
    };
    let onto = Onto {
        repo,
        carried,
        base,
        base_tree: tree_of(base)?,
        here_tree: tree_of(here)?,
        name: format!("card {}", short(&stored.id)),
        deadline,
    };
    let mut brought = Brought::default();
    let (plan, to) = match wish.merge {
        true => onto.merged(place, here, wish.variables, &mut brought)?,
        false => {
            let to = id_of(&carried.tree)?;
            (carry::plan(repo, onto.base_tree, to, deadline)?, to)
        }
    };
    let index = match wish.index {
        true => onto.index(wish, &mut brought)?,
        false => IndexPlan::default(),
    };
    brought.in_the_way.extend(plan.in_the_way);
    brought.in_the_way.extend(index.in_the_way.iter().cloned());
    if !brought.in_the_way.is_empty() {
        return Ok(brought);
    }
    // The index can be refused (somebody holds its lock): so it is first.
    if wish.index && brought.index_kept.is_none() {
        carry::put_index(repo, &index.steps, deadline)?;
        brought.staged = Some(index.steps.len());
    }
    carry::write(repo, to, &plan.steps, deadline)?;
    if brought.staged.is_some() {
        let coming = plan.steps.iter().filter(|one| one.new.is_some());
        let mut there: BTreeSet<BString> = coming.map(|one| one.path.clone()).collect();
        there.extend(plan.there.iter().cloned());
        IndexPlan::settle(repo, &carried.intended, &there, deadline)?;
    }
    brought.there = plan.there.len();
    brought.written = plan.steps.iter().map(told).collect();
    Ok(brought)
}

impl Onto<'_> {
    /// Merges the carried work tree with the one that is here.
    fn merged(
        &self,
        place: &Place,
        here: Option<Oid>,
        variables: &[(String, String)],
        brought: &mut Brought,
    ) -> anyhow::Result<(Plan, Oid)> {
        let repo = self.repo;
        let (_, changes) = census::take_with_changes(repo, None, self.deadline);
        let redactor = secrets::redactor(variables, Some(repo), &place.settings.redact);
        let ground = Ground {
            repo,
            head: here,
            redactor: &redactor,
            store: carry::Store::Yes,
            known: None,
            deadline: self.deadline,
        };
        // What may not become an object is as HEAD has it there, and whatever would touch it is in the way.
        let ours = carry::gather(&ground, &changes.context("cannot read the work tree")?)?;
        let ours = match (ours, self.here_tree) {
            (Some(ours), _) => id_of(&ours.tree)?,
            (None, Some(tree)) => tree,
            (None, None) => repo.edited_tree(None, &[])?,
        };
        let theirs = id_of(&self.carried.tree)?;
        let merged = carry::merge(repo, self.base, ours, theirs, &self.name, self.deadline)?;
        let conflicts = merged.conflicts.iter();
        brought.conflicts = conflicts.map(|path| shown(path.as_bstr())).collect();
        let plan = carry::plan(repo, Some(ours), merged.tree, self.deadline)?;
        Ok((plan, merged.tree))
    }

    /// What is to be set in the index; nothing where merging it would leave conflicts.
    fn index(&self, wish: Wish<'_>, brought: &mut Brought) -> anyhow::Result<IndexPlan> {
        let (repo, deadline) = (self.repo, self.deadline);
        let Some(theirs) = &self.carried.index else {
            return Ok(IndexPlan::default());
        };
        let theirs = id_of(theirs)?;
        if !wish.merge {
            return carry::plan_index(repo, self.base_tree, theirs, deadline);
        }
        if !brought.conflicts.is_empty() {
            brought.index_kept = Some("the work tree has conflicts".to_owned());
            return Ok(IndexPlan::default());
        }
        let ours = carry::index_tree(repo, deadline)?;
        let merged = carry::merge(repo, self.base, ours, theirs, &self.name, deadline)?;
        if !merged.conflicts.is_empty() {
            brought.index_kept = Some("what is staged here and there does not fit".to_owned());
            return Ok(IndexPlan::default());
        }
        carry::plan_index(repo, Some(ours), merged.tree, deadline)
    }
}

fn told(step: &Change) -> (char, String) {
    let how = match (step.old, step.new) {
        (None, _) => 'A',
        (_, None) => 'D',
        _ => 'M',
    };
    (how, shown(step.path.as_bstr()))
}

fn id_of(hex: &str) -> anyhow::Result<Oid> {
    Oid::from_hex(hex.as_bytes()).context("a carried tree has no id")
}

/// What the card carries; an error where it carries nothing.
fn carried(stored: &Stored) -> anyhow::Result<&Carried> {
    let census = stored.card.census.as_ref();
    if let Some(carried) = census.and_then(|one| one.carried.as_ref()) {
        return Ok(carried);
    }
    let card = short(&stored.id);
    let was_clean = census.is_some_and(|one| one.dirty.is_empty() && one.command.is_none());
    let none = match was_clean {
        true => format!("card {card} carries no work: there was nothing uncommitted"),
        false => format!("card {card} carries no work"),
    };
    Err(Failure::no(none)
        .hint("`git config segue.carryWorktree true` lets later cards carry it, `git segue save --carry` one")
        .into())
}

/// The commit that the card was written at, where the work can be brought back onto what is here.
fn base(
    repo: &Repo,
    stored: &Stored,
    here: Option<Oid>,
    wish: Wish<'_>,
) -> anyhow::Result<Option<Oid>> {
    let head = stored.card.census.as_ref();
    let head = head.and_then(|census| census.head.as_deref());
    let base = head.map(|id| Oid::from_hex(id.as_bytes())).transpose()?;
    let card = short(&stored.id);
    if let (Some(base), Some(hex)) = (base, head)
        && !repo.has(base)
    {
        let text = format!(
            "card {card} was written at commit {}, which is not here",
            short(hex)
        );
        return Err(Failure::no(text)
            .hint("push that commit from there, and `git fetch` it here")
            .into());
    }
    if base == here || wish.merge {
        return Ok(base);
    }
    let (at, onto) = match head {
        Some(hex) => (
            format!("at commit {}", short(hex)),
            format!("`git checkout {}` goes there", short(hex)),
        ),
        None => ("before the first commit".to_owned(), String::new()),
    };
    let text = format!("card {card} was written {at}, and HEAD is another one");
    let merge = "`--3way` merges the work with what is here";
    let hint = match onto.is_empty() {
        true => merge.to_owned(),
        false => format!("{onto}, {merge}"),
    };
    Err(Failure::no(text).hint(hint).into())
}
