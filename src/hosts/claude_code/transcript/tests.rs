//! What is read from records of each kind.

use proptest::prelude::*;

use super::*;
use crate::handoff::subagent::SubagentState;
use crate::handoff::transcript::{Todo, TodoState};

const RECORDED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/fixtures/claude-code/2.1.332/transcripts"
);

fn transcript(text: &str) -> Transcript {
    read_from(text.as_bytes()).unwrap()
}

fn user(content: &str) -> String {
    format!(
        r#"{{"type":"user","sessionId":"s","cwd":"/w","timestamp":"2026-01-27T09:18:57.495Z","message":{{"role":"user","content":{content}}}}}"#
    ) + "\n"
}

fn assistant(block: &str) -> String {
    format!(
        r#"{{"type":"assistant","sessionId":"s","cwd":"/w","message":{{"model":"m","usage":{{"input_tokens":7,"cache_read_input_tokens":30,"output_tokens":5}},"content":[{block}]}}}}"#
    ) + "\n"
}

fn call(id: &str, name: &str, input: &str) -> String {
    assistant(&format!(
        r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}"#
    ))
}

fn result(id: &str, text: &str, failed: bool) -> String {
    user(&format!(
        r#"[{{"type":"tool_result","tool_use_id":"{id}","content":{},"is_error":{failed}}}]"#,
        serde_json::to_string(text).unwrap()
    ))
}

fn words(transcript: &Transcript) -> Vec<&str> {
    let words = transcript.turns.iter().filter_map(|turn| match &turn.what {
        What::Person(words) => Some(words.as_str()),
        _ => None,
    });
    words.collect()
}

fn calls(transcript: &Transcript) -> Vec<&ToolUse> {
    let calls = transcript.turns.iter().filter_map(|turn| match &turn.what {
        What::Tool(call) => Some(call),
        _ => None,
    });
    calls.collect()
}

#[test]
fn who_said_what_and_where() {
    let text = user(r#""fix it""#) + &assistant(r#"{"type":"text","text":" On it. "}"#);
    let transcript = transcript(&text);
    assert_eq!(
        transcript.turns,
        [
            Turn {
                at: 1_769_505_537,
                what: What::Person("fix it".to_owned())
            },
            Turn {
                at: 0,
                what: What::Agent("On it.".to_owned())
            },
        ]
    );
    assert_eq!(transcript.session.as_deref(), Some("s"));
    assert_eq!(transcript.cwds, ["/w"]);
    assert_eq!(transcript.model.as_deref(), Some("m"));
    assert_eq!(
        transcript.context,
        Some(ContextUse {
            used: 42,
            window: None
        })
    );
}

#[test]
fn rows_that_the_person_did_not_write_are_not_the_persons_words() {
    let mut text = String::new();
    for field in [
        r#""isMeta":true"#,
        r#""isSidechain":true"#,
        r#""isCompactSummary":true"#,
        r#""origin":{"kind":"task-notification"}"#,
        r#""rowSource":"hook""#,
    ] {
        text += &user(r#""not mine""#).replacen(
            r#""type":"user""#,
            &format!(r#""type":"user",{field}"#),
            1,
        );
    }
    text += &user(r#""mine""#).replacen(
        r#""type":"user""#,
        r#""type":"user","origin":{"kind":"human"}"#,
        1,
    );
    assert_eq!(words(&transcript(&text)), ["mine"]);
}

#[test]
fn what_a_function_hook_hands_back_is_not_read_twice() {
    let handed_back = call("a", "Bash", r#"{"command":"make"}"#)
        + &call(
            "b",
            "Agent",
            r#"{"subagent_type":"explore","prompt":"look"}"#,
        )
        + &result("a", "Exit code 2\nboom", true)
        + &user(r#""and now?""#);
    let boundary = "{\"type\":\"system\",\"subtype\":\"compact_boundary\"}\n";
    let ours = user(r#""[segue] Handoff card 1f0c2a9b of session s\nNever touch the fence.""#);
    let by_hook = ours.replacen(r#""type":"user""#, r#""type":"user","rowSource":"hook""#, 1);
    let without_usage = handed_back.replace(r#":7,"#, ":0,").replace(":30,", ":0,");
    let without_usage = without_usage.replace(r#""output_tokens":5"#, r#""output_tokens":0"#);
    for ours in [by_hook, ours] {
        let text = format!("{handed_back}{boundary}{ours}{without_usage}");
        let transcript = transcript(&text);
        assert_eq!(words(&transcript), ["and now?"]);
        let calls = calls(&transcript);
        let ends: Vec<_> = calls.iter().map(|one| (&*one.id, one.outcome)).collect();
        assert_eq!(
            ends,
            [("a", Outcome::Failed(Some(2))), ("b", Outcome::Open)]
        );
        assert_eq!(transcript.subagents.len(), 1);
        assert_eq!(transcript.turns.last().unwrap().what, What::Compacted);
        assert_eq!(transcript.context.unwrap().used, 42);
    }
}

#[test]
fn a_call_finds_its_result_and_how_it_ended() {
    let mut text = String::new();
    for (id, output, failed) in [
        ("a", "fine", false),
        ("b", "Exit code 2\nboom", true),
        ("c", "<tool_use_error>no such file</tool_use_error>", true),
        ("d", "[Request interrupted by user for tool use]", true),
    ] {
        text += &call(id, "Bash", r#"{"command":"make"}"#);
        text += &result(id, output, failed);
    }
    text += &call("e", "Bash", r#"{"command":"make"}"#);
    let transcript = transcript(&text);
    let ends: Vec<_> = calls(&transcript)
        .iter()
        .map(|call| (call.outcome, call.output.as_str()))
        .collect();
    assert_eq!(
        ends,
        [
            (Outcome::Ok, "fine"),
            (Outcome::Failed(Some(2)), "boom"),
            (Outcome::Failed(None), "no such file"),
            (
                Outcome::Interrupted,
                "[Request interrupted by user for tool use]"
            ),
            (Outcome::Open, ""),
        ]
    );
}

#[test]
fn a_refused_call_keeps_the_persons_words() {
    let refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nuse the other file";
    let text =
        call("a", "Edit", r#"{"file_path":"/w/x","new_string":"y"}"#) + &result("a", refusal, true);
    let transcript = transcript(&text);
    assert_eq!(calls(&transcript)[0].outcome, Outcome::Rejected);
    assert_eq!(calls(&transcript)[0].output, "use the other file");
    assert_eq!(words(&transcript), ["use the other file"]);
}

#[test]
fn each_tool_is_known_by_what_it_does() {
    let check = |name: &str, input: &str, expect: Action| {
        let transcript = transcript(&call("a", name, input));
        assert_eq!(calls(&transcript)[0].action, expect, "{name} {input}");
    };
    let (path, added) = ("/w/a".to_owned(), "b".to_owned());
    check(
        "Bash",
        r#"{"command":"make"}"#,
        Action::Run {
            command: "make".to_owned(),
            cwd: Some("/w".to_owned()),
        },
    );
    check(
        "Read",
        r#"{"file_path":"/w/a","limit":3}"#,
        Action::Read { path: path.clone() },
    );
    check(
        "Write",
        r#"{"file_path":"/w/a","content":"x"}"#,
        Action::Write { path: path.clone() },
    );
    let edit = Action::Edit { path, added };
    check(
        "Edit",
        r#"{"file_path":"/w/a","new_string":"b"}"#,
        edit.clone(),
    );
    check(
        "MultiEdit",
        r#"{"file_path":"/w/a","edits":[{"old_string":"a","new_string":"b"}]}"#,
        edit.clone(),
    );
    check(
        "NotebookEdit",
        r#"{"notebook_path":"/w/a","new_source":"b"}"#,
        edit,
    );
    check(
        "Grep",
        r#"{"pattern":"x","path":"/w"}"#,
        Action::Search {
            pattern: "x".to_owned(),
            path: Some("/w".to_owned()),
        },
    );
    check(
        "TodoWrite",
        r#"{"todos":[{"content":"x","status":"in_progress"},{"content":"y","status":"completed"}]}"#,
        Action::Todos(vec![
            Todo {
                text: "x".to_owned(),
                state: TodoState::Active,
            },
            Todo {
                text: "y".to_owned(),
                state: TodoState::Done,
            },
        ]),
    );
}

#[test]
fn tools_that_ask_plan_or_are_strange_are_known_too() {
    let check = |name: &str, input: &str, expect: Action| {
        let transcript = transcript(&call("a", name, input));
        assert_eq!(calls(&transcript)[0].action, expect, "{name} {input}");
    };
    check(
        "AskUserQuestion",
        r#"{"questions":[{"question":"which?","options":[]}]}"#,
        Action::Ask {
            questions: vec!["which?".to_owned()],
        },
    );
    check(
        "ExitPlanMode",
        r##"{"plan":"# do"}"##,
        Action::Plan {
            text: "# do".to_owned(),
        },
    );
    check(
        "Bash",
        r#"{"command":["no","text"]}"#,
        Action::Run {
            command: String::new(),
            cwd: Some("/w".to_owned()),
        },
    );
    check(
        "mcp__x__y",
        "null",
        Action::Other {
            tool: "mcp__x__y".to_owned(),
        },
    );
}

#[test]
fn tasks_change_one_at_a_time() {
    let text = call("a", "TaskCreate", r#"{"subject":"parse"}"#)
        + &result("a", "Task #7 created successfully: parse", false)
        + &call("b", "TaskUpdate", r#"{"taskId":"7","status":"completed"}"#)
        + &call("c", "TaskUpdate", r#"{"taskId":"7","status":"deleted"}"#);
    let transcript = transcript(&text);
    let lists: Vec<_> = calls(&transcript)
        .iter()
        .map(|call| call.action.clone())
        .collect();
    let parse = |state| {
        Action::Todos(vec![Todo {
            text: "parse".to_owned(),
            state,
        }])
    };
    assert_eq!(
        lists,
        [
            parse(TodoState::Pending),
            parse(TodoState::Done),
            Action::Todos(vec![])
        ]
    );
}

#[test]
fn answers_are_kept_with_their_questions() {
    let answered = result("a", "User has answered", false).replacen(
        r#""type":"user""#,
        r#""type":"user","toolUseResult":{"answers":{"which?":"the first"}}"#,
        1,
    );
    let text = call(
        "a",
        "AskUserQuestion",
        r#"{"questions":[{"question":"which?"}]}"#,
    ) + &answered;
    assert_eq!(calls(&transcript(&text))[0].output, "which? → the first");
}

#[test]
fn what_is_typed_while_the_agent_works_counts_once_it_is_handed_over() {
    let queue = |operation: &str, words: &str| {
        format!(r#"{{"type":"queue-operation","operation":"{operation}","content":"{words}"}}"#)
            + "\n"
    };
    let handed = queue("enqueue", "not that one") + &queue("remove", "");
    assert_eq!(words(&transcript(&handed)), ["not that one"]);
    let taken_back = queue("enqueue", "not") + &queue("popAll", "not") + &queue("remove", "");
    assert_eq!(words(&transcript(&taken_back)), [""; 0]);
    let own_row = queue("enqueue", "next") + &queue("dequeue", "") + &user(r#""next""#);
    assert_eq!(words(&transcript(&own_row)), ["next"]);
}

#[test]
fn lines_that_cannot_be_read_are_counted_and_the_rest_stands() {
    let mut bytes = user(r#""one""#).into_bytes();
    bytes.extend_from_slice(b"{\"type\":\"user\",\n\n[1]\n");
    bytes.extend_from_slice(&user(r#""t\u0000wo X""#).into_bytes());
    let at = bytes.iter().rposition(|b| *b == b'X').unwrap();
    bytes[at] = 0xff;
    bytes.extend_from_slice(br#"{"type":"user","message":{"content":"hal"#);
    let transcript = read_from(&bytes[..]).unwrap();
    assert_eq!(words(&transcript), ["one", "t\0wo \u{fffd}"]);
    assert_eq!(transcript.broken_lines, 3);
}

#[test]
fn the_recorded_conversation_has_its_words_its_compaction_and_its_subagents() {
    let path = Path::new(RECORDED).join("manual-compaction-edit-agents.jsonl");
    let transcript = read(&path).unwrap();
    assert_eq!(
        words(&transcript),
        [
            "strip the fields that parse() returns",
            "use a subagent to count lines",
            "in the background look for other callers",
            "what is left?",
        ]
    );
    assert_eq!(transcript.broken_lines, 0);
    let compacted = |turn: &&Turn| turn.what == What::Compacted;
    assert_eq!(transcript.turns.iter().filter(compacted).count(), 1);
    let agents: Vec<_> = transcript
        .subagents
        .iter()
        .map(|agent| (agent.id.as_str(), agent.state, agent.result.as_deref()))
        .collect();
    assert_eq!(
        agents,
        [
            (
                "a0000000000000027",
                SubagentState::Finished,
                Some("src/parser.py has 2 lines.")
            ),
            (
                "a0000000000000039",
                SubagentState::Finished,
                Some("Only the definition in src/parser.py:1; no other callers.")
            ),
        ]
    );
    let half: String = std::fs::read_to_string(&path)
        .unwrap()
        .lines()
        .take_while(|line| !line.contains("compact_boundary"))
        .map(|line| line.to_owned() + "\n")
        .collect();
    let before = read_from(half.as_bytes()).unwrap();
    assert_eq!(before.subagents[1].state, SubagentState::Running);
    assert_eq!(
        before.subagents[1].prompt.as_deref(),
        Some("SUBTASK-B search the repository for callers of parse()")
    );
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_their_end(bytes: Vec<u8>) {
        read_from(&bytes[..]).unwrap();
    }

    #[test]
    fn a_recorded_file_that_was_cut_or_changed_anywhere_is_read(at: prop::sample::Index, to: u8, cut: bool) {
        let mut bytes = std::fs::read(Path::new(RECORDED).join("headless-compaction.jsonl")).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = to;
        if cut {
            bytes.truncate(at);
        }
        let transcript = read_from(&bytes[..]).unwrap();
        prop_assert!(transcript.broken_lines <= 2);
    }
}
