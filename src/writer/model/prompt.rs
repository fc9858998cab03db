//! The prompt: `prompt.md`, filled in. Every text of the conversation passes the redactor before it is clipped, and stands
//! between marks that it cannot close.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Material;
use super::answer::{ITEMS_MAX, SUMMARY_SENTENCES_MAX};
use crate::handoff::census::Census;
use crate::handoff::clip;
use crate::handoff::decision::DecisionLog;
use crate::handoff::markdown;
use crate::handoff::transcript::{Action, Outcome, ToolUse, Transcript, Turn, What};

/// The whole transcript in a prompt, in bytes; of a longer one the middle is left out.
const TRANSCRIPT_BYTES_MAX: usize = 420_000;
/// Of a longer one the beginning gets this much; the rest is the recent part's.
const BEGINNING_PERCENT: usize = 20;
/// What the person or the agent said at once, in bytes.
const WORDS_BYTES_MAX: usize = 6_000;
/// A tool's input, in bytes.
const INPUT_BYTES_MAX: usize = 1_000;
/// A tool's output, in bytes: its beginning and its end.
const OUTPUT_BYTES_MAX: usize = 1_000;
/// The previous card, in bytes.
const CARD_BYTES_MAX: usize = 16_000;
/// The chain's decisions, in bytes.
const DECISIONS_BYTES_MAX: usize = 8_000;
/// What the person wrote behind `/compact`, in bytes.
const INSTRUCTIONS_BYTES_MAX: usize = 4_000;
/// Paths that are named as changed.
const DIRTY_MAX: usize = 60;

/// What stands where nothing is to be said.
const NOTHING: &str = "none";
/// What parts the orders from the data in `prompt.md`.
const ORDERS_END: &str = "\n---\n";
/// The prompt with its gaps.
const TEMPLATE: &str = include_str!("prompt.md");
/// What the data is fenced in with.
const FENCES: [&str; 5] = [
    "repository",
    "previous-card",
    "decisions",
    "instructions-of-the-person",
    "transcript",
];

/// What a model is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prompt {
    /// What it is to do.
    pub(crate) orders: String,
    /// What it is to do it with.
    pub(crate) data: String,
}

/// Fills the prompt; counts the secrets that were taken out.
pub(super) fn write(material: &Material<'_>, counts: &mut BTreeMap<String, u32>) -> Prompt {
    let mut scribe = Scribe { material, counts };
    let (orders, data) = TEMPLATE.split_once(ORDERS_END).unwrap_or((TEMPLATE, ""));
    let orders = orders
        .replace("{{sentences}}", &SUMMARY_SENTENCES_MAX.to_string())
        .replace("{{items}}", &ITEMS_MAX.to_string());
    let gaps = [
        ("{{repository}}", scribe.repository()),
        ("{{previous}}", scribe.previous()),
        ("{{decisions}}", scribe.decisions()),
        ("{{instructions}}", scribe.instructions()),
        ("{{transcript}}", scribe.transcript()),
    ];
    Prompt {
        orders,
        data: filled(data, &gaps),
    }
}

/// The template with each gap filled, from left to right: a gap's name in what fills another one stays as it is.
fn filled(template: &str, gaps: &[(&str, String)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    for (name, content) in gaps {
        let Some((before, behind)) = rest.split_once(name) else {
            continue;
        };
        text.push_str(before);
        text.push_str(content.trim_end());
        rest = behind;
    }
    text.push_str(rest);
    text
}

/// Writes the data; whatever it writes is clean.
struct Scribe<'s> {
    material: &'s Material<'s>,
    counts: &'s mut BTreeMap<String, u32>,
}

impl Scribe<'_> {
    /// A text without secrets and without marks that end a block of data, clipped at its end or in its middle.
    fn clean(&mut self, text: &str, bytes: usize, both_ends: bool) -> String {
        let text = self.material.redactor.clean(text, self.counts);
        let text = if both_ends {
            clip::ends(&text, bytes)
        } else {
            clip::head(&text, bytes)
        };
        unfenced(&text)
    }

    fn repository(&mut self) -> String {
        let text = self.material.census.map(census);
        self.block(text, CARD_BYTES_MAX)
    }

    fn previous(&mut self) -> String {
        let text = self.material.previous.map(markdown::card);
        self.block(text, CARD_BYTES_MAX)
    }

    fn decisions(&mut self) -> String {
        let text = standing(self.material.decisions);
        self.block(Some(text), DECISIONS_BYTES_MAX)
    }

    fn instructions(&mut self) -> String {
        let text = self.material.instructions.map(str::to_owned);
        self.block(text, INSTRUCTIONS_BYTES_MAX)
    }

    fn block(&mut self, text: Option<String>, bytes: usize) -> String {
        match text.filter(|text| !text.trim().is_empty()) {
            Some(text) => self.clean(&text, bytes, false),
            None => NOTHING.to_owned(),
        }
    }

    /// The records: of a transcript that is too long its beginning and its recent part, cut between two of them.
    fn transcript(&mut self) -> String {
        let Some(transcript) = self.material.transcript else {
            return NOTHING.to_owned();
        };
        let turns = &transcript.turns;
        let front_room = TRANSCRIPT_BYTES_MAX * BEGINNING_PERCENT / 100;
        let (mut front, mut front_bytes) = (Vec::new(), 0);
        for turn in turns {
            let record = self.record(turn);
            if front_bytes + record.len() > front_room {
                break;
            }
            front_bytes += record.len();
            front.push(record);
        }
        let rest = &turns[front.len()..];
        let (mut back, mut back_bytes) = (Vec::new(), 0);
        for turn in rest.iter().rev() {
            let record = self.record(turn);
            if front_bytes + back_bytes + record.len() > TRANSCRIPT_BYTES_MAX {
                break;
            }
            back_bytes += record.len();
            back.push(record);
        }
        let mut text = front.concat();
        let missing = rest.len() - back.len() + dropped(transcript);
        if missing > 0 {
            writeln!(text, "[left out: {missing} records]").unwrap_or_default();
        }
        back.reverse();
        text + &back.concat()
    }

    /// One record. What belongs to it is indented, so that no text can pass for a record of its own.
    fn record(&mut self, turn: &Turn) -> String {
        match &turn.what {
            What::Person(words) => self.said("person", words),
            What::Agent(words) => self.said("agent", words),
            What::Tool(call) => self.call(call),
            What::Interrupted => "[the person interrupted the agent]\n".to_owned(),
            What::Compacted => "[the conversation was compacted here]\n".to_owned(),
        }
    }

    fn said(&mut self, who: &str, words: &str) -> String {
        let words = self.clean(words, WORDS_BYTES_MAX, true);
        format!("[{who}]\n{}", indented(&words))
    }

    fn call(&mut self, call: &ToolUse) -> String {
        let input = self.clean(&action(&call.action), INPUT_BYTES_MAX, true);
        let ending = match call.outcome {
            Outcome::Open => "no result".to_owned(),
            Outcome::Ok => "succeeded".to_owned(),
            Outcome::Failed(Some(code)) => format!("failed with {code}"),
            Outcome::Failed(None) => "failed".to_owned(),
            Outcome::Rejected => "not allowed by the person".to_owned(),
            Outcome::Interrupted => "interrupted by the person".to_owned(),
        };
        let output = self.clean(&call.output, OUTPUT_BYTES_MAX, true);
        format!(
            "[tool: {ending}]\n{}{}",
            indented(&input),
            indented(&output)
        )
    }
}

fn dropped(transcript: &Transcript) -> usize {
    transcript.dropped
}

fn indented(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| format!("  {line}\n")).collect()
}

/// A text that holds no mark of ours: `</transcript>` becomes `(/transcript>`.
fn unfenced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let name = behind[1..].trim_start_matches('/');
        let fence = FENCES.iter().any(|fence| {
            name.get(..fence.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(fence))
        });
        out.push(if fence { '(' } else { '<' });
        rest = &behind[1..];
    }
    out.push_str(rest);
    out
}

/// What a tool was asked, in one form for every host.
fn action(action: &Action) -> String {
    match action {
        Action::Run { command, .. } => format!("run: {command}"),
        Action::Read { path } => format!("read: {path}"),
        Action::Edit { path, added } => format!("edit: {path}\n{added}"),
        Action::Write { path } => format!("write: {path}"),
        Action::Delete { path } => format!("delete: {path}"),
        Action::Search { pattern, path } => {
            format!("search: {pattern} in {}", path.as_deref().unwrap_or("."))
        }
        Action::Todos(todos) => {
            let lines = todos
                .iter()
                .map(|todo| format!("\n- {:?}: {}", todo.state, todo.text));
            format!("todos:{}", lines.collect::<String>())
        }
        Action::Ask { questions } => format!("ask the person: {}", questions.join(" | ")),
        Action::Plan { text } => format!("plan: {text}"),
        Action::Spawn { kind, prompt } => {
            format!(
                "start a subagent ({}): {prompt}",
                kind.as_deref().unwrap_or("?")
            )
        }
        Action::Other { tool } => format!("tool {tool}"),
    }
}

fn census(census: &Census) -> String {
    let mut text = markdown::repo(census) + "\n";
    for commit in &census.recent {
        let id = crate::handoff::session::short(&commit.id);
        writeln!(text, "commit {id} {}", commit.subject).unwrap_or_default();
    }
    for one in census.dirty.iter().take(DIRTY_MAX) {
        writeln!(text, "{}{} {}", one.staged, one.unstaged, one.path).unwrap_or_default();
    }
    let more = census.dirty.len().saturating_sub(DIRTY_MAX);
    if more > 0 {
        writeln!(text, "and {more} more changed paths").unwrap_or_default();
    }
    for stash in &census.stashes {
        writeln!(text, "stash: {stash}").unwrap_or_default();
    }
    if let Some(command) = &census.command {
        writeln!(text, "{} printed:\n{}", command.command, command.output).unwrap_or_default();
    }
    text
}

fn standing(log: &DecisionLog) -> String {
    log.standing()
        .map(|one| format!("- {}\n", one.what))
        .collect()
}
