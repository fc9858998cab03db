//! `git-segue hook <host>` end to end: what a host says goes in, what it hears comes out.

mod compaction;
mod failures;
mod function_hook;
mod recorded;
mod seats;
pub(crate) mod stage;
mod statusline;
mod subagents;
mod turns;
