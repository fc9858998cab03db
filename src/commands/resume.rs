//! `git segue resume`: what an agent needs to go on from a card. Prints, and
//! where an agent takes up a card of another session or machine, notes that its next card goes on from it. With `--apply`
//! it brings back the uncommitted work that the card carries.

mod apply;

use serde_json::json;

use super::{Context, Ending, PATIENCE, json};
use crate::deadline::Deadline;
use crate::handoff::card::Stored;
use crate::handoff::session::{SessionId, short};
use crate::pick::{self, Asker, How, Picked, Reach};
use crate::place::{Make, Place};
use crate::restore;
use crate::state::sessions::Link;
use crate::sync::trust;
use crate::ui::{Ink, Line};

/// What the agent does with the card that it has just read.
const PROTOCOL: [&str; 4] = [
    "What to do with this card:",
    "1. Tell the person in a few lines that you took it up (its id and how fresh it is), then: the goal, where it stands, \
     the files that matter, the decisions that bind.",
    "2. What is contradicted, changed or gone above is no longer so: look at the repository before you build on it.",
    "3. If this conversation is being continued, go on with the first of the next steps; else ask whether to, and name it.",
];

/// What is typed behind `resume`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Bring back the uncommitted work that the card carries
    #[arg(long)]
    apply: bool,
    /// Merge it with whatever is here, conflicts as git marks them
    #[arg(long = "3way", requires = "apply")]
    merge: bool,
    /// Stage what was staged, too
    #[arg(long, requires = "apply")]
    index: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// The card to go on from; this session's newest when not given
    #[arg(value_name = "card")]
    card: Option<String>,
}

/// Prints the text that a hook would give, and what to do with it. Says on standard error which card it took where that was not said.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let place = cx.place(Make::No)?;
    let asker = cx.asker(&place, Reach::Repository);
    let (picked, remark) = pick(args, cx, &place, &asker)?;
    if let Some(remark) = remark {
        cx.ui
            .say(&Line::new().ink(Ink::Faint, format!("taking {remark}")));
    }
    let stored = &picked.stored;
    if args.apply {
        return apply::run(args, cx, &place, &picked);
    }
    let now = cx.look(&place, stored);
    let origin = stored.remote.as_ref().map(|remote| {
        let trust = trust::of_stored(&place, stored, remote, Deadline::after(PATIENCE));
        format!(
            "It was not written here: it was fetched from `{remote}`, {}.",
            trust.words()
        )
    });
    take_up(&place, asker.session.as_ref(), stored)?;
    let given = restore::given(stored, &now, &[], origin.as_deref());
    if args.json {
        let body = json!({
            "card": json::short(stored),
            "freshness": json::freshness(&now.freshness),
            "text": given.text,
            "protocol": PROTOCOL,
            "carried": json::carried(stored),
        });
        cx.ui.json(&json::answer("resume", body))?;
    } else {
        cx.ui.text(&given.text)?;
        for line in PROTOCOL {
            cx.ui.line(&Line::new().text(line))?;
        }
        // Where the work is not, the card itself says so.
        if let Some(carries) = restore::carries(stored).filter(|_| now.here) {
            cx.ui.say(&Line::new().ink(Ink::Faint, carries));
        }
    }
    Ok(Ending::Yes)
}

/// The card that is meant, and what to say of it where nobody named it: the newest that was fetched, where none is here.
fn pick(
    args: &Args,
    cx: &Context<'_>,
    place: &Place,
    asker: &Asker,
) -> anyhow::Result<(Picked, Option<String>)> {
    let picked = pick::card(place, args.card.as_deref(), asker);
    let picked = match picked {
        Err(err) if args.card.is_none() && super::is_no(&err) => {
            let Some(stored) = cx.fetched(place)? else {
                return Err(err);
            };
            let remark = format!(
                "card {} of session {}, the newest that was fetched from `{}`",
                short(&stored.id),
                stored.card.provenance.session.short(),
                stored.remote.as_deref().unwrap_or_default()
            );
            let how = How::Named;
            return Ok((Picked { stored, how }, Some(remark)));
        }
        picked => picked?,
    };
    let remark = picked.remark();
    Ok((picked, remark))
}

/// The next card of the session that asks goes on from this one, if it is another session's or another machine's.
fn take_up(place: &Place, session: Option<&SessionId>, stored: &Stored) -> anyhow::Result<()> {
    let Some(session) = session else {
        return Ok(());
    };
    let of = &stored.card.provenance.session;
    if of == session && stored.remote.is_none() {
        return Ok(());
    }
    place.state.update_session(session, |state| {
        state.continues = Some(Link {
            session: of.as_str().to_owned(),
            card: stored.id.clone(),
        });
    })
}
