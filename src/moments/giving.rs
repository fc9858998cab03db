//! Giving a card to the agent, once a compaction.

use super::{Outcome, Scene, file_length};
use crate::handoff::card::Stored;
use crate::handoff::subagent::Subagent;
use crate::hosts::Reply;
use crate::place::Place;
use crate::restore;
use crate::state::log::Did;
use crate::state::sessions::{Giving, SessionState};

/// The card as the agent reads it. The receipt stands already.
pub(super) fn give(
    scene: &Scene<'_>,
    place: &Place,
    stored: &Stored,
    origin: Option<&str>,
) -> Outcome {
    let now = restore::look(place, stored, scene.now(), scene.deadline);
    let ended = ended_since(&place.state.session(&scene.session), stored);
    let given = restore::given(stored, &now, &ended, origin);
    Outcome {
        reply: Reply::Context {
            text: given.text,
            notice: Some(given.notice),
        },
        did: Did::Gave,
        card: Some(stored.id.clone()),
        note: now.freshness.level.as_str().to_owned(),
    }
}

impl Outcome {
    /// A giving whose receipt could not be written, and why: the person is told in its line, and it may be given again.
    pub(super) fn unless_noted(mut self, trouble: Option<anyhow::Error>) -> Self {
        let Some(err) = trouble else {
            return self;
        };
        let why = format!("not noted down as given: {err:#}");
        if let Reply::Context {
            notice: Some(notice),
            ..
        } = &mut self.reply
        {
            notice.push_str("; ");
            notice.push_str(&why);
        }
        self.add_note(&why);
        self
    }
}

/// The receipt of a giving that is about to be made.
pub(super) fn receipt(scene: &Scene<'_>, card: &str, state: &SessionState) -> Giving {
    Giving {
        card: card.to_owned(),
        compaction: state.compactions,
        at: scene.now(),
        length: scene.transcript_path().as_deref().and_then(file_length),
        settled: false,
        resumed: false,
        in_place: false,
    }
}

/// Subagents that ran when the card was written and have ended since.
pub(super) fn ended_since(state: &SessionState, stored: &Stored) -> Vec<Subagent> {
    use crate::handoff::subagent::SubagentState::{Finished, Running};
    let ran = |id: &str| {
        stored
            .card
            .subagents
            .iter()
            .any(|one| one.id == id && one.state == Running)
    };
    state
        .subagents()
        .into_iter()
        .filter(|one| one.state == Finished && ran(&one.id))
        .collect()
}
