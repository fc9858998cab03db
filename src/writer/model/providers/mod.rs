//! The providers: what each is asked, and how its answer is read. One file each; none knows another.

use serde_json::Value;

use super::Fault;

pub(super) mod anthropic;
pub(super) mod command;
pub(super) mod compatible;
pub(super) mod openai;
mod stream;

/// What a model may write, in tokens: a card and a summary are a tenth of that, models that think first need the rest.
pub(crate) const OUTPUT_TOKENS_MAX: u32 = 16_000;

/// What a provider answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reply {
    /// The model's words.
    pub(super) text: String,
    /// Tokens read, where it is said.
    pub(super) input_tokens: Option<u64>,
    /// Tokens written, where it is said.
    pub(super) output_tokens: Option<u64>,
}

/// An answer's body as JSON.
fn json(body: &[u8]) -> Result<Value, Fault> {
    serde_json::from_slice(body)
        .ok()
        .filter(Value::is_object)
        .ok_or_else(|| Fault::Told("gave an answer that is no JSON object".to_owned()))
}

/// The header that holds a key, where there is one.
fn bearer(key: Option<&str>) -> Vec<(&'static str, String)> {
    let header = key.map(|key| ("authorization", format!("Bearer {key}")));
    header.into_iter().collect()
}

pub(super) fn cut() -> Fault {
    Fault::Told(format!(
        "was cut off at its limit of {OUTPUT_TOKENS_MAX} tokens"
    ))
}

fn refused(words: &str) -> Fault {
    let words = words.trim();
    Fault::Told(match words {
        "" => "refused".to_owned(),
        words => format!("refused: {words}"),
    })
}

/// An address and a path behind it; a version that stands on the address already is not written twice.
fn join(address: &str, path: &str) -> String {
    let address = address.trim_end_matches('/');
    let address = address.strip_suffix("/v1").unwrap_or(address);
    format!("{address}/v1/{path}")
}
