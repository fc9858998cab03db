//! OpenAI's Responses API.

use serde_json::{Value, json};

use super::super::Fault;
use super::super::http::Post;
use super::super::prompt::Prompt;
use super::stream::whole;
use super::{OUTPUT_TOKENS_MAX, Reply, bearer, cut, join, refused};

/// Its usual address.
pub(in crate::writer::model) const ADDRESS: &str = "https://api.openai.com";
/// The variable that holds its key.
pub(in crate::writer::model) const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// The request. The answer is not stored at the provider.
pub(in crate::writer::model) fn request(
    model: &str,
    address: &str,
    key: Option<&str>,
    prompt: &Prompt,
) -> Post {
    Post {
        url: join(address, "responses"),
        headers: bearer(key),
        body: json!({
            "model": model,
            "max_output_tokens": OUTPUT_TOKENS_MAX,
            "store": false,
            "instructions": prompt.orders,
            "input": prompt.data,
        }),
    }
}

/// The answer of a streamed one's events: the last one holds it whole.
fn assemble(events: &[Value]) -> Option<Value> {
    const LAST: [&str; 3] = [
        "response.completed",
        "response.incomplete",
        "response.failed",
    ];
    let is_last = |event: &&Value| {
        event["type"]
            .as_str()
            .is_some_and(|kind| LAST.contains(&kind))
    };
    events
        .iter()
        .find(is_last)
        .map(|event| event["response"].clone())
}

/// The answer.
pub(in crate::writer::model) fn read(body: &[u8]) -> Result<Reply, Fault> {
    let json = whole(body, assemble)?;
    let items = json["output"].as_array().map_or(&[][..], Vec::as_slice);
    let parts = || {
        items
            .iter()
            .filter(|item| item["type"] == "message")
            .filter_map(|item| item["content"].as_array())
            .flatten()
    };
    if let Some(words) = parts().find_map(|part| part["refusal"].as_str()) {
        return Err(refused(words));
    }
    match (
        json["status"].as_str(),
        json["incomplete_details"]["reason"].as_str(),
    ) {
        (Some("incomplete"), Some("content_filter")) => return Err(refused("")),
        (Some("incomplete"), _) => return Err(cut()),
        (Some("failed"), _) => {
            let words = json["error"]["message"].as_str().unwrap_or("no reason");
            return Err(Fault::Told(format!("failed: {words}")));
        }
        _ => {}
    }
    Ok(Reply {
        text: parts()
            .filter(|part| part["type"] == "output_text")
            .filter_map(|part| part["text"].as_str())
            .collect(),
        input_tokens: json["usage"].get("input_tokens").and_then(Value::as_u64),
        output_tokens: json["usage"].get("output_tokens").and_then(Value::as_u64),
    })
}
