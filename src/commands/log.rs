//! `git segue log`: the cards of a session and all that it goes back to, newest first.

use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use super::shown::{Clock, Head};
use super::{Context, Ending, json};
use crate::handoff::card::Stored;
use crate::handoff::markdown;
use crate::pick::{self, Reach};
use crate::place::{Make, Place};
use crate::store::{Glance, Store};
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
    let store = Store::new(&place.repo);
    let from = starts(args, cx, &place)?;
    let mut cards: Box<dyn Iterator<Item = anyhow::Result<Glance>>> =
        Box::new(store.lineage(from)?.take(args.count.unwrap_or(usize::MAX)));
    if args.reverse {
        let newest_first: Vec<_> = cards.collect();
        cards = Box::new(newest_first.into_iter().rev());
    }
    if args.json {
        let cards: Vec<Value> = cards
            .map(|card| store.read(&card?.id))
            .filter_map(|card| known(cx.ui, card))
            .map(|card| json::short(&card))
            .collect();
        let body = json!({ "cards": cards });
        cx.ui.json(&json::answer("log", body))?;
        return Ok(Ending::Yes);
    }
    cx.ui.page()?;
    let clock = Clock::of(&cx.env);
    for (n, card) in cards.enumerate() {
        let Some(card) = known(cx.ui, card) else {
            continue;
        };
        let head = Head::from(&card);
        if args.oneline {
            cx.ui.line(&head.oneline(clock))?;
        } else {
            long(cx.ui, &head, clock, n == 0)?;
        }
        if args.patch
            && let Some(card) = known(cx.ui, store.read(&card.id))
        {
            patch(cx.ui, &store, &card)?;
        }
    }
    Ok(Ending::Yes)
}

/// A card, or a line that says why it cannot be shown: one broken card does not hide those behind it.
fn known<T>(ui: &mut Ui, card: anyhow::Result<T>) -> Option<T> {
    card.inspect_err(|err| {
        let warning = Line::new().ink(Ink::Warn, "warning: ");
        ui.say(&warning.text(format!("{err:#}")));
    })
    .ok()
}

/// The cards to begin at, each with its moment.
fn starts(args: &Args, cx: &mut Context<'_>, place: &Place) -> anyhow::Result<Vec<(String, i64)>> {
    if args.all {
        let tips = Store::new(&place.repo).sessions()?;
        return Ok(tips.into_iter().map(|tip| (tip.id, tip.at)).collect());
    }
    let asker = cx.asker(place, Reach::Worktree);
    let (id, remark) = pick::id(place, args.session.as_deref(), &asker)?;
    cx.remark(remark);
    // It is alone, so its moment puts it before nothing.
    Ok(vec![(id, 0)])
}

fn long(ui: &mut Ui, head: &Head, clock: Clock, is_first: bool) -> anyhow::Result<()> {
    if !is_first {
        ui.line(&Line::new())?;
    }
    for line in head.lines(clock) {
        ui.line(&line)?;
    }
    ui.line(&Line::new())?;
    ui.line(&Line::new().text(format!("    {}", head.goal())))
}

/// The card's Markdown against that of the card before.
fn patch(ui: &mut Ui, store: &Store<'_>, stored: &Stored) -> anyhow::Result<()> {
    let new = markdown::card(&stored.card);
    let old = match stored.parents.first() {
        Some(parent) => markdown::card(&store.read(parent)?.card),
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
