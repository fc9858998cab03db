//! The uncommitted work that a card carries: gathered on one machine, brought back on another.

mod ground;
mod kept_out;
mod merge;
mod random;
mod refusals;
mod round_trip;
mod tricks;
