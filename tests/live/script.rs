//! What the model says, and what it was asked: in words that both APIs share.

use std::sync::{Arc, Condvar, Mutex};

use serde_json::Value;

use super::wait::STEP_LIMIT;

/// More tokens than a conversation may hold before either host compacts it by itself (see `host.rs`).
pub(crate) const FULL_TOKENS: u64 = 170_000;

/// A tenth of Claude Code's window, a fifth of Codex's.
const USED_TOKENS: u64 = 100_000;

/// Tokens of an ordinary answer: far from any limit.
const ORDINARY_TOKENS: u64 = 9_000;

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The main conversation.
    Turn,
    /// A subagent's conversation.
    Subagent,
    /// The summary that a compaction asks for.
    Summary,
    /// Titles and the like.
    Aside,
}

/// One request that reached the model.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// What it is for.
    pub(crate) purpose: Purpose,
    /// The newest text of the person's side: a prompt, or a tool's result.
    pub(crate) last: String,
    /// All of it.
    pub(crate) body: Value,
}

impl Request {
    /// Every string in the request that holds `needle`.
    pub(crate) fn texts_with(&self, needle: &str) -> Vec<String> {
        let mut found = Vec::new();
        collect(&self.body, needle, &mut found);
        found
    }
}

/// Puts the strings of `value` that hold `needle` into `found`.
fn collect(value: &Value, needle: &str, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.contains(needle) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, needle, found)),
        Value::Object(fields) => fields
            .values()
            .for_each(|item| collect(item, needle, found)),
        _ => {}
    }
}

/// A piece of an answer.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// Words.
    Text(String),
    /// A shell command to run.
    Command(String),
    /// A subagent to start, with its task.
    Spawn(String),
    /// Wait for subagents: a tool in Codex; Claude Code reports them by itself.
    AwaitAgents,
}

/// One answer of the model.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    /// Its pieces, in order.
    pub(crate) parts: Vec<Part>,
    /// How many tokens it says that the request had.
    pub(crate) input_tokens: u64,
    /// Not sent before this opens.
    gate: Option<Gate>,
}

impl Reply {
    /// An answer of one piece.
    fn of(part: Part) -> Self {
        Self {
            parts: vec![part],
            input_tokens: ORDINARY_TOKENS,
            gate: None,
        }
    }

    /// Words, which end the turn.
    pub(crate) fn text(text: &str) -> Self {
        Self::of(Part::Text(text.to_owned()))
    }

    /// A shell command.
    pub(crate) fn command(command: &str) -> Self {
        Self::of(Part::Command(command.to_owned()))
    }

    /// A subagent.
    pub(crate) fn spawn(task: &str) -> Self {
        Self::of(Part::Spawn(task.to_owned()))
    }

    /// Waiting for subagents.
    pub(crate) fn await_agents() -> Self {
        Self::of(Part::AwaitAgents)
    }

    /// The same, with a context so full that the host compacts before its next request.
    pub(crate) fn filling_the_context(mut self) -> Self {
        self.input_tokens = FULL_TOKENS;
        self
    }

    /// The same, with a context that is far from full, and far from empty.
    pub(crate) fn in_a_used_context(mut self) -> Self {
        self.input_tokens = USED_TOKENS;
        self
    }

    /// The same, held back until the gate opens.
    pub(crate) fn held_by(mut self, gate: &Gate) -> Self {
        self.gate = Some(gate.clone());
        self
    }

    /// Blocks until it may be sent.
    pub(crate) fn wait_for_gate(&self) {
        if let Some(gate) = &self.gate {
            gate.wait();
        }
    }
}

/// Holds an answer back: a subagent whose model has not answered yet is a running one, for as long as the test likes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    /// Lets the answer go.
    pub(crate) fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    /// Blocks until it is open, or for one step's limit.
    fn wait(&self) {
        let shut = self.0.0.lock().unwrap();
        drop(
            self.0
                .1
                .wait_timeout_while(shut, STEP_LIMIT, |open| !*open)
                .unwrap(),
        );
    }
}

/// Which request gets which answer. A rule answers once; the first that fits is taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct Script(Vec<Rule>);

/// One rule.
#[derive(Debug, Clone)]
struct Rule {
    purpose: Purpose,
    needle: &'static str,
    reply: Reply,
}

impl Script {
    /// Adds the answer to the next request of that purpose whose newest text holds `needle` (empty: any).
    pub(crate) fn on(mut self, purpose: Purpose, needle: &'static str, reply: Reply) -> Self {
        self.0.push(Rule {
            purpose,
            needle,
            reply,
        });
        self
    }

    /// Adds another script behind this one.
    pub(crate) fn then(mut self, script: Script) -> Self {
        self.0.extend(script.0);
        self
    }

    /// The answer to a request.
    pub(crate) fn take(&mut self, purpose: Purpose, last: &str) -> Reply {
        let fits = |rule: &Rule| rule.purpose == purpose && last.contains(rule.needle);
        match self.0.iter().position(fits) {
            Some(at) => self.0.remove(at).reply,
            None if purpose == Purpose::Summary => {
                Reply::text("<summary>\nThe total is rounded; the tests are missing.\n</summary>")
            }
            None => Reply::text("Fine."),
        }
    }
}
