//! A transcript file → neutral turns (Claude Code 2.0.76 to 2.1.332).
//!
//! One record a line, appended while the conversation runs: the last line may be half written. The file can be
//! hundreds of megabytes; one line of it is held at a time.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

mod find;
mod person;
mod record;
mod results;
mod tools;

pub(super) use find::{find, find_session};

use crate::handoff::clip;
use crate::handoff::transcript::{
    AGENT_BYTES_MAX, Action, ContextUse, OUTPUT_BYTES_MAX, Outcome, PERSON_BYTES_MAX, ToolUse,
    Transcript, Turn, What,
};
use crate::hosts::lines::{Line, Lines};
use crate::hosts::skim::{self, Piece};
use person::Typed;
use record::{Attachment, Block, Content, Message, Origin, Record, Usage, flat_text};

/// The model's name on answers that the host wrote itself, as after an interrupt.
const NO_MODEL: &str = "<synthetic>";
/// Calls that may be repeated behind a compaction: more than an agent makes at once.
const REPEATED_MAX: usize = 128;
/// Prompts that wait while the agent works: more than a person types.
const QUEUED_MAX: usize = 64;

/// Reads a transcript to its end.
pub(super) fn read(path: &Path) -> anyhow::Result<Transcript> {
    let context = || format!("cannot read the transcript `{}`", path.display());
    let file = File::open(path).with_context(context)?;
    read_from(file).with_context(context)
}

fn read_from(file: impl Read) -> std::io::Result<Transcript> {
    let mut reader = Reader::default();
    let mut lines = Lines::new(file);
    while let Some(line) = lines.next()? {
        match line {
            Line::Whole(line) => reader.line(line),
            Line::TooLong => reader.transcript.broken_lines += 1,
        }
    }
    Ok(reader.transcript)
}

/// What a tool's call was, where its result needs more than to be kept.
enum Call {
    /// It started a subagent, which stands at that place in the list.
    Spawn(usize),
    /// It asked the person.
    Ask,
    /// It made a task of the host's task list.
    Task,
}

#[derive(Default)]
struct Reader {
    transcript: Transcript,
    tasks: tools::Tasks,
    calls: HashMap<String, Call>,
    /// What the person typed while the agent worked.
    queued: VecDeque<String>,
    /// The last calls before the last compaction.
    before_boundary: HashSet<String>,
}

impl Reader {
    fn line(&mut self, line: &[u8]) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match skim::read(line) {
            Some(record) => self.record(&record),
            None => self.transcript.broken_lines += 1,
        }
    }

    fn record(&mut self, record: &Record<'_>) {
        if record.is_sidechain == Some(true) {
            return;
        }
        self.place(record);
        match &*record.kind {
            "user" => self.user(record),
            "assistant" => self.assistant(record),
            "system" if &*record.subtype == "compact_boundary" => {
                self.before_boundary = self.last_calls();
                self.push(record, What::Compacted);
            }
            "attachment" => self.attachment(record),
            "queue-operation" => self.queue(record),
            _ => {}
        }
    }

    /// Which conversation, and where.
    fn place(&mut self, record: &Record<'_>) {
        let transcript = &mut self.transcript;
        if transcript.session.is_none() {
            transcript.session = record.session_id.some();
        }
        if !record.cwd.is_empty()
            && transcript.cwds.last().map(String::as_str) != Some(&*record.cwd)
        {
            transcript.cwds.extend(record.cwd.some());
        }
    }

    fn user(&mut self, record: &Record<'_>) {
        if record.is_compact_summary == Some(true) {
            return;
        }
        let by_host = record.is_meta == Some(true)
            || &*record.row_source == "hook"
            || !from_person(record.origin);
        match record.message.as_ref().map(|message| &message.content) {
            Some(Content::Text(text)) => {
                self.finished_subagent(text);
                if !by_host {
                    self.typed(record, text);
                }
            }
            Some(Content::Blocks(blocks)) => {
                for block in blocks {
                    match &*block.kind {
                        "tool_result" => self.result(record, block),
                        "text" if !by_host => self.typed(record, &block.text),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn typed(&mut self, record: &Record<'_>, text: &str) {
        match person::typed(text) {
            Typed::Words(words) => {
                self.queued.retain(|waiting| *waiting != words);
                self.push(record, What::Person(clip::ends(&words, PERSON_BYTES_MAX)));
            }
            Typed::Interrupt => self.push(record, What::Interrupted),
            Typed::Nothing => {}
        }
    }

    fn assistant(&mut self, record: &Record<'_>) {
        let Some(message) = &record.message else {
            return;
        };
        self.usage(message);
        let Content::Blocks(blocks) = &message.content else {
            return;
        };
        for block in blocks {
            match &*block.kind {
                "text" if &*message.model != NO_MODEL && !block.text.trim().is_empty() => {
                    let words = clip::ends(block.text.trim(), AGENT_BYTES_MAX);
                    self.push(record, What::Agent(words));
                }
                "tool_use" => self.call(record, block),
                _ => {}
            }
        }
    }

    fn usage(&mut self, message: &Message<'_>) {
        if &*message.model == NO_MODEL {
            return;
        }
        if let Some(model) = message.model.some() {
            self.transcript.model = Some(model);
        }
        let usage = message
            .usage
            .and_then(|piece| piece.read::<Usage>())
            .filter(|usage| usage.in_window() > 0);
        if let Some(usage) = usage {
            self.transcript.context = Some(ContextUse {
                used: usage.in_window(),
                window: None,
            });
        }
    }

    fn call(&mut self, record: &Record<'_>, block: &Block<'_>) {
        let id = block.id.0.clone().into_owned();
        if self.before_boundary.contains(&id) {
            return;
        }
        let cwd = record.cwd.some();
        let action = tools::action(
            &block.name,
            &id,
            block.input,
            cwd.as_deref(),
            &mut self.tasks,
        );
        match (&action, &*block.name) {
            (Action::Spawn { kind, prompt }, _) => {
                let place = self.transcript.subagents.len();
                let agent = results::started(&id, kind.clone(), prompt, seconds(record));
                self.transcript.subagents.push(agent);
                self.calls.insert(id.clone(), Call::Spawn(place));
            }
            (Action::Ask { .. }, _) => {
                self.calls.insert(id.clone(), Call::Ask);
            }
            (_, "TaskCreate") => {
                self.calls.insert(id.clone(), Call::Task);
            }
            _ => {}
        }
        self.push(
            record,
            What::Tool(ToolUse {
                id,
                action,
                outcome: Outcome::Open,
                output: String::new(),
            }),
        );
    }

    /// Where a function hook answers a compaction, Claude Code 2.1.332 writes the rows that it hands back once more behind
    /// the boundary: calls, with nothing in their usage, and their results.
    fn last_calls(&self) -> HashSet<String> {
        let calls = self.transcript.turns.iter().rev().map(|turn| &turn.what);
        let calls = calls.filter_map(|what| match what {
            What::Tool(call) if !call.id.is_empty() => Some(call.id.clone()),
            _ => None,
        });
        calls.take(REPEATED_MAX).collect()
    }

    fn result(&mut self, record: &Record<'_>, block: &Block<'_>) {
        let text = block
            .content
            .map(|content| results::text(content, block.is_error == Some(true)))
            .unwrap_or_default();
        let outcome = results::outcome(&text, block.is_error == Some(true), record.tool_use_result);
        let mut output = results::plain(&text);
        match self.calls.remove(&*block.tool_use_id) {
            Some(Call::Spawn(place)) => {
                if let Some(agent) = self.transcript.subagents.get_mut(place) {
                    results::spawned(agent, outcome, &text, record.tool_use_result);
                }
            }
            Some(Call::Ask) => {
                if let Some(answers) = results::answers(record.tool_use_result) {
                    output = Cow::Owned(answers);
                }
            }
            Some(Call::Task) => {
                if let Some(number) = results::task_number(&text) {
                    self.tasks.number(&block.tool_use_id, number);
                }
            }
            None => {}
        }
        let words = match outcome {
            Outcome::Rejected => person::rejection(&text).and_then(|refusal| refusal.words),
            _ => None,
        };
        let kept = match words {
            Some(words) => clip::ends(words, OUTPUT_BYTES_MAX),
            None => clip::ends(&output, OUTPUT_BYTES_MAX),
        };
        self.transcript.finish(&block.tool_use_id, outcome, kept);
        if let Some(words) = words {
            self.push(record, What::Person(clip::ends(words, PERSON_BYTES_MAX)));
        }
    }

    /// A background subagent's end comes as a prompt of the host's.
    fn finished_subagent(&mut self, text: &str) {
        if let Some(end) = results::notification(text) {
            for agent in &mut self.transcript.subagents {
                end.apply(agent);
            }
        }
    }

    fn attachment(&mut self, record: &Record<'_>) {
        let Some(attachment) = record
            .attachment
            .and_then(|piece| piece.read::<Attachment<'_>>())
        else {
            return;
        };
        match &*attachment.kind {
            "queued_command" if matches!(&*attachment.command_mode, "" | "prompt") => {
                if let Some(prompt) = attachment.prompt {
                    self.typed(record, &flat_text(prompt));
                }
            }
            "task_status" if &*attachment.status != "running" => {
                for agent in &mut self.transcript.subagents {
                    if agent.id == *attachment.task_id {
                        results::end(agent, None);
                    }
                }
            }
            _ => {}
        }
    }

    /// What is typed while the agent works waits in a queue. `remove` hands it to the agent within the turn, and
    /// hosts before 2.1.300 or so leave no other record of it; behind `dequeue` comes a record of its own;
    /// `popAll` gives it back to the person.
    fn queue(&mut self, record: &Record<'_>) {
        match &*record.operation {
            "enqueue" => {
                if let Typed::Words(words) = person::typed(&record.content)
                    && !words.starts_with('/')
                    && self.queued.len() < QUEUED_MAX
                {
                    self.queued.push_back(words);
                }
            }
            "remove" => {
                if let Some(words) = self.queued.pop_front() {
                    self.push(record, What::Person(clip::ends(&words, PERSON_BYTES_MAX)));
                }
            }
            "popAll" => self.queued.clear(),
            _ => {}
        }
    }

    fn push(&mut self, record: &Record<'_>, what: What) {
        let repeated = matches!(what, What::Person(_))
            && self
                .transcript
                .turns
                .iter()
                .rev()
                .take_while(|turn| !matches!(turn.what, What::Agent(_)))
                .any(|turn| turn.what == what);
        if !repeated {
            self.transcript.push(Turn {
                at: seconds(record).unwrap_or_default(),
                what,
            });
        }
    }
}

/// Hosts since 2.1.300 or so say where a user record comes from; without a word it is the person's.
fn from_person(origin: Option<Piece<'_>>) -> bool {
    origin
        .and_then(|piece| piece.read::<Origin<'_>>())
        .is_none_or(|origin| matches!(&*origin.kind, "" | "human"))
}

fn seconds(record: &Record<'_>) -> Option<i64> {
    OffsetDateTime::parse(&record.timestamp, &Rfc3339)
        .ok()
        .map(OffsetDateTime::unix_timestamp)
}

#[cfg(test)]
mod tests;
