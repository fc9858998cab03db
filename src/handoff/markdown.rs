//! A card as Markdown: `card.md`.

use super::card::Card;

/// `card.md` may have this many bytes.
pub(crate) const CARD_BYTES_MAX: usize = 6_000;

/// The card for people and agents, at most [`CARD_BYTES_MAX`] bytes, cut by priority and never inside a line.
pub(crate) fn card(card: &Card) -> String {
    card.goal().to_owned()
}
