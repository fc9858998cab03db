//! From lines to neutral turns, each thing once.
//!
//! Codex 0.171.0 writes most things twice: as what the model sees (`response_item`) and as what the person saw
//! (`item_completed`). Commands, exit codes and diffs stand in the second form alone when the model writes scripts
//! ("code mode"); with plain tools both forms have the same id.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::action;
use super::agents::Agents;
use super::calls::{Calls, outcome_of};
use super::message;
use super::record::{
    Completed, Context, Event, Item, Meta, Metadata, Record, Rest, Text, TokenInfo, read, text,
};
use crate::handoff::clip;
use crate::handoff::transcript::{
    AGENT_BYTES_MAX, Action, ContextUse, OUTPUT_BYTES_MAX, Outcome, PERSON_BYTES_MAX, ToolUse,
    Transcript, Turn, What,
};
use crate::hosts::skim::{self, Piece};

/// Messages that can stand between the two forms of one.
const FORMS_APART_MAX: usize = 16;
/// Folders that a conversation can move to before we stop counting.
const CWDS_MAX: usize = 64;

/// What was read so far.
#[derive(Default)]
pub(super) struct Turns {
    transcript: Transcript,
    calls: Calls,
    agents: Agents,
    /// Said by the agent in the first form, until the second form or another line tells what it is.
    held: Option<Said>,
    /// The last messages of the agent in either form: the other form is no second message.
    said: VecDeque<Said>,
    /// The line with the last count of tokens; empty where it was read.
    count: Vec<u8>,
    /// The last prompts of which only one form was seen.
    asked: VecDeque<Asked>,
}

/// A message of the agent.
#[derive(Clone)]
struct Said {
    id: String,
    at: i64,
    text: String,
}

/// A prompt of the person, and the form in which it stood.
struct Asked {
    form: Form,
    text: String,
}

/// The two forms in which a message stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// What the model sees.
    Model,
    /// What the person sees.
    Shown,
}

impl Turns {
    /// Takes one line. `own` is false for the lines of a file that this one goes on from.
    pub(super) fn take(&mut self, line: &Record<'_>, own: bool) {
        let Some(payload) = line.payload else { return };
        match line.kind.0.as_ref() {
            "session_meta" => self.session(payload, own),
            "turn_context" => self.context(payload),
            "response_item" => {
                if let Some(item) = read::<Item<'_>>(payload) {
                    self.item(line.at(), &item, line.metadata);
                }
            }
            "event_msg" => {
                if let Some(event) = read::<Event<'_>>(payload) {
                    self.event(line.at(), &event);
                }
            }
            "compacted" => self.compacted(line.at()),
            _ => {}
        }
    }

    /// A compaction whose line could not be read whole.
    pub(super) fn compacted(&mut self, at: i64) {
        // Before 0.150 or so nothing marked a local compaction's summary but its place: right before this line.
        self.held = None;
        self.push(at, What::Compacted);
    }

    /// A turn of the host begins or ends.
    pub(super) fn edge(&mut self) {
        // A summary that a compaction made is followed by nothing but counts before the compaction's own line.
        self.release();
    }

    /// A count of tokens; unread until it is known to be the last one.
    pub(super) fn count(&mut self, line: &[u8]) {
        self.count.clear();
        self.count.extend_from_slice(line);
    }

    /// Whether some call waits for its answer.
    pub(super) fn is_waiting(&self) -> bool {
        !self.calls.is_empty()
    }

    /// A line that could not be read.
    pub(super) fn broken(&mut self) {
        self.transcript.broken_lines += 1;
    }

    /// The end of a file that another one goes on from: what was under way there was taken back.
    pub(super) fn end_of_base(&mut self) {
        self.release();
        self.calls = Calls::default();
    }

    /// The end.
    pub(super) fn finish(mut self) -> Transcript {
        self.release();
        let count = std::mem::take(&mut self.count);
        match skim::read::<Rest<'_, Event<'_>>>(&count) {
            Some(line) => self.filled(line.payload.info.as_ref()),
            None if count.is_empty() => {}
            None => self.broken(),
        }
        for call in self.calls.take_all() {
            self.done(
                call.at,
                &call.id,
                call.actions,
                Outcome::Open,
                String::new(),
            );
        }
        self.transcript.subagents = self.agents.finish();
        self.transcript
    }

    fn session(&mut self, payload: Piece<'_>, own: bool) {
        let Some(meta) = read::<Meta<'_>>(payload) else {
            return;
        };
        if let (true, Some(Text(id))) = (own, &meta.id) {
            self.transcript.session = Some(id.clone().into_owned());
        }
        self.moved_to(text(&meta.cwd));
    }

    fn context(&mut self, payload: Piece<'_>) {
        let Some(context) = read::<Context<'_>>(payload) else {
            return;
        };
        self.moved_to(text(&context.cwd));
        if let Some(Text(model)) = context.model {
            self.transcript.model = Some(model.into_owned());
        }
    }

    fn moved_to(&mut self, cwd: &str) {
        let cwds = &mut self.transcript.cwds;
        if !cwd.is_empty() && cwds.len() < CWDS_MAX && !cwds.iter().any(|known| known == cwd) {
            cwds.push(cwd.to_owned());
        }
    }

    /// What goes to the model or comes from it.
    pub(super) fn item(&mut self, at: i64, item: &Item<'_>, metadata: Option<Piece<'_>>) {
        let id = text(&item.call_id);
        match item.kind.0.as_ref() {
            "message" => match text(&item.role) {
                "user" => {
                    if let Some(prompt) = message::prompt(item) {
                        self.person(at, Form::Model, &prompt);
                    }
                }
                "assistant" => {
                    let metadata = metadata.and_then(read::<Metadata>);
                    if !metadata.is_some_and(|metadata| metadata.compaction_output) {
                        let words = item.content.map(message::words).unwrap_or_default();
                        self.agent(at, Form::Model, text(&item.id), &words);
                    }
                }
                _ => {}
            },
            "agent_message" => {
                let words = item.content.map(message::words).unwrap_or_default();
                self.agents.heard(text(&item.author), &words);
            }
            "function_call" | "local_shell_call" => {
                let arguments = item.arguments.and_then(read::<Text<'_>>);
                let actions = action::of_function(text(&item.name), text(&arguments));
                self.begin(at, id, actions);
            }
            "custom_tool_call" if text(&item.name) == "apply_patch" => {
                let patch = item.input.and_then(read::<Text<'_>>);
                self.begin(at, id, action::of_patch(text(&patch)));
            }
            "function_call_output" | "custom_tool_call_output" => self.answered(id, item.output),
            _ => {}
        }
    }

    /// What was shown to the person.
    pub(super) fn event(&mut self, at: i64, event: &Event<'_>) {
        match event.kind.0.as_ref() {
            "item_completed" => {
                if let Some(item) = &event.item {
                    self.completed(at, item);
                }
            }
            "task_started" | "task_complete" => self.edge(),
            "token_count" => self.filled(event.info.as_ref()),
            "turn_aborted" if text(&event.reason) == "interrupted" => {
                for call in self.calls.take_all() {
                    let outcome = Outcome::Interrupted;
                    self.done(call.at, &call.id, call.actions, outcome, String::new());
                }
                self.push(at, What::Interrupted);
            }
            _ => {}
        }
    }

    fn filled(&mut self, info: Option<&TokenInfo>) {
        let used = info.and_then(|info| info.last_token_usage.as_ref()?.total_tokens);
        if let (Some(info), Some(used)) = (info, used) {
            self.count.clear();
            self.transcript.context = Some(ContextUse {
                used,
                window: info.model_context_window,
            });
        }
    }

    fn completed(&mut self, at: i64, item: &Completed<'_>) {
        let id = text(&item.id);
        let words = || item.content.map(message::words).unwrap_or_default();
        match item.kind.0.as_ref() {
            "UserMessage" => {
                if let Some(prompt) = message::typed(&words()) {
                    self.person(at, Form::Shown, prompt);
                }
            }
            "AgentMessage" => self.agent(at, Form::Shown, id, &words()),
            "CommandExecution" => self.commanded(at, id, item),
            "FileChange" => {
                let actions = item.changes.map(action::of_changes).unwrap_or_default();
                let output = Some(ends(item.stderr, OUTPUT_BYTES_MAX))
                    .filter(|stderr| !stderr.is_empty())
                    .unwrap_or_else(|| ends(item.stdout, OUTPUT_BYTES_MAX));
                self.complete(at, id, actions, outcome(item), &output);
            }
            "Plan" => {
                let text = clip::ends(&ends(item.text, AGENT_BYTES_MAX), AGENT_BYTES_MAX);
                self.complete(at, id, vec![Action::Plan { text }], Outcome::Ok, "");
            }
            "McpToolCall" if !self.calls.knows(id) => {
                let tool = item.tool.and_then(read::<Text<'_>>);
                let name = format!("{}.{}", text(&item.server), text(&tool));
                self.complete(at, id, vec![action::other(&name)], outcome(item), "");
            }
            "WebSearch" => {
                self.complete(at, id, vec![action::other("web_search")], Outcome::Ok, "");
            }
            "SubAgentActivity" => {
                let asked = self.calls.spawn(id);
                let thread = text(&item.agent_thread_id);
                self.agents.seen(
                    at,
                    thread,
                    text(&item.agent_path),
                    text(&item.activity),
                    asked,
                );
            }
            _ => {}
        }
    }

    fn commanded(&mut self, at: i64, id: &str, item: &Completed<'_>) {
        let Some(line) = item.command.and_then(action::command_line) else {
            return;
        };
        let cwd = item.cwd.as_ref().map(|cwd| action::folder(&cwd.0));
        let actions = action::of_command(&line, cwd, item.parsed_cmd);
        let output = ends(item.aggregated_output, OUTPUT_BYTES_MAX);
        self.complete(at, id, actions, outcome(item), &output);
    }

    /// A call in the first form; its second form or its answer completes it.
    fn begin(&mut self, at: i64, id: &str, actions: Vec<Action>) {
        self.release();
        if let Some(lost) = self.calls.begin(at, id, actions) {
            self.done(
                lost.at,
                &lost.id,
                lost.actions,
                Outcome::Open,
                String::new(),
            );
        }
    }

    /// A call in the second form: it takes the place of the first.
    fn complete(
        &mut self,
        at: i64,
        id: &str,
        actions: Vec<Action>,
        outcome: Outcome,
        output: &str,
    ) {
        let at = self.calls.end(id).map_or(at, |call| call.at);
        let output = clip::ends(output, OUTPUT_BYTES_MAX);
        self.done(at, id, actions, outcome, output);
    }

    /// The answer to a call of which no second form stands.
    fn answered(&mut self, id: &str, output: Option<Piece<'_>>) {
        if !self.calls.knows(id) {
            return;
        }
        let output = output.map(message::words).unwrap_or_default();
        let Some((call, outcome, output)) = self.calls.answer(id, &output) else {
            return;
        };
        let output = clip::ends(&output, OUTPUT_BYTES_MAX);
        self.done(call.at, id, call.actions, outcome, output);
    }

    fn done(&mut self, at: i64, id: &str, actions: Vec<Action>, outcome: Outcome, output: String) {
        for action in actions {
            self.push(
                at,
                What::Tool(ToolUse {
                    id: id.to_owned(),
                    action,
                    outcome,
                    output: output.clone(),
                }),
            );
        }
    }

    fn person(&mut self, at: i64, form: Form, prompt: &str) {
        let text = clip::ends(prompt, PERSON_BYTES_MAX);
        let other = |asked: &Asked| asked.form != form && asked.text == text;
        if let Some(at) = self.asked.iter().position(other) {
            self.asked.remove(at);
            return;
        }
        self.push(at, What::Person(text.clone()));
        self.asked.push_back(Asked { form, text });
        if self.asked.len() > FORMS_APART_MAX {
            self.asked.pop_front();
        }
    }

    fn agent(&mut self, at: i64, form: Form, id: &str, words: &str) {
        if words.trim().is_empty() {
            return;
        }
        let text = clip::ends(words, AGENT_BYTES_MAX);
        let same = |said: &Said| {
            if id.is_empty() {
                said.text == text
            } else {
                said.id == id
            }
        };
        if self.said.iter().any(same) {
            if form == Form::Shown {
                self.release();
            }
            return;
        }
        self.release();
        let id = id.to_owned();
        let said = Said { id, at, text };
        self.said.push_back(said.clone());
        if self.said.len() > FORMS_APART_MAX {
            self.said.pop_front();
        }
        match form {
            Form::Model => self.held = Some(said),
            Form::Shown => self.push(at, What::Agent(said.text)),
        }
    }

    /// What was held back was an answer.
    fn release(&mut self) {
        if let Some(said) = self.held.take() {
            let what = What::Agent(said.text);
            self.transcript.push(Turn { at: said.at, what });
        }
    }

    fn push(&mut self, at: i64, what: What) {
        self.release();
        self.transcript.push(Turn { at, what });
    }
}

/// A text of which only the ends are kept; empty where there is none.
fn ends(text: Option<Piece<'_>>, bytes: usize) -> Cow<'_, str> {
    text.and_then(|text| text.text_for_ends(bytes))
        .unwrap_or_default()
}

fn outcome(item: &Completed<'_>) -> Outcome {
    outcome_of(text(&item.status), item.exit_code)
}
