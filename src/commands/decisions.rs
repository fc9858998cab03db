//! `git segue decisions`: what was decided, newest first.

use serde_json::json;

use super::shown::Clock;
use super::{Context, Ending, json};
use crate::handoff::decision::{Decision, DecisionLog, united};
use crate::pick::{self, Reach};
use crate::place::Make;
use crate::store::Store;
use crate::ui::{Ink, Line, Ui};

/// What is typed behind `decisions`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// The decisions of every session
    #[arg(long)]
    all: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Prints them; one that was taken back is struck.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let place = cx.place(Make::No)?;
    let store = Store::new(&place.repo);
    let (session, log) = if args.all {
        let mut logs = Vec::new();
        for tip in store.sessions()? {
            logs.push(store.read(&tip.id)?.card.decisions);
        }
        (None, united(&logs))
    } else {
        let asker = cx.asker(&place, Reach::Worktree);
        let (session, tip) = pick::session(&place, &asker)?;
        let log = tip.map_or_else(DecisionLog::default, |tip| tip.card.decisions);
        (Some(session), log)
    };
    let newest_first = log.all().iter().enumerate().rev();
    if args.json {
        let body = json!({
            "session": session.as_ref().map(|session| session.as_str()),
            "decisions": json::decisions(newest_first),
        });
        cx.ui.json(&json::answer("decisions", body))?;
        return Ok(Ending::Yes);
    }
    cx.ui.page()?;
    let clock = Clock::of(&cx.env);
    for (place, decision) in newest_first {
        // A number is good for one session's `decide --retract`; across sessions only the id is.
        let name = if args.all {
            decision.id.clone()
        } else {
            format!("{:>3}", place + 1)
        };
        show(cx.ui, &name, decision, clock)?;
    }
    Ok(Ending::Yes)
}

fn show(ui: &mut Ui, name: &str, one: &Decision, clock: Clock) -> anyhow::Result<()> {
    let line = Line::new()
        .ink(Ink::Id, name)
        .ink(Ink::Faint, format!(" {:>6} ", clock.age(one.at)))
        .text(format!("{}: ", one.by.as_str()));
    let line = match one.retracted {
        Some((at, by)) => line
            .ink(Ink::Faint, format!("~~{}~~", one.what))
            .text(format!(
                " (taken back by {} {} ago)",
                by.as_str(),
                clock.age(at)
            )),
        None => line.text(one.what.clone()),
    };
    ui.line(&line)?;
    for (word, text) in [("why", &one.why), ("instead of", &one.instead_of)] {
        if let Some(text) = text {
            ui.line(&Line::new().text(format!("      {word}: {text}")))?;
        }
    }
    Ok(())
}
