//! How far the repository has moved since a card was written.

/// What a card's age asks of its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Go on.
    Fresh,
    /// Look at what moved.
    SlightlyStale,
    /// Check each claim.
    Stale,
    /// Write a new card.
    VeryStale,
}

impl Level {
    /// As people see it: `FRESH`, `SLIGHTLY_STALE`, `STALE`, `VERY_STALE`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "FRESH",
            Self::SlightlyStale => "SLIGHTLY_STALE",
            Self::Stale => "STALE",
            Self::VeryStale => "VERY_STALE",
        }
    }

    /// What it asks for.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Self::Fresh => "go on",
            Self::SlightlyStale => "look at what moved",
            Self::Stale => "check each claim",
            Self::VeryStale => "write a new card",
        }
    }
}

/// What one claim is worth now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// As it was written.
    Holds,
    /// The content of its path changed.
    Changed(String),
    /// Its path or commit is gone.
    Gone(String),
    /// Its command passed, but files were changed since.
    PassedOnOlderTree(String),
    /// The machine says otherwise.
    Contradicted(String),
    /// Nothing to look at.
    Unchecked,
}

/// How far the repository has moved since a card was written, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Freshness {
    /// The level.
    pub(crate) level: Level,
    /// Why, one short line each, the gravest first.
    pub(crate) reasons: Vec<String>,
    /// The paths named on the card whose content changed or that are gone, in the order of the card.
    pub(crate) moved: Vec<MovedPath>,
    /// Commits that HEAD has and the card's HEAD has not, newest first.
    pub(crate) commits: Vec<super::census::Commit>,
    /// Each claim of the card, in its order, with what it is worth now.
    pub(crate) standings: Vec<Standing>,
}

/// A path named on a card that moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MovedPath {
    /// Relative to the root.
    pub(crate) path: String,
    /// `changed`, `committed`, `gone`, `new`.
    pub(crate) how: String,
}
