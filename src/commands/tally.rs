//! How many claims hold, how many may, how many do not.

use serde_json::{Value, json};

use crate::handoff::claim::Verdict;
use crate::ui::{Ink, Line};

/// Verdicts, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Claims that hold.
    pub(super) confirmed: usize,
    /// Claims that nothing showed.
    pub(super) unconfirmed: usize,
    /// Claims that do not hold.
    pub(super) refuted: usize,
}

/// Counts them.
pub(super) fn count<'v>(verdicts: impl IntoIterator<Item = &'v Verdict>) -> Tally {
    let mut tally = Tally::default();
    for verdict in verdicts {
        *match verdict {
            Verdict::Confirmed => &mut tally.confirmed,
            Verdict::Unconfirmed(_) => &mut tally.unconfirmed,
            Verdict::Refuted(_) => &mut tally.refuted,
        } += 1;
    }
    tally
}

impl Tally {
    /// Whether nothing was counted.
    pub(super) fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// As an object with the three names.
    pub(super) fn json(self) -> Value {
        json!({
            "confirmed": self.confirmed,
            "unconfirmed": self.unconfirmed,
            "refuted": self.refuted,
        })
    }

    /// `✅ 3 ⚠️ 2 ❌ 1`, each where there is one.
    pub(super) fn line(self, line: Line) -> Line {
        let counts = [
            (Ink::Good, "✅", self.confirmed),
            (Ink::Warn, "⚠️", self.unconfirmed),
            (Ink::Bad, "❌", self.refuted),
        ];
        let mut line = line;
        let mut gap = "";
        for (ink, mark, count) in counts.into_iter().filter(|(_, _, count)| *count > 0) {
            line = line.text(gap).ink(ink, format!("{mark} {count}"));
            gap = " ";
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verdict_counts_once() {
        let tally = count(&[
            Verdict::Confirmed,
            Verdict::Refuted("gone".to_owned()),
            Verdict::Unconfirmed(None),
            Verdict::Confirmed,
        ]);
        let expect = Tally {
            confirmed: 2,
            unconfirmed: 1,
            refuted: 1,
        };
        assert_eq!(tally, expect);
    }
}
