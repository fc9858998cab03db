//! Waiting for a condition, never for time to pass.

use std::time::{Duration, Instant};

/// The longest that any one step may take. Hosts start in one to two seconds; two of them share two cores.
pub(crate) const STEP_LIMIT: Duration = Duration::from_secs(60);

/// The pause between two looks at what cannot wake us: a screen, a process.
const LOOK_INTERVAL: Duration = Duration::from_millis(40);

/// What `look` finds, as soon as it finds it; `None` when it never did.
pub(crate) fn until<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + STEP_LIMIT;
    loop {
        let found = look();
        if found.is_some() || Instant::now() >= end {
            return found;
        }
        std::thread::park_timeout(LOOK_INTERVAL);
    }
}
