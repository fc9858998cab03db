//! `card.json`, version 1.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use super::Beside;
use crate::handoff::card::{Card, Continues, ModelCall, Provenance, Writer};
use crate::handoff::claim::{Claim, Evidence, Judged, Origin, Section, Sections, Verdict};
use crate::handoff::session::SessionId;
use crate::handoff::subagent::{Subagent, SubagentState};

/// A card as it is stored.
#[derive(Serialize, Deserialize)]
pub(super) struct CardV1 {
    /// The host's id; none where it gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    host: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    continues: Option<ContinuesV1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transcript: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repository: Option<String>,
    writer: WriterV1,
    /// By [`Section::key`].
    sections: BTreeMap<String, Vec<ClaimV1>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    subagents: Vec<SubagentV1>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    redactions: BTreeMap<String, u32>,
}

#[derive(Serialize, Deserialize)]
struct ContinuesV1 {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    card: String,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum WriterV1 {
    Rules {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        because: Option<String>,
    },
    Model {
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input_tokens: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output_tokens: Option<u64>,
        milliseconds: u64,
    },
    Hand,
}

#[derive(Serialize, Deserialize)]
struct ClaimV1 {
    text: String,
    origin: String,
    verdict: VerdictV1,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<EvidenceV1>,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum VerdictV1 {
    Confirmed,
    Unconfirmed,
    Refuted,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum EvidenceV1 {
    Path {
        path: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blob: Option<String>,
    },
    Commit {
        id: String,
        subject: String,
    },
    Command {
        line: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit: Option<i32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        passed: Option<bool>,
        stale: bool,
    },
}

#[derive(Serialize, Deserialize)]
struct SubagentV1 {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    started: Option<i64>,
    running: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<String>,
}

impl From<&Card> for CardV1 {
    fn from(card: &Card) -> Self {
        let from = card.provenance.clone();
        let claims = |section| {
            let claims: Vec<_> = card
                .sections
                .of(section)
                .iter()
                .map(ClaimV1::from)
                .collect();
            (!claims.is_empty()).then(|| (section.key().to_owned(), claims))
        };
        Self {
            session: stored_session(&from.session),
            host: from.host,
            continues: from.continues.map(|on| ContinuesV1 {
                session: stored_session(&on.session),
                card: on.card,
            }),
            instructions: from.instructions,
            transcript: from.transcript,
            cwd: from.cwd,
            repository: from.repository,
            writer: WriterV1::from(&card.writer),
            sections: Section::ALL.into_iter().filter_map(claims).collect(),
            subagents: card.subagents.iter().map(SubagentV1::from).collect(),
            redactions: card.redactions.clone(),
        }
    }
}

impl CardV1 {
    /// The card, with what stands beside it.
    pub(super) fn checked(self, beside: Beside) -> anyhow::Result<Card> {
        let mut sections = Sections::default();
        for (key, claims) in self.sections {
            let section = Section::ALL
                .into_iter()
                .find(|one| one.key() == key)
                .context("it has a section that is none")?;
            for claim in claims {
                sections.of_mut(section).push(claim.checked()?);
            }
        }
        Ok(Card {
            provenance: Provenance {
                session: session(self.session),
                host: self.host,
                kind: beside.kind,
                trigger: beside.trigger,
                instructions: self.instructions,
                transcript: self.transcript,
                cwd: self.cwd,
                repository: self.repository,
                continues: self.continues.map(|on| Continues {
                    session: session(on.session),
                    card: on.card,
                }),
            },
            writer: self.writer.into(),
            sections,
            decisions: beside.decisions,
            subagents: self.subagents.into_iter().map(Subagent::from).collect(),
            census: beside.census,
            summary: beside.summary,
            redactions: self.redactions,
        })
    }
}

/// None stands for the session without an id: any text may be the id of another one.
fn stored_session(session: &SessionId) -> Option<String> {
    (!session.is_unknown()).then(|| session.as_str().to_owned())
}

fn session(stored: Option<String>) -> SessionId {
    stored.map_or_else(SessionId::unknown, |id| SessionId::new(&id))
}

impl From<&Writer> for WriterV1 {
    fn from(writer: &Writer) -> Self {
        match writer.clone() {
            Writer::Rules { because } => Self::Rules { because },
            Writer::Model(call) => Self::Model {
                name: call.name,
                input_tokens: call.input_tokens,
                output_tokens: call.output_tokens,
                milliseconds: call.milliseconds,
            },
            Writer::Hand => Self::Hand,
        }
    }
}

impl From<WriterV1> for Writer {
    fn from(stored: WriterV1) -> Self {
        match stored {
            WriterV1::Rules { because } => Self::Rules { because },
            WriterV1::Model {
                name,
                input_tokens,
                output_tokens,
                milliseconds,
            } => Self::Model(ModelCall {
                name,
                input_tokens,
                output_tokens,
                milliseconds,
            }),
            WriterV1::Hand => Self::Hand,
        }
    }
}

impl From<&Judged> for ClaimV1 {
    fn from(judged: &Judged) -> Self {
        let (verdict, reason) = match judged.verdict.clone() {
            Verdict::Confirmed => (VerdictV1::Confirmed, None),
            Verdict::Unconfirmed(reason) => (VerdictV1::Unconfirmed, reason),
            Verdict::Refuted(reason) => (VerdictV1::Refuted, Some(reason)),
        };
        let claim = judged.claim.clone();
        Self {
            text: claim.text,
            origin: claim.origin.as_str().to_owned(),
            verdict,
            reason,
            evidence: claim.evidence.into_iter().map(EvidenceV1::from).collect(),
        }
    }
}

impl ClaimV1 {
    fn checked(self) -> anyhow::Result<Judged> {
        let Some(origin) = Origin::parse(&self.origin) else {
            bail!("it has a claim of no known origin");
        };
        let verdict = match self.verdict {
            VerdictV1::Confirmed => Verdict::Confirmed,
            VerdictV1::Unconfirmed => Verdict::Unconfirmed(self.reason),
            VerdictV1::Refuted => Verdict::Refuted(self.reason.unwrap_or_default()),
        };
        let claim = Claim {
            text: self.text,
            origin,
            evidence: self.evidence.into_iter().map(Evidence::from).collect(),
        };
        Ok(Judged { claim, verdict })
    }
}

impl From<Evidence> for EvidenceV1 {
    fn from(evidence: Evidence) -> Self {
        match evidence {
            Evidence::Path { path, line, blob } => Self::Path { path, line, blob },
            Evidence::Commit { id, subject } => Self::Commit { id, subject },
            Evidence::Command {
                line,
                exit,
                passed,
                stale,
            } => Self::Command {
                line,
                exit,
                passed,
                stale,
            },
        }
    }
}

impl From<EvidenceV1> for Evidence {
    fn from(stored: EvidenceV1) -> Self {
        match stored {
            EvidenceV1::Path { path, line, blob } => Self::Path { path, line, blob },
            EvidenceV1::Commit { id, subject } => Self::Commit { id, subject },
            EvidenceV1::Command {
                line,
                exit,
                passed,
                stale,
            } => Self::Command {
                line,
                exit,
                passed,
                stale,
            },
        }
    }
}

impl From<&Subagent> for SubagentV1 {
    fn from(agent: &Subagent) -> Self {
        let agent = agent.clone();
        Self {
            id: agent.id,
            kind: agent.kind,
            prompt: agent.prompt,
            started: agent.started,
            running: agent.state == SubagentState::Running,
            output: agent.output,
            result: agent.result,
        }
    }
}

impl From<SubagentV1> for Subagent {
    fn from(stored: SubagentV1) -> Self {
        Self {
            id: stored.id,
            kind: stored.kind,
            prompt: stored.prompt,
            started: stored.started,
            state: if stored.running {
                SubagentState::Running
            } else {
                SubagentState::Finished
            },
            output: stored.output,
            result: stored.result,
        }
    }
}
