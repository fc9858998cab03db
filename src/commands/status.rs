//! `git segue status`: the card that would be given back.

use super::{Context, Ending};

/// What is typed behind `status`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Exit with 1 when the card is stale or there is none
    #[arg(long)]
    exit_code: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub(super) fn run(_args: &Args, _cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    anyhow::bail!("cannot status: not built yet")
}
