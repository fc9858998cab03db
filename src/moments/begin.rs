//! A conversation, or a new window of it, begins: whose card is it?

use super::giving::{give, receipt};
use super::{Outcome, Scene, SeatOf};
use crate::handoff::card::Stored;
use crate::handoff::session::{Kind, SessionId, Trigger};
use crate::handoff::transcript::{Transcript, What};
use crate::hosts::{Reply, Source};
use crate::place::Place;
use crate::restore;
use crate::state::log::Did;
use crate::state::sessions::{Giving, Link, SessionState};
use crate::store::{SessionTip, Store};

/// Two givings of one card that are asked for at the same place so close to each other are one event told twice, in seconds.
const SAME_EVENT_SECONDS: i64 = 2;

/// The session's own chain after a compaction and when it is taken up again; the chain of the one that sat here after a
/// clear; one line otherwise.
pub(super) fn session(scene: &Scene<'_>, place: &Place, source: Source) -> anyhow::Result<Outcome> {
    match source {
        // Cards of conversations without an id are nobody's: the next such conversation is another one.
        Source::Compact | Source::Resume if scene.session.is_unknown() => Ok(Outcome::nothing()),
        Source::Compact => compacted(scene, place),
        Source::Resume => resumed(scene, place),
        Source::Clear => cleared(scene, place),
        Source::Startup => offer(scene, place),
        Source::Fork => Ok(Outcome::nothing()),
    }
}

/// The card that waits is given. Where none waits, PreCompact never came or this event is told twice: a card older than the
/// last turn is first written anew, and one that was given already is not given again.
fn compacted(scene: &Scene<'_>, place: &Place) -> anyhow::Result<Outcome> {
    let store = Store::new(&place.repo);
    let state = place.state.session(&scene.session);
    let waits = state.waiting.is_some();
    let in_place = |given: &Giving| given.in_place && given.compaction == state.compactions;
    if !waits && state.given.as_ref().is_some_and(in_place) {
        // A function hook put the text with the card into the conversation's place.
        place.state.update_session(&scene.session, |state| {
            if let Some(given) = &mut state.given {
                given.in_place = false;
            }
        })?;
        return Ok(Outcome::nothing());
    }
    if !waits && is_behind(scene, &store) {
        let state = place.state.session(&scene.session);
        scene.save(place, &state, Kind::Card, Trigger::CompactAuto, None)?;
    }
    let Some(tip) = store.tip(&scene.session)? else {
        return Ok(Outcome::nothing());
    };
    let kept = keeps_what_was_told(scene, &state);
    let (mine, trouble) = place.state.change_session(&scene.session, |state| {
        let waited = state.waiting.take().is_some();
        state.announced = None;
        let given = state.given.as_ref().filter(|given| given.card == tip.id);
        let mine = !kept && (given.is_none() || waited);
        if mine {
            state.given = Some(receipt(scene, &tip.id, state));
        }
        mine
    });
    Ok(if mine {
        give(scene, place, &tip, None).unless_noted(trouble)
    } else {
        Outcome::nothing()
    })
}

/// Whether a card that was given as the conversation was taken up still stands in it, and says all that there is to say:
/// Claude Code 2.1.332 keeps what a hook said then when it compacts before the first prompt is answered.
fn keeps_what_was_told(scene: &Scene<'_>, state: &SessionState) -> bool {
    let Some(given) = state.given.as_ref().filter(|given| given.resumed) else {
        return false;
    };
    let answers = |transcript: &Transcript| {
        transcript
            .turns
            .iter()
            .any(|turn| turn.at > given.at && matches!(turn.what, What::Agent(_) | What::Tool(_)))
    };
    given.compaction + 1 == state.compactions
        && scene
            .transcript_path()
            .and_then(|path| (scene.host.read)(&path).ok())
            .is_some_and(|transcript| !answers(&transcript))
}

/// Whether the newest card is older than what was last said or done; one that cannot be read is.
pub(super) fn is_behind(scene: &Scene<'_>, store: &Store<'_>) -> bool {
    let path = scene.transcript_path();
    let Some(Ok(transcript)) = path.as_deref().map(scene.host.read) else {
        return false;
    };
    let mut turns = transcript.turns.iter().rev();
    let last = turns.find(|turn| turn.what != What::Compacted);
    let tip = store.tip(&scene.session).ok().flatten();
    last.is_some_and(|last| tip.is_none_or(|tip| tip.at < last.at))
}

/// The conversation is whole again, so a card that stands in it is not repeated.
fn resumed(scene: &Scene<'_>, place: &Place) -> anyhow::Result<Outcome> {
    let Some(tip) = Store::new(&place.repo).tip(&scene.session)? else {
        return Ok(Outcome::nothing());
    };
    let path = scene.transcript_path();
    let (mine, trouble) = place.state.change_session(&scene.session, |state| {
        let waited = state.waiting.take().is_some();
        let stands = state
            .given
            .as_ref()
            .filter(|given| given.card == tip.id)
            .is_some_and(|given| {
                let arrived = path.as_deref().and_then(|path| {
                    (scene.host.arrived)(path, given.length.unwrap_or(0), &restore::marker(&tip.id))
                });
                let again = given.resumed && scene.now() - given.at <= SAME_EVENT_SECONDS;
                arrived == Some(true) || again
            });
        let mine = waited || !stands;
        if mine {
            state.given = Some(Giving {
                resumed: true,
                ..receipt(scene, &tip.id, state)
            });
        }
        mine
    });
    Ok(if mine {
        give(scene, place, &tip, None).unless_noted(trouble)
    } else {
        Outcome::nothing()
    })
}

/// The session that sat here before is the one that was cleared; its card is given, and this chain goes on from it.
fn cleared(scene: &Scene<'_>, place: &Place) -> anyhow::Result<Outcome> {
    let SeatOf::Person(seat) = scene.seat() else {
        return offer(scene, place);
    };
    let before = place
        .state
        .sitter(&seat, scene.host.name)
        .filter(|before| before != scene.session.as_str());
    let Some(before) = before else {
        let told = place.state.session(&scene.session).given.is_some();
        return if told {
            Ok(Outcome::nothing())
        } else {
            offer(scene, place)
        };
    };
    let Some((session, card)) = left_behind(place, before)? else {
        return offer(scene, place);
    };
    let ((), trouble) = place.state.change_session(&scene.session, |state| {
        state.continues = Some(Link {
            session,
            card: card.id.clone(),
        });
        state.given = Some(receipt(scene, &card.id, state));
    });
    Ok(give(scene, place, &card, None).unless_noted(trouble))
}

/// The card that a cleared conversation leaves, and the session that it is of: its own newest one. One that left none,
/// since nothing was said in it, passes on what it went on from itself.
fn left_behind(place: &Place, session: String) -> anyhow::Result<Option<(String, Stored)>> {
    let store = Store::new(&place.repo);
    let id = SessionId::new(&session);
    if let Some(tip) = store.tip(&id)? {
        return Ok(Some((session, tip)));
    }
    let Some(from) = place.state.session(&id).continues else {
        return Ok(None);
    };
    // That very card may have been taken out of its chain since.
    let card = match store.read(&from.card) {
        Ok(card) => Some(card),
        Err(_) => store.tip(&SessionId::new(&from.session))?,
    };
    Ok(card.map(|card| (from.session, card)))
}

/// One line that names the newest card of this work tree, else the newest that was fetched.
fn offer(scene: &Scene<'_>, place: &Place) -> anyhow::Result<Outcome> {
    let newest = place
        .state
        .newest(&place.root(&scene.dir))
        .filter(|name| name != scene.session.ref_name())
        .filter(|name| name != SessionId::unknown().ref_name());
    let store = Store::new(&place.repo);
    let newest = newest.map(|newest| store.tip(&SessionId::from_ref_name(&newest)));
    let Some(tip) = newest.transpose()?.flatten().map_or_else(
        || store.newest_fetched(&place.state.tips_index(), |tip| is_others(scene, tip)),
        |tip| Ok(Some(tip)),
    )?
    else {
        return Ok(Outcome::nothing());
    };
    let now = restore::look(place, &tip, scene.now(), scene.deadline);
    let id = store.short_id(&tip.id);
    let line = restore::advisory(scene.session.ref_name(), &tip, id, &now);
    Ok(Outcome {
        reply: Reply::Context {
            text: line.clone(),
            notice: Some(line),
        },
        did: Did::Told,
        card: Some(tip.id.clone()),
        note: now.freshness.level.as_str().to_owned(),
    })
}

/// Whether what was fetched is a session that somebody else has: neither this one nor that of all without an id.
fn is_others(scene: &Scene<'_>, tip: &SessionTip) -> bool {
    tip.session != scene.session.ref_name() && tip.session != SessionId::unknown().ref_name()
}
