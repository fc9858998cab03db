//! A look at a card that costs next to nothing, for what is shown all the time: no index, no work tree, no program.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use super::ground::Ground;
use crate::deadline::Deadline;
use crate::git::content::shown;
use crate::git::history;
use crate::git::{Oid, Repo};
use crate::handoff::card::Card;
use crate::handoff::census::{COUNT_MAX, Census};
use crate::handoff::claim::Evidence;
use crate::handoff::freshness::{HeadFate, PathFate, Since};
use crate::handoff::redact::is_redacted;

/// Counting commits may take this long.
const COUNT_MILLISECONDS_MAX: u64 = 5;
/// A file that was written since is read up to this size; a larger one counts as changed.
const READ_BYTES_MAX: u64 = 256 * 1024;
/// So many files that were written since are read; further ones count as changed.
const READ_FILES_MAX: usize = 8;

/// What is to be seen at a glance of the time since a card was written (at `at`, in seconds since 1970 UTC), in the form
/// of a full look; none for a card without a census, and where only the git program can read HEAD.
///
/// Looked at are HEAD, its branch, and the files that the card names: whether each is there, and where it was written
/// since, whether it holds what it held (without filters such as line endings). Not looked at are other paths, claims,
/// and an operation in progress.
pub(crate) fn glance(repo: &Repo, card: &Card, at: i64) -> Option<(Census, Since)> {
    let then = card.census.as_ref()?;
    let repo = repo.gix()?;
    let head = repo.head().ok()?;
    let branch = match head.referent_name() {
        Some(name) => Some(shown(name.shorten())),
        // A rebase detaches HEAD, and the card has the branch that is rebased.
        None => then.branch.clone().filter(|_| then.operation.is_some()),
    };
    let is = head
        .try_into_peeled_id()
        .ok()
        .flatten()
        .map(gix::Id::detach);
    let was = then.head.as_deref();
    let was = was.and_then(|id| Oid::from_hex(id.as_bytes()).ok());
    let (head, ahead) = fate(repo, was, is);
    let now = Census {
        head: is.map(|id| id.to_string()),
        branch,
        root: then.root.clone(),
        operation: then.operation.clone(),
        command: then.command.clone(),
        cut: then.cut.clone(),
        ..Census::default()
    };
    let since = Since {
        head,
        ahead,
        commits: Vec::new(),
        replacement: None,
        worktree_gone: false,
        moved: Vec::new(),
        paths: paths(repo, card, at),
        named_commits: Vec::new(),
        unseen: Vec::new(),
    };
    Some((now, since))
}

fn fate(repo: &gix::Repository, was: Option<Oid>, is: Option<Oid>) -> (HeadFate, Option<usize>) {
    if was == is {
        return (HeadFate::Same, None);
    }
    let (Some(was), Some(is)) = (was, is) else {
        return (HeadFate::Unknown, None);
    };
    let deadline = Deadline::after(Duration::from_millis(COUNT_MILLISECONDS_MAX));
    match history::distance(repo, is, Some(was), COUNT_MAX, deadline) {
        Ok(distance) => match distance.behind {
            Some(0) => (HeadFate::Ancestor, distance.ahead),
            Some(_) => (HeadFate::LeftBehind, None),
            None => (HeadFate::Unknown, None),
        },
        Err(_) => (HeadFate::Gone, None),
    }
}

fn paths(repo: &gix::Repository, card: &Card, at: i64) -> Vec<(String, PathFate)> {
    let ground = Ground::new(Some(repo), None);
    let mut fates: Vec<(String, PathFate)> = Vec::new();
    let mut reads_left = READ_FILES_MAX;
    let claims = card.sections.iter().map(|(_, judged)| &judged.claim);
    for evidence in claims.flat_map(|claim| &claim.evidence) {
        // Without a content to compare with, only a full look can tell.
        if let Evidence::Path {
            path,
            blob: Some(blob),
            ..
        } = evidence
            && !is_redacted(path)
            && !fates.iter().any(|(named, _)| named == path)
            && let Some(full) = ground.full(path)
        {
            let fate = held(repo, &full, blob, at, &mut reads_left);
            fates.push((path.clone(), fate));
        }
    }
    fates
}

fn held(
    repo: &gix::Repository,
    file: &Path,
    blob: &str,
    at: i64,
    reads_left: &mut usize,
) -> PathFate {
    let Ok(meta) = file.symlink_metadata() else {
        return PathFate::Gone;
    };
    let written = meta.modified().ok();
    let written = written.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let written = written.and_then(|time| i64::try_from(time.as_secs()).ok());
    if written.is_some_and(|written| written <= at) {
        return PathFate::Same;
    }
    if !meta.is_file() || meta.len() > READ_BYTES_MAX || *reads_left == 0 {
        return PathFate::Changed;
    }
    *reads_left -= 1;
    let Ok(bytes) = std::fs::read(file) else {
        return PathFate::Unknown;
    };
    let id = gix::objs::compute_hash(repo.object_hash(), gix::objs::Kind::Blob, &bytes);
    match id {
        Ok(id) if id.to_hex().to_string().as_str() == blob => PathFate::Same,
        Ok(_) => PathFate::Changed,
        Err(_) => PathFate::Unknown,
    }
}
