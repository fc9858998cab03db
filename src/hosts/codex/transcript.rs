//! A transcript file → neutral turns.
//!
//! Codex 0.171.0 keeps one file ("rollout") for each thread; a fork or a rewind begins a new file that holds what is
//! new and names the file that it goes on from.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::handoff::transcript::Transcript;
use crate::hosts::lines::{Line, Lines};
use crate::hosts::skim;

mod action;
mod agents;
mod calls;
mod glance;
mod message;
mod record;
mod rollouts;
mod turns;

pub(super) use rollouts::{find, find_session};

use glance::{Head, Use};
use record::{Event, Item, Record, Rest, seconds};
use turns::Turns;

/// Files that a conversation can go on from, one behind the other; a chain of more is a circle.
const BASES_MAX: usize = 64;
/// A compaction's line, which can be longer than we read.
const COMPACTED: &[u8] = b"\"type\":\"compacted\"";

/// Reads a transcript to its end, with what it goes on from. A line that cannot be read (the last one may be half
/// written) is counted and passed over; a file to go on from that is not there any more is left out.
///
/// # Errors
///
/// When the file itself cannot be read.
pub(super) fn read(path: &Path) -> anyhow::Result<Transcript> {
    let mut turns = Turns::default();
    for (base, end) in bases(path).into_iter().rev() {
        // It was there a moment ago; when it is gone now, the rest still counts.
        if read_into(&mut turns, &base, Some(end)).is_err() {
            turns.broken();
        }
        turns.end_of_base();
    }
    read_into(&mut turns, path, None)
        .with_context(|| format!("cannot read the transcript `{}`", path.display()))?;
    Ok(turns.finish())
}

/// The files that this one goes on from, nearest first, each with the ordinal before which its lines count.
fn bases(path: &Path) -> Vec<(PathBuf, u64)> {
    let mut bases: Vec<(PathBuf, u64)> = Vec::new();
    let mut current = path.to_owned();
    while bases.len() < BASES_MAX {
        let Some(start) = rollouts::start(&current).and_then(|start| start.base) else {
            break;
        };
        let (thread, end) = start;
        let Some(found) = rollouts::find_base(&current, &thread) else {
            break;
        };
        if found == path || bases.iter().any(|(known, _)| *known == found) {
            break;
        }
        bases.push((found.clone(), end));
        current = found;
    }
    bases
}

/// Takes a file's lines: all of its own, or those before an ordinal.
fn read_into(turns: &mut Turns, path: &Path, before: Option<u64>) -> std::io::Result<()> {
    let mut lines = Lines::new(File::open(path)?);
    while let Some(line) = lines.next()? {
        match line {
            Line::Whole(line) => take(turns, line, before),
            Line::TooLong => {
                turns.broken();
                if memchr::memmem::find(lines.beginning(), COMPACTED).is_some() {
                    turns.compacted(0);
                }
            }
        }
    }
    Ok(())
}

fn take(turns: &mut Turns, line: &[u8], before: Option<u64>) {
    if let Some(head) = Head::of(line) {
        if !counts(head.ordinal, before) || take_by_head(turns, &head, line, before.is_none()) {
            return;
        }
    } else if line.iter().all(u8::is_ascii_whitespace) {
        return;
    }
    match skim::read::<Record<'_>>(line) {
        Some(record) if counts(record.ordinal, before) => turns.take(&record, before.is_none()),
        Some(_) => {}
        None => turns.broken(),
    }
}

/// Whether a line stands before the ordinal at which its file was left.
fn counts(ordinal: Option<u64>, before: Option<u64>) -> bool {
    before
        .zip(ordinal)
        .is_none_or(|(end, ordinal)| ordinal < end)
}

/// Takes a line of which the beginning says what it is; `false` when it is to be read as any other.
fn take_by_head(turns: &mut Turns, head: &Head<'_>, line: &[u8], own: bool) -> bool {
    match head.use_of(turns.is_waiting()) {
        Use::None => {}
        Use::Compacted => turns.compacted(seconds(head.timestamp)),
        Use::Edge => turns.edge(),
        Use::Count if own => turns.count(line),
        Use::Item => match skim::read::<Rest<'_, Item<'_>>>(line) {
            Some(line) => turns.item(seconds(head.timestamp), &line.payload, line.metadata),
            None => return false,
        },
        Use::Event | Use::Count => match skim::read::<Rest<'_, Event<'_>>>(line) {
            Some(line) => turns.event(seconds(head.timestamp), &line.payload),
            None => return false,
        },
        Use::Other => return false,
    }
    true
}

#[cfg(test)]
mod tests;
