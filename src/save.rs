//! The journey in: conversation and repository → census → draft → card → commit.

mod by_hand;
mod by_model;
mod carrying;
mod notes_file;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::census;
use crate::deadline::Deadline;
use crate::handoff::card::{Card, Continues, Draft, Frame, Provenance, Stored, Writer};
use crate::handoff::census::Census;
use crate::handoff::claim::Verdict;
use crate::handoff::session::{Kind, SessionId, Trigger};
use crate::handoff::subagent::Subagent;
use crate::handoff::transcript::Transcript;
use crate::place::Place;
use crate::secrets;
use crate::store::layout::WRITER;
use crate::store::{Appended, Store};
use crate::verify;
use crate::writer::{self, Brief, Handed};
pub(crate) use by_hand::{Desk, Hand, read};
pub(crate) use by_model::{Asking, cost, heard, is_model, put, question, rewritten};
pub(crate) use carrying::Carry;

/// What a census may take of a save's time.
const CENSUS_TIME_MAX: Duration = Duration::from_secs(5);
/// A card by hand is looked for this far back.
const HAND_SEARCH_CARDS_MAX: usize = 8;

/// What a card is made of beside the repository.
#[derive(Debug, Clone)]
pub(crate) struct Request<'r> {
    /// The host's name; `none` for a card without one.
    pub(crate) host: &'r str,
    /// The conversation.
    pub(crate) session: SessionId,
    /// The folder that it is in.
    pub(crate) cwd: PathBuf,
    /// What was said; none where there is no transcript.
    pub(crate) transcript: Option<&'r Transcript>,
    /// Its file.
    pub(crate) transcript_path: Option<&'r Path>,
    /// What the commit is.
    pub(crate) kind: Kind,
    /// Why now.
    pub(crate) trigger: Trigger,
    /// What the person wrote behind `/compact` or `save -m`.
    pub(crate) instructions: Option<String>,
    /// The session's subagents.
    pub(crate) subagents: Vec<Subagent>,
    /// The card of another session that this one goes on from.
    pub(crate) continues: Option<Continues>,
    /// The environment's variables, for finding their values in text.
    pub(crate) variables: &'r [(String, String)],
    /// Whether the card carries the uncommitted work.
    pub(crate) carry: Carry,
    /// Who writes the draft.
    pub(crate) source: Source,
}

/// Who writes the draft of a card.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// The rules, from the conversation and the census.
    Rules,
    /// Somebody has.
    Given {
        /// What was written.
        draft: Box<Draft>,
        /// By whom.
        writer: Writer,
    },
}

/// What came of a save.
#[derive(Debug)]
pub(crate) struct Saved {
    /// The card as it was written.
    pub(crate) card: Card,
    /// Its commit, or that of the equal card that stood there.
    pub(crate) appended: Appended,
}

/// Writes a card and commits it, while nobody writes the chains anew.
pub(crate) fn run(
    place: &Place,
    request: &Request<'_>,
    deadline: Deadline,
) -> anyhow::Result<Saved> {
    place.state.saving(|| write(place, request, deadline))
}

fn write(place: &Place, request: &Request<'_>, deadline: Deadline) -> anyhow::Result<Saved> {
    let store = Store::new(&place.repo);
    place.state.name_repository();
    // A tip that cannot be read costs what it said, not the new card.
    let (previous, unread) = match store.tip(&request.session) {
        Ok(tip) => (tip, None),
        Err(err) => (None, Some(err)),
    };
    let card = card(Some(place), previous.as_ref(), request, deadline);
    let mut saved = commit(place, previous.as_ref(), card, &request.cwd)?;
    let unread = unread.map(|err| format!("the card before it was not heard: {err:#}"));
    saved.appended.warnings.extend(unread);
    Ok(saved)
}

/// Commits a finished card, and remembers that its work tree's newest one is in this session. The card that the session
/// goes on from becomes a parent once: the card before says whether it has been. What is kept beside git may fail without
/// costing the card.
pub(crate) fn commit(
    place: &Place,
    previous: Option<&Stored>,
    card: Card,
    cwd: &Path,
) -> anyhow::Result<Saved> {
    let continues = card.provenance.continues.as_ref();
    let linked = previous.and_then(|stored| stored.card.provenance.continues.as_ref()) == continues;
    let parent = continues.filter(|_| !linked).map(|one| one.card.clone());
    let mut appended = Store::new(&place.repo)
        .signing(place.settings.sign)
        .append(&card, parent.as_deref())?;
    let root = place.root(cwd);
    let session = &card.provenance.session;
    let mut beside = Vec::new();
    // A card without a conversation does not stand before one that has one.
    if !session.is_unknown() || place.state.newest(&root).is_none() {
        beside.push(place.state.set_newest(&root, session.ref_name()));
    }
    if appended.written && card.provenance.kind == Kind::Card {
        beside.push(notes_file::write(place, &card, &root));
    }
    let failed = beside.into_iter().filter_map(Result::err);
    appended
        .warnings
        .extend(failed.map(|err| format!("{err:#}")));
    Ok(Saved { card, appended })
}

/// The card that would be stored; without a place it rests on the transcript alone. The card before a chain's first is the
/// one that it goes on from. No secret that is known leaves here.
pub(crate) fn card(
    place: Option<&Place>,
    previous: Option<&Stored>,
    request: &Request<'_>,
    deadline: Deadline,
) -> Card {
    let taken_up = place.and_then(|place| taken_up(place, request));
    let previous = previous.or(taken_up.as_ref());
    let repo = place.and_then(Place::census_repo);
    let own: &[String] = place.map_or(&[], |place| &place.settings.redact);
    let redactor = secrets::redactor(request.variables, repo, own);
    let known = previous.and_then(|stored| stored.card.census.as_ref()?.carried.as_ref());
    let command = place.and_then(|place| place.settings.census_command.as_deref());
    let mut census = repo.map(|repo| match request.carry {
        Carry::No => census::take(repo, command, deadline.at_most(CENSUS_TIME_MAX)),
        carry => carrying::census(repo, command, &redactor, known, carry, deadline),
    });
    let here = is_about(request.transcript, census.as_ref());
    let by_hand = place.and_then(|place| last_by_hand(place, previous));
    let (mut draft, writer, mut redactions) = match &request.source {
        Source::Given { draft, writer } => {
            let draft = without_known_decisions((**draft).clone(), previous);
            (draft, writer.clone(), BTreeMap::new())
        }
        Source::Rules => {
            let (draft, redactions) = writer::by_rules(&Brief {
                transcript: request.transcript,
                census: census.as_ref(),
                previous: previous.map(|stored| &stored.card),
                by_hand: by_hand.as_ref().map(handed),
                goes_on_from: taken_up.as_ref().map(handed),
                instructions: request.instructions.as_deref(),
                redactor: &redactor,
                root: census
                    .as_ref()
                    .map(|census| census.root.as_str())
                    .filter(|_| here),
            });
            (draft, Writer::Rules { because: None }, redactions)
        }
    };
    // Judged by the names that things have; what is taken out of a name could not be found.
    let ground = repo.filter(|_| here).zip(census.as_ref());
    if let Some((repo, census)) = ground {
        verify::fill_blobs(repo, census, &mut draft.sections);
    }
    let (ground, known) = ground.unzip();
    let mut clean = |text: &str| redactor.clean(text, &mut redactions);
    let verdicts: Vec<Verdict> = draft
        .sections
        .iter()
        .map(|(section, claim)| verify::judge(ground, known, section, claim).map_text(&mut clean))
        .collect();
    draft.map_texts(&mut clean);
    if let Some(census) = &mut census {
        census.map_texts(&mut clean);
    }
    let mut subagents = request.subagents.clone();
    for one in &mut subagents {
        one.prompt = one.prompt.as_deref().map(&mut clean);
        one.result = one.result.as_deref().map(&mut clean);
    }
    let instructions = request.instructions.as_deref().map(&mut clean);
    let frame = Frame {
        provenance: provenance(place, request, instructions),
        writer,
        decisions: previous
            .map(|stored| stored.card.decisions.clone())
            .unwrap_or_default(),
        subagents,
        census,
        redactions,
    };
    let mut verdicts = verdicts.into_iter();
    Card::judge(draft, frame, |_, _| {
        verdicts.next().unwrap_or(Verdict::Unconfirmed(None))
    })
}

fn handed(stored: &Stored) -> Handed<'_> {
    Handed {
        card: &stored.card,
        at: stored.at,
    }
}

/// The card of another conversation that this one goes on from; none where it was only fetched: what others wrote is read,
/// and not said again as ours.
fn taken_up(place: &Place, request: &Request<'_>) -> Option<Stored> {
    let link = request.continues.as_ref()?;
    let stored = Store::new(&place.repo).resolve(&link.card).ok()?;
    stored.remote.is_none().then_some(stored)
}

/// The last card that was written by hand, a few cards back at most: autosaves and other events of the same compaction may
/// stand on top of it. Whether it still holds, the writer says.
fn last_by_hand(place: &Place, previous: Option<&Stored>) -> Option<Stored> {
    let (store, previous) = (Store::new(&place.repo), previous?);
    let cards = store.lineage([(previous.id.clone(), previous.at)]).ok()?;
    let mut seen = cards.take(HAND_SEARCH_CARDS_MAX).filter_map(Result::ok);
    let by_hand = seen.find(|one| {
        one.trailer(WRITER) == Some(Writer::Hand.name()) && one.kind_and_trigger().0 == Kind::Card
    })?;
    store.read(&by_hand.id).ok()
}

/// A draft without decisions that stand in the log already: whoever writes by hand may well tell them again.
fn without_known_decisions(mut draft: Draft, previous: Option<&Stored>) -> Draft {
    if let Some(previous) = previous {
        let log = &previous.card.decisions;
        draft
            .decisions
            .retain(|one| log.standing().all(|old| old.what != one.what));
    }
    draft
}

/// Whether the conversation was in this work tree: of one that was elsewhere the repository here can say nothing.
fn is_about(transcript: Option<&Transcript>, census: Option<&Census>) -> bool {
    let (Some(transcript), Some(census)) = (transcript, census) else {
        return true;
    };
    let root = Path::new(&census.root);
    let mut cwds = transcript.cwds.iter().map(Path::new).peekable();
    cwds.peek().is_none() || cwds.any(|cwd| cwd.starts_with(root) || root.starts_with(cwd))
}

fn provenance(
    place: Option<&Place>,
    request: &Request<'_>,
    instructions: Option<String>,
) -> Provenance {
    Provenance {
        session: request.session.clone(),
        host: request.host.to_owned(),
        kind: request.kind,
        trigger: request.trigger,
        instructions,
        transcript: request
            .transcript_path
            .map(|path| path.to_string_lossy().into_owned()),
        cwd: Some(request.cwd.to_string_lossy().into_owned()),
        repository: place.and_then(|place| place.state.repository()),
        continues: request.continues.clone(),
    }
}
