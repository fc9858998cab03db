//! OpenAI's Responses API, as far as Codex 0.171.0 uses it.

use serde_json::{Value, json};

use super::model_api::{Head, Payload};
use super::script::{Part, Purpose, Reply};

/// How long the tool that waits for subagents may wait, in milliseconds.
const AGENT_WAIT_MS: u64 = 50_000;

/// What the request is for and its newest text; `None` for what is no question to a model.
pub(super) fn read(head: &Head, body: &Value) -> Option<(Purpose, String)> {
    if head.method != "POST" || head.path != "/v1/responses" {
        return None;
    }
    let about: Value = head
        .header("x-codex-turn-metadata")
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    let is_root = about["agent_name"]
        .as_str()
        .is_none_or(|name| name == "/root");
    let purpose = if about["thread_source"] == "thread_title" {
        Purpose::Aside
    } else if !is_root {
        Purpose::Subagent
    } else if about["request_kind"] == "compaction" {
        Purpose::Summary
    } else {
        Purpose::Turn
    };
    Some((purpose, newest_text(body)))
}

/// The newest item that the person or a tool said.
fn newest_text(body: &Value) -> String {
    let said = |item: &Value| match item["type"].as_str() {
        Some("message") if item["role"] == "user" => Some(text_of(&item["content"])),
        Some("function_call_output" | "custom_tool_call_output") => Some(text_of(&item["output"])),
        _ => None,
    };
    let items = body["input"].as_array();
    items
        .and_then(|items| items.iter().rev().find_map(said))
        .unwrap_or_default()
}

/// All text of an item's content.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(part) => part.get("text").map(text_of).unwrap_or_default(),
        _ => String::new(),
    }
}

/// The answer as a stream of events.
pub(super) fn write(number: usize, reply: &Reply) -> Payload {
    let id = format!("resp_live_{number}");
    let usage = json!({
        "input_tokens": reply.input_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 40,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": reply.input_tokens + 40,
    });
    let mut text = event("response.created", json!({"response": {"id": id}}));
    for (at, part) in reply.parts.iter().enumerate() {
        text += &event(
            "response.output_item.done",
            json!({"item": item(&format!("{number}_{at}"), part)}),
        );
    }
    text += &event(
        "response.completed",
        json!({"response": {"id": id, "usage": usage}}),
    );
    Payload {
        content_type: "text/event-stream",
        text,
    }
}

/// One item of an answer. Codex's default models call tools from JavaScript, in one tool named `exec`.
fn item(id: &str, part: &Part) -> Value {
    let agents = |name: &str, arguments: Value| {
        json!({
            "type": "function_call",
            "id": format!("fc_{id}"),
            "call_id": format!("call_{id}"),
            "namespace": "collaboration",
            "name": name,
            "arguments": arguments.to_string(),
        })
    };
    match part {
        Part::Text(text) => json!({
            "type": "message",
            "role": "assistant",
            "id": format!("msg_{id}"),
            "content": [{"type": "output_text", "text": text}],
        }),
        Part::Command(command) => json!({
            "type": "custom_tool_call",
            "id": format!("ctc_{id}"),
            "call_id": format!("call_{id}"),
            "namespace": "functions",
            "name": "exec",
            "input": format!("text(await tools.exec_command({}));", json!({"cmd": command})),
        }),
        Part::Spawn(task) => agents(
            "spawn_agent",
            json!({"task_name": "a_look", "message": task, "fork_turns": "none"}),
        ),
        Part::AwaitAgents => agents("wait_agent", json!({"timeout_ms": AGENT_WAIT_MS})),
    }
}

/// One server-sent event.
fn event(name: &str, mut data: Value) -> String {
    data["type"] = json!(name);
    format!("event: {name}\ndata: {data}\n\n")
}
