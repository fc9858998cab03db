//! A card that somebody wrote: looked through before it becomes a draft, and refused whole where anything in it cannot
//! stand.

use std::path::Path;

use crate::handoff::card::Draft;
use crate::handoff::hand::{self, Fault, Rules};
use crate::place::Place;
use crate::secrets;
use crate::verify::Names;

/// A card by hand, read.
#[derive(Debug)]
pub(crate) struct Hand {
    /// What it says.
    pub(crate) draft: Draft,
    /// Why it cannot be stored, in the order of its lines; empty where it can.
    pub(crate) faults: Vec<Fault>,
    /// How many sections it has.
    pub(crate) sections: usize,
    /// How many lines were read.
    pub(crate) lines: usize,
    /// How many bytes were read.
    pub(crate) bytes: usize,
}

/// Where a card by hand is read.
pub(crate) struct Desk<'d> {
    /// Where it goes; none where nothing is there yet.
    pub(crate) place: Option<&'d Place>,
    /// The folder that relative paths may be seen from.
    pub(crate) dir: &'d Path,
    /// The person's home.
    pub(crate) home: Option<&'d Path>,
    /// The environment's variables, for finding their values in text.
    pub(crate) variables: &'d [(String, String)],
    /// Now, in seconds since 1970 UTC.
    pub(crate) now: i64,
}

/// Reads a card by hand. Every fault is told, not only the first; of a secret its kind and line alone.
pub(crate) fn read(desk: &Desk<'_>, text: &str) -> Hand {
    let repo = desk.place.and_then(Place::census_repo);
    let names = Names::new(repo, desk.dir, desk.home);
    let rules = Rules {
        now: desk.now,
        look: &|named| names.look(named),
    };
    let reading = hand::read(text, &rules);
    let own: &[String] = desk.place.map_or(&[], |place| &place.settings.redact);
    let redactor = secrets::redactor(desk.variables, repo, own);
    let mut faults = reading.faults;
    for secret in redactor.places(text) {
        let line = 1 + text[..secret.start].matches('\n').count();
        faults.push(Fault::at(line, format!("a secret ({})", secret.kind)));
    }
    faults.sort();
    faults.dedup();
    // What is refused may quote a line, and with it a secret.
    for fault in &mut faults {
        fault.why = redactor.clean(&fault.why, &mut std::collections::BTreeMap::new());
    }
    Hand {
        draft: reading.draft,
        faults,
        sections: reading.sections,
        lines: text.lines().count(),
        bytes: text.len(),
    }
}
