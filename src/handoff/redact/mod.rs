//! Taking secrets out of text before it becomes an object, since an object is for ever.
//!
//! A text is read as it stands and, where it holds escapes, as a JSON parser, a shell or a URL would read it, layer by
//! layer. Each reading is looked through by these finders; what they find is replaced in the text itself:
//!
//! | finder | kinds | where a stranger adds to it |
//! |---|---|---|
//! | `shapes` | `github-token`, `aws-key-id`, `jwt` and so on: one for each issuer | the table `SHAPES` |
//! | `keys` | `private-key` | |
//! | `urls` | `url-password` | |
//! | `assignments`, `flags` | `password`, `credential` | `names::ENDS` |
//! | `headers` | `authorization`, `cookie` | `headers::WORD_SCHEMES` |
//! | `entropy` | `high-entropy` | `entropy::WORDS` |
//! | `literals` | `literal` | `segue.redact`, the environment |
//! | `encoded` | those of the others, in base64 | |
//!
//! No pattern is compiled. A text is redacted first and clipped afterwards; [`super::clip`] cuts no token in two, so that a
//! text which was clipped before holds no part of a secret without the prefix or name that tells it.

mod assignments;
mod encoded;
mod entropy;
mod flags;
mod headers;
mod keys;
mod literals;
mod names;
mod readable;
mod shapes;
mod urls;
mod values;
mod view;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use literals::Literals;
pub(crate) use names::telling;
pub(crate) use readable::readable;

/// What was replaced may bring new neighbours together; after this many rounds nothing has been seen to.
const ROUNDS_MAX: usize = 4;
/// What stands in the place of a secret begins so; its kind and `]` follow.
const MARK: &str = "[redacted:";

/// What to take out beside the known shapes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Redactor {
    literals: Literals,
}

/// The place of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    /// Its first byte.
    pub(crate) start: usize,
    /// The byte behind its last.
    pub(crate) end: usize,
    /// What it is, as in `[redacted:<kind>]`.
    pub(crate) kind: &'static str,
}

/// Whether something was taken out of `text`: it is no longer the name that it was.
pub(crate) fn is_redacted(text: &str) -> bool {
    text.contains(MARK)
}

/// Whether `clean` may be what a redactor made of `text`: the same around each thing that was taken out.
pub(crate) fn may_be_of(clean: &str, text: &str) -> bool {
    let mut pieces = clean.split(MARK);
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut pieces = pieces
        .map(|piece| piece.split_once(']').map_or("", |(_, behind)| behind))
        .peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    true
}

impl Redactor {
    /// A redactor that also takes out each of `literals`: values from the environment, `.env` files, `segue.redact`. Those
    /// under four bytes are left out, since they would be found everywhere.
    pub(crate) fn new(literals: Vec<String>) -> Self {
        Self {
            literals: Literals::new(literals),
        }
    }

    /// `text` with `[redacted:<kind>]` in place of each secret; counts each kind in `counts`. Cleaning a clean text
    /// changes nothing.
    pub(crate) fn clean(&self, text: &str, counts: &mut BTreeMap<String, u32>) -> String {
        let mut text = text.to_owned();
        for _ in 0..ROUNDS_MAX {
            let places = self.places(&text);
            if places.is_empty() {
                break;
            }
            text = replaced(&text, &places, counts);
        }
        text
    }

    /// The places of the secrets in `text`, in order, none touching another.
    pub(crate) fn places(&self, text: &str) -> Vec<Found> {
        let bytes = text.as_bytes();
        let mut found = self.find(bytes);
        for reading in view::readings(bytes) {
            found.extend(self.find(&reading.text).into_iter().map(|hit| {
                let (start, end) = reading.source(hit.start, hit.end);
                Found { start, end, ..hit }
            }));
        }
        merged(text, found)
    }

    /// The places of the secrets in `text` that do not stand in `before` already, as secrets or otherwise: what is stored
    /// cannot be kept from being stored.
    pub(crate) fn new_places(&self, text: &str, before: impl FnOnce() -> String) -> Vec<Found> {
        let mut places = self.places(text);
        if !places.is_empty() {
            let before = before();
            places.retain(|one| !before.contains(&text[one.start..one.end]));
        }
        places
    }

    /// What the finders see in one reading, the most telling first.
    fn find(&self, text: &[u8]) -> Vec<Found> {
        let mut found = self.find_plain(text);
        encoded::find(text, |text| self.find_plain(text), &mut found);
        found
    }

    fn find_plain(&self, text: &[u8]) -> Vec<Found> {
        let mut found = Vec::new();
        shapes::find(text, &mut found);
        keys::find(text, &mut found);
        urls::find(text, &mut found);
        assignments::find(text, &mut found);
        flags::find(text, &mut found);
        headers::find(text, &mut found);
        entropy::find(text, &mut found);
        self.literals.find(text, &mut found);
        found
    }
}

/// One place for those that overlap, named by the one that was found first.
fn merged(text: &str, found: Vec<Found>) -> Vec<Found> {
    let mut ranked: Vec<(usize, Found)> = found.into_iter().enumerate().collect();
    ranked.retain(|(_, hit)| hit.start < hit.end);
    ranked.sort_by_key(|(rank, hit)| (hit.start, *rank));
    let mut merged: Vec<(usize, Found)> = Vec::new();
    for (rank, mut hit) in ranked {
        while !text.is_char_boundary(hit.start) {
            hit.start -= 1;
        }
        while !text.is_char_boundary(hit.end) {
            hit.end += 1;
        }
        match merged.last_mut() {
            Some((first, last)) if hit.start < last.end => {
                last.end = last.end.max(hit.end);
                if rank < *first {
                    *first = rank;
                    last.kind = hit.kind;
                }
            }
            _ => merged.push((rank, hit)),
        }
    }
    merged.into_iter().map(|(_, hit)| hit).collect()
}

fn replaced(text: &str, places: &[Found], counts: &mut BTreeMap<String, u32>) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for place in places {
        clean.push_str(&text[from..place.start]);
        clean.push_str(MARK);
        clean.push_str(place.kind);
        clean.push(']');
        *counts.entry(place.kind.to_owned()).or_default() += 1;
        from = place.end;
    }
    clean.push_str(&text[from..]);
    clean
}
