//! What a session has under way: the card that waits to be given, its subagents.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{StateDir, change_anyway, read_or_default, update};
use crate::handoff::clip;
use crate::handoff::session::SessionId;
use crate::handoff::subagent::{Subagent, SubagentState};

/// Ended subagents are remembered up to here, the newest.
const ENDED_MAX: usize = 32;
/// Prompts of subagents about to start are remembered up to here, the newest.
const SPAWNING_MAX: usize = 32;
/// A subagent's prompt or answer is kept up to here, in bytes.
const AGENT_TEXT_BYTES_MAX: usize = 600;

/// What a session has under way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SessionState {
    /// When it was last saved, by whatever kind of card, in seconds since 1970 UTC.
    pub(crate) saved_at: Option<i64>,
    /// How long its transcript was then, in bytes.
    pub(crate) saved_length: Option<u64>,
    /// Compactions that were announced so far.
    pub(crate) compactions: u64,
    /// The card that the next window is to get.
    pub(crate) waiting: Option<Waiting>,
    /// The card of a compaction that a function hook told and did not answer: where the host compacts all the same, it
    /// tells that one once more.
    pub(crate) announced: Option<String>,
    /// The last card that was given.
    pub(crate) given: Option<Giving>,
    /// The card of another session that this one goes on from; its first card is linked to it.
    pub(crate) continues: Option<Link>,
    /// Its subagents, in the order in which they started.
    pub(crate) agents: Vec<Agent>,
    /// Subagents that are about to start: the tool's call knows the prompt, the start event the id.
    pub(crate) spawning: Vec<Spawning>,
    /// The compaction count at which the agent was last told that the window is nearly full.
    pub(crate) pressed: Option<u64>,
    /// The window's size in tokens, as the host's status line said.
    pub(crate) window: Option<u64>,
}

/// A card that the next window is to get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waiting {
    /// Its commit id in hex.
    pub(crate) card: String,
}

/// A card that was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Giving {
    /// Its commit id in hex.
    pub(crate) card: String,
    /// The compaction count when it was given.
    pub(crate) compaction: u64,
    /// When, in seconds since 1970 UTC.
    pub(crate) at: i64,
    /// How long the transcript was, in bytes: behind this the text must stand.
    pub(crate) length: Option<u64>,
    /// Whether it is known to have arrived, or was given a second time.
    pub(crate) settled: bool,
    /// Whether it was given because the conversation was taken up again.
    pub(crate) resumed: bool,
    /// Whether it took the conversation's place at a compaction.
    #[serde(default)]
    pub(crate) in_place: bool,
}

/// A card of another session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Link {
    /// That session, by the host's id.
    pub(crate) session: String,
    /// The card's commit id in hex.
    pub(crate) card: String,
}

/// A subagent as the ledger knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Agent {
    /// The host's id of it.
    pub(crate) id: String,
    /// The host's kind.
    pub(crate) kind: Option<String>,
    /// What it was asked, clipped.
    pub(crate) prompt: Option<String>,
    /// When it started, in seconds since 1970 UTC.
    pub(crate) started: Option<i64>,
    /// When an event last named it.
    pub(crate) last_seen: i64,
    /// When it ended; none while it runs.
    pub(crate) ended: Option<i64>,
    /// The file with its conversation or output.
    pub(crate) output: Option<String>,
    /// Its last answer, clipped.
    pub(crate) result: Option<String>,
}

/// A subagent that is about to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Spawning {
    /// The host's kind.
    pub(crate) kind: Option<String>,
    /// What it is asked, clipped.
    pub(crate) prompt: String,
}

impl SessionState {
    /// The ledger's entry of a subagent, made when there is none.
    fn agent(&mut self, id: &str, now: i64) -> &mut Agent {
        let at = self
            .agents
            .iter()
            .position(|one| one.id == id)
            .unwrap_or_else(|| {
                self.agents.push(Agent {
                    id: id.to_owned(),
                    ..Agent::default()
                });
                self.agents.len() - 1
            });
        let agent = &mut self.agents[at];
        agent.last_seen = now;
        agent
    }

    /// A tool's call is about to start a subagent.
    pub(crate) fn agent_announced(&mut self, kind: Option<&str>, prompt: &str) {
        let prompt = clip::head(prompt.trim(), AGENT_TEXT_BYTES_MAX);
        self.spawning.push(Spawning {
            kind: kind.map(str::to_owned),
            prompt,
        });
        let excess = self.spawning.len().saturating_sub(SPAWNING_MAX);
        self.spawning.drain(..excess);
    }

    /// A subagent started.
    pub(crate) fn agent_started(&mut self, id: &str, kind: Option<&str>, now: i64) {
        let announced = self
            .spawning
            .iter()
            .position(|one| one.kind.is_none() || one.kind.as_deref() == kind);
        let prompt = announced.map(|at| self.spawning.remove(at).prompt);
        let agent = self.agent(id, now);
        agent.kind = kind.map(str::to_owned).or(agent.kind.take());
        agent.prompt = prompt.or(agent.prompt.take());
        agent.started = agent.started.or(Some(now));
        agent.ended = None;
    }

    /// A subagent ended, with its conversation's file and its last answer where the host says them.
    pub(crate) fn agent_ended(
        &mut self,
        id: &str,
        kind: Option<&str>,
        output: Option<String>,
        answer: Option<&str>,
        now: i64,
    ) {
        let agent = self.agent(id, now);
        agent.kind = kind.map(str::to_owned).or(agent.kind.take());
        agent.ended = Some(now);
        agent.output = output.or(agent.output.take());
        agent.result = answer
            .map(|text| clip::head(text.trim(), AGENT_TEXT_BYTES_MAX))
            .or(agent.result.take());
        let ended = self.agents.iter().filter(|one| one.ended.is_some()).count();
        let mut excess = ended.saturating_sub(ENDED_MAX);
        self.agents.retain(|one| {
            let drop = excess > 0 && one.ended.is_some();
            excess -= usize::from(drop);
            !drop
        });
    }

    /// The host lists those that run: one that is missing in the ledger joins it.
    pub(crate) fn agent_listed(
        &mut self,
        id: &str,
        kind: Option<&str>,
        description: Option<&str>,
        now: i64,
    ) {
        let known = self.agents.iter().any(|one| one.id == id);
        if !known {
            self.agent_started(id, kind, now);
        }
        let agent = self.agent(id, now);
        if agent.prompt.is_none() {
            agent.prompt = description.map(|text| clip::head(text.trim(), AGENT_TEXT_BYTES_MAX));
        }
    }

    /// Whether that subagent ended later than `moment` (seconds since 1970 UTC).
    pub(crate) fn ended_after(&self, id: &str, moment: i64) -> bool {
        let ended = self.agents.iter().find(|one| one.id == id);
        ended
            .and_then(|one| one.ended)
            .is_some_and(|at| at > moment)
    }

    /// Whether any subagent runs.
    pub(crate) fn agents_run(&self) -> bool {
        self.agents.iter().any(|one| one.ended.is_none())
    }

    /// The ledger as it stands on a card.
    pub(crate) fn subagents(&self) -> Vec<Subagent> {
        let on_card = |one: &Agent| Subagent {
            id: one.id.clone(),
            kind: one.kind.clone(),
            prompt: one.prompt.clone(),
            started: one.started,
            state: if one.ended.is_some() {
                SubagentState::Finished
            } else {
                SubagentState::Running
            },
            output: one.output.clone(),
            result: one.result.clone(),
        };
        self.agents.iter().map(on_card).collect()
    }
}

impl StateDir {
    /// What a session has under way.
    pub(crate) fn session(&self, session: &SessionId) -> SessionState {
        read_or_default(&self.session_path(session))
    }

    /// Whether anything was noted down of a session.
    pub(crate) fn knows(&self, session: &SessionId) -> bool {
        self.session_path(session).is_file()
    }

    /// Changes what a session has under way, alone among the hooks that run at the same time.
    pub(crate) fn update_session<R>(
        &self,
        session: &SessionId,
        change: impl FnOnce(&mut SessionState) -> R,
    ) -> anyhow::Result<R> {
        update(&self.session_path(session), change)
    }

    /// The same where what comes of it is needed though it cannot be written down: then also why not.
    pub(crate) fn change_session<R>(
        &self,
        session: &SessionId,
        change: impl FnOnce(&mut SessionState) -> R,
    ) -> (R, Option<anyhow::Error>) {
        change_anyway(&self.session_path(session), change)
    }

    fn session_path(&self, session: &SessionId) -> PathBuf {
        self.dir
            .join("sessions")
            .join(format!("{}.json", session.ref_name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_joins_prompt_start_and_end() {
        let mut state = SessionState::default();
        state.agent_announced(Some("general-purpose"), "count the lines");
        state.agent_announced(Some("explore"), "look around");
        state.agent_started("a1", Some("explore"), 10);
        state.agent_started("a2", Some("general-purpose"), 11);
        state.agent_ended(
            "a1",
            Some("explore"),
            Some("/tmp/a1.jsonl".into()),
            Some("nothing here"),
            20,
        );
        assert!(state.agents_run());
        let on_card = state.subagents();
        assert_eq!(on_card[0].prompt.as_deref(), Some("look around"));
        assert_eq!(on_card[0].state, SubagentState::Finished);
        assert_eq!(on_card[0].result.as_deref(), Some("nothing here"));
        assert_eq!(on_card[1].prompt.as_deref(), Some("count the lines"));
        assert_eq!(on_card[1].state, SubagentState::Running);
    }

    #[test]
    fn ended_agents_are_forgotten_in_the_end_and_running_ones_never() {
        let mut state = SessionState::default();
        state.agent_started("runs", None, 1);
        for n in 0..100 {
            state.agent_started(&n.to_string(), None, n);
            state.agent_ended(&n.to_string(), None, None, None, n);
        }
        assert_eq!(state.agents.len(), ENDED_MAX + 1);
        assert_eq!(state.agents[0].id, "runs");
        assert_eq!(state.agents.last().unwrap().id, "99");
    }

    #[test]
    fn hooks_that_run_at_the_same_time_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (state, session) = (StateDir::at(dir.path()), SessionId::new("s"));
        std::thread::scope(|scope| {
            for n in 0..8 {
                let (state, session) = (&state, &session);
                scope.spawn(move || {
                    for k in 0..20 {
                        let id = format!("{n}-{k}");
                        state
                            .update_session(session, |s| s.agent_started(&id, None, 1))
                            .unwrap();
                    }
                });
            }
        });
        assert_eq!(state.session(&session).agents.len(), 160);
    }

    #[test]
    fn a_broken_file_is_an_empty_state() {
        let dir = tempfile::tempdir().unwrap();
        let (state, session) = (StateDir::at(dir.path()), SessionId::new("s"));
        crate::files::replace(&dir.path().join("sessions/s.json"), b"{\"compactions\":").unwrap();
        assert_eq!(state.session(&session), SessionState::default());
        state
            .update_session(&session, |s| s.compactions += 1)
            .unwrap();
        assert_eq!(state.session(&session).compactions, 1);
    }
}
