//! `git segue verify`: a card judged against the repository as it is now.

use serde_json::{Value, json};

use super::shown;
use super::{Context, Ending, json};
use crate::handoff::card::{Card, Stored};
use crate::handoff::claim::Verdict;
use crate::handoff::session::short;
use crate::handoff::tally;
use crate::place::Make;
use crate::restore::Now;
use crate::ui::{Ink, Line, Ui};

/// What is typed behind `verify`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// The card; this session's newest when not given
    #[arg(value_name = "card")]
    card: Option<String>,
}

/// Prints each claim with its verdict; the answer is no when one is refuted.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let place = cx.place(Make::No)?;
    let picked = cx.card(&place, args.card.as_deref())?;
    cx.remark(picked.remark());
    let stored = picked.stored;
    let now = cx.look(&place, &stored);
    if args.json {
        cx.ui.json(&answer(&stored, &now))?;
    } else {
        cx.ui.page()?;
        show(cx.ui, &stored, &now)?;
    }
    Ok(if tally::count(&stored.card, &now.verdicts).refuted > 0 {
        Ending::No
    } else {
        Ending::Yes
    })
}

fn show(ui: &mut Ui, stored: &Stored, now: &Now) -> anyhow::Result<()> {
    let title = Line::new().text("card ").ink(Ink::Id, short(&stored.id));
    ui.line(&title.text(" is ").join(shown::level(&now.freshness)))?;
    let mut heading = None;
    for one in tally::checked(&stored.card, &now.verdicts) {
        if heading != Some(one.section) {
            heading = Some(one.section);
            ui.line(&Line::new().ink(Ink::Title, one.section.title()))?;
        }
        let line = Line::new()
            .text("  ")
            .join(shown::verdict(one.verdict, &one.claim.text));
        // A claim that does not hold has said why.
        let standing = now.freshness.standings.get(one.place);
        let standing = standing.filter(|_| !matches!(one.verdict, Verdict::Refuted(_)));
        ui.line(&line.join(shown::standing(standing)))?;
    }
    if heading.is_none() {
        return ui.line(&Line::new().text("nothing on it can be checked"));
    }
    ui.line(&shown::tally(tally::count(&stored.card, &now.verdicts)))
}

fn answer(stored: &Stored, now: &Now) -> Value {
    let body = json!({
        "card": json::short(stored),
        "freshness": json::freshness(&now.freshness),
        "claims": claims(&stored.card, now),
        "counts": json::tally(tally::count(&stored.card, &now.verdicts)),
    });
    json::answer("verify", body)
}

fn claims(card: &Card, now: &Now) -> Vec<Value> {
    let claims = card.sections.iter().zip(&now.verdicts).enumerate();
    claims
        .map(|(n, ((section, judged), verdict))| {
            let (verdict, why) = json::verdict(verdict);
            let standing = now.freshness.standings.get(n).map(json::standing);
            json!({
                "section": section.key(),
                "text": judged.claim.text,
                "verdict": verdict,
                "why": why,
                "written": json::verdict(&judged.verdict).0,
                "standing": standing.map(|(name, _)| name),
                "standing_why": standing.and_then(|(_, why)| why),
            })
        })
        .collect()
}
