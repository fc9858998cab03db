//! `git segue prune`: old sessions are dropped whole, and what killed processes left behind is swept.

use std::collections::HashSet;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::list::in_json;
use super::shown::Clock;
use super::{Context, Ending, json};
use crate::error::Failure;
use crate::git::date;
use crate::handoff::session::Shorts;
use crate::place::{Make, Place};
use crate::state::forget::Forgotten;
use crate::store::layout::REFS;
use crate::store::prune::{Old, OldSessions};
use crate::store::{SessionTip, Store};
use crate::ui::{Ink, Line, Ui};

/// A session whose newest card is older is old, where `segue.expire` says nothing else.
const EXPIRE: &str = "90.days";

/// What is typed behind `prune`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Say what would be dropped, and drop nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Drop sessions whose newest card is older; `segue.expire`, else 90.days
    #[arg(long, value_name = "time")]
    expire: Option<String>,
    /// Keep the newest <k> sessions however old they are
    #[arg(long, value_name = "k", default_value_t = 0, hide_default_value = true)]
    keep: usize,
    /// Also drop sessions that another one goes on from
    #[arg(long)]
    also_continued: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Drops them, and says which.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let place = cx.place(Make::No)?;
    let expire = args.expire.clone();
    let expire = expire.or_else(|| place.settings.expire.clone());
    let expire = expire.unwrap_or_else(|| EXPIRE.to_owned());
    let before = date::before(&expire, cx.env.git.now).ok_or_else(|| {
        Failure::usage(format!("cannot prune: `{expire}` is no time"))
            .hint("such as 90.days, 2.weeks.ago, 2026-11-30, now, or never")
    })?;
    let old = Old {
        before,
        keep: args.keep,
        also_continued: args.also_continued,
    };
    let store = Store::new(&place.repo);
    let clock = Clock::of(&cx.env);
    if args.dry_run {
        let found = store.old_sessions(&old)?;
        if args.json {
            cx.ui.json(&answer(args, &found, 0))?;
        } else {
            say(cx.ui, &found, "would drop", clock)?;
        }
        return Ok(Ending::Yes);
    }
    let prune = || -> anyhow::Result<(OldSessions, usize)> {
        let found = store.old_sessions(&old)?;
        store.drop_sessions(&found.drop)?;
        let swept = sweep(&place, &found.drop)?;
        Ok((found, swept))
    };
    let (found, swept) = place.state.while_none_saves(prune).ok_or_else(|| {
        Failure::fatal("cannot prune while cards are being saved, pulled or pushed")
            .hint("run it again in a moment")
    })??;
    if args.json {
        cx.ui.json(&answer(args, &found, swept))?;
        return Ok(Ending::Yes);
    }
    say(cx.ui, &found, "dropped", clock)?;
    if swept > 0 {
        let text = format!("swept {swept} files that nobody needs any more");
        cx.ui.line(&Line::new().text(text))?;
    }
    Ok(Ending::Yes)
}

fn answer(args: &Args, found: &OldSessions, swept: usize) -> Value {
    let sessions = |tips: &[SessionTip]| tips.iter().map(in_json).collect::<Vec<_>>();
    let body = json!({
        "dry_run": args.dry_run,
        "dropped": sessions(&found.drop),
        "kept": sessions(&found.continued),
        "swept": swept,
    });
    json::answer("prune", body)
}

/// Removes what killed processes left, and what is kept of sessions that have no chain; how many files.
fn sweep(place: &Place, dropped: &[SessionTip]) -> anyhow::Result<usize> {
    let refs = place.repo.refs_under(REFS).context("cannot sweep")?;
    let chains: HashSet<&str> = refs
        .iter()
        .filter_map(|(name, _)| name.strip_prefix(REFS))
        .collect();
    let mut sessions = place.state.long_left();
    sessions.retain(|session| !chains.contains(session.as_str()));
    let left = sessions.len();
    sessions.extend(dropped.iter().map(|tip| tip.session.clone()));
    place.state.forget(&Forgotten {
        sessions: &sessions,
        card: &|card| Some(card.to_owned()),
        text: None,
    })?;
    place.repo.sweep_temporary_objects();
    Ok(left + place.repo.sweep_stale_locks() + place.repo.sweep_asides())
}

fn say(ui: &mut Ui, found: &OldSessions, word: &str, clock: Clock) -> anyhow::Result<()> {
    let named = found.drop.iter().chain(&found.continued);
    let shorts = Shorts::of(named.map(|tip| tip.session.as_str()));
    for (word, why, tips) in [
        (word, "", &found.drop),
        (
            "kept",
            " (another session goes on from it)",
            &found.continued,
        ),
    ] {
        for tip in tips {
            let line = Line::new()
                .text(format!("{word} "))
                .ink(Ink::Id, shorts.get(&tip.session))
                .text(format!(", {} old{why}: {}", clock.age(tip.at), tip.goal));
            ui.line(&line)?;
        }
    }
    if found.drop.is_empty() {
        ui.say(&Line::new().text("no session is old enough to be dropped"));
    }
    Ok(())
}
