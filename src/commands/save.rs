//! `git segue save`: a card now.

use std::path::PathBuf;

use super::{Context, Ending};

/// What is typed behind `save`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Words of the person that go on the card
    #[arg(short = 'm', long, value_name = "text")]
    message: Option<String>,
    /// Print the card, store nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// The host whose conversation it is: claude-code, codex
    #[arg(long, value_name = "h")]
    host: Option<String>,
    /// The session to save for
    #[arg(long, value_name = "id")]
    session: Option<String>,
    /// The transcript to read; the newest of this work tree when not given
    #[arg(long, value_name = "file")]
    transcript: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub(super) fn run(_args: &Args, _cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    anyhow::bail!("cannot save: not built yet")
}
