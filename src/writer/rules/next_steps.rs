//! Next steps: the agent's last word about what it does next, then the todos that wait.

use super::in_flight::TODO_BYTES_MAX;
use super::words;
use crate::handoff::claim::{Claim, Origin};
use crate::handoff::transcript::{TodoState, What};
use crate::writer::digest::Digest;
use crate::writer::pen::Pen;

/// So many todos are told.
const TODOS_MAX: usize = 8;
/// The agent's last word is told up to here, in bytes.
const INTENT_BYTES_MAX: usize = 240;

/// The claims of the section.
pub(in crate::writer) fn write(digest: &Digest<'_>, pen: &mut Pen<'_>) -> Vec<Claim> {
    let mut claims = Vec::new();
    let waits = matches!(
        digest.turns.last().map(|turn| &turn.what),
        Some(What::Person(_))
    );
    let intent = digest
        .last_words()
        .filter(|(at, _)| *at >= digest.window && !waits)
        .and_then(|(_, words)| words::intent(words));
    if let Some(intent) = intent {
        let text = pen.head(intent.trim_end_matches(':'), INTENT_BYTES_MAX);
        if pen.first_time(&text) {
            claims.push(Claim::new(Origin::Agent, text));
        }
    }
    let pending = digest
        .todos
        .iter()
        .filter(|todo| todo.state == TodoState::Pending);
    for todo in pending.take(TODOS_MAX) {
        let text = pen.head(&todo.text, TODO_BYTES_MAX);
        if pen.first_time(&text) {
            claims.push(Claim::new(Origin::Finding, text));
        }
    }
    claims
}
