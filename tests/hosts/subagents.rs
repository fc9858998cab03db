//! The ledger, the hold and the guard.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use super::stage::{HOSTS, SESSION, Stage};

fn spawn_fields(host: &str) -> serde_json::Value {
    match host {
        "codex" => json!({"tool_name": "collaborationspawn_agent",
            "tool_input": {"task_name": "count", "message": "count the lines of src"}}),
        _ => {
            json!({"tool_name": "Agent", "tool_input": {"description": "Count", "subagent_type": "default",
            "prompt": "count the lines of src"}})
        }
    }
}

#[test]
fn those_that_run_stand_on_the_card_and_those_that_ended_since_are_told() {
    for host in HOSTS {
        let stage = Stage::new(host);
        stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        stage.quiet("PreToolUse", spawn_fields(host));
        stage.quiet(
            "SubagentStart",
            json!({"agent_id": "a1", "agent_type": "default"}),
        );
        stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        let card = stage
            .world
            .git(&["show", &format!("segue/{SESSION}:card.md")]);
        assert!(card.contains("count the lines of src"), "{card}");
        let text = stage.given("SessionStart", json!({"source": "compact"}));
        assert!(
            text.contains("running: default a1 · asked: count the lines of src"),
            "{text}"
        );

        stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        let end = json!({"agent_id": "a1", "agent_type": "default", "agent_transcript_path": "/tmp/a1.jsonl",
            "last_assistant_message": "42 lines"});
        stage.quiet("SubagentStop", end);
        let text = stage.given("SessionStart", json!({"source": "compact"}));
        let told = "finished while you were compacted: default a1 · asked: count the lines of src · answered: 42 lines";
        assert!(text.contains(told), "{text}");
        assert!(!text.contains("running: default a1"), "{text}");
    }
}

#[test]
fn a_compactions_own_fork_is_no_subagent() {
    let stage = Stage::new("claude-code");
    stage.quiet(
        "SubagentStop",
        json!({"agent_id": "acompact", "agent_type": "", "last_assistant_message": "<summary>"}),
    );
    stage
        .event("PreCompact", json!({"trigger": "auto"}))
        .ended(0);
    let card = stage
        .world
        .git(&["show", &format!("segue/{SESSION}:card.json")]);
    assert!(!card.contains("acompact"), "{card}");
}

#[test]
fn an_automatic_compaction_is_put_off_until_the_last_subagent_ends() {
    for host in HOSTS {
        let stage = Stage::new(host);
        stage.world.git(&["config", "segue.holdMinutes", "2"]);
        stage.quiet(
            "SubagentStart",
            json!({"agent_id": "a1", "agent_type": "default"}),
        );
        let payload = json!({"session_id": SESSION, "transcript_path": stage.transcript(), "cwd": stage.world.dir(),
            "hook_event_name": "PreCompact", "trigger": "auto"});
        let mut command = stage.world.segue(&["hook", host]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(
            &mut child.stdin.take().unwrap(),
            payload.to_string().as_bytes(),
        )
        .unwrap();
        // The card is there before the wait.
        let deadline = Instant::now() + Duration::from_secs(60);
        while stage.cards(SESSION) == 0 {
            assert!(Instant::now() < deadline, "no card");
            std::thread::yield_now();
        }
        assert!(child.try_wait().unwrap().is_none(), "it waits");
        let end = json!({"agent_id": "a1", "agent_type": "default", "last_assistant_message": "all counted"});
        stage.quiet("SubagentStop", end);
        assert!(child.wait().unwrap().success());
        // The card was written once more: it knows the end, which the conversation has not heard.
        let card = stage
            .world
            .git(&["show", &format!("segue/{SESSION}:card.md")]);
        assert!(card.contains("- 🏁 default a1 → all counted"), "{card}");
        let text = stage.given("SessionStart", json!({"source": "compact"}));
        let told = "finished, not heard yet: default a1 · answered: all counted";
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn a_manual_compaction_is_never_put_off() {
    for host in HOSTS {
        let stage = Stage::new(host);
        stage.world.git(&["config", "segue.holdMinutes", "600"]);
        stage.quiet(
            "SubagentStart",
            json!({"agent_id": "a1", "agent_type": "default"}),
        );
        stage
            .event("PreCompact", json!({"trigger": "manual"}))
            .ended(0);
        assert_eq!(stage.cards(SESSION), 1);
    }
}

#[test]
fn no_subagent_starts_in_a_full_window() {
    for host in HOSTS {
        let stage = Stage::new(host);
        stage.agent("nearly full", 950_000);
        stage.quiet("PreToolUse", spawn_fields(host));
        stage.agent("full", 960_000);
        let ran = stage.event("PreToolUse", spawn_fields(host)).ended(0);
        assert!(
            ran.stdout.contains("deny") && ran.stdout.contains("/compact first"),
            "{}",
            ran.stdout
        );
        stage.world.git(&["config", "segue.guardPercent", "0"]);
        stage.quiet("PreToolUse", spawn_fields(host));
    }
}
