//! `git segue list`: the sessions that have cards, the newest first.

use serde_json::{Value, json};

use super::shown::{self, Clock};
use super::{Context, Ending, json};
use crate::git::Repo;
use crate::handoff::decision::stamp;
use crate::place::Make;
use crate::store::layout::{BRANCH, HEAD, HOST, KIND, TRIGGER};
use crate::store::{SessionTip, Store, Which};
use crate::ui::{Ink, Line};

/// So many sessions are listed where nothing else is asked for.
const COUNT: usize = 50;

/// What is typed behind `list`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// List the newest <k> sessions; 50 when not given
    #[arg(short = 'n', value_name = "k", conflicts_with = "all")]
    count: Option<usize>,
    /// List every session
    #[arg(long)]
    all: bool,
    /// What was fetched, also of sessions that are here
    #[arg(long)]
    remote: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Prints one line a session; reads no more than the tips that it prints.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let place = cx.place(Make::No)?;
    let store = Store::new(&place.repo);
    let which = if args.remote {
        Which::Fetched
    } else {
        Which::All
    };
    let mut newest = store.newest_sessions(which, &place.state.tips_index())?;
    let count = args.count.unwrap_or(COUNT);
    let count = if args.all { usize::MAX } else { count };
    let tips: Vec<SessionTip> = newest.by_ref().take(count).collect();
    let more = newest.next().is_some();
    if args.json {
        let sessions: Vec<Value> = tips.iter().map(in_json).collect();
        let body = json!({ "sessions": sessions, "more": more });
        cx.ui.json(&json::answer("list", body))?;
        return Ok(Ending::Yes);
    }
    cx.ui.page()?;
    let clock = Clock::of(&cx.env);
    let head = place.census_repo().and_then(Repo::head);
    let head = head.map(|id| id.to_string());
    let shorts = store.shorts(tips.iter().map(|tip| tip.session.as_str()))?;
    let name = |tip: &SessionTip| shorts.get(&tip.session).to_owned();
    let width = tips.iter().map(|tip| name(tip).chars().count()).max();
    let width = width.unwrap_or_default();
    for tip in &tips {
        let mut line = Line::new()
            .ink(Ink::Id, format!("{:<width$}", name(tip)))
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
    if more {
        let hint = "there are older ones: `git segue list --all`";
        cx.ui.say(&Line::new().ink(Ink::Hint, "hint: ").text(hint));
    }
    Ok(Ending::Yes)
}

/// A session as `list` and `prune` tell it.
pub(super) fn in_json(tip: &SessionTip) -> Value {
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
