//! In flight: what was begun and not ended, with the command that takes it up again.

use super::traps::ERROR_BYTES_MAX;
use crate::handoff::claim::{Claim, Origin};
use crate::handoff::transcript::{Action, Outcome, TodoState};
use crate::writer::digest::{Digest, Ran, Run, command_shown};
use crate::writer::pen::Pen;

/// So many failing commands are told, the latest.
const FAILING_MAX: usize = 4;
/// A todo's text is told up to here, in bytes.
pub(super) const TODO_BYTES_MAX: usize = 160;

/// The claims of the section.
pub(in crate::writer) fn write(digest: &Digest<'_>, pen: &mut Pen<'_>) -> Vec<Claim> {
    let mut claims = Vec::new();
    for todo in digest
        .todos
        .iter()
        .filter(|todo| todo.state == TodoState::Active)
    {
        let text = pen.head(&todo.text, TODO_BYTES_MAX);
        if pen.first_time(&text) {
            claims.push(Claim::new(Origin::Agent, text));
        }
    }
    claims.extend(cut_off(digest, pen));
    for run in failing(digest).take(FAILING_MAX) {
        let error = command_shown(run.output).unwrap_or_default();
        let text = match pen.head(error, ERROR_BYTES_MAX) {
            error if error.is_empty() => "fails".to_owned(),
            error => format!("fails: {error}"),
        };
        let evidence = super::command(digest, run, pen);
        claims.push(Claim::new(Origin::Finding, text).with(evidence));
    }
    claims.extend(unchecked(digest, pen));
    claims
}

/// Commands whose last run failed and that are not given up, the latest first.
fn failing<'d, 't>(digest: &'d Digest<'t>) -> impl Iterator<Item = &'d Run<'t>> {
    let runs = digest.runs.iter().rev();
    runs.filter(|run| run.ran == Ran::Failed && !digest.given_up(run))
}

/// The call at the very end that was interrupted or has no result.
fn cut_off(digest: &Digest<'_>, pen: &mut Pen<'_>) -> Option<Claim> {
    let (_, call) = digest.tools().next_back()?;
    let how = match call.outcome {
        Outcome::Interrupted => "interrupted",
        Outcome::Open => "no result yet",
        _ => return None,
    };
    let what = match &call.action {
        Action::Run { command, .. } => format!("`{}`", pen.head(command, TODO_BYTES_MAX)),
        Action::Edit { path, .. } | Action::Write { path } => {
            format!(
                "edit of {}",
                pen.line(path.rsplit('/').next().unwrap_or(path))
            )
        }
        _ => return None,
    };
    Some(Claim::new(Origin::Finding, format!("{how}: {what}")))
}

/// Files changed behind the last run of the command that checks them.
fn unchecked(digest: &Digest<'_>, pen: &mut Pen<'_>) -> Option<Claim> {
    let check = digest
        .runs
        .iter()
        .rev()
        .find(|run| run.times > 1 && run.ran != Ran::Failed)?;
    let changed = digest.changed_since(check.last);
    if changed.is_empty() {
        return None;
    }
    let text = format!(
        "changed since its last run: {}",
        super::names(&changed, pen)
    );
    Some(Claim::new(Origin::Finding, text).with(super::command(digest, check, pen)))
}
