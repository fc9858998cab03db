//! `git segue show`: one card.

use super::{Context, Ending};

/// What is typed behind `show`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// The census: what was true in the repository then
    #[arg(long)]
    census: bool,
    /// The summary, where the writer made one
    #[arg(long)]
    summary: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// The card; this session's newest when not given
    card: Option<String>,
}

/// Runs it.
pub(super) fn run(_args: &Args, _cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    anyhow::bail!("cannot show: not built yet")
}
