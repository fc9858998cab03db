//! A transcript: the conversation in neutral turns, bounded in memory however long the host's file is.

use super::subagent::{Subagent, SubagentState};

/// Text of the person is kept up to here, in bytes.
pub(crate) const PERSON_BYTES_MAX: usize = 6_000;
/// Text of the agent is kept up to here, in bytes.
pub(crate) const AGENT_BYTES_MAX: usize = 3_000;
/// A tool's input is kept up to here, in bytes.
pub(crate) const INPUT_BYTES_MAX: usize = 2_000;
/// A tool's output is kept up to here, in bytes: its beginning and its end.
pub(crate) const OUTPUT_BYTES_MAX: usize = 1_200;
/// When the turns kept exceed this, in bytes, the older half of what tools and the agent said is dropped.
const TRANSCRIPT_BYTES_MAX: usize = 24 << 20;
/// A result belongs to one of this many last turns; hosts write it right behind its call.
const CALLS_OPEN_MAX: usize = 512;
/// What a turn costs beside its text, in bytes.
const TURN_BYTES: usize = 256;

/// A conversation, oldest turn first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Transcript {
    /// The host's id of the conversation, where the file says it.
    pub(crate) session: Option<String>,
    /// The folder in which the conversation began, and each one that it moved to.
    pub(crate) cwds: Vec<String>,
    /// The model of the last answer.
    pub(crate) model: Option<String>,
    /// How full the window was at the last answer.
    pub(crate) context: Option<ContextUse>,
    /// The turns.
    pub(crate) turns: Vec<Turn>,
    /// The subagents that the conversation started, in that order.
    pub(crate) subagents: Vec<Subagent>,
    /// How many turns were dropped to stay in bounds.
    pub(crate) dropped: usize,
    /// How many lines could not be read.
    pub(crate) broken_lines: usize,
    kept_bytes: usize,
}

/// How full a context window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ContextUse {
    /// Tokens in the window at the last answer.
    pub(crate) used: u64,
    /// Tokens that it holds, where the host says it.
    pub(crate) window: Option<u64>,
}

/// One thing that was said or done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    /// When, in seconds since 1970 UTC; 0 where the record has no time.
    pub(crate) at: i64,
    /// What.
    pub(crate) what: What,
}

/// What a turn is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// The person's own words; never a host's reminder, a command's output, or our own text.
    Person(String),
    /// What the agent said to the person.
    Agent(String),
    /// A tool's use, with its result where there is one.
    Tool(ToolUse),
    /// The person interrupted the agent.
    Interrupted,
    /// The conversation was compacted here: what stands before counts less than what stands after.
    Compacted,
}

/// One use of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolUse {
    /// The host's id of the call, by which the result finds it.
    pub(crate) id: String,
    /// What the call does.
    pub(crate) action: Action,
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// What it printed or answered, clipped.
    pub(crate) output: String,
}

/// What a tool's call does, whatever the host calls the tool. Paths are as the host gave them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// Runs a command line.
    Run {
        command: String,
        cwd: Option<String>,
    },
    /// Reads a file.
    Read { path: String },
    /// Changes part of a file; `added` is some of the new text.
    Edit { path: String, added: String },
    /// Writes a whole file.
    Write { path: String },
    /// Deletes a file.
    Delete { path: String },
    /// Searches; the pattern and where.
    Search {
        pattern: String,
        path: Option<String>,
    },
    /// Sets the list of todos or the plan's steps.
    Todos(Vec<Todo>),
    /// Asks the person; the answer stands in the output.
    Ask { questions: Vec<String> },
    /// Lays a plan before the person.
    Plan { text: String },
    /// Starts a subagent.
    Spawn {
        kind: Option<String>,
        prompt: String,
    },
    /// Something else; the tool's name.
    Other { tool: String },
}

/// One todo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Todo {
    /// What is to be done.
    pub(crate) text: String,
    /// How far it is.
    pub(crate) state: TodoState,
}

/// How far a todo is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TodoState {
    /// Not begun.
    Pending,
    /// Begun.
    Active,
    /// Done, as the agent says.
    Done,
}

/// How a tool's call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// No result stands in the transcript.
    Open,
    /// It succeeded.
    Ok,
    /// It failed, with the exit status where the host says it.
    Failed(Option<i32>),
    /// The person did not allow it.
    Rejected,
    /// The person interrupted it.
    Interrupted,
}

impl Transcript {
    /// The subagents that have not ended as far as the conversation has heard.
    pub(crate) fn running(&self) -> Vec<Subagent> {
        let agents = self.subagents.iter();
        agents
            .filter(|one| one.state == SubagentState::Running)
            .cloned()
            .collect()
    }

    /// Adds a turn, and drops old ones where memory demands it: the person's words stay.
    pub(crate) fn push(&mut self, turn: Turn) {
        self.kept_bytes += bytes(&turn.what);
        self.turns.push(turn);
        if self.kept_bytes > TRANSCRIPT_BYTES_MAX {
            self.thin();
        }
    }

    /// Gives the result to the call with that id; `false` when it is not there (any more).
    pub(crate) fn finish(&mut self, id: &str, outcome: Outcome, output: String) -> bool {
        let call =
            self.turns
                .iter_mut()
                .rev()
                .take(CALLS_OPEN_MAX)
                .find_map(|turn| match &mut turn.what {
                    What::Tool(call) if call.id == id => Some(call),
                    _ => None,
                });
        let Some(call) = call else { return false };
        self.kept_bytes += output.len();
        call.outcome = outcome;
        call.output = output;
        true
    }

    fn thin(&mut self) {
        let half = self.turns.len() / 2;
        let mut at = 0;
        let before = self.turns.len();
        self.turns.retain(|turn| {
            at += 1;
            at > half || !matches!(turn.what, What::Tool(_) | What::Agent(_))
        });
        self.dropped += before - self.turns.len();
        if self.turns.len() == before {
            // Nothing but the person's words: the oldest go, but never the first, which holds the goal.
            self.turns.drain(1..half.max(1));
            self.dropped += before - self.turns.len();
        }
        self.kept_bytes = self.turns.iter().map(|turn| bytes(&turn.what)).sum();
    }
}

fn bytes(what: &What) -> usize {
    TURN_BYTES
        + match what {
            What::Person(text) | What::Agent(text) => text.len(),
            What::Tool(call) => call.output.len() + call.id.len() + action_bytes(&call.action),
            What::Interrupted | What::Compacted => 0,
        }
}

fn action_bytes(action: &Action) -> usize {
    match action {
        Action::Run { command, cwd } => command.len() + cwd.as_ref().map_or(0, String::len),
        Action::Read { path } | Action::Write { path } | Action::Delete { path } => path.len(),
        Action::Edit { path, added } => path.len() + added.len(),
        Action::Search { pattern, path } => pattern.len() + path.as_ref().map_or(0, String::len),
        Action::Todos(todos) => todos.iter().map(|todo| todo.text.len() + 32).sum(),
        Action::Ask { questions } => questions.iter().map(String::len).sum(),
        Action::Plan { text } => text.len(),
        Action::Spawn { prompt, .. } => prompt.len(),
        Action::Other { tool } => tool.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(text: &str) -> Turn {
        Turn {
            at: 0,
            what: What::Person(text.to_owned()),
        }
    }

    #[test]
    fn memory_is_bounded_and_the_persons_words_outlive_what_tools_said() {
        let mut transcript = Transcript::default();
        transcript.push(person("the goal"));
        for n in 0..100_000 {
            let call = ToolUse {
                id: n.to_string(),
                action: Action::Other { tool: "x".into() },
                outcome: Outcome::Open,
                output: String::new(),
            };
            transcript.push(Turn {
                at: 0,
                what: What::Tool(call),
            });
            assert!(transcript.finish(&n.to_string(), Outcome::Ok, "y".repeat(1000)));
        }
        assert!(transcript.kept_bytes <= TRANSCRIPT_BYTES_MAX + 2000);
        assert_eq!(transcript.turns[0], person("the goal"));
        assert_eq!(transcript.dropped + transcript.turns.len(), 100_001);
        assert!(!transcript.finish("0", Outcome::Ok, String::new()));
    }
}
