//! `git segue save`: a card now, from the conversation that is found or named, or as somebody wrote it.

mod by_hand;
mod by_model;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::json;

use super::shown;
use super::{Context, Ending, PATIENCE, json};
use crate::deadline::Deadline;
use crate::error::Failure;
use crate::handoff::card::{Card, Continues, Writer};
use crate::handoff::markdown;
use crate::handoff::session::{Kind, SessionId, Trigger, short};
use crate::handoff::transcript::Transcript;
use crate::hosts::{self, ADAPTERS, Adapter, Places};
use crate::pick::{self, Reach};
use crate::place::{Make, Place};
use crate::save::{self, Carry, Hand, Request, Saved, Source};
use crate::settings;
use crate::store::Store;
use crate::sync::auto;
use crate::ui::{Ink, Line};

/// The host on a card that was written without one.
const NO_HOST: &str = "none";

/// What is typed behind `save`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Store the card written in <file>: Markdown with a card's sections; `-` is
    /// standard input
    #[arg(short = 'F', long, value_name = "file")]
    from: Option<PathBuf>,
    /// Words of the person that go on the card
    #[arg(short = 'm', long, value_name = "text")]
    message: Option<String>,
    /// Print the card, store nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// The host whose conversation it is: claude-code, codex
    #[arg(long, value_name = "host")]
    host: Option<String>,
    /// The session to save for
    #[arg(long, value_name = "id")]
    session: Option<String>,
    /// The transcript to read; the newest of this work tree when not given
    #[arg(long, value_name = "file")]
    transcript: Option<PathBuf>,
    /// Carry the uncommitted work with the card, whatever segue.carryWorktree says
    #[arg(long, overrides_with = "no_carry")]
    carry: bool,
    /// Leave the uncommitted work where it is
    #[arg(long, overrides_with = "carry")]
    no_carry: bool,
    #[command(flatten)]
    writer: by_model::Choice,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    fn carry(&self, place: Option<&Place>) -> Carry {
        let set = place.is_some_and(|place| place.settings.carry_worktree);
        match self.carry || (set && !self.no_carry) {
            true if self.dry_run => Carry::Count,
            wish => Carry::wished(wish),
        }
    }
}

/// Writes a card and says which, or prints it.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let place = if args.dry_run {
        Place::find(&cx.env, &cx.dir, Make::No)?
    } else {
        Some(cx.place(Make::Yes)?)
    };
    let root = place
        .as_ref()
        .map_or_else(|| cx.dir.clone(), |place| place.root(&cx.dir));
    let variables = settings::variables();
    let hand = match &args.from {
        Some(from) => Some(by_hand::read(from, cx, place.as_ref(), &variables)?),
        None => None,
    };
    if let Some(refused) = hand.as_ref().filter(|hand| !hand.faults.is_empty()) {
        return by_hand::refuse(args, cx, refused);
    }
    let talk = Talk::find(args, cx, place.as_ref(), &root)?;
    let subagents = talk.transcript.as_ref().map(Transcript::running);
    let request = Request {
        host: talk.host.map_or(NO_HOST, |host| host.name),
        session: talk.session.clone(),
        cwd: cx.dir.clone(),
        transcript: talk.transcript.as_ref(),
        transcript_path: talk.path.as_deref(),
        kind: Kind::Card,
        trigger: Trigger::Manual,
        instructions: args.message.clone(),
        subagents: subagents.unwrap_or_default(),
        continues: place
            .as_ref()
            .and_then(|place| taken_up(place, &talk.session)),
        variables: &variables,
        carry: args.carry(place.as_ref()),
        source: hand.as_ref().map_or(Source::Rules, |hand| Source::Given {
            draft: Box::new(hand.draft.clone()),
            writer: Writer::Hand,
        }),
    };
    let model = match &hand {
        Some(_) => None,
        None => args.writer.name(place.as_ref())?,
    };
    let deadline = Deadline::after(PATIENCE);
    match &place {
        Some(place) if !args.dry_run => {
            let mut saved = save::run(place, &request, deadline)?;
            if let Some(name) = model {
                saved = by_model::rewrite(name, cx, place, &request, saved)?;
            }
            tell(args, cx, &saved, place, hand.as_ref())?;
            if saved.appended.written {
                auto::push_behind(place, &cx.env)?;
            }
        }
        _ => {
            let tip = place
                .as_ref()
                .map(|place| Store::new(&place.repo).tip(&request.session));
            let tip = tip.transpose()?.flatten();
            let mut card = save::card(place.as_ref(), tip.as_ref(), &request, deadline);
            if let (Some(name), Some(place)) = (model, &place) {
                card = by_model::card(name, cx, place, &request, card, tip.as_ref());
            }
            print(args, cx, &card)?;
        }
    }
    Ok(Ending::Yes)
}

/// The card that the session has taken up.
fn taken_up(place: &Place, session: &SessionId) -> Option<Continues> {
    let link = place.state.session(session).continues?;
    Some(Continues {
        session: SessionId::new(&link.session),
        card: link.card,
    })
}

/// Says which card was written, as `git commit` does.
fn tell(
    args: &Args,
    cx: &mut Context<'_>,
    saved: &Saved,
    place: &Place,
    hand: Option<&Hand>,
) -> anyhow::Result<()> {
    for warning in &saved.appended.warnings {
        cx.ui
            .say(&Line::new().ink(Ink::Warn, "warning: ").text(warning));
    }
    let (id, written) = (&saved.appended.id, saved.appended.written);
    if args.json {
        let stored = Store::new(&place.repo).read(id)?;
        let mut body = json!({ "card": json::full(&stored), "written": written, "dry_run": false });
        if let Some(hand) = hand {
            body["given"] = by_hand::counts(hand, &stored.card);
        }
        return cx.ui.json(&json::answer("save", body));
    }
    let session = saved.card.provenance.session.short();
    let line = Line::new()
        .text(format!("[{session} "))
        .ink(Ink::Id, short(id))
        .text("] ");
    cx.ui.line(&if written {
        line.text(shown::goal(saved.card.goal()))
    } else {
        line.text("nothing changed since this card")
    })?;
    match hand {
        Some(hand) => by_hand::confirm(cx, hand, &saved.card),
        None => Ok(()),
    }
}

/// Prints a card that is not stored.
fn print(args: &Args, cx: &mut Context<'_>, card: &Card) -> anyhow::Result<()> {
    if args.json {
        let body = json!({ "card": json::body(card), "written": false, "dry_run": true });
        return cx.ui.json(&json::answer("save", body));
    }
    cx.ui.text(&markdown::card(card))
}

/// The conversation that the card is about.
struct Talk {
    host: Option<&'static Adapter>,
    path: Option<PathBuf>,
    transcript: Option<Transcript>,
    session: SessionId,
}

impl Talk {
    /// The one that is named, else that of the session that calls us, else the newest of this work tree; where no host
    /// knows one, its session is the one that has this work tree's newest card.
    fn find(
        args: &Args,
        cx: &mut Context<'_>,
        place: Option<&Place>,
        root: &Path,
    ) -> anyhow::Result<Self> {
        let hosts = match &args.host {
            Some(name) => vec![hosts::find(name).ok_or_else(|| no_host(name))?],
            None => ADAPTERS.iter().collect(),
        };
        let session = args.session.clone().or_else(|| cx.env.session.clone());
        let found = match (&args.transcript, &session) {
            (Some(path), _) => read_best(&hosts, &cx.dir.join(path)).map(Some)?,
            (None, Some(id)) => of_session(&hosts, &cx.env.places, id)?,
            (None, None) => newest(&hosts, &cx.env.places, root)?,
        };
        let Some((host, path, transcript)) = found else {
            let text = "no conversation found: the card rests on the repository alone";
            cx.ui
                .say(&Line::new().ink(Ink::Warn, "warning: ").text(text));
            return Ok(Self {
                host: args.host.as_ref().and(hosts.first().copied()),
                path: None,
                transcript: None,
                session: match (&session, place) {
                    (Some(session), _) => SessionId::new(session),
                    (None, Some(place)) => {
                        let asker = cx.asker(place, Reach::Worktree);
                        pick::session(place, &asker)?.0
                    }
                    (None, None) => SessionId::unknown(),
                },
            });
        };
        let own = args
            .session
            .clone()
            .or_else(|| transcript.session.clone())
            .or(session);
        Ok(Self {
            host: Some(host),
            path: Some(path),
            transcript: Some(transcript),
            session: own
                .as_deref()
                .map_or_else(SessionId::unknown, SessionId::new),
        })
    }
}

fn no_host(name: &str) -> Failure {
    let names: Vec<&str> = ADAPTERS.iter().map(|host| host.name).collect();
    Failure::usage(format!("no host `{name}`")).hint(format!("the hosts are: {}", names.join(", ")))
}

/// A conversation, and where it was found.
type Found = (&'static Adapter, PathBuf, Transcript);

/// Reads a transcript with the host that makes the most of it.
fn read_best(hosts: &[&'static Adapter], path: &Path) -> anyhow::Result<Found> {
    let mut best: Option<Found> = None;
    for host in hosts {
        let transcript = (host.read)(path)?;
        let better = best
            .as_ref()
            .is_none_or(|(_, _, best)| transcript.turns.len() > best.turns.len());
        if better {
            best = Some((host, path.to_owned(), transcript));
        }
    }
    best.with_context(|| format!("cannot read `{}`", path.display()))
}

fn of_session(
    hosts: &[&'static Adapter],
    places: &Places,
    session: &str,
) -> anyhow::Result<Option<Found>> {
    for host in hosts {
        if let Some(path) = (host.find_session)(places, session)? {
            let transcript = (host.read)(&path)?;
            return Ok(Some((host, path, transcript)));
        }
    }
    Ok(None)
}

/// The conversation that was written to last, of all hosts.
fn newest(
    hosts: &[&'static Adapter],
    places: &Places,
    root: &Path,
) -> anyhow::Result<Option<Found>> {
    let mut newest = None;
    for host in hosts {
        if let Some(path) = (host.find)(places, root)? {
            let written = std::fs::metadata(&path)
                .and_then(|meta| meta.modified())
                .ok();
            if newest.as_ref().is_none_or(|(at, _, _)| written > *at) {
                newest = Some((written, *host, path));
            }
        }
    }
    let read = newest.map(|(_, host, path)| Ok((host, path.clone(), (host.read)(&path)?)));
    read.transpose()
}
