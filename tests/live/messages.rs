//! Anthropic's Messages API, as far as Claude Code 2.1.332 uses it.

use serde_json::{Value, json};

use super::model_api::{Head, Payload};
use super::script::{Part, Purpose, Reply};

/// Words that only the prompt of a summary has.
const SUMMARY_MARK: &str = "Your task is to create a";

/// What the request is for and its newest text; `None` for what is no question to a model.
pub(super) fn read(head: &Head, body: &Value) -> Option<(Purpose, String)> {
    if head.method != "POST" || head.path != "/v1/messages" {
        return None;
    }
    let from_person = |message: &&Value| message["role"] == "user";
    let newest = body["messages"]
        .as_array()?
        .iter()
        .rev()
        .find(from_person)?;
    let last = text_of(&newest["content"]);
    let no_tools = body["tools"].as_array().is_none_or(Vec::is_empty);
    let purpose = if last.contains(SUMMARY_MARK) {
        Purpose::Summary
    } else if no_tools {
        Purpose::Aside
    } else if head.header("x-claude-code-agent-id").is_some() {
        Purpose::Subagent
    } else {
        Purpose::Turn
    };
    Some((purpose, last))
}

/// All text of a message's content, tool results among it.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(block) => block
            .get("text")
            .or_else(|| block.get("content"))
            .map(text_of)
            .unwrap_or_default(),
        _ => String::new(),
    }
}

/// The answer: one JSON object, or the same as a stream of events.
pub(super) fn write(number: usize, body: &Value, reply: &Reply) -> Payload {
    let blocks = blocks(number, reply);
    let calls_a_tool = blocks.iter().any(|block| block["type"] == "tool_use");
    let stop = if calls_a_tool { "tool_use" } else { "end_turn" };
    let usage = json!({
        "input_tokens": reply.input_tokens,
        "output_tokens": 40,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    });
    let message = json!({
        "id": format!("msg_live_{number}"),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": blocks,
        "stop_reason": stop,
        "stop_sequence": null,
        "usage": usage,
    });
    if body["stream"] != true {
        return Payload {
            content_type: "application/json",
            text: message.to_string(),
        };
    }
    let mut opening = message.clone();
    opening["content"] = json!([]);
    opening["stop_reason"] = Value::Null;
    let mut text = event("message_start", json!({"message": opening}));
    for (index, block) in blocks.iter().enumerate() {
        text += &stream_block(index, block);
    }
    let end = json!({"delta": {"stop_reason": stop, "stop_sequence": null}, "usage": usage});
    text += &event("message_delta", end);
    text += &event("message_stop", json!({}));
    Payload {
        content_type: "text/event-stream",
        text,
    }
}

/// The content blocks of an answer.
fn blocks(number: usize, reply: &Reply) -> Vec<Value> {
    let tool = |at: usize, name: &str, input: Value| json!({"type": "tool_use", "id": format!("toolu_live_{number}_{at}"), "name": name, "input": input});
    let block = |(at, part): (usize, &Part)| match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Command(command) => tool(
            at,
            "Bash",
            json!({"command": command, "description": "Run it"}),
        ),
        Part::Spawn(task) => tool(
            at,
            "Agent",
            json!({"description": "A look", "prompt": task, "subagent_type": "general-purpose"}),
        ),
        Part::AwaitAgents => json!({"type": "text", "text": "It will report."}),
    };
    reply.parts.iter().enumerate().map(block).collect()
}

/// The three events of one block.
fn stream_block(index: usize, block: &Value) -> String {
    let mut empty = block.clone();
    let delta = if block["type"] == "text" {
        empty["text"] = json!("");
        json!({"type": "text_delta", "text": block["text"]})
    } else {
        empty["input"] = json!({});
        json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})
    };
    event(
        "content_block_start",
        json!({"index": index, "content_block": empty}),
    ) + &event(
        "content_block_delta",
        json!({"index": index, "delta": delta}),
    ) + &event("content_block_stop", json!({"index": index}))
}

/// One server-sent event.
fn event(name: &str, mut data: Value) -> String {
    data["type"] = json!(name);
    format!("event: {name}\ndata: {data}\n\n")
}
