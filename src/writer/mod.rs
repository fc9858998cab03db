//! Writes a draft: the rules do, from the transcript and the census.

use std::collections::BTreeMap;

use crate::handoff::card::{Card, Draft};
use crate::handoff::census::Census;
use crate::handoff::redact::Redactor;
use crate::handoff::transcript::Transcript;

/// What a draft is written from.
#[derive(Clone, Copy)]
pub(crate) struct Brief<'b> {
    /// The conversation; none where the host has no transcript: the census and the previous card must do.
    pub(crate) transcript: Option<&'b Transcript>,
    /// The repository.
    pub(crate) census: Option<&'b Census>,
    /// The session's previous card.
    pub(crate) previous: Option<&'b Card>,
    /// What the person wrote behind `/compact` or `save -m`.
    pub(crate) instructions: Option<&'b str>,
    /// Takes secrets out of every text before it is clipped.
    pub(crate) redactor: &'b Redactor,
    /// Paths relative to this are written relative; the work tree's root.
    pub(crate) root: Option<&'b str>,
}

/// A draft by rules, with how many secrets were taken out by kind.
pub(crate) fn by_rules(_brief: &Brief<'_>) -> (Draft, BTreeMap<String, u32>) {
    (Draft::default(), BTreeMap::new())
}
