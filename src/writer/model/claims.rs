//! From a model's bullets to claims. The model is believed nothing here: a command's ending is what the transcript says, and
//! the person's word is only what the person said.

use super::Material;
use super::answer::Answer;
use crate::handoff::card::Draft;
use crate::handoff::claim::{Claim, Evidence, Origin, Section};
use crate::handoff::decision::{By, Decision};
use crate::handoff::transcript::What;
use crate::writer::digest::Digest;
use crate::writer::pen::Pen;
use crate::writer::rules;

/// An abbreviated commit id has at least so many hex digits.
const ID_DIGITS_MIN: usize = 7;
/// The longest id: SHA-256.
const ID_DIGITS_MAX: usize = 64;
/// Evidence of one claim.
const EVIDENCE_MAX: usize = 6;
/// Words that are shorter could be found in anything, in letters.
const QUOTE_LETTERS_MIN: usize = 4;
/// What a model may put in front of a bullet; it is judged afresh.
const MARKS: [&str; 8] = ["✅", "⚠️", "⚠", "❌", "⏳", "[x]", "[X]", "[ ]"];
/// What it puts in front of what nothing shows.
const UNCONFIRMED: &str = "unconfirmed:";
/// What stands before the command that takes an item up again.
const RESUME: &str = "resume: `";

/// What is known of the conversation beside what the model says.
struct Facts<'f> {
    digest: Option<Digest<'f>>,
    /// Every word of the person, letters only.
    persons: String,
}

/// The draft of an answer.
pub(super) fn draft(answer: &Answer, material: &Material<'_>, pen: &mut Pen<'_>) -> Draft {
    let facts = Facts {
        digest: material
            .transcript
            .map(|transcript| Digest::of(transcript, material.root)),
        persons: persons(material),
    };
    let mut draft = Draft {
        summary: answer.summary.clone(),
        ..Draft::default()
    };
    for (section, items) in &answer.sections {
        let claims = items
            .iter()
            .filter_map(|item| claim(item, *section, &facts, pen));
        draft.sections.of_mut(*section).extend(claims);
    }
    let decisions = answer.decisions.iter();
    draft.decisions = decisions
        .filter_map(|item| decision(item, material.now))
        .collect();
    draft
}

/// The claim of a bullet; none where nothing is left of it.
fn claim(item: &str, section: Section, facts: &Facts<'_>, pen: &mut Pen<'_>) -> Option<Claim> {
    let text = without_marks(item);
    let (text, unconfirmed) = match begins(text, UNCONFIRMED) {
        Some(rest) => (rest.trim(), true),
        None => (text, false),
    };
    let (origin, text) = origin(text, section, facts);
    let mut evidence = Vec::new();
    let text = without_resume(text, section, facts, pen, &mut evidence);
    if !unconfirmed {
        commands(&text, section, facts, pen, &mut evidence);
        named(&text, facts, &mut evidence);
    }
    evidence.truncate(EVIDENCE_MAX);
    (!text.is_empty()).then_some(Claim {
        text,
        origin,
        evidence,
    })
}

fn without_marks(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(rest) = MARKS.iter().find_map(|mark| text.strip_prefix(mark)) {
        text = rest.trim_start();
    }
    text
}

fn begins<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let start = text.get(..word.len())?;
    start
        .eq_ignore_ascii_case(word)
        .then(|| &text[word.len()..])
}

/// Who says it. Of the person is only what the person said to the letter, whatever the model calls it: an order that a tool's
/// output smuggled in stays the agent's word. A goal stands without its quotes.
fn origin<'t>(text: &'t str, section: Section, facts: &Facts<'_>) -> (Origin, &'t str) {
    let behind = begins(text, "user:").map(str::trim);
    let bare = behind.unwrap_or(text);
    let quoted = inside_quotes(bare);
    let persons = (behind.is_some() || quoted.is_some())
        && facts.said_by_person(quoted.or_else(|| first_quote(bare)).unwrap_or(bare));
    let origin = if persons { Origin::User } else { Origin::Agent };
    match quoted.filter(|_| section == Section::Goal && persons) {
        Some(words) => (origin, words),
        None => (origin, bare),
    }
}

fn inside_quotes(text: &str) -> Option<&str> {
    let inner = text.strip_prefix(['"', '“'])?.strip_suffix(['"', '”'])?;
    (!inner.is_empty() && !inner.contains(['"', '“', '”'])).then_some(inner)
}

fn first_quote(text: &str) -> Option<&str> {
    let mut parts = text.split(['"', '“', '”']);
    parts.next();
    let quote = parts.next()?;
    parts.next().map(|_| quote)
}

impl Facts<'_> {
    fn said_by_person(&self, words: &str) -> bool {
        let letters = letters(words);
        letters.chars().count() >= QUOTE_LETTERS_MIN && self.persons.contains(&letters)
    }

    fn touched(&self, path: &str) -> bool {
        let files = self.digest.iter().flat_map(|digest| &digest.files);
        files.into_iter().any(|file| file.path == path)
    }
}

/// Letters and digits alone, in small.
fn letters(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// What the person said in this conversation, behind `/compact`, and on the card before.
fn persons(material: &Material<'_>) -> String {
    let turns = material.transcript.iter().flat_map(|one| &one.turns);
    let said = turns.filter_map(|turn| match &turn.what {
        What::Person(words) => Some(words.as_str()),
        _ => None,
    });
    let before = material.previous.iter().flat_map(|card| {
        let claims = card.sections.iter().map(|(_, judged)| &judged.claim);
        claims
            .filter(|claim| claim.origin == Origin::User)
            .map(|claim| claim.text.as_str())
    });
    let all = said.chain(before).chain(material.instructions);
    // A blank parts them: no quote goes on from one saying into the next.
    all.map(letters).collect::<Vec<_>>().join(" ")
}

/// The text without `resume: …` in backticks, whose command becomes evidence where a card shows it so.
fn without_resume(
    text: &str,
    section: Section,
    facts: &Facts<'_>,
    pen: &mut Pen<'_>,
    evidence: &mut Vec<Evidence>,
) -> String {
    let found = text.find(RESUME).and_then(|at| {
        let behind = &text[at + RESUME.len()..];
        let end = behind.find('`')?;
        Some((&text[..at], &behind[..end], &behind[end + 1..]))
    });
    let Some((before, command, behind)) = found.filter(|(before, command, _)| {
        section == Section::InFlight && !before.is_empty() && !command.is_empty()
    }) else {
        return text.to_owned();
    };
    evidence.push(facts.ran(command, pen).unwrap_or(Evidence::Command {
        line: command.to_owned(),
        exit: None,
        passed: None,
        stale: false,
    }));
    let before = before.trim_end_matches([' ', '·', '—', '-', ',', ';', '(']);
    let behind = behind.trim_start_matches([' ', ')', '.']);
    format!("{before} {behind}").trim().to_owned()
}

impl Facts<'_> {
    /// A command that ran, as the transcript says that it ended.
    fn ran(&self, line: &str, pen: &mut Pen<'_>) -> Option<Evidence> {
        let digest = self.digest.as_ref()?;
        let run = digest.runs.iter().find(|run| run.is(line))?;
        Some(rules::command(digest, run, pen))
    }
}

/// Commands in backticks that ran in this conversation, with the ending that the transcript knows. One that never ran is no
/// evidence, so that a claim which rests on it alone stays unconfirmed.
fn commands(
    text: &str,
    section: Section,
    facts: &Facts<'_>,
    pen: &mut Pen<'_>,
    evidence: &mut Vec<Evidence>,
) {
    if section != Section::Done {
        return;
    }
    for span in spans(text) {
        if let Some(ran) = facts.ran(span, pen).filter(|ran| !evidence.contains(ran)) {
            evidence.push(ran);
        }
    }
}

fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Paths and commits that a text names. What can be nothing else is evidence even where it is not there: then the claim does
/// not hold.
fn named(text: &str, facts: &Facts<'_>, evidence: &mut Vec<Evidence>) {
    let around = |c: char| "()[]{}\"'“”‘’,;!?*<>`".contains(c);
    for word in text.split(|c: char| c.is_whitespace() || c == '`') {
        let word = word.trim_matches(around).trim_end_matches(['.', ':']);
        let (path, line) = match word.split_once(':') {
            Some((path, line)) => (path, line.split([':', '-']).next()),
            None => (word, None),
        };
        let line = line.and_then(|line| line.parse().ok());
        let one = if is_id(word) {
            Evidence::Commit {
                id: word.to_owned(),
                subject: String::new(),
            }
        } else if facts.touched(path) || is_path(path) && word.split(':').count() <= 3 {
            Evidence::Path {
                path: path.to_owned(),
                line,
                blob: None,
            }
        } else {
            continue;
        };
        if !evidence.contains(&one) {
            evidence.push(one);
        }
    }
}

fn is_id(word: &str) -> bool {
    (ID_DIGITS_MIN..=ID_DIGITS_MAX).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.contains(|c: char| c.is_ascii_digit())
        && word.contains(|c: char| c.is_ascii_alphabetic())
}

/// A path with a folder and an ending: `src/a.rs`, not `and/or`, `a.org/b.html` or `src/*.rs`.
fn is_path(word: &str) -> bool {
    let Some((folders, name)) = word.rsplit_once('/') else {
        return false;
    };
    let plain = |c: char| c.is_alphanumeric() || "/._-+@ ~".contains(c);
    let ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=8).contains(&ending.len())
            && ending.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let first = folders.split('/').next().unwrap_or_default();
    let address = first.trim_start_matches('.').contains('.');
    ending && !address && word.chars().all(plain) && !word.contains("//")
}

/// `what — why: reason — instead of: other`.
fn decision(item: &str, now: i64) -> Option<Decision> {
    let text = without_marks(item);
    let (text, instead) = split(text, " — instead of: ");
    let (what, why) = split(text, " — why: ");
    (!what.is_empty()).then(|| Decision::new(now, By::Agent, what, why, instead))
}

fn split<'t>(text: &'t str, mark: &str) -> (&'t str, Option<&'t str>) {
    text.split_once(mark)
        .map_or((text, None), |(before, behind)| {
            (before.trim(), Some(behind.trim()))
        })
}
