//! `git segue decisions`: the decisions of a session, newest first.

use super::{Context, Ending};

/// What is typed behind `decisions`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Those of every session, and those taken back
    #[arg(long)]
    all: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub(super) fn run(_args: &Args, _cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    anyhow::bail!("cannot decisions: not built yet")
}
