//! Gathers the values that must not be stored, from the environment and from `.env` files.

use std::path::Path;

use crate::handoff::redact::{Redactor, telling};

/// Files of a work tree's root whose values may be secret.
const ENV_FILES: [&str; 6] = [
    ".env",
    ".env.local",
    ".env.development",
    ".env.production",
    ".env.test",
    ".envrc",
];
/// A larger one is no list of variables.
const ENV_FILE_BYTES_MAX: u64 = 64 * 1024;
/// A shorter value would take ordinary words out of every text.
const VALUE_CHARS_MIN: usize = 8;

/// A redactor that knows the values of telling variables in the environment and in `.env` files of `root`, and the
/// person's own `segue.redact`.
pub(crate) fn redactor(
    variables: &[(String, String)],
    root: Option<&Path>,
    own: &[String],
) -> Redactor {
    let mut values: Vec<String> = own
        .iter()
        .filter(|value| !value.is_empty())
        .cloned()
        .collect();
    let mut take = |name: &str, value: &str| {
        let long = value.chars().count() >= VALUE_CHARS_MIN;
        if long
            && telling(name).is_some()
            && !value.contains('/')
            && !values.iter().any(|one| one == value)
        {
            values.push(value.to_owned());
        }
    };
    for (name, value) in variables {
        take(name, value);
    }
    for file in root
        .iter()
        .flat_map(|root| ENV_FILES.map(|name| root.join(name)))
    {
        if std::fs::metadata(&file)
            .is_ok_and(|meta| meta.is_file() && meta.len() <= ENV_FILE_BYTES_MAX)
        {
            let text = std::fs::read(&file).unwrap_or_default();
            for (name, value) in String::from_utf8_lossy(&text)
                .lines()
                .filter_map(assignment)
            {
                take(name, value);
            }
        }
    }
    Redactor::new(values)
}

/// `NAME=value`, with `export` in front and quotes around the value where there are any.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let value = value.trim();
    let quoted = ['"', '\'']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.split(*quote).next());
    Some((name.trim(), quoted.unwrap_or(value)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn values_of_telling_names_are_taken_out_wherever_they_come_from() {
        let dir = tempfile::tempdir().unwrap();
        let file =
            "export DB_PASSWORD=\"correct-horse-9\"\nNAME=a-plain-name\n# API_KEY=commented-out\n";
        crate::files::replace(&dir.path().join(".env"), file.as_bytes()).unwrap();
        let variables = [
            ("MY_TOKEN".to_owned(), "zq81-kkd0-aa".to_owned()),
            ("EDITOR".to_owned(), "vim-the-editor".to_owned()),
            ("SHORT_TOKEN".to_owned(), "true".to_owned()),
        ];
        let redactor = redactor(
            &variables,
            Some(dir.path()),
            &["Project Nightjar".to_owned()],
        );
        let text = "a correct-horse-9 b zq81-kkd0-aa c Project Nightjar d vim-the-editor e a-plain-name f true";
        let mut counts = BTreeMap::new();
        let clean = redactor.clean(text, &mut counts);
        for secret in ["correct-horse-9", "zq81-kkd0-aa", "Nightjar"] {
            assert!(!clean.contains(secret), "{clean}");
        }
        assert!(
            clean.ends_with(" d vim-the-editor e a-plain-name f true"),
            "{clean}"
        );
        assert_eq!(counts.values().sum::<u32>(), 3);
    }
}
