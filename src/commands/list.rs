//! `git segue list`: the sessions that have cards.

use super::{Context, Ending};

/// What is typed behind `list`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub(super) fn run(_args: &Args, _cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    anyhow::bail!("cannot list: not built yet")
}
