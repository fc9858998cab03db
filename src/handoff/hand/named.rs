//! Paths and commits that a line names. A word that only may be a path counts as one where it is there; a word that can be
//! nothing else must be.

/// Something that a line names and a repository can look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named<'t> {
    /// A file or folder, as it was written; a line of it, from 1.
    Path {
        /// Without the line.
        path: &'t str,
        /// Behind a colon or `#L`.
        line: Option<u32>,
    },
    /// A commit's id, in hex.
    Commit(&'t str),
}

/// Whether it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It is: the path from the root of the work tree, or the full id.
    Here(String),
    /// It is not, and how one says so.
    Missing(String),
    /// There is nowhere to look, or more than one answer.
    Unknown,
}

/// A name, and whether it can be nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate<'t> {
    pub(super) named: Named<'t>,
    pub(super) sure: bool,
}

/// An abbreviated commit id has at least so many hex digits.
const ID_DIGITS_MIN: usize = 7;
/// The longest id: SHA-256.
const ID_DIGITS_MAX: usize = 64;
/// The longest ending behind a dot that may be a file's, in characters.
const ENDING_CHARS_MAX: usize = 8;
/// Endings of files: a name without a folder is a path only with one of these. Not here: what program text puts behind a
/// dot, as in `process.env` or `console.log`.
const ENDINGS: &[&str] = &[
    "adoc", "bash", "bat", "c", "cc", "cfg", "cjs", "clj", "cmake", "conf", "cpp", "cs", "css",
    "csv", "cxx", "dart", "diff", "erl", "ex", "exs", "fish", "gif", "go", "gradle", "graphql",
    "h", "hh", "hpp", "hs", "htm", "html", "ico", "ini", "ipynb", "java", "jl", "jpg", "js",
    "json", "jsonl", "jsx", "kt", "kts", "lock", "lua", "md", "mdx", "mjs", "mli", "nim", "nix",
    "patch", "pdf", "php", "pl", "png", "proto", "ps1", "py", "pyi", "rb", "rs", "rst", "sass",
    "scala", "scss", "sh", "sql", "svelte", "svg", "swift", "tex", "tf", "toml", "ts", "tsv",
    "tsx", "txt", "vue", "wasm", "xml", "yaml", "yml", "zig", "zsh",
];
/// Characters that no path on a card has: patterns, calls, ranges of a shell.
const NEVER: &[char] = &[
    '*', '?', '$', '<', '>', '|', '&', ';', '=', '(', ')', '{', '}', '[', ']', '!', '"', '\'', '`',
    '#', ',', '\\',
];
/// What stands around a word and is no part of it.
const AROUND: &[char] = &[
    '(', ')', '[', ']', '{', '}', '"', '“', '”', '\'', '‘', '’', ',', ';', ':', '!', '?', '*', '—',
    '<', '>',
];

/// The names in one line, in order. `look` is asked where a word may be a path: whether its first folder is there.
pub(super) fn find<'t>(line: &'t str, is_there: impl Fn(&str) -> bool) -> Vec<Candidate<'t>> {
    let mut found = Vec::new();
    let paired = line.matches('`').count().is_multiple_of(2);
    let mut before = "";
    let mut quoted = false;
    for (n, span) in line.split('`').enumerate() {
        if paired && n % 2 == 1 {
            // More than one word is a command line, and says of itself what it does.
            if !span.contains(char::is_whitespace) {
                found.extend(candidate(span, before, true, &is_there));
            }
            before = "";
            continue;
        }
        for word in span.split_whitespace().flat_map(|word| word.split("](")) {
            quoted |= word.trim_start_matches(['(', '[']).starts_with(['"', '“']);
            let bare = word.trim_matches(AROUND).trim_end_matches('.');
            let bare = bare.trim_end_matches(AROUND);
            let hashed = word.trim_start_matches(AROUND).starts_with('#');
            if let Some(mut one) = candidate(bare, before, false, &is_there).filter(|_| !hashed) {
                one.sure &= !quoted;
                found.push(one);
            }
            let shut = word.trim_end_matches([')', ']', '.', ',', ';', ':', '!', '?']);
            quoted &= !shut.ends_with(['"', '”']);
            before = bare;
        }
    }
    found
}

/// What one word names.
fn candidate<'t>(
    word: &'t str,
    before: &str,
    in_code: bool,
    is_there: impl Fn(&str) -> bool,
) -> Option<Candidate<'t>> {
    if let Some(sure) = commit(word, before) {
        let named = Named::Commit(word);
        return Some(Candidate { named, sure });
    }
    let (path, line) = without_line(word);
    let strange = path.contains(NEVER)
        || path.contains("://")
        || path.contains("::")
        || path.contains("//")
        || path.contains(':')
        || path.starts_with(['-', '@'])
        || path.replace("../", "").contains("..") && path != ".."
        || !path.contains(char::is_alphabetic);
    if strange {
        return None;
    }
    let sure = if path.contains('/') {
        in_folder(path, is_there)?
    } else {
        alone(path, in_code)?
    };
    Some(Candidate {
        named: Named::Path { path, line },
        sure,
    })
}

/// Whether a word is a commit's id, and if so whether it can be nothing else.
fn commit(word: &str, before: &str) -> Option<bool> {
    let is_id = (ID_DIGITS_MIN..=ID_DIGITS_MAX).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_id || before.eq_ignore_ascii_case("session") {
        return None;
    }
    let mixed = word.contains(|c: char| c.is_ascii_digit())
        && word.contains(|c: char| c.is_ascii_alphabetic());
    let said = ["commit", "commits"]
        .iter()
        .any(|one| before.eq_ignore_ascii_case(one));
    (mixed || said).then_some(true)
}

/// A word with a `/`: surely a path with an ending or a dotted beginning, else where its first folder is there.
fn in_folder(path: &str, is_there: impl Fn(&str) -> bool) -> Option<bool> {
    let last = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path);
    let relative = path.starts_with("./") || path.starts_with("../") || path.starts_with("~/");
    let first_end = path.get(1..)?.find('/').map(|at| at + 1);
    let first = first_end.map_or(path, |at| &path[..at]);
    // `example.com/a.html` is an address.
    let address = first.trim_start_matches('.').contains('.');
    if relative || (ending(last).is_some() && !address) {
        return Some(true);
    }
    is_there(first).then_some(true)
}

/// A word without a `/`.
fn alone(name: &str, in_code: bool) -> Option<bool> {
    if let Some(ending) = ending(name) {
        // Many products are named so.
        let product = ending == "js" && !in_code;
        return ENDINGS.contains(&ending).then_some(!product);
    }
    in_code.then_some(false)
}

/// `rs` of `main.rs`; none for `.env`, `v1.2`, and what is too long.
fn ending(name: &str) -> Option<&str> {
    let (stem, ending) = name.rsplit_once('.')?;
    let fits = !stem.is_empty()
        && ending.chars().count() <= ENDING_CHARS_MAX
        && ending.chars().all(char::is_alphanumeric)
        && ending.starts_with(char::is_alphabetic);
    fits.then_some(ending)
}

/// `a.rs:12`, `a.rs:12:5`, `a.rs:12-20` and `a.rs#L12` name a line.
fn without_line(word: &str) -> (&str, Option<u32>) {
    if let Some((path, line)) = word.split_once("#L") {
        let digits = line.split(|c: char| !c.is_ascii_digit()).next();
        return (path, digits.and_then(|digits| digits.parse().ok()));
    }
    let Some((path, rest)) = word.split_once(':') else {
        return (word, None);
    };
    let numbers = rest.trim_end_matches(':');
    let is_line = numbers.starts_with(|c: char| c.is_ascii_digit())
        && numbers
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, ':' | '-'));
    if !is_line {
        return (word, None);
    }
    let line = numbers.split([':', '-']).next();
    (path, line.and_then(|line| line.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: &[&str]) {
        let there = |folder: &str| ["src", "docs", "/etc"].contains(&folder);
        let found = find(line, there);
        let told: Vec<String> = found
            .iter()
            .map(|one| {
                let name = match one.named {
                    Named::Path { path, line: None } => path.to_owned(),
                    Named::Path {
                        path,
                        line: Some(line),
                    } => format!("{path} line {line}"),
                    Named::Commit(id) => format!("commit {id}"),
                };
                if one.sure { name } else { format!("{name}?") }
            })
            .collect();
        assert_eq!(told, expect, "{line}");
    }

    #[test]
    fn paths_are_told_from_words_that_look_like_some() {
        check(
            "edit `src/a.rs:12` and src/b (done).",
            &["src/a.rs line 12", "src/b"],
        );
        check(
            "see [the notes](docs/notes.md#L4), main.rs.",
            &["docs/notes.md line 4", "main.rs"],
        );
        check(
            "`./run`, `../x/y`, ~/notes",
            &["./run", "../x/y", "~/notes"],
        );
        check(
            "`/etc/hosts` but not `/clear` or origin/main",
            &["/etc/hosts"],
        );
        check(
            "and/or, 3/4, n/a, text/html, https://a.org/b.html, a.org/b.html",
            &[],
        );
        check(
            "Vec::new, `src/*.rs`, `x = a.rs`, a..b, v1.2.3, e.g., 30/11/2026",
            &[],
        );
        check(
            "`segue.saveInterval`, process.env, Node.js, `Makefile`",
            &["segue.saveInterval?", "Node.js?", "Makefile?"],
        );
        check("`cargo test src/a.rs` passed", &[]);
        check(
            "\"make src/new.rs please\", then src/a.rs",
            &["src/new.rs?", "src/a.rs"],
        );
    }

    #[test]
    fn commits_are_told_from_numbers_and_words() {
        check(
            "parser done (1a2b3c4), `deadbee1`",
            &["commit 1a2b3c4", "commit deadbee1"],
        );
        check("commit 1234567 but 10000000 bytes", &["commit 1234567"]);
        check("defaced, #1a2b3c4, session 0190a000, abc123", &[]);
    }
}
