//! `git segue log`: the cards of a session and all that it goes back to, newest first.

use serde_json::json;
use similar::{ChangeTag, TextDiff};

use super::shown::{self, Clock};
use super::{Context, Ending, json, tally};
use crate::handoff::card::Stored;
use crate::handoff::claim::Section;
use crate::handoff::markdown;
use crate::place::{Make, Place};
use crate::store::Store;
use crate::ui::{Ink, Line, Ui};

/// Unchanged lines around a change, as git has them.
const DIFF_CONTEXT_LINES: usize = 3;

/// What is typed behind `log`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Show the newest <k> only
    #[arg(short = 'n', long = "max-count", value_name = "k")]
    count: Option<usize>,
    /// One line a card
    #[arg(long)]
    oneline: bool,
    /// The cards of every session
    #[arg(long, conflicts_with = "session")]
    all: bool,
    /// Oldest first
    #[arg(long)]
    reverse: bool,
    /// How each card differs from the one before
    #[arg(short = 'p', long)]
    patch: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// A session or a card to begin at; this session when not given
    #[arg(value_name = "session")]
    session: Option<String>,
}

/// Prints the cards one at a time, as they are read.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let place = cx.place(Make::No)?;
    let from = starts(args, cx, &place)?;
    let cards = Store::new(&place.repo).lineage(from)?;
    let cards = cards.take(args.count.unwrap_or(usize::MAX));
    if args.json {
        let mut cards: Vec<_> = cards.filter_map(|card| known(cx.ui, card)).collect();
        if args.reverse {
            cards.reverse();
        }
        let cards: Vec<_> = cards.iter().map(json::short).collect();
        cx.ui
            .json(&json::answer("log", json!({ "cards": cards })))?;
        return Ok(Ending::Yes);
    }
    cx.ui.page()?;
    let clock = Clock::of(&cx.env);
    if args.reverse {
        let cards: Vec<_> = cards.filter_map(|card| known(cx.ui, card)).collect();
        for (n, card) in cards.iter().rev().enumerate() {
            show(args, cx.ui, &place, card, clock, n == 0)?;
        }
    } else {
        for (n, card) in cards.enumerate() {
            if let Some(card) = known(cx.ui, card) {
                show(args, cx.ui, &place, &card, clock, n == 0)?;
            }
        }
    }
    Ok(Ending::Yes)
}

/// A card, or a line that says why it cannot be shown: one broken card does not hide those behind it.
fn known(ui: &mut Ui, card: anyhow::Result<Stored>) -> Option<Stored> {
    card.inspect_err(|err| {
        let warning = Line::new().ink(Ink::Warn, "warning: ");
        ui.say(&warning.text(format!("{err:#}")));
    })
    .ok()
}

/// The cards to begin at, each with its moment.
fn starts(args: &Args, cx: &Context<'_>, place: &Place) -> anyhow::Result<Vec<(String, i64)>> {
    if args.all {
        let tips = Store::new(&place.repo).sessions()?;
        return Ok(tips.into_iter().map(|tip| (tip.id, tip.at)).collect());
    }
    let stored = cx.card(place, args.session.as_deref())?.stored;
    Ok(vec![(stored.id, stored.at)])
}

fn show(
    args: &Args,
    ui: &mut Ui,
    place: &Place,
    stored: &Stored,
    clock: Clock,
    first: bool,
) -> anyhow::Result<()> {
    if args.oneline {
        ui.line(&shown::oneline(stored, clock))?;
    } else {
        if !first {
            ui.line(&Line::new())?;
        }
        long(ui, stored, clock)?;
    }
    if args.patch {
        patch(ui, place, stored)?;
    }
    Ok(())
}

fn long(ui: &mut Ui, stored: &Stored, clock: Clock) -> anyhow::Result<()> {
    for line in shown::head(stored, clock) {
        ui.line(&line)?;
    }
    let card = &stored.card;
    let tally = tally::of(card);
    if !tally.is_empty() {
        ui.line(&tally.line(Line::new().text("Claims:   ")))?;
    }
    ui.line(&Line::new())?;
    ui.line(&Line::new().text(format!("    {}", shown::goal(card.goal()))))?;
    if let Some(next) = card.sections.of(Section::NextSteps).first() {
        ui.line(&Line::new())?;
        ui.line(&Line::new().text(format!("    next: {}", shown::goal(&next.claim.text))))?;
    }
    Ok(())
}

/// The card's Markdown against that of the card before.
fn patch(ui: &mut Ui, place: &Place, stored: &Stored) -> anyhow::Result<()> {
    let new = markdown::card(&stored.card);
    let old = match stored.parents.first() {
        Some(parent) => markdown::card(&Store::new(&place.repo).read(parent)?.card),
        None => String::new(),
    };
    let diff = TextDiff::from_lines(&old, &new);
    let mut unified = diff.unified_diff();
    let hunks = unified.context_radius(DIFF_CONTEXT_LINES).iter_hunks();
    for (n, hunk) in hunks.enumerate() {
        if n == 0 {
            ui.line(&Line::new())?;
        }
        ui.line(&Line::new().ink(Ink::Hunk, hunk.header().to_string()))?;
        for change in hunk.iter_changes() {
            let (ink, mark) = match change.tag() {
                ChangeTag::Delete => (Ink::Bad, "-"),
                ChangeTag::Insert => (Ink::Good, "+"),
                ChangeTag::Equal => (Ink::Plain, " "),
            };
            let text = change.value().trim_end_matches('\n');
            ui.line(&Line::new().ink(ink, format!("{mark}{text}")))?;
        }
    }
    Ok(())
}
