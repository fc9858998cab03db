//! `git segue statusline`: the host's status JSON in, one line out. A host calls it all the time and shows whatever it
//! prints, so it is cheap, and whatever goes wrong it prints what it can and succeeds.

use std::ffi::OsString;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use super::input;
use crate::deadline::Deadline;
use crate::git::process::Call;
use crate::handoff::session::SessionId;
use crate::handoff::transcript::ContextUse;
use crate::handoff::{age, command_line};
use crate::hosts::status_line::{self, StatusLine};
use crate::hosts::{self, ADAPTERS, Adapter};
use crate::place::{Make, Place};
use crate::restore;
use crate::settings::Env;
use crate::state::sessions::SessionState;
use crate::store::Store;

/// How long the person's own command may take.
const WRAPPED_TIME_MAX: Duration = Duration::from_secs(2);
/// What it may print, in bytes.
const WRAPPED_BYTES_MAX: usize = 16 * 1024;
/// What stands between their line and ours, and between our pieces.
const BETWEEN: &str = " · ";
/// Ends whatever colour their line began.
const COLOUR_END: &str = "\x1b[m";

/// What is typed behind `statusline`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Whose status JSON it is: claude-code or codex
    #[arg(long, value_name = "host", default_value = ADAPTERS[0].name)]
    host: String,
    /// Run your own status line command with the same input, and show ours behind its first line; it is started
    /// without a shell, so put pipes and variables into a script
    #[arg(long, value_name = "command")]
    wrap: Option<String>,
}

/// Runs it before the grammar is made, which costs more than the rest; none where the grammar must see what was typed.
pub(crate) fn shortcut(args: &[OsString], env: &Env) -> Option<ExitCode> {
    let mut typed = Args {
        host: ADAPTERS[0].name.to_owned(),
        wrap: None,
    };
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let (name, value) = match word.to_str()?.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => (word.to_str()?, words.next()?.to_str()?.to_owned()),
        };
        match name {
            "--host" => typed.host = value,
            "--wrap" => typed.wrap = Some(value),
            _ => return None,
        }
    }
    Some(run(&typed, env, &env.cwd))
}

/// Prints the line, seen from `dir` where the host names no folder.
pub(super) fn run(args: &Args, env: &Env, dir: &Path) -> ExitCode {
    // What a bug says on its way would be shown, or would spoil the terminal.
    std::panic::set_hook(Box::new(|_| {}));
    let stdin = input::whole().unwrap_or_default();
    let theirs = args.wrap.as_deref().map(|line| wrapped(line, &stdin));
    let ours = if env.disabled {
        String::new()
    } else {
        let host = hosts::find(&args.host).unwrap_or(&ADAPTERS[0]);
        catch_unwind(AssertUnwindSafe(|| line(host, &stdin, env, dir))).unwrap_or_default()
    };
    let text = joined(&theirs.unwrap_or_default(), &ours);
    // A host that has gone away does not need it.
    std::io::stdout()
        .write_all(text.as_bytes())
        .unwrap_or_default();
    ExitCode::SUCCESS
}

/// What the person's own command prints; nothing where it fails or takes too long.
fn wrapped(line: &str, stdin: &[u8]) -> String {
    let words = command_line::split(line).unwrap_or_default();
    let Some((program, args)) = words.split_first() else {
        return String::new();
    };
    let output = Call::new(program)
        .args(args)
        .stdin(stdin)
        .deadline(Deadline::after(WRAPPED_TIME_MAX))
        .output_bytes_max(WRAPPED_BYTES_MAX)
        .run();
    match output {
        Ok(output) if output.success() => output.text(),
        Ok(_) | Err(_) => String::new(),
    }
}

/// Our line behind the first of theirs.
fn joined(theirs: &str, ours: &str) -> String {
    let theirs = theirs.trim_end();
    let (first, rest) = theirs.split_once('\n').unwrap_or((theirs, ""));
    let end = if first.contains('\x1b') {
        COLOUR_END
    } else {
        ""
    };
    let first = match (first.trim_end(), ours) {
        ("", ours) => ours.to_owned(),
        (first, "") => first.to_owned(),
        (first, ours) => format!("{first}{end}{BETWEEN}{ours}"),
    };
    let lines = [first.as_str(), rest].join("\n");
    format!("{}\n", lines.trim_end())
}

/// Our line.
fn line(host: &Adapter, stdin: &[u8], env: &Env, dir: &Path) -> String {
    let said = status_line::parse(stdin);
    let session = said.session.clone().or_else(|| env.session.clone());
    let session = session.as_deref().map(SessionId::new);
    let named = said.cwd.as_deref().filter(|dir| dir.is_dir());
    let place = Place::find(env, named.unwrap_or(dir), Make::No);
    let place = place.ok().flatten();
    let state = match (&place, &session) {
        (Some(place), Some(session)) => state(place, session, &said),
        _ => SessionState::default(),
    };
    let left = left_percent(host, env, &said, &state);
    let left = left.map_or_else(|| "–".to_owned(), |left| format!("{left}%"));
    let mut pieces = vec![format!("CTX▼{left}")];
    let card = place.as_ref().zip(session.as_ref());
    let card = card.and_then(|(place, session)| card_piece(place, session, env.git.now));
    pieces.push(card.unwrap_or_else(|| "no card".to_owned()));
    match state
        .agents
        .iter()
        .filter(|one| one.ended.is_none())
        .count()
    {
        0 => {}
        1 => pieces.push("1 agent".to_owned()),
        running => pieces.push(format!("{running} agents")),
    }
    pieces.join(BETWEEN)
}

/// What the session has under way. The window's size is noted down there: hooks are not told of it.
fn state(place: &Place, session: &SessionId, said: &StatusLine) -> SessionState {
    let mut state = place.state.session(session);
    let size = said.window.and_then(|window| window.size);
    if size.is_some() && size != state.window {
        state.window = size;
        // Where it cannot be written, the next line tries again.
        place
            .state
            .update_session(session, |state| state.window = size)
            .unwrap_or_default();
    }
    state
}

/// As the host counts it, else by the end of the transcript.
fn left_percent(host: &Adapter, env: &Env, said: &StatusLine, state: &SessionState) -> Option<u64> {
    if let Some(window) = said.window {
        return window.left_percent;
    }
    let transcript = transcript(host, env, said)?;
    let ContextUse { used, window } = (host.context)(&transcript)?;
    let window = window.or(state.window).filter(|window| *window > 0)?;
    let used = used.saturating_mul(100).div_ceil(window);
    Some(100u64.saturating_sub(used))
}

fn transcript(host: &Adapter, env: &Env, said: &StatusLine) -> Option<PathBuf> {
    if let Some(named) = &said.transcript {
        return Some(named.clone());
    }
    (host.find_session)(&env.places, said.session.as_deref()?).ok()?
}

/// `card 4m FRESH`; none where the session has no card that can be read.
fn card_piece(place: &Place, session: &SessionId, now: i64) -> Option<String> {
    let stored = Store::new(&place.repo).tip(session).ok()??;
    let age = age::brief(now.saturating_sub(stored.at));
    let level = restore::glance(place, &stored, now);
    Some(format!("card {age} {}", level.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_line_stands_behind_their_first_and_nothing_of_either_is_lost() {
        let check = |theirs: &str, expect: &str| assert_eq!(joined(theirs, "ours"), expect);
        check("", "ours\n");
        check("\n", "ours\n");
        check("theirs\n", "theirs · ours\n");
        check(
            "theirs \nsecond\n\nlast\n\n",
            "theirs · ours\nsecond\n\nlast\n",
        );
        check("\x1b[31mred", "\x1b[31mred\x1b[m · ours\n");
        check("\nsecond", "ours\nsecond\n");
        assert_eq!(joined("theirs", ""), "theirs\n");
    }
}
