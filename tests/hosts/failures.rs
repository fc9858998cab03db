//! Whatever goes wrong, the host goes on.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::stage::{HOSTS, SESSION, Stage};

#[test]
fn no_input_blocks_the_host() {
    for host in HOSTS {
        let stage = Stage::new(host);
        for input in [
            &b""[..],
            b"{",
            b"[]",
            b"null",
            b"\xff\xfe{}",
            b"{\"hook_event_name\":7}",
            b"{}",
            &[b'['; 100_000],
        ] {
            let ran = stage.world.run_with(&["hook", host], input);
            assert!(matches!(ran.code, Some(0 | 1)), "{host} {input:?}: {ran:?}");
            assert!(!ran.stdout.contains("additionalContext"), "{ran:?}");
            assert!(ran.stderr.lines().count() <= 1, "{ran:?}");
        }
        for name in ["Notification", "SomethingNew"] {
            stage.quiet(name, json!({"unknown": {"fields": [1, 2]}}));
        }
        let ran = stage.world.run_with(&["hook", "no-such-host"], b"{}");
        assert_eq!(ran.code, Some(1));
    }
}

#[test]
fn a_missing_or_half_written_transcript_costs_its_words_not_the_card() {
    for host in HOSTS {
        let stage = Stage::new(host);
        let text = std::fs::read(stage.transcript()).unwrap();
        std::fs::write(stage.transcript(), &text[..text.len() / 2]).unwrap();
        stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        assert_eq!(stage.cards(SESSION), 1);
        std::fs::remove_file(stage.transcript()).unwrap();
        stage.world.write("new.txt", "new\n");
        stage
            .event(
                "PreCompact",
                json!({"trigger": "auto", "transcript_path": null}),
            )
            .ended(0);
        assert_eq!(stage.cards(SESSION), 2);
        std::fs::write(stage.transcript(), vec![0u8; 100_000]).unwrap();
        stage.world.write("newer.txt", "newer\n");
        stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        assert_eq!(stage.cards(SESSION), 3);
    }
}

#[test]
fn a_repository_that_cannot_be_written_is_told_in_one_line() {
    for host in HOSTS {
        let stage = Stage::new(host);
        // Root may write anywhere, so the way is barred by a file where a folder has to be.
        let segue = stage.world.dir().join(".git/refs/segue");
        std::fs::write(&segue, "").unwrap();
        let ran = stage.event("PreCompact", json!({"trigger": "auto"}));
        assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
        assert!(ran.stdout.is_empty(), "{ran:?}");
        let log = stage.world.read(".git/segue/segue.log");
        let line = log.lines().last().unwrap();
        assert!(line.contains("PreCompact trouble"), "{line}");
        std::fs::remove_file(&segue).unwrap();
        stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        assert_eq!(stage.cards(SESSION), 1);
    }
}

#[test]
fn disabled_is_quiet() {
    for host in HOSTS {
        let mut stage = Stage::new(host);
        stage.world.set_env("GIT_SEGUE_DISABLE", "1");
        stage.quiet("PreCompact", json!({"trigger": "auto"}));
        assert_eq!(stage.cards(SESSION), 0);
    }
}

#[test]
fn a_file_of_our_state_that_cannot_be_read_is_as_good_as_lost() {
    let stage = Stage::new("claude-code");
    stage
        .event("PreCompact", json!({"trigger": "auto"}))
        .ended(0);
    let sessions = stage.world.dir().join(".git/segue/sessions");
    for entry in std::fs::read_dir(&sessions).unwrap() {
        let path = entry.unwrap().path();
        std::fs::write(&path, "{\"waiting\":").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    }
    let text = stage.given("SessionStart", json!({"source": "compact"}));
    assert!(text.starts_with("[segue] Handoff card "), "{text}");
}

#[test]
fn a_card_is_given_though_nothing_can_be_noted_down() {
    for host in HOSTS {
        let stage = Stage::new(host);
        // Root may write anywhere, so the way is barred by a file where a folder has to be.
        stage.world.write(".git/segue", "");
        let ran = stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        assert_eq!(ran.stderr, "", "the card stands");
        assert_eq!(stage.cards(SESSION), 1);
        for (name, fields) in [
            ("SessionStart", json!({"source": "compact"})),
            ("SessionStart", json!({"source": "resume"})),
        ] {
            let answer = stage.event(name, fields).ended(0).json();
            let text = answer["hookSpecificOutput"]["additionalContext"].as_str();
            let text = text.unwrap_or_default();
            assert!(text.starts_with("[segue] Handoff card "), "{answer}");
            let line = answer["systemMessage"].as_str().unwrap_or_default();
            assert!(line.contains("not noted down as given"), "{answer}");
            assert_eq!(line.lines().count(), 1);
        }
        stage.quiet("UserPromptSubmit", json!({"prompt": "go on"}));
        stage.agent("On it", 10);
        stage.event("Stop", json!({})).ended(0);
    }
}

#[test]
fn a_receipt_that_cannot_be_replaced_gives_no_card_twice() {
    let stage = Stage::new("claude-code");
    stage
        .event("PreCompact", json!({"trigger": "auto"}))
        .ended(0);
    // A full disk: what was noted down stands, and nothing more can be.
    let segue = stage.world.dir().join(".git/segue");
    let sessions = segue.join("sessions");
    for entry in std::fs::read_dir(&sessions).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "lock") {
            std::fs::remove_file(&path).unwrap();
            std::fs::create_dir(&path).unwrap();
        }
    }
    let text = stage.given("SessionStart", json!({"source": "compact"}));
    stage.record(&json!({"type": "attachment", "uuid": "h", "isSidechain": false,
        "sessionId": stage.session, "attachment": {"type": "hook_additional_context", "content": [text]}}));
    stage.quiet("UserPromptSubmit", json!({"prompt": "go on"}));
}
