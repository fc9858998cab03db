//! Other tools' headings as those of a card.

use crate::handoff::claim::Section;

/// Where the lines under a heading belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Section(Section),
    Decisions,
}

/// A heading with one of these words goes there; the first that fits.
const WORDS: [(&str, Target); 26] = [
    ("decision", Target::Decisions),
    ("next", Target::Section(Section::NextSteps)),
    ("pending", Target::Section(Section::NextSteps)),
    ("remaining", Target::Section(Section::NextSteps)),
    ("to do", Target::Section(Section::NextSteps)),
    ("todo", Target::Section(Section::NextSteps)),
    ("goal", Target::Section(Section::Goal)),
    ("task", Target::Section(Section::Goal)),
    ("objective", Target::Section(Section::Goal)),
    ("files", Target::Section(Section::ReadFirst)),
    ("read first", Target::Section(Section::ReadFirst)),
    ("error", Target::Section(Section::Done)),
    ("in flight", Target::Section(Section::InFlight)),
    ("in progress", Target::Section(Section::InFlight)),
    ("only the user", Target::Section(Section::OnlyUser)),
    ("question", Target::Section(Section::OnlyUser)),
    ("blocke", Target::Section(Section::OnlyUser)),
    ("status", Target::Section(Section::Done)),
    ("state", Target::Section(Section::Done)),
    ("done", Target::Section(Section::Done)),
    ("completed", Target::Section(Section::Done)),
    ("context", Target::Section(Section::Traps)),
    ("trap", Target::Section(Section::Traps)),
    ("gotcha", Target::Section(Section::Traps)),
    ("note", Target::Section(Section::Traps)),
    ("important", Target::Section(Section::Traps)),
];

/// The text as a card, and what belongs to none of its sections. Lines above the first heading are told elsewhere.
pub(super) fn as_card(text: &str) -> (String, String) {
    let (mut card, mut rest) = (String::new(), String::new());
    let mut target = None;
    let (mut fenced, mut begun, mut below_label) = (false, false, false);
    for line in text.lines() {
        let bare = line.trim();
        fenced ^= bare.starts_with("```");
        if let Some((level, title)) = heading(bare).filter(|_| !fenced) {
            begun |= level > 1;
            // A title names the file, not what is under it.
            let found = target_of(title).filter(|_| level > 1);
            // A heading within a section only parts it, unless it says more.
            if level <= 2 || found.is_some() {
                (target, below_label) = (found, false);
                match target {
                    Some(target) => card += &format!("## {}\n", title_of(target)),
                    None if level > 1 => rest += &format!("## {title}\n"),
                    None => {}
                }
                continue;
            }
        } else if let Some((title, behind)) = label(bare).filter(|_| !fenced && begun)
            && let Some(found) = target_of(title)
        {
            (target, below_label) = (Some(found), true);
            card += &format!("## {}\n", title_of(found));
            if !behind.is_empty() {
                card += &format!("- {behind}\n");
            }
            continue;
        }
        // What hangs from a bullet that has become a heading hangs from nothing.
        let hung = line.strip_prefix("  ").filter(|_| below_label);
        let line = hung.unwrap_or(line).trim_start_matches('#');
        if target.is_some() {
            card += &format!("{line}\n");
        } else if begun {
            rest += &format!("{line}\n");
        }
    }
    (card, rest)
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(' ')).then(|| (level, title.trim()))
}

/// `**Remaining:** text`: a heading that stands in its line.
fn label(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches(['-', '*', ' ', '_']);
    let (title, behind) = line.split_once(':')?;
    let title = title.trim_end_matches(['*', '_', ' ']);
    let is_remaining =
        title.eq_ignore_ascii_case("remaining") || title.eq_ignore_ascii_case("next steps");
    is_remaining.then(|| (title, behind.trim_matches(['*', '_', ' '])))
}

fn target_of(title: &str) -> Option<Target> {
    let small = title.to_lowercase();
    let found = WORDS.iter().find(|(word, _)| small.contains(word));
    found.map(|(_, target)| *target)
}

fn title_of(target: Target) -> &'static str {
    match target {
        Target::Section(section) => section.title(),
        Target::Decisions => "Decisions",
    }
}
