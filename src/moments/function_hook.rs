//! A function hook takes the place of a host's own summary: it asks the host's model what we want to know, and the answer
//! becomes card and text. Whatever goes wrong, the card by rules stands, and the host compacts by itself.

use std::time::{Duration, Instant};

use super::giving::{ended_since, receipt};
use super::model::{self, Basis};
use super::{Outcome, Scene, Written, begin, compaction, file_length, subagents};
use crate::handoff::card::{Card, Writer};
use crate::handoff::session::{Kind, Trigger, short};
use crate::handoff::subagent::SubagentState;
use crate::hosts::{Next, Reply, RunningAgent, SummaryWritten};
use crate::place::Place;
use crate::restore::{self, Behind};
use crate::save;
use crate::state::log::Did;
use crate::state::sessions::{Giving, SessionState, Waiting};
use crate::store::Store;

/// How long one call waits for subagents: the function hook looks between two calls whether the person has given up, and
/// which subagents the host says are running.
const WAIT_MAX: Duration = Duration::from_secs(4);

/// Writes the card by rules, and says what a model is to be asked. Where `segue.holdMinutes` says so an automatic compaction
/// is put off while subagents run, with the card written before the wait and once more behind it. Where git's config names
/// who writes cards, that one does, when the host announces its own compaction.
pub(super) fn wanted(
    scene: &Scene<'_>,
    place: &Place,
    (manual, instructions): (bool, Option<&str>),
    running: &[RunningAgent],
    held: Option<Duration>,
) -> anyhow::Result<Outcome> {
    if place.settings.model.is_chosen || scene.session.is_unknown() {
        return Ok(aside(None, "left to the host"));
    }
    let trigger = if manual {
        Trigger::CompactManual
    } else {
        Trigger::CompactAuto
    };
    let hold_max = match manual {
        true => Duration::ZERO,
        false => compaction::hold_max(scene, place),
    };
    let state = subagents::listed(scene, place, running);
    let save = |state: &SessionState| -> anyhow::Result<Written> {
        let written = scene.save(place, state, Kind::Card, trigger, instructions)?;
        place.state.update_session(&scene.session, |state| {
            state.compactions += u64::from(held.is_none());
            state.announced = Some(written.card.clone());
        })?;
        Ok(written)
    };
    let Some(before) = held else {
        let written = save(&state)?;
        if !hold_max.is_zero() && state.agents_run() {
            return Ok(wait(Duration::ZERO, written));
        }
        return ask(scene, place, trigger, written);
    };
    let held = before + wait_a_little(scene, place);
    let state = place.state.session(&scene.session);
    match &state.announced {
        Some(card) if held < hold_max && state.agents_run() => Ok(wait(
            held,
            Written {
                card: card.clone(),
                did: Did::Nothing,
                note: String::new(),
            },
        )),
        _ => {
            let mut written = save(&state)?;
            written.did = Did::Held;
            ask(scene, place, trigger, written)
        }
    }
}

/// Waits until no subagent runs, at most [`WAIT_MAX`]; how long it was.
fn wait_a_little(scene: &Scene<'_>, place: &Place) -> Duration {
    let started = Instant::now();
    while started.elapsed() < WAIT_MAX && place.state.session(&scene.session).agents_run() {
        std::thread::sleep(compaction::HOLD_PAUSE);
    }
    started.elapsed()
}

fn wait(held: Duration, written: Written) -> Outcome {
    Outcome {
        reply: Reply::ForFunctionHook(Next::Wait { held }),
        did: written.did,
        card: Some(written.card),
        note: written.note,
    }
}

/// What a model is to be asked about a card by rules that stands.
fn ask(
    scene: &Scene<'_>,
    place: &Place,
    trigger: Trigger,
    written: Written,
) -> anyhow::Result<Outcome> {
    let Some(basis) = Basis::of(scene, place, &written.card)? else {
        return Ok(Outcome {
            did: written.did,
            card: Some(written.card),
            ..aside(None, "nothing was said yet")
        });
    };
    let request = basis.request(scene, place);
    let (by_rules, before) = (&basis.stored.card, basis.before.as_ref());
    let question = save::question(place, &request, by_rules, before, scene.now());
    let next = Next::Ask {
        card: written.card.clone(),
        orders: question.prompt.orders,
        data: question.prompt.data,
        output_tokens_max: question.output_tokens_max,
        time_max: question.time_max,
    };
    Ok(Outcome {
        reply: Reply::ForFunctionHook(next),
        did: written.did,
        card: Some(written.card),
        note: format!("{} {}", trigger.as_str(), written.note),
    })
}

/// Judges what the model said and puts its card in the place of the rules' one. The text that holds it takes the place of
/// the conversation, so the card counts as given; nobody gives it again.
pub(super) fn written(
    scene: &Scene<'_>,
    place: &Place,
    brought: &SummaryWritten,
) -> anyhow::Result<Outcome> {
    subagents::listed(scene, place, &brought.running);
    let id = &brought.card;
    let Some(basis) = Basis::of(scene, place, id)? else {
        return Ok(aside(None, "nothing was said yet"));
    };
    if !model::waits(&place.state.session(&scene.session), id) {
        let late = "too late: the card was given before the model answered";
        return Ok(aside(Some(told(id, late)), late));
    }
    let request = basis.request(scene, place);
    let (by_rules, before) = (&basis.stored.card, basis.before.as_ref());
    let said = brought.said.as_deref().map_err(String::as_str);
    let answer = (&brought.call, said);
    let card = save::heard(place, &request, by_rules, before, answer, scene.now());
    let prompt = basis.last_words().filter(|_| brought.in_turn);
    let prompt = prompt.map(|words| scene.clean(place, words));
    let saved = basis.replace(scene, place, card)?;
    let id = saved.appended.id.clone();
    let note = std::iter::once(model::cost(&saved.card)).chain(saved.appended.warnings.clone());
    let note: Vec<String> = note.filter(|text| !text.is_empty()).collect();
    let note = note.join("; ");
    let by_model = matches!(saved.card.writer, Writer::Model(_));
    place.state.update_session(&scene.session, |state| {
        let left = (!by_model).then(|| id.clone());
        state.announced = left.clone();
        state.waiting = left.map(|card| Waiting { card });
        if by_model {
            state.given = Some(Giving {
                in_place: true,
                ..receipt(scene, &id, state)
            });
        }
    })?;
    if !by_model {
        return Ok(Outcome {
            did: Did::Saved,
            card: Some(id.clone()),
            ..aside(Some(told(&id, &because(&saved.card))), &note)
        });
    }
    Ok(Outcome {
        reply: Reply::ForFunctionHook(Next::Replace {
            text: text(scene, place, &id, prompt.as_deref())?,
            card: id.clone(),
        }),
        did: Did::Gave,
        card: Some(id),
        note,
    })
}

/// The text that takes the place of the conversation.
fn text(
    scene: &Scene<'_>,
    place: &Place,
    id: &str,
    prompt: Option<&str>,
) -> anyhow::Result<String> {
    let stored = Store::new(&place.repo).read(id)?;
    let now = restore::look(place, &stored, scene.now(), scene.deadline);
    let state = place.state.session(&scene.session);
    let ended = ended_since(&state, &stored);
    let mut running = state.subagents();
    running.retain(|one| one.state == SubagentState::Running);
    let behind = Behind {
        running: &running,
        prompt,
    };
    Ok(restore::in_its_place(&stored, &now, &ended, behind))
}

/// The card that stands for this compaction, where a function hook told it and nothing was said since: what the host tells
/// us now is the same compaction once more. The hold is over then, too.
pub(super) fn announced(
    scene: &Scene<'_>,
    place: &Place,
    state: &SessionState,
) -> anyhow::Result<Option<Written>> {
    let Some(card) = &state.announced else {
        return Ok(None);
    };
    let store = Store::new(&place.repo);
    let length = scene.transcript_path().as_deref().and_then(file_length);
    let tip = store.tip(&scene.session).ok().flatten();
    // The host may still be writing down what was said before.
    let is_behind = || begin::is_behind(scene, &store);
    let stands =
        tip.is_some_and(|tip| tip.id == *card) && (length == state.saved_length || !is_behind());
    Ok(stands.then(|| Written {
        card: card.clone(),
        did: Did::Unchanged,
        note: String::new(),
    }))
}

fn aside(line: Option<String>, note: &str) -> Outcome {
    Outcome {
        reply: Reply::ForFunctionHook(Next::StepAside(line)),
        note: note.to_owned(),
        ..Outcome::nothing()
    }
}

/// Why the host compacts by itself, for the person.
fn told(card: &str, why: &str) -> String {
    format!("handoff card: {}, by rules: {why}", short(card))
}

fn because(card: &Card) -> String {
    match &card.writer {
        Writer::Rules {
            because: Some(because),
        } => because.clone(),
        _ => "a newer card came before the model's answer".to_owned(),
    }
}
