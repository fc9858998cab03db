//! `git segue`: keeps the thread of an agent's work in git.

#![allow(
    rustdoc::invalid_html_tags,
    reason = "the command line's help is written as doc comments, with git's `<name>` for values"
)]
#![warn(
    clippy::disallowed_methods,
    clippy::exit,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used
)]

// The command line.
mod cli;

// One file a verb.
mod commands;

// What happens at each moment of a session.
mod moments;

// The two journeys, and the printer.
mod decide;
mod import;
mod pick;
mod restore;
mod save;
mod sync;
mod ui;

// Where a card goes.
mod place;

// The steps of a journey; they do not know one another.
mod carry;
mod census;
mod secrets;
mod settings;
mod state;
mod store;
mod verify;
mod wiring;
mod writer;

// The outside world.
mod git;
mod hosts;

// The nouns.
mod deadline;
mod error;
mod files;
mod handoff;

/// Runs one command line: the program's own arguments, standard input and output.
pub fn run() -> std::process::ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    cli::run(&args)
}
