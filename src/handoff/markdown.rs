//! A card as Markdown: `card.md`. Written, never parsed.
//!
//! A card is made of [`Part`]s, so that what an agent is given after a compaction can show the same parts in
//! another order and under another budget: [`parts`] or [`part`], then [`fit()`].

use super::card::Card;
use super::carried::Carried;
use super::census::Census;
use super::claim::{Claim, Evidence, Judged, Section, Verdict};
use super::clip;
use super::decision::{Decision, stamp};
use super::session::short;
use super::subagent::{Subagent, SubagentState};

mod fit;
#[cfg(test)]
mod tests;

pub(crate) use fit::{Line, Part, fit};

/// `card.md` may have this many bytes.
pub(crate) const CARD_BYTES_MAX: usize = 6_000;
/// What stands in a section in which nothing was seen.
const NONE: &str = "none seen";
/// One line is shown up to here, in bytes.
const LINE_BYTES_MAX: usize = 1_800;
/// The person's instructions are shown up to here, in bytes.
const INSTRUCTIONS_BYTES_MAX: usize = 400;
/// A subagent's prompt is shown up to here, in bytes.
const PROMPT_BYTES_MAX: usize = 240;
/// So many paths are shown behind one claim.
const PATHS_MAX: usize = 3;
/// So many paths that a card does not carry are named.
const LEFT_OUT_NAMED_MAX: usize = 20;
/// A commit's id is shown up to here, in hex digits.
const ID_DIGITS: usize = 10;

/// The card for people and agents, at most [`CARD_BYTES_MAX`] bytes, cut by priority and never inside a line.
pub(crate) fn card(card: &Card) -> String {
    fit(&head(card), &parts(card), CARD_BYTES_MAX)
}

/// What stands above the sections: which session, and who wrote it. Nothing that changes from event to event, as
/// the trigger does: a card that says the same is the same.
pub(crate) fn head(card: &Card) -> String {
    let from = &card.provenance;
    let mut head = format!(
        "# Handoff card of session {}\n\n{} · written by {}\n",
        from.session.short(),
        one_line(&from.host),
        one_line(card.writer.name()),
    );
    if let Some(before) = &from.continues {
        head += &format!(
            "continues session {}, card {}\n",
            before.session.short(),
            short(&before.card)
        );
    }
    if let Some(text) = &from.instructions {
        let text = clip::head(&one_line(text), INSTRUCTIONS_BYTES_MAX);
        head += &format!("the person's instructions: \"{text}\"\n");
    }
    if !card.redactions.is_empty() {
        let kinds: Vec<String> = card
            .redactions
            .iter()
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        head += &format!("secrets taken out: {}\n", kinds.join(", "));
    }
    head
}

/// Every part of a card, in the order of `card.md`.
pub(crate) fn parts(card: &Card) -> Vec<Part> {
    let sections = Section::ALL.into_iter();
    let mut parts: Vec<Part> = sections
        .map(|section| part(card, section, |_| None))
        .collect();
    parts.push(decisions(card.decisions.all()));
    parts.push(subagents(&card.subagents));
    parts
}

/// One section. `note` may say more of the claim at that place in its section; it stands at the line's end.
pub(crate) fn part(card: &Card, section: Section, note: impl Fn(usize) -> Option<String>) -> Part {
    let claims = card.sections.of(section).iter().enumerate();
    let mut lines: Vec<Line> = claims
        .map(|(n, judged)| {
            let text = claim_line(section, n, judged);
            let noted = note(n).map_or_else(String::new, |note| format!(" [{}]", one_line(&note)));
            Line {
                weight: weight(section, n),
                text: clip::head(&text, LINE_BYTES_MAX) + &noted,
            }
        })
        .collect();
    if let Some(census) = card.census.as_ref().filter(|_| section == Section::Goal) {
        let mut about = vec![format!("- repo: {}", repo(census))];
        about.extend(census.carried.as_ref().map(carried));
        lines.extend(about.into_iter().map(|text| Line {
            weight: weight(section, 0),
            text: clip::head(&text, LINE_BYTES_MAX),
        }));
    }
    Part::new(section.title(), NONE, lines)
}

/// What is carried in one line.
fn carried(carried: &Carried) -> String {
    let left_out = carried.left_out_words(LEFT_OUT_NAMED_MAX);
    let left_out = left_out.map_or_else(String::new, |words| format!("; left out: {words}"));
    one_line(&format!("- carried: {}{left_out}", carried.counted()))
}

/// The repository in one line: where, which branch and commit, what is not committed.
pub(crate) fn repo(census: &Census) -> String {
    let mut repo = one_line(&census.root);
    repo += &match &census.branch {
        Some(branch) => format!(" · branch {}", one_line(branch)),
        None => " · detached".to_owned(),
    };
    match &census.head {
        Some(id) => repo += &format!(" at {}", abbreviated(id)),
        None => repo += ", no commit yet",
    }
    if let Some(operation) = &census.operation {
        repo += &format!(" · in the middle of a {}", one_line(operation));
    }
    repo += &match census.dirty.len() {
        0 => " · all committed".to_owned(),
        1 => " · 1 path not committed".to_owned(),
        n => format!(" · {n} paths not committed"),
    };
    if let Some(output) = &census.command {
        let line = one_line(output.output.trim());
        repo += &format!(" · `{}` says: {line}", one_line(&output.command));
    }
    repo
}

/// The decisions, newest first; those taken back are struck.
pub(crate) fn decisions(decisions: &[Decision]) -> Part {
    let lines = decisions.iter().rev().enumerate().map(|(n, one)| Line {
        weight: 650_usize.saturating_sub(10 * n),
        text: clip::head(&decision_line(one), LINE_BYTES_MAX),
    });
    Part::new("Decisions", NONE, lines.collect())
}

/// The subagents that run and those that nobody has heard yet, with what they were asked and what they answered.
pub(crate) fn subagents(subagents: &[Subagent]) -> Part {
    let lines = subagents.iter().map(|agent| {
        let kind = agent.kind.as_deref().unwrap_or("subagent");
        let mark = match agent.state {
            SubagentState::Running => "⏳",
            SubagentState::Finished => "🏁",
        };
        let mut text = format!("- {mark} {} {}", one_line(kind), one_line(&agent.id));
        if let Some(prompt) = &agent.prompt {
            text += &format!(": {}", clip::head(&one_line(prompt), PROMPT_BYTES_MAX));
        }
        if let Some(result) = &agent.result {
            text += &format!(" → {}", clip::head(&one_line(result), PROMPT_BYTES_MAX));
        }
        if let Some(output) = &agent.output {
            text += &format!(" · output: {}", one_line(output));
        }
        Line { weight: 850, text }
    });
    Part::new("Subagents", NONE, lines.collect())
}

/// One line without anything that would act on a terminal or break out of its place on the card.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_whitespace() => {
                if !line.ends_with(' ') {
                    line.push(' ');
                }
            }
            // Marks that turn the direction of the text behind them.
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            c if c.is_control() => {}
            c => line.push(c),
        }
    }
    line.trim().replace("```", "'''")
}

/// What goes last when the card is too long: a greater weight stays longer.
fn weight(section: Section, n: usize) -> usize {
    let (top, step) = match section {
        Section::Goal => (1000, 60),
        Section::OnlyUser => (900, 20),
        Section::NextSteps => (880, 25),
        Section::InFlight => (870, 25),
        Section::Traps => (860, 20),
        Section::ReadFirst => (800, 10),
        Section::Done => (790, 15),
    };
    top - (step * n).min(top)
}

fn claim_line(section: Section, n: usize, judged: &Judged) -> String {
    let claim = &judged.claim;
    let text = one_line(&claim.text);
    let refuted = match &judged.verdict {
        Verdict::Refuted(why) => Some(one_line(why)),
        _ => None,
    };
    match section {
        Section::Done => done_line(judged, &text),
        Section::InFlight => format!("- ⏳ {text}{}", resume(claim, &text)),
        Section::NextSteps => format!("{}. {}: {text}", n + 1, claim.origin.as_str()),
        Section::Traps => format!("- {}: {text}", claim.origin.as_str()),
        Section::Goal | Section::OnlyUser | Section::ReadFirst => match refuted {
            Some(why) => format!("- ❌ {text} ({why})"),
            None => format!("- {text}"),
        },
    }
}

fn done_line(judged: &Judged, text: &str) -> String {
    let shown = evidence(&judged.claim, text);
    match &judged.verdict {
        Verdict::Confirmed => format!("- ✅ {text}{shown}"),
        Verdict::Unconfirmed(None) => format!("- ⚠️ unconfirmed: {text}{shown}"),
        Verdict::Unconfirmed(Some(why)) => {
            format!("- ⚠️ unconfirmed: {text}{shown} ({})", one_line(why))
        }
        Verdict::Refuted(why) => format!("- ❌ refuted: {text}{shown} ({})", one_line(why)),
    }
}

/// The evidence that the text does not name itself: ` — path, path (commit)`.
fn evidence(claim: &Claim, text: &str) -> String {
    let paths: Vec<String> = claim
        .paths()
        .filter(|path| !text.contains(tail(path)))
        .take(PATHS_MAX)
        .map(one_line)
        .collect();
    let mut shown = match paths.is_empty() {
        true => String::new(),
        false => format!(" — {}", paths.join(", ")),
    };
    for one in &claim.evidence {
        match one {
            Evidence::Commit { id, .. } if !text.contains(abbreviated(id)) => {
                shown += &format!(" ({})", one_line(abbreviated(id)));
            }
            Evidence::Command { line, stale, .. } => {
                if !text.contains(line.as_str()) {
                    shown += &format!(" · `{}`", one_line(line));
                }
                if *stale {
                    shown += " (files changed since)";
                }
            }
            _ => {}
        }
    }
    shown
}

/// The command that takes a claim up again.
fn resume(claim: &Claim, text: &str) -> String {
    let command = claim.evidence.iter().find_map(|one| match one {
        Evidence::Command { line, .. } if !text.contains(line.as_str()) => Some(one_line(line)),
        _ => None,
    });
    command.map_or_else(String::new, |line| format!(" · resume: `{line}`"))
}

fn decision_line(one: &Decision) -> String {
    let day = stamp(one.at);
    let day = day.split('T').next().unwrap_or_default();
    let mut text = format!("{day} {}: {}", one.by.as_str(), one_line(&one.what));
    if let Some(why) = &one.why {
        text += &format!(" — why: {}", one_line(why));
    }
    if let Some(other) = &one.instead_of {
        text += &format!(" — instead of: {}", one_line(other));
    }
    match one.retracted {
        Some(_) => format!("- ~~{text}~~ (taken back)"),
        None => format!("- {text}"),
    }
}

/// A path's name with the folder that it lies in: a text that holds it names the path.
fn tail(path: &str) -> &str {
    let mut slashes = path.rmatch_indices('/').map(|(at, _)| at + 1);
    slashes.next();
    slashes.next().map_or(path, |at| &path[at..])
}

fn abbreviated(id: &str) -> &str {
    id.get(..ID_DIGITS).unwrap_or(id)
}
