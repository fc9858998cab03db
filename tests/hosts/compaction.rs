//! A compaction leaves one card, and the next window gets it once.

use serde_json::json;

use super::stage::{HOSTS, SESSION, Stage};

#[test]
fn a_compaction_leaves_one_card_and_the_next_window_gets_it_once() {
    for host in HOSTS {
        let stage = Stage::new(host);
        let ran = stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        let hint = if host == "codex" { "" } else { "handoff card " };
        assert!(
            ran.stdout.starts_with(hint) && (host != "codex" || ran.stdout.is_empty()),
            "{}",
            ran.stdout
        );
        // The host tells it twice, as hosts do where a plugin and the settings both wire us.
        stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        assert_eq!(stage.cards(SESSION), 1);
        assert_eq!(stage.trailer(SESSION, "Segue-Trigger"), "compact-auto");
        assert_eq!(stage.trailer(SESSION, "Segue-Host"), host);

        let text = stage.given("SessionStart", json!({"source": "compact"}));
        let card = stage
            .world
            .git(&["rev-parse", &format!("refs/segue/{SESSION}")]);
        assert!(
            text.starts_with(&format!(
                "[segue] Handoff card {} of session 0190a000",
                &card[..8]
            )),
            "{text}"
        );
        assert!(text.contains("Freshness: FRESH (go on)"), "{text}");
        assert!(
            text.contains("Make the parser accept empty lines in src/parse.rs"),
            "{text}"
        );
        stage.quiet("SessionStart", json!({"source": "compact"}));
        stage.quiet("UserPromptSubmit", json!({"prompt": "go on"}));

        // The next compaction gives again, the same card where nothing changed.
        stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        assert_eq!(stage.cards(SESSION), 1);
        let again = stage.given("SessionStart", json!({"source": "compact"}));
        assert_eq!(again.split(',').next(), text.split(',').next());
    }
}

#[test]
fn what_moved_since_is_told_path_by_path() {
    let stage = Stage::new("claude-code");
    stage
        .world
        .commit("src/parse.rs", "fn parse() {}\n", "Parse");
    stage.record(&json!({"type": "assistant", "message": {"role": "assistant", "id": "m2", "model": "x", "content": [
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": stage.world.dir().join("src/parse.rs")}}]}}));
    stage
        .event("PreCompact", json!({"trigger": "auto"}))
        .ended(0);
    stage
        .world
        .write("src/parse.rs", "fn parse() { todo!() }\n");
    let text = stage.given("SessionStart", json!({"source": "compact"}));
    assert!(
        text.contains("Freshness: STALE (check each claim)"),
        "{text}"
    );
    assert!(
        text.contains("- `src/parse.rs` changed (named on the card)"),
        "{text}"
    );
}

#[test]
fn the_persons_words_behind_compact_stand_on_the_card() {
    let stage = Stage::new("claude-code");
    let fields = json!({"trigger": "manual", "custom_instructions": "keep the list of open bugs"});
    stage.event("PreCompact", fields).ended(0);
    assert_eq!(stage.trailer(SESSION, "Segue-Trigger"), "compact-manual");
    let card = stage
        .world
        .git(&["show", &format!("segue/{SESSION}:card.md")]);
    assert!(card.contains("keep the list of open bugs"), "{card}");
    let text = stage.given("SessionStart", json!({"source": "compact"}));
    assert!(text.contains("keep the list of open bugs"), "{text}");
}

#[test]
fn without_a_pre_compact_the_card_is_written_there_and_then() {
    for host in HOSTS {
        let stage = Stage::new(host);
        stage.world.wait(5);
        let text = stage.given("SessionStart", json!({"source": "compact"}));
        assert!(
            text.contains("Make the parser accept empty lines"),
            "{text}"
        );
        assert_eq!(stage.cards(SESSION), 1);
        stage.quiet("SessionStart", json!({"source": "compact"}));
        assert_eq!(stage.cards(SESSION), 1);
    }
}

#[test]
fn a_card_whose_session_start_never_came_is_given_at_the_next_prompt_once() {
    for host in HOSTS {
        let stage = Stage::new(host);
        stage
            .event("PreCompact", json!({"trigger": "manual"}))
            .ended(0);
        let text = stage.given("UserPromptSubmit", json!({"prompt": "go on"}));
        assert!(text.starts_with("[segue] Handoff card "), "{text}");
        stage.quiet("UserPromptSubmit", json!({"prompt": "and on"}));
    }
}

#[test]
fn a_text_that_never_arrived_is_given_a_second_time_and_no_third() {
    for host in HOSTS {
        let stage = Stage::new(host);
        stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        stage.given("SessionStart", json!({"source": "compact"}));
        stage.quiet(
            "UserPromptSubmit",
            json!({"prompt": "the host has not gone on yet"}),
        );
        stage.agent("I go on without it", 10);
        stage.given("UserPromptSubmit", json!({"prompt": "what?"}));
        stage.agent("still without it", 10);
        stage.quiet("UserPromptSubmit", json!({"prompt": "never mind"}));
    }
}

#[test]
fn a_resumed_session_gets_its_own_card_unless_it_stands_in_the_conversation() {
    let stage = Stage::new("claude-code");
    stage
        .event("PreCompact", json!({"trigger": "auto"}))
        .ended(0);
    let text = stage.given("SessionStart", json!({"source": "compact"}));
    stage.given("SessionStart", json!({"source": "resume"}));
    stage.record(&json!({"type": "attachment", "attachment": {"type": "hook_additional_context", "content": [text]}}));
    stage.world.wait(60);
    stage.quiet("SessionStart", json!({"source": "resume"}));
}

#[test]
fn a_subagents_compaction_is_none_of_the_conversations() {
    for host in HOSTS {
        let stage = Stage::new(host);
        let inside = json!({"trigger": "auto", "agent_id": "a1", "agent_type": "general-purpose"});
        stage.quiet("PreCompact", inside);
        stage.quiet(
            "SessionStart",
            json!({"source": "compact", "agent_id": "a1", "agent_type": "x"}),
        );
        assert_eq!(stage.cards(SESSION), 0);
    }
}

#[test]
fn outside_of_a_repository_the_persons_own_store_serves() {
    let mut stage = Stage::new("claude-code");
    let elsewhere = stage.world.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    stage.world.cd(&elsewhere);
    stage.quiet("SessionStart", json!({"source": "startup"}));
    let store = stage.world.home().join(".local/state/segue/store.git");
    assert!(!store.exists(), "reading makes nothing");
    stage
        .event("PreCompact", json!({"trigger": "auto"}))
        .ended(0);
    let text = stage.given("SessionStart", json!({"source": "compact"}));
    assert!(
        text.contains("Make the parser accept empty lines"),
        "{text}"
    );
    let refs = stage.world.git(&[
        "--git-dir",
        store.to_str().unwrap(),
        "for-each-ref",
        "--format=%(refname)",
    ]);
    assert_eq!(refs.trim(), format!("refs/segue/{SESSION}"));
}

#[test]
fn what_was_handed_over_by_hand_outlives_the_compaction_behind_it() {
    for host in HOSTS {
        let stage = Stage::new(host);
        stage.agent("I write the handoff now.", 10);
        let card = "## Goal and repo\n- blank lines in the parser\n## Done\n- none\n## In flight\n- none\n\
                    ## Next steps\n1. ask Ada for the grammar\n## Only the user\n- none\n## Read first\n- README.md\n\
                    ## Traps\n- user: \"never touch the lexer\"\n";
        let save = ["save", "--session", SESSION, "--from", "-"];
        stage.world.run_with(&save, card.as_bytes()).ended(0);
        stage.event("Stop", json!({})).ended(0);
        for _ in 0..2 {
            stage
                .event("PreCompact", json!({"trigger": "manual"}))
                .ended(0);
        }
        // The autosave is replaced, and the second event says nothing new.
        assert_eq!(stage.cards(SESSION), 2, "{host}");
        assert_eq!(stage.trailer(SESSION, "Segue-Writer"), "rules");
        let text = stage.given("SessionStart", json!({"source": "compact"}));
        for part in [
            "1. agent: ask Ada for the grammar",
            "user: \"never touch the lexer\"",
            "\"Make the parser accept empty lines in src/parse.rs\"",
        ] {
            assert!(text.contains(part), "{host}: {part}\n{text}");
        }
    }
}

#[test]
fn a_card_of_a_conversation_without_an_id_is_kept_and_never_given_by_itself() {
    for host in HOSTS {
        let stage = Stage::new(host);
        stage
            .event("PreCompact", json!({"trigger": "auto", "session_id": null}))
            .ended(0);
        assert_eq!(stage.cards("_unknown"), 1);
        stage.quiet(
            "SessionStart",
            json!({"source": "compact", "session_id": null}),
        );
        stage.quiet(
            "UserPromptSubmit",
            json!({"prompt": "go on", "session_id": null}),
        );
        let list = stage.world.run(&["list"]).ok();
        assert!(list.starts_with("_unknown"), "{list}");
    }
}

#[test]
fn a_conversation_has_one_place_wherever_the_agent_goes() {
    for host in HOSTS {
        let mut stage = Stage::new(host);
        let dir = stage.world.dir().to_owned();
        stage.world.git(&["init", "-q", "nested"]);
        if host == "claude-code" {
            stage
                .world
                .set_env("CLAUDE_PROJECT_DIR", dir.to_str().unwrap());
        } else {
            stage.quiet("Stop", json!({}));
        }
        let gone = dir.join("gone/deep");
        for cwd in [dir.join("nested"), gone] {
            stage.person("And now something else");
            stage.world.wait(1000);
            let before = stage.cards(SESSION);
            let fields = json!({"trigger": "auto", "cwd": cwd});
            stage.event("PreCompact", fields).ended(0);
            assert!(stage.cards(SESSION) >= before.max(1), "{host} {cwd:?}");
            let there = ["-C", "nested", "for-each-ref", "refs/segue"];
            assert_eq!(stage.world.git(&there), "", "{host}");
            let card = format!("refs/segue/{SESSION}:census.json");
            let census = stage.world.git(&["show", &card]);
            let census: serde_json::Value = serde_json::from_str(&census).unwrap();
            assert_eq!(census["root"], dir.to_str().unwrap(), "{host}");
            let text = stage.given("SessionStart", json!({"source": "compact", "cwd": cwd}));
            assert!(text.contains("something else"), "{text}");
        }
    }
}
