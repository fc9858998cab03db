//! The lines of a rollout as Codex 0.171.0 writes them; what we do not use is passed over unread.

use std::borrow::Cow;

use serde::Deserialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::hosts::skim::Piece;

/// A text, borrowed from the line where it has no escapes. (Serde borrows a bare `Cow`, but not one in an `Option`.)
#[derive(Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// One line.
#[derive(Deserialize)]
pub(super) struct Record<'a> {
    /// When it was written, RFC 3339.
    #[serde(borrow)]
    pub(super) timestamp: Option<Text<'a>>,
    /// Its number in the conversation; a file that goes on from another begins where it left the other.
    pub(super) ordinal: Option<u64>,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) payload: Option<Piece<'a>>,
    #[serde(borrow)]
    pub(super) metadata: Option<Piece<'a>>,
}

impl Record<'_> {
    /// When it was written, in seconds since 1970 UTC; 0 where it does not say.
    pub(super) fn at(&self) -> i64 {
        seconds(text(&self.timestamp))
    }
}

/// A time as seconds since 1970 UTC; 0 where it is none.
pub(super) fn seconds(time: &str) -> i64 {
    let time = OffsetDateTime::parse(time, &Rfc3339);
    time.map_or(0, OffsetDateTime::unix_timestamp)
}

/// A line of which the beginning was read already, with its payload in the same pass.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>, 'de: 'a"))]
pub(super) struct Rest<'a, P> {
    pub(super) payload: P,
    pub(super) metadata: Option<Piece<'a>>,
}

/// Of a line's `metadata`: the mark on a summary that a local compaction made.
#[derive(Deserialize)]
pub(super) struct Metadata {
    #[serde(default)]
    pub(super) compaction_output: bool,
}

/// `session_meta`, the first line.
#[derive(Deserialize)]
pub(super) struct Meta<'a> {
    /// The thread's own id; a subagent has its own, while its `session_id` is the conversation's.
    #[serde(borrow)]
    pub(super) id: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) cwd: Option<Text<'a>>,
    /// A word, or an object for a subagent.
    #[serde(borrow)]
    pub(super) source: Option<Piece<'a>>,
    /// A [`Base`].
    #[serde(borrow)]
    pub(super) history_base: Option<Piece<'a>>,
}

/// Where the conversation before this file stands: a fork and a rewind write only what is new.
#[derive(Deserialize)]
pub(super) struct Base<'a> {
    /// The other file's name ends in this.
    #[serde(borrow)]
    pub(super) thread_id: Text<'a>,
    /// Its lines below this count.
    pub(super) end_ordinal_exclusive: u64,
}

/// `turn_context`: what holds for the turn.
#[derive(Deserialize)]
pub(super) struct Context<'a> {
    #[serde(borrow)]
    pub(super) cwd: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) model: Option<Text<'a>>,
}

/// `response_item`: what goes to the model and comes from it.
#[derive(Deserialize)]
pub(super) struct Item<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) call_id: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) role: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) author: Option<Text<'a>>,
    /// A list of parts.
    #[serde(borrow)]
    pub(super) content: Option<Piece<'a>>,
    /// A function's arguments: JSON in a text.
    #[serde(borrow)]
    pub(super) arguments: Option<Piece<'a>>,
    /// A free-form tool's input: a text.
    #[serde(borrow)]
    pub(super) input: Option<Piece<'a>>,
    /// A text or a list of parts.
    #[serde(borrow)]
    pub(super) output: Option<Piece<'a>>,
    #[serde(borrow, rename = "internal_chat_message_metadata_passthrough")]
    pub(super) marks: Option<Marks<'a>>,
}

/// What Codex notes on an item of its own accord.
#[derive(Deserialize)]
pub(super) struct Marks<'a> {
    /// One word for each part of the content; files before 0.150 or so have none.
    #[serde(borrow)]
    pub(super) content_item_kinds: Option<Vec<Text<'a>>>,
}

/// A part of a content.
#[derive(Deserialize)]
pub(super) struct Part<'a> {
    #[serde(borrow)]
    pub(super) text: Option<Text<'a>>,
}

/// `event_msg`: what was shown to the person.
#[derive(Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) item: Option<Completed<'a>>,
    pub(super) info: Option<TokenInfo>,
    #[serde(borrow)]
    pub(super) reason: Option<Text<'a>>,
}

/// Of a `token_count`.
#[derive(Deserialize)]
pub(super) struct TokenInfo {
    pub(super) last_token_usage: Option<TokenUsage>,
    pub(super) model_context_window: Option<u64>,
}

/// Of one answer.
#[derive(Deserialize)]
pub(super) struct TokenUsage {
    pub(super) total_tokens: Option<u64>,
}

/// The `item` of an `item_completed`.
#[derive(Deserialize)]
pub(super) struct Completed<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) content: Option<Piece<'a>>,
    #[serde(borrow)]
    pub(super) text: Option<Piece<'a>>,
    /// A program and its arguments.
    #[serde(borrow)]
    pub(super) command: Option<Piece<'a>>,
    /// A `file://` address.
    #[serde(borrow)]
    pub(super) cwd: Option<Text<'a>>,
    /// What Codex takes the command for.
    #[serde(borrow)]
    pub(super) parsed_cmd: Option<Piece<'a>>,
    #[serde(borrow)]
    pub(super) status: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) aggregated_output: Option<Piece<'a>>,
    pub(super) exit_code: Option<i64>,
    /// Path → [`Change`].
    #[serde(borrow)]
    pub(super) changes: Option<Piece<'a>>,
    #[serde(borrow)]
    pub(super) stdout: Option<Piece<'a>>,
    #[serde(borrow)]
    pub(super) stderr: Option<Piece<'a>>,
    /// Of a subagent: `started`, `completed` and others.
    #[serde(borrow, rename = "kind")]
    pub(super) activity: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) agent_thread_id: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) agent_path: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) server: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) tool: Option<Piece<'a>>,
}

/// What happened to one file.
#[derive(Deserialize)]
pub(super) struct Change<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) unified_diff: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) move_path: Option<Text<'a>>,
}

/// One step of a command, as Codex takes it.
#[derive(Deserialize)]
pub(super) struct Parsed<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) path: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) query: Option<Text<'a>>,
}

/// `value` as one of the above; `None` when it has another shape.
pub(super) fn read<'a, T: Deserialize<'a>>(value: Piece<'a>) -> Option<T> {
    value.read()
}

/// A text's own text; empty where there is none.
pub(super) fn text<'a>(text: &'a Option<Text<'_>>) -> &'a str {
    text.as_ref().map_or("", |text| text.0.as_ref())
}
