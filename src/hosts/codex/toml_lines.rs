//! The lines of a TOML file that set one plain value, as programs write them.
//!
//! No whole TOML: of arrays, inline tables and texts over several lines only the key is told. A library for the rest
//! would weigh more than the three keys that we look at.

/// A line that sets something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The key with the tables that it is in.
    pub(super) path: Vec<String>,
    /// A text, or a bare word such as `true`; none for any other value.
    pub(super) value: Option<String>,
}

/// The lines that set something.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut table = Vec::new();
    let mut lines = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            // A header that we do not read is a table that we do not know; its lines are nobody's.
            table = match keys(header.trim_start_matches('[')) {
                Some((keys, rest)) if rest.starts_with(']') => keys,
                _ => vec![String::new()],
            };
        } else if let Some((keys, rest)) = keys(line)
            && let Some(value) = rest.strip_prefix('=')
        {
            let path = [table.as_slice(), &keys].concat();
            let value = plain_value(value.trim());
            lines.push(Line { path, value });
        }
    }
    lines
}

/// A dotted key at the beginning of `text`, and what stands behind it.
fn keys(text: &str) -> Option<(Vec<String>, &str)> {
    let mut keys = Vec::new();
    let mut rest = text;
    loop {
        let (key, behind) = key(rest.trim_start())?;
        keys.push(key);
        let behind = behind.trim_start();
        match behind.strip_prefix('.') {
            Some(next) => rest = next,
            None => return Some((keys, behind)),
        }
    }
}

fn key(text: &str) -> Option<(String, &str)> {
    if text.starts_with(['"', '\'']) {
        return quoted(text);
    }
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))
        .unwrap_or(text.len());
    (end > 0).then(|| (text[..end].to_owned(), &text[end..]))
}

/// A text in quotes at the beginning of `text`, and what stands behind it.
fn quoted(text: &str) -> Option<(String, &str)> {
    if let Some(inner) = text.strip_prefix('\'') {
        let (word, behind) = inner.split_once('\'')?;
        return Some((word.to_owned(), behind));
    }
    let mut escaped = false;
    let end = text.char_indices().skip(1).find_map(|(at, c)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends.then_some(at)
    })?;
    // A TOML text on one line is a JSON text, but for two escapes that no path and no hash has.
    let word = serde_json::from_str(&text[..=end]).ok()?;
    Some((word, &text[end + 1..]))
}

fn plain_value(text: &str) -> Option<String> {
    if text.starts_with("\"\"\"") || text.starts_with("'''") {
        return None;
    }
    if text.starts_with(['"', '\'']) {
        return quoted(text).map(|(word, _)| word);
    }
    let word = text.split('#').next().unwrap_or_default().trim();
    let is_plain = !word.is_empty() && !word.starts_with(['{', '[']);
    is_plain.then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expect: &[(&[&str], Option<&str>)]) {
        let found = lines(text);
        let found: Vec<(Vec<&str>, Option<&str>)> = found
            .iter()
            .map(|line| {
                let path = line.path.iter().map(String::as_str).collect();
                (path, line.value.as_deref())
            })
            .collect();
        let expect: Vec<_> = expect
            .iter()
            .map(|(path, value)| (path.to_vec(), *value))
            .collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn plain_values_are_read_with_their_tables() {
        check(
            "a = 1 # one\n\n[t]\nb = true\n",
            &[(&["a"], Some("1")), (&["t", "b"], Some("true"))],
        );
        check(
            "[ t . \"a.b\" ]\n'c d'.e = 'x \"y'\n",
            &[(&["t", "a.b", "c d", "e"], Some("x \"y"))],
        );
        check(
            "a = \"\\\"q\\\" \\u00e9\" # c",
            &[(&["a"], Some("\"q\" é"))],
        );
        check("[[t]]\na = 1", &[(&["t", "a"], Some("1"))]);
    }

    #[test]
    fn of_any_other_value_the_key_is_told() {
        check(
            "a = { b = 1 }\nc = [\n  1,\n]\nd = \"\"\"\n",
            &[(&["a"], None), (&["c"], None), (&["d"], None)],
        );
        check("# a = 1\n = 2\na 1\n\"a = 1", &[]);
        check("[t\na = 1", &[(&["", "a"], Some("1"))]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_read(text in "([\\[\\]\"'\\\\=.#a-c \n]|\\PC){0,60}") {
            prop_assert!(lines(&text).len() <= text.lines().count());
        }
    }
}
