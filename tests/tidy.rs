//! What keeps the house in order: floors, short files, names that say something.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::help::verbs;
use crate::support::world::World;

/// The floors from the ground up. A module uses floors below its own only: never its own, never one above.
const FLOORS: [&[&str]; 9] = [
    &["handoff", "error", "deadline", "files"],
    &["git", "hosts"],
    &[
        "carry", "census", "writer", "verify", "store", "state", "settings", "secrets",
    ],
    &["place", "wiring"],
    &["save", "restore", "import", "decide", "pick", "sync", "ui"],
    &["moments"],
    &["commands"],
    &["cli"],
    &["lib", "main"],
];

/// Longest file, in lines, its unit tests among them.
const FILE_LINES_MAX: usize = 450;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 7] = [
    "utils", "util", "common", "helpers", "manager", "service", "types",
];

#[test]
fn every_module_uses_floors_below_its_own_only() {
    let mut wrong = Vec::new();
    for (path, text) in rust_files("src") {
        if is_test_file(&path) {
            continue;
        }
        let module = top_module(&path);
        let Some(floor) = floor_of(&module) else {
            wrong.push(format!("{path}: `{module}` stands on no floor"));
            continue;
        };
        for used in used_modules(&without_tests(&text)) {
            // `crate::run` and the like are no modules.
            let below = floor_of(&used).is_none_or(|below| below < floor);
            if used != module && !below {
                wrong.push(format!(
                    "{path}: `{module}` uses `{used}`, which is not below it"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_use_is_seen_however_it_is_written() {
    let check = |text: &str, expect: &[&str]| {
        let seen: Vec<String> = used_modules(&without_tests(text)).into_iter().collect();
        assert_eq!(seen, expect, "{text}");
    };
    check("use crate::git::Repo;", &["git"]);
    check(
        "fn f() -> crate::store::Store { crate::ui::x() }",
        &["store", "ui"],
    );
    check(
        "use crate::{census, git::{self, Oid}, ui::Line};",
        &["census", "git", "ui"],
    );
    check("// crate::git is not used\nfn f() {}", &[]);
    check(
        "fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::git::Repo;\n}\n",
        &[],
    );
}

#[test]
fn no_file_is_too_long_to_hold() {
    let long: Vec<String> = ["src", "tests"]
        .into_iter()
        .flat_map(rust_files)
        .filter(|(_, text)| text.lines().count() > FILE_LINES_MAX)
        .map(|(path, text)| format!("{path}: {} lines", text.lines().count()))
        .collect();
    assert!(
        long.is_empty(),
        "over {FILE_LINES_MAX} lines:\n{}",
        long.join("\n")
    );
}

#[test]
fn the_readme_names_the_verbs_that_there_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let rows = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `git segue "));
    let named: BTreeSet<String> = rows
        .map(|row| first_name(row.trim_start_matches('[')))
        .collect();
    let mut verbs: BTreeSet<String> = verbs(&World::bare_ground()).into_iter().collect();
    // What hosts call is no verb for people, and help does not list it.
    verbs.insert("hook".to_owned());
    assert_eq!(named, verbs);
}

#[test]
fn the_readme_names_the_settings_that_there_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let keys = |text: &str, before: &str| -> BTreeSet<String> {
        text.split(before).skip(1).map(first_name).collect()
    };
    let known = keys(&read("src/settings/faults.rs"), "\n    (\"");
    assert_eq!(keys(&read("README.md"), "\n| `segue."), known);
    let reader = read("src/settings.rs");
    let unread = known
        .iter()
        .find(|key| !reader.contains(&format!("(\"{key}\"")));
    assert_eq!(unread, None);
}

#[test]
fn every_name_says_what_is_inside() {
    let empty: Vec<String> = ["src", "tests"]
        .into_iter()
        .flat_map(rust_files)
        .map(|(path, _)| path)
        .filter(|path| {
            path.split(['/', '.'])
                .any(|name| EMPTY_NAMES.contains(&name))
        })
        .collect();
    assert!(empty.is_empty(), "\n{}", empty.join("\n"));
}

/// Every Rust file under a folder of the package: its path from the package's root, and its text.
fn rust_files(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let name = path
                    .strip_prefix(root)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                files.push((
                    name.replace('\\', "/"),
                    std::fs::read_to_string(&path).unwrap(),
                ));
            }
        }
    }
    files.sort();
    files
}

/// `src/store/wire.rs` belongs to `store`.
fn top_module(path: &str) -> String {
    let inside = path.trim_start_matches("src/");
    inside.split(['/', '.']).next().unwrap_or(inside).to_owned()
}

fn floor_of(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

fn is_test_file(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// The text without comments, and without the unit tests at its end.
fn without_tests(text: &str) -> String {
    let product = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    product
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The top modules that a text names behind `crate::`, alone or in braces.
fn used_modules(text: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for (at, mark) in text.match_indices("crate::") {
        let rest = &text[at + mark.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            used.insert(first_name(rest));
            continue;
        };
        let mut depth = 0;
        let mut fresh = true;
        for (at, c) in group.char_indices() {
            match c {
                '}' if depth == 0 => break,
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' => fresh = depth == 0,
                _ if fresh && c.is_alphanumeric() => {
                    used.insert(first_name(&group[at..]));
                    fresh = false;
                }
                _ => {}
            }
        }
    }
    used
}

fn first_name(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}
