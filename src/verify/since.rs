//! Gathers what a repository says of the time since a card was written; `handoff::freshness` judges it.

use anyhow::Context as _;

use super::ground::Ground;
use super::moved::{self, Moment};
use crate::deadline::Deadline;
use crate::git::content::Held;
use crate::git::history::{self, CommitFacts, Distance, Resolved};
use crate::git::tree_diff::{self, Differs};
use crate::git::{Oid, Repo};
use crate::handoff::card::Card;
use crate::handoff::census::{COUNT_MAX, Census, Commit};
use crate::handoff::claim::Evidence;
use crate::handoff::freshness::{self, CommitFate, HeadFate, MovedPath, PathFate, Since};
use crate::handoff::redact::is_redacted;

/// This many of the commits since are listed.
const COMMITS_LISTED_MAX: usize = 20;
/// Among this many commits the one is looked for that took the place of a rewritten one.
const REPLACEMENTS_MAX: usize = 100;
/// Patches with more files than this are not compared.
const PATCH_FILES_MAX: usize = 200;

/// What happened since a card was written; none for a card or a moment without a census. What cannot be found out by
/// the deadline is named in it.
pub(crate) fn since(repo: &Repo, card: &Card, now: &Census, deadline: Deadline) -> Option<Since> {
    since_on(repo.without_refs(), card, now, deadline)
}

pub(super) fn since_on(
    repo: &gix::Repository,
    card: &Card,
    now: &Census,
    deadline: Deadline,
) -> Option<Since> {
    let then = card.census.as_ref()?;
    let mut gather = Gather {
        repo,
        then,
        now,
        deadline,
        unseen: Vec::new(),
    };
    let was = oid(then.head.as_deref());
    let is = oid(now.head.as_deref());
    let was_facts = was.and_then(|id| history::facts(repo, id).ok());
    let (head, distance) = gather.head(was, is, was_facts.is_some());
    let replacement = match head {
        HeadFate::LeftBehind | HeadFate::Gone => gather.replacement(was_facts.as_ref(), &distance),
        HeadFate::Same | HeadFate::Ancestor | HeadFate::NotHere | HeadFate::Unknown => None,
    };
    let was_tree = was_facts.map(|facts| facts.tree);
    let moved = gather.moved(was_tree, is, head == HeadFate::Gone);
    let mut ground = Ground::new(Some(repo), Some(now));
    let paths = gather.paths(card, &mut ground, was_tree, &moved);
    let named_commits = gather.named_commits(card, &ground);
    // Where the old commit is gone, nobody can say which of HEAD's commits are news.
    let known = head != HeadFate::Gone;
    let listed = distance.ahead_ids.iter().filter(|_| known);
    let listed = listed.take(COMMITS_LISTED_MAX);
    let commits = listed.filter_map(|&id| history::facts(repo, id).ok());
    Some(Since {
        head,
        ahead: distance.ahead,
        commits: commits.map(commit).collect(),
        replacement,
        worktree_gone: gather.worktree_gone(),
        moved,
        paths,
        named_commits,
        unseen: gather.unseen,
    })
}

struct Gather<'a> {
    repo: &'a gix::Repository,
    then: &'a Census,
    now: &'a Census,
    deadline: Deadline,
    unseen: Vec<String>,
}

impl Gather<'_> {
    fn head(&mut self, was: Option<Oid>, is: Option<Oid>, there: bool) -> (HeadFate, Distance) {
        let nothing = Distance::default();
        match (was, is) {
            (was, is) if was == is => (HeadFate::Same, nothing),
            (Some(_), _) if !there => {
                // Among HEAD's commits may be the one that took its place.
                let distance = is.map(|is| self.distance(is, None));
                (
                    HeadFate::Gone,
                    Distance {
                        ahead: None,
                        ..distance.unwrap_or_default()
                    },
                )
            }
            (_, None) => (HeadFate::LeftBehind, nothing),
            (was, Some(is)) => {
                let distance = self.distance(is, was);
                let fate = match distance.behind {
                    Some(0) => HeadFate::Ancestor,
                    Some(_) => HeadFate::LeftBehind,
                    None => HeadFate::Unknown,
                };
                (fate, distance)
            }
        }
    }

    fn distance(&mut self, ours: Oid, theirs: Option<Oid>) -> Distance {
        history::distance(self.repo, ours, theirs, COUNT_MAX, self.deadline).unwrap_or_else(|err| {
            self.unseen.push(format!("commits: {err:#}"));
            Distance::default()
        })
    }

    /// The commit that took the place of the card's HEAD: written at the same moment under the same subject, or with
    /// the same changes. Of a commit that is gone only the subject is known, so it must be the only one with it.
    fn replacement(&self, was: Option<&CommitFacts>, distance: &Distance) -> Option<Commit> {
        let candidates: Vec<CommitFacts> = distance
            .ahead_ids
            .iter()
            .take(REPLACEMENTS_MAX)
            .filter_map(|&id| history::facts(self.repo, id).ok())
            .collect();
        let Some(was) = was else {
            let subject = &self.then.recent.first()?.subject;
            let mut same = candidates.into_iter().filter(|one| one.subject == *subject);
            let only = same.next()?;
            return same.next().is_none().then(|| commit(only));
        };
        let same = candidates
            .iter()
            .find(|one| one.authored_at == was.authored_at && one.subject == was.subject)
            .or_else(|| {
                let patch = self.patch(was).filter(|patch| !patch.is_empty())?;
                candidates
                    .iter()
                    .find(|one| self.patch(one).as_ref() == Some(&patch))
            });
        same.cloned().map(commit)
    }

    fn patch(&self, facts: &CommitFacts) -> Option<Vec<Differs>> {
        let before = match facts.parents.first() {
            Some(&parent) => Some(history::facts(self.repo, parent).ok()?.tree),
            None => None,
        };
        tree_diff::between(
            self.repo,
            before,
            Some(facts.tree),
            PATCH_FILES_MAX,
            self.deadline,
        )
        .ok()
    }

    fn moved(&mut self, was: Option<Oid>, is: Option<Oid>, gone: bool) -> Vec<MovedPath> {
        let is = is.and_then(|id| history::facts(self.repo, id).ok());
        let is = is.map(|facts| facts.tree);
        // Without the old tree, all that is left to compare is what was dirty.
        let then = Moment {
            census: self.then,
            tree: if gone { is } else { was },
        };
        let now = Moment {
            census: self.now,
            tree: is,
        };
        let moved = moved::between(self.repo, &then, &now, self.deadline);
        let mut moved = moved.unwrap_or_else(|err| {
            self.unseen.push(format!("paths: {err:#}"));
            Vec::new()
        });
        // Nor can anybody say then that no commit touched it.
        for one in moved.iter_mut().filter(|one| gone && one.how == "reverted") {
            one.how = "committed".to_owned();
        }
        moved
    }

    fn worktree_gone(&self) -> bool {
        // A card from another machine, or a folder that was renamed, is here when its branch is.
        self.then.root != self.now.root
            && !freshness::same_branch(self.then, self.now)
            && !std::path::Path::new(&self.then.root).exists()
    }

    fn paths(
        &self,
        card: &Card,
        ground: &mut Ground<'_>,
        was_tree: Option<Oid>,
        moved: &[MovedPath],
    ) -> Vec<(String, PathFate)> {
        let mut fates: Vec<(String, PathFate)> = Vec::new();
        let evidence = card
            .sections
            .iter()
            .flat_map(|(_, judged)| &judged.claim.evidence);
        for one in evidence {
            let Evidence::Path { path, blob, .. } = one else {
                continue;
            };
            if fates.iter().any(|(named, _)| named == path) {
                continue;
            }
            let fate = self
                .path(path, blob.as_deref(), ground, was_tree, moved)
                .unwrap_or(PathFate::Unknown);
            fates.push((path.clone(), fate));
        }
        let claims = card.sections.iter().map(|(_, judged)| &judged.claim);
        let texts: Vec<&str> = claims.map(|claim| claim.text.as_str()).collect();
        for one in moved {
            let known = fates.iter().any(|(named, _)| *named == one.path);
            if !known && texts.iter().any(|text| names(text, &one.path)) {
                let fate = self.path(&one.path, None, ground, was_tree, moved);
                fates.push((one.path.clone(), fate.unwrap_or(PathFate::Changed)));
            }
        }
        fates
    }

    fn path(
        &self,
        path: &str,
        blob: Option<&str>,
        ground: &mut Ground<'_>,
        was_tree: Option<Oid>,
        moved: &[MovedPath],
    ) -> Option<PathFate> {
        if is_redacted(path) {
            return None;
        }
        let Some(relative) = ground.relative(path) else {
            // Outside of the work tree nothing but being there is compared.
            let there = ground.full(path)?.exists();
            return Some(if there {
                PathFate::Same
            } else {
                PathFate::Gone
            });
        };
        let plain = relative.trim_end_matches('/');
        let before = match (blob, self.then.dirty_path(plain)) {
            (Some(blob), _) => oid(Some(blob)),
            (None, Some(dirty)) => oid(dirty.blob.as_deref()),
            (None, None) => moved::in_tree(self.repo, was_tree, plain).ok().flatten(),
        };
        let below = format!("{plain}/");
        let moves_below = moved.iter().any(|one| one.path.starts_with(&below));
        let how = moved.iter().find(|one| one.path == plain);
        let how = how.map(|one| one.how.as_str());
        let changed = match how.filter(|_| self.now.dirty_path(plain).is_none()) {
            Some("reverted") => PathFate::Reverted,
            Some(_) => PathFate::Committed,
            None => PathFate::Changed,
        };
        Some(match (before, ground.held(plain, self.deadline)?) {
            (Some(_), Held::Nothing) => PathFate::Gone,
            (None, Held::Nothing) if moves_below => PathFate::Gone,
            (None, Held::Nothing) => PathFate::Absent,
            (Some(before), Held::File(Some(id))) if id == before => PathFate::Same,
            (Some(_), Held::File(Some(_))) => changed,
            // A folder, a submodule, a pipe: whatever it is, its content is not compared.
            (Some(_), Held::Other) => PathFate::Changed,
            (None, Held::Other) if moves_below => PathFate::Changed,
            (None, Held::Other) => PathFate::Same,
            (None, Held::File(_)) if how == Some("reverted") => PathFate::Reverted,
            (None, Held::File(_)) if how.is_some() => PathFate::New,
            (None, Held::File(_)) => PathFate::Same,
            (Some(_), Held::File(None)) => PathFate::Unknown,
        })
    }

    fn named_commits(&self, card: &Card, ground: &Ground<'_>) -> Vec<(String, CommitFate)> {
        let mut fates: Vec<(String, CommitFate)> = Vec::new();
        let evidence = card
            .sections
            .iter()
            .flat_map(|(_, judged)| &judged.claim.evidence);
        for one in evidence {
            if let Evidence::Commit { id, .. } = one
                && !fates.iter().any(|(named, _)| named == id)
            {
                let fate = self
                    .commit(id, ground.head())
                    .unwrap_or(CommitFate::Unknown);
                fates.push((id.clone(), fate));
            }
        }
        fates
    }

    fn commit(&self, id: &str, head: Option<Oid>) -> anyhow::Result<CommitFate> {
        let id = match history::resolve(self.repo, id)? {
            Resolved::Commit(id) => id,
            Resolved::Missing => return Ok(CommitFate::Missing),
            Resolved::Ambiguous => return Ok(CommitFate::Unknown),
        };
        let Some(head) = head else {
            return Ok(CommitFate::Elsewhere);
        };
        let reached = history::reaches(self.repo, head, id, self.deadline)
            .context("cannot look whether HEAD reaches a commit")?;
        Ok(match reached {
            Some(true) => CommitFate::Reached,
            Some(false) => CommitFate::Elsewhere,
            None => CommitFate::Unknown,
        })
    }
}

/// Whether a text names a path, whole. A word without a dot and a slash is a word.
fn names(text: &str, path: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    let telling = path.contains(['/', '.']);
    telling
        && text.match_indices(path).any(|(at, _)| {
            let before = text[..at].strip_suffix("./").unwrap_or(&text[..at]);
            let mut after = text[at + path.len()..].chars();
            let goes_on = match after.next() {
                Some('.') => after.next().is_some_and(is_part),
                next => next.is_some_and(is_part),
            };
            !goes_on && !before.ends_with(|c: char| is_part(c) || c == '.')
        })
}

fn oid(hex: Option<&str>) -> Option<Oid> {
    hex.and_then(|hex| Oid::from_hex(hex.as_bytes()).ok())
}

fn commit(facts: CommitFacts) -> Commit {
    Commit {
        id: facts.id.to_string(),
        subject: facts.subject,
    }
}
