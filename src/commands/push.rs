//! `git segue push`: our cards to a remote.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Context, Ending, TRANSFER_TIME_MAX, json};
use crate::deadline::Deadline;
use crate::error::Failure;
use crate::git::transfer::{PushEnd, Transfer};
use crate::handoff::session::short;
use crate::place::{Make, Place};
use crate::secrets;
use crate::settings;
use crate::state::log::{Did, Entry};
use crate::store::Store;
use crate::store::layout::{NOTES_REF, REFS};
use crate::sync;
use crate::sync::push::{self, End, Report, Request};
use crate::ui::{Ink, Line, Ui};

/// How long a push that nobody waits for may take.
const BACKGROUND_TIME_MAX: Duration = Duration::from_secs(60);

/// What is typed behind `push`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Say what would be sent, send nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Say nothing but what went wrong
    #[arg(short, long)]
    quiet: bool,
    /// As a hook does: within a minute, and what goes wrong goes to the log
    #[arg(long, hide = true)]
    background: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// Where to; segue.remote, the branch's or origin when not given
    #[arg(value_name = "remote")]
    remote: Option<String>,
    /// The sessions to send; all when not given
    #[arg(value_name = "session")]
    sessions: Vec<String>,
}

/// Pushes, and says what came of each session.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    if !args.background {
        return push_now(args, cx, TRANSFER_TIME_MAX);
    }
    let ended = push_now(args, cx, BACKGROUND_TIME_MAX);
    let trouble = match &ended {
        Ok(Ending::Yes) => return ended,
        Ok(Ending::No) => "not all was sent: `git segue push` says why".to_owned(),
        Err(err) => format!("{err:#}"),
    };
    let entry = Entry {
        at: cx.env.git.now,
        host: "-".to_owned(),
        session: "-".to_owned(),
        event: "push".to_owned(),
        did: Did::Trouble,
        card: None,
        bytes: None,
        milliseconds: 0,
        model: None,
        tokens: None,
        note: trouble,
    };
    cx.place(Make::No)?.state.log(&entry)?;
    ended
}

fn push_now(args: &Args, cx: &mut Context<'_>, most: Duration) -> anyhow::Result<Ending> {
    let place = cx.place(Make::No)?;
    let remote = sync::remote(&place, args.remote.as_deref())?;
    let sessions = sessions(&place, &args.sessions)?;
    let variables = settings::variables();
    let redactor = secrets::redactor(&variables, Some(&place.repo), &place.settings.redact);
    let request = Request {
        transfer: Transfer {
            remote: &remote,
            deadline: Deadline::after(most),
            progress: cx.ui.progress().filter(|_| !args.quiet),
        },
        sessions: &sessions,
        dry_run: args.dry_run,
        redactor: &redactor,
    };
    let report = push::run(&place, &request)?;
    if args.json {
        cx.ui
            .json(&json::answer("push", in_json(args, &remote, &report)))?;
    } else {
        tell(args, cx.ui, &place, &remote, &report)?;
    }
    let all = report.chains.iter().map(|(_, end)| end);
    let sent = all.chain(&report.notes).all(End::is_sent);
    Ok(if sent { Ending::Yes } else { Ending::No })
}

/// The ref names of the sessions that are meant: ours, not fetched ones.
fn sessions(place: &Place, named: &[String]) -> anyhow::Result<Vec<String>> {
    let store = Store::new(&place.repo);
    let mut sessions = Vec::new();
    for name in named {
        let stored = store.resolve(name)?;
        if let Some(remote) = stored.remote {
            let foreign = format!("cannot push `{name}`: it was fetched from `{remote}`");
            return Err(Failure::no(foreign).into());
        }
        sessions.push(stored.card.provenance.session.ref_name().to_owned());
    }
    Ok(sessions)
}

fn tell(
    args: &Args,
    ui: &mut Ui,
    place: &Place,
    remote: &str,
    report: &Report,
) -> anyhow::Result<()> {
    let store = Store::new(&place.repo);
    let sessions = report.chains.iter().map(|(chain, _)| &*chain.session);
    let shorts = store.shorts(sessions)?;
    for (chain, end) in &report.chains {
        let goal = store.goal_of(chain.id);
        let name = format!(
            " {:<8} {} ",
            shorts.get(&chain.session),
            short(&chain.id.to_string())
        );
        told(args, ui, end, name, &goal)?;
    }
    if let Some(end) = &report.notes {
        told(
            args,
            ui,
            end,
            " notes ".to_owned(),
            "on the commits that cards were written at",
        )?;
    }
    if report.chains.is_empty() && report.notes.is_none() && !args.quiet {
        ui.line(&Line::new().text(format!("nothing to send: `{remote}` has it all")))?;
    }
    let mut hints: Vec<String> = forgotten_hint(report, remote).into_iter().collect();
    for end in report
        .chains
        .iter()
        .map(|(_, end)| end)
        .chain(&report.notes)
    {
        if let Some(hint) = hint(end, remote)
            && !hints.contains(&hint)
        {
            hints.push(hint);
        }
    }
    for hint in hints {
        ui.say(&Line::new().ink(Ink::Hint, "hint: ").text(hint));
    }
    Ok(())
}

fn told(args: &Args, ui: &mut Ui, end: &End, name: String, goal: &str) -> anyhow::Result<()> {
    if *end == End::Sent {
        if args.quiet {
            return Ok(());
        }
        let word = if args.dry_run { "to send " } else { "sent    " };
        return ui.line(&Line::new().ink(Ink::Good, word).text(name).text(goal));
    }
    for why in why(end) {
        let line = Line::new().ink(Ink::Bad, "not sent").text(&name).text(why);
        if args.quiet {
            ui.say(&line);
        } else {
            ui.line(&line)?;
        }
    }
    Ok(())
}

/// Why it was not sent, one line for each reason.
fn why(end: &End) -> Vec<String> {
    match end {
        End::Sent => Vec::new(),
        End::Leaks(leaks) => leaks
            .iter()
            .map(|leak| {
                let card = leak.card.to_string();
                let (file, line, kind) = (&leak.file, leak.line, leak.kind);
                format!(
                    "a secret ({kind}) in card {}: {file}, line {line}",
                    short(&card)
                )
            })
            .collect(),
        End::Forgotten(_) => vec!["the remote still has what was forgotten here".to_owned()],
        End::Refused(refusal) => vec![match refusal {
            PushEnd::Sent => String::new(),
            PushEnd::Behind => "the remote has something of it that is not in ours".to_owned(),
            PushEnd::Hidden => "the remote hides such refs and takes none".to_owned(),
            PushEnd::Hook(said) if said.is_empty() => "a hook of the remote refused it".to_owned(),
            PushEnd::Hook(said) => format!("a hook of the remote refused it: {said}"),
            PushEnd::Refused(why) => format!("the remote refused it: {why}"),
        }],
    }
}

/// The one command that takes away at the remote what was forgotten here. Nothing is ever forced but by the person.
fn forgotten_hint(report: &Report, remote: &str) -> Option<String> {
    let chains = report.chains.iter().map(|(chain, end)| {
        let name = format!("{REFS}{}", chain.session);
        (end, format!("{}:{name}", chain.id), name)
    });
    let notes = report.notes.iter();
    let notes = notes.map(|end| (end, NOTES_REF.to_owned(), NOTES_REF.to_owned()));
    let (mut leases, mut specs) = (String::new(), String::new());
    for (end, spec, name) in chains.chain(notes) {
        if let End::Forgotten(theirs) = end {
            leases.push_str(&format!(" --force-with-lease={name}:{theirs}"));
            specs.push_str(&format!(" {spec}"));
        }
    }
    (!specs.is_empty())
        .then(|| format!("`git push --no-verify{leases} {remote}{specs}` takes it away there"))
}

fn hint(end: &End, remote: &str) -> Option<String> {
    match end {
        End::Leaks(leaks) => {
            let card = leaks.first()?.card.to_string();
            Some(format!("`git segue show {}` shows the card", short(&card)))
        }
        End::Refused(PushEnd::Behind) => Some(format!(
            "`git segue pull {remote}` brings it, then push again"
        )),
        End::Refused(PushEnd::Hidden) => Some(format!(
            "whoever runs `{remote}` can allow `{REFS}` (transfer.hideRefs)"
        )),
        _ => None,
    }
}

fn in_json(args: &Args, remote: &str, report: &Report) -> Value {
    let end = |end: &End| json!({ "sent": end.is_sent() && !args.dry_run, "why": why(end) });
    let sessions = report.chains.iter().map(|(chain, ended)| {
        let mut one = end(ended);
        one["session"] = json!(chain.session);
        one["card"] = json!(chain.id.to_string());
        one
    });
    json!({
        "remote": remote,
        "dry_run": args.dry_run,
        "sessions": sessions.collect::<Vec<_>>(),
        "notes": report.notes.as_ref().map(end),
    })
}
