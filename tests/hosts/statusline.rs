//! The status line, in real conversations.

use serde_json::{Value, json};

use super::stage::{HOSTS, SESSION, Stage};
use crate::support::world::{Ran, World};

/// The status JSON that Claude Code sends, for this conversation.
fn status(stage: &Stage, recorded: &str) -> String {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/claude-code/2.1.332/payloads"
    );
    let text = std::fs::read_to_string(format!("{folder}/StatusLine-{recorded}.json")).unwrap();
    let mut status: Value = serde_json::from_str(&text).unwrap();
    status["session_id"] = json!(stage.session);
    status["transcript_path"] = json!(stage.transcript());
    status["cwd"] = json!(stage.world.dir());
    status["workspace"]["current_dir"] = json!(stage.world.dir());
    status.to_string()
}

/// What is shown, with options; it never fails and never says anything beside.
#[track_caller]
fn shown(world: &World, options: &[&str], status: &str) -> String {
    let args = [&["statusline"], options].concat();
    let Ran { stdout, stderr, .. } = world.run_with(&args, status.as_bytes()).ended(0);
    assert_eq!(stderr, "");
    stdout
}

#[track_caller]
fn check(stage: &Stage, recorded: &str, expect: &str) {
    let line = shown(&stage.world, &[], &status(stage, recorded));
    assert_eq!(line, format!("{expect}\n"), "{recorded}");
}

/// Moves the last change of a file to a moment, in seconds since 1970 UTC.
fn touch(stage: &Stage, path: &str, at: i64) {
    let file = std::fs::File::options()
        .write(true)
        .open(stage.world.dir().join(path))
        .unwrap();
    let at = std::time::Duration::from_secs(u64::try_from(at).unwrap());
    file.set_modified(std::time::UNIX_EPOCH + at).unwrap();
}

#[test]
fn what_is_left_is_shown_as_the_host_counts_it() {
    let stage = Stage::new("claude-code");
    check(&stage, "before-first-response", "CTX▼– · no card");
    check(&stage, "after-turn", "CTX▼99% · no card");
    check(&stage, "nearly-full", "CTX▼1% · no card");
    check(&stage, "after-compact", "CTX▼– · no card");
}

#[test]
fn the_card_of_this_conversation_is_shown_with_its_age_and_freshness() {
    let mut stage = Stage::new("claude-code");
    stage
        .world
        .commit("src/parse.rs", "fn parse() {}\n", "Parse");
    let read = json!({"type": "assistant", "uuid": "a", "isSidechain": false, "message": {"role": "assistant", "id": "m",
        "content": [{"type": "tool_use", "id": "t1", "name": "Edit", "input": {
            "file_path": stage.world.dir().join("src/parse.rs"), "old_string": "{}", "new_string": "{ }"}}]}});
    stage.record(&read);
    touch(&stage, "src/parse.rs", stage.world.now());
    stage
        .event("PreCompact", json!({"trigger": "auto"}))
        .ended(0);
    stage.world.wait(240);
    check(&stage, "after-turn", "CTX▼99% · card 4m FRESH");

    touch(&stage, "src/parse.rs", stage.world.now());
    check(&stage, "after-turn", "CTX▼99% · card 4m FRESH");

    stage.world.commit("other", "x\n", "Another");
    check(&stage, "after-turn", "CTX▼99% · card 4m SLIGHTLY_STALE");

    stage.world.write("src/parse.rs", "fn parse() { todo() }\n");
    touch(&stage, "src/parse.rs", stage.world.now());
    check(&stage, "after-turn", "CTX▼99% · card 4m STALE");

    stage
        .world
        .git(&["checkout", "-q", "--orphan", "elsewhere"]);
    stage.world.git(&["commit", "-q", "-m", "Elsewhere"]);
    check(&stage, "after-turn", "CTX▼99% · card 4m VERY_STALE");

    stage.session = "another".to_owned();
    check(&stage, "after-turn", "CTX▼99% · no card");
}

#[test]
fn agents_that_run_are_counted() {
    let stage = Stage::new("claude-code");
    for (id, expect) in [("a1", "1 agent"), ("a2", "2 agents")] {
        stage.quiet("SubagentStart", json!({"agent_id": id, "agent_type": "x"}));
        check(
            &stage,
            "after-turn",
            &format!("CTX▼99% · no card · {expect}"),
        );
    }
    for id in ["a1", "a2"] {
        stage.quiet("SubagentStop", json!({"agent_id": id, "agent_type": "x"}));
    }
    check(&stage, "after-turn", "CTX▼99% · no card");
}

#[test]
fn the_windows_size_is_noted_down_for_the_hooks() {
    let stage = Stage::new("claude-code");
    stage.world.git(&["config", "segue.guardPercent", "50"]);
    let row = json!({"type": "assistant", "uuid": "a", "isSidechain": false, "message": {"role": "assistant", "id": "m",
        "model": "somebody-elses", "content": [{"type": "text", "text": "done"}],
        "usage": {"input_tokens": 600_000, "output_tokens": 0}}});
    stage.record(&row);
    let spawn =
        json!({"tool_name": "Agent", "tool_input": {"subagent_type": "x", "prompt": "count"}});
    stage.quiet("PreToolUse", spawn.clone());
    check(&stage, "after-turn", "CTX▼99% · no card");
    let refused = stage.event("PreToolUse", spawn).json();
    let decision = &refused["hookSpecificOutput"]["permissionDecision"];
    assert_eq!(decision, "deny", "{refused}");
}

#[test]
fn without_the_hosts_count_the_transcript_says_what_is_left() {
    for host in HOSTS {
        let stage = Stage::new(host);
        stage.agent("done", 765_000);
        let options = ["--host", host];
        let by_path = json!({"session_id": SESSION, "transcript_path": stage.transcript(), "cwd": stage.world.dir()});
        let line = shown(&stage.world, &options, &by_path.to_string());
        assert_eq!(line, "CTX▼23% · no card\n", "{host}");
    }
}

#[test]
fn a_command_of_the_persons_own_comes_first_and_cannot_harm_ours() {
    let stage = Stage::new("claude-code");
    let status = status(&stage, "after-turn");
    let check = |wrapped: &str, expect: &str| {
        let line = shown(&stage.world, &["--wrap", wrapped], &status);
        assert_eq!(line, expect, "{wrapped}");
    };
    check("echo theirs", "theirs · CTX▼99% · no card\n");
    check("printf 'a b\\nc\\n'", "a b · CTX▼99% · no card\nc\n");
    check("sh -c 'tr -dc m | head -c 1'", "m · CTX▼99% · no card\n");
    let line = shown(&stage.world, &["--wrap=echo theirs"], &status);
    assert_eq!(line, "theirs · CTX▼99% · no card\n");
    for broken in [
        "false",
        "no-such-program-here",
        "'open",
        "",
        "sh -c 'echo x; exit 3'",
        "sleep 60",
    ] {
        check(broken, "CTX▼99% · no card\n");
    }
}

#[test]
fn whatever_comes_in_a_line_comes_out() {
    let world = World::new();
    for input in [
        "",
        "{",
        "[]",
        "\u{0}",
        "{\"session_id\": 3, \"context_window\": 7}",
    ] {
        assert_eq!(shown(&world, &[], input), "CTX▼– · no card\n", "{input}");
    }
    let nowhere = World::bare_ground();
    assert_eq!(
        shown(&nowhere, &[], "{\"session_id\": \"s\"}"),
        "CTX▼– · no card\n"
    );
    std::fs::write(world.dir().join(".git/config"), "[broken").unwrap();
    assert_eq!(shown(&world, &["--host", "vim"], "{}"), "CTX▼– · no card\n");
}

#[test]
fn init_sets_it_where_none_is_set_and_takes_it_out_again() {
    let world = World::new();
    let path = "repo/.claude/settings.local.json";
    let init = |more: &[&str]| {
        let args = [&["init", "claude-code"], more].concat();
        world
            .run_changing(&args, b"", &["repo/.claude", path])
            .ended(0)
    };
    init(&["--statusline"]);
    let wired = world.read(".claude/settings.local.json");
    let settings: Value = serde_json::from_str(&wired).unwrap();
    let command = settings["statusLine"]["command"].as_str().unwrap();
    assert!(command.ends_with("/git-segue statusline"), "{command}");
    assert!(settings["hooks"]["PreCompact"].is_array(), "{wired}");
    init(&["--statusline"]);
    assert_eq!(world.read(".claude/settings.local.json"), wired);
    init(&["--remove"]);
    assert!(!world.dir().join(".claude/settings.local.json").exists());

    let own = "{\"statusLine\": {\"type\": \"command\", \"command\": \"my line\"}}\n";
    std::fs::create_dir(world.home().join(".claude")).unwrap();
    std::fs::write(world.home().join(".claude/settings.json"), own).unwrap();
    let said = init(&["--statusline"]).stderr;
    let how = "/git-segue statusline --wrap 'my line'\n";
    assert!(
        said.contains("stays as it is") && said.contains(how),
        "{said}"
    );
    assert!(
        !world
            .read(".claude/settings.local.json")
            .contains("statusLine")
    );

    let refused = world.run(&["init", "codex", "--statusline"]).ended(129);
    let expect = "error: cannot set a status line: Codex runs no command for it\n";
    assert_eq!(refused.stderr, expect);
}
