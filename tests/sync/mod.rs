//! Cards between machines: two clones and a bare repository between them.

mod behind;
mod elsewhere;
mod forgotten;
mod hostile;
mod model;
mod pull;
mod push;
mod refs;
mod settings;
mod trust;
pub(crate) mod two_clones;
