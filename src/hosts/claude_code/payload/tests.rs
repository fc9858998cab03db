use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::parse;
use crate::hosts::{AgentSeen, EndReason, Event, Moment, RunningAgent, Source};

const RECORDED: &str = "fixtures/claude-code/2.1.332/payloads";
const SESSION: &str = "00000001-0000-4000-8000-000000000001";
const PROJECTS: &str = "/home/dev/.claude/projects/-home-dev-work-billing";
const AGENT: &str = "a0000000000000003";

fn recorded(name: &str) -> Event {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(RECORDED)
        .join(format!("{name}.json"));
    parse(&std::fs::read(path).unwrap()).unwrap()
}

fn check(name: &str, agent: Option<&str>, moment: Moment) {
    let expected = Event {
        session: Some(SESSION.to_owned()),
        transcript: Some(PathBuf::from(format!("{PROJECTS}/{SESSION}.jsonl"))),
        cwd: Some(PathBuf::from("/home/dev/work/billing")),
        agent: agent.map(str::to_owned),
        moment,
    };
    assert_eq!(recorded(name), expected, "{name}");
}

fn compact(manual: bool, instructions: Option<&str>) -> Moment {
    Moment::PreCompact {
        manual,
        instructions: instructions.map(str::to_owned),
    }
}

#[test]
fn compactions_say_who_asked_and_in_which_words() {
    check("PreCompact-auto", None, compact(false, None));
    check(
        "PreCompact-auto-subagent",
        Some(AGENT),
        compact(false, None),
    );
    check(
        "PreCompact-manual",
        None,
        compact(true, Some("keep the parser notes")),
    );
    check(
        "PreCompact-manual-no-instructions",
        None,
        compact(true, None),
    );
    check("PostCompact-manual", None, Moment::PostCompact);
    check(
        "PostCompact-auto-subagent",
        Some(AGENT),
        Moment::PostCompact,
    );
}

#[test]
fn sessions_say_why_they_begin_and_end() {
    check(
        "SessionStart-startup",
        None,
        Moment::SessionStart(Source::Startup),
    );
    check(
        "SessionStart-resume",
        None,
        Moment::SessionStart(Source::Resume),
    );
    check(
        "SessionStart-clear",
        None,
        Moment::SessionStart(Source::Clear),
    );
    check(
        "SessionStart-compact",
        None,
        Moment::SessionStart(Source::Compact),
    );
    check(
        "SessionStart-compact-subagent",
        Some(AGENT),
        Moment::SessionStart(Source::Compact),
    );
    check(
        "SessionStart-fork",
        None,
        Moment::SessionStart(Source::Fork),
    );
    for other in [
        "prompt_input_exit",
        "resume",
        "other-headless",
        "other-plugin-command",
    ] {
        let moment = recorded(&format!("SessionEnd-{other}")).moment;
        assert_eq!(moment, Moment::SessionEnd(EndReason::Other), "{other}");
    }
    assert_eq!(
        recorded("SessionEnd-clear").moment,
        Moment::SessionEnd(EndReason::Clear)
    );
}

#[test]
fn a_background_result_is_not_the_persons_prompt() {
    let Moment::PromptSubmit { prompt, by_person } = recorded("UserPromptSubmit").moment else {
        panic!("no prompt")
    };
    assert!(by_person);
    assert!(!prompt.is_empty());
    let Moment::PromptSubmit { prompt, by_person } =
        recorded("UserPromptSubmit-task-notification").moment
    else {
        panic!("no prompt")
    };
    assert!(!by_person);
    assert!(prompt.ends_with("</task-notification>"));
}

#[test]
fn a_turns_end_lists_the_subagents_that_run() {
    check(
        "Stop",
        None,
        Moment::Stop {
            running: Some(Vec::new()),
        },
    );
    let running = vec![RunningAgent {
        id: AGENT.to_owned(),
        kind: Some("general-purpose".to_owned()),
        description: Some("Count lines".to_owned()),
    }];
    check(
        "Stop-background-agent-running",
        None,
        Moment::Stop {
            running: Some(running),
        },
    );
}

#[test]
fn a_subagents_start_and_end_name_it_without_being_inside_of_it() {
    let mut seen = AgentSeen {
        id: AGENT.to_owned(),
        kind: Some("general-purpose".to_owned()),
        transcript: None,
        answer: None,
    };
    check("SubagentStart", None, Moment::SubagentStart(seen.clone()));
    seen.transcript = Some(PathBuf::from(format!(
        "{PROJECTS}/{SESSION}/subagents/agent-{AGENT}.jsonl"
    )));
    seen.answer = Some("src/parser.py has 2 lines.".to_owned());
    check("SubagentStop", None, Moment::SubagentStop(seen));
}

#[test]
fn the_fork_of_a_compaction_is_a_subagent_of_no_kind() {
    let Moment::SubagentStop(seen) = recorded("SubagentStop-compaction-fork").moment else {
        panic!("no subagent")
    };
    assert_eq!(seen.kind, None);
}

#[test]
fn a_subagent_that_is_about_to_start_is_told_from_other_tools() {
    let moment = Moment::PreSpawn {
        kind: Some("general-purpose".to_owned()),
        prompt: "SUBTASK-A count the lines of src/parser.py".to_owned(),
    };
    check("PreToolUse-Agent", None, moment);
    check(
        "PreToolUse-Bash",
        None,
        Moment::Other("PreToolUse".to_owned()),
    );
}

#[test]
fn events_that_are_of_no_use_keep_their_name() {
    assert_eq!(
        recorded("StopFailure").moment,
        Moment::Other("StopFailure".to_owned())
    );
    assert_eq!(
        recorded("Setup-init").moment,
        Moment::Other("Setup".to_owned())
    );
}

fn check_text(stdin: &str, moment: Moment) {
    assert_eq!(parse(stdin.as_bytes()).unwrap().moment, moment, "{stdin}");
}

#[test]
fn a_field_of_another_type_was_not_said() {
    let event = parse(br#"{"hook_event_name":"PreCompact","session_id":7,"cwd":[],"agent_id":"","trigger":null,"custom_instructions":{},"new":1}"#);
    let expected = Event {
        session: None,
        transcript: None,
        cwd: None,
        agent: None,
        moment: compact(false, None),
    };
    assert_eq!(event.unwrap(), expected);
    check_text(
        r#"{"hook_event_name":"SessionStart","source":"teleport"}"#,
        Moment::Other("SessionStart".to_owned()),
    );
    check_text(
        r#"{"hook_event_name":"SubagentStart"}"#,
        Moment::Other("SubagentStart".to_owned()),
    );
    check_text(
        r#"{"hook_event_name":"Stop","background_tasks":[3,{"id":"b1","type":"shell","status":"running"},{"id":"a1","type":"subagent","status":"completed"}]}"#,
        Moment::Stop {
            running: Some(Vec::new()),
        },
    );
    check_text(
        r#"{"hook_event_name":"PreToolUse","tool_name":"Task","tool_input":"x"}"#,
        Moment::PreSpawn {
            kind: None,
            prompt: String::new(),
        },
    );
}

#[test]
fn a_text_that_the_host_cut_inside_of_a_character_is_kept() {
    check_text(
        r#"{"hook_event_name":"UserPromptSubmit","prompt":"go \ud83d"}"#,
        Moment::PromptSubmit {
            prompt: "go \u{fffd}\u{fffd}\u{fffd}".to_owned(),
            by_person: true,
        },
    );
}

fn check_refused(stdin: &str, message: &str) {
    let error = parse(stdin.as_bytes()).unwrap_err();
    assert_eq!(format!("{error:#}"), message);
}

#[test]
fn what_is_no_event_is_an_error_that_says_so() {
    check_refused(
        "",
        "cannot read the hook's input: not valid JSON: EOF while parsing a value at line 1 column 0",
    );
    check_refused("[1]", "cannot read the hook's input: it is not an object");
    check_refused(
        "{\"a\": 1}",
        "cannot read the hook's input: it names no event",
    );
}

proptest! {
    #[test]
    fn no_input_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..64), cut in 0..1_000usize) {
        drop(parse(&bytes));
        let whole = br#"{"hook_event_name":"Stop","background_tasks":[{"id":"a1","type":"subagent","status":"running"}]}"#;
        drop(parse(&whole[..cut.min(whole.len())]));
    }
}
