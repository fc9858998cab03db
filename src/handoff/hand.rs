//! A card written by hand: Markdown with the sections of a card, read into a draft. What cannot stand on a card is told
//! line by line, all of it at once. No IO: whether a path or a commit is there, the caller says.

use super::card::Draft;
use super::claim::Section;

mod item;
mod named;
mod placeholder;
#[cfg(test)]
mod tests;

pub(crate) use named::{Named, Seen};

/// What stands in a section with nothing to say.
const NOTHING: [&str; 4] = ["none", "none seen", "nothing", "n/a"];

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The claims and decisions, with what they name as evidence.
    pub(crate) draft: Draft,
    /// Why it cannot be stored as it is, in the order of the lines.
    pub(crate) faults: Vec<Fault>,
    /// How many sections of a card it has, those that say `none` among them.
    pub(crate) sections: usize,
}

/// Something that cannot stand on a card.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fault {
    /// The line, from 1; none for what is missing from the whole.
    pub(crate) line: Option<usize>,
    /// What and why.
    pub(crate) why: String,
}

impl Fault {
    /// A fault of one line, counted from 1.
    pub(crate) fn at(line: usize, why: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            why: why.into(),
        }
    }
}

/// How a card is read.
pub(crate) struct Rules<'r> {
    /// The moment of decisions without one, in seconds since 1970 UTC.
    pub(crate) now: i64,
    /// Whether a path or a commit is there.
    pub(crate) look: &'r dyn Fn(&Named<'_>) -> Seen,
}

/// What a heading begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Section(Section),
    Decisions,
    /// Part of every `card.md`; a hand cannot say it better than the ledger.
    Subagents,
    /// Under a heading that no card has; said once.
    Foreign,
}

/// A bullet with the lines that go on from it: each with its number.
struct Item<'t> {
    lines: Vec<(usize, &'t str)>,
}

/// Reads a card that was written by hand. Total: every text gives a draft, and the faults in it.
pub(crate) fn read(text: &str, rules: &Rules<'_>) -> Reading {
    let mut reading = Reading {
        draft: Draft::default(),
        faults: Vec::new(),
        sections: 0,
    };
    // Editors of Windows put a byte order mark in front.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let blocks = blocks(text, &mut reading.faults);
    for section in Section::ALL {
        let there = blocks
            .iter()
            .filter(|one| one.part == Part::Section(section));
        let items: Vec<&Item<'_>> = there.clone().flat_map(|one| &one.items).collect();
        match there.clone().next() {
            None => reading.faults.push(Fault {
                line: None,
                why: format!("no section `## {}`", section.title()),
            }),
            Some(first) if items.is_empty() => reading.faults.push(Fault::at(
                first.line,
                format!("`{}` is empty: say `none`", section.title()),
            )),
            Some(_) => {}
        }
        for again in there.clone().skip(1) {
            let why = format!("a second section `## {}`", section.title());
            reading.faults.push(Fault::at(again.line, why));
        }
        reading.sections += usize::from(there.count() > 0);
        for one in items.into_iter().filter(|one| !says_nothing(one)) {
            let claim = item::claim(&one.lines, section, rules, &mut reading.faults);
            reading.draft.sections.of_mut(section).extend(claim);
        }
    }
    let decisions = blocks.iter().filter(|one| one.part == Part::Decisions);
    for one in decisions.flat_map(|block| &block.items) {
        if !says_nothing(one) {
            let decision = item::decision(&one.lines, rules, &mut reading.faults);
            reading.draft.decisions.extend(decision);
        }
    }
    reading.faults.sort();
    reading.faults.dedup();
    reading
}

/// A heading and its items.
struct Block<'t> {
    part: Part,
    line: usize,
    items: Vec<Item<'t>>,
}

fn blocks<'t>(text: &'t str, faults: &mut Vec<Fault>) -> Vec<Block<'t>> {
    let mut blocks: Vec<Block<'t>> = Vec::new();
    let (mut titled, mut fenced, mut open) = (false, false, false);
    for (n, line) in text.lines().enumerate() {
        let (n, trimmed) = (n + 1, line.trim());
        if trimmed.starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if let Some((level, title)) = heading(trimmed).filter(|_| !fenced) {
            match part(title) {
                Some(part) => blocks.push(Block {
                    part,
                    line: n,
                    items: Vec::new(),
                }),
                None if level == 1 && blocks.is_empty() => titled = true,
                None => {
                    faults.push(Fault::at(n, format!("a card has no section `{title}`")));
                    blocks.push(Block {
                        part: Part::Foreign,
                        line: n,
                        items: Vec::new(),
                    });
                }
            }
            open = false;
            continue;
        }
        if trimmed.is_empty() {
            open = false;
            continue;
        }
        let Some(block) = blocks.last_mut() else {
            if !titled {
                faults.push(Fault::at(n, "this stands under no heading"));
                titled = true;
            }
            continue;
        };
        let indented = line.starts_with([' ', '\t']);
        let begins = !fenced && item::behind_bullet(trimmed).is_some();
        match block.items.last_mut() {
            Some(item) if indented || (open && !begins) || fenced => item.lines.push((n, trimmed)),
            _ => block.items.push(Item {
                lines: vec![(n, trimmed)],
            }),
        }
        open = true;
    }
    blocks
}

/// `## Done` is a heading of level 2.
fn heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    let spaced = title.starts_with(' ') || title.is_empty();
    ((1..=6).contains(&level) && spaced).then(|| (level, title.trim().trim_end_matches([':', '#'])))
}

fn part(title: &str) -> Option<Part> {
    let is = |name: &str| title.trim().eq_ignore_ascii_case(name);
    if is("Decisions") || is("Key decisions") {
        return Some(Part::Decisions);
    }
    if is("Subagents") {
        return Some(Part::Subagents);
    }
    if is("Goal") {
        return Some(Part::Section(Section::Goal));
    }
    let section = Section::ALL.into_iter().find(|one| is(one.title()))?;
    Some(Part::Section(section))
}

fn says_nothing(item: &Item<'_>) -> bool {
    let [(_, line)] = item.lines[..] else {
        return false;
    };
    let text = item::behind_bullet(line).unwrap_or(line);
    let text =
        text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '*' | '_' | '(' | ')'));
    NOTHING.iter().any(|word| text.eq_ignore_ascii_case(word))
}
