//! Whose card is it after `/clear`?

use serde_json::json;

use super::stage::{HOSTS, SESSION, Stage};

const NEXT: &str = "22222222-2222-4222-8222-222222222222";

/// The same seat for both hosts: no host process stands above a test, so the pane counts.
fn at_pane(host: &'static str, pane: &str) -> Stage {
    let mut stage = Stage::new(host);
    stage.world.set_env("TMUX_PANE", pane);
    stage
}

#[test]
fn a_cleared_conversation_goes_on_from_the_one_that_sat_there() {
    for host in HOSTS {
        let mut stage = at_pane(host, "%1");
        stage.quiet("Stop", json!({}));
        stage.quiet("SessionEnd", json!({"reason": "clear"}));
        let old = stage
            .world
            .git(&["rev-parse", &format!("refs/segue/{SESSION}")]);

        stage.session = NEXT.to_owned();
        let text = stage.given("SessionStart", json!({"source": "clear"}));
        assert!(
            text.starts_with("[segue] Handoff card ") && text.contains("of session 0190a000"),
            "{text}"
        );
        stage.quiet("SessionStart", json!({"source": "clear"}));

        stage.person("Now the tests");
        stage.world.wait(1);
        stage.quiet("Stop", json!({}));
        stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        let parents = stage
            .world
            .git(&["log", "-1", "--format=%P", &format!("refs/segue/{NEXT}")]);
        assert_eq!(parents, old, "the chain goes on from the old one");
        assert_eq!(
            stage
                .trailer(NEXT, "Segue-Continues")
                .split_whitespace()
                .next(),
            Some(SESSION)
        );

        stage.person("And the docs");
        stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        let parents = stage
            .world
            .git(&["log", "-1", "--format=%P", &format!("refs/segue/{NEXT}")]);
        assert_eq!(
            parents.split_whitespace().count(),
            1,
            "linked once: {parents}"
        );
    }
}

#[test]
fn each_of_two_panes_gets_its_own() {
    for host in HOSTS {
        let mut stage = at_pane(host, "%1");
        stage.quiet("Stop", json!({}));
        stage.world.set_env("TMUX_PANE", "%2");
        stage.session = NEXT.to_owned();
        stage.person("Another thing altogether");
        stage.quiet("Stop", json!({}));

        stage.session = "33333333-3333-4333-8333-333333333333".to_owned();
        let text = stage.given("SessionStart", json!({"source": "clear"}));
        assert!(
            text.contains("of session 22222222") && text.contains("Another thing altogether"),
            "{text}"
        );
        stage.world.set_env("TMUX_PANE", "%1");
        stage.session = "44444444-4444-4444-8444-444444444444".to_owned();
        let text = stage.given("SessionStart", json!({"source": "clear"}));
        assert!(text.contains("of session 0190a000"), "{text}");
    }
}

#[test]
fn nobodys_seat_gets_an_offer_and_no_card() {
    for host in HOSTS {
        let mut stage = Stage::new(host);
        stage.world.unset_env("TMUX_PANE");
        stage.quiet("Stop", json!({}));
        stage.session = NEXT.to_owned();
        let line = stage.given("SessionStart", json!({"source": "clear"}));
        assert!(
            line.starts_with("[segue] session 22222222 · newest card here: "),
            "{line}"
        );
        assert_eq!(line.lines().count(), 1);
    }
}

#[test]
fn the_process_that_the_host_names_counts_before_the_pane() {
    let mut stage = at_pane("claude-code", "%1");
    let own = std::process::id().to_string();
    stage.world.set_env("CLAUDE_PID", &own);
    stage.quiet("Stop", json!({}));
    // Another process in the same pane is somebody else: process 1 is there as long as the machine.
    stage.world.set_env("CLAUDE_PID", "1");
    stage.session = NEXT.to_owned();
    let line = stage.given("SessionStart", json!({"source": "clear"}));
    assert!(
        line.starts_with("[segue] session 22222222 · newest card here"),
        "{line}"
    );
    stage.world.set_env("CLAUDE_PID", &own);
    stage.session = "33333333-3333-4333-8333-333333333333".to_owned();
    let text = stage.given("SessionStart", json!({"source": "clear"}));
    assert!(text.contains("of session 0190a000"), "{text}");
}

#[test]
fn a_text_that_was_lost_after_a_clear_is_given_again_from_the_other_chain() {
    let mut stage = at_pane("claude-code", "%1");
    stage.quiet("Stop", json!({}));
    stage.session = NEXT.to_owned();
    stage.given("SessionStart", json!({"source": "clear"}));
    stage.person("Go on");
    stage.agent("I go on without it", 10);
    let text = stage.given("UserPromptSubmit", json!({"prompt": "what?"}));
    assert!(text.contains("of session 0190a000"), "{text}");
}

/// What a `/clear` leaves in the new conversation's transcript before anybody says anything.
fn cleared(stage: &Stage) {
    stage.record(
        &json!({"type": "user", "uuid": "c", "isSidechain": false, "isMeta": true,
        "sessionId": stage.session, "cwd": stage.world.dir(),
        "message": {"role": "user", "content": "<command-name>/clear</command-name>"}}),
    );
}

#[test]
fn a_conversation_in_which_nothing_was_said_leaves_no_card_and_passes_on_its_own() {
    for host in HOSTS {
        for with_transcript in [true, false] {
            let mut stage = at_pane(host, "%1");
            stage.quiet("SessionEnd", json!({"reason": "clear"}));
            for n in 2..5 {
                stage.session = format!("{n}2222222-2222-4222-8222-222222222222");
                let text = stage.given("SessionStart", json!({"source": "clear"}));
                assert!(
                    text.contains("of session 0190a000") && text.contains("accept empty lines"),
                    "{host} {n}: {text}"
                );
                if with_transcript && host == "claude-code" {
                    cleared(&stage);
                } else if with_transcript {
                    std::fs::write(stage.transcript(), "").unwrap();
                }
                stage.quiet("SessionEnd", json!({"reason": "clear"}));
                assert_eq!(stage.cards(&stage.session), 0);
            }
        }
    }
}

#[test]
fn a_short_continuation_gives_on_what_it_was_given() {
    for host in HOSTS {
        let mut stage = at_pane(host, "%1");
        stage.person("Never touch the file golden.txt");
        stage.agent("Next I will write the test for the second line.", 10);
        stage.quiet("SessionEnd", json!({"reason": "clear"}));
        for n in 2..5 {
            stage.session = format!("{n}2222222-2222-4222-8222-222222222222");
            stage.given("SessionStart", json!({"source": "clear"}));
            stage.world.wait(5);
            stage.person("go on");
            stage.agent("I am at it.", 10);
            stage.quiet("Stop", json!({}));
            stage.quiet("SessionEnd", json!({"reason": "clear"}));
        }
        stage.session = NEXT.to_owned();
        let text = stage.given("SessionStart", json!({"source": "clear"}));
        for words in [
            "of session 42222222",
            "accept empty lines",
            "Never touch the file golden.txt",
            "write the test for the second line",
        ] {
            assert!(text.contains(words), "{host}: no {words:?} in {text}");
        }
        assert!(!text.contains("\"go on\""), "{text}");
        stage.world.wait(5);
        stage.person("Now describe the parser in the README");
        stage.agent("It is written.", 10);
        stage.quiet("SessionEnd", json!({"reason": "clear"}));
        stage.session = "52222222-2222-4222-8222-222222222222".to_owned();
        let text = stage.given("SessionStart", json!({"source": "clear"}));
        for words in [
            "Now describe the parser",
            "before this conversation: ",
            "Never touch the file golden.txt",
        ] {
            assert!(text.contains(words), "{host}: no {words:?} in {text}");
        }
    }
}
