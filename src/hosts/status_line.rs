//! What a host says to a status line command.
//!
//! Fields as Claude Code 2.1.332 sends them. Codex 0.171.0 calls no such command; from whoever calls it in its stead the
//! same names are understood. A field that is missing or of another type is taken as not said.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

/// What a host says to a status line command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StatusLine {
    /// The conversation.
    pub(crate) session: Option<String>,
    /// Its transcript.
    pub(crate) transcript: Option<PathBuf>,
    /// The folder that the host is in.
    pub(crate) cwd: Option<PathBuf>,
    /// How full the window is; none where nothing at all is said of it.
    pub(crate) window: Option<WindowSaid>,
}

/// What is said of the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WindowSaid {
    /// How many tokens it holds.
    pub(crate) size: Option<u64>,
    /// How much of it is left, in percent, as the host counts it. None before the first answer, and after a compaction
    /// until the next one: there Claude Code 2.1.332 says that nothing is used.
    pub(crate) left_percent: Option<u64>,
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Said {
    session_id: Value,
    transcript_path: Value,
    cwd: Value,
    workspace: Value,
    context_window: Value,
}

/// Reads one JSON object; of what is none, nothing is said.
pub(crate) fn parse(stdin: &[u8]) -> StatusLine {
    let said: Said = serde_json::from_slice(stdin).unwrap_or_default();
    let text = |value: &Value| {
        let text = value.as_str().filter(|text| !text.is_empty());
        text.map(str::to_owned)
    };
    let dir = text(&said.workspace["current_dir"]).or_else(|| text(&said.cwd));
    StatusLine {
        session: text(&said.session_id),
        transcript: text(&said.transcript_path).map(PathBuf::from),
        cwd: dir.map(PathBuf::from),
        window: said
            .context_window
            .is_object()
            .then(|| window(&said.context_window)),
    }
}

fn window(said: &Value) -> WindowSaid {
    let used = ["total_input_tokens", "total_output_tokens"]
        .iter()
        .filter_map(|name| said[*name].as_u64())
        .fold(0, u64::saturating_add);
    let left = said["remaining_percentage"].as_f64();
    WindowSaid {
        size: said["context_window_size"]
            .as_u64()
            .filter(|size| *size > 0),
        left_percent: left.filter(|_| used > 0).map(whole_percent),
    }
}

/// To the next lower whole: what is shown as left is there.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0..=100 before"
)]
fn whole_percent(percent: f64) -> u64 {
    percent.clamp(0.0, 100.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(name: &str) -> Vec<u8> {
        let folder = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/fixtures/claude-code/2.1.332/payloads"
        );
        std::fs::read(format!("{folder}/StatusLine-{name}.json")).unwrap()
    }

    fn check(name: &str, left_percent: Option<u64>) {
        let size = Some(1_000_000);
        let expect = WindowSaid { size, left_percent };
        assert_eq!(parse(&recorded(name)).window, Some(expect), "{name}");
    }

    #[test]
    fn what_is_left_is_as_the_host_counts_it_and_unknown_where_nothing_was_counted() {
        check("after-turn", Some(99));
        check("nearly-full", Some(1));
        check("after-compact", None);
        check("before-first-response", None);
    }

    #[test]
    fn the_conversation_is_named() {
        let said = parse(&recorded("after-turn"));
        let id = "00000001-0000-4000-8000-000000000001";
        assert_eq!(said.session.as_deref(), Some(id));
        assert!(said.transcript.unwrap().ends_with(format!("{id}.jsonl")));
        assert_eq!(said.cwd, Some(PathBuf::from("/home/dev/work/billing")));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_to_an_end(bytes: Vec<u8>) {
            parse(&bytes);
        }
    }

    #[test]
    fn a_field_of_another_type_is_not_said_and_the_others_are() {
        let said = parse(br#"{"session_id": 1, "cwd": "/w", "workspace": [], "context_window": {"remaining_percentage": "x", "total_input_tokens": 5, "context_window_size": -1}}"#);
        let expect = StatusLine {
            cwd: Some(PathBuf::from("/w")),
            window: Some(WindowSaid::default()),
            ..StatusLine::default()
        };
        assert_eq!(said, expect);
        assert_eq!(parse(b"[]"), StatusLine::default());
    }
}
