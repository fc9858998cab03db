//! `save --model`, `save --no-model`: who writes the card.

use std::time::Duration;

use super::Context;
use crate::error::Failure;
use crate::handoff::card::{Card, Stored};
use crate::place::Place;
use crate::save::{self, Asking, Request, Saved};
use crate::settings::NO_MODEL;
use crate::store::Store;

/// How long a person may wait for a model beside `segue.timeout`.
const NO_HOST_MAX: Duration = Duration::MAX;

/// What is typed about the model.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Choice {
    /// The model that writes the card: anthropic/<model>, openai/<model>,
    /// compatible/<model>, command; none for the rules
    #[arg(long, value_name = "name", conflicts_with = "no_model")]
    model: Option<String>,
    /// Let the rules write the card, whatever segue.model says
    #[arg(long)]
    no_model: bool,
}

impl Choice {
    /// The model to ask; none where the rules are to write alone.
    pub(super) fn name<'n>(&'n self, place: Option<&'n Place>) -> anyhow::Result<Option<&'n str>> {
        if self.no_model {
            return Ok(None);
        }
        match self.model.as_deref() {
            Some(NO_MODEL) => Ok(None),
            Some(name) if !save::is_model(name) => Err(Failure::usage(format!(
                "no model `{name}`"
            ))
            .hint("name it as anthropic/<model>, openai/<model>, compatible/<model>, or command")
            .into()),
            Some(name) => Ok(Some(name)),
            None => Ok(place.and_then(|place| place.settings.model.name.as_deref())),
        }
    }
}

/// The card that the model writes from one by rules.
pub(super) fn card(
    name: &str,
    cx: &Context<'_>,
    place: &Place,
    request: &Request<'_>,
    by_rules: Card,
    before: Option<&Stored>,
) -> Card {
    if request.transcript.is_none_or(|one| one.turns.is_empty()) {
        return by_rules;
    }
    let asking = Asking {
        name,
        keys: &cx.env.keys,
        host_max: NO_HOST_MAX,
        now: cx.env.git.now,
    };
    save::rewritten(place, request, &by_rules, before, &asking)
}

/// Lets the model's card take the place of the one by rules that was just committed.
pub(super) fn rewrite(
    name: &str,
    cx: &Context<'_>,
    place: &Place,
    request: &Request<'_>,
    saved: Saved,
) -> anyhow::Result<Saved> {
    let store = Store::new(&place.repo);
    let parents = store.read(&saved.appended.id)?.parents;
    let before = parents.first().and_then(|id| store.read(id).ok());
    let card = card(
        name,
        cx,
        place,
        request,
        saved.card.clone(),
        before.as_ref(),
    );
    save::put(place, saved, card, &cx.dir)
}
