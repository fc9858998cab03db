//! How full the window is, and whether what we gave stands in it; from the end of the transcript alone.

use std::path::Path;

use serde::Deserialize;

use crate::handoff::transcript::ContextUse;
use crate::hosts::tail;

/// Windows of models as they were measured (Claude Code 2.1.332); of others the transcript does not say how much they hold,
/// the status line does.
const WINDOWS: [(&str, u64); 1] = [("claude-opus-5-5", 1_000_000)];

#[derive(Deserialize)]
struct Row {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    subtype: Option<String>,
    #[serde(default, rename = "isSidechain")]
    sidechain: bool,
    #[serde(default)]
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    model: String,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    cache_creation_input_tokens: u64,
    #[serde(default)]
    cache_read_input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
}

/// Tokens in the window at the last answer; none right after a compaction.
pub(super) fn context(path: &Path) -> Option<ContextUse> {
    tail::last(path, said).flatten()
}

/// What one line says of it: nothing, that it is unknown from here on, or how much.
fn said(line: &[u8]) -> Option<Option<ContextUse>> {
    let marks = [&b"\"usage\""[..], b"compact_boundary"];
    if !marks
        .iter()
        .any(|mark| memchr::memmem::find(line, mark).is_some())
    {
        return None;
    }
    let row = serde_json::from_slice::<Row>(line).ok()?;
    if row.kind == "system" && row.subtype.as_deref() == Some("compact_boundary") {
        return Some(None);
    }
    let message = row
        .message
        .filter(|_| row.kind == "assistant" && !row.sidechain)?;
    let usage = message
        .usage
        .filter(|usage| usage.input_tokens + usage.output_tokens > 0)?;
    let window = WINDOWS
        .iter()
        .find(|(model, _)| message.model.starts_with(model))
        .map(|(_, tokens)| *tokens);
    let used = [
        usage.cache_creation_input_tokens,
        usage.cache_read_input_tokens,
        usage.output_tokens,
    ];
    Some(Some(ContextUse {
        used: used
            .iter()
            .fold(usage.input_tokens, |sum, n| sum.saturating_add(*n)),
        window,
    }))
}

/// Whether `marker` stands behind `from` bytes.
pub(super) fn arrived(path: &Path, from: u64, marker: &str) -> Option<bool> {
    tail::arrived(path, from, marker, "\"type\":\"assistant\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], expect: Option<(u64, Option<u64>)>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        crate::files::replace(file.path(), lines.join("\n").as_bytes()).unwrap();
        let expect = expect.map(|(used, window)| ContextUse { used, window });
        assert_eq!(context(file.path()), expect, "{lines:?}");
    }

    #[test]
    fn the_last_answer_of_the_main_line_counts_until_a_compaction() {
        let answer = r#"{"type":"assistant","message":{"model":"claude-opus-5-5","usage":{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":2}}}"#;
        let other = r#"{"type":"assistant","message":{"model":"m","usage":{"input_tokens":7,"output_tokens":1}}}"#;
        let side = r#"{"type":"assistant","isSidechain":true,"message":{"model":"m","usage":{"input_tokens":9}}}"#;
        let boundary = r#"{"type":"system","subtype":"compact_boundary"}"#;
        check(&[answer], Some((17, Some(1_000_000))));
        check(
            &[answer, other, side, "{\"type\":\"user\"}"],
            Some((8, None)),
        );
        check(&[answer, boundary], None);
        check(
            &[answer, "{\"usage\" half a li"],
            Some((17, Some(1_000_000))),
        );
        check(&[], None);
    }
}
