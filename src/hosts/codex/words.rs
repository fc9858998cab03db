//! One word of a shell's command line.

use crate::handoff::command_line::quoted;

/// The word that [`quoted`] gave; `None` for anything that it cannot have given.
pub(super) fn unquoted(text: &str) -> Option<String> {
    let inner = text
        .strip_prefix('\'')
        .and_then(|text| text.strip_suffix('\''));
    let word = inner.map_or_else(|| text.to_owned(), |inner| inner.replace(r"'\''", "'"));
    (quoted(&word) == text).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_a_shell_would_take_apart_is_quoted() {
        let check = |word: &str, expect: &str| {
            assert_eq!(quoted(word), expect);
            assert_eq!(unquoted(expect).as_deref(), Some(word));
        };
        check("/opt/bin/git-segue", "/opt/bin/git-segue");
        check("/home/a b/git-segue", "'/home/a b/git-segue'");
        check("it's", r"'it'\''s'");
        check("$HOME", "'$HOME'");
        check("", "''");
    }

    #[test]
    fn what_a_person_quoted_otherwise_is_not_ours() {
        for text in ["\"/a b/c\"", "a b", "'a", "'a'b'", "'plain'"] {
            assert_eq!(unquoted(text), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_word_comes_back(word in ".*") {
            let written = quoted(&word);
            prop_assert_eq!(unquoted(&written), Some(word.clone()));
        }
    }
}
