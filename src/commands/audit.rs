//! `git segue audit`: secrets in what is stored.

use serde_json::{Value, json};

use super::{Context, Ending, json, shown};
use crate::handoff::session::short;
use crate::place::Make;
use crate::secrets;
use crate::settings;
use crate::store::Store;
use crate::store::scan::{Reach, Scan};
use crate::ui::{Ink, Line, Ui};

/// What is typed behind `audit`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Every session, fetched ones too, and the notes
    #[arg(long)]
    all: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Prints where secrets stand, never the secrets; the answer is no when there are any.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let place = cx.place(Make::No)?;
    let reach = if args.all {
        Reach::All
    } else {
        Reach::Card(cx.card(&place, None)?.stored.id)
    };
    let redactor = secrets::redactor(
        &settings::variables(),
        place.census_repo(),
        &place.settings.redact,
    );
    let scan = Store::new(&place.repo).scan(&reach, &redactor)?;
    if args.json {
        cx.ui.json(&json::answer("audit", in_json(&scan)))?;
    } else {
        show(cx.ui, &scan)?;
    }
    Ok(if scan.secrets.is_empty() {
        Ending::Yes
    } else {
        Ending::No
    })
}

fn show(ui: &mut Ui, scan: &Scan) -> anyhow::Result<()> {
    for one in &scan.secrets {
        let line = Line::new()
            .ink(Ink::Id, short(&one.card))
            .text(format!(" {}:{} ", one.file, one.line));
        ui.line(&line.ink(Ink::Bad, one.kind))?;
    }
    let looked = format!(
        "{} in {} of {}",
        match scan.secrets.len() {
            0 => "no secret".to_owned(),
            some => shown::count(some, "secret"),
        },
        shown::count(scan.texts, "text"),
        shown::count(scan.cards, "card")
    );
    ui.say(&Line::new().text(looked));
    if !scan.secrets.is_empty() {
        let hint = "`git segue forget <card>` takes a card out, `forget --match <text>` a text";
        ui.say(&Line::new().ink(Ink::Hint, "hint: ").text(hint));
    }
    Ok(())
}

fn in_json(scan: &Scan) -> Value {
    let secret = |one: &crate::store::scan::Secret| {
        json!({
            "card": one.card,
            "file": one.file,
            "line": one.line,
            "kind": one.kind,
        })
    };
    json!({
        "cards": scan.cards,
        "texts": scan.texts,
        "secrets": scan.secrets.iter().map(secret).collect::<Vec<_>>(),
    })
}
