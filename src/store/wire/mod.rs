//! `card.json` and `census.json`: the stored format has its own structs and a version that is checked first.
//!
//! What version 1 wrote is readable for ever: a change that an older program would misread raises the version and
//! keeps the old structs. What stands elsewhere in the commit is not repeated here: decisions, summary, kind, trigger.

use anyhow::{Context, anyhow};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;

use crate::error::Failure;
use crate::handoff::card::Card;
use crate::handoff::carried::Carried;
use crate::handoff::census::Census;
use crate::handoff::decision::DecisionLog;
use crate::handoff::session::{Kind, Trigger};

mod card;
mod carried;
mod census;
#[cfg(test)]
mod tests;

/// The version that we write.
const VERSION: u32 = 1;

/// What stands beside `card.json` in the commit.
#[derive(Debug, Clone)]
pub(super) struct Beside {
    /// From the trailers.
    pub(super) kind: Kind,
    /// From the trailers.
    pub(super) trigger: Trigger,
    /// From `census.json`.
    pub(super) census: Option<Census>,
    /// From `decisions.md`.
    pub(super) decisions: DecisionLog,
    /// From `summary.md`.
    pub(super) summary: Option<String>,
}

/// The trees that a card carries, in hex.
#[derive(Debug, Clone, Default)]
pub(super) struct CarriedTrees {
    /// The work tree.
    pub(super) worktree: Option<String>,
    /// The index.
    pub(super) index: Option<String>,
}

#[derive(Serialize)]
struct Versioned<T> {
    version: u32,
    #[serde(flatten)]
    value: T,
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// `card.json` of a card: the same bytes for the same card.
pub(super) fn encode_card(card: &Card) -> anyhow::Result<Vec<u8>> {
    encode(card::CardV1::from(card)).context("cannot write card.json")
}

/// A card of its `card.json` and of what stands beside it.
pub(super) fn decode_card(json: &[u8], beside: Beside) -> anyhow::Result<Card> {
    check_version(json, "card.json")?;
    parsed::<card::CardV1>(json)
        .and_then(|read| read.checked(beside))
        .context("cannot read card.json")
}

/// `census.json` of a census.
pub(super) fn encode_census(census: &Census) -> anyhow::Result<Vec<u8>> {
    encode(census::CensusV1::from(census)).context("cannot write census.json")
}

/// A census of its `census.json`, and the trees that stand beside it. Without the tree nothing is carried, whatever the
/// census says.
pub(super) fn decode_census(json: &[u8], trees: &CarriedTrees) -> anyhow::Result<Census> {
    check_version(json, "census.json")?;
    let read: census::CensusV1 = parsed(json).context("cannot read census.json")?;
    let mut census = Census::from(read);
    census.carried = census
        .carried
        .zip(trees.worktree.clone())
        .map(|(one, tree)| Carried {
            tree,
            index: trees.index.clone(),
            ..one
        });
    Ok(census)
}

fn encode(value: impl Serialize) -> anyhow::Result<Vec<u8>> {
    let mut json = serde_json::to_vec_pretty(&Versioned {
        version: VERSION,
        value,
    })?;
    json.push(b'\n');
    Ok(json)
}

/// A value of its JSON. An error says where it does not fit, and nothing of what stands there: the card may be anybody's, and
/// the line may end before an agent.
fn parsed<T: DeserializeOwned>(json: &[u8]) -> anyhow::Result<T> {
    serde_json::from_slice(json).map_err(|err| {
        let what = match err.classify() {
            Category::Data => "a value of another kind, or none,",
            _ => "no JSON",
        };
        anyhow!("{what} at line {} column {}", err.line(), err.column())
    })
}

fn check_version(json: &[u8], name: &str) -> anyhow::Result<()> {
    let read: Version = parsed(json).with_context(|| format!("cannot read {name}"))?;
    if read.version == VERSION {
        return Ok(());
    }
    Err(Failure::fatal(format!(
        "cannot read {name}: its version is {}, and this git-segue knows {VERSION}",
        read.version
    ))
    .hint("update git-segue")
    .into())
}
