//! Fetching, and taking what was fetched into our own chains.
//!
//! What came from elsewhere waits under `refs/segue-remotes/` until it is trusted: only then does it become part of a
//! chain of ours, and what stands in a chain of ours is what hooks give to agents by themselves. So the one door is
//! here, and nothing behind it has to ask where a card came from.

use std::collections::{BTreeMap, BTreeSet};

use super::trust::{self, Trust};
use crate::deadline::Deadline;
use crate::error::Failure;
use crate::git::Oid;
use crate::git::transfer::{RemoteRefs, Transfer};
use crate::place::Place;
use crate::store::forget::again::Before;
use crate::store::layout::{self, NOTES_REF, REFS, REMOTE_REFS};
use crate::store::{Store, Taken};

/// So many refs are fetched one by one; more of them as all that there are.
const SINGLE_REFS_MAX: usize = 200;
/// So many of the newest tips are named to the other side as what is here: a new session goes on from one of them.
const NEWEST_TIPS_MAX: usize = 64;

/// One session that a fetch brought something new of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fetched {
    /// The session's ref name.
    pub(crate) session: String,
    /// Its tip at the remote.
    pub(crate) id: Oid,
    /// Whether nothing of it was known before.
    pub(crate) new: bool,
    /// How many of its cards were forgotten here.
    pub(crate) forgotten: usize,
}

/// What became of one chain of ours of which a remote has more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moved {
    /// The session's ref name.
    pub(crate) session: String,
    /// How it ended.
    pub(crate) end: MoveEnd,
    /// What did not go as it should beside.
    pub(crate) warnings: Vec<String>,
}

/// How taking in ended for one chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MoveEnd {
    /// It was taken in.
    Taken(Taken),
    /// It waits, since nobody vouches for it.
    Waits(Trust),
    /// It could not be taken in, and why.
    Broken(String),
}

/// Brings the cards and notes of a remote under `refs/segue-remotes/`; gives the sessions that moved, by name. git is
/// asked for what is new alone: it looks at every ref that a fetch may move, on both sides.
pub(crate) fn fetch(place: &Place, transfer: Transfer<'_>) -> anyhow::Result<Vec<Fetched>> {
    let patterns = [&format!("{REFS}*"), NOTES_REF];
    let theirs = place.repo.remote_refs(transfer, &patterns)?;
    let moved = moved(place, transfer.remote, &theirs)?;
    if moved.is_empty() {
        return Ok(Vec::new());
    }
    let before = tips(place, transfer.remote, &moved)?;
    let single = moved.len() <= SINGLE_REFS_MAX && {
        let known = known(place, &moved)?;
        // What was there a moment ago may be gone: then git fetches nothing at all.
        place.repo.fetch_refs(transfer, &moved, &known).is_ok()
    };
    if !single {
        let all = layout::fetch_specs(transfer.remote);
        place.repo.fetch(transfer, &all)?;
        place.repo.pack_refs(&format!("{REMOTE_REFS}*"));
    }
    let known = super::forgotten(place);
    let mut fetched = Vec::new();
    for (session, id) in tips(place, transfer.remote, &moved)? {
        let old = before.get(&session);
        if old == Some(&id) {
            continue;
        }
        let store = Store::new(&place.repo);
        let (_, forgotten) = store.without_forgotten(&known, &session, id)?;
        fetched.push(Fetched {
            new: old.is_none(),
            session,
            id,
            forgotten,
        });
    }
    if fetched.is_empty() {
        let left = moved.iter().filter(|(there, here)| {
            let here = place.repo.find_ref(here).ok().flatten();
            there.starts_with(REFS) && here != theirs.get(there)
        });
        all_came(transfer.remote, left.count())?;
    }
    Ok(fetched)
}

/// git says nothing on its way out where it leaves refs alone, as it does with those of a shallow repository.
fn all_came(remote: &str, left: usize) -> anyhow::Result<()> {
    let chains = match left {
        0 => return Ok(()),
        1 => "1 chain that is new there".to_owned(),
        chains => format!("{chains} chains that are new there"),
    };
    let failure = format!("cannot fetch from `{remote}`: git did not bring {chains}");
    let hint = format!("`git fetch {remote} '{REFS}*'` says why");
    Err(Failure::fatal(failure).hint(hint).into())
}

/// The refs that point elsewhere at the remote than the last fetch found: their names there and here.
fn moved(
    place: &Place,
    remote: &str,
    theirs: &RemoteRefs,
) -> anyhow::Result<Vec<(String, String)>> {
    let sessions = theirs
        .iter()
        .filter_map(|(name, id)| Some((name.strip_prefix(REFS)?, id)));
    let prefix = layout::remote_ref_name(remote, "");
    let unlike = place.repo.refs_unlike(&prefix, sessions)?.into_iter();
    let mut moved: Vec<_> = unlike
        .map(|session| (format!("{REFS}{session}"), format!("{prefix}{session}")))
        .collect();
    let notes = layout::remote_notes_ref(remote);
    if let Some(id) = theirs.get(NOTES_REF)
        && place.repo.find_ref(&notes).ok().flatten() != Some(id)
    {
        moved.push((NOTES_REF.to_owned(), notes));
    }
    Ok(moved)
}

/// What is here of the sessions that moved, by their names; of all of the remote's where many did.
fn tips(
    place: &Place,
    remote: &str,
    moved: &[(String, String)],
) -> anyhow::Result<BTreeMap<String, Oid>> {
    if moved.len() > SINGLE_REFS_MAX {
        return Store::new(&place.repo).fetched_from(remote);
    }
    let mut tips = BTreeMap::new();
    for (there, here) in moved {
        let session = there.strip_prefix(REFS).map(str::to_owned);
        // A ref that is broken here is as good as none.
        tips.extend(session.zip(place.repo.find_ref(here).ok().flatten()));
    }
    Ok(tips)
}

/// What the remote probably has of what is here: the same chains as they are here, and the newest ones.
fn known(place: &Place, moved: &[(String, String)]) -> anyhow::Result<BTreeSet<Oid>> {
    let all = [REFS, REMOTE_REFS];
    let newest = place
        .repo
        .newest_refs(&all, &all, &place.state.tips_index())?;
    let newest = newest.take(NEWEST_TIPS_MAX);
    let mut known: BTreeSet<Oid> = newest.map(|one| one.id).collect();
    for name in moved.iter().flat_map(|(there, here)| [there, here]) {
        // A ref that is broken here is no reason not to fetch.
        known.extend(place.repo.find_ref(name).ok().flatten());
    }
    Ok(known)
}

/// Takes what was fetched from a remote into our chains, where it is trusted, and its notes into ours.
pub(crate) fn take_in(
    place: &Place,
    remote: &str,
    deadline: Deadline,
) -> anyhow::Result<Vec<Moved>> {
    place.state.saving(|| take_in_now(place, remote, deadline))
}

fn take_in_now(place: &Place, remote: &str, deadline: Deadline) -> anyhow::Result<Vec<Moved>> {
    let store = Store::new(&place.repo);
    let mut moved = Vec::new();
    let forgotten = super::forgotten(place);
    let ours = store.own_tips()?;
    let mut fetched = store.fetched_from(remote)?;
    fetched.retain(|session, tip| ours.get(session).is_some_and(|ours| ours != tip));
    for (session, tip) in fetched {
        let mut warnings = Vec::new();
        let from = From {
            remote,
            forgotten: &forgotten,
            deadline,
        };
        let end = match take_one(place, &from, &session, tip, &mut warnings) {
            Ok(MoveEnd::Taken(Taken::Nothing)) => continue,
            Ok(end) => end,
            Err(err) => MoveEnd::Broken(format!("{err:#}")),
        };
        moved.push(Moved {
            session,
            end,
            warnings,
        });
    }
    take_notes(place, remote, &forgotten)?;
    Ok(moved)
}

/// Where fetched chains came from, and what of them is not wanted here.
struct From<'f> {
    remote: &'f str,
    forgotten: &'f Before,
    deadline: Deadline,
}

fn take_one(
    place: &Place,
    from: &From<'_>,
    session: &str,
    tip: Oid,
    warnings: &mut Vec<String>,
) -> anyhow::Result<MoveEnd> {
    let store = Store::new(&place.repo).signing(place.settings.sign);
    let Some(new) = store.new_to_ours(session, tip)? else {
        return Ok(MoveEnd::Taken(Taken::Nothing));
    };
    let (left, _) = store.without_forgotten(from.forgotten, session, new)?;
    let left = match left {
        Some(left) if left != new => store.new_to_ours(session, left)?,
        left => left,
    };
    let Some(left) = left else {
        return Ok(MoveEnd::Taken(Taken::Nothing));
    };
    // What is left is ours; who signed what it was made from is what counts.
    let trust = trust::of(place, new, from.remote, from.deadline);
    if !trust.is_enough() {
        return Ok(MoveEnd::Waits(trust));
    }
    // What was judged is what is taken, whatever a fetch brings meanwhile.
    Ok(MoveEnd::Taken(store.take_in(session, left, warnings)?))
}

fn take_notes(place: &Place, remote: &str, forgotten: &Before) -> anyhow::Result<()> {
    let fetched = layout::remote_notes_ref(remote);
    Store::new(&place.repo).clean_notes(forgotten, &fetched)?;
    let Some(theirs) = place.repo.find_ref(&fetched)? else {
        return Ok(());
    };
    if let Some(ours) = place.repo.find_ref(NOTES_REF)?
        && place.repo.is_ancestor(theirs, ours)?
    {
        return Ok(());
    }
    place.repo.merge_notes(NOTES_REF, &fetched)
}
