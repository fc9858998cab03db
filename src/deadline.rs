//! How much of the host's patience is left.

use std::time::{Duration, Instant};

/// A moment by which a piece of work must have ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    end: Instant,
}

impl Deadline {
    /// `budget` from now.
    pub(crate) fn after(budget: Duration) -> Self {
        Self {
            end: Instant::now() + budget,
        }
    }

    /// The earlier of this and `budget` from now.
    pub(crate) fn at_most(self, budget: Duration) -> Self {
        Self {
            end: self.end.min(Instant::now() + budget),
        }
    }

    /// What is left, zero when it has passed.
    pub(crate) fn left(self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// Whether it has passed.
    pub(crate) fn passed(self) -> bool {
        self.left().is_zero()
    }
}
