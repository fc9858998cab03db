//! The sections of a card as an agent reads them, each line with what it is worth now.

use std::fmt::Write as _;

use super::Now;
use super::text::{GOAL_BYTES_MAX, LINE_BYTES_MAX, line};
use crate::handoff::card::{Card, Stored};
use crate::handoff::claim::{Evidence, Judged, Origin, Section, Verdict};
use crate::handoff::freshness::Standing;
use crate::handoff::session::{Trigger, short};
use crate::handoff::subagent::{Subagent, SubagentState};

/// Some lines under a heading; of two blocks the one with the smaller rank keeps its lines longer.
pub(super) struct Block {
    pub(super) title: &'static str,
    pub(super) rank: u8,
    pub(super) lines: Vec<String>,
}

/// Every block in the order in which it is read.
pub(super) fn all(stored: &Stored, now: &Now, ended: &[Subagent]) -> Vec<Block> {
    let card = &stored.card;
    let claims = Claims::of(card, now);
    let mut ask = claims
        .goal
        .split_first()
        .map_or((None, &[][..]), |(ask, rest)| (Some(ask), rest));
    if card
        .sections
        .of(Section::Goal)
        .first()
        .is_none_or(|first| first.claim.origin != Origin::User)
    {
        ask = (None, &claims.goal);
    }
    let words = card
        .provenance
        .instructions
        .as_ref()
        .map(|text| match card.provenance.trigger {
            Trigger::Manual => format!("- with `git segue save -m`: {}", quoted(text)),
            _ => format!("- behind /compact: {}", quoted(text)),
        });
    let steps = claims.lines(Section::NextSteps).into_iter().enumerate();
    let steps = steps.map(|(n, line)| format!("{}. {}", n + 1, line.trim_start_matches("- ")));
    let of = |section: Section, rank| Block {
        title: section.title(),
        rank,
        lines: claims.lines(section),
    };
    let block = |title, rank, lines| Block { title, rank, lines };
    vec![
        block("The machine contradicts", 0, claims.denied()),
        block(
            "The person's last ask",
            0,
            ask.0.cloned().into_iter().chain(words).collect(),
        ),
        block(Section::NextSteps.title(), 1, steps.collect()),
        of(Section::InFlight, 2),
        of(Section::OnlyUser, 2),
        block("Subagents", 2, agents(card, ended)),
        of(Section::Traps, 3),
        block("Decisions", 4, decisions(card)),
        of(Section::Done, 5),
        of(Section::ReadFirst, 6),
        block(Section::Goal.title(), 7, ask.1.to_vec()),
    ]
}

/// The claims of a card beside what they are worth now.
struct Claims<'c> {
    card: &'c Card,
    now: &'c Now,
    goal: Vec<String>,
}

impl<'c> Claims<'c> {
    /// The goal's first line is the last ask, the ones behind it came before.
    fn of(card: &'c Card, now: &'c Now) -> Self {
        let mut claims = Self {
            card,
            now,
            goal: Vec::new(),
        };
        claims.goal = claims.lines(Section::Goal);
        claims
    }

    fn numbered(&self) -> impl Iterator<Item = (usize, Section, &'c Judged)> {
        self.card
            .sections
            .iter()
            .enumerate()
            .map(|(n, (section, judged))| (n, section, judged))
    }

    fn lines(&self, wanted: Section) -> Vec<String> {
        let wanted = self.numbered().filter(|(_, section, _)| *section == wanted);
        wanted
            .map(|(n, _, judged)| claim_line(judged, self.now, n))
            .collect()
    }

    fn denied(&self) -> Vec<String> {
        self.numbered()
            .filter_map(|(n, _, judged)| denied(judged, self.now, n))
            .collect()
    }
}

/// Those that the card names, and those of them that have ended since.
fn agents(card: &Card, ended: &[Subagent]) -> Vec<String> {
    let as_written = card
        .subagents
        .iter()
        .filter(|one| !ended.iter().any(|end| end.id == one.id))
        .map(|one| match one.state {
            SubagentState::Running => agent_line("running", one),
            SubagentState::Finished => agent_line("finished, not heard yet", one),
        });
    let ended = ended
        .iter()
        .map(|one| agent_line("finished while you were compacted", one));
    as_written.chain(ended).collect()
}

/// Those that stand, the newest first.
fn decisions(card: &Card) -> Vec<String> {
    let line_of = |one: &crate::handoff::decision::Decision| {
        let mut text = one.what.clone();
        for (word, more) in [("why", &one.why), ("instead of", &one.instead_of)] {
            if let Some(more) = more {
                write!(text, " — {word}: {more}").unwrap_or_default();
            }
        }
        format!("- {} ({})", line(&text, LINE_BYTES_MAX), one.by.as_str())
    };
    card.decisions.standing().rev().map(line_of).collect()
}

/// A claim as it stands now. Only what the person said is phrased as theirs, in quotes.
fn claim_line(judged: &Judged, now: &Now, at: usize) -> String {
    let claim = &judged.claim;
    let text = match claim.origin {
        Origin::User => format!("user: {}", quoted(&claim.text)),
        Origin::Agent => format!("agent: {}", line(&claim.text, LINE_BYTES_MAX)),
        Origin::Finding => line(&claim.text, LINE_BYTES_MAX),
    };
    let evidence: Vec<String> = claim
        .evidence
        .iter()
        .filter_map(|one| evidence_text(one, &claim.text))
        .collect();
    let evidence = if evidence.is_empty() {
        String::new()
    } else {
        format!(" — {}", evidence.join(", "))
    };
    format!(
        "- {text}{evidence}{}",
        standing_text(now.freshness.standings.get(at))
    )
}

fn standing_text(standing: Option<&Standing>) -> String {
    match standing {
        Some(Standing::Holds) => " [holds]".to_owned(),
        Some(Standing::Changed(how)) => format!(" [changed: {}]", line(how, GOAL_BYTES_MAX)),
        Some(Standing::Gone(how)) => format!(" [gone: {}]", line(how, GOAL_BYTES_MAX)),
        Some(Standing::PassedOnOlderTree(_)) => " [passed on an older tree]".to_owned(),
        Some(Standing::Contradicted(how)) => {
            format!(" [contradicted: {}]", line(how, GOAL_BYTES_MAX))
        }
        Some(Standing::Unchecked) | None => String::new(),
    }
}

/// What a claim names, unless its text names it already.
fn evidence_text(evidence: &Evidence, text: &str) -> Option<String> {
    let named = match evidence {
        Evidence::Path { path, line, .. } => match line {
            Some(line) => format!("{path}:{line}"),
            None => path.clone(),
        },
        Evidence::Commit { id, .. } => short(id).to_owned(),
        Evidence::Command { line, .. } => line.clone(),
    };
    let shown = line(&named, LINE_BYTES_MAX);
    let shown = if matches!(evidence, Evidence::Command { .. }) {
        format!("`{shown}`")
    } else {
        shown
    };
    (!text.contains(&named)).then_some(shown)
}

fn denied(judged: &Judged, now: &Now, at: usize) -> Option<String> {
    let why = match (now.verdicts.get(at), now.freshness.standings.get(at)) {
        (_, Some(Standing::Contradicted(why) | Standing::Gone(why))) => why,
        (Some(Verdict::Refuted(why)), _) => why,
        _ => return None,
    };
    Some(format!(
        "- ❌ {} ({})",
        line(&judged.claim.text, LINE_BYTES_MAX),
        line(why, GOAL_BYTES_MAX)
    ))
}

pub(super) fn agent_line(state: &str, one: &Subagent) -> String {
    let kind = one.kind.as_deref().unwrap_or("subagent");
    let mut text = format!("{state}: {kind} {}", one.id);
    for (word, value) in [
        ("asked", &one.prompt),
        ("answered", &one.result),
        ("output", &one.output),
    ] {
        if let Some(value) = value {
            write!(text, " · {word}: {value}").unwrap_or_default();
        }
    }
    format!("- {}", line(&text, LINE_BYTES_MAX))
}

fn quoted(text: &str) -> String {
    let text = line(text, LINE_BYTES_MAX);
    if text.starts_with(['"', '“']) || text.ends_with('"') {
        text
    } else {
        format!("\"{text}\"")
    }
}
