//! `git segue resume`: what an agent needs to go on from a card.

use super::{Context, Ending};

/// What is typed behind `resume`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// The card to go on from; this session's newest when not given
    card: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub(super) fn run(_args: &Args, _cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    anyhow::bail!("cannot resume: not built yet")
}
