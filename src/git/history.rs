//! History: how far two commits are apart, which commit an abbreviated id means, what a commit says.

use std::collections::BinaryHeap;

use anyhow::Context as _;

use super::Oid;
use crate::deadline::Deadline;

#[cfg(test)]
mod tests;

/// Shorter abbreviations name no commit: they would match by accident.
const PREFIX_DIGITS_MIN: usize = 4;
/// The clock is looked at once in this many commits.
const CLOCK_EVERY_COMMITS: usize = 64;

/// A walk goes this many commits further than it seems to need: a commit with a wrong date may still be reached.
const SLACK_COMMITS: usize = 16;

const OURS: u8 = 1;
const THEIRS: u8 = 2;
const BOTH: u8 = OURS | THEIRS;
const QUEUED: u8 = 4;

/// How far two commits are apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Distance {
    /// Commits that only the first reaches; none when time ran out before that was known.
    pub(crate) ahead: Option<usize>,
    /// Commits that only the second reaches.
    pub(crate) behind: Option<usize>,
    /// The commits of `ahead`, newest first.
    pub(crate) ahead_ids: Vec<Oid>,
    /// The commits of `behind`, newest first.
    pub(crate) behind_ids: Vec<Oid>,
}

/// What a commit says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommitFacts {
    /// Its id.
    pub(crate) id: Oid,
    /// Its tree.
    pub(crate) tree: Oid,
    /// Its parents.
    pub(crate) parents: Vec<Oid>,
    /// First line of its message.
    pub(crate) subject: String,
    /// When it was first written, in seconds since 1970 UTC; an amend or a rebase keeps it.
    pub(crate) authored_at: i64,
}

/// What an abbreviated id stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Resolved {
    /// One commit.
    Commit(Oid),
    /// More than one object begins with it.
    Ambiguous,
    /// No commit has that id.
    Missing,
}

/// Counts the commits that only `ours` and only `theirs` reach, each up to `count_max`, in the order of their dates as
/// git does. `theirs` none counts all of `ours`. What a shallow clone lacks counts as the beginning of history.
pub(crate) fn distance(
    repo: &gix::Repository,
    ours: Oid,
    theirs: Option<Oid>,
    count_max: usize,
    deadline: Deadline,
) -> anyhow::Result<Distance> {
    fits(repo, ours)?;
    theirs.map_or(Ok(()), |theirs| fits(repo, theirs))?;
    let graph_file = repo
        .commit_graph_if_enabled()
        .context("cannot read the commit graph")?;
    let mut walk = Walk::new(repo.revision_graph(graph_file.as_ref()));
    walk.meet(ours, OURS)?;
    if let Some(theirs) = theirs {
        walk.meet(theirs, THEIRS)?;
    }
    let (mut steps, mut slack) = (0usize, SLACK_COMMITS);
    while !walk.queue.is_empty() {
        steps += 1;
        if steps.is_multiple_of(CLOCK_EVERY_COMMITS) && deadline.passed() {
            break;
        }
        if walk.decided(count_max) {
            slack -= 1;
            if slack == 0 {
                break;
            }
        }
        walk.step()?;
    }
    Ok(walk.distance(count_max))
}

/// Whether `head` reaches `id`; none when time ran out before that was known.
pub(crate) fn reaches(
    repo: &gix::Repository,
    head: Oid,
    id: Oid,
    deadline: Deadline,
) -> anyhow::Result<Option<bool>> {
    // One commit that only `id` reaches is enough for a no.
    let distance = distance(repo, head, Some(id), 1, deadline)?;
    Ok(distance.behind.map(|count| count == 0))
}

/// What a commit says about itself.
pub(crate) fn facts(repo: &gix::Repository, id: Oid) -> anyhow::Result<CommitFacts> {
    fits(repo, id)?;
    let commit = repo
        .find_commit(id)
        .with_context(|| format!("cannot read commit `{id}`"))?;
    let read = commit
        .decode()
        .with_context(|| format!("cannot read commit `{id}`"))?;
    Ok(CommitFacts {
        id,
        tree: read.tree(),
        parents: read.parents().collect(),
        subject: subject(read.message),
        authored_at: read.author().map_or(0, |author| author.seconds()),
    })
}

/// The commits that `head` reaches, newest first, at most `count`.
pub(crate) fn recent(
    repo: &gix::Repository,
    head: Oid,
    count: usize,
) -> anyhow::Result<Vec<CommitFacts>> {
    let mut found = Vec::with_capacity(count);
    let mut seen = vec![head];
    let first = facts(repo, head)?;
    let mut queue = vec![(committed_at(repo, head), first)];
    while found.len() < count {
        let newest = (0..queue.len()).max_by_key(|&at| (queue[at].0, std::cmp::Reverse(at)));
        let Some(at) = newest else { break };
        let (_, commit) = queue.remove(at);
        for &parent in &commit.parents {
            // A shallow clone ends where a parent is missing.
            if !seen.contains(&parent)
                && let Ok(one) = facts(repo, parent)
            {
                seen.push(parent);
                queue.push((committed_at(repo, parent), one));
            }
        }
        found.push(commit);
    }
    Ok(found)
}

/// The commit that a full or abbreviated id in hex means.
pub(crate) fn resolve(repo: &gix::Repository, hex: &str) -> anyhow::Result<Resolved> {
    let mut ids = objects_with_prefix(repo, hex)?;
    ids.retain(|&id| is_commit(repo, id));
    Ok(match ids[..] {
        [] => Resolved::Missing,
        [id] => Resolved::Commit(id),
        _ => Resolved::Ambiguous,
    })
}

/// The objects of any kind whose id begins with these hex digits, in order; none for what is no such thing.
pub(crate) fn objects_with_prefix(repo: &gix::Repository, hex: &str) -> anyhow::Result<Vec<Oid>> {
    let length = repo.object_hash().len_in_hex();
    let digits = PREFIX_DIGITS_MIN..=length;
    if !digits.contains(&hex.len()) || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(Vec::new());
    }
    // A prefix read from hex alone would be one of SHA-1, whatever the repository uses.
    let mut padded = hex.to_ascii_lowercase();
    padded.extend(std::iter::repeat_n('0', length - hex.len()));
    let id = Oid::from_hex(padded.as_bytes()).context("cannot read an id")?;
    if hex.len() == length {
        return Ok(if repo.has_object(id) {
            vec![id]
        } else {
            Vec::new()
        });
    }
    let prefix = gix::hash::Prefix::new(&id, hex.len()).context("cannot read an id")?;
    let mut found = std::collections::HashSet::default();
    repo.objects
        .lookup_prefix(prefix, Some(&mut found))
        .with_context(|| format!("cannot look up `{hex}`"))?;
    let mut found: Vec<Oid> = found.into_iter().collect();
    found.sort();
    Ok(found)
}

/// The first line of a message.
pub(crate) fn subject(message: &[u8]) -> String {
    let text = String::from_utf8_lossy(message);
    text.trim_start()
        .lines()
        .next()
        .unwrap_or_default()
        .trim_end()
        .to_owned()
}

/// An id of the other length is an error here and must not reach the object store.
fn fits(repo: &gix::Repository, id: Oid) -> anyhow::Result<()> {
    let fits = id.kind() == repo.object_hash();
    anyhow::ensure!(
        fits,
        "cannot read commit `{id}`: not an id of this repository"
    );
    Ok(())
}

fn is_commit(repo: &gix::Repository, id: Oid) -> bool {
    repo.find_header(id)
        .is_ok_and(|header| header.kind() == gix::objs::Kind::Commit)
}

fn committed_at(repo: &gix::Repository, id: Oid) -> i64 {
    repo.find_commit(id)
        .ok()
        .and_then(|commit| commit.time().ok())
        .map_or(0, |time| time.seconds)
}

/// A walk from two commits at once, newest first; each commit carries who reaches it.
struct Walk<'repo, 'file> {
    graph: gix::revwalk::Graph<'repo, 'file, u8>,
    queue: BinaryHeap<(i64, Oid)>,
    /// How many commits in the queue only the one, only the other, or both reach.
    waiting: [usize; BOTH as usize + 1],
    /// The commits that were taken out of the queue while only one side reached them.
    taken: Vec<Oid>,
    /// How many of `taken` are of the one side and of the other.
    counts: [usize; BOTH as usize],
}

impl<'repo, 'file> Walk<'repo, 'file> {
    fn new(graph: gix::revwalk::Graph<'repo, 'file, u8>) -> Self {
        Self {
            graph,
            queue: BinaryHeap::new(),
            waiting: [0; BOTH as usize + 1],
            taken: Vec::new(),
            counts: [0; BOTH as usize],
        }
    }

    /// Notes that a side reaches `id`, and queues it when that is news.
    fn meet(&mut self, id: Oid, side: u8) -> anyhow::Result<()> {
        let before = self.graph.get(&id).copied();
        let old = before.unwrap_or(0);
        if old & side == side {
            return Ok(());
        }
        let date = match self.graph.try_lookup(&id)? {
            Some(commit) => commit.committer_timestamp()?,
            None => return Ok(()),
        };
        if old & QUEUED != 0 {
            self.waiting[usize::from(old & BOTH)] -= 1;
        } else {
            self.queue.push((date, id));
        }
        let new = old | side | QUEUED;
        self.waiting[usize::from(new & BOTH)] += 1;
        self.graph.insert(id, new);
        Ok(())
    }

    fn step(&mut self) -> anyhow::Result<()> {
        let Some((_, id)) = self.queue.pop() else {
            return Ok(());
        };
        let side = self.graph.get(&id).copied().unwrap_or(0) & BOTH;
        self.waiting[usize::from(side)] -= 1;
        self.graph.insert(id, side);
        if side != BOTH {
            self.taken.push(id);
            self.counts[usize::from(side)] += 1;
        }
        let mut parents = Vec::new();
        if let Some(commit) = self.graph.try_lookup(&id)? {
            for parent in commit.iter_parents() {
                parents.push(parent?);
            }
        }
        for parent in parents {
            self.meet(parent, side)?;
        }
        Ok(())
    }

    /// Whether nothing that is still to come can change the answer, but for commits with wrong dates.
    fn decided(&self, count_max: usize) -> bool {
        [OURS, THEIRS].into_iter().all(|side| {
            let side = usize::from(side);
            self.waiting[side] == 0 || self.counts[side] >= count_max
        })
    }

    fn distance(&self, count_max: usize) -> Distance {
        let of = |side: u8| {
            // A commit with a wrong date may have been taken before the other side reached it.
            let mut ids: Vec<Oid> = self
                .taken
                .iter()
                .filter(|id| {
                    self.graph
                        .get(id)
                        .is_some_and(|&flags| flags & BOTH == side)
                })
                .copied()
                .collect();
            ids.truncate(count_max);
            let known = self.waiting[usize::from(side)] == 0 || ids.len() == count_max;
            (known.then_some(ids.len()), ids)
        };
        let (ahead, ahead_ids) = of(OURS);
        let (behind, behind_ids) = of(THEIRS);
        Distance {
            ahead,
            behind,
            ahead_ids,
            behind_ids,
        }
    }
}
