//! One line of a card: what it says, who says it, what would show it, and what the repository answered.

use super::session::{name_of, value_of};

/// The sections of a card, in the order in which they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Section {
    /// What the person wants, first and last ask, in their words; and in which repository.
    Goal,
    /// What was done, with its evidence.
    Done,
    /// What was begun and not ended.
    InFlight,
    /// What comes next.
    NextSteps,
    /// What waits for the person.
    OnlyUser,
    /// Which files to open first.
    ReadFirst,
    /// What the person forbade or corrected, and what was tried and failed.
    Traps,
}

impl Section {
    /// Every section that holds claims, in the order of the card. Decisions and subagents stand behind
    /// them and are no claims.
    pub(crate) const ALL: [Self; 7] = [
        Self::Goal,
        Self::Done,
        Self::InFlight,
        Self::NextSteps,
        Self::OnlyUser,
        Self::ReadFirst,
        Self::Traps,
    ];

    /// Its heading in `card.md`.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Goal => "Goal and repo",
            Self::Done => "Done",
            Self::InFlight => "In flight",
            Self::NextSteps => "Next steps",
            Self::OnlyUser => "Only the user",
            Self::ReadFirst => "Read first",
            Self::Traps => "Traps",
        }
    }

    /// Its key in `card.json`.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Done => "done",
            Self::InFlight => "in_flight",
            Self::NextSteps => "next_steps",
            Self::OnlyUser => "only_user",
            Self::ReadFirst => "read_first",
            Self::Traps => "traps",
        }
    }
}

/// Who a claim comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The person said it.
    User,
    /// The agent said it.
    Agent,
    /// It was found: a failing command, an open todo, an edited file.
    Finding,
}

impl Origin {
    const ALL: [(Self, &'static str); 3] = [
        (Self::User, "user"),
        (Self::Agent, "agent"),
        (Self::Finding, "finding"),
    ];

    /// As it stands on a card.
    pub(crate) fn as_str(self) -> &'static str {
        name_of(&Self::ALL, self)
    }

    /// The reverse of [`Self::as_str`].
    pub(crate) fn parse(name: &str) -> Option<Self> {
        value_of(&Self::ALL, name)
    }
}

/// What a claim names that a machine can look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// A file or folder.
    Path {
        /// Relative to the work tree's root with `/` between levels; absolute where it lies outside.
        path: String,
        /// A line of it, from 1.
        line: Option<u32>,
        /// The blob id that its content had when the card was written, in hex; none for what is no file.
        blob: Option<String>,
    },
    /// A commit.
    Commit {
        /// Full or abbreviated id, in hex.
        id: String,
        /// Its subject, kept in case the commit goes.
        subject: String,
    },
    /// A command that ran in the transcript.
    Command {
        /// To the letter.
        line: String,
        /// Its last exit status where the host says it: 0 passed.
        exit: Option<i32>,
        /// Whether its last run passed.
        passed: Option<bool>,
        /// Whether files were changed after its last run.
        stale: bool,
    },
}

/// One line of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    /// What it says, one line, without bullet or verdict.
    pub(crate) text: String,
    /// Who says it.
    pub(crate) origin: Origin,
    /// What would show it; shown behind the text unless the text names it already.
    pub(crate) evidence: Vec<Evidence>,
}

impl Claim {
    /// A claim without evidence.
    pub(crate) fn new(origin: Origin, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            origin,
            evidence: Vec::new(),
        }
    }

    /// Adds evidence.
    pub(crate) fn with(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }

    /// Changes every text, as a redactor does.
    pub(crate) fn map_texts(&mut self, mut change: impl FnMut(&str) -> String) {
        self.text = change(&self.text);
        for evidence in &mut self.evidence {
            match evidence {
                Evidence::Path { path, .. } => *path = change(path),
                Evidence::Commit { subject, .. } => *subject = change(subject),
                Evidence::Command { line, .. } => *line = change(line),
            }
        }
    }

    /// The paths that it names as evidence.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.evidence.iter().filter_map(|one| match one {
            Evidence::Path { path, .. } => Some(path.as_str()),
            _ => None,
        })
    }
}

/// What the repository (and the transcript) answered to a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It holds.
    Confirmed,
    /// Nothing could be checked, or not enough; the reason where there is one.
    Unconfirmed(Option<String>),
    /// It does not hold, and why.
    Refuted(String),
}

impl Verdict {
    /// Changes the reason, as a redactor does.
    pub(crate) fn map_text(self, change: impl FnOnce(&str) -> String) -> Self {
        match self {
            Self::Unconfirmed(Some(why)) => Self::Unconfirmed(Some(change(&why))),
            Self::Refuted(why) => Self::Refuted(change(&why)),
            Self::Confirmed | Self::Unconfirmed(None) => self,
        }
    }
}

/// A claim with its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judged {
    /// What was said.
    pub(crate) claim: Claim,
    /// What the repository answered when the card was written.
    pub(crate) verdict: Verdict,
}

/// The claims of a draft ([`Claim`]) or of a card ([`Judged`]), by section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sections<T> {
    claims: [Vec<T>; Section::ALL.len()],
}

impl<T> Default for Sections<T> {
    fn default() -> Self {
        Self {
            claims: Default::default(),
        }
    }
}

impl<T> Sections<T> {
    /// The claims of one section.
    pub(crate) fn of(&self, section: Section) -> &[T] {
        &self.claims[section as usize]
    }

    /// The claims of one section, to be changed.
    pub(crate) fn of_mut(&mut self, section: Section) -> &mut Vec<T> {
        &mut self.claims[section as usize]
    }

    /// Every claim with its section, in the order of the card.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Section, &T)> {
        Section::ALL
            .into_iter()
            .flat_map(|section| self.of(section).iter().map(move |one| (section, one)))
    }

    /// The same sections with each claim replaced.
    pub(crate) fn map<U>(self, mut change: impl FnMut(Section, T) -> U) -> Sections<U> {
        let mut section = Section::ALL.into_iter();
        Sections {
            claims: self.claims.map(|claims| {
                let section = section.next().unwrap_or(Section::Traps);
                claims.into_iter().map(|one| change(section, one)).collect()
            }),
        }
    }
}
