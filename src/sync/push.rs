//! Pushing: what the remote lacks is found out first, looked through for secrets once more, and sent in one transfer.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::git::Oid;
use crate::git::transfer::{PushEnd, Pushed, Transfer};
use crate::handoff::redact::Redactor;
use crate::place::Place;
use crate::store::forget::again::Before;
use crate::store::layout::{self, NOTES_REF, REFS};
use crate::store::{Leak, Store, ToSend};

/// So many refs go into one call of git, whose command line has an end.
const REFS_PER_CALL_MAX: usize = 500;
/// How often the notes are merged and sent anew while others push theirs.
const NOTES_TRIES_MAX: u32 = 3;

/// What to push, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'r> {
    /// The transfer.
    pub(crate) transfer: Transfer<'r>,
    /// Ref names of the sessions to send; all and the notes where there are none.
    pub(crate) sessions: &'r [String],
    /// Find out what would be sent, send nothing.
    pub(crate) dry_run: bool,
    /// What counts as a secret.
    pub(crate) redactor: &'r Redactor,
}

/// What came of a push.
#[derive(Debug, Clone, Default)]
pub(crate) struct Report {
    /// Each chain that the remote did not have as it stands here.
    pub(crate) chains: Vec<(ToSend, End)>,
    /// The notes; none where the remote had them, or where they were not to be sent.
    pub(crate) notes: Option<End>,
}

/// How it ended for one ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// It was sent, or would be.
    Sent,
    /// Secrets stand in it.
    Leaks(Vec<Leak>),
    /// The remote still has there (hex) what was forgotten here, and so takes nothing that stands without it.
    Forgotten(Oid),
    /// It was not taken, or would not be.
    Refused(PushEnd),
}

impl End {
    /// Whether it was sent.
    pub(crate) fn is_sent(&self) -> bool {
        *self == Self::Sent
    }
}

/// Pushes, while nothing is being forgotten: that would be sent all the same.
pub(crate) fn run(place: &Place, request: &Request<'_>) -> anyhow::Result<Report> {
    place.state.saving(|| run_now(place, request))
}

fn run_now(place: &Place, request: &Request<'_>) -> anyhow::Result<Report> {
    let store = Store::new(&place.repo);
    let patterns = [&format!("{REFS}*"), NOTES_REF];
    let remote_refs = place.repo.remote_refs(request.transfer, &patterns)?;
    let ids = remote_refs.iter().filter_map(|(name, id)| {
        let id = Oid::from_hex(id.as_bytes()).ok()?;
        Some((name.strip_prefix(REFS)?.to_owned(), id))
    });
    let theirs: BTreeMap<String, Oid> = ids.collect();
    let mut known: HashSet<Oid> = theirs.values().copied().collect();
    known.extend(store.fetched_from(request.transfer.remote)?.values());
    let chains = store.to_send(&theirs, request.sessions)?;
    let mut chains = looked_through(place, chains, &known, request.redactor)?;
    let clean = chains.iter().all(|(_, end)| !matches!(end, End::Leaks(_)));
    let with_notes = clean && request.sessions.is_empty();
    let their_notes = remote_refs.get(NOTES_REF);
    let our_notes = place.repo.find_ref(NOTES_REF)?;
    if !request.dry_run {
        send(place, request, &mut chains)?;
    }
    let notes = match our_notes {
        Some(ours) if with_notes && their_notes != Some(ours) => {
            notes(place, request, ours, their_notes)?
        }
        _ => None,
    };
    Ok(Report { chains, notes })
}

/// Says of each chain whether it can be sent.
fn looked_through(
    place: &Place,
    chains: Vec<ToSend>,
    known: &HashSet<Oid>,
    redactor: &Redactor,
) -> anyhow::Result<Vec<(ToSend, End)>> {
    let free = chains.iter().filter(|chain| !chain.behind);
    let tips: Vec<Oid> = free.map(|chain| chain.id).collect();
    let leaks = Store::new(&place.repo).leaks(&tips, known, redactor)?;
    let mut looked = Vec::new();
    let forgotten = super::forgotten(place);
    for chain in chains {
        let mut own = Vec::new();
        for leak in leaks.iter().filter(|_| !chain.behind) {
            if place.repo.is_ancestor(leak.card, chain.id)? {
                own.push(leak.clone());
            }
        }
        let end = match (chain.behind, own.is_empty()) {
            (true, _) => behind(place, &chain, &forgotten)?,
            (_, false) => End::Leaks(own),
            _ => End::Sent,
        };
        looked.push((chain, end));
    }
    Ok(looked)
}

/// Why a chain cannot be sent: the remote has more of it, or no more than what was forgotten.
fn behind(place: &Place, chain: &ToSend, forgotten: &Before) -> anyhow::Result<End> {
    let store = Store::new(&place.repo);
    if let Some(theirs) = chain.theirs.filter(|id| place.repo.has(*id)) {
        let (left, count) = store.without_forgotten(forgotten, &chain.session, theirs)?;
        let is_ours = match left {
            Some(left) => place.repo.is_ancestor(left, chain.id)?,
            None => true,
        };
        if is_ours && (count > 0 || left != Some(theirs)) {
            return Ok(End::Forgotten(theirs));
        }
    }
    Ok(End::Refused(PushEnd::Behind))
}

/// Sends the chains that can be sent, and writes down what came of each.
fn send(place: &Place, request: &Request<'_>, chains: &mut [(ToSend, End)]) -> anyhow::Result<()> {
    let store = Store::new(&place.repo);
    let mut free: Vec<_> = chains.iter_mut().filter(|(_, end)| end.is_sent()).collect();
    for batch in free.chunks_mut(REFS_PER_CALL_MAX) {
        let specs: Vec<String> = batch
            .iter()
            .map(|(chain, _)| format!("{}:{REFS}{}", chain.id, chain.session))
            .collect();
        let pushed = place.repo.push(request.transfer, &specs)?;
        for (chain, end) in batch {
            let name = format!("{REFS}{}", chain.session);
            *end = end_of(&pushed, &name);
            if end.is_sent() {
                store.note_sent(request.transfer.remote, &chain.session, chain.id)?;
            }
        }
    }
    Ok(())
}

/// A ref that the remote had already, since somebody sent the same, is as good as sent.
fn end_of(pushed: &[Pushed], name: &str) -> End {
    // A remote may be several, of which one is enough to refuse.
    let mut ends = pushed.iter().filter(|one| one.name == name);
    let refused = ends.find(|one| one.end != PushEnd::Sent);
    refused.map_or(End::Sent, |one| End::Refused(one.end.clone()))
}

/// Sends our notes, with the remote's merged in where it has some of its own.
fn notes(
    place: &Place,
    request: &Request<'_>,
    mut ours: Oid,
    mut theirs: Option<Oid>,
) -> anyhow::Result<Option<End>> {
    if request.dry_run {
        return Ok(Some(End::Sent));
    }
    let repo = &place.repo;
    let fetched = layout::remote_notes_ref(request.transfer.remote);
    let mut end = End::Refused(PushEnd::Behind);
    for _ in 0..NOTES_TRIES_MAX {
        if let Some(id) = theirs
            && !(repo.has(id) && repo.is_ancestor(id, ours)?)
        {
            let wanted = [(NOTES_REF.to_owned(), fetched.clone())];
            repo.fetch_refs(request.transfer, &wanted, &BTreeSet::from([ours]))?;
            let forgotten = super::forgotten(place);
            if Store::new(repo).clean_notes(&forgotten, &fetched)? {
                repo.merge_notes(NOTES_REF, &fetched)?;
                return Ok(Some(End::Forgotten(id)));
            }
            repo.merge_notes(NOTES_REF, &fetched)?;
            ours = repo.find_ref(NOTES_REF)?.unwrap_or(ours);
            if repo.find_ref(&fetched)? == Some(ours) {
                return Ok(None);
            }
        }
        let pushed = repo.push(request.transfer, &[format!("{ours}:{NOTES_REF}")])?;
        end = end_of(&pushed, NOTES_REF);
        if end != End::Refused(PushEnd::Behind) {
            break;
        }
        let now = repo.remote_refs(request.transfer, &[NOTES_REF])?;
        theirs = now.get(NOTES_REF);
    }
    Ok(Some(end))
}
