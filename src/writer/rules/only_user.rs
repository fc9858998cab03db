//! Only the user: questions and plans that wait for the person.

use super::words;
use crate::handoff::claim::{Claim, Origin};
use crate::handoff::transcript::{Action, Outcome};
use crate::writer::digest::Digest;
use crate::writer::pen::Pen;

/// So many questions are told, the latest.
const QUESTIONS_MAX: usize = 3;
/// A question is told up to here, in bytes.
const QUESTION_BYTES_MAX: usize = 240;

/// The claims of the section.
pub(in crate::writer) fn write(digest: &Digest<'_>, pen: &mut Pen<'_>) -> Vec<Claim> {
    let last_said = digest.asks.last().map_or(0, |ask| ask.at);
    let mut waiting: Vec<String> = Vec::new();
    for (_, call) in digest.tools().filter(|(at, _)| *at >= last_said) {
        match &call.action {
            Action::Ask { questions } if call.outcome != Outcome::Ok => {
                waiting.extend(questions.iter().cloned());
            }
            Action::Plan { .. } if call.outcome == Outcome::Open => {
                waiting.push("the plan waits for approval".to_owned());
            }
            _ => {}
        }
    }
    // Only what the agent said last of all waits; with work behind it, it went on by itself.
    if let Some((at, said)) = digest.last_words()
        && at >= last_said
        && digest.tools().next_back().is_none_or(|(tool, _)| tool < at)
    {
        let questions = words::questions(said);
        waiting.extend(questions.into_iter().map(str::to_owned));
    }
    let from = waiting.len().saturating_sub(QUESTIONS_MAX);
    let mut claims = Vec::new();
    for question in &waiting[from..] {
        let text = pen.ends(question, QUESTION_BYTES_MAX);
        if pen.first_time(&text) {
            claims.push(Claim::new(Origin::Agent, text));
        }
    }
    claims
}
