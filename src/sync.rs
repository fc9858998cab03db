//! Cards between machines: what is pushed, what a fetch brings, what of that goes into our own chains.

pub(crate) mod auto;
pub(crate) mod pull;
pub(crate) mod push;
pub(crate) mod refspec;
pub(crate) mod trust;

use crate::error::Failure;
use crate::git::Oid;
use crate::place::Place;
use crate::store::forget::again::Before;

/// What was forgotten in this place.
fn forgotten(place: &Place) -> Before {
    let ledger = place.state.forgotten();
    let oid = |hex: &str| Oid::from_hex(hex.as_bytes()).ok();
    let card =
        |(old, new): (String, Option<String>)| Some((oid(&old)?, new.as_deref().and_then(oid)));
    Before {
        cards: ledger.cards.into_iter().filter_map(card).collect(),
        decisions: ledger.decisions.into_iter().collect(),
    }
}

/// The remote to speak with: the one that is named, else `segue.remote`, else the one that git itself would take.
pub(crate) fn remote(place: &Place, named: Option<&str>) -> anyhow::Result<String> {
    let names = place.repo.remotes();
    let set = named.or(place.settings.remote.as_deref());
    let Some(remote) = set.map(str::to_owned).or_else(|| place.repo.usual_remote()) else {
        let none = if names.is_empty() {
            Failure::fatal("cannot tell where to: this repository has no remote")
                .hint("`git remote add origin <url>` adds one")
        } else {
            Failure::fatal("cannot tell which remote")
                .hint(format!("name one of: {}", names.join(", ")))
        };
        return Err(none.into());
    };
    // An address alone gives no name to keep its cards under.
    if !names.contains(&remote) || remote.starts_with('-') {
        let unknown = Failure::fatal(format!("no remote `{remote}`"));
        let hint = if names.is_empty() {
            format!("`git remote add origin {remote}` makes one of an address")
        } else {
            format!("the remotes are: {}", names.join(", "))
        };
        return Err(unknown.hint(hint).into());
    }
    Ok(remote)
}
