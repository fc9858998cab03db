//! Each verb, end to end in real repositories: what is answered, what is said beside, how it ends.

mod audit;
mod by_hand;
mod decisions;
mod errors;
mod forget;
pub(crate) mod help;
mod import;
mod list;
mod look;
mod prune;
mod save;
mod stats;
mod walk;
