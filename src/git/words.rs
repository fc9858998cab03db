//! A configured command line, taken apart without a shell.

/// Splits a command line into words as a shell does, with quotes and backslashes but nothing else: no variables, no
/// globs. None for an unended quote.
pub(crate) fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '\\' => match chars.next()? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: Option<&[&str]>) {
        let words = split(line);
        let words: Option<Vec<&str>> = words
            .as_ref()
            .map(|words| words.iter().map(String::as_str).collect());
        assert_eq!(words.as_deref(), expect, "{line}");
    }

    #[test]
    fn a_command_line_is_split_like_a_shells_but_nothing_is_expanded() {
        check("", Some(&[]));
        check("  make  census ", Some(&["make", "census"]));
        check("a 'b c' \"d e\"", Some(&["a", "b c", "d e"]));
        check("a\\ b '' x'y'\"z\"", Some(&["a b", "", "xyz"]));
        check("\"a\\\"b\\n\" '\\'", Some(&["a\"b\\n", "\\"]));
        check("$HOME *.rs | cat", Some(&["$HOME", "*.rs", "|", "cat"]));
        check("'open", None);
        check("\"open", None);
        check("end\\", None);
    }
}
