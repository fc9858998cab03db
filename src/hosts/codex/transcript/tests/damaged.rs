//! Rollouts that something happened to.

use std::io::Write as _;

use proptest::prelude::*;

use super::*;

/// What is read from a file with these bytes.
fn read_bytes(bytes: &[u8]) -> Transcript {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    read(file.path()).unwrap()
}

#[test]
fn a_half_written_last_line_costs_that_line_only() {
    let whole = std::fs::read(fixture("tui-interrupted-resumed")).unwrap();
    let transcript = read_bytes(&whole[..whole.len() - 30]);
    assert_eq!(transcript.broken_lines, 1);
    assert_eq!(
        lines(&transcript),
        lines(&read(&fixture("tui-interrupted-resumed")).unwrap())
    );
}

#[test]
fn half_a_character_costs_that_character_only() {
    let line = b"{\"type\":\"event_msg\",\"payload\":{\"type\":\"item_completed\",\"item\":{\"type\":\"UserMessage\",\"id\":\"1\",\"content\":[{\"type\":\"text\",\"text\":\"fix \xc3 it\"}]}}}\n\n \n";
    let transcript = read_bytes(line);
    assert_eq!(lines(&transcript), ["person: fix \u{fffd} it"]);
    assert_eq!((transcript.turns[0].at, transcript.broken_lines), (0, 0));
}

#[test]
fn a_compaction_is_seen_even_where_its_line_is_too_long_to_be_read() {
    let mut bytes = br#"{"timestamp":"2026-11-30T15:33:54.093Z","ordinal":55,"type":"compacted","payload":{"message":""#.to_vec();
    bytes.resize(9 << 20, b'x');
    bytes.extend_from_slice(b"\"}}\n");
    let transcript = read_bytes(&bytes);
    assert_eq!(lines(&transcript), ["compacted"]);
    assert_eq!(transcript.broken_lines, 1);
}

#[test]
fn what_is_under_way_at_the_end_is_open_and_an_interruption_ends_it() {
    let call = r#"{"timestamp":"2026-11-30T15:33:54Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"make\"}","call_id":"c1"}}"#;
    let abort = r#"{"type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}"#;
    assert_eq!(
        lines(&read_bytes(call.as_bytes())),
        [r#"run make in ? · open · """#]
    );
    let both = format!("{call}\n{abort}\n");
    assert_eq!(
        lines(&read_bytes(both.as_bytes())),
        [r#"run make in ? · interrupted · """#, "interrupted"]
    );
}

#[test]
fn a_summary_without_a_mark_is_known_by_its_place() {
    let said = |text: &str| {
        format!(
            r#"{{"type":"response_item","payload":{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{text}"}}]}}}}"#
        )
    };
    let count = r#"{"type":"event_msg","payload":{"type":"token_count","info":null}}"#;
    let end = r#"{"type":"event_msg","payload":{"type":"task_complete"}}"#;
    let compacted = r#"{"type":"compacted","payload":{"message":"…"}}"#;
    let text = [
        &said("an answer"),
        end,
        &said("a summary"),
        count,
        compacted,
        &said("more"),
    ]
    .join("\n");
    assert_eq!(
        lines(&read_bytes(text.as_bytes())),
        ["agent: an answer", "compacted", "agent: more"]
    );
}

#[test]
fn a_file_that_is_not_there_is_an_error_that_names_it() {
    let error = read(Path::new("/nowhere/a.jsonl")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read the transcript `/nowhere/a.jsonl`"
    );
}

fn any_rollout() -> impl Strategy<Value = Vec<u8>> {
    let names = [
        "full-local-compaction",
        "full-subagent",
        "remote-compaction",
        "tui-interrupted-resumed",
        "plain-tools",
        "code-mode-refusals",
        "rewind-2-after",
    ];
    proptest::sample::select(
        names
            .map(|name| std::fs::read(fixture(name)).unwrap())
            .to_vec(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        let read = read_bytes(&bytes);
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.iter().all(u8::is_ascii_whitespace));
        prop_assert!(read.broken_lines <= lines.count());
    }

    #[test]
    fn a_rollout_cut_anywhere_is_read(rollout in any_rollout(), at in any::<prop::sample::Index>()) {
        let whole = read_bytes(&rollout);
        let cut = read_bytes(&rollout[..at.index(rollout.len())]);
        prop_assert!(cut.broken_lines <= 1);
        prop_assert!(cut.turns.len() <= whole.turns.len() + 1);
    }

    #[test]
    fn a_rollout_without_some_lines_or_with_other_bytes_is_read(
        rollout in any_rollout(),
        gone in proptest::collection::vec(any::<prop::sample::Index>(), 0..20),
        other in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
    ) {
        let mut lines: Vec<&[u8]> = rollout.split_inclusive(|byte| *byte == b'\n').collect();
        for at in gone.iter().take(lines.len() - 1) {
            lines.remove(at.index(lines.len()));
        }
        let mut bytes = lines.concat();
        for (at, byte) in &other {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        prop_assert!(read_bytes(&bytes).broken_lines <= 2 * other.len());
    }
}
