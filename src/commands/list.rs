//! `git segue list`: the sessions that have cards, the newest first.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::shown::{self, Clock};
use super::{Context, Ending, json};
use crate::git::Repo;
use crate::handoff::decision::stamp;
use crate::handoff::session::short;
use crate::place::Make;
use crate::store::layout::{BRANCH, HEAD, HOST, KIND, TRIGGER};
use crate::store::{SessionTip, Store};
use crate::ui::{Ink, Line};

/// What is typed behind `list`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// What was fetched, also of sessions that are here
    #[arg(long)]
    remote: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Prints one line a session; reads no more than each tip's commit.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let place = cx.place(Make::No)?;
    let store = Store::new(&place.repo);
    let tips = tips(args, &store)?;
    if args.json {
        let sessions: Vec<Value> = tips.iter().map(in_json).collect();
        let body = json!({ "sessions": sessions });
        cx.ui.json(&json::answer("list", body))?;
        return Ok(Ending::Yes);
    }
    cx.ui.page()?;
    let clock = Clock::of(&cx.env);
    let head = place.census_repo().and_then(Repo::head);
    let head = head.map(|id| id.to_string());
    for tip in &tips {
        let mut line = Line::new()
            .ink(Ink::Id, short(&tip.session))
            .ink(Ink::Faint, format!(" {:>6} ", clock.age(tip.at)))
            .text(format!("{} ", tip.trailer(HOST).unwrap_or("-")));
        if let Some(remote) = &tip.remote {
            line = line.ink(Ink::Title, format!("[{remote}] "));
        }
        if let (Some(head), Some(then)) = (&head, tip.trailer(HEAD)) {
            let (ink, word) = if head == then {
                (Ink::Good, "same commit")
            } else {
                (Ink::Warn, "HEAD moved")
            };
            line = line.ink(ink, format!("{word:<11} "));
        }
        cx.ui.line(&line.text(shown::goal(&tip.goal)))?;
    }
    Ok(Ending::Yes)
}

/// Ours, and what was fetched of sessions that we do not have; or all that was fetched.
fn tips(args: &Args, store: &Store<'_>) -> anyhow::Result<Vec<SessionTip>> {
    let mut fetched = store.fetched_sessions()?;
    if args.remote {
        return Ok(fetched);
    }
    let mut tips = store.sessions()?;
    let ours: HashSet<&str> = tips.iter().map(|tip| tip.session.as_str()).collect();
    fetched.retain(|tip| !ours.contains(tip.session.as_str()));
    tips.extend(fetched);
    Ok(tips)
}

fn in_json(tip: &SessionTip) -> Value {
    json!({
        "session": tip.session,
        "remote": tip.remote,
        "card": tip.id,
        "at": stamp(tip.at),
        "host": tip.trailer(HOST),
        "kind": tip.trailer(KIND),
        "trigger": tip.trailer(TRIGGER),
        "head": tip.trailer(HEAD),
        "branch": tip.trailer(BRANCH),
        "goal": tip.goal,
    })
}
