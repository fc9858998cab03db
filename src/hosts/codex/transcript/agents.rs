//! The subagents that a conversation started, as its own rollout tells of them.

use crate::handoff::clip;
use crate::handoff::subagent::{Subagent, SubagentState};
use crate::handoff::transcript::{AGENT_BYTES_MAX, INPUT_BYTES_MAX};

/// Subagents that are kept; the oldest of more is forgotten.
const AGENTS_MAX: usize = 256;
/// Codex's words for a subagent that goes on (0.171.0); any other word is an end.
const RUNNING: &[&str] = &["started", "interacted", "resumed"];
/// How a subagent's last answer is marked, and what stands right before its words.
const ANSWER: (&str, &str) = ("Message Type: FINAL_ANSWER", "Payload:\n");

/// All of them, in the order of their start.
#[derive(Default)]
pub(super) struct Agents(Vec<Known>);

/// One of them.
struct Known {
    /// Its name in messages, such as `/root/check_readme`.
    path: String,
    agent: Subagent,
}

impl Agents {
    /// Something happened to a subagent; `asked` is its kind and its task where the call that started it is known.
    pub(super) fn seen(
        &mut self,
        at: i64,
        thread: &str,
        path: &str,
        activity: &str,
        asked: Option<(Option<&str>, &str)>,
    ) {
        if thread.is_empty() {
            return;
        }
        let state = if RUNNING.contains(&activity) {
            SubagentState::Running
        } else {
            SubagentState::Finished
        };
        if let Some(known) = self.0.iter_mut().find(|known| known.agent.id == thread) {
            known.agent.state = state;
            return;
        }
        if self.0.len() == AGENTS_MAX {
            self.0.remove(0);
        }
        self.0.push(Known {
            path: path.to_owned(),
            agent: Subagent {
                id: thread.to_owned(),
                kind: asked.and_then(|(kind, _)| kind).map(str::to_owned),
                prompt: asked.map(|(_, prompt)| clip::head(prompt, INPUT_BYTES_MAX)),
                started: Some(at),
                state,
                output: None,
                result: None,
            },
        });
    }

    /// A message from `author` to another agent; a last answer is its result.
    pub(super) fn heard(&mut self, author: &str, words: &str) {
        let (kind, before) = ANSWER;
        let answer = words
            .starts_with(kind)
            .then(|| words.split_once(before))
            .flatten();
        let known = self.0.iter_mut().rfind(|known| known.path == author);
        if let (Some((_, answer)), Some(known)) = (answer, known) {
            known.agent.state = SubagentState::Finished;
            known.agent.result = Some(clip::ends(answer, AGENT_BYTES_MAX));
        }
    }

    /// As values.
    pub(super) fn finish(self) -> Vec<Subagent> {
        self.0.into_iter().map(|known| known.agent).collect()
    }
}
