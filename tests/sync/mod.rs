//! Cards between machines: two clones and a bare repository between them.

mod model;
mod pull;
mod push;
mod two_clones;
