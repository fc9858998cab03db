//! Before a compaction: the card, and where it was asked for, the wait for subagents.

use std::time::{Duration, Instant};

use super::{Outcome, Scene, Written, function_hook, model};
use crate::handoff::session::{Kind, Trigger, short};
use crate::hosts::Reply;
use crate::place::Place;
use crate::state::log::Did;

/// Pause between two looks at the ledger while a compaction is put off.
pub(super) const HOLD_PAUSE: Duration = Duration::from_millis(250);

/// Writes the card that the next window gets. An automatic compaction is put off while subagents run, where
/// `segue.holdMinutes` says so, by waiting and never by a veto: a veto ends the turn in both measured hosts. The card is
/// written before the wait, which the host may cut short, and once more behind it; a model is asked last.
pub(super) fn before(
    scene: &Scene<'_>,
    place: &Place,
    manual: bool,
    instructions: Option<&str>,
) -> anyhow::Result<Outcome> {
    let trigger = if manual {
        Trigger::CompactManual
    } else {
        Trigger::CompactAuto
    };
    let state = place.state.session(&scene.session);
    if let Some(written) = function_hook::announced(scene, place, &state)? {
        return Ok(outcome(place, trigger, written));
    }
    let mut written = match model::waits_already(scene, place, &state) {
        Some(written) => written,
        None => scene.save(place, &state, Kind::Card, trigger, instructions)?,
    };
    // The card stands, and a count that cannot be written is named beside it already.
    let _ = place
        .state
        .change_session(&scene.session, |state| state.compactions += 1);
    // One that ended while the first card was being written is news for the second one too.
    if !manual && place.settings.hold_minutes > 0 && state.agents_run() {
        hold(scene, place);
        let state = place.state.session(&scene.session);
        written = scene.save(place, &state, Kind::Card, trigger, instructions)?;
        written.did = Did::Held;
    }
    let written = model::rewrite(scene, place, written);
    Ok(outcome(place, trigger, written))
}

/// What came of it, for the host and the log.
fn outcome(place: &Place, trigger: Trigger, written: Written) -> Outcome {
    let reply = if place.settings.summary_hint {
        Reply::SummaryHint(hint(&written.card))
    } else {
        Reply::Quiet
    };
    Outcome {
        reply,
        did: written.did,
        card: Some(written.card),
        note: format!("{} {}", trigger.as_str(), written.note),
    }
}

/// How long an automatic compaction may be put off.
pub(super) fn hold_max(scene: &Scene<'_>, place: &Place) -> Duration {
    let wished = Duration::from_secs(place.settings.hold_minutes.saturating_mul(60));
    wished.min(scene.host.hold_max)
}

/// Waits until no subagent runs, at most as long as is set and as the host waits for a hook.
fn hold(scene: &Scene<'_>, place: &Place) {
    let most = hold_max(scene, place);
    let started = Instant::now();
    while started.elapsed() < most && place.state.session(&scene.session).agents_run() {
        std::thread::sleep(HOLD_PAUSE);
    }
}

/// Goes into the host's own summary prompt; under a manual compaction the person sees it too.
fn hint(card: &str) -> String {
    format!(
        "handoff card {}: what is done, in flight, next and to be avoided is on a card that the agent is given separately \
         right after this compaction. So keep the summary short: at most 15 sentences, no file listings.",
        short(card)
    )
}
