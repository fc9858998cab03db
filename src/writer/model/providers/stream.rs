//! An answer in pieces: a server may stream though it was not asked to (gateways do). Its server-sent events are put
//! together to the object that it would have answered in one piece, so that one reader serves both.

use serde_json::Value;

use super::super::{ANSWER_BYTES_MAX, Fault};

/// The whole answer of a body, in one piece or in many. `assemble` makes one of all events; none where the last is missing.
pub(super) fn whole(body: &[u8], assemble: fn(&[Value]) -> Option<Value>) -> Result<Value, Fault> {
    if !is_stream(body) {
        return super::json(body);
    }
    let text = String::from_utf8_lossy(body);
    let events: Vec<Value> = data(&text)
        .map(|data| super::json(data.as_bytes()))
        .collect::<Result<_, _>>()?;
    let words = events
        .iter()
        .find_map(|one| one["error"]["message"].as_str());
    if let Some(words) = words {
        return Err(Fault::Told(format!("failed: {words}")));
    }
    let answer = assemble(&events);
    answer.ok_or_else(|| Fault::Told("broke off in the middle of its answer".to_owned()))
}

/// The text in all events; what is longer than an answer may be is as good as cut off there.
pub(super) fn text<'e>(
    events: &'e [Value],
    of: impl Fn(&'e Value) -> Option<&'e str>,
) -> Option<String> {
    let text: String = events.iter().filter_map(of).collect();
    (text.len() as u64 <= ANSWER_BYTES_MAX).then_some(text)
}

/// Whether a body is a stream of events: a field's name comes first, or a comment.
fn is_stream(body: &[u8]) -> bool {
    let body = body.trim_ascii_start();
    ["data:", "event:", "id:", "retry:", ":"]
        .iter()
        .any(|field| body.starts_with(field.as_bytes()))
}

/// The data of each event, which none of these servers writes in several lines; the `[DONE]` that ends some streams is none.
fn data(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("data:"));
    lines.map(str::trim).filter(|data| *data != "[DONE]")
}
