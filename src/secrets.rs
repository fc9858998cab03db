//! Gathers the values that must not be stored, from the environment and from `.env` files.

use std::path::Path;

use memchr::memmem;

use crate::git::Repo;
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

/// A longer value is no word, in bytes.
const WORD_BYTES_MAX: usize = 16;
/// No word has more consonants in a row.
const CONSONANTS_MAX: usize = 4;
/// Variables with such an ending name somebody or something: what equals their value is no secret.
const NAMING: [&str; 7] = [
    "user", "username", "logname", "host", "hostname", "database", "db",
];

/// A redactor that knows the values of telling variables in the environment and in `.env` files of `repo`'s work tree, and
/// the person's own `segue.redact`. A value that is a plain word, or part of a tracked path, is no secret that could be
/// kept: taking it out would take the words out of every text.
pub(crate) fn redactor(
    variables: &[(String, String)],
    repo: Option<&Repo>,
    own: &[String],
) -> Redactor {
    let mut values = told(variables, repo.and_then(Repo::workdir));
    if let Some(repo) = repo.filter(|_| !values.is_empty())
        && let Ok(index) = repo.without_refs().index_or_empty()
    {
        let paths = index.path_backing();
        values.retain(|value| memmem::find(paths, value.as_bytes()).is_none());
    }
    values.extend(own.iter().filter(|value| !value.is_empty()).cloned());
    Redactor::new(values)
}

/// The values of telling variables that may be secret, each once.
fn told(variables: &[(String, String)], root: Option<&Path>) -> Vec<String> {
    let mut all: Vec<(String, String)> = variables.to_vec();
    for file in root
        .iter()
        .flat_map(|root| ENV_FILES.map(|name| root.join(name)))
    {
        if std::fs::metadata(&file)
            .is_ok_and(|meta| meta.is_file() && meta.len() <= ENV_FILE_BYTES_MAX)
        {
            let text = std::fs::read(&file).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let assigned = text.lines().filter_map(assignment);
            all.extend(assigned.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
    }
    let names: Vec<&str> = all
        .iter()
        .filter(|(name, _)| is_naming(name))
        .map(|(_, value)| value.as_str())
        .collect();
    let mut values: Vec<String> = Vec::new();
    for (name, value) in &all {
        if value.chars().count() >= VALUE_CHARS_MIN
            && telling(name).is_some()
            && !value.contains('/')
            && !is_word(value)
            && !names.contains(&value.as_str())
            && !values.contains(value)
        {
            values.push(value.clone());
        }
    }
    values
}

/// Whether a variable's name says that its value names somebody or something: `PGUSER`, `DB_HOST`.
fn is_naming(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NAMING.iter().any(|end| name.ends_with(end))
}

/// Whether a value is one plain word that can be spoken: `postgres`, `changeme`, `Development`.
fn is_word(value: &str) -> bool {
    let small = value.get(1..).unwrap_or_default();
    let letters = value.bytes().all(|b| b.is_ascii_alphabetic())
        && small.bytes().all(|b| b.is_ascii_lowercase());
    let is_vowel = |b: u8| b"aeiouy".contains(&b.to_ascii_lowercase());
    let consonants = value.as_bytes().split(|&b| is_vowel(b));
    letters
        && value.len() <= WORD_BYTES_MAX
        && value.bytes().any(is_vowel)
        && consonants.map(<[u8]>::len).all(|run| run <= CONSONANTS_MAX)
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
        let mut values = told(&variables, Some(dir.path()));
        values.push("Project Nightjar".to_owned());
        let redactor = Redactor::new(values);
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

    #[test]
    fn plain_words_and_names_are_no_secrets() {
        let check = |name: &str, value: &str, secret: bool| {
            let variables = [
                ("PGUSER".to_owned(), "shop-owner-1".to_owned()),
                (name.to_owned(), value.to_owned()),
            ];
            assert_eq!(told(&variables, None).len(), usize::from(secret), "{value}");
        };
        for word in [
            "postgres",
            "password",
            "changeme",
            "localhost",
            "Development",
        ] {
            check("DB_PASSWORD", word, false);
        }
        check("DB_PASSWORD", "shop-owner-1", false);
        for secret in [
            "Sup3rS3cretPw",
            "zqkdvwprtx",
            "hunter2hunter2",
            "PassWord",
            "correct-horse",
            "correcthorsebatterystaple",
        ] {
            check("DB_PASSWORD", secret, true);
        }
    }

    #[test]
    fn a_value_that_is_part_of_a_tracked_path_is_no_secret() {
        let sandbox = crate::git::sandbox::Sandbox::unborn(&[]);
        sandbox.write("deploy/staging-9.yml", "a");
        sandbox.commit("first");
        let variables =
            ["staging-9", "staging-8"].map(|value| ("API_KEY".to_owned(), value.to_owned()));
        let redactor = redactor(&variables, Some(&sandbox.repo()), &[]);
        let clean = redactor.clean("see deploy/staging-9.yml, staging-8", &mut BTreeMap::new());
        assert_eq!(clean, "see deploy/staging-9.yml, [redacted:literal]");
    }
}
