//! The two steps of Claude Code's function hook: what a model is asked, and what becomes of its answer.

use serde_json::{Value, json};

use super::stage::{SESSION, Stage};

/// What the model answers.
const ANSWER: &str = "<summary>\nThe parser was begun.\nNothing is tested.\n</summary>\n<handoff>\n## Goal and repo\n\
- user: \"Make the parser accept empty lines in src/parse.rs\"\n## Done\n- ✅ The lexer is done in src/lex.rs.\n\
## Next steps\n- Parse empty lines.\n</handoff>";

/// A conversation that is answered once, and so is worth a compaction.
fn stage() -> Stage {
    let stage = Stage::new("claude-code");
    stage.agent("I will look.", 1_000);
    stage
}

fn step(stage: &Stage, step: &str, fields: Value) -> Value {
    let mut all = json!({"step": step, "trigger": "auto", "agents": []});
    let more = fields.as_object().unwrap().clone();
    all.as_object_mut().unwrap().extend(more);
    stage.event("session.compact", all).json()
}

/// The first step; gives the card that stands meanwhile.
fn asked(stage: &Stage) -> String {
    let told = step(stage, "prompt", json!({}));
    assert_eq!(told["next"], "ask", "{told}");
    told["card"].as_str().unwrap().to_owned()
}

fn answer(card: &str) -> Value {
    json!({"card": card, "model": "haiku", "text": ANSWER, "input_tokens": 2100, "output_tokens": 300, "milliseconds": 4200})
}

fn tip(stage: &Stage) -> String {
    let name = format!("refs/segue/{SESSION}");
    stage.world.git(&["rev-parse", &name])
}

fn card_md(stage: &Stage) -> String {
    stage
        .world
        .git(&["show", &format!("segue/{SESSION}:card.md")])
}

#[test]
fn the_card_by_rules_stands_before_anybody_is_asked() {
    let stage = stage();
    let told = step(
        &stage,
        "prompt",
        json!({"trigger": "manual", "custom_instructions": "keep the lexer in mind"}),
    );
    assert_eq!(told["card"], tip(&stage).as_str());
    assert_eq!(stage.trailer(SESSION, "Segue-Trigger"), "compact-manual");
    assert_eq!(stage.trailer(SESSION, "Segue-Writer"), "rules");
    let text = |key: &str| told[key].as_str().unwrap().to_owned();
    assert!(text("system").contains("## Next steps"), "{told}");
    for data in [
        "Make the parser accept empty lines in src/parse.rs",
        "keep the lexer in mind",
    ] {
        assert!(text("prompt").contains(data), "{told}");
    }
    assert_eq!(
        (&told["max_tokens"], &told["timeout_ms"]),
        (&16_000.into(), &60_000.into())
    );
}

#[test]
fn the_models_card_takes_its_place_and_its_text_that_of_the_conversation() {
    let stage = stage();
    let card = asked(&stage);
    let told = step(&stage, "answer", answer(&card));
    let new = tip(&stage);
    assert_ne!(new, card);
    assert_eq!(stage.cards(SESSION), 1, "one card a compaction");
    assert_eq!(told["next"], "replace", "{told}");
    assert_eq!(told["toast"], format!("handoff card: {}", &new[..8]));
    assert_eq!(stage.trailer(SESSION, "Segue-Writer"), "haiku");
    let shown = stage.world.run(&["show", SESSION]).ok();
    assert!(
        shown.contains("2100 tokens read, 300 written, 4.2 s"),
        "{shown}"
    );
    assert!(
        stage.world.run(&["stats"]).ok().contains("haiku"),
        "what the call cost is summed up"
    );
    assert!(
        card_md(&stage).contains("❌ refuted: The lexer is done in src/lex.rs."),
        "{}",
        card_md(&stage)
    );
    let text = told["text"].as_str().unwrap();
    assert!(
        text.starts_with(&format!(
            "[segue] Handoff card {} of session 0190a000 ",
            &new[..8]
        )),
        "{text}"
    );
    for line in [
        format!("continue from card {}.", &new[..8]),
        "The parser was begun. Nothing is tested.".to_owned(),
        "1. agent: Parse empty lines.".to_owned(),
        format!("whole conversation: `{}`", stage.transcript().display()),
    ] {
        assert!(text.contains(&line), "{line}\n{text}");
    }
    assert!(!text.contains("still running"), "{text}");
}

#[test]
fn the_text_carries_the_card_so_nobody_gives_it_again() {
    let stage = stage();
    let card = asked(&stage);
    let told = step(&stage, "answer", answer(&card));
    stage.quiet(
        "PostCompact",
        json!({"trigger": "auto", "compact_summary": ""}),
    );
    stage.quiet("SessionStart", json!({"source": "compact"}));
    stage.record(&json!({"type": "system", "subtype": "compact_boundary"}));
    stage.record(&json!({"type": "user", "rowSource": "hook",
        "message": {"role": "user", "content": told["text"]}}));
    stage.agent("I go on.", 2_000);
    stage.quiet("UserPromptSubmit", json!({"prompt": "go on"}));
    stage.quiet("Stop", json!({}));
    // What we said is no word of the person's on the next card.
    stage.world.wait(300);
    stage
        .event("PreCompact", json!({"trigger": "auto"}))
        .ended(0);
    let next = card_md(&stage);
    assert!(
        !next.contains("[segue]") && !next.contains("this text stands"),
        "{next}"
    );
    assert_eq!(stage.trailer(SESSION, "Segue-Writer"), "rules");
}

#[test]
fn a_text_that_never_came_is_given_by_the_next_prompt() {
    let stage = stage();
    let card = asked(&stage);
    step(&stage, "answer", answer(&card));
    stage.agent("I go on without it.", 2_000);
    let text = stage.given("UserPromptSubmit", json!({"prompt": "go on"}));
    assert!(text.contains(&tip(&stage)[..8]), "{text}");
}

#[test]
fn in_a_turn_its_prompt_stands_in_the_text_to_the_letter() {
    let long = format!(
        "Now do this:\n{}\nthe key is hunter2hunter2",
        "- a step\n".repeat(300)
    );
    for (in_turn, words, told) in [
        (true, &*long, true),
        (false, &*long, false),
        (true, "Go on.", false),
    ] {
        let stage = stage();
        stage
            .world
            .git(&["config", "segue.redact", "hunter2hunter2"]);
        stage.person(words);
        let mut fields = answer(&asked(&stage));
        let text = fields["text"].as_str().unwrap().replace(
            "Make the parser accept empty lines in src/parse.rs",
            "Go on.",
        );
        fields["in_turn"] = in_turn.into();
        fields["text"] = text.into();
        let answer = step(&stage, "answer", fields);
        let text = answer["text"].as_str().unwrap();
        assert_eq!(
            text.contains("being worked on, to the letter:\nNow do this:\n- a step\n"),
            told,
            "{text}"
        );
        assert!(
            !told || text.contains("- a step\n\nthe key is [redacted"),
            "{text}"
        );
        assert!(!text.contains("hunter2hunter2"), "{text}");
    }
}

#[test]
fn subagents_that_run_are_told_with_their_prompts() {
    let stage = stage();
    stage.quiet(
        "PreToolUse",
        json!({"tool_name": "Agent", "tool_input": {"subagent_type": "explore", "prompt": "count the lines of src"}}),
    );
    stage.quiet(
        "SubagentStart",
        json!({"agent_id": "a1", "agent_type": "explore"}),
    );
    let agents = json!([
        {"id": "a1", "type": "explore", "status": "running", "description": "Count"},
        {"id": "a2", "type": "plan", "status": "waiting", "description": "Think it over"},
        {"id": "a3", "type": "plan", "status": "completed", "description": "Done already"},
    ]);
    let told = step(&stage, "prompt", json!({"agents": agents}));
    let mut fields = answer(told["card"].as_str().unwrap());
    fields["agents"] = agents;
    let told = step(&stage, "answer", fields);
    let text = told["text"].as_str().unwrap();
    let (_, behind) = text.split_once("still running").unwrap();
    assert!(behind.contains("Do NOT start another one"), "{text}");
    assert!(
        behind.contains("running: explore a1 · asked: count the lines of src"),
        "{text}"
    );
    assert!(
        behind.contains("running: plan a2 · asked: Think it over"),
        "{text}"
    );
    assert!(!text.contains("plan a3"), "{text}");
}

#[test]
fn no_answer_leaves_the_card_by_rules_with_the_reason_and_the_hosts_own_compaction_is_the_same_one()
{
    for (fields, because) in [
        (
            json!({"failure": "failed: overloaded (529)"}),
            "haiku failed: overloaded (529)",
        ),
        (json!({"text": ""}), "haiku gave an empty answer"),
        (json!({"text": "Sure!"}), "haiku gave no sections of a card"),
        (
            json!({"text": "I'm sorry, I cannot."}),
            "haiku refused: I'm sorry, I cannot.",
        ),
        (
            json!({"text": "## Done\n- a tr", "output_tokens": 16_000}),
            "haiku was cut off at its limit of 16000 tokens",
        ),
        (
            json!({"text": "x".repeat(300_000)}),
            "haiku gave an answer over 256 KiB",
        ),
    ] {
        let stage = stage();
        let mut all = json!({"card": asked(&stage), "model": "haiku"});
        all.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        let told = step(&stage, "answer", all);
        let card = tip(&stage);
        let line = format!("handoff card: {}, by rules: {because}", &card[..8]);
        assert_eq!(told, json!({"next": "compact", "toast": line}));
        let hint = stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        assert!(hint.stdout.contains(&card[..8]), "{}", hint.stdout);
        assert_eq!((stage.cards(SESSION), tip(&stage)), (1, card), "one card");
        let text = stage.given("SessionStart", json!({"source": "compact"}));
        assert!(
            text.contains(&format!("written by rules ({because})")),
            "{text}"
        );
        stage.quiet("SessionStart", json!({"source": "compact"}));
    }
}

#[test]
fn a_hook_that_never_comes_back_leaves_one_card_too() {
    let stage = stage();
    let card = asked(&stage);
    stage
        .event("PreCompact", json!({"trigger": "auto"}))
        .ended(0);
    assert_eq!((stage.cards(SESSION), tip(&stage)), (1, card));
    stage.given("SessionStart", json!({"source": "compact"}));
    // The next compaction is another one.
    stage.person("And tabs?");
    stage
        .event("PreCompact", json!({"trigger": "auto"}))
        .ended(0);
    assert_eq!(stage.cards(SESSION), 2);
}

#[test]
fn a_late_answer_never_takes_the_place_of_a_newer_card() {
    let stage = stage();
    let card = asked(&stage);
    stage
        .world
        .run(&["decide", "tabs count as blanks", "--by", "user"])
        .ended(0);
    let newer = tip(&stage);
    let told = step(&stage, "answer", answer(&card));
    assert_eq!(told["next"], "compact", "{told}");
    assert_eq!(tip(&stage), newer);
}

#[test]
fn where_gits_config_names_who_writes_the_hook_steps_aside() {
    for name in ["none", "command"] {
        let stage = stage();
        stage.world.git(&["config", "segue.model", name]);
        let told = step(&stage, "prompt", json!({}));
        assert_eq!(told, json!({"next": "compact", "toast": null}));
        assert_eq!(stage.cards(SESSION), 0);
    }
}

#[test]
fn an_automatic_compaction_is_put_off_while_subagents_run_with_a_card_before_and_one_behind() {
    let agents =
        json!([{"id": "a1", "type": "explore", "status": "running", "description": "Count"}]);
    let mut stage = stage();
    // The plugin's own option, as the hook hands it on.
    stage.world.set_env("CLAUDE_PLUGIN_OPTION_HOLDMINUTES", "1");
    let told = step(&stage, "prompt", json!({"agents": agents}));
    assert_eq!(told, json!({"next": "wait", "held_ms": 0}));
    assert_eq!(stage.cards(SESSION), 1);
    let told = step(&stage, "prompt", json!({"agents": agents, "held_ms": 0}));
    assert_eq!(told["next"], "wait", "{told}");
    let held = told["held_ms"].as_u64().unwrap();
    assert!((4_000..20_000).contains(&held), "{told}");
    // The host says that none runs any more.
    let told = step(&stage, "prompt", json!({"held_ms": held}));
    assert_eq!(told["next"], "ask", "{told}");
    assert_eq!(told["card"], tip(&stage).as_str());
    assert_eq!(stage.cards(SESSION), 2);
    // A minute is over, whoever runs.
    let told = step(
        &stage,
        "prompt",
        json!({"agents": agents, "held_ms": 60_000}),
    );
    assert_eq!(told["next"], "ask", "{told}");
    let told = step(
        &stage,
        "prompt",
        json!({"agents": agents, "trigger": "manual"}),
    );
    assert_eq!(told["next"], "ask", "never one by hand: {told}");
}

#[test]
fn what_is_no_step_and_what_goes_wrong_lets_the_host_compact() {
    let stage = stage();
    stage.quiet("session.compact", json!({"step": "dance"}));
    stage.quiet("session.compact", json!({}));
    stage.quiet(
        "session.compact",
        json!({"step": "prompt", "agent_id": "a1"}),
    );
    stage.quiet("session.compact", json!({"step": "answer", "text": ANSWER}));
    let told = step(&stage, "answer", answer("c0ffee"));
    assert_eq!(told["next"], "compact", "{told}");
    assert_eq!(stage.cards(SESSION), 0);
    let mut world = stage.world;
    world.set_env("GIT_SEGUE_DISABLE", "1");
    let event = json!({"session_id": SESSION, "cwd": world.dir(), "hook_event_name": "session.compact", "step": "prompt"});
    let ran = world.hook("claude-code", &event.to_string()).ended(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
}
