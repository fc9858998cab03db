//! Recorded rollouts against lists made by hand from the same files, and rollouts that something happened to.

use std::fmt::Write;

use proptest::prelude::*;

use super::*;
use crate::handoff::subagent::{Subagent, SubagentState};
use crate::handoff::transcript::{Action, ContextUse, Outcome, TodoState, Turn, What};
use crate::hosts::Places;

const ROOT: &str = "0190a000-0000-7000-8000-000000000001";
const DAY: &str = "sessions/2026/11/30";

fn fixture(name: &str) -> PathBuf {
    let file = format!("fixtures/codex/0.171.0/transcripts/{name}.jsonl");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// A turn in one line, everything of it but its time.
fn shown(turn: &Turn) -> String {
    let call = match &turn.what {
        What::Person(text) => return format!("person: {text}"),
        What::Agent(text) => return format!("agent: {text}"),
        What::Interrupted => return "interrupted".into(),
        What::Compacted => return "compacted".into(),
        What::Tool(call) => call,
    };
    let mut line = match &call.action {
        Action::Run { command, cwd } => {
            format!("run {command} in {}", cwd.as_deref().unwrap_or("?"))
        }
        Action::Read { path } => format!("read {path}"),
        Action::Edit { path, added } => format!("edit {path} {added:?}"),
        Action::Write { path } => format!("write {path}"),
        Action::Delete { path } => format!("delete {path}"),
        Action::Search { pattern, .. } => format!("search {pattern}"),
        Action::Todos(todos) => todos.iter().fold("todos".into(), |line, todo| {
            let mark = match todo.state {
                TodoState::Pending => ' ',
                TodoState::Active => '>',
                TodoState::Done => 'x',
            };
            format!("{line} [{mark}] {}", todo.text)
        }),
        Action::Ask { questions } => format!("ask {}", questions.join(" ")),
        Action::Plan { text } => format!("plan {text}"),
        Action::Spawn { kind, prompt } => {
            format!("spawn {} {prompt}", kind.as_deref().unwrap_or("?"))
        }
        Action::Other { tool } => format!("other {tool}"),
    };
    let outcome = match call.outcome {
        Outcome::Open => "open".into(),
        Outcome::Ok => "ok".into(),
        Outcome::Failed(None) => "failed".into(),
        Outcome::Failed(Some(code)) => format!("failed {code}"),
        Outcome::Rejected => "rejected".into(),
        Outcome::Interrupted => "interrupted".into(),
    };
    write!(line, " · {outcome} · {:?}", call.output).unwrap();
    line
}

fn lines(transcript: &Transcript) -> Vec<String> {
    transcript.turns.iter().map(shown).collect()
}

fn check(name: &str, expect: &[&str]) -> Transcript {
    let transcript = read(&fixture(name)).unwrap();
    assert_eq!(lines(&transcript), expect, "{name}");
    assert_eq!(
        (transcript.broken_lines, transcript.dropped),
        (0, 0),
        "{name}"
    );
    assert_eq!(transcript.cwds, ["/home/dev/work/billing"], "{name}");
    transcript
}

fn filled(used: u64) -> Option<ContextUse> {
    let window = Some(475_000);
    Some(ContextUse { used, window })
}

const READ: &str = r#"read /home/dev/work/billing/src/invoice.py · ok · "def total(items):\n    return sum(items)\n""#;
const SUCCESS: &str = "Success. Updated the following files:";

#[test]
fn a_conversation_with_scripts_a_subagent_and_a_local_compaction() {
    let edit = format!(
        r#"edit /home/dev/work/billing/src/invoice.py "    return round(sum(items), 2)" · ok · "{SUCCESS}\nM src/invoice.py\n""#
    );
    let expect = [
        "person: round the invoice total to cents, and ask a helper whether the README mentions it",
        "agent: Looking at the invoice code first.",
        READ,
        r#"run python3 -m pytest -q in /home/dev/work/billing · failed 1 · "/usr/bin/python3: No module named pytest\n""#,
        &edit,
        r#"spawn ? Does README.md mention rounding? · ok · "{\"task_name\":\"/root/check_readme\"}""#,
        r#"other wait_agent · ok · "{\"message\":\"Wait completed.\",\"timed_out\":false}""#,
        r#"run git diff --stat in /home/dev/work/billing · ok · " src/invoice.py | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n""#,
        "compacted",
        "agent: Totals are rounded to cents. The README still needs a note.",
    ];
    let transcript = check("full-local-compaction", &expect);
    assert_eq!(transcript.session.as_deref(), Some(ROOT));
    assert_eq!(transcript.model.as_deref(), Some("gpt-6.2-sol"));
    assert_eq!(transcript.context, filled(9_040));
    assert_eq!(transcript.turns[0].at, 1_796_052_826);
    let helper = Subagent {
        id: "0190a000-0000-7000-8000-000000000007".into(),
        kind: None,
        prompt: Some("Does README.md mention rounding?".into()),
        started: Some(1_796_052_830),
        state: SubagentState::Finished,
        output: None,
        result: Some("README does not mention rounding.".into()),
    };
    assert_eq!(transcript.subagents, [helper]);
}

#[test]
fn a_subagents_own_rollout_is_another_session() {
    let expect = [
        r##"read /home/dev/work/billing/README.md · ok · "# billing\n""##,
        "agent: README does not mention rounding.",
    ];
    let transcript = check("full-subagent", &expect);
    assert_eq!(
        transcript.session.as_deref(),
        Some("0190a000-0000-7000-8000-000000000007")
    );
    assert!(
        rollouts::start(&fixture("full-subagent"))
            .unwrap()
            .is_subagent
    );
    assert!(!rollouts::start(&fixture("fork")).unwrap().is_subagent);
}

#[test]
fn two_compactions_by_the_provider() {
    let expect = [
        "person: round the invoice total",
        r#"run ls -1 src in /home/dev/work/billing · ok · "invoice.py\n""#,
        "compacted",
        READ,
        "agent: Looked at the invoice code.",
        "compacted",
        "person: what is left?",
        "agent: ok",
    ];
    assert_eq!(check("remote-compaction", &expect).context, filled(1_020));
}

#[test]
fn a_compaction_that_the_person_asked_for() {
    let expect = [
        "person: look at the invoice code",
        READ,
        "agent: The total is a plain sum.",
        "compacted",
        "person: what next",
        "agent: Fine.",
    ];
    assert_eq!(
        check("tui-manual-compaction", &expect).context,
        filled(4_040)
    );
}

#[test]
fn an_interrupted_turn() {
    let expect = [
        "person: think slowly",
        "interrupted",
        "person: hello again",
        "agent: Fine.",
    ];
    check("tui-interrupted-resumed", &expect);
}

#[test]
fn plain_tools_stand_once_though_they_are_written_twice() {
    let add = format!(
        r#"write /home/dev/work/billing/src/tax.py · ok · "{SUCCESS}\nA src/tax.py\nM src/invoice.py\n""#
    );
    let edit = format!(
        r#"edit /home/dev/work/billing/src/invoice.py "    return round(sum(items), 2)" · ok · "{SUCCESS}\nA src/tax.py\nM src/invoice.py\n""#
    );
    let output = format!(r#"· ok · "{SUCCESS}\nM src/bill.py\nD src/tax.py\n""#);
    let moved = format!(
        r#"edit /home/dev/work/billing/src/bill.py "    return round(sum(items), 3)" {output}"#
    );
    let from = format!("delete /home/dev/work/billing/src/invoice.py {output}");
    let gone = format!("delete /home/dev/work/billing/src/tax.py {output}");
    let expect = [
        "person: round the invoice total",
        r#"todos [>] Round the total [ ] Add a test · failed · "unsupported call: update_plan""#,
        READ,
        r#"run python3 -m pytest -q tests_missing in /home/dev/work/billing/src · failed 1 · "/usr/bin/python3: No module named pytest\n""#,
        &edit,
        &add,
        r#"edit src/nope.py "b" · failed · "apply_patch verification failed: Failed to read file to update /home/dev/work/billing/src/nope.py: No such file or directory (os error 2)""#,
        &moved,
        &from,
        &gone,
        r#"todos [x] Round the total [ ] Add a test · failed · "unsupported call: update_plan""#,
        "agent: Rounded to 3 places.",
        r#"run sleep 3; echo late in /home/dev/work/billing · failed · """#,
    ];
    assert_eq!(check("plain-tools", &expect).context.unwrap().used, 1_020);
}

#[test]
fn what_was_refused_is_told_as_refused_and_our_own_text_is_nobodys_words() {
    let add =
        format!(r#"write /home/dev/work/billing/src/tax.py · ok · "{SUCCESS}\nA src/tax.py\n""#);
    let output = format!(r#"· ok · "{SUCCESS}\nM src/bill.py\nD src/tax.py\n""#);
    let moved = format!(
        r#"edit /home/dev/work/billing/src/bill.py "    return round(sum(items), 3)" {output}"#
    );
    let from = format!("delete /home/dev/work/billing/src/invoice.py {output}");
    let gone = format!("delete /home/dev/work/billing/src/tax.py {output}");
    let expect = [
        "person: round the invoice total",
        &add,
        &moved,
        &from,
        &gone,
        r#"todos [x] Round the total [ ] Add a test · failed · "unsupported call: update_plan""#,
        r#"ask Round up or down? · failed · "request_user_input is unavailable in Default mode""#,
        r#"spawn ? Look at README · failed · "Tool call blocked by PreToolUse hook: [segue] the window is 96 % full: let the person compact first. Tool: collaborationspawn_agent""#,
        "agent: Done with code mode.",
        r#"run sleep 3; echo late in /home/dev/work/billing · failed · """#,
    ];
    assert_eq!(check("code-mode-refusals", &expect).subagents, []);
}

/// A folder as Codex keeps it, with these fixtures under these names.
fn codex_home(files: &[(&str, &str)]) -> (tempfile::TempDir, Places) {
    let home = tempfile::tempdir().unwrap();
    let day = home.path().join(DAY);
    std::fs::create_dir_all(&day).unwrap();
    for (name, file) in files {
        std::fs::copy(fixture(name), day.join(file)).unwrap();
    }
    let places = Places {
        codex_home: Some(home.path().to_owned()),
        ..Places::default()
    };
    (home, places)
}

const BEFORE: &str = "rollout-2026-11-30T15-09-26-0190a000-0000-7000-8000-000000000001.jsonl";
const REWOUND: &str = "rollout-2026-11-30T15-09-40-0190a000-0000-7000-8000-000000000001_0190a000-0000-7000-8000-000000000005.jsonl";

#[test]
fn a_rewound_conversation_is_read_with_what_it_kept_of_the_old_one() {
    let (home, _) = codex_home(&[("rewind-1-before", BEFORE), ("rewind-2-after", REWOUND)]);
    let transcript = read(&home.path().join(DAY).join(REWOUND)).unwrap();
    let kept = ["person: first question", "agent: Fine."];
    let own = [
        "person: look at the code again",
        READ,
        "agent: The total is a plain sum.",
    ];
    assert_eq!(lines(&transcript), [&kept[..], &own].concat());
    assert_eq!(transcript.session.as_deref(), Some(ROOT));
    check("rewind-2-after", &own);
    let taken_back = [
        "person: look at the code",
        READ,
        "agent: The total is a plain sum.",
    ];
    check("rewind-1-before", &[&kept[..], &taken_back].concat());
}

#[test]
fn a_fork_is_read_with_what_it_was_forked_from_even_on_another_day() {
    let fork = "rollout-2026-11-30T15-34-04-0190a000-0000-7000-8000-000000000008.jsonl";
    let (home, _) = codex_home(&[("fork", fork)]);
    let other_day = home.path().join("sessions/2025/02/01");
    std::fs::create_dir_all(&other_day).unwrap();
    let base = "rollout-2025-02-01T15-33-45-0190a000-0000-7000-8000-000000000001.jsonl";
    std::fs::copy(fixture("tui-manual-compaction"), other_day.join(base)).unwrap();
    let transcript = read(&home.path().join(DAY).join(fork)).unwrap();
    let expect = [
        "person: look at the invoice code",
        READ,
        "agent: The total is a plain sum.",
        "compacted",
        "person: what next",
        "agent: Fine.",
        "person: try another way",
        "agent: ok",
    ];
    assert_eq!(lines(&transcript), expect);
    assert_eq!(
        transcript.session.as_deref(),
        Some("0190a000-0000-7000-8000-000000000008")
    );
    check("fork", &expect[6..]);
}

#[test]
fn a_circle_of_files_is_walked_once() {
    let meta = |thread: &str, base: &str| {
        format!(
            r#"{{"ordinal":9,"type":"session_meta","payload":{{"id":"{thread}","source":"cli","cwd":"/w","history_base":{{"thread_id":"{base}","end_ordinal_exclusive":99}}}}}}"#
        )
    };
    let dir = tempfile::tempdir().unwrap();
    let file = |thread: &str| {
        dir.path()
            .join(format!("rollout-2026-11-30T15-09-26-{thread}.jsonl"))
    };
    std::fs::write(file("aa"), meta("aa", "bb")).unwrap();
    std::fs::write(file("bb"), meta("bb", "aa")).unwrap();
    std::fs::write(file("cc"), meta("cc", "cc")).unwrap();
    assert_eq!(bases(&file("aa")), [(file("bb"), 99)]);
    assert_eq!(bases(&file("cc")), []);
    assert_eq!(read(&file("aa")).unwrap().session.as_deref(), Some("aa"));
}

#[test]
fn the_newest_conversation_of_a_folder_is_found_and_no_subagents() {
    let agent = "rollout-2026-11-30T15-33-50-0190a000-0000-7000-8000-000000000007.jsonl";
    let (home, places) = codex_home(&[
        ("rewind-1-before", BEFORE),
        ("rewind-2-after", REWOUND),
        ("full-subagent", agent),
    ]);
    let day = home.path().join(DAY);
    let touch = |name: &str, seconds: u64| {
        let file = File::options().append(true).open(day.join(name)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds))
            .unwrap();
    };
    let found = |dir: &str| find(&places, Path::new(dir)).unwrap();
    (touch(BEFORE, 100), touch(REWOUND, 200), touch(agent, 300));
    assert_eq!(found("/home/dev/work/billing"), Some(day.join(REWOUND)));
    (touch(BEFORE, 400), touch(REWOUND, 200));
    assert_eq!(found("/home/dev/work"), Some(day.join(BEFORE)));
    assert_eq!(found("/home/dev/work/bill"), None);
    assert_eq!(found("/home/dev/work/billing/src"), None);
    assert_eq!(find(&Places::default(), Path::new("/")).unwrap(), None);
}

#[test]
fn a_session_is_found_by_its_id_or_the_beginning_of_it() {
    let (home, places) = codex_home(&[
        ("rewind-1-before", BEFORE),
        ("fork", "rollout-2026-11-30T15-34-04-abcd.jsonl"),
    ]);
    let found = |id: &str| find_session(&places, id).unwrap();
    assert_eq!(found(ROOT), Some(home.path().join(DAY).join(BEFORE)));
    assert_eq!(found("0190a000"), Some(home.path().join(DAY).join(BEFORE)));
    assert_eq!(
        found("abcd"),
        Some(
            home.path()
                .join(DAY)
                .join("rollout-2026-11-30T15-34-04-abcd.jsonl")
        )
    );
    assert_eq!(found("2026"), None);
    assert_eq!(found(""), None);
}

/// What is read from a file with these bytes.
fn read_bytes(bytes: &[u8]) -> Transcript {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
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
    bytes.resize(lines::LINE_BYTES_MAX + 9, b'x');
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
    #![proptest_config(ProptestConfig::with_cases(64))]

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
