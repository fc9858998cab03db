//! `git segue decide`: a decision recorded on the chain, or taken back.

use std::collections::BTreeMap;

use clap::ValueEnum;
use serde_json::json;

use super::{Context, Ending, json};
use crate::decide::{self, Chain};
use crate::error::Failure;
use crate::handoff::decision::{By, Decision};
use crate::handoff::session::SessionId;
use crate::pick::{self, Reach};
use crate::place::{Make, Place};
use crate::secrets;
use crate::settings;
use crate::store::Store;
use crate::ui::Line;

/// Who decided, as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Who {
    User,
    Agent,
}

/// What is typed behind `decide`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Why it was chosen
    #[arg(long, value_name = "text")]
    why: Option<String>,
    /// What was not chosen
    #[arg(long, value_name = "text")]
    instead_of: Option<String>,
    /// Who decided; the agent where one runs this
    #[arg(long, value_name = "who")]
    by: Option<Who>,
    /// Take back decision <n> of `git segue decisions`
    #[arg(long, value_name = "n", conflicts_with_all = ["what", "why", "instead_of"])]
    retract: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// What was decided
    #[arg(value_name = "what", required_unless_present = "retract")]
    what: Option<String>,
}

/// Records it or takes it back, and says so.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let place = cx.place(Make::Yes)?;
    let (session, decision, word) = place.state.saving(|| change(args, cx, &place))?;
    if args.json {
        let body = json!({
            "session": session.as_str(),
            "decisions": json::decisions(std::iter::once((0, &decision))),
        });
        cx.ui.json(&json::answer("decide", body))?;
    } else {
        let text = format!("{word} in session {}: {}", session.short(), decision.what);
        cx.ui.line(&Line::new().text(text))?;
    }
    Ok(Ending::Yes)
}

/// The decision, the session whose chain it stands on or was taken from, and the word for which of both.
fn change(
    args: &Args,
    cx: &Context<'_>,
    place: &Place,
) -> anyhow::Result<(SessionId, Decision, &'static str)> {
    let asker = cx.asker(place, Reach::Worktree);
    let (session, tip) = pick::session(place, &asker)?;
    let chain = Chain {
        store: Store::new(&place.repo).signing(place.settings.sign),
        session,
        root: asker.root,
        tip,
    };
    let now = cx.env.git.now;
    let by = match args.by {
        Some(Who::User) => By::User,
        Some(Who::Agent) => By::Agent,
        None if cx.env.session.is_some() => By::Agent,
        None => By::User,
    };
    let (decision, word) = match (&args.retract, &args.what) {
        (Some(which), _) => (decide::retract(&chain, which, now, by)?, "taken back"),
        (None, what) => {
            let what = what.as_deref().unwrap_or_default();
            if what.trim().is_empty() {
                return Err(Failure::usage("nothing was decided: the text is empty")
                    .hint("say what was chosen: git segue decide \"use plain refs\"")
                    .into());
            }
            let decision = decision(args, what, by, now, place);
            decide::record(&chain, decision.clone())?;
            (decision, "decided")
        }
    };
    Ok((chain.session, decision, word))
}

/// What was typed, without the secrets in it.
fn decision(args: &Args, what: &str, by: By, now: i64, place: &Place) -> Decision {
    let redactor = secrets::redactor(
        &settings::variables(),
        place.census_repo(),
        &place.settings.redact,
    );
    let mut counts = BTreeMap::new();
    let mut clean = |text: &str| redactor.clean(text, &mut counts);
    let what = clean(what);
    let why = args.why.as_deref().map(&mut clean);
    let instead_of = args.instead_of.as_deref().map(&mut clean);
    Decision::new(now, by, &what, why.as_deref(), instead_of.as_deref())
}
