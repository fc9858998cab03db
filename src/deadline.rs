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

    /// Does work in a thread of its own and gives what came of it; none where it has not ended when the time is over. Then
    /// it is left to itself: for work that cannot be told to stop, as a program of the person's that hangs.
    pub(crate) fn wait_for<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (done, ended) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            // Nobody may be waiting any more.
            done.send(work()).ok();
        });
        ended.recv_timeout(self.left()).ok()
    }

    /// Whether it has passed.
    pub(crate) fn passed(self) -> bool {
        self.left().is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_does_not_end_is_left_to_itself() {
        let deadline = Deadline::after(Duration::from_millis(50));
        let (_open, never) = std::sync::mpsc::channel::<()>();
        assert_eq!(deadline.wait_for(move || never.recv().is_ok()), None);
        let deadline = Deadline::after(Duration::from_secs(600));
        assert_eq!(deadline.wait_for(|| 7), Some(7));
    }
}
