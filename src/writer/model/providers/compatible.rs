//! Chat completions as OpenAI once had them, and as Ollama, LM Studio, llama.cpp, vLLM and OpenRouter serve them.

use serde_json::{Value, json};

use super::super::Fault;
use super::super::http::Post;
use super::super::prompt::Prompt;
use super::stream::{self, whole};
use super::{OUTPUT_TOKENS_MAX, Reply, bearer, cut, refused};

/// The one server of these whose key has a usual variable; another server's key is none of its business.
const OPENROUTER: &str = "openrouter.ai";
/// That variable.
const OPENROUTER_VARIABLE: &str = "OPENROUTER_API_KEY";

/// The variable that holds the key for an address; none where there is no usual one.
pub(in crate::writer::model) fn key_variable(address: &str) -> Option<&'static str> {
    let host = address.split("://").nth(1)?.split(['/', ':']).next()?;
    (host == OPENROUTER).then_some(OPENROUTER_VARIABLE)
}

/// The request.
pub(in crate::writer::model) fn request(
    model: &str,
    address: &str,
    key: Option<&str>,
    prompt: &Prompt,
) -> Post {
    Post {
        url: url(address),
        headers: bearer(key),
        body: json!({
            "model": model,
            "max_tokens": OUTPUT_TOKENS_MAX,
            "stream": false,
            "messages": [
                { "role": "system", "content": prompt.orders },
                { "role": "user", "content": prompt.data },
            ],
        }),
    }
}

/// The address of completions: behind what is configured, as these servers tell it; `/v1` where it has no path.
fn url(address: &str) -> String {
    let address = address.trim_end_matches('/');
    let has_path = address.split("://").nth(1).unwrap_or(address).contains('/');
    let version = if has_path { "" } else { "/v1" };
    format!("{address}{version}/chat/completions")
}

/// The answer of a streamed one's events. Tokens are counted in an event of their own, if at all.
fn assemble(events: &[Value]) -> Option<Value> {
    let mut choices = events.iter().rev().map(|event| &event["choices"][0]);
    let reason = choices.find_map(|choice| choice["finish_reason"].as_str())?;
    let text = stream::text(events, |event| {
        event["choices"][0]["delta"]["content"].as_str()
    })?;
    let mut usages = events.iter().rev().map(|event| &event["usage"]);
    Some(json!({
        "choices": [{ "message": { "content": text }, "finish_reason": reason }],
        "usage": usages.find(|usage| usage.is_object()),
    }))
}

/// The answer.
pub(in crate::writer::model) fn read(body: &[u8]) -> Result<Reply, Fault> {
    let json = whole(body, assemble)?;
    let choice = &json["choices"][0];
    let text = choice["message"]["content"].as_str().unwrap_or_default();
    if let Some(words) = choice["message"]["refusal"].as_str() {
        return Err(refused(words));
    }
    match choice["finish_reason"].as_str() {
        Some("length") => return Err(cut()),
        Some("content_filter") => return Err(refused(text)),
        _ => {}
    }
    Ok(Reply {
        text: text.to_owned(),
        input_tokens: json["usage"].get("prompt_tokens").and_then(Value::as_u64),
        output_tokens: json["usage"]
            .get("completion_tokens")
            .and_then(Value::as_u64),
    })
}
