//! `git segue status`: the card that would be given back, how fresh it is, and whether the hosts are wired.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::shown::{self, Clock};
use super::{Context, Ending, json};
use crate::git::Repo;
use crate::handoff::claim::{Section, Verdict};
use crate::handoff::decision::stamp;
use crate::handoff::freshness::Level;
use crate::handoff::session::short;
use crate::hosts::{ADAPTERS, Adapter};
use crate::pick::Picked;
use crate::place::{Make, Place};
use crate::restore::Now;
use crate::state::log::Entry;
use crate::store::Store;
use crate::ui::{Ink, Line, Ui};
use crate::wiring::health::{self, Finding, Tone};

/// So many next steps are shown.
const NEXT_MAX: usize = 3;

/// What is typed behind `status`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Exit with 1 when there is no card, or it is STALE or worse
    #[arg(long)]
    exit_code: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// As they are typed.
    pub(super) fn new(exit_code: bool, json: bool) -> Self {
        Self { exit_code, json }
    }
}

/// Prints where the work stands.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let place = cx.place(Make::No)?;
    let picked = super::if_any(cx.card(&place, None))?;
    let seen = picked.map(|picked| {
        let now = cx.look(&place, &picked.stored);
        (picked, now)
    });
    let wired = wired(cx, &place);
    let last = place.state.events().pop();
    if args.json {
        let fetched = fetched(&place)?;
        cx.ui
            .json(&answer(seen.as_ref(), &fetched, &wired, last.as_ref()))?;
    } else {
        match &seen {
            Some((picked, now)) => card(cx.ui, picked, now, Clock::of(&cx.env))?,
            None => none(cx.ui, &fetched(&place)?)?,
        }
        hooks(cx.ui, &wired, last.as_ref(), Clock::of(&cx.env))?;
    }
    let level = seen.as_ref().map(|(_, now)| now.freshness.level);
    let stale = level.is_none_or(|level| level >= Level::Stale);
    Ok(if args.exit_code && stale {
        Ending::No
    } else {
        Ending::Yes
    })
}

/// How many sessions were fetched from each remote.
fn fetched(place: &Place) -> anyhow::Result<BTreeMap<String, usize>> {
    let mut counts = BTreeMap::new();
    for (remote, _) in Store::new(&place.repo).fetched_names()? {
        *counts.entry(remote).or_default() += 1;
    }
    Ok(counts)
}

/// Where there is no card of ours there may be others'.
fn none(ui: &mut Ui, fetched: &BTreeMap<String, usize>) -> anyhow::Result<()> {
    ui.line(&Line::new().text("no card in this work tree yet"))?;
    for (remote, count) in fetched {
        let text = format!(
            "{} fetched from `{remote}`: `git segue list --remote`; `git segue resume` takes the newest up",
            shown::count(*count, "session")
        );
        ui.line(&Line::new().text(text))?;
    }
    Ok(())
}

fn card(ui: &mut Ui, picked: &Picked, now: &Now, clock: Clock) -> anyhow::Result<()> {
    let stored = &picked.stored;
    let card = &stored.card;
    let from = &card.provenance;
    let mut title = Line::new()
        .text("card ")
        .ink(Ink::Id, short(&stored.id))
        .text(format!(
            " of session {} ({}), {} old, {}",
            from.session.short(),
            from.host,
            clock.age(stored.at),
            from.trigger.as_str(),
        ));
    if picked.remark().is_some() {
        title = title.text("; the newest of this work tree");
    }
    ui.line(&title)?;
    ui.line(&shown::level(&now.freshness))?;
    for reason in shown::reasons(&now.freshness) {
        ui.line(&reason)?;
    }
    let denied = card.sections.iter().zip(&now.verdicts);
    for ((_, judged), verdict) in denied.filter(|(_, now)| matches!(now, Verdict::Refuted(_))) {
        ui.line(
            &Line::new()
                .text("  ")
                .join(shown::verdict(verdict, &judged.claim.text)),
        )?;
    }
    ui.line(
        &Line::new()
            .ink(Ink::Title, "Goal: ")
            .text(shown::goal(card.goal())),
    )?;
    for step in card.sections.of(Section::NextSteps).iter().take(NEXT_MAX) {
        ui.line(
            &Line::new()
                .ink(Ink::Title, "Next: ")
                .text(shown::goal(&step.claim.text)),
        )?;
    }
    Ok(())
}

/// A host, and what its settings say of our hooks.
type Wired = (&'static Adapter, Vec<Finding>);

/// What each host's settings say.
fn wired(cx: &Context<'_>, place: &Place) -> Vec<Wired> {
    let root = place.census_repo().and_then(Repo::workdir);
    let program = cx.env.program.clone().unwrap_or_default();
    ADAPTERS
        .iter()
        .map(|host| (host, health::examine(host, &cx.env.places, root, &program)))
        .collect()
}

/// Whether a host calls us at all.
fn calls_us(findings: &[Finding]) -> bool {
    findings.iter().any(|one| one.tone == Tone::Good)
}

fn hooks(ui: &mut Ui, wired: &[Wired], last: Option<&Entry>, clock: Clock) -> anyhow::Result<()> {
    let title = || Line::new().ink(Ink::Title, "Hooks: ");
    if !wired.iter().any(|(_, findings)| calls_us(findings)) {
        let none = "not wired by `git segue init`, which takes the host's name";
        ui.line(&title().text(none))?;
    }
    for (host, findings) in wired.iter().filter(|(_, findings)| calls_us(findings)) {
        for one in findings.iter().filter(|one| one.tone != Tone::Note) {
            let ink = if one.tone == Tone::Bad {
                Ink::Bad
            } else {
                Ink::Plain
            };
            let line = title().ink(ink, format!("{} {}", host.name, one.text));
            ui.line(&match &one.mend {
                Some(mend) => line.text(format!("; mend it: {mend}")),
                None => line,
            })?;
        }
    }
    if let Some(last) = last {
        let text = format!(
            "last event: {} of {}, {} ago: {}",
            last.event,
            last.host,
            clock.age(last.at),
            last.did.as_str()
        );
        ui.line(&title().text(text))?;
    }
    Ok(())
}

fn answer(
    seen: Option<&(Picked, Now)>,
    fetched: &BTreeMap<String, usize>,
    wired: &[Wired],
    last: Option<&Entry>,
) -> Value {
    let card = seen.map(|(picked, _)| &picked.stored);
    let next = card.map(|stored| {
        let steps = stored.card.sections.of(Section::NextSteps).iter();
        steps.map(|one| one.claim.text.as_str()).collect::<Vec<_>>()
    });
    let hooks = wired.iter().map(|(host, findings)| {
        let bad = findings.iter().filter(|one| one.tone == Tone::Bad);
        json!({
            "host": host.name,
            "wired": calls_us(findings),
            "trouble": bad.map(|one| one.text.as_str()).collect::<Vec<_>>(),
        })
    });
    let last = last.map(|one| {
        json!({"at": stamp(one.at), "host": one.host, "event": one.event, "did": one.did.as_str()})
    });
    let body = json!({
        "session": card.map(|stored| stored.card.provenance.session.as_str()),
        "card": card.map(json::short),
        "freshness": seen.map(|(_, now)| json::freshness(&now.freshness)),
        "next": next.unwrap_or_default(),
        "fetched": fetched.values().sum::<usize>(),
        "hooks": hooks.collect::<Vec<_>>(),
        "last_event": last,
    });
    json::answer("status", body)
}
