//! What the tests stand on.

pub(crate) mod cards;
pub(crate) mod conversation;
pub(crate) mod golden;
pub(crate) mod model;
pub(crate) mod sound;
pub(crate) mod story;
pub(crate) mod untouched;
pub(crate) mod world;
