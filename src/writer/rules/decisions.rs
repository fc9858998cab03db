//! Decisions: what the person chose when asked, and plans that they approved.

use super::words;
use crate::handoff::decision::{By, Decision};
use crate::handoff::transcript::{Action, Outcome};
use crate::writer::digest::Digest;
use crate::writer::pen::Pen;

/// A question or an answer is told up to here, in bytes.
const ANSWER_BYTES_MAX: usize = 160;
/// What stands between a question and its answer in a call's output.
const ARROW: &str = " → ";

/// The decisions, oldest first.
pub(in crate::writer) fn write(digest: &Digest<'_>, pen: &mut Pen<'_>) -> Vec<Decision> {
    let mut decisions = Vec::new();
    for (at, call) in digest
        .tools()
        .filter(|(_, call)| call.outcome == Outcome::Ok)
    {
        let when = digest.turns[at].at;
        match &call.action {
            Action::Ask { questions } => {
                for (question, answer) in answers(&call.output, questions) {
                    let question = pen.head(question, ANSWER_BYTES_MAX);
                    let answer = pen.ends(answer, ANSWER_BYTES_MAX);
                    let what = format!("{question}{ARROW}{answer}");
                    decisions.push(Decision::new(when, By::User, &what, None, None));
                }
            }
            Action::Plan { text } => {
                if let Some(title) = words::sentences(text).first() {
                    let what = format!("plan approved: {}", pen.head(title, ANSWER_BYTES_MAX));
                    decisions.push(Decision::new(when, By::User, &what, None, None));
                }
            }
            _ => {}
        }
    }
    decisions
}

fn answers<'a>(output: &'a str, questions: &'a [String]) -> Vec<(&'a str, &'a str)> {
    let pairs: Vec<_> = output
        .lines()
        .filter_map(|line| line.split_once(ARROW))
        .collect();
    match (pairs.is_empty(), questions) {
        (true, [question]) if !output.trim().is_empty() => vec![(question, output)],
        _ => pairs,
    }
}
