//! What our function hook (`hooks/register.ts`) says and hears. Claude Code 2.1.332 calls it at `session.compact`; it calls
//! us once for what a model is to be asked, and once with what the model said.
//!
//! | `step` | it says, beside the fields of every event | it hears |
//! |---|---|---|
//! | `prompt` | `trigger`, `custom_instructions`, `agents`; `held_ms` when it comes again | `ask`, `wait` or `compact` |
//! | `answer` | `card`, `agents`, `in_turn`, `model`, `text` or `failure`, `input_tokens`, `output_tokens`, `milliseconds` | `replace` or `compact` |
//!
//! `next` names what is to be done: `ask` a model (`system`, `prompt`, `max_tokens`, `timeout_ms`), `wait` for subagents and
//! come again (`held_ms`), `replace` the conversation by a text (`text`), or let the host `compact`. `toast` is a line for
//! the person.

use std::time::Duration;

use serde_json::{Value, json};

use super::payload::Fields;
use crate::handoff::card::ModelCall;
use crate::handoff::session::short;
use crate::hosts::{Moment, Next, RunningAgent, SummaryWritten};

/// What a subagent's `status` says while its work goes on.
const AT_WORK: [&str; 3] = ["pending", "running", "waiting"];
/// The name of a model that nobody named.
const SOME_MODEL: &str = "the host's model";

/// The event; none of a step that we do not know.
pub(super) fn moment(fields: &Fields<'_>) -> Option<Moment> {
    match fields.text("step")?.as_str() {
        "prompt" => Some(Moment::SummaryWanted {
            // Another plugin may compact too: that is not put off either.
            manual: fields.text("trigger").as_deref() != Some("auto"),
            instructions: fields.text("custom_instructions"),
            running: running(fields),
            held: fields.number("held_ms").map(Duration::from_millis),
        }),
        "answer" => Some(Moment::SummaryWritten(SummaryWritten {
            card: fields.text("card")?,
            running: running(fields),
            in_turn: fields.is_true("in_turn"),
            call: ModelCall {
                name: fields
                    .text("model")
                    .unwrap_or_else(|| SOME_MODEL.to_owned()),
                input_tokens: fields.number("input_tokens"),
                output_tokens: fields.number("output_tokens"),
                milliseconds: fields.number("milliseconds").unwrap_or_default(),
            },
            said: match (fields.text("text"), fields.text("failure")) {
                (_, Some(why)) => Err(why),
                (text, None) => Ok(text.unwrap_or_default()),
            },
        })),
        _ => None,
    }
}

fn running(fields: &Fields<'_>) -> Vec<RunningAgent> {
    let agent = |one: &Fields<'_>| {
        let status = one.text("status").unwrap_or_default();
        Some(RunningAgent {
            id: one
                .text("id")
                .filter(|_| AT_WORK.contains(&status.as_str()))?,
            kind: one.text("type"),
            description: one.text("description"),
        })
    };
    let listed = fields.list("agents").unwrap_or_default();
    listed.iter().filter_map(agent).collect()
}

/// What it is to do, as it reads it.
pub(super) fn render(next: &Next) -> String {
    let answer = match next {
        Next::Ask {
            card,
            orders,
            data,
            output_tokens_max,
            time_max,
        } => json!({
            "next": "ask", "card": card, "system": orders, "prompt": data,
            "max_tokens": output_tokens_max, "timeout_ms": milliseconds(*time_max),
        }),
        Next::Wait { held } => json!({"next": "wait", "held_ms": milliseconds(*held)}),
        Next::Replace { card, text } => {
            let toast = format!("handoff card: {}", short(card));
            json!({"next": "replace", "text": text, "toast": toast})
        }
        Next::StepAside(why) => json!({"next": "compact", "toast": why}),
    };
    answer.to_string()
}

fn milliseconds(time: Duration) -> Value {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).into()
}
