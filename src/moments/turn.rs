//! A prompt is sent, a turn ends, a session ends.

use super::giving::{give, receipt};
use super::{Outcome, Scene};
use crate::handoff::session::{Kind, Trigger};
use crate::handoff::transcript::Transcript;
use crate::hosts::{EndReason, Reply, RunningAgent};
use crate::place::Place;
use crate::restore::marker;
use crate::state::log::Did;
use crate::state::sessions::{Giving, SessionState};
use crate::store::Store;

/// A prompt: the second chance for a card that waits or was lost, and the word about a window that is nearly full.
pub(super) fn prompt(scene: &Scene<'_>, place: &Place) -> anyhow::Result<Outcome> {
    let state = place.state.session(&scene.session);
    // Cards of conversations without an id are nobody's: the next such conversation is another one.
    let mine = !scene.session.is_unknown();
    if mine && (state.waiting.is_some() || lost(scene, place, &state)) {
        let (card, trouble) = place.state.change_session(&scene.session, |state| {
            let waited = state.waiting.take().map(|waiting| waiting.card);
            let again = waited.is_none();
            let unsettled = state.given.as_ref().filter(|given| !given.settled);
            let card = waited.or_else(|| unsettled.map(|given| given.card.clone()))?;
            state.given = Some(Giving {
                settled: again,
                ..receipt(scene, &card, state)
            });
            Some(card)
        });
        // What cannot be noted down is asked of the conversation itself: it must not hear the card at every prompt.
        let card = card.filter(|card| trouble.is_none() || !has_arrived(scene, &state, card));
        if let Some(card) = card {
            let store = Store::new(&place.repo);
            // The chain may have grown since; a cleared conversation has none yet and was given another one's card.
            let stored = match store.tip(&scene.session) {
                Ok(Some(tip)) => tip,
                _ => store.read(&card)?,
            };
            return Ok(give(scene, place, &stored, None).unless_noted(trouble));
        }
    }
    pressure(scene, place, &state)
}

/// Whether that card (hex) stands in the conversation behind the last save.
fn has_arrived(scene: &Scene<'_>, state: &SessionState, card: &str) -> bool {
    let path = scene.transcript_path();
    let from = state.saved_length.unwrap_or(0);
    path.and_then(|path| (scene.host.arrived)(&path, from, &marker(card))) == Some(true)
}

/// Whether the last giving never reached the conversation: the host has gone on since, and the text is not in it.
fn lost(scene: &Scene<'_>, place: &Place, state: &SessionState) -> bool {
    let Some(given) = state.given.as_ref().filter(|given| !given.settled) else {
        return false;
    };
    let Some(path) = scene.transcript_path() else {
        return false;
    };
    match (scene.host.arrived)(&path, given.length.unwrap_or(0), &marker(&given.card)) {
        Some(true) => {
            let card = given.card.clone();
            // Where that cannot be noted down, the next prompt looks once more.
            let _ = place.state.change_session(&scene.session, |state| {
                for given in state.given.iter_mut().filter(|given| given.card == card) {
                    given.settled = true;
                }
            });
            false
        }
        Some(false) => true,
        None => false,
    }
}

/// Once a window: an autosave past the throttle, and a word to the agent.
fn pressure(scene: &Scene<'_>, place: &Place, state: &SessionState) -> anyhow::Result<Outcome> {
    let limit = place.settings.pressure_percent;
    if limit == 0 || state.pressed == Some(state.compactions) {
        return Ok(Outcome::nothing());
    }
    let Some(fill) = scene.fill_percent(state).filter(|fill| *fill >= limit) else {
        return Ok(Outcome::nothing());
    };
    let written = scene.save(place, state, Kind::Autosave, Trigger::Prompt, None)?;
    place.state.update_session(&scene.session, |state| {
        state.pressed = Some(state.compactions);
    })?;
    let text = format!(
        "[segue] The context window is {fill} % full. Finish the step at hand, start nothing new, and tell the person that \
         now is a good moment to /compact or /clear; a handoff card is saved."
    );
    Ok(Outcome {
        reply: Reply::Context { text, notice: None },
        did: Did::Told,
        card: Some(written.card),
        note: format!("window {fill} % full {}", written.note),
    })
}

/// A turn has ended: an autosave, unless the last one was a moment ago.
pub(super) fn ended(
    scene: &Scene<'_>,
    place: &Place,
    running: &Option<Vec<RunningAgent>>,
) -> anyhow::Result<Outcome> {
    let mut state = place.state.session(&scene.session);
    if let Some(running) = running
        && super::subagents::differs(&state, running)
    {
        state = super::subagents::listed(scene, place, running);
    }
    let interval = i64::try_from(place.settings.save_interval_seconds).unwrap_or(i64::MAX);
    let since = state.saved_at.map(|at| scene.now().saturating_sub(at));
    if since.is_some_and(|since| (0..interval).contains(&since)) {
        return Ok(Outcome::nothing());
    }
    let written = scene.save(place, &state, Kind::Autosave, Trigger::Turn, None)?;
    Ok(Outcome {
        reply: Reply::Quiet,
        did: written.did,
        card: Some(written.card),
        note: written.note,
    })
}

/// The conversation has ended. One in which nothing was said leaves no card, and one without a transcript never was: Claude
/// Code 2.1.332 fires SessionEnd for its own `plugin` commands too, with an id of nothing.
pub(super) fn session_ended(
    scene: &Scene<'_>,
    place: &Place,
    reason: EndReason,
) -> anyhow::Result<Outcome> {
    let heard = scene.heard();
    let said = |transcript: &Transcript| !transcript.turns.is_empty();
    if heard.path.is_none() || heard.transcript.as_ref().is_some_and(|one| !said(one)) {
        return Ok(Outcome::nothing());
    }
    let trigger = match reason {
        EndReason::Clear => Trigger::Clear,
        EndReason::Other => Trigger::End,
    };
    let state = place.state.session(&scene.session);
    let written = scene.save_heard(place, &state, heard, (Kind::Card, trigger), None)?;
    Ok(Outcome {
        reply: Reply::Quiet,
        did: written.did,
        card: Some(written.card),
        note: written.note,
    })
}
