//! A text that is to be forgotten: where it stands, and a card without it.

use crate::handoff::card::Card;
use crate::handoff::claim::Section;

/// What stands in the place of a forgotten text.
pub(super) const MARK: &str = "[forgotten]";

/// Takes a text out of a card: claims and decisions that hold it go, elsewhere it is replaced.
pub(super) fn strip(card: &mut Card, text: &str) {
    for section in Section::ALL {
        card.sections.of_mut(section).retain(|judged| {
            let mut holds = false;
            judged.claim.clone().map_texts(|said| {
                holds |= said.contains(text);
                said.to_owned()
            });
            !holds && !format!("{:?}", judged.verdict).contains(text)
        });
    }
    card.decisions.retain(
        |one| {
            let texts = [Some(&one.what), one.why.as_ref(), one.instead_of.as_ref()];
            !texts.into_iter().flatten().any(|said| said.contains(text))
        },
        |_| true,
    );
    let clean = |said: &str| said.replace(text, MARK);
    if let Some(census) = &mut card.census {
        census.map_texts(clean);
        census.dirty.retain(|one| !one.path.contains(text));
    }
    for one in &mut card.subagents {
        one.prompt = one.prompt.as_deref().map(clean);
        one.result = one.result.as_deref().map(clean);
    }
    card.summary = card.summary.as_deref().map(clean);
    card.provenance.instructions = card.provenance.instructions.as_deref().map(clean);
}

/// A text as it stands, and as JSON has it.
pub(super) fn spellings(text: &str) -> Vec<Vec<u8>> {
    let json = serde_json::Value::from(text).to_string();
    let inner = json.as_bytes()[1..json.len() - 1].to_owned();
    vec![text.as_bytes().to_owned(), inner]
}

pub(super) fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len().max(1)).any(|one| one == part)
}
