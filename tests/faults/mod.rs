//! What may go wrong while a card is saved, done from outside of the process.

mod beside;
mod crowd;
mod kill;
mod obstacles;
