//! A card: one handoff, judged by the repository, and the draft that it is made of.

use std::collections::BTreeMap;

use super::census::Census;
use super::claim::{Claim, Judged, Section, Sections, Verdict};
use super::decision::{Decision, DecisionLog};
use super::session::{Kind, SessionId, Trigger};
use super::subagent::Subagent;

/// What a writer produced; no repository has judged it yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Draft {
    /// The claims.
    pub(crate) sections: Sections<Claim>,
    /// Choices that were made in the conversation; they join the chain's log.
    pub(crate) decisions: Vec<Decision>,
    /// A summary in prose, where the writer made one.
    pub(crate) summary: Option<String>,
}

impl Draft {
    /// Changes every text, as a redactor does.
    pub(crate) fn map_texts(&mut self, mut change: impl FnMut(&str) -> String) {
        for section in Section::ALL {
            for claim in self.sections.of_mut(section) {
                claim.map_texts(&mut change);
            }
        }
        for decision in &mut self.decisions {
            decision.map_texts(&mut change);
        }
        self.summary = self.summary.as_deref().map(change);
    }
}

/// Who wrote a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Writer {
    /// The rules, and why not the model where one was asked.
    Rules {
        /// Such as `claude-haiku-4-5 timed out after 40 s`.
        because: Option<String>,
    },
    /// A model.
    Model(ModelCall),
    /// The agent or the person, through `git segue save -F`.
    Hand,
}

impl Writer {
    /// As it stands in a trailer: `rules`, `hand`, or the model's name.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Rules { .. } => "rules",
            Self::Model(call) => &call.name,
            Self::Hand => "hand",
        }
    }
}

/// One call of a model and what it cost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ModelCall {
    /// The model's name.
    pub(crate) name: String,
    /// Tokens read, where the provider says it.
    pub(crate) input_tokens: Option<u64>,
    /// Tokens written, where the provider says it.
    pub(crate) output_tokens: Option<u64>,
    /// How long it took.
    pub(crate) milliseconds: u64,
}

/// Where a card comes from and why it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Provenance {
    /// The conversation.
    pub(crate) session: SessionId,
    /// The host's name, as `claude-code`; `none` for a card made by hand without one.
    pub(crate) host: String,
    /// What its commit is.
    pub(crate) kind: Kind,
    /// Why it was written.
    pub(crate) trigger: Trigger,
    /// What the person wrote behind `/compact` or `save -m`.
    pub(crate) instructions: Option<String>,
    /// The transcript that it was written from.
    pub(crate) transcript: Option<String>,
    /// The folder in which the conversation was.
    pub(crate) cwd: Option<String>,
    /// The repository that it was written in, by the name that it goes by on its own machine: a clone on another one may
    /// well have the same path.
    pub(crate) repository: Option<String>,
    /// The card of another session that this one goes on from.
    pub(crate) continues: Option<Continues>,
}

/// The card of another session that a session goes on from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Continues {
    /// That session.
    pub(crate) session: SessionId,
    /// Its card's commit id in hex.
    pub(crate) card: String,
}

/// One handoff, judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Card {
    /// Where it comes from.
    pub(crate) provenance: Provenance,
    /// Who wrote it.
    pub(crate) writer: Writer,
    /// The claims with their verdicts.
    pub(crate) sections: Sections<Judged>,
    /// The chain's decisions up to this card.
    pub(crate) decisions: DecisionLog,
    /// The session's subagents when it was written.
    pub(crate) subagents: Vec<Subagent>,
    /// The repository when it was written; none outside of one.
    pub(crate) census: Option<Census>,
    /// A summary in prose, where the writer made one.
    pub(crate) summary: Option<String>,
    /// How many secrets were taken out, by kind.
    pub(crate) redactions: BTreeMap<String, u32>,
}

/// What stands on a card beside the draft.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// Where it comes from.
    pub(crate) provenance: Provenance,
    /// Who wrote the draft.
    pub(crate) writer: Writer,
    /// The decisions carried forward, without the draft's own.
    pub(crate) decisions: DecisionLog,
    /// The session's subagents.
    pub(crate) subagents: Vec<Subagent>,
    /// The repository.
    pub(crate) census: Option<Census>,
    /// How many secrets were taken out, by kind.
    pub(crate) redactions: BTreeMap<String, u32>,
}

impl Card {
    /// The only way from a draft to a card: each claim is judged.
    pub(crate) fn judge(
        draft: Draft,
        frame: Frame,
        mut judge: impl FnMut(Section, &Claim) -> Verdict,
    ) -> Self {
        let mut decisions = frame.decisions;
        for decision in draft.decisions {
            decisions.add(decision);
        }
        let sections = draft.sections.map(|section, claim| Judged {
            verdict: judge(section, &claim),
            claim,
        });
        Self {
            provenance: frame.provenance,
            writer: frame.writer,
            sections,
            decisions,
            subagents: frame.subagents,
            census: frame.census,
            summary: draft.summary,
            redactions: frame.redactions,
        }
    }

    /// The goal in one line: the first claim of its section.
    pub(crate) fn goal(&self) -> &str {
        self.sections
            .of(Section::Goal)
            .first()
            .map_or("no goal seen", |judged| judged.claim.text.as_str())
    }
}

/// A card as the store gives it back.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    /// Its commit's id in hex.
    pub(crate) id: String,
    /// Its commit's parents: the previous card, and a card taken up or joined.
    pub(crate) parents: Vec<String>,
    /// When it was committed, in seconds since 1970 UTC.
    pub(crate) at: i64,
    /// The remote that it was fetched from; none for one of our own refs.
    pub(crate) remote: Option<String>,
    /// The card.
    pub(crate) card: Card,
}
