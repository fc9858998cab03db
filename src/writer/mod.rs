//! Writes a draft: the rules do, from the transcript and the census; and a model where one is configured.

use std::collections::BTreeMap;

use crate::handoff::card::{Card, Draft};
use crate::handoff::census::Census;
use crate::handoff::claim::Section;
use crate::handoff::redact::Redactor;
use crate::handoff::transcript::Transcript;

mod digest;
pub(crate) mod model;
mod pen;
mod rules;

use digest::Digest;
use pen::Pen;

/// What a draft is written from.
#[derive(Clone, Copy)]
pub(crate) struct Brief<'b> {
    /// The conversation; none where the host has no transcript: the census and the previous card must do.
    pub(crate) transcript: Option<&'b Transcript>,
    /// The repository.
    pub(crate) census: Option<&'b Census>,
    /// The session's previous card.
    pub(crate) previous: Option<&'b Card>,
    /// The last card of the session that was written by hand.
    pub(crate) by_hand: Option<Handed<'b>>,
    /// The card of another conversation that this one goes on from.
    pub(crate) goes_on_from: Option<Handed<'b>>,
    /// What the person wrote behind `/compact` or `save -m`.
    pub(crate) instructions: Option<&'b str>,
    /// Takes secrets out of every text before it is clipped.
    pub(crate) redactor: &'b Redactor,
    /// Paths relative to this are written relative; the work tree's root.
    pub(crate) root: Option<&'b str>,
}

/// A card that speaks on the next one too, and when it was written.
#[derive(Clone, Copy)]
pub(crate) struct Handed<'b> {
    /// The card.
    pub(crate) card: &'b Card,
    /// In seconds since 1970 UTC.
    pub(crate) at: i64,
}

/// A draft by rules, with how many secrets were taken out by kind.
pub(crate) fn by_rules(brief: &Brief<'_>) -> (Draft, BTreeMap<String, u32>) {
    let mut pen = Pen::new(brief.redactor);
    let Some(transcript) = brief.transcript else {
        return (rules::without_transcript(brief, &mut pen), pen.redactions());
    };
    let digest = Digest::of(transcript, brief.root);
    let mut draft = Draft::default();
    let mut write = |section: Section, claims| *draft.sections.of_mut(section) = claims;
    write(Section::Goal, rules::goal::write(&digest, &mut pen));
    write(Section::Traps, rules::traps::write(&digest, &mut pen));
    write(
        Section::OnlyUser,
        rules::only_user::write(&digest, &mut pen),
    );
    write(
        Section::InFlight,
        rules::in_flight::write(&digest, &mut pen),
    );
    write(
        Section::NextSteps,
        rules::next_steps::write(&digest, &mut pen),
    );
    write(Section::Done, rules::done::write(&digest, &mut pen));
    write(
        Section::ReadFirst,
        rules::read_first::write(&digest, &mut pen),
    );
    draft.decisions = rules::decisions::write(&digest, &mut pen);
    if let Some(from) = brief.goes_on_from {
        rules::taken_up::carry_on(&mut draft, from, &digest);
    }
    if let Some(hand) = brief.by_hand {
        rules::handed::take_over(&mut draft, hand, &digest);
    }
    (draft, pen.redactions())
}

#[cfg(test)]
mod tests;
