//! The shapes of the file's records, as far as we read them (Claude Code 2.0.76 to 2.1.332). Every field may
//! be missing; unknown ones are passed over.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::hosts::skim::Piece;

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
    pub(super) tool_use_result: Option<Piece<'r>>,
    /// Where a user record comes from (since 2.1.300 or so).
    #[serde(borrow)]
    pub(super) origin: Option<Piece<'r>>,
    /// `hook` where a plugin answered a compaction: such a row looks like a typed one.
    #[serde(borrow, default)]
    pub(super) row_source: Text<'r>,
    /// Of an `attachment` record.
    #[serde(borrow)]
    pub(super) attachment: Option<Piece<'r>>,
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
    #[serde(borrow, default)]
    pub(super) content: Content<'r>,
    /// [`Usage`].
    #[serde(borrow)]
    pub(super) usage: Option<Piece<'r>>,
}

/// What a message says.
#[derive(Default)]
pub(super) enum Content<'r> {
    /// One text.
    Text(Cow<'r, str>),
    /// Texts, calls of tools and their results.
    Blocks(Vec<Block<'r>>),
    /// Nothing that we know.
    #[default]
    Other,
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
    pub(super) input: Option<Piece<'r>>,
    #[serde(borrow, default)]
    pub(super) tool_use_id: Text<'r>,
    #[serde(borrow)]
    pub(super) content: Option<Piece<'r>>,
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
    pub(super) prompt: Option<Piece<'r>>,
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

/// A text, or a number as one; anything else that stands in its place is read as an empty one.
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
        let piece = Piece::deserialize(deserializer)?;
        let is_number = |bytes: &&[u8]| bytes.iter().all(|b| b.is_ascii_digit());
        let number =
            |piece: Piece<'de>| std::str::from_utf8(Some(piece.bytes()).filter(is_number)?).ok();
        let text = piece.text().or_else(|| number(piece).map(Cow::Borrowed));
        Ok(Text(text.unwrap_or_default()))
    }
}

impl<'de: 'r, 'r> Deserialize<'de> for Content<'r> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Content<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of blocks")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Content::Other)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(Content::Blocks)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Content::Other)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// A content that is a text, or a list of blocks of which the texts count: one text.
pub(super) fn flat_text(content: Piece<'_>) -> Cow<'_, str> {
    flat(content, Piece::text)
}

/// The same without some of the middle of what is long: clipped at its ends to at most `bytes` it is the same.
pub(super) fn flat_text_for_ends(content: Piece<'_>, bytes: usize) -> Cow<'_, str> {
    flat(content, |piece| piece.text_for_ends(bytes))
}

fn flat<'r>(content: Piece<'r>, text: impl Fn(Piece<'r>) -> Option<Cow<'r, str>>) -> Cow<'r, str> {
    #[derive(Deserialize)]
    struct Part<'r> {
        #[serde(borrow)]
        text: Option<Piece<'r>>,
    }
    if let Some(text) = text(content) {
        return text;
    }
    let parts: Vec<Part<'_>> = content.read().unwrap_or_default();
    let mut texts = parts
        .into_iter()
        .filter_map(|part| text(part.text?))
        .filter(|text| !text.is_empty());
    let first = texts.next().unwrap_or_default();
    texts.fold(first, |all, more| Cow::Owned(format!("{all}\n{more}")))
}
