//! `git segue decide`: a decision, recorded or taken back.

use super::{Context, Ending};

/// What is typed behind `decide`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Why it was chosen
    #[arg(long, value_name = "text")]
    why: Option<String>,
    /// What was not chosen
    #[arg(long, value_name = "text")]
    instead_of: Option<String>,
    /// Who decided: user or agent
    #[arg(long, value_name = "who", default_value = "user")]
    by: String,
    /// Take decision <n> of `git segue decisions` back
    #[arg(long, value_name = "n", conflicts_with_all = ["what", "why", "instead_of"])]
    retract: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// What was decided
    #[arg(required_unless_present = "retract")]
    what: Option<String>,
}

/// Runs it.
pub(super) fn run(_args: &Args, _cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    anyhow::bail!("cannot decide: not built yet")
}
