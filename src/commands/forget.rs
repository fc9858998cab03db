//! `git segue forget`: a card, a session or a text is taken out of every chain.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Context, Ending, json};
use crate::error::Failure;
use crate::git::Oid;
use crate::git::rewrite::Move;
use crate::handoff::session::short;
use crate::place::{Make, Place};
use crate::state::forget::Forgotten;
use crate::state::forgotten::Ledger;
use crate::store::Store;
use crate::store::forget::{Forgetting, What};
use crate::store::layout::{NOTES_REF, REFS, REMOTE_REFS};
use crate::ui::{Line, Ui};

/// What is typed behind `forget`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Say what would be done, and do nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// Take this text out of every card, decision and note
    #[arg(long = "match", value_name = "text", conflicts_with = "card")]
    text: Option<String>,
    /// The card, or the session whose cards are all to go
    #[arg(value_name = "card", required_unless_present = "text")]
    card: Option<String>,
}

/// Writes the chains anew, and says what was done and what is left to do.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let place = cx.place(Make::No)?;
    let what = what(args, &place, cx)?;
    let store = Store::new(&place.repo);
    let would = store.would_forget(&what)?;
    if would.gone.is_empty() && would.touched == 0 {
        return Err(Failure::no("nothing to forget: it stands on no card").into());
    }
    if args.dry_run {
        if args.json {
            cx.ui.json(&answer(args, &would, &[]))?;
        } else {
            say(cx.ui, &would, "would forget", "would write anew")?;
        }
        return Ok(Ending::Yes);
    }
    let remotes = known(&place)?;
    let done = place
        .state
        .while_none_saves(|| store.forget(&what))
        .ok_or_else(|| {
            Failure::fatal("cannot forget anything while cards are being saved, pulled or pushed")
                .hint("run it again in a moment")
        })??;
    forget_beside(&place, &what, &done)?;
    let gone = done.gone.iter().map(|id| (id.to_string(), None));
    let anew = done.anew.iter();
    let anew = anew.map(|(old, new)| (old.to_string(), Some(new.to_string())));
    place.state.remember_forgotten(Ledger {
        cards: gone.chain(anew).collect(),
        decisions: done.decisions.keys().cloned().collect(),
    })?;
    let pushes = pushes(&done, &remotes);
    if args.json {
        cx.ui.json(&answer(args, &done, &pushes))?;
    } else {
        say(cx.ui, &done, "forgot", "wrote anew")?;
        aftermath(cx.ui, &pushes)?;
        if args.text.is_some() {
            again(cx.ui)?;
        }
    }
    Ok(Ending::Yes)
}

fn answer(args: &Args, done: &Forgetting, pushes: &[(String, Vec<String>)]) -> Value {
    let hex = |id: &Oid| id.to_string();
    let refs = done.moves.iter().map(
        |one| json!({"ref": one.name, "old": hex(&one.old), "new": one.new.as_ref().map(hex)}),
    );
    let pushes = pushes
        .iter()
        .map(|(remote, words)| json!({"remote": remote, "git": words}));
    let body = json!({
        "dry_run": args.dry_run,
        "cards": done.gone.iter().map(hex).collect::<Vec<_>>(),
        "rewritten": done.touched,
        "decisions": done.decisions.len(),
        "refs": refs.collect::<Vec<_>>(),
        "elsewhere": pushes.collect::<Vec<_>>(),
    });
    json::answer("forget", body)
}

/// A whole session's name stands for all of its cards, anything else for one card.
fn what(args: &Args, place: &Place, cx: &Context<'_>) -> anyhow::Result<What> {
    if let Some(text) = &args.text {
        if text.is_empty() {
            return Err(Failure::usage("cannot forget a text of nothing").into());
        }
        return Ok(What::Text(text.clone()));
    }
    let spec = args.card.as_deref().unwrap_or_default();
    let stored = cx.card(place, Some(spec))?.stored;
    let session = stored.card.provenance.session.ref_name();
    let name = spec.strip_prefix("refs/").unwrap_or(spec);
    let name = name.strip_prefix("segue/").unwrap_or(name);
    let is_session = session.starts_with(name) && !stored.id.starts_with(name);
    Ok(if is_session {
        What::Session(session.to_owned())
    } else {
        What::Card(stored.id)
    })
}

fn forget_beside(place: &Place, what: &What, done: &Forgetting) -> anyhow::Result<()> {
    let deleted = done.moves.iter().filter(|one| one.new.is_none());
    let sessions = deleted.filter_map(|one| one.name.strip_prefix(REFS));
    let sessions: Vec<String> = sessions.map(str::to_owned).collect();
    let card = |card: &str| -> Option<String> {
        let Ok(id) = Oid::from_hex(card.as_bytes()) else {
            return Some(card.to_owned());
        };
        if done.gone.contains(&id) {
            return None;
        }
        Some(done.anew.get(&id).unwrap_or(&id).to_string())
    };
    place.state.forget(&Forgotten {
        sessions: &sessions,
        card: &card,
        text: match what {
            What::Text(text) => Some(text),
            What::Card(_) | What::Session(_) | What::Before(_) => None,
        },
    })
}

fn say(ui: &mut Ui, done: &Forgetting, forgot: &str, wrote: &str) -> anyhow::Result<()> {
    for id in &done.gone {
        ui.line(&Line::new().text(format!("{forgot} card {}", short(&id.to_string()))))?;
    }
    if done.touched > 0 {
        ui.line(&Line::new().text(format!("{wrote} {}", cards(done.touched))))?;
    }
    if !done.decisions.is_empty() {
        let count = done.decisions.len();
        ui.line(&Line::new().text(format!("decisions gone with it: {count}")))?;
    }
    for one in &done.moves {
        let how = match (one.new, one.name == NOTES_REF) {
            (None, _) => "deleted",
            (Some(_), true) => "written anew without its history",
            (Some(_), false) => "moved",
        };
        ui.line(&Line::new().text(format!("{} {how}", one.name)))?;
    }
    Ok(())
}

fn cards(count: usize) -> String {
    if count == 1 {
        "1 card".to_owned()
    } else {
        format!("{count} cards")
    }
}

/// A remote's name, and what is known of its sessions.
type Remote = (String, HashMap<String, Oid>);

/// What each remote is known to have; looked up before the fetched refs are deleted.
fn known(place: &Place) -> anyhow::Result<Vec<Remote>> {
    let mut remotes = Vec::new();
    for remote in place.repo.remotes() {
        let prefix = format!("{REMOTE_REFS}{remote}/");
        let refs = place.repo.refs_under(&prefix)?;
        let own = |(name, id): (String, Oid)| {
            let session = name.strip_prefix(&prefix)?;
            Some((format!("{REFS}{session}"), id))
        };
        let has = refs.into_iter().filter_map(own).collect();
        remotes.push((remote, has));
    }
    Ok(remotes)
}

/// What takes it away at each remote that is known to have it, or of which nothing is known: the words behind `git`.
fn pushes(done: &Forgetting, remotes: &[Remote]) -> Vec<(String, Vec<String>)> {
    let mut pushes = Vec::new();
    for (remote, has) in remotes {
        let ours = done.moves.iter().filter(|one| {
            let is_ours = one.name.starts_with(REFS) || one.name == NOTES_REF;
            is_ours && (has.is_empty() || one.name == NOTES_REF || has.contains_key(&one.name))
        });
        let ours: Vec<&Move> = ours.collect();
        if ours.is_empty() {
            continue;
        }
        let lease = |one: &&Move| {
            let there = has.get(&one.name).unwrap_or(&one.old);
            format!("--force-with-lease={}:{there}", one.name)
        };
        let spec = |one: &&Move| match one.new {
            Some(_) => one.name.clone(),
            None => format!(":{}", one.name),
        };
        let mut words = vec!["push".to_owned()];
        words.extend(ours.iter().map(lease));
        words.push(remote.clone());
        words.extend(ours.iter().map(spec));
        pushes.push((remote.clone(), words));
    }
    pushes
}

/// The conversation may hold the text still, and the next card is written from it.
fn again(ui: &mut Ui) -> anyhow::Result<()> {
    ui.line(&Line::new().text("a conversation that goes on may bring it back; to keep it out:"))?;
    ui.line(&Line::new().text("  git config --add segue.redact <text>"))
}

/// What is left for the person to do: the copies elsewhere, and the objects here.
fn aftermath(ui: &mut Ui, pushes: &[(String, Vec<String>)]) -> anyhow::Result<()> {
    for (remote, words) in pushes {
        ui.line(&Line::new().text(format!(
            "if it was pushed to {remote}, before the next fetch:"
        )))?;
        ui.line(&Line::new().text(format!("  git {}", words.join(" "))))?;
    }
    ui.line(&Line::new().text("to have the objects gone here too:"))?;
    ui.line(&Line::new().text("  git gc --prune=now"))
}
