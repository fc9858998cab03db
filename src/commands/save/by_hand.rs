//! `git segue save --from`: a card that the agent or the person wrote.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::super::json as answers;
use super::{Args, Context, Ending};
use crate::error::Failure;
use crate::handoff::card::Card;
use crate::handoff::claim::Section;
use crate::place::Place;
use crate::save::{self, Desk, Hand};
use crate::ui::{Ink, Line};

/// A card by hand may have this many bytes: ten times what a card shows.
const HAND_BYTES_MAX: u64 = 64 * 1024;

/// Reads the card that `--from` names: a file seen from the current folder, or `-` for standard input.
pub(super) fn read(
    from: &Path,
    cx: &Context<'_>,
    place: Option<&Place>,
    variables: &[(String, String)],
) -> anyhow::Result<Hand> {
    let mut bytes = Vec::new();
    let read = if from == Path::new("-") {
        let stdin = std::io::stdin().lock();
        stdin.take(HAND_BYTES_MAX + 1).read_to_end(&mut bytes)
    } else {
        File::open(cx.dir.join(from))
            .and_then(|file| file.take(HAND_BYTES_MAX + 1).read_to_end(&mut bytes))
    };
    read.with_context(|| format!("cannot read `{}`", from.display()))?;
    if u64::try_from(bytes.len()).is_ok_and(|read| read > HAND_BYTES_MAX) {
        let text = format!("the card is longer than {HAND_BYTES_MAX} bytes, nothing was stored");
        return Err(Failure::no(text)
            .hint("a card is what the next context has to read first: say it shorter")
            .into());
    }
    let desk = Desk {
        place,
        dir: &cx.dir,
        home: cx.env.home.as_deref(),
        variables,
        now: cx.env.git.now,
    };
    Ok(save::read(&desk, &String::from_utf8_lossy(&bytes)))
}

/// Says why the card is refused: each fault with its line.
pub(super) fn refuse(args: &Args, cx: &mut Context<'_>, hand: &Hand) -> anyhow::Result<Ending> {
    for fault in &hand.faults {
        let place = fault
            .line
            .map_or_else(String::new, |line| format!("line {line}: "));
        let line = Line::new().ink(Ink::Bad, "error: ");
        cx.ui.say(&line.text(format!("{place}{}", fault.why)));
    }
    let text = "nothing was stored; mend these lines and run it again";
    cx.ui.say(&Line::new().ink(Ink::Hint, "hint: ").text(text));
    if args.json {
        let faults: Vec<Value> = hand
            .faults
            .iter()
            .map(|one| json!({ "line": one.line, "why": one.why }))
            .collect();
        let body = json!({
            "card": null, "written": false, "dry_run": args.dry_run, "faults": faults,
        });
        cx.ui.json(&answers::answer("save", body))?;
    }
    Ok(Ending::No)
}

/// Confirms what arrived, and what may be done now.
pub(super) fn confirm(cx: &mut Context<'_>, hand: &Hand, card: &Card) -> anyhow::Result<()> {
    let counted = |n: usize, what: &str| match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    };
    cx.ui.line(&Line::new().text(format!(
        "{}, {}, {}",
        counted(hand.sections, "section"),
        counted(hand.lines, "line"),
        counted(hand.bytes, "byte"),
    )))?;
    let step = first_step(card).unwrap_or("none");
    cx.ui
        .line(&Line::new().text(format!("first next step: {step}")))?;
    cx.ui
        .line(&Line::new().text("you can now compact or clear"))
}

/// What a program is told beside the card.
pub(super) fn counts(hand: &Hand, card: &Card) -> Value {
    json!({
        "sections": hand.sections,
        "lines": hand.lines,
        "bytes": hand.bytes,
        "first_next_step": first_step(card),
    })
}

fn first_step(card: &Card) -> Option<&str> {
    let steps = card.sections.of(Section::NextSteps).first();
    steps.map(|judged| judged.claim.text.as_str())
}
