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
