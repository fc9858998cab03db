//! The grammar of the command line, and the one place where the end of a command becomes an exit code.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, CommandFactory, FromArgMatches};

use crate::commands::{self, Context, Ending, Verb};
use crate::error::{Failure, Kind};
use crate::settings::Env;
use crate::ui::{Ink, Line, Ui};

/// Help texts are not wider than this; clap would take 100 where there is no terminal.
const HELP_COLUMNS_MAX: usize = 80;

/// git's own code for a wrong command line. clap's is 2, which both hosts read as "block".
const CODE_USAGE: u8 = 129;
/// git's own code for "cannot go on".
const CODE_FATAL: u8 = 128;
/// The answer is no.
const CODE_NO: u8 = 1;

/// Ends the program's own help.
const CARD_HELP: &str = "\
A <card> is a session or a card, a unique beginning of either, or `@` for this
session's newest card; `~<n>` behind it means the n-th card before. Without a
verb: `status`. What a verb takes: git segue <verb> -h";

/// Keeps the thread of an agent's work in git
#[derive(clap::Parser)]
#[command(
    name = "git segue",
    bin_name = "git segue",
    version,
    max_term_width = HELP_COLUMNS_MAX,
    disable_help_flag = true,
    disable_help_subcommand = true,
    after_help = CARD_HELP,
    subcommand_value_name = "verb",
    subcommand_help_heading = "Verbs"
)]
struct Typed {
    /// Run as if started in <path>
    #[arg(short = 'C', value_name = "path", action = ArgAction::Append)]
    dirs: Vec<PathBuf>,
    /// As of `status`, the verb that goes without saying
    #[arg(long, hide = true)]
    exit_code: bool,
    /// As of `status`, the verb that goes without saying
    #[arg(long, hide = true)]
    json: bool,
    #[command(subcommand)]
    verb: Option<Verb>,
}

/// The whole grammar; `-h` and a silent `--help` on every verb. `git segue --help` never reaches us: git looks for a
/// manual page.
fn grammar() -> clap::Command {
    let help = |id| Arg::new(id).global(true).action(ArgAction::HelpShort);
    Typed::command()
        .arg(help("h").short('h').help("Print this help"))
        .arg(help("help").long("help").hide(true))
}

/// Runs one command line, from the program's arguments to its exit code.
pub(crate) fn run(args: &[OsString]) -> ExitCode {
    let env = Env::read();
    // Hosts call this on every turn: it must not pay for a grammar.
    if args.get(1).is_some_and(|verb| verb == "hook") {
        return commands::hook::run(&args[2..], env);
    }
    if args.get(1).is_some_and(|verb| verb == "statusline")
        && let Some(code) = commands::statusline::shortcut(&args[2..], &env)
    {
        return code;
    }
    let mut ui = Ui::new(commands::look(&env));
    let ended = parse(args).and_then(|typed| match typed {
        Parsed::Verb(dirs, verb) => {
            let mut cx = Context::new(env, &dirs, &mut ui);
            commands::run(&verb, &mut cx)
        }
        Parsed::Print(text) => ui.text(&text).map(|()| Ending::Yes),
    });
    let finished = ui.finish();
    let ended = ended.and_then(|ending| finished.map(|()| ending));
    ExitCode::from(code(ended, &mut ui))
}

/// What the command line asks for.
enum Parsed {
    /// A verb, and the folders behind `-C`.
    Verb(Vec<PathBuf>, Verb),
    /// A text that clap has made: help or the version.
    Print(String),
}

fn parse(args: &[OsString]) -> anyhow::Result<Parsed> {
    let matched = grammar()
        .try_get_matches_from(args)
        .and_then(|matches| Typed::from_arg_matches(&matches));
    match matched {
        Ok(Typed {
            verb: Some(_),
            exit_code,
            json,
            ..
        }) if exit_code || json => {
            Err(Failure::usage("an option of a verb stands behind the verb").into())
        }
        Ok(typed) => {
            let verb = typed.verb;
            let verb = verb.unwrap_or_else(|| Verb::status(typed.exit_code, typed.json));
            Ok(Parsed::Verb(typed.dirs, verb))
        }
        Err(err) if !err.use_stderr() => Ok(Parsed::Print(err.render().to_string())),
        Err(err) => {
            let text = err.render().to_string();
            let text = text.trim_end();
            Err(Failure::usage(text.strip_prefix("error: ").unwrap_or(text)).into())
        }
    }
}

/// Says what went wrong and gives the exit code: the only table of them. A closed pipe is success, since whoever
/// closed it has read enough.
fn code(ended: anyhow::Result<Ending>, ui: &mut Ui) -> u8 {
    let err = match ended {
        Ok(Ending::Yes) => return 0,
        Ok(Ending::No) => return CODE_NO,
        Err(err) => err,
    };
    if is_closed_pipe(&err) {
        return 0;
    }
    let failure = err
        .chain()
        .find_map(|cause| cause.downcast_ref::<Failure>());
    let (word, code) = match failure.map_or(Kind::Fatal, |failure| failure.kind) {
        Kind::No => ("error: ", CODE_NO),
        Kind::Usage => ("error: ", CODE_USAGE),
        Kind::Fatal => ("fatal: ", CODE_FATAL),
    };
    ui.say(&Line::new().ink(Ink::Bad, word).text(format!("{err:#}")));
    for hint in failure.map_or(&[][..], |failure| &failure.hints) {
        ui.say(&Line::new().ink(Ink::Hint, "hint: ").text(hint));
    }
    code
}

fn is_closed_pipe(err: &anyhow::Error) -> bool {
    err.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|err| err.kind() == io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(err: anyhow::Error, expect: u8) {
        let mut ui = Ui::new(crate::ui::Look::default());
        assert_eq!(code(Err(err), &mut ui), expect);
    }

    #[test]
    fn the_grammar_is_sound() {
        grammar().debug_assert();
    }

    #[test]
    fn the_kind_of_an_error_decides_the_code_wherever_it_stands_in_the_chain() {
        check(anyhow::anyhow!("x"), CODE_FATAL);
        check(Failure::no("x").into(), CODE_NO);
        check(
            anyhow::Error::from(Failure::usage("x")).context("y"),
            CODE_USAGE,
        );
        check(Failure::fatal("x").hint("z").into(), CODE_FATAL);
        let pipe = io::Error::from(io::ErrorKind::BrokenPipe);
        check(anyhow::Error::from(pipe).context("cannot write"), 0);
    }

    #[test]
    fn no_line_of_help_is_wider_than_a_terminal() {
        let mut grammar = grammar();
        grammar.build();
        let verbs: Vec<_> = grammar.get_subcommands().cloned().collect();
        for mut verb in std::iter::once(grammar).chain(verbs) {
            for line in verb.render_help().to_string().lines() {
                let wide = line.chars().count();
                assert!(wide <= HELP_COLUMNS_MAX, "{}: {line}", verb.get_name());
            }
        }
    }
}
