//! In the place of `http.rs` in a program that was built without it.

use serde_json::Value;

use super::Fault;
use crate::deadline::Deadline;

/// What would be sent; see `http.rs`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Post {
    pub(super) url: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Value,
}

/// Says that nothing is sent.
pub(super) fn send(_: &Post, _: Deadline) -> Result<Vec<u8>, Fault> {
    let why = "cannot be asked: this git-segue was built without the feature `http`";
    Err(Fault::Told(why.to_owned()))
}

/// No address is this machine's where none is asked.
pub(super) fn is_local(_: &str) -> bool {
    false
}
