//! Decisions, recorded on top of a chain and taken back.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;

use crate::error::Failure;
use crate::handoff::card::{Card, Draft, Frame, Provenance, Stored, Writer};
use crate::handoff::claim::Verdict;
use crate::handoff::decision::{By, Decision, DecisionLog};
use crate::handoff::session::{Kind, SessionId, Trigger};
use crate::store::Store;

/// The chain that a decision is recorded on.
pub(crate) struct Chain<'c> {
    /// The cards.
    pub(crate) store: Store<'c>,
    /// The session.
    pub(crate) session: SessionId,
    /// The work tree's root, or outside of a repository the current folder.
    pub(crate) root: PathBuf,
    /// Its tip; none for a chain that this decision begins.
    pub(crate) tip: Option<Stored>,
}

/// Records a decision: the tip's card with one more decision becomes the new tip.
pub(crate) fn record(chain: &Chain<'_>, decision: Decision) -> anyhow::Result<()> {
    write(chain, |log| {
        log.add(decision);
        Ok(())
    })
    .map(|_| ())
}

/// Takes a decision back and gives it: `which` is its number in the log, from 1, or its id.
pub(crate) fn retract(chain: &Chain<'_>, which: &str, at: i64, by: By) -> anyhow::Result<Decision> {
    write(chain, |log| {
        let place = which.parse::<usize>().ok();
        let found = log.all().iter().enumerate().find(|(n, one)| {
            one.id == which || (which.len() < one.id.len() && place == Some(n + 1))
        });
        let none = |why: &str| {
            Failure::no(format!("cannot take back decision `{which}`: {why}"))
                .hint("`git segue decisions` lists them with their numbers")
        };
        let decision = found
            .map(|(_, one)| one.clone())
            .ok_or_else(|| none("there is none"))?;
        if !log.retract(&decision.id, at, by) {
            return Err(none("it was taken back before").into());
        }
        Ok(decision)
    })
}

fn write<T>(
    chain: &Chain<'_>,
    change: impl FnOnce(&mut DecisionLog) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let mut card = match &chain.tip {
        Some(tip) => tip.card.clone(),
        None => blank(chain),
    };
    let changed = change(&mut card.decisions)?;
    card.provenance.kind = Kind::Decision;
    card.provenance.trigger = Trigger::Manual;
    chain
        .store
        .append(&card, None)
        .context("cannot store the decision")?;
    Ok(changed)
}

/// A card that holds nothing yet, for a session whose first word is a decision.
fn blank(chain: &Chain<'_>) -> Card {
    let frame = Frame {
        provenance: Provenance {
            session: chain.session.clone(),
            host: "none".to_owned(),
            kind: Kind::Decision,
            trigger: Trigger::Manual,
            instructions: None,
            transcript: None,
            cwd: Some(chain.root.to_string_lossy().into_owned()),
            repository: None,
            continues: None,
        },
        writer: Writer::Hand,
        decisions: DecisionLog::default(),
        subagents: Vec::new(),
        census: None,
        redactions: BTreeMap::new(),
    };
    Card::judge(Draft::default(), frame, |_, _| Verdict::Unconfirmed(None))
}
