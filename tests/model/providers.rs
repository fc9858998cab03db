//! Each provider is asked in its own words, and its own words are read.

use serde_json::{Value, json};

use super::{ANSWER, KEY, card, save, talk, writer};
use crate::support::model::{Act, Asked, ModelServer};
use crate::support::world::World;

/// Saves with a model whose server gives `answer`; what it was asked, and the writer on the card.
fn check(model: &str, key: Option<&str>, path: &str, answer: &Value) -> (Asked, Value) {
    let server = ModelServer::start(vec![Act::ok(answer)]);
    let mut world = World::new();
    talk(&world);
    if let Some(variable) = key {
        world.set_env(variable, KEY);
    }
    world.set_env("GIT_SEGUE_MODEL", model);
    world.git(&[
        "config",
        "segue.endpoint",
        &format!("{}{path}", server.url()),
    ]);
    let said = save(&world).ended(0);
    assert_eq!(said.stderr, "");
    assert!(card(&world).contains("Water the tree."));
    let asked = server.asked();
    assert_eq!(asked.len(), 1);
    (asked[0].clone(), writer(&world))
}

fn is_prompt(orders: &Value, data: &Value) {
    assert!(
        orders
            .as_str()
            .unwrap()
            .starts_with("You write the handoff card"),
        "{orders}"
    );
    let data = data.as_str().unwrap();
    assert!(data.contains("Never touch the fence."), "{data}");
    assert!(
        data.contains("[tool: failed with 1]") || data.contains("[tool: failed]"),
        "{data}"
    );
}

#[test]
fn anthropic_messages() {
    let (asked, writer) = check(
        "anthropic/claude-haiku-4-5",
        Some("ANTHROPIC_API_KEY"),
        "",
        &super::message(ANSWER),
    );
    assert_eq!(asked.path, "/v1/messages");
    assert_eq!(asked.header("x-api-key"), Some(KEY));
    assert_eq!(asked.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(asked.header("content-type"), Some("application/json"));
    assert_eq!(asked.body["model"], "claude-haiku-4-5");
    assert_eq!(asked.body["max_tokens"], 16_000);
    assert_eq!(asked.body["messages"][0]["role"], "user");
    is_prompt(&asked.body["system"], &asked.body["messages"][0]["content"]);
    assert_eq!(writer["name"], "claude-haiku-4-5");
}

#[test]
fn openai_responses() {
    let answer = json!({"id": "resp_1", "object": "response", "status": "completed", "model": "gpt-5.5-mini", "error": null,
        "incomplete_details": null, "output": [
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": ANSWER, "annotations": []}]}],
        "usage": {"input_tokens": 10, "output_tokens": 20, "total_tokens": 30}});
    let (asked, writer) = check(
        "openai/gpt-5.5-mini",
        Some("OPENAI_API_KEY"),
        "/v1",
        &answer,
    );
    assert_eq!(asked.path, "/v1/responses");
    assert_eq!(
        asked.header("authorization"),
        Some(format!("Bearer {KEY}").as_str())
    );
    assert_eq!(asked.body["model"], "gpt-5.5-mini");
    assert_eq!(asked.body["store"], false);
    is_prompt(&asked.body["instructions"], &asked.body["input"]);
    assert_eq!(
        (&writer["input_tokens"], &writer["output_tokens"]),
        (&json!(10), &json!(20))
    );
}

#[test]
fn chat_completions_get_no_key_of_another_provider() {
    let answer = json!({"id": "c-1", "object": "chat.completion", "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": ANSWER}}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 8, "total_tokens": 15}});
    let (asked, writer) = check("compatible/qwen3:8b", Some("OPENAI_API_KEY"), "", &answer);
    assert_eq!(asked.path, "/v1/chat/completions");
    assert_eq!(asked.header("authorization"), None);
    assert_eq!(asked.body["stream"], false);
    is_prompt(
        &asked.body["messages"][0]["content"],
        &asked.body["messages"][1]["content"],
    );
    assert_eq!(writer["name"], "qwen3:8b");
    let (asked, _) = check("compatible/m", None, "/api/openai", &answer);
    assert_eq!(asked.path, "/api/openai/chat/completions");
}

#[test]
fn a_key_comes_from_a_command_before_a_variable() {
    let server = ModelServer::start(vec![super::good()]);
    let world = super::with_model(&server);
    world.git(&[
        "config",
        "segue.apiKeyCommand",
        "printf '%s\\n' from-a-command",
    ]);
    save(&world).ended(0);
    assert_eq!(
        server.asked()[0].header("x-api-key"),
        Some("from-a-command")
    );
    world.git(&["config", "segue.apiKeyCommand", "false"]);
    let said = save(&world).ended(0);
    let expect = "written by rules: claude-haiku-4-5 was not asked: segue.apiKeyCommand failed: it ended with code 1";
    assert!(said.stderr.contains(expect), "{}", said.stderr);
}

#[test]
fn a_program_gets_the_prompt_and_gives_the_answer_without_a_shell() {
    let world = World::new();
    talk(&world);
    world.write("../answer", ANSWER);
    let script = "#!/bin/sh\ncat > \"$1\"\nprintf '%s\\n' \"$GIT_SEGUE_DISABLE $PWD\" >> \"$1\"\nexec cat \"$2\"\n";
    let program = world.write("../model.sh", script);
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let root = world.root();
    let line = format!(
        "'{}' '{}' '{}'",
        root.join("model.sh").display(),
        root.join("heard").display(),
        root.join("answer").display()
    );
    world.git(&["config", "segue.model", "command"]);
    world.git(&["config", "segue.modelCommand", &line]);
    let said = save(&world).ended(0);
    assert_eq!(said.stderr, "");
    assert_eq!(writer(&world)["name"], "command");
    let heard = world.read("../heard");
    assert!(
        heard.starts_with("You write the handoff card") && heard.contains("Never touch the fence."),
        "{heard}"
    );
    let last = heard.lines().last().unwrap();
    assert!(last.starts_with("1 ") && !last.contains("repo"), "{last}");
}

/// An answer in events, as a server streams them; `done` ends it as chat completions do.
fn stream(events: &[Value], done: bool) -> Act {
    let mut body: String = events
        .iter()
        .map(|event| match event["type"].as_str() {
            Some(kind) => format!("event: {kind}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        })
        .collect();
    if done {
        body.push_str("data: [DONE]\n\n");
    }
    Act::Reply(200, vec![("x-accel-buffering", "no")], body)
}

/// Saves with a model whose server streams; the writer on the card.
fn streamed(model: &str, act: Act) -> Value {
    let server = ModelServer::start(vec![act]);
    let mut world = World::new();
    talk(&world);
    world.set_env("GIT_SEGUE_MODEL", model);
    world.git(&["config", "segue.endpoint", &server.url()]);
    save(&world).ended(0);
    writer(&world)
}

/// The answer in two pieces.
fn halves() -> (&'static str, &'static str) {
    ANSWER.split_at(ANSWER.find("water").unwrap())
}

#[test]
fn anthropic_messages_in_pieces() {
    let (one, two) = halves();
    let delta = |text: &str| {
        json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": text}})
    };
    let mut events = vec![
        json!({"type": "message_start", "message": {"id": "msg_01", "type": "message", "role": "assistant",
            "model": "claude-haiku-4-5", "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": 40, "cache_creation_input_tokens": 2, "cache_read_input_tokens": 0, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "ping"}),
        delta(one),
        delta(two),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null},
            "usage": {"output_tokens": 15}}),
        json!({"type": "message_stop"}),
    ];
    let written = streamed("anthropic/claude-haiku-4-5", stream(&events, false));
    assert_eq!(written["name"], "claude-haiku-4-5", "{written}");
    assert_eq!(
        (&written["input_tokens"], &written["output_tokens"]),
        (&json!(42), &json!(15))
    );

    events.truncate(4);
    let written = streamed("anthropic/claude-haiku-4-5", stream(&events, false));
    let why = "claude-haiku-4-5 broke off in the middle of its answer";
    assert_eq!(written["because"], why, "{written}");
    events.push(
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    );
    let written = streamed("anthropic/claude-haiku-4-5", stream(&events, false));
    assert_eq!(
        written["because"], "claude-haiku-4-5 failed: Overloaded",
        "{written}"
    );
}

#[test]
fn openai_responses_in_pieces() {
    let response = json!({"id": "resp_1", "object": "response", "status": "completed", "error": null,
        "incomplete_details": null, "output": [{"type": "message", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": ANSWER, "annotations": []}]}],
        "usage": {"input_tokens": 10, "output_tokens": 20, "total_tokens": 30}});
    let events = [
        json!({"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}}),
        json!({"type": "response.output_text.delta", "item_id": "msg_1", "delta": ANSWER}),
        json!({"type": "response.completed", "response": response}),
    ];
    let written = streamed("openai/gpt-5.5-mini", stream(&events, false));
    assert_eq!(written["output_tokens"], 20, "{written}");
    let written = streamed("openai/gpt-5.5-mini", stream(&events[..2], false));
    assert_eq!(
        written["because"], "gpt-5.5-mini broke off in the middle of its answer",
        "{written}"
    );
}

#[test]
fn chat_completions_in_pieces() {
    let (one, two) = halves();
    let chunk = |delta: Value, reason: Value| {
        json!({"id": "c", "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
    };
    let events = [
        chunk(json!({"role": "assistant", "content": ""}), Value::Null),
        chunk(json!({"content": one}), Value::Null),
        chunk(json!({"content": two}), Value::Null),
        chunk(json!({}), json!("stop")),
        json!({"id": "c", "object": "chat.completion.chunk", "choices": [],
            "usage": {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16}}),
    ];
    let written = streamed("compatible/qwen3:8b", stream(&events, true));
    assert_eq!(
        (&written["input_tokens"], &written["output_tokens"]),
        (&json!(7), &json!(9)),
        "{written}"
    );
    let written = streamed("compatible/qwen3:8b", stream(&events[..3], false));
    assert_eq!(
        written["because"], "qwen3:8b broke off in the middle of its answer",
        "{written}"
    );
    let cut = [events[1].clone(), chunk(json!({}), json!("length"))];
    let written = streamed("compatible/qwen3:8b", stream(&cut, true));
    assert_eq!(
        written["because"], "qwen3:8b was cut off at its limit of 16000 tokens",
        "{written}"
    );
}
