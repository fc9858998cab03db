//! How many claims hold, how many may, how many do not.

use std::fmt;

use super::card::Card;
use super::claim::{Claim, Section, Verdict};

/// Verdicts, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Claims that hold.
    pub(crate) confirmed: usize,
    /// Claims that nothing showed.
    pub(crate) unconfirmed: usize,
    /// Claims that do not hold.
    pub(crate) refuted: usize,
}

/// One claim of a card that can be looked at, with a verdict on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checked<'c> {
    /// Its place among all claims of the card, from 0.
    pub(crate) place: usize,
    /// Where it stands.
    pub(crate) section: Section,
    /// What it says.
    pub(crate) claim: &'c Claim,
    /// What was answered.
    pub(crate) verdict: &'c Verdict,
}

/// The claims of a card that can be looked at: all that is done and all that is to be read; of the rest, where the
/// repository had something to say. `verdicts` holds one for each claim of the card.
pub(crate) fn checked<'c>(
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
pub(crate) fn of(card: &Card) -> Tally {
    count(
        card,
        card.sections.iter().map(|(_, judged)| &judged.verdict),
    )
}

/// Counts the verdicts on the claims of a card that can be looked at. `verdicts` holds one for each claim.
pub(crate) fn count<'c>(card: &'c Card, verdicts: impl IntoIterator<Item = &'c Verdict>) -> Tally {
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
    pub(crate) fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// The reverse of its `Display`. Total: what it does not know counts nothing.
    pub(crate) fn parse(text: &str) -> Self {
        let mut tally = Self::default();
        for (count, name) in text.split(", ").filter_map(|part| part.split_once(' ')) {
            let count = count.parse().unwrap_or(0);
            match name {
                "confirmed" => tally.confirmed = count,
                "unconfirmed" => tally.unconfirmed = count,
                "refuted" => tally.refuted = count,
                _ => {}
            }
        }
        tally
    }
}

impl fmt::Display for Tally {
    /// `3 confirmed, 1 refuted`: each where there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.confirmed, "confirmed"),
            (self.unconfirmed, "unconfirmed"),
            (self.refuted, "refuted"),
        ];
        let mut gap = "";
        for (count, name) in counts.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{gap}{count} {name}")?;
            gap = ", ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_is_read_back_as_it_was_written() {
        let check = |confirmed, unconfirmed, refuted, text: &str| {
            let tally = Tally {
                confirmed,
                unconfirmed,
                refuted,
            };
            assert_eq!(tally.to_string(), text);
            assert_eq!(Tally::parse(text), tally);
        };
        check(0, 0, 0, "");
        check(3, 0, 1, "3 confirmed, 1 refuted");
        check(1, 12, 0, "1 confirmed, 12 unconfirmed");
        assert_eq!(Tally::parse("many confirmed, 1 doubted"), Tally::default());
    }
}
