//! Putting a better card in the place of the one that it was made from.

use anyhow::Context;

use super::{Appended, Store, layout};
use crate::git::{Oid, Swap};
use crate::handoff::card::Card;

/// What came of [`Store::replace`].
#[derive(Debug)]
pub(crate) enum Replaced {
    /// The card stands at the tip now.
    Yes(Appended),
    /// Somebody else moved the chain on meanwhile: it stays as it is.
    Moved,
}

impl Store<'_> {
    /// Puts `card` in the place of the card `tip` (hex), with that one's parents, so that the chain keeps one card for one
    /// event. Only where `tip` is still the tip, by one compare-and-swap without retries: whoever moved the chain on knows
    /// more than a card that was made before. The same content leaves the tip as it is.
    pub(crate) fn replace(&self, tip: &str, card: &Card) -> anyhow::Result<Replaced> {
        let name = layout::ref_name(card.provenance.session.ref_name());
        let old = Oid::from_hex(tip.as_bytes()).context("cannot replace a card: it has no id")?;
        if self.tip_id(&name)? != Some(old) {
            return Ok(Replaced::Moved);
        }
        let before = self.repo.read_commit(old)?;
        let mut card = card.clone();
        card.decisions.unite(&self.read_decisions(before.tree)?);
        let tree = self.write_card_tree(&card)?;
        let mut appended = Appended {
            id: tip.to_owned(),
            written: false,
            warnings: Vec::new(),
        };
        if tree == before.tree {
            return Ok(Replaced::Yes(appended));
        }
        let message = layout::message(&card);
        let mut pen = self.pen(card.provenance.kind);
        let warnings = &mut appended.warnings;
        let id = pen.write(tree, &before.parents, &message, None, warnings)?;
        let log = format!("segue: {} anew", card.provenance.kind.as_str());
        if self.repo.swap_ref(&name, Some(old), id, &log)? == Swap::Moved {
            return Ok(Replaced::Moved);
        }
        self.keep(id, || {
            self.write_card_tree(&card)?;
            pen.write_again().map(|_| ())
        })?;
        self.note(&card, id, Some(old), &mut appended.warnings);
        appended.id = id.to_string();
        appended.written = true;
        Ok(Replaced::Yes(appended))
    }
}
