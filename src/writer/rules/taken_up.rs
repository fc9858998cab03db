//! A conversation that goes on from another one's card has heard what that one was about from the card alone. What it was
//! given it gives on: the prohibitions always, the goal as long as nothing else was asked, the open ends while it is short.

use super::handed::{asked_since, is_close, is_over, says_the_same};
use crate::handoff::card::Draft;
use crate::handoff::claim::{Claim, Origin, Section};
use crate::handoff::clip;
use crate::writer::Handed;
use crate::writer::digest::Digest;

/// So many claims of a section are given on.
const CLAIMS_MAX: usize = 8;
/// The old goal is quoted beside a new one up to here, in bytes.
const GOAL_BYTES_MAX: usize = 360;
/// What an old goal begins with beside a new one.
const BEFORE: &str = "before this conversation: ";

/// Puts what still holds of the card behind the draft's own claims, each fact once.
pub(in crate::writer) fn carry_on(draft: &mut Draft, from: Handed<'_>, digest: &Digest<'_>) {
    let goes_on = !asked_since(digest, from.at);
    let is_close = is_close(digest, from.at);
    for section in Section::ALL {
        let claims = from.card.sections.of(section).iter();
        let claims = claims.map(|judged| judged.claim.clone());
        let mut given: Vec<Claim> = match section {
            Section::Goal if goes_on => claims.collect(),
            Section::Goal => claims.take(1).map(earlier).collect(),
            Section::Traps => claims
                .filter(|claim| is_close || claim.origin == Origin::User)
                .collect(),
            Section::InFlight | Section::NextSteps if is_close => claims.collect(),
            _ if is_close && goes_on => claims.collect(),
            _ => Vec::new(),
        };
        given.retain(|claim| !is_over(claim, section, digest, from.at));
        given.truncate(CLAIMS_MAX);
        let own = draft.sections.of_mut(section);
        if section == Section::Goal && goes_on && !given.is_empty() {
            // A bare `go on` is no goal.
            own.clear();
        }
        given.retain(|claim| own.iter().all(|one| !says_the_same(one, claim, section)));
        own.extend(given);
    }
    if goes_on && is_close && draft.summary.is_none() {
        draft.summary.clone_from(&from.card.summary);
    }
}

/// The goal of the conversation before, beside this one's own.
fn earlier(mut goal: Claim) -> Claim {
    if !goal.text.starts_with(BEFORE) {
        goal.text = format!("{BEFORE}\"{}\"", clip::head(&goal.text, GOAL_BYTES_MAX));
    }
    goal
}
