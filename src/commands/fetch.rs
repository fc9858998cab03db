//! `git segue fetch` and `pull`: the cards of a remote to here, and of what is trusted into our own chains.

use serde_json::{Value, json};

use super::{Context, Ending, TRANSFER_TIME_MAX, json};
use crate::deadline::Deadline;
use crate::git::transfer::Transfer;
use crate::handoff::session::short;
use crate::place::{Make, Place};
use crate::store::{SessionTip, Store, Taken};
use crate::sync;
use crate::sync::pull::{self, Fetched, MoveEnd, Moved};
use crate::ui::{Ink, Line, Ui};

/// What is typed behind `fetch` and `pull`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Say nothing but what went wrong
    #[arg(short, long)]
    quiet: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// Where from; segue.remote, the branch's or origin when not given
    #[arg(value_name = "remote")]
    remote: Option<String>,
}

/// Whether what was fetched is taken into our chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// It stays under the remote's name.
    Keep,
    /// What is trusted is.
    TakeIn,
}

/// Fetches, takes in where that is asked for, and says what came of each session.
pub(super) fn run(args: &Args, cx: &mut Context<'_>, then: Then) -> anyhow::Result<Ending> {
    let place = cx.place(Make::Yes)?;
    let remote = sync::remote(&place, args.remote.as_deref())?;
    let deadline = Deadline::after(TRANSFER_TIME_MAX);
    let transfer = Transfer {
        remote: &remote,
        deadline,
        progress: cx.ui.progress().filter(|_| !args.quiet),
    };
    let fetched = pull::fetch(&place, transfer)?;
    let moved = match then {
        Then::Keep => Vec::new(),
        Then::TakeIn => pull::take_in(&place, &remote, deadline)?,
    };
    if args.json {
        let verb = if then == Then::Keep { "fetch" } else { "pull" };
        let body = in_json(&remote, &fetched, &moved);
        cx.ui.json(&json::answer(verb, body))?;
    } else {
        if !args.quiet {
            tell_fetched(cx.ui, &place, &remote, &fetched)?;
        }
        tell_moved(args, cx.ui, &place, &remote, &moved)?;
        if !args.quiet && !fetched.is_empty() {
            tell_how_on(cx.ui, &place, &remote)?;
        }
    }
    let all = moved.iter().all(|one| matches!(one.end, MoveEnd::Taken(_)));
    Ok(if all { Ending::Yes } else { Ending::No })
}

fn tell_fetched(
    ui: &mut Ui,
    place: &Place,
    remote: &str,
    fetched: &[Fetched],
) -> anyhow::Result<()> {
    let store = Store::new(&place.repo);
    let shorts = store.shorts(fetched.iter().map(|one| one.session.as_str()))?;
    for one in fetched {
        let word = if one.new { "new     " } else { "moved   " };
        let name = format!(
            " {:<8} {} ",
            shorts.get(&one.session),
            short(&one.id.to_string())
        );
        let goal = store.goal_of(one.id);
        ui.line(&Line::new().ink(Ink::Good, word).text(name).text(goal))?;
        if one.forgotten > 0 {
            let cards = if one.forgotten == 1 { "card" } else { "cards" };
            let still = format!(
                "`{remote}` still has {} {cards} of {} that you forgot; they stay out of your chain",
                one.forgotten,
                shorts.get(&one.session)
            );
            ui.say(&Line::new().ink(Ink::Warn, "warning: ").text(still));
        }
    }
    if fetched.is_empty() {
        ui.line(&Line::new().text(format!("nothing new from `{remote}`")))?;
    }
    Ok(())
}

/// How to go on from the newest card that was fetched from there, where no chain of ours has it.
fn tell_how_on(ui: &mut Ui, place: &Place, remote: &str) -> anyhow::Result<()> {
    let store = Store::new(&place.repo);
    let is_theirs = |tip: &SessionTip| tip.remote.as_deref() == Some(remote);
    let newest = store.newest_fetched(&place.state.tips_index(), is_theirs)?;
    let Some(newest) = newest else {
        return Ok(());
    };
    let session = &newest.card.provenance.session;
    if store.newest_id(session)?.is_some_and(|id| id == newest.id) {
        return Ok(());
    }
    let shorts = store.shorts([session.ref_name()])?;
    let how = format!(
        "`git segue resume {remote}/{}` takes the newest up",
        shorts.get(session.ref_name())
    );
    ui.say(&Line::new().ink(Ink::Hint, "hint: ").text(how));
    Ok(())
}

fn tell_moved(
    args: &Args,
    ui: &mut Ui,
    place: &Place,
    remote: &str,
    moved: &[Moved],
) -> anyhow::Result<()> {
    let store = Store::new(&place.repo);
    let shorts = store.shorts(moved.iter().map(|one| one.session.as_str()))?;
    let mut waits = false;
    for one in moved {
        for warning in &one.warnings {
            ui.say(&Line::new().ink(Ink::Warn, "warning: ").text(warning));
        }
        let name = format!(" {:<8} ", shorts.get(&one.session));
        let (ink, word, rest) = match &one.end {
            MoveEnd::Taken(taken) if args.quiet || *taken == Taken::Nothing => continue,
            MoveEnd::Taken(Taken::Joined(id)) => (Ink::Good, "joined  ", short(id).to_owned()),
            MoveEnd::Taken(Taken::Forward(id)) => (Ink::Good, "forward ", short(id).to_owned()),
            MoveEnd::Taken(Taken::Nothing) => continue,
            MoveEnd::Waits(trust) => {
                waits = true;
                (Ink::Warn, "waits   ", trust.words())
            }
            MoveEnd::Broken(why) => (Ink::Bad, "broken  ", why.clone()),
        };
        let line = Line::new().ink(ink, word).text(name).text(rest);
        if args.quiet {
            ui.say(&line);
        } else {
            ui.line(&line)?;
        }
    }
    if waits {
        let how = format!(
            "what waits is neither signed by somebody you trust nor from a remote that you trust: \
             `git config --add segue.trustRemote {remote}` trusts all who may write there; \
             `git segue show {remote}/<session>` shows what waits"
        );
        ui.say(&Line::new().ink(Ink::Hint, "hint: ").text(how));
    }
    Ok(())
}

fn in_json(remote: &str, fetched: &[Fetched], moved: &[Moved]) -> Value {
    let fetched = fetched
        .iter()
        .map(|one| json!({ "session": one.session, "card": one.id.to_string(), "new": one.new, "forgotten": one.forgotten }));
    let moved = moved.iter().map(|one| {
        let (how, card, why) = match &one.end {
            MoveEnd::Taken(Taken::Nothing) => ("nothing", None, None),
            MoveEnd::Taken(Taken::Forward(id)) => ("forward", Some(id.clone()), None),
            MoveEnd::Taken(Taken::Joined(id)) => ("joined", Some(id.clone()), None),
            MoveEnd::Waits(trust) => ("waits", None, Some(trust.words())),
            MoveEnd::Broken(why) => ("broken", None, Some(why.clone())),
        };
        json!({ "session": one.session, "how": how, "card": card, "why": why })
    });
    json!({
        "remote": remote,
        "fetched": fetched.collect::<Vec<_>>(),
        "moved": moved.collect::<Vec<_>>(),
    })
}
