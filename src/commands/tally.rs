//! How many claims hold, how many may, how many do not.

use serde_json::{Value, json};

use crate::handoff::card::Card;
use crate::handoff::claim::{Claim, Section, Verdict};
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

/// One claim of a card that can be looked at, with a verdict on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Checked<'c> {
    /// Its place among all claims of the card, from 0.
    pub(super) place: usize,
    /// Where it stands.
    pub(super) section: Section,
    /// What it says.
    pub(super) claim: &'c Claim,
    /// What was answered.
    pub(super) verdict: &'c Verdict,
}

/// The claims of a card that can be looked at: all that is done and all that is to be read; of the rest, where the
/// repository had something to say. `verdicts` holds one for each claim of the card.
pub(super) fn checked<'c>(
    card: &'c Card,
    verdicts: impl IntoIterator<Item = &'c Verdict>,
) -> impl Iterator<Item = Checked<'c>> {
    let claims = card.sections.iter().zip(verdicts).enumerate();
    let claims = claims.map(|(place, ((section, judged), verdict))| Checked {
        place,
        section,
        claim: &judged.claim,
        verdict,
    });
    claims.filter(|one| {
        matches!(one.section, Section::Done | Section::ReadFirst)
            || !matches!(one.verdict, Verdict::Unconfirmed(None))
    })
}

/// The verdicts of a card as it was written, counted.
pub(super) fn of(card: &Card) -> Tally {
    count(
        card,
        card.sections.iter().map(|(_, judged)| &judged.verdict),
    )
}

/// Counts the verdicts on the claims of a card that can be looked at. `verdicts` holds one for each claim.
pub(super) fn count<'c>(card: &'c Card, verdicts: impl IntoIterator<Item = &'c Verdict>) -> Tally {
    let mut tally = Tally::default();
    for one in checked(card, verdicts) {
        *match one.verdict {
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
