//! A transcript at a glance: what was asked, touched, run and left open, oldest first.

use std::collections::HashMap;

use crate::handoff::transcript::{Action, Outcome, Todo, ToolUse, Transcript, Turn, What};

mod commands;
mod files;
mod paths;

pub(super) use commands::{Ran, Run, shown as command_shown};
pub(super) use files::FileUse;

/// A use loses half of its weight in 40 tool uses: so much is left of it after one (the 40th root of a half).
const WEIGHT_LEFT_A_CALL: f64 = 0.982_820_598_545_251_7;

/// A command that failed once is given up when so many others passed after it; one may have been a look at what failed.
const PASSED_SINCE_MIN: usize = 2;

/// A transcript at a glance.
pub(super) struct Digest<'t> {
    /// The turns; a place in them tells before from after.
    pub(super) turns: &'t [Turn],
    /// Where the turns since the last compaction begin.
    pub(super) window: usize,
    /// What the person said, oldest first, each text once at its last place.
    pub(super) asks: Vec<Ask<'t>>,
    /// Every file that was read or changed.
    pub(super) files: Vec<FileUse>,
    /// Every command that does more than look, by its words.
    pub(super) runs: Vec<Run<'t>>,
    /// Commits that were made.
    pub(super) commits: Vec<Made>,
    /// The list of todos as it stands.
    pub(super) todos: &'t [Todo],
    /// How many tools were used.
    pub(super) calls: usize,
}

/// Something that the person said.
#[derive(Clone, Copy)]
pub(super) struct Ask<'t> {
    /// Its place in the turns.
    pub(super) at: usize,
    /// The words.
    pub(super) text: &'t str,
    /// How it came to be said.
    pub(super) how: How,
}

/// How something came to be said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum How {
    /// As a prompt.
    Prompt,
    /// As a prompt right after the person had stopped the agent.
    AfterInterrupt,
    /// In place of allowing a tool's call.
    Refusal,
}

/// A commit that was made.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Made {
    /// Its place in the turns.
    pub(super) at: usize,
    /// Abbreviated id, as git printed it.
    pub(super) id: String,
    /// Its subject.
    pub(super) subject: String,
}

impl<'t> Digest<'t> {
    /// Goes through the turns once. Paths below `root` become relative where the conversation was in it, else
    /// those below the folder in which it began.
    pub(super) fn of(transcript: &'t Transcript, root: Option<&str>) -> Self {
        let turns = &transcript.turns;
        let place = paths::Place::new(root, &transcript.cwds);
        let window = turns
            .iter()
            .rposition(|turn| turn.what == What::Compacted)
            .map_or(0, |at| at + 1);
        let mut digest = Self {
            turns,
            window,
            asks: asks(turns),
            files: Vec::new(),
            runs: Vec::new(),
            commits: Vec::new(),
            todos: &[],
            calls: 0,
        };
        let mut runs = commands::Runs::default();
        for (at, call) in digest.tools() {
            digest.calls += 1;
            match &call.action {
                Action::Run { command, .. } => {
                    runs.add(at, digest.calls, call, &place);
                    digest.commits.extend(commands::commit(at, command, call));
                }
                Action::Todos(todos) if call.outcome != Outcome::Rejected => digest.todos = todos,
                action => files::add(&mut digest.files, &place, at, digest.calls, action, call),
            }
        }
        digest.runs = runs.finish();
        digest
    }

    /// The tools' uses with their places.
    pub(super) fn tools(&self) -> impl DoubleEndedIterator<Item = (usize, &'t ToolUse)> + use<'t> {
        self.turns
            .iter()
            .enumerate()
            .filter_map(|(at, turn)| match &turn.what {
                What::Tool(call) => Some((at, call)),
                _ => None,
            })
    }

    /// What the agent said last, and its place.
    pub(super) fn last_words(&self) -> Option<(usize, &'t str)> {
        self.said_before(self.turns.len())
    }

    /// What the agent said last before a place.
    pub(super) fn said_before(&self, at: usize) -> Option<(usize, &'t str)> {
        self.turns[..at]
            .iter()
            .enumerate()
            .rev()
            .find_map(|(at, turn)| match &turn.what {
                What::Agent(words) => Some((at, words.as_str())),
                _ => None,
            })
    }

    /// What the person asked last in a prompt.
    pub(super) fn latest_ask(&self) -> Option<Ask<'t>> {
        let prompts = self.asks.iter().rev();
        prompts
            .clone()
            .find(|ask| ask.how != How::Refusal)
            .or(self.asks.last())
            .copied()
    }

    /// Whether a command that failed was given up: it ran once, and others passed after it.
    pub(super) fn given_up(&self, run: &Run<'_>) -> bool {
        let later = self.tools().rev().take_while(|(at, _)| *at > run.last);
        let passed = later.filter(|(_, call)| {
            matches!(call.action, Action::Run { .. }) && call.outcome == Outcome::Ok
        });
        run.times == 1 && passed.count() >= PASSED_SINCE_MIN
    }

    /// The files changed behind a place, the latest change last.
    pub(super) fn changed_since(&self, at: usize) -> Vec<&FileUse> {
        let mut changed: Vec<&FileUse> = self
            .files
            .iter()
            .filter(|file| file.last_edit.is_some_and(|edit| edit > at))
            .collect();
        changed.sort_by_key(|file| file.last_edit);
        changed
    }
}

/// How much something was used: each use weighs half as much as one that is 40 calls younger. `uses` are
/// the numbers of the calls, `calls` the number of the last call.
fn weight(uses: &[usize], calls: usize) -> f64 {
    let weights = uses.iter().map(|one| {
        let age = calls.saturating_sub(*one);
        // A broken power would have the maths library loaded whenever the program starts.
        WEIGHT_LEFT_A_CALL.powi(i32::try_from(age).unwrap_or(i32::MAX))
    });
    weights.sum()
}

fn asks(turns: &[Turn]) -> Vec<Ask<'_>> {
    let mut asks: Vec<Option<Ask<'_>>> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut before = How::Prompt;
    for (at, turn) in turns.iter().enumerate() {
        match &turn.what {
            What::Person(text) => {
                if let Some(earlier) = known.insert(text, asks.len()) {
                    asks[earlier] = None;
                }
                asks.push(Some(Ask {
                    at,
                    text,
                    how: before,
                }));
                before = How::Prompt;
            }
            What::Interrupted => before = How::AfterInterrupt,
            What::Tool(call) if call.outcome == Outcome::Rejected => {
                before = match call.output.is_empty() {
                    true => How::AfterInterrupt,
                    false => How::Refusal,
                };
            }
            _ => before = How::Prompt,
        }
    }
    asks.into_iter().flatten().collect()
}
