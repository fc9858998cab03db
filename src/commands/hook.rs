//! Plumbing: a host's JSON in, its answer out. Whatever goes wrong, the host goes on: this is the one place that turns
//! an error into a line, and no way through it ends with 2, which hosts read as "block".

use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

use super::input;
use crate::hosts::{self, Adapter, Answer, Event, Moment, Next, Reply};
use crate::moments::{self, Outcome, Scene};
use crate::place;
use crate::settings::{self, Env};
use crate::state::StateDir;
use crate::state::log::{Did, Entry};
use crate::sync::auto;

fn help() -> String {
    let known: Vec<&str> = hosts::ADAPTERS.iter().map(|host| host.name).collect();
    format!(
        "What the hosts call: one event as JSON on standard input, their answer on standard output\n\n\
         Usage: git segue hook <host>\n\nHosts: {}\n\n`git segue init <host>` has a host call it.\n",
        known.join(", ")
    )
}

/// Answers one event of the host that `args` name.
pub(crate) fn run(args: &[OsString], env: Env) -> ExitCode {
    let started = Instant::now();
    // A host names itself first: only a person asks so.
    if args
        .first()
        .is_some_and(|arg| arg == "-h" || arg == "--help")
    {
        return say(&Answer {
            stdout: help(),
            ..Answer::default()
        });
    }
    let Some(host) = args.first().and_then(|name| hosts::find(name.to_str()?)) else {
        let known: Vec<&str> = hosts::ADAPTERS.iter().map(|host| host.name).collect();
        let line = format!(
            "git-segue: unknown host; usage: git-segue hook <{}>\n",
            known.join("|")
        );
        return say(&Answer {
            stderr: line,
            code: 1,
            ..Answer::default()
        });
    };
    if env.disabled {
        return ExitCode::SUCCESS;
    }
    // The line for the person and the log is ours; a bug's own words on standard error would reach the host.
    std::panic::set_hook(Box::new(|_| {}));
    let mut told = Told {
        moment: Moment::Other("?".to_owned()),
        session: "-".to_owned(),
        state: None,
        logged: true,
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| event(host, &env, &mut told)))
        .unwrap_or_else(|panic| Err(anyhow::anyhow!("a bug: {}", panic_words(&*panic))));
    let outcome = outcome.unwrap_or_else(|err| Outcome {
        reply: Reply::Trouble(format!("git-segue: {err:#}")),
        did: Did::Trouble,
        card: None,
        note: format!("{err:#}"),
    });
    if told.logged {
        log(host, &env, &told, &outcome, started);
    }
    say(&(host.render)(&told.moment, &outcome.reply))
}

/// What is known of the event so far, for the log and for the form of the answer.
struct Told {
    moment: Moment,
    session: String,
    state: Option<StateDir>,
    logged: bool,
}

fn event(host: &'static Adapter, env: &Env, told: &mut Told) -> anyhow::Result<Outcome> {
    let event: Event = (host.parse)(&input::whole()?)?;
    told.moment = event.moment.clone();
    told.session = event.session.clone().unwrap_or_else(|| "-".to_owned());
    if matches!(event.moment, Moment::Other(_)) || event.agent.is_some() {
        told.logged = false;
        return Ok(Outcome::nothing());
    }
    let variables = settings::variables();
    let mut scene = Scene::new(host, env, &event, &variables);
    let Some(place) = scene.place()? else {
        told.logged = false;
        return Ok(Outcome::nothing());
    };
    told.state = Some(place.state.clone());
    let mut outcome = scene.act(&place)?;
    // One line tells that a compaction is put off; a function hook asks again every few seconds.
    let waits = matches!(outcome.reply, Reply::ForFunctionHook(Next::Wait { .. }));
    told.logged = !waits || outcome.did != Did::Nothing;
    let real = matches!(
        event.moment,
        Moment::PreCompact { .. } | Moment::SessionEnd(_) | Moment::SummaryWritten(_)
    );
    if real
        && matches!(outcome.did, Did::Saved | Did::Held | Did::Gave)
        && let Err(err) = auto::push_behind(&place, env)
    {
        outcome.note = format!("{}; not pushed: {err:#}", outcome.note);
    }
    Ok(outcome)
}

/// One line in `segue.log`; where that cannot be written, in the person's own folder; else nowhere: the host goes on.
fn log(host: &Adapter, env: &Env, told: &Told, outcome: &Outcome, started: Instant) {
    let bytes = match &outcome.reply {
        Reply::Context { text, .. } | Reply::ForFunctionHook(Next::Replace { text, .. }) => {
            Some(text.len())
        }
        _ => None,
    };
    let entry = Entry {
        at: env.git.now,
        host: host.name.to_owned(),
        session: told.session.clone(),
        event: moments::name(&told.moment).to_owned(),
        did: outcome.did,
        card: outcome.card.clone(),
        bytes,
        milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        model: None,
        tokens: None,
        note: outcome.note.clone(),
    };
    let written = told
        .state
        .as_ref()
        .is_some_and(|state| state.log(&entry).is_ok());
    if !written && let Some(state) = place::last_resort(env) {
        state.log(&entry).unwrap_or_default();
    }
}

/// Writes the answer; a host that has gone away does not need it.
fn say(answer: &Answer) -> ExitCode {
    std::io::stdout()
        .write_all(answer.stdout.as_bytes())
        .and_then(|()| std::io::stdout().flush())
        .unwrap_or_default();
    std::io::stderr()
        .write_all(answer.stderr.as_bytes())
        .unwrap_or_default();
    ExitCode::from(answer.code.min(1))
}

fn panic_words(panic: &(dyn std::any::Any + Send)) -> &str {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    words
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no words")
}
