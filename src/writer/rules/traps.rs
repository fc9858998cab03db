//! Traps: what the person forbade or corrected, and what was tried and failed.

use super::words;
use crate::handoff::claim::{Claim, Origin};
use crate::handoff::transcript::{Action, What};
use crate::writer::digest::{Ask, Digest, How, Ran, command_shown};
use crate::writer::pen::Pen;

/// So many of the person's prohibitions are told, the latest.
const PROHIBITIONS_MAX: usize = 5;
/// So many corrections beside them.
const CORRECTIONS_MAX: usize = 4;
/// Each is quoted up to here, in bytes.
const CORRECTION_BYTES_MAX: usize = 480;
/// So many sentences that forbid are told beside, of asks that are not quoted whole,
const SENTENCES_MAX: usize = 6;
/// and so many of one ask.
const SENTENCES_OF_ONE_MAX: usize = 4;
/// A longer prompt is a task: only its sentences that forbid are prohibitions, in bytes.
const PROHIBITION_BYTES_MAX: usize = 1_200;
/// So many failed tries are told, the latest.
const TRIES_MAX: usize = 3;
/// An error's line is told up to here, in bytes.
pub(super) const ERROR_BYTES_MAX: usize = 140;

/// The claims of the section.
pub(in crate::writer) fn write(digest: &Digest<'_>, pen: &mut Pen<'_>) -> Vec<Claim> {
    let mut claims = Vec::new();
    for ask in chosen(digest) {
        let words = pen.ends(ask.text, CORRECTION_BYTES_MAX);
        if pen.first_time(ask.text) {
            pen.quoted(&words);
            let stopped = stopped(digest, ask).map(|what| pen.head(&what, ERROR_BYTES_MAX));
            let text = match stopped {
                Some(what) => format!("\"{words}\" (instead of {what})"),
                None => format!("\"{words}\""),
            };
            claims.push(Claim::new(Origin::User, text));
        }
    }
    claims.extend(sentences(digest, pen));
    claims.extend(tries(digest, pen));
    claims
}

/// The sentences that forbid and that no quote shows: of the latest ask and of the first, which stand under the goal, and
/// of the longer ones, which are clipped wherever they are quoted.
fn sentences(digest: &Digest<'_>, pen: &mut Pen<'_>) -> Vec<Claim> {
    let latest = digest.latest_ask();
    let between = digest.asks.iter().skip(1).rev();
    let asks = latest
        .iter()
        .chain(digest.asks.first())
        .chain(between.filter(|ask| ask.text.len() > CORRECTION_BYTES_MAX));
    let mut claims = Vec::new();
    for ask in asks {
        let mut left = SENTENCES_OF_ONE_MAX.min(SENTENCES_MAX - claims.len());
        for sentence in words::forbidding(ask.text) {
            let words = pen.ends(&sentence, CORRECTION_BYTES_MAX);
            if left > 0 && !pen.has_quoted(&words) {
                pen.quoted(&words);
                claims.push(Claim::new(Origin::User, format!("\"{words}\"")));
                left -= 1;
            }
        }
    }
    claims
}

/// Whether the person forbids or corrects something: by their words, or by having stopped the agent.
pub(super) fn corrects(ask: &Ask<'_>) -> bool {
    forbids(ask) || ask.how != How::Prompt || words::corrects(ask.text)
}

fn forbids(ask: &Ask<'_>) -> bool {
    ask.text.len() <= PROHIBITION_BYTES_MAX && words::forbids(ask.text)
}

/// The prohibitions and corrections that are told, the latest first.
fn chosen<'d, 't>(digest: &'d Digest<'t>) -> Vec<&'d Ask<'t>> {
    let latest = digest.latest_ask().map(|ask| ask.at);
    let (mut prohibitions, mut corrections) = (0, 0);
    let all = digest
        .asks
        .iter()
        .rev()
        .filter(|ask| Some(ask.at) != latest);
    all.filter(|ask| {
        let (count, most) = if forbids(ask) {
            (&mut prohibitions, PROHIBITIONS_MAX)
        } else if ask.how != How::Prompt || words::corrects(ask.text) {
            (&mut corrections, CORRECTIONS_MAX)
        } else {
            return false;
        };
        *count += 1;
        *count <= most
    })
    .collect()
}

/// What the person stopped with these words.
fn stopped(digest: &Digest<'_>, ask: &Ask<'_>) -> Option<String> {
    if ask.how != How::Refusal {
        return None;
    }
    let What::Tool(call) = &digest.turns[..ask.at].last()?.what else {
        return None;
    };
    match &call.action {
        Action::Run { command, .. } => {
            let line = command.lines().next().unwrap_or_default();
            let script = ["\"$(", "<<"]
                .iter()
                .filter_map(|mark| line.find(mark))
                .min();
            let line = script.map_or(line, |at| &line[..at]);
            Some(format!("`{}`", line.trim()))
        }
        Action::Edit { path, .. } | Action::Write { path } => {
            let name = path.rsplit('/').next().unwrap_or(path);
            Some(format!("an edit of {name}"))
        }
        Action::Plan { .. } => Some("the plan laid before them".to_owned()),
        _ => None,
    }
}

/// Commands that failed, never passed, and were given up; those before the last compaction only where there is room.
fn tries(digest: &Digest<'_>, pen: &mut Pen<'_>) -> Vec<Claim> {
    let runs = digest.runs.iter().rev();
    let failed = runs.filter(|run| run.ran == Ran::Failed && digest.given_up(run));
    let mut claims = Vec::new();
    for run in failed.take(TRIES_MAX) {
        if let Some(error) = command_shown(run.output) {
            let text = format!(
                "`{}` failed: {}",
                pen.line(&run.line),
                pen.head(error, ERROR_BYTES_MAX)
            );
            claims.push(Claim::new(Origin::Finding, text));
        }
    }
    claims
}
