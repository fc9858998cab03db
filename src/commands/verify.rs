//! `git segue verify`: a card against the repository as it is now.

use super::{Context, Ending};

/// What is typed behind `verify`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// The card; this session's newest when not given
    card: Option<String>,
}

/// Runs it.
pub(super) fn run(_args: &Args, _cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    anyhow::bail!("cannot verify: not built yet")
}
