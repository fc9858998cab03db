//! `git segue doctor`: for each host, whether its hooks are wired and run, and what mends them where they do not.

use std::path::Path;

use serde_json::{Value, json};

use super::{Context, Ending, init, json as answers};
use crate::handoff::session::SessionId;
use crate::hosts::Adapter;
use crate::place::{Make, Place};
use crate::restore::marker;
use crate::settings;
use crate::state::log::Entry;
use crate::ui::{Ink, Line, Ui};
use crate::wiring;
use crate::wiring::health::{Finding, Tone, examine};
use crate::wiring::receipts::{Arrival, last_giving, receipts};

/// What is typed behind `doctor`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Hosts to look at; those that you have when not given
    #[arg(value_name = "host")]
    hosts: Vec<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Runs it; the answer is no when something is wrong.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let hosts = if args.hosts.is_empty() {
        wiring::present(&cx.env.places)
    } else {
        init::named(&args.hosts)?
    };
    let program = init::program(cx)?;
    let place = Place::find(&cx.env, &cx.dir, Make::No)?;
    let entries = place
        .as_ref()
        .map(|place| place.state.events())
        .unwrap_or_default();
    let mut reports = Vec::new();
    for host in hosts {
        let root = init::root_for(host, cx).ok();
        let mut findings = examine(host, &cx.env.places, root.as_deref(), &program);
        let arrival = place
            .as_ref()
            .map_or(Arrival::Unknown, |place| arrival(cx, place, host, &entries));
        findings.extend(receipts(host, &entries, arrival, cx.env.git.now));
        reports.push((host, findings));
    }
    let settings: Vec<Finding> = place
        .iter()
        .flat_map(|place| settings::faults(&place.repo))
        .map(|fault| Finding::bad(fault.text, fault.mend))
        .collect();
    if reports.is_empty() && settings.is_empty() {
        cx.ui
            .say(&Line::new().text("no host found: none has a folder in your home"));
        return Ok(Ending::No);
    }
    if args.json {
        cx.ui.json(&answer(&reports, &settings))?;
    } else {
        for (host, findings) in &reports {
            show(cx.ui, host.title, findings)?;
        }
        if !settings.is_empty() {
            show(cx.ui, "Settings", &settings)?;
        }
    }
    let wrong = |(_, findings): &(_, Vec<Finding>)| findings.iter().any(|f| f.tone == Tone::Bad);
    Ok(if reports.iter().any(wrong) || !settings.is_empty() {
        Ending::No
    } else {
        Ending::Yes
    })
}

/// Whether the card that this host was given last stands in its transcript. Told for the newest session of this place.
fn arrival(cx: &Context<'_>, place: &Place, host: &Adapter, entries: &[Entry]) -> Arrival {
    let told = || {
        let last = last_giving(host, entries)?;
        let session = place.state.newest(&place.root(&cx.dir))?;
        let given = place.state.session(&SessionId::new(&session)).given?;
        if !given.card.starts_with(last.card.as_deref()?) {
            return None;
        }
        let transcript = (host.find_session)(&cx.env.places, &session).ok()??;
        Some(arrived(host, &transcript, given.length, &given.card))
    };
    told().unwrap_or(Arrival::Unknown)
}

fn arrived(host: &Adapter, transcript: &Path, from: Option<u64>, card: &str) -> Arrival {
    match (host.arrived)(transcript, from.unwrap_or(0), &marker(card)) {
        Some(true) => Arrival::Arrived,
        Some(false) => Arrival::Lost,
        None => Arrival::Unknown,
    }
}

fn show(ui: &mut Ui, title: &str, findings: &[Finding]) -> anyhow::Result<()> {
    ui.line(&Line::new().ink(Ink::Title, title))?;
    for finding in findings {
        let (ink, word) = match finding.tone {
            Tone::Good => (Ink::Good, "ok"),
            Tone::Note => (Ink::Faint, "note"),
            Tone::Bad => (Ink::Bad, "wrong"),
        };
        let line = Line::new().text("  ").ink(ink, format!("{word:<6}"));
        ui.line(&line.text(&finding.text))?;
        if let Some(mend) = &finding.mend {
            ui.line(
                &Line::new()
                    .text("        ")
                    .ink(Ink::Hint, "mend: ")
                    .text(mend),
            )?;
        }
    }
    Ok(())
}

fn answer(reports: &[(&'static Adapter, Vec<Finding>)], settings: &[Finding]) -> Value {
    let finding = |finding: &Finding| {
        let tone = match finding.tone {
            Tone::Good => "ok",
            Tone::Note => "note",
            Tone::Bad => "wrong",
        };
        json!({ "tone": tone, "text": finding.text, "mend": finding.mend })
    };
    let host = |(host, findings): &(&'static Adapter, Vec<Finding>)| {
        let findings: Vec<Value> = findings.iter().map(finding).collect();
        json!({ "host": host.name, "findings": findings })
    };
    let hosts: Vec<Value> = reports.iter().map(host).collect();
    let settings: Vec<Value> = settings.iter().map(finding).collect();
    answers::answer("doctor", json!({ "hosts": hosts, "settings": settings }))
}
