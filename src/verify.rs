//! Judges claims against the repository: when a card is written, and again whenever it is shown.

use crate::git::Repo;
use crate::handoff::census::Census;
use crate::handoff::claim::{Claim, Section, Verdict};

/// The repository's answer to one claim of a new card. `census` was taken a moment ago.
pub(crate) fn judge(
    _repo: Option<&Repo>,
    _census: Option<&Census>,
    _section: Section,
    _claim: &Claim,
) -> Verdict {
    Verdict::Unconfirmed(None)
}
