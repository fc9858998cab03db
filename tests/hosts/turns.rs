//! Turns, prompts, the ends of sessions, and the line at the beginning of a new one.

use serde_json::json;

use super::stage::{HOSTS, SESSION, Stage};

#[test]
fn turns_leave_one_autosave_which_a_real_card_replaces() {
    for host in HOSTS {
        let stage = Stage::new(host);
        stage.quiet("Stop", json!({}));
        assert_eq!(stage.trailer(SESSION, "Segue-Kind"), "autosave");
        let first = stage
            .world
            .git(&["rev-parse", &format!("refs/segue/{SESSION}")]);

        stage.person("And comments too");
        stage.quiet("Stop", json!({}));
        assert_eq!(
            stage
                .world
                .git(&["rev-parse", &format!("refs/segue/{SESSION}")]),
            first,
            "within two minutes"
        );

        stage.world.wait(120);
        stage.quiet("Stop", json!({}));
        assert_ne!(
            stage
                .world
                .git(&["rev-parse", &format!("refs/segue/{SESSION}")]),
            first
        );
        assert_eq!(
            stage.cards(SESSION),
            1,
            "it took the place of the one before"
        );

        stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        assert_eq!(stage.cards(SESSION), 1);
        assert_eq!(stage.trailer(SESSION, "Segue-Kind"), "card");

        stage.world.wait(120);
        let card = stage
            .world
            .git(&["rev-parse", &format!("refs/segue/{SESSION}")]);
        stage.quiet("Stop", json!({}));
        assert_eq!(
            stage
                .world
                .git(&["rev-parse", &format!("refs/segue/{SESSION}")]),
            card,
            "nothing changed"
        );
    }
}

#[test]
fn every_turn_is_saved_where_the_interval_is_zero() {
    let stage = Stage::new("claude-code");
    stage.world.git(&["config", "segue.saveInterval", "0"]);
    stage.quiet("Stop", json!({}));
    let first = stage
        .world
        .git(&["rev-parse", &format!("refs/segue/{SESSION}")]);
    stage.person("And comments too");
    stage.quiet("Stop", json!({}));
    assert_ne!(
        stage
            .world
            .git(&["rev-parse", &format!("refs/segue/{SESSION}")]),
        first
    );
}

#[test]
fn a_window_that_is_nearly_full_is_told_once_and_saved_past_the_throttle() {
    for host in HOSTS {
        let stage = Stage::new(host);
        stage.agent("working", 899_000);
        stage.quiet("Stop", json!({}));
        stage.quiet("UserPromptSubmit", json!({"prompt": "more"}));
        stage.person("And comments too");
        stage.agent("working", 910_000);
        let text = stage.given("UserPromptSubmit", json!({"prompt": "more"}));
        assert!(
            text.starts_with("[segue] The context window is 91 % full."),
            "{text}"
        );
        assert_eq!(stage.trailer(SESSION, "Segue-Trigger"), "prompt");
        stage.quiet("UserPromptSubmit", json!({"prompt": "more"}));

        // A new window is told anew.
        stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        stage.given("SessionStart", json!({"source": "compact"}));
        stage.agent("[segue] Handoff card", 10);
        stage.agent("working", 950_000);
        stage.given("UserPromptSubmit", json!({"prompt": "more"}));
    }
}

#[test]
fn a_sessions_end_is_saved_unless_there_never_was_one() {
    for host in HOSTS {
        let mut stage = Stage::new(host);
        stage.quiet("SessionEnd", json!({"reason": "other"}));
        assert_eq!(stage.trailer(SESSION, "Segue-Trigger"), "end");
        stage.session = "00000000-ffff-4000-8000-000000000000".to_owned();
        stage.quiet("SessionEnd", json!({"reason": "other"}));
        assert_eq!(stage.cards(&stage.session), 0, "no transcript, no session");
    }
}

#[test]
fn a_new_conversation_gets_one_line_that_names_the_newest_card_here() {
    for host in HOSTS {
        let mut stage = Stage::new(host);
        stage.quiet("SessionStart", json!({"source": "startup"}));
        stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        stage.world.wait(3 * 3600 - 3);
        stage.session = "11111111-2222-4333-8444-555555555555".to_owned();
        let line = stage.given("SessionStart", json!({"source": "startup"}));
        let goal = stage
            .world
            .git(&["log", "-1", "--format=%s", &format!("refs/segue/{SESSION}")]);
        let card = stage
            .world
            .git(&["rev-parse", &format!("refs/segue/{SESSION}")]);
        let card = &card[..8];
        let begin =
            format!("[segue] session 11111111 · newest card here: {card}, 3 h old, FRESH, \"");
        assert!(line.starts_with(&begin), "{line}");
        let end = format!("\" · take it up: git segue resume {card}");
        assert!(line.ends_with(&end), "{line}");
        assert!(
            line.contains(goal.trim().split('…').next().unwrap()),
            "{line} / {goal}"
        );
        assert_eq!(stage.cards(&stage.session), 0);
    }
}
