//! One rule a section. Each reads the digest and writes claims; none knows another.

use super::Brief;
use super::digest::{Digest, FileUse, Ran, Run};
use super::pen::Pen;
use crate::handoff::card::Draft;
use crate::handoff::claim::{Claim, Evidence, Origin, Section};

pub(super) mod decisions;
pub(super) mod done;
pub(super) mod goal;
pub(super) mod handed;
pub(super) mod in_flight;
pub(super) mod next_steps;
pub(super) mod only_user;
pub(super) mod read_first;
pub(super) mod taken_up;
pub(super) mod traps;
mod words;

/// Files named beside a claim about something else.
const FILES_BESIDE_MAX: usize = 3;

/// Without a transcript the last card's open ends still hold, and the census shows what was being worked on.
pub(super) fn without_transcript(brief: &Brief<'_>, pen: &mut Pen<'_>) -> Draft {
    let mut draft = Draft::default();
    if let Some(card) = brief.previous {
        for section in Section::ALL {
            let claims = card
                .sections
                .of(section)
                .iter()
                .map(|judged| judged.claim.clone());
            draft.sections.of_mut(section).extend(claims);
        }
        draft.summary = card.summary.clone();
        return draft;
    }
    if let Some(text) = brief.instructions {
        let text = pen.ends(text, goal::LATEST_BYTES_MAX);
        let goal = draft.sections.of_mut(Section::Goal);
        goal.push(Claim::new(Origin::User, text));
    }
    let dirty = brief.census.map_or(&[][..], |census| &census.dirty);
    for one in dirty.iter().take(read_first::FILES_MAX) {
        let claim = Claim::new(Origin::Finding, format!("{}: not committed", one.path));
        draft
            .sections
            .of_mut(Section::ReadFirst)
            .push(claim.with(path(&one.path)));
    }
    draft
}

fn path(path: &str) -> Evidence {
    Evidence::Path {
        path: path.to_owned(),
        line: None,
        blob: None,
    }
}

/// A command as evidence: stale when files were changed behind its last run.
pub(super) fn command(digest: &Digest<'_>, run: &Run<'_>, pen: &mut Pen<'_>) -> Evidence {
    Evidence::Command {
        line: pen.line(&run.line),
        exit: run.exit,
        passed: match run.ran {
            Ran::Passed => Some(true),
            Ran::Failed => Some(false),
            Ran::Unknown => None,
        },
        stale: !digest.changed_since(run.last).is_empty(),
    }
}

/// `a.rs, b.rs and 3 more`, the latest first.
fn names(files: &[&FileUse], pen: &mut Pen<'_>) -> String {
    let mut shown: Vec<String> = Vec::new();
    for file in files.iter().rev().take(FILES_BESIDE_MAX) {
        shown.push(pen.line(file.name()));
    }
    let more = files.len().saturating_sub(shown.len());
    let names = shown.join(", ");
    match more {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}
