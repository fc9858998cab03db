//! Claude Code's status line: the command in its settings that prints it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

use super::install;
use crate::handoff::command_line::{quoted, split};
use crate::hosts::hooks_file::{before_fresh, numbered, split_mark};
use crate::hosts::json_text::{Node, newline, pretty, replaced};
use crate::hosts::{LineSet, Places, StatusLineWiring};

/// How the status line is set.
pub(super) const WIRING: StatusLineWiring = StatusLineWiring { files, find, add };

/// The setting (Claude Code 2.1.332): `{"type": "command", "command": …}`, run by a shell.
const KEY: &str = "statusLine";

/// The verb that prints ours.
const VERB: &str = "statusline";

/// Every settings file that may set one: the person's, and a project's two.
fn files(places: &Places, project_root: Option<&Path>) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = install::user_file(places).into_iter().collect();
    if let Some(root) = project_root {
        files.push(install::project_file(root));
        files.push(root.join(".claude").join("settings.json"));
    }
    files
}

/// What the text sets.
///
/// # Errors
///
/// When the text is not strict JSON (names line and column).
fn find(text: &str) -> anyhow::Result<Option<LineSet>> {
    let (_, text) = split_mark(text);
    if text.trim().is_empty() {
        return Ok(None);
    }
    let set = Node::root(text)?.member(KEY).map(|line| line.value());
    Ok(set.map(|set| {
        let command = set["command"].as_str().unwrap_or_default();
        LineSet {
            command: command.to_owned(),
            ours: ours(command).is_some(),
        }
    }))
}

/// The text with ours in it; what it sets already must have been looked at before.
///
/// # Errors
///
/// When the text is not a JSON object, or the program's path is not UTF-8.
fn add(text: Option<&str>, binary: &Path) -> anyhow::Result<String> {
    let program = binary.to_str().with_context(|| {
        format!(
            "cannot write `{}` into JSON: it is not UTF-8",
            binary.display()
        )
    })?;
    let line = json!({"type": "command", "command": format!("{} {VERB}", quoted(program))});
    let Some(text) = text else {
        return Ok(format!("{}\n", pretty("", &json!({ KEY: line }), "")));
    };
    let (mark, text) = split_mark(text);
    if text.trim().is_empty() {
        let (whole, end) = (pretty(text, &json!({ KEY: line }), ""), newline(text));
        return Ok(format!("{mark}{whole}{end}{end}{text}"));
    }
    let root = Node::root(text)?;
    anyhow::ensure!(root.members().is_some(), "the text is not an object");
    let named = |indent: &str| format!("{}: {}", Value::from(KEY), pretty(text, &line, indent));
    Ok(format!("{mark}{}", root.append(named)))
}

/// The text without ours; one that wraps the person's own command gives its place back to that. `None` when nothing
/// else stood in the file.
///
/// # Errors
///
/// When the text is not strict JSON (names line and column).
pub(super) fn remove(whole: &str) -> anyhow::Result<Option<String>> {
    let (mark, text) = split_mark(whole);
    let unchanged = || Ok(Some(whole.to_owned()));
    if text.trim().is_empty() {
        return unchanged();
    }
    let root = Node::root(text)?;
    let Some((number, line)) = numbered(&root, KEY) else {
        return unchanged();
    };
    let Some(command) = line.member("command") else {
        return unchanged();
    };
    let rest = match ours(&command.text().unwrap_or_default()) {
        None => return unchanged(),
        Some(Ours::Wraps(theirs)) => Some(replaced(
            text,
            command.range,
            &Value::from(theirs).to_string(),
        )),
        Some(Ours::Alone) if root.children().len() > 1 || root.hugs() => {
            Some(root.without_child(number))
        }
        Some(Ours::Alone) => before_fresh(text),
    };
    Ok(rest.map(|rest| format!("{mark}{rest}")))
}

/// A command line that runs ours.
enum Ours {
    Alone,
    /// With the person's own command inside.
    Wraps(String),
}

/// Whether a command line runs ours: by the program's name, or as a verb of git.
fn ours(command: &str) -> Option<Ours> {
    let words = split(command)?;
    let (program, mut rest) = words.split_first()?;
    if program == "git" && rest.first().is_some_and(|word| word == "segue") {
        rest = &rest[1..];
    } else if !install::is_program(program) {
        return None;
    }
    let (verb, options) = rest.split_first()?;
    if verb != VERB {
        return None;
    }
    let wrapped = options.iter().enumerate().find_map(|(at, word)| {
        let value = word.strip_prefix("--wrap")?;
        match value.strip_prefix('=') {
            Some(value) => Some(value.to_owned()),
            None => options.get(at + 1).cloned(),
        }
    });
    Some(wrapped.map_or(Ours::Alone, Ours::Wraps))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "/opt/bin/git-segue";

    fn check_round_trip(before: Option<&str>) {
        let add_line = |text: Option<&str>| add(text, Path::new(PROGRAM)).unwrap();
        let add_hooks = |text: Option<&str>| install::add(text, Path::new(PROGRAM)).unwrap();
        let orders = [
            add_line(before),
            add_line(Some(&add_hooks(before))),
            add_hooks(Some(&add_line(before))),
        ];
        for text in orders {
            let set = find(&text).unwrap().unwrap();
            assert_eq!(
                (set.command.as_str(), set.ours),
                ("/opt/bin/git-segue statusline", true)
            );
            let after = install::remove(&text).unwrap();
            assert_eq!(after.as_deref(), before, "{text}");
        }
    }

    #[test]
    fn what_was_put_in_is_taken_out_to_the_same_bytes() {
        check_round_trip(None);
        check_round_trip(Some(""));
        check_round_trip(Some("{}"));
        check_round_trip(Some("{\"model\": \"opus\"}\n"));
        check_round_trip(Some("{\r\n\t\"a\": [1,\r\n\t2],\r\n\t\"b\": {}\r\n}\r\n"));
        check_round_trip(Some("\u{feff}{\n  \"hooks\": {}\n}"));
    }

    #[test]
    fn a_text_without_a_place_for_it_is_refused() {
        for text in ["[1]", "{", "3"] {
            assert!(add(Some(text), Path::new(PROGRAM)).is_err(), "{text}");
        }
    }

    #[test]
    fn ours_is_known_by_what_it_runs_and_gives_their_place_back() {
        let check = |command: &str, after: Option<&str>| {
            let text =
                |command: &str| json!({"statusLine": {"command": command}, "z": 1}).to_string();
            let expect = after.map_or_else(|| "{\"z\":1}".to_owned(), text);
            let rest = remove(&text(command)).unwrap();
            assert_eq!(rest.as_deref(), Some(expect.as_str()), "{command}");
        };
        check("/a/git-segue statusline", None);
        check("'/a b/git-segue.exe' statusline --host claude-code", None);
        check("git segue statusline", None);
        check(
            "git-segue statusline --wrap '~/my line.sh -x'",
            Some("~/my line.sh -x"),
        );
        check("git-segue statusline --wrap=line", Some("line"));
        for other in [
            "my-line",
            "git-segue log",
            "echo git-segue statusline",
            "git status",
        ] {
            check(other, Some(other));
        }
    }
}
