//! Every text passes here on its way to a claim: secrets out first, then one line, then its length.

use std::collections::{BTreeMap, HashSet};

use crate::handoff::clip;
use crate::handoff::redact::Redactor;

/// Writes texts; knows what it wrote, so that no sentence stands twice.
pub(super) struct Pen<'r> {
    redactor: &'r Redactor,
    counts: BTreeMap<String, u32>,
    written: HashSet<String>,
    /// The letters of every quote.
    quotes: Vec<String>,
}

impl<'r> Pen<'r> {
    pub(super) fn new(redactor: &'r Redactor) -> Self {
        Self {
            redactor,
            counts: BTreeMap::new(),
            written: HashSet::new(),
            quotes: Vec::new(),
        }
    }

    /// How many secrets were taken out, by kind.
    pub(super) fn redactions(self) -> BTreeMap<String, u32> {
        self.counts
    }

    /// The beginning of a text on one line, at most `bytes`.
    pub(super) fn head(&mut self, text: &str, bytes: usize) -> String {
        clip::head(&self.line(text), bytes)
    }

    /// The beginning and the end of a text on one line, at most `bytes`.
    pub(super) fn ends(&mut self, text: &str, bytes: usize) -> String {
        clip::ends(&self.line(text), bytes)
    }

    /// The whole text on one line: for paths, commands and ids, which are no use in part.
    pub(super) fn line(&mut self, text: &str) -> String {
        let clean = self.redactor.clean(text, &mut self.counts);
        let words: Vec<&str> = clean.split_whitespace().collect();
        words.join(" ")
    }

    /// Whether this is the first time that the text is written, whatever its case and marks.
    pub(super) fn first_time(&mut self, text: &str) -> bool {
        self.written.insert(letters(text))
    }

    /// Remembers words that are quoted on the card.
    pub(super) fn quoted(&mut self, words: &str) {
        // Where a quote is clipped, nothing is whole.
        self.quotes.extend(words.split('…').map(letters));
    }

    /// Whether words stand in a quote, whole, whatever their case and marks.
    pub(super) fn has_quoted(&self, words: &str) -> bool {
        let words = letters(words);
        self.quotes.iter().any(|quote| quote.contains(&words))
    }
}

/// Letters and digits in small letters.
fn letters(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
