//! `git segue import`: what other tools left behind, taken into chains.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::shown;
use super::{Context, Ending, json};
use crate::error::Failure;
use crate::handoff::decision::stamp;
use crate::handoff::session::short;
use crate::import::{self, Arrival, Entry, Fate, Import};
use crate::place::Make;
use crate::settings;
use crate::ui::{Ink, Line};

/// So many files that were left out are named.
const SKIPPED_MAX: usize = 20;

/// What is typed behind `import`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Say what would come, store nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// Files, and folders with Markdown files in them
    #[arg(value_name = "path", required = true)]
    paths: Vec<PathBuf>,
}

/// Takes them in and says what came of each.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let mut place = cx.place(Make::Yes)?;
    let variables = settings::variables();
    let import = Import {
        dry_run: args.dry_run,
        variables: &variables,
    };
    let paths: Vec<PathBuf> = args.paths.iter().map(|path| cx.dir.join(path)).collect();
    let arrivals = import::run(&mut place, &paths, &import)?;
    if args.json {
        let all = arrivals.iter().map(|one| body(one, args.dry_run));
        let body = json!({ "dry_run": args.dry_run, "files": all.collect::<Vec<_>>() });
        cx.ui.json(&json::answer("import", body))?;
    } else {
        tell(args, cx, &arrivals)?;
    }
    let found = arrivals
        .iter()
        .any(|one| !matches!(one.fate, Fate::Skipped(_)));
    if !found {
        return Err(Failure::no("nothing that can be imported")
            .hint("known are handoffs before compaction, context snapshots and handoffs, and their decisions")
            .into());
    }
    Ok(Ending::Yes)
}

fn tell(args: &Args, cx: &mut Context<'_>, arrivals: &[Arrival]) -> anyhow::Result<()> {
    let (mut came, mut known, mut skipped) = (0, 0, 0);
    for one in arrivals {
        match &one.fate {
            Fate::Imported(entry) => {
                came += 1;
                cx.ui.line(&line(entry))?;
            }
            Fate::Known(_) => known += 1,
            Fate::Skipped(why) => {
                skipped += 1;
                if skipped <= SKIPPED_MAX {
                    let text = format!("{}: {why}", one.path.display());
                    cx.ui
                        .say(&Line::new().ink(Ink::Warn, "left out: ").text(text));
                }
            }
        }
    }
    let verb = if args.dry_run {
        "would be imported"
    } else {
        "imported"
    };
    let mut text = format!("{came} {verb}");
    for (n, word) in [(known, "known already"), (skipped, "left out")] {
        if n > 0 {
            text += &format!(", {n} {word}");
        }
    }
    cx.ui.line(&Line::new().text(text))
}

fn line(entry: &Entry) -> Line {
    let line = Line::new().text(format!("[{}", entry.session.short()));
    let line = match &entry.card {
        Some(card) => line.text(" ").ink(Ink::Id, short(card)),
        None => line,
    };
    let day = stamp(entry.at);
    let day = day.split('T').next().unwrap_or_default();
    line.text(format!("] {day} {}: ", entry.layout.as_str()))
        .text(shown::goal(&entry.goal))
}

fn body(arrival: &Arrival, dry_run: bool) -> Value {
    let (state, entry, why) = match &arrival.fate {
        Fate::Imported(entry) => ("imported", Some(entry), None),
        Fate::Known(entry) => ("known", Some(entry), None),
        Fate::Skipped(why) => ("skipped", None, Some(why)),
    };
    json!({
        "path": arrival.path.display().to_string(),
        "state": if dry_run && state == "imported" { "would be imported" } else { state },
        "layout": entry.map(|one| one.layout.as_str()),
        "session": entry.map(|one| one.session.as_str()),
        "at": entry.map(|one| stamp(one.at)),
        "goal": entry.map(|one| &one.goal),
        "card": entry.and_then(|one| one.card.as_ref()),
        "why": why,
    })
}
