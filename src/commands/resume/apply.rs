//! `git segue resume --apply`: the uncommitted work of a card, brought back.

use serde_json::{Value, json};

use super::super::{Context, Ending, PATIENCE, TRANSFER_TIME_MAX, json as answers, shown};
use super::Args;
use crate::deadline::Deadline;
use crate::handoff::card::Stored;
use crate::handoff::session::{SessionId, short};
use crate::pick::Picked;
use crate::place::Place;
use crate::restore::{self, Brought, Wish};
use crate::settings;
use crate::sync::trust;
use crate::ui::{Ink, Line, Ui};

/// Brings it back and says what was written; of a card that came from elsewhere its origin is said before.
pub(super) fn run(
    args: &Args,
    cx: &mut Context<'_>,
    place: &Place,
    picked: &Picked,
) -> anyhow::Result<Ending> {
    let stored = &picked.stored;
    if let Some(remote) = &stored.remote {
        let trust = trust::of_stored(place, stored, remote, Deadline::after(PATIENCE));
        let text = format!(
            "card {} was not written here: it was fetched from `{remote}`, {}",
            short(&stored.id),
            trust.words()
        );
        cx.ui.say(&Line::new().ink(Ink::Warn, "note: ").text(text));
    }
    let variables = settings::variables();
    let wish = Wish {
        merge: args.merge,
        index: args.index,
        variables: &variables,
    };
    let deadline = Deadline::after(TRANSFER_TIME_MAX);
    let brought = restore::apply(place, stored, wish, deadline)?;
    let refused = !brought.in_the_way.is_empty();
    if !refused {
        let session = cx.env.session.as_deref().map(SessionId::new);
        super::take_up(place, session.as_ref(), stored)?;
    }
    if args.json {
        cx.ui
            .json(&answers::answer("resume", in_json(stored, &brought)))?;
    } else if refused {
        refuse(args, cx.ui, &brought);
    } else {
        tell(cx.ui, stored, &brought)?;
    }
    Ok(if refused || !brought.conflicts.is_empty() {
        Ending::No
    } else {
        Ending::Yes
    })
}

fn refuse(args: &Args, ui: &mut Ui, brought: &Brought) {
    let text = "this would be overwritten; nothing was written";
    ui.say(&Line::new().ink(Ink::Bad, "error: ").text(text));
    for (path, why) in &brought.in_the_way {
        ui.say(&Line::new().text(format!("  {path}: {why}")));
    }
    let hint = match args.merge {
        true => "commit or stash it, then run it again",
        false => "commit or stash it, then run it again; or merge with `--3way`",
    };
    ui.say(&Line::new().ink(Ink::Hint, "hint: ").text(hint));
}

fn tell(ui: &mut Ui, stored: &Stored, brought: &Brought) -> anyhow::Result<()> {
    for (how, path) in &brought.written {
        let is_conflict = brought.conflicts.contains(path);
        let (ink, how) = match (is_conflict, how) {
            (true, _) => (Ink::Bad, 'C'),
            (false, 'D') => (Ink::Warn, 'D'),
            (false, how) => (Ink::Good, *how),
        };
        ui.line(&Line::new().ink(ink, format!("{how} ")).text(path))?;
    }
    let card = short(&stored.id);
    let files = match brought.written.len() {
        0 => "nothing to write: all of it is here already".to_owned(),
        n => format!("brought back {} from card {card}", shown::count(n, "path")),
    };
    let conflicts = match brought.conflicts.len() {
        0 => String::new(),
        n => format!(", {} to resolve", shown::count(n, "conflict")),
    };
    let there = match (brought.written.len(), brought.there) {
        (0, _) | (_, 0) => String::new(),
        (_, n) => format!(", {n} were here already"),
    };
    let staged = match brought.staged {
        Some(n) => format!(", {n} staged"),
        None => String::new(),
    };
    ui.line(&Line::new().text(format!("{files}{there}{staged}{conflicts}")))?;
    let carried = stored.card.census.as_ref();
    let carried = carried.and_then(|one| one.carried.as_ref());
    for one in carried.into_iter().flat_map(|one| &one.left_out) {
        let text = format!("not carried as it stood: `{}` ({})", one.path, one.why);
        ui.say(&Line::new().ink(Ink::Warn, "note: ").text(text));
    }
    if let Some(why) = &brought.index_kept {
        let text = format!("the index is left as it was: {why}");
        ui.say(&Line::new().ink(Ink::Warn, "note: ").text(text));
    }
    for path in &brought.conflicts {
        let text = format!("conflict in `{path}`");
        ui.say(&Line::new().ink(Ink::Bad, "error: ").text(text));
    }
    if !brought.conflicts.is_empty() {
        let hint = format!("`git show {card}:worktree/<path>` shows a file as the card has it");
        ui.say(&Line::new().ink(Ink::Hint, "hint: ").text(hint));
    }
    Ok(())
}

fn in_json(stored: &Stored, brought: &Brought) -> Value {
    let refused = !brought.in_the_way.is_empty();
    let written = brought.written.iter();
    let in_the_way = brought.in_the_way.iter();
    json!({
        "card": answers::short(stored),
        "applied": !refused,
        "written": written
            .map(|(how, path)| json!({"path": path, "how": how.to_string()}))
            .collect::<Vec<_>>(),
        "there": brought.there,
        "conflicts": brought.conflicts,
        "in_the_way": in_the_way
            .map(|(path, why)| json!({"path": path, "why": why}))
            .collect::<Vec<_>>(),
        "staged": brought.staged,
        "index_kept": brought.index_kept,
        "carried": answers::carried(stored),
    })
}
