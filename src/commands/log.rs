//! `git segue log`: the cards of a session, newest first.

use super::{Context, Ending};

/// What is typed behind `log`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Show the newest <k> only
    #[arg(short = 'n', long = "max-count", value_name = "k")]
    count: Option<usize>,
    /// One line a card
    #[arg(long)]
    oneline: bool,
    /// The cards of every session
    #[arg(long)]
    all: bool,
    /// Oldest first
    #[arg(long)]
    reverse: bool,
    /// How each card differs from the one before
    #[arg(short = 'p', long)]
    patch: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// A session or a card to begin at; this session when not given
    session: Option<String>,
}

/// Runs it.
pub(super) fn run(_args: &Args, _cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    anyhow::bail!("cannot log: not built yet")
}
