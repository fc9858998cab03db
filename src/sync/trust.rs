//! Whether a card that came from elsewhere may be given to an agent without anybody's asking for it. An author's name
//! and address prove nothing and count for nothing.

use crate::deadline::Deadline;
use crate::git::Oid;
use crate::git::signature::Signature;
use crate::handoff::card::Stored;
use crate::place::Place;

/// Why a fetched card is trusted, or why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trust {
    /// It came from a remote of `segue.trustRemote`: the person trusts all who may write there.
    Remote,
    /// What its signature is worth.
    Signature(Signature),
}

/// Judges a card that was fetched from `remote`.
pub(crate) fn of(place: &Place, card: Oid, remote: &str, deadline: Deadline) -> Trust {
    if place.settings.trust_remotes.iter().any(|one| one == remote) {
        return Trust::Remote;
    }
    Trust::Signature(place.repo.signature_of(card, deadline))
}

/// The same for a card that was read.
pub(crate) fn of_stored(place: &Place, card: &Stored, remote: &str, deadline: Deadline) -> Trust {
    match Oid::from_hex(card.id.as_bytes()) {
        Ok(id) => of(place, id, remote, deadline),
        Err(err) => Trust::Signature(Signature::Unchecked(err.to_string())),
    }
}

impl Trust {
    /// Whether it may be given by itself.
    pub(crate) fn is_enough(&self) -> bool {
        matches!(
            self,
            Self::Remote | Self::Signature(Signature::Trusted { .. })
        )
    }

    /// For people and agents, to be put behind the card's origin.
    pub(crate) fn words(&self) -> String {
        let key = |key: &str| if key.is_empty() { "?" } else { key }.to_owned();
        match self {
            Self::Remote => "from a remote that you trust (segue.trustRemote)".to_owned(),
            Self::Signature(signature) => match signature {
                Signature::None => "not signed".to_owned(),
                Signature::Trusted { signer } => format!("signed by {signer}, whom you trust"),
                Signature::UnknownKey { key: id } => {
                    format!("signed by the key {}, which you do not trust", key(id))
                }
                Signature::Expired { key: id } => {
                    format!("signed by the key {}, whose time is over", key(id))
                }
                Signature::Revoked => "signed by a key that was revoked".to_owned(),
                Signature::Tampered => {
                    "TAMPERED WITH: its signature does not fit what it says".to_owned()
                }
                Signature::Unchecked(why) => format!("its signature cannot be checked: {why}"),
            },
        }
    }
}
