//! One item: marks and origin off, what it names as evidence on.

use super::named::{self, Named, Seen};
use super::{Fault, Rules, placeholder};
use crate::handoff::claim::{Claim, Evidence, Origin, Section};
use crate::handoff::decision::{By, Decision};

/// What an earlier judgement or a list of boxes put in front of an item. It is judged anew.
const MARKS: [&str; 10] = [
    "✅",
    "⚠️",
    "⚠",
    "❌",
    "⏳",
    "[x]",
    "[X]",
    "[ ]",
    "unconfirmed:",
    "refuted:",
];
/// What stands before the command that takes an item up again.
const RESUME: &str = "resume: `";
/// Stems of words with which an item says that a path is gone, and so cannot be looked at.
const GONE: [&str; 5] = ["delet", "remov", "renam", "mov", "drop"];
/// The same for a path that is still to be made.
const TO_BE_MADE: [&str; 9] = [
    "creat", "writ", "new", "add", "introduc", "generat", "extract", "split", "mak",
];

/// The claim of an item; none where nothing is left of it.
pub(super) fn claim(
    lines: &[(usize, &str)],
    section: Section,
    rules: &Rules<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Claim> {
    let text = joined(lines);
    let mut evidence = Vec::new();
    for (line, part) in lines {
        check(
            *line,
            part,
            &text,
            Some(section),
            rules,
            faults,
            &mut evidence,
        );
    }
    let text = without_marks(&text);
    if section == Section::Goal && text.starts_with("repo: ") && text.contains(" · ") {
        // The census says it.
        return None;
    }
    let (origin, text) = origin(text, section);
    let (text, command) = without_resume(text);
    if let Some(line) = command {
        evidence.push(Evidence::Command {
            line,
            exit: None,
            passed: None,
            stale: false,
        });
    }
    let text = without_names(&text, &evidence);
    (!text.is_empty()).then(|| Claim {
        text: text.to_owned(),
        origin,
        evidence,
    })
}

/// The decision of an item, as `card.md` writes it or in free words; none for one that was taken back.
pub(super) fn decision(
    lines: &[(usize, &str)],
    rules: &Rules<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Decision> {
    let text = joined(lines);
    for (line, part) in lines {
        check(*line, part, &text, None, rules, faults, &mut Vec::new());
    }
    if text.starts_with("~~") {
        return None;
    }
    let day = text.split(' ').next().filter(|day| is_day(day));
    let text = day.map_or(text.as_str(), |day| text[day.len()..].trim());
    let (origin, text) = origin(text, Section::Done);
    let by = if origin == Origin::User {
        By::User
    } else {
        By::Agent
    };
    let (text, instead) = split(text, " — instead of: ");
    let (what, why) = split(text, " — why: ");
    (!what.is_empty()).then(|| Decision::new(rules.now, by, what, why, instead))
}

fn split<'t>(text: &'t str, mark: &str) -> (&'t str, Option<&'t str>) {
    text.split_once(mark)
        .map_or((text, None), |(before, after)| (before, Some(after)))
}

fn is_day(text: &str) -> bool {
    text.len() == "2026-11-30".len()
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// A line without its bullet or number; none for one that has neither.
pub(super) fn behind_bullet(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix(['-', '*', '+', '•'])
        && (rest.is_empty() || rest.starts_with(' '))
    {
        return Some(rest.trim());
    }
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest
        .strip_prefix(['.', ')'])
        .filter(|_| rest.len() < line.len())?;
    (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim())
}

/// The lines of an item as one; bullets within it become its parts.
fn joined(lines: &[(usize, &str)]) -> String {
    let mut text = String::new();
    for (n, (_, line)) in lines.iter().enumerate() {
        match (n, behind_bullet(line)) {
            (0, bare) => text.push_str(bare.unwrap_or(line)),
            (_, Some(bare)) => {
                text.push_str("; ");
                text.push_str(bare);
            }
            (_, None) => {
                text.push(' ');
                text.push_str(line);
            }
        }
    }
    text.trim().to_owned()
}

/// Looks through one line: placeholders, and what it names.
fn check(
    line: usize,
    text: &str,
    whole: &str,
    section: Option<Section>,
    rules: &Rules<'_>,
    faults: &mut Vec<Fault>,
    evidence: &mut Vec<Evidence>,
) {
    let text = behind_bullet(text).unwrap_or(text);
    if text.is_empty() {
        faults.push(Fault::at(line, "an empty item"));
    } else if let Some(what) = placeholder::find(text) {
        faults.push(Fault::at(line, format!("a placeholder: {what}")));
    }
    let is_there = |folder: &str| {
        let folder = Named::Path {
            path: folder,
            line: None,
        };
        matches!((rules.look)(&folder), Seen::Here(_))
    };
    let excused = excused(whole, section);
    for one in named::find(text, is_there) {
        match (rules.look)(&one.named) {
            Seen::Here(name) => add(evidence, &one.named, name),
            Seen::Missing(why) if one.sure && !excused => faults.push(Fault::at(line, why)),
            Seen::Unknown if one.sure => add(evidence, &one.named, String::new()),
            Seen::Missing(_) | Seen::Unknown => {}
        }
    }
}

/// Whether an item says itself why a path that it names is not there.
fn excused(text: &str, section: Option<Section>) -> bool {
    let small = text.to_lowercase();
    let says = |stems: &[&str]| {
        small
            .split(|c: char| !c.is_alphabetic())
            .any(|word| stems.iter().any(|stem| word.starts_with(stem)))
    };
    let later = !matches!(section, Some(Section::Done | Section::ReadFirst));
    says(&GONE) || (later && says(&TO_BE_MADE))
}

/// Adds what is named as evidence, once; `name` is how the repository knows it.
fn add(evidence: &mut Vec<Evidence>, named: &Named<'_>, name: String) {
    let known = |text: &str| {
        if name.is_empty() {
            text.to_owned()
        } else {
            name.clone()
        }
    };
    let one = match *named {
        Named::Path { path, line } => Evidence::Path {
            path: known(path),
            line,
            blob: None,
        },
        Named::Commit(id) => Evidence::Commit {
            id: known(id),
            subject: String::new(),
        },
    };
    if !evidence.contains(&one) {
        evidence.push(one);
    }
}

fn without_marks(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(rest) = MARKS.iter().find_map(|mark| text.strip_prefix(mark)) {
        text = rest.trim_start();
    }
    text
}

/// Who says it, and the text without that: `user: …`, `(user) …`, `… (user)`. Words in quotes under the goal or the traps
/// are the person's; what nobody is named for is the agent's, since only the person's word is an order.
fn origin(text: &str, section: Section) -> (Origin, &str) {
    let mut found = None;
    let mut rest = text;
    for origin in [Origin::User, Origin::Agent, Origin::Finding] {
        let name = origin.as_str();
        let (before, behind) = (format!("{name}:"), format!("({name})"));
        let cut = begins(text, &before)
            .or_else(|| begins(text, &behind))
            .or_else(|| text.strip_suffix(&behind));
        if let Some(cut) = cut {
            (found, rest) = (Some(origin), cut.trim());
            break;
        }
    }
    let quoted = inside_quotes(rest);
    let persons = matches!(section, Section::Goal | Section::Traps) && quoted.is_some();
    let origin = found.unwrap_or(if persons { Origin::User } else { Origin::Agent });
    // A goal stands for itself; elsewhere the marks tell the person's words from what is said about them.
    match quoted.filter(|_| section == Section::Goal) {
        Some(words) => (origin, words),
        None => (origin, rest),
    }
}

fn begins<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let start = text.get(..word.len())?;
    start
        .eq_ignore_ascii_case(word)
        .then(|| &text[word.len()..])
}

fn inside_quotes(text: &str) -> Option<&str> {
    let words = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .or_else(|| text.strip_prefix('“')?.strip_suffix('”'))?;
    (!words.is_empty() && !words.contains(['"', '“', '”'])).then_some(words)
}

/// The text without `resume: …` in backticks, and that command.
fn without_resume(text: &str) -> (String, Option<String>) {
    let found = text.find(RESUME).and_then(|at| {
        let command = &text[at + RESUME.len()..];
        let end = command.find('`')?;
        Some((at, &command[..end], &command[end + 1..]))
    });
    let Some((at, command, behind)) = found.filter(|(_, command, _)| !command.is_empty()) else {
        return (text.to_owned(), None);
    };
    let before = text[..at].trim_end_matches([' ', '·', '—', '-', ',', ';', '(']);
    let behind = behind.trim_start_matches([' ', ')']);
    let text = match (before.is_empty(), behind.is_empty()) {
        (false, true) => before.to_owned(),
        (false, false) => format!("{before} {behind}"),
        (true, _) => format!("`{command}` {behind}").trim().to_owned(),
    };
    (text, Some(command.to_owned()))
}

/// The text without ` — path, path (commit)` at its end: a card writes that from the evidence.
fn without_names<'t>(text: &'t str, evidence: &[Evidence]) -> &'t str {
    let mut text = text.trim();
    if let Some((before, id)) = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once(" ("))
        && evidence
            .iter()
            .any(|one| matches!(one, Evidence::Commit { id: full, .. } if full.starts_with(id)))
        && !before.is_empty()
    {
        text = before.trim();
    }
    if let Some((before, names)) = text.rsplit_once(" — ") {
        let known = |name: &str| {
            let name = name.trim().trim_matches('`');
            let paths = evidence.iter().filter_map(|one| match one {
                Evidence::Path {
                    path, line: None, ..
                } => Some(path),
                _ => None,
            });
            paths.into_iter().any(|path| path == name)
        };
        if names.split(',').all(known) && !before.is_empty() {
            text = before.trim();
        }
    }
    text
}
