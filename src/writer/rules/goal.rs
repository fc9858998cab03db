//! Goal: what the person asked last, first and in between, in their words.

use super::{traps, words};
use crate::handoff::claim::{Claim, Origin};
use crate::writer::digest::{Ask, Digest, How};
use crate::writer::pen::Pen;

/// The latest ask is quoted up to here, in bytes: most of it must be there to the letter.
pub(super) const LATEST_BYTES_MAX: usize = 1_500;
/// The first ask is quoted up to here, in bytes.
const FIRST_BYTES_MAX: usize = 360;
/// Asks between the first and the latest are quoted up to here, in bytes.
const BETWEEN_BYTES_MAX: usize = 200;
/// So many asks between the first and the latest are told.
const BETWEEN_MAX: usize = 3;
/// A longer ask answers nothing: it says what it wants, in bytes.
const ANSWER_BYTES_MAX: usize = 60;
/// A text of more lines than this,
const PASTE_LINES_MIN: usize = 12;
/// and more bytes than this, holds something that was pasted.
const PASTE_BYTES_MIN: usize = 600;
/// What a short ask answers is quoted up to here, in bytes.
const ANSWERED_BYTES_MAX: usize = 300;

/// The claims of the section.
pub(in crate::writer) fn write(digest: &Digest<'_>, pen: &mut Pen<'_>) -> Vec<Claim> {
    let Some(latest) = digest.latest_ask() else {
        return Vec::new();
    };
    let mut claims = Vec::new();
    let words = pen.ends(latest.text, LATEST_BYTES_MAX);
    pen.first_time(latest.text);
    pen.quoted(&words);
    match answered(digest, latest, pen) {
        Some(question) => claims.push(format!("{words} (in answer to: \"{question}\")")),
        None => claims.push(words),
    }
    let first = digest.asks.first().filter(|first| first.at != latest.at);
    if let Some(first) = first {
        claims.extend(quoted(
            "asked first",
            first.text,
            first,
            FIRST_BYTES_MAX,
            pen,
        ));
    }
    let between = digest
        .asks
        .iter()
        .skip(1)
        .filter(|ask| ask.how == How::Prompt && ask.at < latest.at)
        .filter(|ask| !words::is_bare(ask.text) && !traps::corrects(ask));
    for ask in between.rev().take(BETWEEN_MAX) {
        claims.extend(quoted(
            "before that",
            asked(ask.text),
            ask,
            BETWEEN_BYTES_MAX,
            pen,
        ));
    }
    let claims = claims.into_iter();
    claims.map(|text| Claim::new(Origin::User, text)).collect()
}

fn quoted(
    label: &str,
    text: &str,
    ask: &Ask<'_>,
    bytes: usize,
    pen: &mut Pen<'_>,
) -> Option<String> {
    let words = pen.head(text, bytes);
    let new = pen.first_time(ask.text);
    new.then(|| {
        pen.quoted(&words);
        format!("{label}: \"{words}\"")
    })
}

/// What the person says where most of the text is something that they pasted: its first line.
fn asked(text: &str) -> &str {
    let pasted = text.len() > PASTE_BYTES_MIN && text.lines().count() > PASTE_LINES_MIN;
    match text.split_once('\n') {
        Some((first, _)) if pasted => first,
        _ => text,
    }
}

/// What a short ask answers: the question right before it; a bare one also what the agent said last.
fn answered(digest: &Digest<'_>, ask: Ask<'_>, pen: &mut Pen<'_>) -> Option<String> {
    if ask.text.len() > ANSWER_BYTES_MAX {
        return None;
    }
    let (at, said) = digest.said_before(ask.at)?;
    let earlier = digest.asks.iter().rev().find(|one| one.at < ask.at);
    if earlier.is_some_and(|earlier| earlier.at > at) {
        return None;
    }
    let question = words::questions(said).last().copied();
    let bare = || {
        words::sentences(said)
            .last()
            .copied()
            .filter(|_| words::is_bare(ask.text))
    };
    let question = question.or_else(bare)?;
    Some(pen.ends(question, ANSWERED_BYTES_MAX))
}
