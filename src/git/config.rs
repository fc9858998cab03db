//! Git's configuration, with what `git -c` says: git hands that on in `GIT_CONFIG_PARAMETERS`, which gix does not read.

use std::collections::{BTreeSet, HashMap};

use gix::config::Source;

use crate::error::Failure;

/// Extensions of the repository format that gix 0.90 reads and writes as git does; with any other git's files could
/// mean something else.
const EXTENSIONS_KNOWN: [&str; 8] = [
    "noop",
    "noop-v1",
    "objectformat",
    "partialclone",
    "preciousobjects",
    "refstorage",
    "relativeworktrees",
    "worktreeconfig",
];

/// What `git -c` said, in order: key and value, an absent value being `true`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Parameters {
    pairs: Vec<(String, String)>,
}

impl Parameters {
    /// Un-quotes `GIT_CONFIG_PARAMETERS`: words `'key=value'` (git before 2.31) or `'key'='value'`. Total: reading ends
    /// where the text is not of that form.
    pub(super) fn parse(text: &str) -> Self {
        let mut pairs = Vec::new();
        let mut rest = text.trim_start();
        while let Some((first, after)) = unquote(rest) {
            let (key, value, after) = match after.strip_prefix('=') {
                Some(after) => match unquote(after) {
                    Some((value, after)) => (first, value, after),
                    None => (first, "true".to_owned(), after),
                },
                None => match first.split_once('=') {
                    Some((key, value)) => (key.to_owned(), value.to_owned(), after),
                    None => (first, "true".to_owned(), after),
                },
            };
            pairs.push((normal(&key), value));
            rest = after.trim_start();
        }
        Self { pairs }
    }

    /// Whether anything in a section (lower case) was said.
    pub(super) fn has_section(&self, name: &str) -> bool {
        let mut keys = self.pairs.iter().map(|(key, _)| key.split('.').next());
        keys.any(|section| section == Some(name))
    }

    /// The values of a key, in order.
    pub(super) fn values(&self, key: &str) -> impl DoubleEndedIterator<Item = &str> {
        let key = normal(key);
        self.pairs
            .iter()
            .filter(move |(name, _)| *name == key)
            .map(|(_, value)| value.as_str())
    }
}

/// One word in single quotes, in which `'\''` is a quote and `'\!'` an exclamation mark, and what stands behind it.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('\'')?;
    let mut word = String::new();
    loop {
        let (part, after) = rest.split_once('\'')?;
        word.push_str(part);
        let escaped = after
            .strip_prefix('\\')
            .and_then(|after| after.split_once('\''))
            .filter(|(mark, _)| matches!(*mark, "!"));
        if let Some(after) = after.strip_prefix("\\''") {
            word.push('\'');
            rest = after;
        } else if let Some((mark, after)) = escaped {
            word.push_str(mark);
            rest = after;
        } else {
            return Some((word, after));
        }
    }
}

/// A key with section and name in lower case; a subsection is kept as it is.
fn normal(key: &str) -> String {
    match (key.find('.'), key.rfind('.')) {
        (Some(first), Some(last)) => format!(
            "{}{}{}",
            key[..first].to_ascii_lowercase(),
            &key[first..last],
            key[last..].to_ascii_lowercase()
        ),
        _ => key.to_ascii_lowercase(),
    }
}

/// Whether a repository's refs are in the files that gix knows. An error for a format that gix would misread without
/// saying so.
pub(super) fn refs_are_files(repo: &gix::Repository) -> anyhow::Result<bool> {
    let config = repo.config_snapshot();
    let version = config.integer("core.repositoryformatversion").unwrap_or(0);
    if version == 0 {
        return Ok(true);
    }
    let names = config
        .plumbing()
        .sections_by_name("extensions")
        .into_iter()
        .flatten()
        .flat_map(|section| section.value_names().collect::<Vec<_>>());
    for name in names.map(|name| name.to_ascii_lowercase()) {
        if !EXTENSIONS_KNOWN.contains(&name.as_str()) {
            return Err(Failure::fatal(format!(
                "cannot use `{}`: it has the unknown extension `{name}`",
                repo.git_dir().display()
            ))
            .hint("update git-segue")
            .into());
        }
    }
    let storage = config.string("extensions.refStorage");
    match storage.as_ref().map(|name| name.to_string()).as_deref() {
        None | Some("files") => Ok(true),
        Some("reftable") => Ok(false),
        Some(other) => Err(Failure::fatal(format!(
            "cannot use `{}`: its refs are stored as `{other}`",
            repo.git_dir().display()
        ))
        .hint("update git-segue")
        .into()),
    }
}

/// Every value of a key in the configuration that gix read, in order; an absent value is `true`.
pub(super) fn values(repo: &gix::Repository, key: &str) -> Vec<String> {
    let config = repo.config_snapshot();
    match config.plumbing().strings(key) {
        Some(values) => values.iter().map(|value| value.to_string()).collect(),
        // gix 0.90 has no string for a key without a value (`[segue] x`), which git reads as true.
        None if config.boolean(key) == Some(true) => vec!["true".to_owned()],
        None => Vec::new(),
    }
}

/// What a section holds: every key in lower case with its values, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Section {
    values: HashMap<String, Vec<String>>,
}

impl Section {
    /// The last value of a key.
    pub(crate) fn last(&self, key: &str) -> Option<&str> {
        self.all(key).last().map(String::as_str)
    }

    /// Every value of a key, in order.
    pub(crate) fn all(&self, key: &str) -> &[String] {
        let values = self.values.get(&key.to_ascii_lowercase());
        values.map_or(&[], Vec::as_slice)
    }

    /// The section as the configuration has it, then as `git -c` does. Without `local`, what the repository's own file
    /// says is passed over.
    pub(super) fn read(repo: &gix::Repository, said: &Parameters, name: &str, local: bool) -> Self {
        let mut section = Self::default();
        let mut add = |key: &str, value: &str| {
            let values = section.values.entry(key.to_owned()).or_default();
            values.push(value.to_owned());
        };
        for (source, key, value) in written_in(repo, name) {
            if local || !matches!(source, Source::Local | Source::Worktree) {
                add(&key, &value);
            }
        }
        for (key, value) in &said.pairs {
            if let Some(key) = key.strip_prefix(name).and_then(|key| key.strip_prefix('.')) {
                add(key, value);
            }
        }
        section
    }
}

/// A value as it stands in a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    /// The key without its section, in lower case.
    pub(crate) key: String,
    /// The value.
    pub(crate) value: String,
    /// What `git config` takes to change it there.
    pub(crate) flag: &'static str,
}

/// Every value that the files hold in a section.
pub(super) fn in_files(repo: &gix::Repository, name: &str) -> Vec<Written> {
    let flagged = |(source, key, value)| {
        let flag = match source {
            Source::GitInstallation | Source::System => " --system",
            Source::Git | Source::User => " --global",
            Source::Worktree => " --worktree",
            Source::Local => "",
            _ => return None,
        };
        Some(Written { key, value, flag })
    };
    let written = written_in(repo, name).into_iter();
    written.filter_map(flagged).collect()
}

/// Every value in a section of the configuration that gix read, with its key in lower case behind the subsection, and
/// where it comes from; an absent value is `true`.
fn written_in(repo: &gix::Repository, name: &str) -> Vec<(Source, String, String)> {
    let config = repo.config_snapshot();
    let sections = config.plumbing().sections_by_name(name);
    let mut written = Vec::new();
    for section in sections.into_iter().flatten() {
        let below = section.header().subsection_name();
        let below = below.map_or_else(String::new, |name| format!("{name}."));
        let names = section.value_names().map(|name| name.to_ascii_lowercase());
        for key in names.collect::<BTreeSet<_>>() {
            let values = section.values(&key);
            let mut values: Vec<_> = values.iter().map(|value| value.to_string()).collect();
            if values.is_empty() {
                values.push("true".to_owned());
            }
            let entry = |value| (section.meta().source, format!("{below}{key}"), value);
            written.extend(values.into_iter().map(entry));
        }
    }
    written
}

/// The last value of a key, as text.
fn value(repo: &gix::Repository, key: &str) -> Option<String> {
    values(repo, key).pop()
}

/// The name and address of the person, from `committer.*`, else `user.*`.
pub(super) fn identity(repo: &gix::Repository) -> (Option<String>, Option<String>) {
    let find = |name: &str| {
        ["committer", "user"]
            .iter()
            .find_map(|section| value(repo, &format!("{section}.{name}")))
            .filter(|text| !text.trim().is_empty())
    };
    (find("name"), find("email"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[(&str, &str)]) {
        let pairs = Parameters::parse(text).pairs;
        let expect: Vec<_> = expect
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(pairs, expect, "{text}");
    }

    #[test]
    fn both_quotings_of_git_are_read() {
        check("", &[]);
        check("'segue.model'='haiku'", &[("segue.model", "haiku")]);
        check("'segue.model=haiku'", &[("segue.model", "haiku")]);
        check(
            "'segue.saveInterval'='0' 'Segue.Claude-Code.Enabled'='false'",
            &[
                ("segue.saveinterval", "0"),
                ("segue.Claude-Code.enabled", "false"),
            ],
        );
        check("'segue.redact'='it'\\''s=x'", &[("segue.redact", "it's=x")]);
        check("'segue.x'='a'\\!'b'", &[("segue.x", "a!b")]);
        check("'segue.x'", &[("segue.x", "true")]);
        check("'segue.x'=", &[("segue.x", "true")]);
        check("'a.b'='c' broken", &[("a.b", "c")]);
        check("'a.b'='unended", &[("a.b", "true")]);
    }

    #[test]
    fn the_key_is_found_whatever_its_case_and_the_last_value_wins() {
        let said = Parameters::parse("'segue.x'='1' 'SEGUE.X'='2' 'segue.y'='3'");
        assert_eq!(said.values("Segue.X").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(said.values("segue.x").next_back(), Some("2"));
        assert_eq!(said.values("segue.z").next(), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_to_an_end(text in ".*") {
            Parameters::parse(&text);
        }

        #[test]
        fn what_git_quotes_is_read_back(value in "[^\0]*") {
            let quoted = value.replace('\'', "'\\''").replace('!', "'\\!'");
            let said = Parameters::parse(&format!("'segue.x'='{quoted}'"));
            proptest::prop_assert_eq!(said.values("segue.x").collect::<Vec<_>>(), [value.as_str()]);
        }
    }
}
