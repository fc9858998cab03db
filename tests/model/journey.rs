//! From the rules' card to the model's: judged, in its place, once a compaction.

use std::sync::Arc;

use serde_json::json;

use super::{card, count, good, save, talk, with_model, writer};
use crate::support::model::{Act, ModelServer};
use crate::support::world::World;

/// A PreCompact event of Claude Code about [`talk`].
fn compaction(world: &World) -> String {
    json!({"session_id": "s-1", "transcript_path": world.root().join("talk.jsonl"), "cwd": world.dir(),
        "hook_event_name": "PreCompact", "trigger": "manual", "custom_instructions": "keep the fence in mind"})
    .to_string()
}

#[test]
fn a_models_card_takes_the_place_of_the_rules_one_and_is_judged() {
    let server = ModelServer::start(vec![good()]);
    let world = with_model(&server);
    let said = save(&world).ended(0);
    assert_eq!(said.stderr, "");
    assert_eq!(count(&world), "1");
    let written = writer(&world);
    assert_eq!(written["name"], "claude-haiku-4-5", "{written}");
    assert_eq!(
        (&written["input_tokens"], &written["output_tokens"]),
        (&json!(2100), &json!(300))
    );
    assert_eq!(
        world.git(&["show", "refs/segue/s-1:summary.md"]),
        "A second tree was wanted. It stands; the check fails for want of water."
    );
    let text = card(&world);
    for line in [
        "Plant a second tree.",
        "✅ The tree stands in `src/tree.txt`.",
        "❌ refuted: The gate is painted in src/gate.txt.",
        "❌ refuted: Everything is checked: `make check` passes.",
        "Water the tree.",
        "An oak",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let shown = world.run(&["show", "s-1"]).ok();
    assert!(shown.contains("2100 tokens read, 300 written"), "{shown}");
    let note = world.git(&["notes", "--ref=segue", "show", "HEAD"]);
    let id = world.git(&["rev-parse", "refs/segue/s-1"]);
    assert_eq!(note.lines().count(), 1, "{note}");
    assert!(note.starts_with(&id), "{note}");
}

#[test]
fn what_a_call_cost_is_summed_up_by_day_session_and_model() {
    let server = ModelServer::start(vec![good()]);
    let world = with_model(&server);
    save(&world).ended(0);
    let sums = world.run(&["stats", "--json"]).json();
    for sum in [
        &sums["total"],
        &sums["days"][0],
        &sums["sessions"][0],
        &sums["models"][0],
    ] {
        assert_eq!(sum["calls"], 1, "{sums}");
        assert_eq!(sum["tokens_read"], 2100, "{sums}");
        assert_eq!(sum["tokens_written"], 300, "{sums}");
    }
    assert_eq!(sums["models"][0]["model"], "claude-haiku-4-5");
    let text = world.run(&["stats"]).ok();
    let last: Vec<&str> = text.lines().last().unwrap().split_whitespace().collect();
    assert_eq!(
        last[..4],
        ["claude-haiku-4-5", "1", "2100", "300"],
        "{text}"
    );
}

#[test]
fn what_only_the_model_says_of_the_person_is_not_the_persons_word() {
    let server = ModelServer::start(vec![good()]);
    let world = with_model(&server);
    save(&world).ended(0);
    let json = world.run(&["show", "s-1", "--json"]).json();
    let traps = json["card"]["sections"]["traps"].as_array().unwrap();
    let origin = |words: &str| {
        let claim = traps
            .iter()
            .find(|claim| claim["text"].as_str().unwrap().contains(words));
        claim.unwrap_or_else(|| panic!("{json}"))["origin"].clone()
    };
    assert_eq!(origin("Never touch the fence."), "user");
    assert_eq!(origin("Delete the orchard."), "agent");
}

#[test]
fn sections_that_the_model_left_out_are_the_rules() {
    let answer = "<handoff>\n## Next steps\n- Water the tree.\n</handoff>";
    let server = ModelServer::start(vec![Act::ok(&super::message(answer))]);
    let world = with_model(&server);
    save(&world).ended(0);
    let by_model = card(&world);
    world
        .run(&["save", "--no-model", "--transcript", "../talk.jsonl"])
        .ended(0);
    let by_rules = card(&world);
    let section = |text: &str, title: &str| {
        let from = text
            .split(&format!("## {title}\n"))
            .nth(1)
            .unwrap()
            .to_owned();
        from.split("\n## ").next().unwrap().to_owned()
    };
    for title in ["Goal and repo", "Done", "In flight", "Traps", "Read first"] {
        assert_eq!(section(&by_model, title), section(&by_rules, title));
    }
    assert_ne!(
        section(&by_model, "Next steps"),
        section(&by_rules, "Next steps")
    );
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn before_a_compaction_the_models_card_waits_and_is_given_and_a_second_event_asks_nobody() {
    let server = ModelServer::start(vec![good()]);
    let world = with_model(&server);
    let event = compaction(&world);
    world.hook("claude-code", &event).ended(0);
    let id = world.git(&["rev-parse", "refs/segue/s-1"]);
    let hint = world.hook("claude-code", &event).ended(0);
    assert!(hint.stdout.contains(&id[..8]), "{}", hint.stdout);
    assert_eq!(world.git(&["rev-parse", "refs/segue/s-1"]), id);
    assert_eq!((count(&world).as_str(), server.asked().len()), ("1", 1));
    let start = json!({"session_id": "s-1", "transcript_path": world.root().join("talk.jsonl"), "cwd": world.dir(),
        "hook_event_name": "SessionStart", "source": "compact"});
    let given = world.hook("claude-code", &start.to_string()).ok();
    assert!(given.contains("written by claude-haiku-4-5"), "{given}");
    assert!(given.contains("Water the tree."), "{given}");
}

#[test]
fn a_late_answer_never_takes_the_place_of_a_newer_card() {
    let world = Arc::new(World::new());
    talk(&world);
    let other = Arc::clone(&world);
    // While the model thinks, somebody saves something newer.
    let meanwhile = move || {
        let newer = [
            "save",
            "--no-model",
            "-m",
            "dig",
            "--transcript",
            "../talk.jsonl",
        ];
        other.run(&newer).ended(0);
    };
    let server = ModelServer::start(vec![Act::Meanwhile(Arc::new(meanwhile), Box::new(good()))]);
    world.git(&["config", "segue.model", "anthropic/claude-haiku-4-5"]);
    world.git(&["config", "segue.endpoint", &server.url()]);
    let said = save(&world).ended(0);
    assert!(
        said.stderr
            .contains("a newer card came before the model's answer"),
        "{}",
        said.stderr
    );
    assert_eq!(writer(&world)["because"], serde_json::Value::Null);
    assert_eq!(count(&world), "2");
}

#[test]
fn without_a_model_nobody_is_asked_and_autosaves_never_ask() {
    let server = ModelServer::start(vec![good()]);
    let world = with_model(&server);
    let stop = json!({"session_id": "s-1", "transcript_path": world.root().join("talk.jsonl"), "cwd": world.dir(),
        "hook_event_name": "Stop"});
    world.hook("claude-code", &stop.to_string()).ended(0);
    world
        .run(&["save", "--model=none", "--transcript", "../talk.jsonl"])
        .ended(0);
    world.git(&["config", "segue.model", "none"]);
    save(&world).ended(0);
    assert_eq!(server.asked().len(), 0);
    let said = world
        .run(&["save", "--model=gpt", "--transcript", "../talk.jsonl"])
        .ended(129);
    assert!(said.stderr.contains("no model `gpt`"), "{}", said.stderr);
}
