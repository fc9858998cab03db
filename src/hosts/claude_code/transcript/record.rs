//! The shapes of the file's records, as far as we read them (Claude Code 2.0.76 to 2.1.332). Every field may
//! be missing; unknown ones are passed over.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// One line of the file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record<'r> {
    /// `user`, `assistant`, `system`, `attachment`, `queue-operation`, and more.
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Text<'r>,
    /// Of a `system` record: `compact_boundary` and others.
    #[serde(borrow, default)]
    pub(super) subtype: Text<'r>,
    /// Written by the host, not by the person.
    pub(super) is_meta: Option<bool>,
    /// Of a subagent. Hosts before 2.1 kept these rows in the main file.
    pub(super) is_sidechain: Option<bool>,
    /// The host's own summary behind a compaction.
    pub(super) is_compact_summary: Option<bool>,
    /// As `2026-01-27T09:18:57.495Z`.
    #[serde(borrow, default)]
    pub(super) timestamp: Text<'r>,
    /// The conversation.
    #[serde(borrow, default)]
    pub(super) session_id: Text<'r>,
    /// Where the host was.
    #[serde(borrow, default)]
    pub(super) cwd: Text<'r>,
    /// What was said.
    #[serde(borrow)]
    pub(super) message: Option<Message<'r>>,
    /// A tool's result with structure; a plain text where it failed.
    #[serde(borrow)]
    pub(super) tool_use_result: Option<&'r RawValue>,
    /// Where a user record comes from (since 2.1.300 or so).
    #[serde(borrow)]
    pub(super) origin: Option<&'r RawValue>,
    /// `hook` where a plugin answered a compaction: such a row looks like a typed one.
    #[serde(borrow, default)]
    pub(super) row_source: Text<'r>,
    /// Of an `attachment` record.
    #[serde(borrow)]
    pub(super) attachment: Option<&'r RawValue>,
    /// Of a `queue-operation`: `enqueue`, `dequeue`, `remove`, `popAll`.
    #[serde(borrow, default)]
    pub(super) operation: Text<'r>,
    /// Of a `queue-operation`: what the person typed.
    #[serde(borrow, default)]
    pub(super) content: Text<'r>,
}

/// What was said, by the person, a tool, or the agent.
#[derive(Deserialize)]
pub(super) struct Message<'r> {
    #[serde(borrow, default)]
    pub(super) model: Text<'r>,
    /// A text or a list of [`Block`]s.
    #[serde(borrow)]
    pub(super) content: Option<&'r RawValue>,
    /// [`Usage`].
    #[serde(borrow)]
    pub(super) usage: Option<&'r RawValue>,
}

/// One block of a message.
#[derive(Deserialize)]
pub(super) struct Block<'r> {
    /// `text`, `thinking`, `tool_use`, `tool_result`, `image`.
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Text<'r>,
    #[serde(borrow, default)]
    pub(super) text: Text<'r>,
    #[serde(borrow, default)]
    pub(super) id: Text<'r>,
    #[serde(borrow, default)]
    pub(super) name: Text<'r>,
    #[serde(borrow)]
    pub(super) input: Option<&'r RawValue>,
    #[serde(borrow, default)]
    pub(super) tool_use_id: Text<'r>,
    #[serde(borrow)]
    pub(super) content: Option<&'r RawValue>,
    pub(super) is_error: Option<bool>,
}

/// Tokens of one answer.
#[derive(Deserialize)]
pub(super) struct Usage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

impl Usage {
    /// What stands in the window once the answer is in it.
    pub(super) fn in_window(&self) -> u64 {
        [
            self.input_tokens,
            self.output_tokens,
            self.cache_read_input_tokens,
            self.cache_creation_input_tokens,
        ]
        .into_iter()
        .flatten()
        .fold(0, u64::saturating_add)
    }
}

/// Where a user record comes from.
#[derive(Deserialize)]
pub(super) struct Origin<'r> {
    /// `human`, `task-notification`.
    #[serde(borrow, default)]
    pub(super) kind: Text<'r>,
}

/// What the host put beside a prompt.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Attachment<'r> {
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Text<'r>,
    /// Of a `queued_command`: a text or a list of [`Block`]s.
    #[serde(borrow)]
    pub(super) prompt: Option<&'r RawValue>,
    /// Of a `queued_command`: `prompt`, `bash`, `task-notification`.
    #[serde(borrow, default)]
    pub(super) command_mode: Text<'r>,
    /// Of a `task_status`.
    #[serde(borrow, default)]
    pub(super) task_id: Text<'r>,
    /// Of a `task_status`: `running`, `completed`, `failed`, `killed`.
    #[serde(borrow, default)]
    pub(super) status: Text<'r>,
}

/// A text; anything else that stands in its place is read as an empty one.
#[derive(Default)]
pub(super) struct Text<'r>(pub(super) Cow<'r, str>);

impl std::ops::Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Text<'_> {
    /// The text; none when it is empty.
    pub(super) fn some(&self) -> Option<String> {
        (!self.is_empty()).then(|| self.0.clone().into_owned())
    }
}

impl<'de: 'r, 'r> Deserialize<'de> for Text<'r> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text)))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Text::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Text::default())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(number.to_string())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(number.to_string())))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Text::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Text::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text::default())
    }
}

/// A content that is a text, or a list of blocks of which the texts count: one text.
pub(super) fn flat_text(raw: &RawValue) -> Cow<'_, str> {
    if let Ok(text) = serde_json::from_str::<Text<'_>>(raw.get())
        && !text.is_empty()
    {
        return text.0;
    }
    let blocks: Vec<Block<'_>> = serde_json::from_str(raw.get()).unwrap_or_default();
    let mut texts = blocks.into_iter().map(|block| block.text.0);
    let first = texts.next().unwrap_or_default();
    texts.fold(first, |all, more| match (all.is_empty(), more.is_empty()) {
        (true, _) => more,
        (_, true) => all,
        _ => Cow::Owned(format!("{all}\n{more}")),
    })
}
