//! What a card from another machine says of things that are there and not here.

use super::{Freshness, Level, PATHS_NAMED_MAX};
use crate::handoff::census::Census;
use crate::handoff::plain::name;

impl Freshness {
    /// Adds what did not travel with a card that was written with `then` in another repository.
    pub(crate) fn seen_from_elsewhere(mut self, then: &Census) -> Self {
        let mut lines = vec![format!("written elsewhere, in `{}`", name(&then.root))];
        let mut dirty: Vec<String> = then
            .dirty
            .iter()
            .take(PATHS_NAMED_MAX)
            .map(|one| format!("`{}`", name(&one.path)))
            .collect();
        let more = then.dirty.len().saturating_sub(dirty.len());
        if more > 0 {
            dirty.push(format!("{more} more"));
        }
        if !dirty.is_empty() {
            let list = dirty.join(", ");
            lines.push(match then.carried {
                Some(_) => format!("not committed there, but carried by the card: {list}"),
                None => format!("not committed there, so perhaps not here: {list}"),
            });
        }
        if !then.stashes.is_empty() {
            let number = i64::try_from(then.stashes.len()).unwrap_or(i64::MAX);
            lines.push(format!("{} stayed there", count_stashes(number)));
        }
        lines.push("files that git ignores stayed there".to_owned());
        self.level = self.level.max(Level::SlightlyStale);
        self.reasons.extend(lines);
        self
    }
}

fn count_stashes(number: i64) -> String {
    if number == 1 {
        "1 stash".to_owned()
    } else {
        format!("{number} stashes")
    }
}
