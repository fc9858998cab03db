//! Handoffs that other tools left behind, told by their layout and read into drafts. Each is turned into the Markdown of a
//! card first, so that one reader knows items, origins and evidence. No IO; what a file names is not looked for.

use std::path::Path;

use super::card::Draft;
use super::claim::{Claim, Origin, Section};
use super::hand::{self, Rules, Seen};
use super::session::Trigger;

mod moment;
mod retitle;
#[cfg(test)]
mod tests;

/// First line of a card that a hook wrote before a compaction.
const BEFORE_COMPACTION: &str = "# Handoff before compaction";
/// First line of a snapshot.
const SNAPSHOT: &str = "# Context Snapshot";
/// First line of a context handoff.
const CONTEXT_HANDOFF: &str = "# Context Handoff";
/// A handoff's file name begins so and goes on with its date.
const HANDOFF_NAME: &str = "HANDOFF_";

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// `<dir>/<YYYY-MM-DD>-<HHMMSS>-<session8>.md`.
    BeforeCompaction,
    /// `.qe/context/sessions/<sid>/snapshot.md`.
    Snapshot,
    /// `.qe/context/sessions/<sid>/decisions.md`.
    Decisions,
    /// `.qe/handoffs/sessions/<sid>/HANDOFF_<date>_<time>.md`.
    Handoff,
    /// `~/.claude/handoff/<project>/*.md`.
    ContextHandoff,
}

impl Layout {
    /// As people are told.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::BeforeCompaction => "handoff before compaction",
            Self::Snapshot => "context snapshot",
            Self::Decisions => "decisions",
            Self::Handoff => "handoff",
            Self::ContextHandoff => "context handoff",
        }
    }
}

/// A handoff of another tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// What the file is.
    pub(crate) layout: Layout,
    /// The session as the file or its folder names it; none where neither does.
    pub(crate) session: Option<String>,
    /// When it was written, in seconds since 1970 UTC; none where the file does not say.
    pub(crate) at: Option<i64>,
    /// Why it was written.
    pub(crate) trigger: Trigger,
    /// The folder that the conversation was in.
    pub(crate) cwd: Option<String>,
    /// What it says.
    pub(crate) draft: Draft,
}

/// The moment of what has none of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    /// When the file was last written, in seconds since 1970 UTC.
    pub(crate) written: i64,
    /// Offset of the person's clock from UTC, in seconds.
    pub(crate) utc_offset: i32,
}

/// Reads a file by its path and text; none for one of no known layout.
pub(crate) fn read(path: &Path, text: &str, clock: Clock) -> Option<Foreign> {
    let layout = layout(path, text)?;
    let fields = fields(text);
    let field = |key: &str| {
        let found = fields.iter().find(|(name, _)| name == key);
        found
            .map(|(_, value)| value.clone())
            .filter(|value| !value.is_empty())
    };
    let title = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let parse = |text: &str| moment::parse(text, clock.utc_offset);
    let folder = name_of(path.parent());
    let (session, at) = match layout {
        Layout::BeforeCompaction => {
            let short = title
                .rsplit_once("(session ")
                .map(|(_, rest)| rest.trim_end_matches([')', ' ']));
            let said = field("session").or_else(|| short.map(str::to_owned));
            (said, parse(title))
        }
        Layout::Snapshot => (folder.clone(), field("saved at").as_deref().and_then(parse)),
        Layout::Decisions => (
            folder.clone(),
            dated_blocks(text, parse).filter_map(|one| one.0).max(),
        ),
        Layout::Handoff => (
            folder.clone(),
            parse(&name_of(Some(path)).unwrap_or_default()),
        ),
        Layout::ContextHandoff => {
            let stem = path
                .file_stem()
                .map(|stem| stem.to_string_lossy().into_owned());
            let named = stem.filter(|stem| stem != "HANDOFF");
            (
                field("session").or(named),
                field("saved").as_deref().and_then(parse),
            )
        }
    };
    let now = at.unwrap_or(clock.written);
    let draft = match layout {
        Layout::BeforeCompaction => by_hand(text, now),
        Layout::Decisions => decisions(text, now, parse),
        Layout::Snapshot | Layout::Handoff | Layout::ContextHandoff => {
            let (card, rest) = retitle::as_card(text);
            let mut draft = by_hand(&card, now);
            draft.summary = Some(rest).filter(|rest| !rest.trim().is_empty());
            with_goal(draft, title)
        }
    };
    Some(Foreign {
        layout,
        session,
        at,
        trigger: match field("trigger").as_deref() {
            Some("auto") if layout == Layout::BeforeCompaction => Trigger::CompactAuto,
            Some("manual") if layout == Layout::BeforeCompaction => Trigger::CompactManual,
            _ => Trigger::Manual,
        },
        cwd: field("cwd").or_else(|| project(path)),
        draft,
    })
}

fn layout(path: &Path, text: &str) -> Option<Layout> {
    let first = text.lines().find(|line| !line.trim().is_empty())?.trim();
    let name = name_of(Some(path))?;
    let in_sessions =
        name_of(path.parent().and_then(Path::parent)).is_some_and(|one| one == "sessions");
    if first.starts_with(BEFORE_COMPACTION) {
        Some(Layout::BeforeCompaction)
    } else if first.starts_with(SNAPSHOT) {
        Some(Layout::Snapshot)
    } else if first.starts_with(CONTEXT_HANDOFF) {
        Some(Layout::ContextHandoff)
    } else if in_sessions && name == "decisions.md" {
        Some(Layout::Decisions)
    } else if in_sessions && name.starts_with(HANDOFF_NAME) {
        Some(Layout::Handoff)
    } else {
        None
    }
}

fn name_of(path: Option<&Path>) -> Option<String> {
    Some(path?.file_name()?.to_string_lossy().into_owned())
}

/// The folder that holds the `.qe` folder.
fn project(path: &Path) -> Option<String> {
    let inside = path
        .ancestors()
        .find(|one| one.file_name().is_some_and(|name| name == ".qe"))?;
    Some(inside.parent()?.to_string_lossy().into_owned())
}

/// `key: value` of the lines above the first section, several a line with ` · ` between them.
fn fields(text: &str) -> Vec<(String, String)> {
    let head = text.lines().take_while(|line| !line.starts_with("## "));
    let parts = head.flat_map(|line| {
        let line = line.trim_start_matches(['-', '*', '>', ' ']);
        line.split(" · ")
    });
    let pairs = parts.filter_map(|part| part.split_once(':'));
    pairs
        .map(|(key, value)| {
            let plain = |text: &str| text.trim_matches(['`', '*', ' ', '"']).to_owned();
            (plain(key).to_lowercase(), plain(value))
        })
        .collect()
}

fn by_hand(text: &str, now: i64) -> Draft {
    let rules = Rules {
        now,
        look: &|_| Seen::Unknown,
    };
    hand::read(text, &rules).draft
}

/// `## [<date>] Session` and its bullets: each block's moment and text.
fn dated_blocks(
    text: &str,
    parse: impl Fn(&str) -> Option<i64>,
) -> impl Iterator<Item = (Option<i64>, &str)> {
    text.split("\n## ").map(move |block| {
        let block = block.strip_prefix("## ").unwrap_or(block);
        let (title, rest) = block.split_once('\n').unwrap_or((block, ""));
        if title.starts_with('#') {
            return (None, "");
        }
        (parse(title), rest)
    })
}

fn decisions(text: &str, now: i64, parse: impl Fn(&str) -> Option<i64>) -> Draft {
    let mut draft = Draft::default();
    for (at, block) in dated_blocks(text, parse) {
        let read = by_hand(&format!("## Decisions\n{block}"), at.unwrap_or(now));
        draft.decisions.extend(read.decisions);
    }
    draft
}

/// A draft whose goal is at least its title.
fn with_goal(mut draft: Draft, title: &str) -> Draft {
    let goal = draft.sections.of_mut(Section::Goal);
    let title = title.trim_start_matches('#').trim();
    if goal.is_empty() && !title.is_empty() {
        goal.push(Claim::new(Origin::Agent, title));
    }
    draft
}
