//! Whether an answer is written in letters that the conversation does not have.

/// An answer is foreign where more than this much of its letters are of scripts that the conversation hardly has, in percent.
const FOREIGN_PERCENT: usize = 40;
/// A conversation has a script with this many letters of it.
const KNOWN_LETTERS_MIN: usize = 20;

/// Scripts beside Latin, by ranges of letters.
const SCRIPTS: [&[(char, char)]; 8] = [
    &[('\u{0370}', '\u{03ff}')],
    &[('\u{0400}', '\u{052f}')],
    &[('\u{0590}', '\u{05ff}')],
    &[('\u{0600}', '\u{06ff}')],
    &[('\u{0900}', '\u{097f}')],
    &[('\u{0e00}', '\u{0e7f}')],
    &[('\u{3040}', '\u{30ff}'), ('\u{4e00}', '\u{9fff}')],
    &[('\u{ac00}', '\u{d7a3}')],
];

/// Whether an answer is mostly in scripts that `conversation` does not have. Latin is everybody's: headings, paths and
/// commands are in it.
pub(super) fn is_foreign(answer: &str, conversation: &str) -> bool {
    let letters = answer.chars().filter(|c| c.is_alphabetic()).count();
    let foreign: usize = SCRIPTS
        .iter()
        .filter(|script| count(conversation, script, KNOWN_LETTERS_MIN) < KNOWN_LETTERS_MIN)
        .map(|script| count(answer, script, usize::MAX))
        .sum();
    foreign * 100 > letters * FOREIGN_PERCENT
}

fn count(text: &str, script: &[(char, char)], most: usize) -> usize {
    text.chars()
        .filter(|c| script.iter().any(|(from, to)| (from..=to).contains(&c)))
        .take(most)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_letters_that_nobody_wrote_is_foreign() {
        let check = |answer: &str, conversation: &str, expect: bool| {
            assert_eq!(is_foreign(answer, conversation), expect, "{answer}");
        };
        let russian = "посади второе дерево и не трогай забор";
        check("## Done\n- a tree in `src/tree.rs`", russian, false);
        check(russian, "plant a second tree", true);
        check(russian, russian, false);
        check(
            "## Done\n- `src/parse.rs` parses 木 now",
            "parse trees",
            false,
        );
        check("", "", false);
    }
}
