//! How full the window is, and whether what we gave stands in it; from the end of the rollout alone.

use std::path::Path;

use serde::Deserialize;

use crate::handoff::transcript::ContextUse;
use crate::hosts::tail;

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    payload: Payload,
}

#[derive(Deserialize)]
struct Payload {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    info: Option<Info>,
}

#[derive(Deserialize)]
struct Info {
    #[serde(default)]
    last_token_usage: Option<Usage>,
    #[serde(default)]
    model_context_window: Option<u64>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    total_tokens: u64,
}

/// Tokens in the window at the last answer over the window that Codex reports; none right after a compaction, when it
/// only estimates.
pub(super) fn context(path: &Path) -> Option<ContextUse> {
    tail::last(path, said).flatten()
}

/// What one line says of it: nothing, that it is unknown from here on, or how much.
fn said(line: &[u8]) -> Option<Option<ContextUse>> {
    let marks = [&b"\"token_count\""[..], b"\"compacted\""];
    if !marks
        .iter()
        .any(|mark| memchr::memmem::find(line, mark).is_some())
    {
        return None;
    }
    let line = serde_json::from_slice::<Line>(line).ok()?;
    if line.kind == "compacted" {
        return Some(None);
    }
    let info = line
        .payload
        .info
        .filter(|_| line.payload.kind == "token_count")?;
    let usage = info.last_token_usage?;
    Some(Some(ContextUse {
        used: usage.total_tokens,
        window: info.model_context_window,
    }))
}

/// Whether `marker` stands behind `from` bytes.
pub(super) fn arrived(path: &Path, from: u64, marker: &str) -> Option<bool> {
    tail::arrived(path, from, marker, "\"role\":\"assistant\"")
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
    fn the_last_token_count_counts_until_a_compaction() {
        let count = r#"{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"total_tokens":900},"model_context_window":1000}}}"#;
        let empty = r#"{"type":"event_msg","payload":{"type":"token_count","info":null}}"#;
        let compacted = r#"{"type":"compacted","payload":{"message":""}}"#;
        check(&[count, empty], Some((900, Some(1000))));
        check(&[count, compacted], None);
        check(&[compacted, count], Some((900, Some(1000))));
    }
}
