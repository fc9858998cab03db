//! What happens at each moment of a session. Every function here may fail; only `commands::hook` turns a failure into
//! "the host goes on".

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::deadline::Deadline;
use crate::handoff::card::Continues;
use crate::handoff::session::{Kind, SessionId, Trigger};
use crate::handoff::subagent::{Subagent, SubagentState};
use crate::handoff::transcript::{ContextUse, Transcript};
use crate::hosts::{Adapter, Event, Moment, Reply, Source};
use crate::place::{Make, Place};
use crate::save::{self, Carry, Request};
use crate::secrets;
use crate::settings::Env;
use crate::state::host_process::{self, HostProcess};
use crate::state::log::Did;
use crate::state::seats::Seat;
use crate::state::sessions::{SessionState, Waiting};

mod begin;
mod compaction;
mod function_hook;
mod giving;
mod model;
mod subagents;
mod turn;
mod whereabouts;

/// How long a hook may work, waiting for subagents apart. Hosts wait for it at every one of these moments.
const WORK_TIME_MAX: Duration = Duration::from_secs(20);
/// The same at a session's end, where Codex 0.171.0 kills a hook after 3 s.
const END_TIME_MAX: Duration = Duration::from_secs(2);

/// What came of a moment.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// For the host.
    pub(crate) reply: Reply,
    /// For the log.
    pub(crate) did: Did,
    /// The card that it is about (hex).
    pub(crate) card: Option<String>,
    /// Whatever else there is to say.
    pub(crate) note: String,
}

impl Outcome {
    /// Nothing to do, nothing to say.
    pub(crate) fn nothing() -> Self {
        Self {
            reply: Reply::Quiet,
            did: Did::Nothing,
            card: None,
            note: String::new(),
        }
    }

    /// One more thing to say in the log.
    fn add_note(&mut self, more: &str) {
        if !self.note.is_empty() {
            self.note.push_str("; ");
        }
        self.note.push_str(more);
    }
}

/// One event of a host, with everything that is needed to act on it.
pub(crate) struct Scene<'s> {
    host: &'static Adapter,
    env: &'s Env,
    event: &'s Event,
    session: SessionId,
    variables: &'s [(String, String)],
    deadline: Deadline,
    /// The folder that the conversation is in, once its place is found.
    dir: PathBuf,
}

impl<'s> Scene<'s> {
    /// Words without the secrets that we know.
    fn clean(&self, place: &Place, words: &str) -> String {
        let own = &place.settings.redact;
        let redactor = secrets::redactor(self.variables, place.census_repo(), own);
        redactor.clean(words, &mut BTreeMap::new())
    }

    /// The scene of an event. `variables` are the environment's, for finding their values in text.
    pub(crate) fn new(
        host: &'static Adapter,
        env: &'s Env,
        event: &'s Event,
        variables: &'s [(String, String)],
    ) -> Self {
        let session = event
            .session
            .as_deref()
            .map_or_else(SessionId::unknown, SessionId::new);
        let ends = matches!(event.moment, Moment::SessionEnd(_));
        let deadline = Deadline::after(if ends { END_TIME_MAX } else { WORK_TIME_MAX });
        Self {
            host,
            env,
            event,
            session,
            variables,
            deadline,
            dir: event.cwd.as_ref().unwrap_or(&env.cwd).clone(),
        }
    }

    /// The place whose cards and log this event is about; none where nothing is to be made and nothing is there.
    pub(crate) fn place(&mut self) -> anyhow::Result<Option<Place>> {
        let make = match self.event.moment {
            Moment::PreCompact { .. }
            | Moment::SummaryWanted { .. }
            | Moment::Stop { .. }
            | Moment::SessionEnd(_) => Make::Yes,
            _ => Make::No,
        };
        let began = self.env.project_dir.as_deref();
        let began = began.filter(|_| self.host.names_project);
        let found = whereabouts::find(self.env, (began, &self.dir), &self.session, make)?;
        Ok(found.map(|(place, dir)| {
            self.dir = dir;
            place
        }))
    }

    /// Acts. Inside of a subagent nothing happens: its events carry the main conversation's session, and its compaction is
    /// none of the conversation's.
    pub(crate) fn act(&self, place: &Place) -> anyhow::Result<Outcome> {
        if self.event.agent.is_some() {
            return Ok(Outcome::nothing());
        }
        let mut outcome = match &self.event.moment {
            Moment::PreCompact {
                manual,
                instructions,
            } => compaction::before(self, place, *manual, instructions.as_deref()),
            Moment::SessionStart(source) => begin::session(self, place, *source),
            Moment::PromptSubmit { .. } => turn::prompt(self, place),
            Moment::Stop { running } => turn::ended(self, place, running),
            Moment::SessionEnd(reason) => turn::session_ended(self, place, *reason),
            Moment::SubagentStart(seen) => subagents::started(self, place, seen),
            Moment::SubagentStop(seen) => subagents::ended(self, place, seen),
            Moment::PreSpawn { kind, prompt } => {
                subagents::announced(self, place, kind.as_deref(), prompt)
            }
            Moment::SummaryWanted {
                manual,
                instructions,
                running,
                held,
            } => {
                let instructions = instructions.as_deref();
                function_hook::wanted(self, place, (*manual, instructions), running, *held)
            }
            Moment::SummaryWritten(brought) => function_hook::written(self, place, brought),
            Moment::PostCompact | Moment::Other(_) => Ok(Outcome::nothing()),
        };
        if self.may_sit_anew(&outcome)
            && let SeatOf::Person(seat) = self.seat()
        {
            // Who sits here is for the next `/clear`; what this moment brought is worth more.
            let sat = place
                .state
                .sit(&seat, self.host.name, self.session.as_str());
            if let (Ok(outcome), Err(err)) = (&mut outcome, sat) {
                outcome.add_note(&format!("{err:#}"));
            }
        }
        outcome
    }

    /// Whether somebody may sit here who did not a moment ago: a conversation begins, or has something to save or to be
    /// told. To find the seat costs as much as the rest of a hook that has nothing to do.
    fn may_sit_anew(&self, outcome: &anyhow::Result<Outcome>) -> bool {
        let begins = matches!(self.event.moment, Moment::SessionStart(_));
        let idle = matches!(outcome, Ok(outcome) if outcome.did == Did::Nothing);
        !self.session.is_unknown() && (begins || !idle)
    }

    fn now(&self) -> i64 {
        self.env.git.now
    }

    /// Where the person sits: the host's process, else the pane, else nowhere that can be told from other places.
    fn seat(&self) -> SeatOf {
        let proc = Path::new("/proc");
        let process = match (self.host.processes.names_itself, self.env.claude_pid) {
            (true, Some(pid)) => host_process::of_pid(proc, pid),
            _ => host_process::above(
                proc,
                std::process::id(),
                self.host.processes.program,
                self.host.processes.shared,
            ),
        };
        match process {
            HostProcess::Seat(seat) => SeatOf::Person(seat),
            HostProcess::Shared => SeatOf::Nobody,
            HostProcess::Unknown => self
                .env
                .pane
                .as_deref()
                .map_or(SeatOf::Nobody, |pane| SeatOf::Person(Seat::pane(pane))),
        }
    }

    /// The transcript's file: as the host named it, else the one that bears the session's id.
    fn transcript_path(&self) -> Option<PathBuf> {
        let named = self.event.transcript.clone().filter(|path| path.is_file());
        named.or_else(|| {
            (self.host.find_session)(&self.env.places, self.event.session.as_deref()?).ok()?
        })
    }

    /// What was said in this conversation.
    fn heard(&self) -> Heard {
        let path = self.transcript_path();
        let length = path.as_deref().and_then(file_length);
        let (transcript, note) = match path.as_deref().map(self.host.read) {
            Some(Ok(transcript)) => (Some(transcript), String::new()),
            Some(Err(err)) => (None, format!("without the transcript: {err:#}")),
            None => (None, "without a transcript: there is none".to_owned()),
        };
        Heard {
            path,
            length,
            transcript,
            note,
        }
    }

    /// Writes a card of this conversation and notes that it was saved.
    fn save(
        &self,
        place: &Place,
        state: &SessionState,
        kind: Kind,
        trigger: Trigger,
        instructions: Option<&str>,
    ) -> anyhow::Result<Written> {
        self.save_heard(place, state, self.heard(), (kind, trigger), instructions)
    }

    /// The same with what was said at hand. A card that stands costs nothing more where it cannot be noted down.
    fn save_heard(
        &self,
        place: &Place,
        state: &SessionState,
        heard: Heard,
        (kind, trigger): (Kind, Trigger),
        instructions: Option<&str>,
    ) -> anyhow::Result<Written> {
        let request = self.request(
            place,
            state,
            (kind, trigger),
            instructions,
            heard.path.as_deref(),
            heard.transcript.as_ref(),
        );
        let saved = save::run(place, &request, self.deadline)?;
        let card = saved.appended.id.clone();
        let ((), trouble) = place.state.change_session(&self.session, |state| {
            state.saved_at = Some(self.now());
            state.saved_length = heard.length;
            if trigger_waits(trigger) {
                state.waiting = Some(Waiting { card: card.clone() });
            }
        });
        let did = if saved.appended.written {
            Did::Saved
        } else {
            Did::Unchanged
        };
        let note = std::iter::once(heard.note)
            .chain(saved.appended.warnings)
            .chain(trouble.map(|err| format!("{err:#}")))
            .filter(|text| !text.is_empty());
        Ok(Written {
            card,
            did,
            note: note.collect::<Vec<_>>().join("; "),
        })
    }

    /// What a card of this conversation is made of.
    fn request<'r>(
        &'r self,
        place: &Place,
        state: &SessionState,
        (kind, trigger): (Kind, Trigger),
        instructions: Option<&str>,
        path: Option<&'r Path>,
        transcript: Option<&'r Transcript>,
    ) -> Request<'r> {
        Request {
            host: self.host.name,
            session: self.session.clone(),
            cwd: self.dir.clone(),
            transcript,
            transcript_path: path,
            kind,
            trigger,
            instructions: instructions.map(str::to_owned),
            subagents: on_card(state, transcript),
            continues: state.continues.as_ref().map(|link| Continues {
                session: SessionId::new(&link.session),
                card: link.card.clone(),
            }),
            variables: self.variables,
            carry: Carry::wished(place.settings.carry_worktree),
            source: save::Source::Rules,
        }
    }

    /// How full the window is, in percent; none where the host does not say how much it holds.
    fn fill_percent(&self, state: &SessionState) -> Option<u64> {
        let ContextUse { used, window } = (self.host.context)(&self.transcript_path()?)?;
        let window = window.or(state.window).filter(|window| *window > 0)?;
        Some(used.saturating_mul(100) / window)
    }
}

/// Where somebody sits, or nobody: a process that serves several conversations is no seat, nor is the environment that it
/// hands on.
enum SeatOf {
    Person(Seat),
    Nobody,
}

/// What was said in a conversation, as far as its transcript can be read.
struct Heard {
    path: Option<PathBuf>,
    length: Option<u64>,
    transcript: Option<Transcript>,
    /// Why there is nothing, for the log.
    note: String,
}

/// A card that was written, or stood there already.
struct Written {
    card: String,
    did: Did,
    note: String,
}

/// The subagents that stand on a card: those that run, and those that ended behind everything that was said, so that the
/// conversation cannot know yet what came of them.
fn on_card(state: &SessionState, transcript: Option<&Transcript>) -> Vec<Subagent> {
    let said = transcript.and_then(|transcript| transcript.turns.last());
    let said = said.map_or(i64::MIN, |turn| turn.at);
    let mut agents = united(state.subagents(), transcript);
    agents.retain(|one| one.state == SubagentState::Running || state.ended_after(&one.id, said));
    agents
}

/// The ledger's subagents, and those that only the transcript knows: a host may have no event for them, or we came late.
fn united(mut ledger: Vec<Subagent>, transcript: Option<&Transcript>) -> Vec<Subagent> {
    for one in transcript
        .iter()
        .flat_map(|transcript| &transcript.subagents)
    {
        match ledger.iter_mut().find(|known| known.id == one.id) {
            Some(known) => known.prompt = known.prompt.take().or_else(|| one.prompt.clone()),
            None => ledger.push(one.clone()),
        }
    }
    ledger
}

/// A card for a compaction waits to be given to the next window.
fn trigger_waits(trigger: Trigger) -> bool {
    matches!(trigger, Trigger::CompactAuto | Trigger::CompactManual)
}

fn file_length(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().map(|meta| meta.len())
}

/// The name of an event for the log.
pub(crate) fn name(moment: &Moment) -> &str {
    match moment {
        Moment::PreCompact { .. } => "PreCompact",
        Moment::PostCompact => "PostCompact",
        Moment::SessionStart(Source::Startup) => "SessionStart(startup)",
        Moment::SessionStart(Source::Resume) => "SessionStart(resume)",
        Moment::SessionStart(Source::Clear) => "SessionStart(clear)",
        Moment::SessionStart(Source::Compact) => "SessionStart(compact)",
        Moment::SessionStart(Source::Fork) => "SessionStart(fork)",
        Moment::SessionEnd(_) => "SessionEnd",
        Moment::PromptSubmit { .. } => "UserPromptSubmit",
        Moment::Stop { .. } => "Stop",
        Moment::SubagentStart(_) => "SubagentStart",
        Moment::SubagentStop(_) => "SubagentStop",
        Moment::PreSpawn { .. } => "PreToolUse",
        Moment::SummaryWanted { .. } => "session.compact(prompt)",
        Moment::SummaryWritten(_) => "session.compact(answer)",
        Moment::Other(name) => name,
    }
}
