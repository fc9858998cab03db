//! The journey in: conversation and repository → census → draft → card → commit.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::census;
use crate::deadline::Deadline;
use crate::handoff::card::{Card, Continues, Draft, Frame, Provenance, Stored, Writer};
use crate::handoff::decision::DecisionLog;
use crate::handoff::session::{Kind, SessionId, Trigger};
use crate::handoff::subagent::Subagent;
use crate::handoff::transcript::Transcript;
use crate::place::Place;
use crate::secrets;
use crate::store::{Appended, Store};
use crate::verify;
use crate::writer::{self, Brief};

/// What a census may take of a save's time.
const CENSUS_TIME_MAX: Duration = Duration::from_secs(5);

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
}

/// What came of a save.
#[derive(Debug)]
pub(crate) struct Saved {
    /// The card as it was written.
    pub(crate) card: Card,
    /// Its commit, or that of the equal card that stood there.
    pub(crate) appended: Appended,
}

/// Writes a card and commits it.
pub(crate) fn run(
    place: &Place,
    request: &Request<'_>,
    deadline: Deadline,
) -> anyhow::Result<Saved> {
    let store = Store::new(&place.repo);
    let previous = store.tip(&request.session)?;
    let card = card(Some(place), previous.as_ref(), request, deadline);
    commit(place, previous.as_ref(), card, &request.cwd)
}

/// Commits a finished card, and remembers that its work tree's newest one is in this session. The card that the session
/// goes on from becomes a parent once: the card before says whether it has been.
pub(crate) fn commit(
    place: &Place,
    previous: Option<&Stored>,
    card: Card,
    cwd: &Path,
) -> anyhow::Result<Saved> {
    let continues = card.provenance.continues.as_ref();
    let linked = previous.and_then(|stored| stored.card.provenance.continues.as_ref()) == continues;
    let parent = continues.filter(|_| !linked).map(|one| one.card.clone());
    let appended = Store::new(&place.repo).append(&card, parent.as_deref())?;
    place
        .state
        .set_newest(&place.root(cwd), card.provenance.session.ref_name())?;
    Ok(Saved { card, appended })
}

/// The card by rules, not stored; without a place it rests on the transcript alone.
pub(crate) fn card(
    place: Option<&Place>,
    previous: Option<&Stored>,
    request: &Request<'_>,
    deadline: Deadline,
) -> Card {
    let repo = place.and_then(Place::census_repo);
    let command = place.and_then(|place| place.settings.census_command.as_deref());
    let census = repo.map(|repo| census::take(repo, command, deadline.at_most(CENSUS_TIME_MAX)));
    let own: &[String] = place.map_or(&[], |place| &place.settings.redact);
    let redactor = secrets::redactor(request.variables, repo.and_then(|repo| repo.workdir()), own);
    let brief = Brief {
        transcript: request.transcript,
        census: census.as_ref(),
        previous: previous.map(|stored| &stored.card),
        instructions: request.instructions.as_deref(),
        redactor: &redactor,
        root: census.as_ref().map(|census| census.root.as_str()),
    };
    let (draft, mut redactions) = writer::by_rules(&brief);
    let mut clean = |text: &str| redactor.clean(text, &mut redactions);
    let instructions = request.instructions.as_deref().map(&mut clean);
    let subagents = request
        .subagents
        .iter()
        .map(|one| cleaned(one, &mut clean))
        .collect();
    let decisions = previous
        .map(|stored| stored.card.decisions.clone())
        .unwrap_or_default();
    let frame = frame(
        request,
        Text {
            instructions,
            subagents,
            decisions,
            redactions,
        },
        census,
    );
    judge(place, draft, frame)
}

/// Judges a draft by the repository.
pub(crate) fn judge(place: Option<&Place>, mut draft: Draft, frame: Frame) -> Card {
    let repo = place.and_then(Place::census_repo);
    let census = frame.census.clone();
    if let Some((repo, census)) = repo.zip(census.as_ref()) {
        verify::fill_blobs(repo, census, &mut draft.sections);
    }
    Card::judge(draft, frame, |section, claim| {
        verify::judge(repo, census.as_ref(), section, claim)
    })
}

/// The texts of a frame, redacted.
struct Text {
    instructions: Option<String>,
    subagents: Vec<Subagent>,
    decisions: DecisionLog,
    redactions: std::collections::BTreeMap<String, u32>,
}

fn frame(
    request: &Request<'_>,
    text: Text,
    census: Option<crate::handoff::census::Census>,
) -> Frame {
    Frame {
        provenance: Provenance {
            session: request.session.clone(),
            host: request.host.to_owned(),
            kind: request.kind,
            trigger: request.trigger,
            instructions: text.instructions,
            transcript: request
                .transcript_path
                .map(|path| path.to_string_lossy().into_owned()),
            cwd: Some(request.cwd.to_string_lossy().into_owned()),
            continues: request.continues.clone(),
        },
        writer: Writer::Rules { because: None },
        decisions: text.decisions,
        subagents: text.subagents,
        census,
        redactions: text.redactions,
    }
}

fn cleaned(one: &Subagent, clean: &mut impl FnMut(&str) -> String) -> Subagent {
    Subagent {
        prompt: one.prompt.as_deref().map(&mut *clean),
        result: one.result.as_deref().map(&mut *clean),
        ..one.clone()
    }
}
