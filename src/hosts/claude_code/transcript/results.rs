//! A tool's result → how the call ended, and what became of a subagent.

use std::borrow::Cow;

use serde::Deserialize;

use super::person;
use super::record::{Text, flat_text, flat_text_for_ends};
use crate::handoff::clip;
use crate::handoff::subagent::{Subagent, SubagentState};
use crate::handoff::transcript::{INPUT_BYTES_MAX, OUTPUT_BYTES_MAX, Outcome};
use crate::hosts::skim::Piece;

/// How the result of a failed command begins.
const EXIT_CODE: &str = "Exit code ";
/// The field of a command's result that says whether it was interrupted.
const INTERRUPTED: &[u8] = br#""interrupted":"#;

/// The fields of a structured result that we read.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Structured<'r> {
    interrupted: Option<bool>,
    #[serde(borrow)]
    status: Text<'r>,
    #[serde(borrow)]
    agent_id: Text<'r>,
    #[serde(borrow)]
    output_file: Text<'r>,
    #[serde(borrow)]
    answers: Option<Piece<'r>>,
}

fn structured(piece: Option<Piece<'_>>) -> Structured<'_> {
    piece.and_then(Piece::read).unwrap_or_default()
}

/// What a call printed or answered: whole where it failed, else as much as is kept of it.
pub(super) fn text(content: Piece<'_>, failed: bool) -> Cow<'_, str> {
    if failed {
        return flat_text(content);
    }
    let text = flat_text_for_ends(content, OUTPUT_BYTES_MAX);
    match person::rejection(&text) {
        Some(_) => flat_text(content),
        None => text,
    }
}

/// How the call ended.
pub(super) fn outcome(text: &str, failed: bool, piece: Option<Piece<'_>>) -> Outcome {
    if person::rejection(text).is_some() {
        return Outcome::Rejected;
    }
    if person::is_interrupt(text) {
        return Outcome::Interrupted;
    }
    if failed {
        return Outcome::Failed(exit_code(text));
    }
    // Only commands can be interrupted and still have a result; theirs is short beside an edit's.
    let small = piece.filter(|piece| memchr::memmem::find(piece.bytes(), INTERRUPTED).is_some());
    match structured(small).interrupted {
        Some(true) => Outcome::Interrupted,
        _ => Outcome::Ok,
    }
}

/// The output without what the host wrapped around it.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if text.trim_start().starts_with("<tool_use_error>")
        && let Some(inner) = person::tagged(text, "tool_use_error")
    {
        return Cow::Borrowed(inner);
    }
    match exit_code(text) {
        Some(_) => Cow::Borrowed(text.split_once('\n').map_or("", |(_, rest)| rest)),
        None => Cow::Borrowed(text),
    }
}

fn exit_code(text: &str) -> Option<i32> {
    let line = text.strip_prefix(EXIT_CODE)?.lines().next()?;
    line.trim().parse().ok()
}

/// The person's answers, one line each: `question → answer`.
pub(super) fn answers(piece: Option<Piece<'_>>) -> Option<String> {
    let structured = structured(piece);
    let answers: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(structured.answers?.bytes()).ok()?;
    let lines: Vec<String> = answers
        .iter()
        .filter_map(|(question, answer)| Some(format!("{question} → {}", answer.as_str()?)))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// `Task #12 created successfully: …` → `12`.
pub(super) fn task_number(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("Task #")?;
    rest.split_whitespace().next()
}

/// A subagent that was just called for.
pub(super) fn started(
    call: &str,
    kind: Option<String>,
    prompt: &str,
    started: Option<i64>,
) -> Subagent {
    Subagent {
        id: call.to_owned(),
        kind,
        prompt: Some(clip::ends(prompt, INPUT_BYTES_MAX)),
        started,
        state: SubagentState::Running,
        output: None,
        result: None,
    }
}

/// The result of the call that started a subagent: it runs in the background, or it has ended.
pub(super) fn spawned(
    agent: &mut Subagent,
    outcome: Outcome,
    text: &str,
    piece: Option<Piece<'_>>,
) {
    let structured = structured(piece);
    if let Some(id) = structured.agent_id.some() {
        agent.id = id;
    }
    agent.output = structured.output_file.some();
    let background = outcome == Outcome::Ok && &*structured.status == "async_launched";
    if !background {
        end(agent, Some(text));
    }
}

/// The subagent has ended, with that answer.
pub(super) fn end(agent: &mut Subagent, result: Option<&str>) {
    agent.state = SubagentState::Finished;
    if let Some(result) = result {
        agent.result = Some(clip::ends(result, OUTPUT_BYTES_MAX));
    }
}

/// The host's word that a background subagent ended.
pub(super) struct Notification<'t> {
    id: &'t str,
    call: Option<&'t str>,
    result: Option<&'t str>,
}

/// Reads a `<task-notification>`.
pub(super) fn notification(text: &str) -> Option<Notification<'_>> {
    let text = text.trim_start();
    if !text.starts_with("<task-notification>") {
        return None;
    }
    Some(Notification {
        id: person::tagged(text, "task-id")?,
        call: person::tagged(text, "tool-use-id"),
        result: person::tagged(text, "result").or(person::tagged(text, "summary")),
    })
}

impl Notification<'_> {
    /// Ends the subagent if it is this one.
    pub(super) fn apply(&self, agent: &mut Subagent) {
        if agent.id == self.id || Some(agent.id.as_str()) == self.call {
            end(agent, self.result);
        }
    }
}
