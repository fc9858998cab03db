//! A model's answer, read: tolerant of fences, of tags that are missing, of sections in another order or depth and of other
//! bullets; total over all texts.

use super::Fault;
use crate::handoff::claim::Section;
use crate::handoff::clip;

/// A summary may have this many sentences; the rest is left out.
pub(super) const SUMMARY_SENTENCES_MAX: usize = 15;
/// And this many bytes.
const SUMMARY_BYTES_MAX: usize = 6_000;
/// A section may have this many bullets; the rest is left out.
pub(super) const ITEMS_MAX: usize = 12;
/// A bullet may have this many bytes.
const ITEM_BYTES_MAX: usize = 700;
/// What is told of a refusal, in bytes.
const REFUSAL_BYTES_MAX: usize = 120;

/// How an answer begins that is none.
const REFUSALS: [&str; 8] = [
    "i can't",
    "i cannot",
    "i can’t",
    "i'm sorry",
    "i’m sorry",
    "sorry",
    "i am unable",
    "i'm not able",
];
/// What stands in a section with nothing to say.
const NOTHING: [&str; 5] = ["none", "none seen", "nothing", "n/a", "-"];
/// What models call a section beside its title.
const OTHER_TITLES: [(&str, Part); 12] = [
    ("goal", Part::Claims(Section::Goal)),
    ("goal & repo", Part::Claims(Section::Goal)),
    ("in progress", Part::Claims(Section::InFlight)),
    ("in-flight", Part::Claims(Section::InFlight)),
    ("next", Part::Claims(Section::NextSteps)),
    ("next step", Part::Claims(Section::NextSteps)),
    ("user only", Part::Claims(Section::OnlyUser)),
    ("trap", Part::Claims(Section::Traps)),
    ("decisions", Part::Decisions),
    ("key decisions", Part::Decisions),
    ("summary", Part::Summary),
    ("subagents", Part::Foreign),
];

/// What an answer says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// The summary.
    pub(super) summary: Option<String>,
    /// The bullets of each section that is there, empty ones among them.
    pub(super) sections: Vec<(Section, Vec<String>)>,
    /// The bullets of the decisions.
    pub(super) decisions: Vec<String>,
}

/// What a heading begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Claims(Section),
    Decisions,
    Summary,
    Foreign,
}

/// Reads an answer; a fault where it holds no card.
pub(super) fn read(text: &str) -> Result<Answer, Fault> {
    let text = behind_thoughts(text).trim();
    if text.is_empty() {
        return Err(Fault::Told("gave an empty answer".to_owned()));
    }
    let tagged = inside(text, "summary");
    let body = inside(text, "handoff").unwrap_or_else(|| behind(text, "summary"));
    let mut answer = Answer::default();
    let mut prose = Vec::new();
    for (part, items) in parts(body) {
        match part {
            Part::Claims(section) => {
                let known = answer.sections.iter_mut().find(|(one, _)| *one == section);
                match known {
                    Some((_, all)) => all.extend(items),
                    None => answer.sections.push((section, items)),
                }
            }
            Part::Decisions => answer.decisions.extend(items),
            Part::Summary => prose.extend(items),
            Part::Foreign => {}
        }
    }
    for (_, items) in &mut answer.sections {
        items.truncate(ITEMS_MAX);
    }
    answer.decisions.truncate(ITEMS_MAX);
    let prose = prose.join(" ");
    answer.summary = sentences(tagged.unwrap_or(&prose));
    if answer.sections.is_empty() {
        return Err(no_card(text));
    }
    if answer.sections.iter().all(|(_, items)| items.is_empty()) {
        return Err(Fault::Told("gave a card that says nothing".to_owned()));
    }
    Ok(answer)
}

fn no_card(text: &str) -> Fault {
    let small = text.trim_start_matches(['<', '>', '#', ' ']).to_lowercase();
    let words = clip::one_line(text, REFUSAL_BYTES_MAX);
    Fault::Told(if REFUSALS.iter().any(|start| small.starts_with(start)) {
        format!("refused: {words}")
    } else {
        "gave no sections of a card".to_owned()
    })
}

/// What stands behind a model's own thinking, which some servers leave in the answer.
fn behind_thoughts(text: &str) -> &str {
    text.rsplit_once("</think>")
        .map_or(text, |(_, behind)| behind)
}

/// What stands between `<tag>` and `</tag>`; up to the next tag of ours, or the end, where it is never closed.
fn inside<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let open = find(text, &format!("<{tag}>"))?;
    let content = &text[open + tag.len() + 2..];
    let ends = [format!("</{tag}>"), "<handoff>".to_owned()];
    let end = ends.iter().filter_map(|end| find(content, end)).min();
    Some(content[..end.unwrap_or(content.len())].trim())
}

/// What stands behind `</tag>`, or the whole text.
fn behind<'t>(text: &'t str, tag: &str) -> &'t str {
    let end = format!("</{tag}>");
    find(text, &end).map_or(text, |at| &text[at + end.len()..])
}

/// The place of an ASCII text in any case.
fn find(text: &str, what: &str) -> Option<usize> {
    let (text, what) = (text.as_bytes(), what.as_bytes());
    text.windows(what.len())
        .position(|window| window.eq_ignore_ascii_case(what))
}

/// The sections with their bullets, in the order of the text.
fn parts(text: &str) -> Vec<(Part, Vec<String>)> {
    let mut parts: Vec<(Part, Vec<String>)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || is_tag(trimmed) {
            continue;
        }
        if trimmed.is_empty() {
            open = false;
            continue;
        }
        if let Some(part) = heading(trimmed) {
            parts.push((part, Vec::new()));
            open = false;
            continue;
        }
        let Some((_, items)) = parts.last_mut() else {
            continue;
        };
        let indented = line.starts_with([' ', '\t']);
        match (bullet(trimmed), items.last_mut()) {
            (Some(text), Some(last)) if indented && open => {
                last.push_str("; ");
                last.push_str(text);
            }
            (Some(text), _) => items.push(text.to_owned()),
            (None, Some(last)) if open => {
                last.push(' ');
                last.push_str(trimmed);
            }
            (None, _) => items.push(trimmed.to_owned()),
        }
        open = true;
    }
    for (_, items) in &mut parts {
        items.retain(|item| !says_nothing(item));
        for item in items {
            *item = clip::one_line(item, ITEM_BYTES_MAX);
        }
    }
    parts
}

fn is_tag(line: &str) -> bool {
    ["<handoff>", "</handoff>", "<summary>", "</summary>"]
        .iter()
        .any(|tag| line.eq_ignore_ascii_case(tag))
}

/// `## Done`, `**Done:**`, `3. Done`, `Done:` and `Done` alone on a line; of other headings only what has a `#`.
fn heading(line: &str) -> Option<Part> {
    let bare = line.trim_start_matches('#');
    let marked = bare.len() < line.len();
    let bare = bare.trim().trim_start_matches(|c: char| c.is_ascii_digit());
    let bare = bare.trim_start_matches(['.', ')']);
    let title = bare.trim_matches(|c: char| c.is_whitespace() || "*_:#".contains(c));
    let known = Section::ALL
        .into_iter()
        .find(|section| title.eq_ignore_ascii_case(section.title()))
        .map(Part::Claims);
    let known = known.or_else(|| {
        OTHER_TITLES
            .iter()
            .find(|(name, _)| title.eq_ignore_ascii_case(name))
            .map(|(_, part)| *part)
    });
    known.or(marked.then_some(Part::Foreign))
}

/// A line without its bullet, number or box; none for one that has no bullet.
fn bullet(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['-', '*', '+', '•', '–', '◦', '·']);
    let rest = rest.filter(|rest| rest.is_empty() || rest.starts_with(' '));
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let behind = rest.strip_prefix(['.', ')'])?;
        (rest.len() < line.len() && behind.starts_with(' ')).then_some(behind)
    };
    rest.or_else(numbered).map(str::trim)
}

fn says_nothing(item: &str) -> bool {
    let bare = item.trim_matches(|c: char| c.is_whitespace() || ".*_()`".contains(c));
    bare.is_empty() || NOTHING.iter().any(|word| bare.eq_ignore_ascii_case(word))
}

/// A summary of as many sentences as it may have; none of an empty one.
fn sentences(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let mut ends = text.char_indices().filter_map(|(at, c)| {
        let behind = at + c.len_utf8();
        let alone = c == '。' || text[behind..].is_empty() || text[behind..].starts_with(' ');
        (matches!(c, '.' | '!' | '?' | '。') && alone).then_some(behind)
    });
    let end = ends.nth(SUMMARY_SENTENCES_MAX - 1).unwrap_or(text.len());
    let text = clip::head(&text[..end], SUMMARY_BYTES_MAX);
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The card that an answer holds, a line a bullet.
    fn check(text: &str, expect: &str) {
        let answer = match read(text) {
            Ok(answer) => answer,
            Err(fault) => panic!("{fault:?}: {text}"),
        };
        let mut told = String::new();
        for (section, items) in &answer.sections {
            for item in items {
                told.push_str(&format!("{}: {item}\n", section.key()));
            }
        }
        for one in &answer.decisions {
            told.push_str(&format!("decisions: {one}\n"));
        }
        if let Some(summary) = &answer.summary {
            told.push_str(&format!("summary: {summary}\n"));
        }
        assert_eq!(told, expect);
    }

    fn fails(text: &str, expect: &str) {
        assert_eq!(read(text), Err(Fault::Told(expect.to_owned())), "{text}");
    }

    #[test]
    fn an_answer_as_it_was_asked_for() {
        check(
            "<summary>\nIt grows. It\nlives.\n</summary>\n<handoff>\n## Goal and repo\n- user: \"plant a tree\"\n## Done\n- none\n\
             ## Decisions\n- oak — why: shade\n</handoff>",
            "goal: user: \"plant a tree\"\ndecisions: oak — why: shade\nsummary: It grows. It lives.\n",
        );
    }

    #[test]
    fn other_forms_of_the_same() {
        check(
            "Here is the card:\n```markdown\n### **Traps:**\n1. the fence\n2) the dog\n   - bites\n\n# DONE\n* [a](b)\n  goes on\n```",
            "traps: the fence\ntraps: the dog; bites\ndone: [a](b) goes on\n",
        );
        check(
            "<think>- Done\n</think><HANDOFF>\nNext:\n• water\nit\nplain\n\nalone\n## Weather\n- rain\n",
            "next_steps: water it plain\nnext_steps: alone\n",
        );
        check(
            "## Summary\nOne. Two.\n## In progress\n+ x",
            "in_flight: x\nsummary: One. Two.\n",
        );
        check(
            "<summary>Never closed <handoff>\n## Done\n- a\n## Done\n- b",
            "done: a\ndone: b\nsummary: Never closed\n",
        );
    }

    #[test]
    fn what_is_too_long_is_cut_and_counted_by_sentences() {
        let summary: String = (1..=20)
            .map(|n| format!("Sentence {n} of v1.2. "))
            .collect();
        let bullets = "- x\n".repeat(30);
        let answer = read(&format!("<summary>{summary}</summary>\n## Done\n{bullets}")).unwrap();
        assert!(answer.summary.unwrap().ends_with("Sentence 15 of v1.2."));
        assert_eq!(answer.sections[0].1.len(), ITEMS_MAX);
    }

    #[test]
    fn what_is_no_card_is_told() {
        fails(" \n", "gave an empty answer");
        fails("All good!", "gave no sections of a card");
        fails(
            "## Done\n- none\n## Traps\n",
            "gave a card that says nothing",
        );
        fails(
            "I'm sorry, but I can't do that.",
            "refused: I'm sorry, but I can't do that.",
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_read(text in "(?s)(.|\n|# Done\n|<summary>|</handoff>|- |```){0,60}") {
            if let Ok(answer) = read(&text) {
                prop_assert!(answer.sections.iter().all(|(_, items)| items.len() <= ITEMS_MAX));
                prop_assert!(answer.sections.iter().flat_map(|(_, items)| items).all(|item| item.len() <= ITEM_BYTES_MAX));
            }
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            read(&String::from_utf8_lossy(&bytes)).ok();
        }
    }
}
