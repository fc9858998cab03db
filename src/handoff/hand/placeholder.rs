//! What was left to be filled in.

/// Words that stand for something still to be written, as people type them; a code span may hold them.
const WORDS: [&str; 5] = ["TODO", "TBD", "FIXME", "XXX", "TBC"];
/// Phrases that do, whatever their case.
const PHRASES: [&str; 8] = [
    "fill in",
    "fill this in",
    "to be filled in",
    "to be determined",
    "to be done later",
    "your text here",
    "insert here",
    "lorem ipsum",
];
/// A person may well ask to fill in something; the phrase counts where it is all that there is, up to so many bytes more.
const PHRASE_BESIDE_BYTES_MAX: usize = 12;

/// The placeholder in one line without its bullet; none where it says something.
pub(super) fn find(line: &str) -> Option<String> {
    let prose = without_code(line);
    let bare = prose.trim_matches(|c: char| !c.is_alphanumeric());
    if bare.is_empty() && !line.contains('`') {
        return Some(line.trim().to_owned());
    }
    let is_word = |word: &&str| WORDS.contains(word) || (*word == bare && is_small_word(word));
    if let Some(word) = words(&prose).find(is_word) {
        return Some(word.to_owned());
    }
    if let Some(span) = angled(&prose) {
        return Some(span.to_owned());
    }
    let small = prose.to_lowercase();
    let found = PHRASES.iter().find(|phrase| {
        small.contains(**phrase)
            && (bare.len() <= phrase.len() + PHRASE_BESIDE_BYTES_MAX
                || ["(", "["]
                    .iter()
                    .any(|open| small.contains(&format!("{open}{phrase}"))))
    });
    found.map(|phrase| (*phrase).to_owned())
}

fn is_small_word(word: &str) -> bool {
    WORDS.iter().any(|one| one.eq_ignore_ascii_case(word))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
        .filter(|word| !word.is_empty())
}

/// `<path>` or `<what comes here>`; not `Vec<u8>`, a link, an address, or an arrow.
fn angled(text: &str) -> Option<&str> {
    text.match_indices('<').find_map(|(at, _)| {
        let free = text[..at]
            .chars()
            .next_back()
            .is_none_or(|c| !c.is_alphanumeric());
        let end = text[at..].find('>')? + at + 1;
        let inside = &text[at + 1..end - 1];
        let named = inside.starts_with(|c: char| c.is_alphabetic())
            && !inside.contains([':', '@', '<', '=', '/']);
        (free && named).then(|| &text[at..end])
    })
}

/// The line with the contents of its code spans gone.
fn without_code(line: &str) -> String {
    if !line.matches('`').count().is_multiple_of(2) {
        return line.to_owned();
    }
    line.split('`').step_by(2).collect::<Vec<_>>().join("``")
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn what_is_left_to_be_filled_in_is_told_from_what_speaks_of_it() {
        for (line, expect) in [
            ("TODO", Some("TODO")),
            ("todo", Some("todo")),
            ("the tests (TBD)", Some("TBD")),
            ("FIXME: say how", Some("FIXME")),
            ("read <path> first", Some("<path>")),
            ("<what the person wants>", Some("<what the person wants>")),
            ("fill in later", Some("fill in")),
            (
                "the goal [fill in what they asked for last]",
                Some("fill in"),
            ),
            ("...", Some("...")),
            ("…", Some("…")),
            ("the parser's `TODO` in `src/a.rs` is gone", None),
            ("returns Vec<u8>, see <https://example.com>", None),
            ("a < b and c > d", None),
            (
                "the form lets a person fill in their address and their name",
                None,
            ),
            ("todo list of the app sorts by date", None),
            ("`<path>` is what usage says", None),
            ("`...`", None),
        ] {
            assert_eq!(find(line).as_deref(), expect, "{line}");
        }
    }
}
