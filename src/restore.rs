//! The journey out: a card and the repository as it is now → what an agent is given.

mod apply;
mod blocks;
mod text;

use std::path::Path;
use std::time::Duration;

use crate::census;
use crate::deadline::Deadline;
use crate::handoff::card::{Card, Stored};
use crate::handoff::carried::Carried;
use crate::handoff::census::Census;
use crate::handoff::claim::Verdict;
use crate::handoff::freshness::{Freshness, HeadFate, Level};
use crate::handoff::plain;
use crate::handoff::session::short;
use crate::place::Place;
use crate::verify;

pub(crate) use apply::{Brought, Wish, apply};
pub(crate) use text::{Behind, given, in_its_place, marker};

/// So many paths that a card does not carry are named to an agent.
const LEFT_OUT_NAMED_MAX: usize = 5;
/// What a census may take of a restore's time.
const CENSUS_TIME_MAX: Duration = Duration::from_secs(3);

/// A card seen from now.
#[derive(Debug, Clone)]
pub(crate) struct Now {
    /// How far it moved since.
    pub(crate) freshness: Freshness,
    /// The repository's answer to each claim now, in the order of the card.
    pub(crate) verdicts: Vec<Verdict>,
    /// How old the card is, in seconds.
    pub(crate) age_seconds: i64,
    /// Whether the card was written in this very work tree: then the work that it carries is here.
    pub(crate) here: bool,
    /// Whether the card was written on another machine.
    pub(crate) elsewhere: bool,
}

/// Looks at a card with the eyes of now (`now` in seconds since 1970 UTC).
pub(crate) fn look(place: &Place, stored: &Stored, now: i64, deadline: Deadline) -> Now {
    let repo = place.census_repo();
    let card = &stored.card;
    let command = place.settings.census_command.as_deref();
    let census = repo.map(|repo| census::take(repo, command, deadline.at_most(CENSUS_TIME_MAX)));
    let mut since = repo
        .zip(census.as_ref())
        .and_then(|(repo, census)| verify::since(repo, card, census, deadline));
    let then = card.census.as_ref();
    let elsewhere = then.filter(|then| stored.remote.is_some() || is_elsewhere(place, card, then));
    if let (Some(since), Some(_)) = (&mut since, elsewhere) {
        // Its work tree is another machine's, and what never came here is not gone.
        since.worktree_gone = false;
        if since.head == HeadFate::Gone {
            since.head = HeadFate::NotHere;
        }
    }
    let age_seconds = now.saturating_sub(stored.at);
    let freshness = Freshness::between(card, age_seconds, census.as_ref(), since.as_ref());
    Now {
        freshness: match elsewhere {
            Some(then) => freshness.seen_from_elsewhere(then),
            None => freshness,
        },
        verdicts: verify::again(repo, census.as_ref(), card),
        age_seconds,
        elsewhere: stored.remote.is_some() || elsewhere.is_some(),
        here: stored.remote.is_none() && elsewhere.is_none() && {
            let then = card.census.as_ref().map(|census| &census.root);
            then == census.as_ref().map(|census| &census.root)
        },
    }
}

/// Whether a card that stands in a chain of ours was written on another machine: it names another repository; where it
/// names none, nothing was ever saved here in its work tree, which is not there either. One of ours that was removed is
/// remembered.
fn is_elsewhere(place: &Place, card: &Card, then: &Census) -> bool {
    let named = card.provenance.repository.as_ref();
    if let Some((theirs, ours)) = named.zip(place.state.repository()) {
        return *theirs != ours;
    }
    let root = Path::new(&then.root);
    place.root(root) != root && place.state.newest(root).is_none() && !root.exists()
}

/// How fresh a card is, as far as a look that costs next to nothing can tell (see [`verify::glance`]).
pub(crate) fn glance(place: &Place, stored: &Stored, now: i64) -> Level {
    let card = &stored.card;
    let repo = place.census_repo();
    let seen = repo.and_then(|repo| verify::glance(repo, card, stored.at));
    let (census, since) = seen.as_ref().map(|(census, since)| (census, since)).unzip();
    let age_seconds = now.saturating_sub(stored.at);
    Freshness::between(card, age_seconds, census, since).level
}

/// What a card carries and how it is brought back; none where it carries nothing.
pub(crate) fn carries(stored: &Stored) -> Option<String> {
    let carried = carried(stored)?;
    let left_out = carried.left_out_words(LEFT_OUT_NAMED_MAX);
    let left_out = left_out.map_or_else(String::new, |words| format!("; left out: {words}"));
    let what = carried.counted() + &left_out;
    Some(apply_words(stored, &what))
}

fn carried(stored: &Stored) -> Option<&Carried> {
    stored.card.census.as_ref()?.carried.as_ref()
}

fn apply_words(stored: &Stored, what: &str) -> String {
    format!(
        "It carries the uncommitted work ({what}): `git segue resume --apply {}` brings it into the work tree.",
        short(&stored.id)
    )
}

/// The one line that a new conversation gets: which card is the newest here, and how to take it up. `id` is the beginning of
/// the card's id that names it. What a card from elsewhere says of itself is not repeated: this line stands between no marks.
pub(crate) fn advisory(session: &str, stored: &Stored, id: &str, now: &Now) -> String {
    let card = &stored.card;
    let what = match &stored.remote {
        Some(remote) => format!("newest card: {id}, fetched from `{remote}`"),
        None => format!("newest card here: {id}"),
    };
    let goal = match now.elsewhere {
        true => String::new(),
        false => format!(", \"{}\"", plain::name(card.goal())),
    };
    format!(
        "[segue] session {} · {what}, {} old, {}{goal} · take it up: git segue resume {id}",
        short(session),
        crate::handoff::age::words(now.age_seconds),
        now.freshness.level.as_str(),
    )
}
