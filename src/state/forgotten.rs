//! What was forgotten here, by ids alone: a remote or another machine may still have it, and a pull would bring it back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{StateDir, read_or_default, update};

/// The ids of what was forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Ledger {
    /// Each card that is gone or was written anew (hex), with what stands in its place.
    pub(crate) cards: BTreeMap<String, Option<String>>,
    /// Decisions that went with them.
    pub(crate) decisions: BTreeSet<String>,
}

impl StateDir {
    /// All that was forgotten here.
    pub(crate) fn forgotten(&self) -> Ledger {
        read_or_default(&self.ledger_path())
    }

    /// Adds to what was forgotten.
    pub(crate) fn remember_forgotten(&self, more: Ledger) -> anyhow::Result<()> {
        update(&self.ledger_path(), |ledger: &mut Ledger| {
            ledger.cards.extend(more.cards);
            ledger.decisions.extend(more.decisions);
        })
    }

    fn ledger_path(&self) -> PathBuf {
        self.dir.join("forgotten.json")
    }
}
