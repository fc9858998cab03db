//! Before a compaction, where a model is configured: its card takes the place of the rules' one, which stands already and
//! stays in every other case.

use super::{Scene, Written, file_length};
use std::path::PathBuf;

use crate::handoff::card::{Card, Stored, Writer};
use crate::handoff::transcript::{Transcript, What};
use crate::place::Place;
use crate::save::{self, Asking, Request, Saved};
use crate::state::log::Did;
use crate::state::sessions::{SessionState, Waiting};
use crate::store::{Appended, Store};

/// The card that waits, where this compaction was announced before and nothing was said since: a model is asked once.
pub(super) fn waits_already(
    scene: &Scene<'_>,
    place: &Place,
    state: &SessionState,
) -> Option<Written> {
    place.settings.model.name.as_ref()?;
    let card = state.waiting.as_ref()?.card.clone();
    let length = scene.transcript_path().as_deref().and_then(file_length);
    let tip = Store::new(&place.repo).tip(&scene.session).ok()??;
    (tip.id == card && length.is_some() && length == state.saved_length).then(|| Written {
        card,
        did: Did::Unchanged,
        note: String::new(),
    })
}

/// Asks the model where one is configured and a card was just written. Nothing that goes wrong here costs that card.
pub(super) fn rewrite(scene: &Scene<'_>, place: &Place, mut written: Written) -> Written {
    let Some(name) = &place.settings.model.name else {
        return written;
    };
    if written.did == Did::Unchanged {
        return written;
    }
    match try_rewrite(scene, place, name, &written.card) {
        Ok(None) => {}
        Ok(Some(Rewritten { card, note })) => {
            written.card = card;
            add(&mut written.note, &note);
        }
        Err(err) => add(&mut written.note, &format!("no model: {err:#}")),
    }
    written
}

fn add(note: &mut String, more: &str) {
    if !note.is_empty() && !more.is_empty() {
        note.push_str("; ");
    }
    note.push_str(more);
}

/// The card that took the place of the rules' one, and what there is to tell.
struct Rewritten {
    card: String,
    note: String,
}

/// A card by rules that stands, with what it was made from.
pub(super) struct Basis {
    /// The card.
    pub(super) stored: Stored,
    /// The card before it.
    pub(super) before: Option<Stored>,
    path: PathBuf,
    transcript: Transcript,
}

impl Basis {
    /// The basis of the card `id` (hex); none where nothing was said.
    pub(super) fn of(scene: &Scene<'_>, place: &Place, id: &str) -> anyhow::Result<Option<Self>> {
        let Some(path) = scene.transcript_path() else {
            return Ok(None);
        };
        let transcript = (scene.host.read)(&path)?;
        if transcript.turns.is_empty() {
            return Ok(None);
        }
        let store = Store::new(&place.repo);
        let stored = store.read(id)?;
        let parent = stored.parents.first();
        let before = parent.and_then(|id| store.read(id).ok());
        Ok(Some(Self {
            stored,
            before,
            path,
            transcript,
        }))
    }

    /// What another card in its place is made of.
    pub(super) fn request<'r>(&'r self, scene: &'r Scene<'_>, place: &Place) -> Request<'r> {
        let from = &self.stored.card.provenance;
        scene.request(
            place,
            &place.state.session(&scene.session),
            (from.kind, from.trigger),
            from.instructions.as_deref(),
            Some(&self.path),
            Some(&self.transcript),
        )
    }

    /// What the person said last.
    pub(super) fn last_words(&self) -> Option<&str> {
        let turns = self.transcript.turns.iter().rev();
        turns.map(|turn| &turn.what).find_map(|what| match what {
            What::Person(words) => Some(words.as_str()),
            _ => None,
        })
    }

    /// Puts another card in its place, as [`save::put`] does.
    pub(super) fn replace(
        self,
        scene: &Scene<'_>,
        place: &Place,
        card: Card,
    ) -> anyhow::Result<Saved> {
        let by_rules = Saved {
            card: self.stored.card,
            appended: Appended {
                id: self.stored.id,
                written: true,
                warnings: Vec::new(),
            },
        };
        save::put(place, by_rules, card, &scene.dir)
    }
}

fn try_rewrite(
    scene: &Scene<'_>,
    place: &Place,
    name: &str,
    id: &str,
) -> anyhow::Result<Option<Rewritten>> {
    let Some(basis) = Basis::of(scene, place, id)? else {
        return Ok(None);
    };
    let asking = Asking {
        name,
        keys: &scene.env.keys,
        host_max: scene.host.hold_max,
        now: scene.now(),
    };
    let request = basis.request(scene, place);
    let (by_rules, before) = (&basis.stored.card, basis.before.as_ref());
    let card = save::rewritten(place, &request, by_rules, before, &asking);
    let cost = cost(&card);
    if !waits(&place.state.session(&scene.session), id) {
        let note = format!("{cost}: too late, the card was given before the model answered");
        let card = id.to_owned();
        return Ok(Some(Rewritten { card, note }));
    }
    let saved = basis.replace(scene, place, card)?;
    let new = saved.appended.id;
    place.state.update_session(&scene.session, |state| {
        if waits(state, id) {
            state.waiting = Some(Waiting { card: new.clone() });
        }
    })?;
    let told = std::iter::once(cost).chain(saved.appended.warnings);
    let told: Vec<String> = told.filter(|text| !text.is_empty()).collect();
    Ok(Some(Rewritten {
        card: new,
        note: told.join("; "),
    }))
}

/// Whether that card (hex) waits to be given.
pub(super) fn waits(state: &SessionState, card: &str) -> bool {
    state
        .waiting
        .as_ref()
        .is_some_and(|waiting| waiting.card == card)
}

/// What the model cost that wrote a card, in one line.
pub(super) fn cost(card: &Card) -> String {
    match &card.writer {
        Writer::Model(call) => save::cost(call),
        _ => String::new(),
    }
}
