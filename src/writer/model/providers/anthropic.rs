//! Anthropic's Messages API, version 2023-06-01.

use serde_json::{Value, json};

use super::super::Fault;
use super::super::http::Post;
use super::super::prompt::Prompt;
use super::stream::{self, whole};
use super::{OUTPUT_TOKENS_MAX, Reply, cut, join, refused};

/// Its usual address.
pub(in crate::writer::model) const ADDRESS: &str = "https://api.anthropic.com";
/// The variable that holds its key.
pub(in crate::writer::model) const KEY_VARIABLE: &str = "ANTHROPIC_API_KEY";
/// The version of the API that is spoken here.
const VERSION: &str = "2023-06-01";

/// The request.
pub(in crate::writer::model) fn request(
    model: &str,
    address: &str,
    key: Option<&str>,
    prompt: &Prompt,
) -> Post {
    let mut headers = vec![("anthropic-version", VERSION.to_owned())];
    headers.extend(key.map(|key| ("x-api-key", key.to_owned())));
    Post {
        url: join(address, "messages"),
        headers,
        body: json!({
            "model": model,
            "max_tokens": OUTPUT_TOKENS_MAX,
            "system": prompt.orders,
            "messages": [{ "role": "user", "content": prompt.data }],
        }),
    }
}

/// The answer of a streamed one's events; of the content only its text.
fn assemble(events: &[Value]) -> Option<Value> {
    let of = |kind: &str| events.iter().rev().find(|event| event["type"] == kind);
    let (start, end) = (of("message_start")?, of("message_delta")?);
    of("message_stop")?;
    let text = stream::text(events, |event| event["delta"]["text"].as_str())?;
    let read = &start["message"]["usage"];
    Some(json!({
        "content": [{ "type": "text", "text": text }],
        "stop_reason": end["delta"]["stop_reason"],
        "usage": {
            "input_tokens": read["input_tokens"],
            "cache_read_input_tokens": read["cache_read_input_tokens"],
            "cache_creation_input_tokens": read["cache_creation_input_tokens"],
            "output_tokens": end["usage"]["output_tokens"],
        },
    }))
}

/// The answer.
pub(in crate::writer::model) fn read(body: &[u8]) -> Result<Reply, Fault> {
    let json = whole(body, assemble)?;
    let blocks = json["content"].as_array().map_or(&[][..], Vec::as_slice);
    let text: String = blocks
        .iter()
        .filter(|block| block["type"] == "text")
        .filter_map(|block| block["text"].as_str())
        .collect();
    match json["stop_reason"].as_str() {
        Some("max_tokens") => return Err(cut()),
        Some("refusal") => return Err(refused(&text)),
        _ => {}
    }
    let usage = &json["usage"];
    let cached = ["cache_read_input_tokens", "cache_creation_input_tokens"]
        .iter()
        .filter_map(|key| usage[key].as_u64())
        .sum::<u64>();
    Ok(Reply {
        text,
        input_tokens: usage["input_tokens"]
            .as_u64()
            .map(|fresh| fresh.saturating_add(cached)),
        output_tokens: usage.get("output_tokens").and_then(Value::as_u64),
    })
}
