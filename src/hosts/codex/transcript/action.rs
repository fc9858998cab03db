//! What a tool's call does: from Codex's forms to the neutral one.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::record::{Change, Parsed, Text, read, text};
use crate::handoff::clip;
use crate::handoff::command_line::quoted;
use crate::handoff::transcript::{Action, INPUT_BYTES_MAX, Todo, TodoState};
use crate::hosts::skim::{self, Piece};

/// Shells that Codex wraps a command line in.
const SHELLS: &[&str] = &[
    "bash",
    "sh",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "pwsh",
    "powershell",
    "cmd",
];
/// Files of one change, todos of one list, questions of one asking that are kept.
const PARTS_MAX: usize = 64;
/// How a patch begins.
const PATCH: &str = "*** Begin Patch";

/// The command line to the letter: what is inside of `["bash", "-lc", "…"]`, or the words with the quotes that a
/// shell needs. `None` when it is neither a text nor a list of texts.
pub(super) fn command_line(command: Piece<'_>) -> Option<String> {
    if let Some(Text(line)) = read(command) {
        return Some(line.into_owned());
    }
    let words: Vec<Text<'_>> = read(command)?;
    let words: Vec<&str> = words.iter().map(|word| word.0.as_ref()).collect();
    if let [shell, flags @ .., line] = words.as_slice()
        && is_shell(shell)
        && flags.last().is_some_and(|flag| runs_next_word(flag))
    {
        return Some((*line).to_owned());
    }
    let quoted: Vec<_> = words.iter().map(|word| quoted(word)).collect();
    Some(quoted.join(" "))
}

fn is_shell(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    SHELLS.contains(&name)
}

fn runs_next_word(flag: &str) -> bool {
    flag.eq_ignore_ascii_case("-command")
        || flag.eq_ignore_ascii_case("/c")
        || (flag.starts_with('-') && !flag.starts_with("--") && flag.ends_with('c'))
}

/// The path of a `file://` address; any other text as it is.
pub(super) fn folder(address: &str) -> String {
    let Some(path) = address.strip_prefix("file://") else {
        return address.to_owned();
    };
    let path = decoded(path);
    // `file:///C:/work` is a folder on Windows.
    match path.as_bytes() {
        [b'/', drive, b':', ..] if drive.is_ascii_alphabetic() => path[1..].to_owned(),
        _ => path,
    }
}

/// `%20` and the like as the bytes that they stand for.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let code = behind
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = &behind[if code.is_some() { 2 } else { 0 }..];
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What a command does, in Codex's own reading of it: reads of files and a search are told from other commands.
/// One action for each file that is read, one for anything else.
pub(super) fn of_command(
    line: &str,
    cwd: Option<String>,
    parsed: Option<Piece<'_>>,
) -> Vec<Action> {
    let steps: Vec<Parsed<'_>> = parsed.and_then(read).unwrap_or_default();
    let place = |path: &str| match &cwd {
        Some(cwd) => Path::new(cwd).join(path).to_string_lossy().into_owned(),
        None => path.to_owned(),
    };
    if !steps.is_empty()
        && steps
            .iter()
            .all(|step| step.kind.0 == "read" && step.path.is_some())
    {
        let mut paths: Vec<String> = steps.iter().map(|step| place(text(&step.path))).collect();
        paths.dedup();
        paths.truncate(PARTS_MAX);
        return paths
            .into_iter()
            .map(|path| Action::Read { path })
            .collect();
    }
    if let [step] = steps.as_slice()
        && step.kind.0 == "search"
        && let Some(query) = &step.query
    {
        let path = step.path.as_ref().map(|path| place(&path.0));
        return vec![Action::Search {
            pattern: clip::head(&query.0, INPUT_BYTES_MAX),
            path,
        }];
    }
    vec![Action::Run {
        command: clip::head(line, INPUT_BYTES_MAX),
        cwd,
    }]
}

/// What changed in files, by path (Codex writes them in no order).
pub(super) fn of_changes(changes: Piece<'_>) -> Vec<Action> {
    let changes: BTreeMap<String, Change<'_>> = read(changes).unwrap_or_default();
    let mut actions = Vec::new();
    for (path, change) in changes.into_iter().take(PARTS_MAX) {
        match change.kind.0.as_ref() {
            "add" => actions.push(Action::Write { path }),
            "delete" => actions.push(Action::Delete { path }),
            _ => {
                let added = added(text(&change.unified_diff).lines());
                match change.move_path {
                    Some(Text(to)) => actions.extend(moved(path, &to, added)),
                    None => actions.push(Action::Edit { path, added }),
                }
            }
        }
    }
    actions
}

/// The same from the text that the agent handed to `apply_patch`; empty when it is no patch.
pub(super) fn of_patch(patch: &str) -> Vec<Action> {
    let Some(start) = patch.find(PATCH) else {
        return Vec::new();
    };
    let mut actions = Vec::new();
    for section in patch[start..].split("\n*** ").skip(1).take(PARTS_MAX) {
        // A move stands behind the section of its update, as one of its own.
        if let Some(to) = section.strip_prefix("Move to: ") {
            if let Some(Action::Edit { path, .. }) = actions.pop() {
                let added = added(to.lines().skip(1));
                actions.extend(moved(path, to.lines().next().unwrap_or_default(), added));
            }
            continue;
        }
        let (head, body) = section.split_once('\n').unwrap_or((section, ""));
        let path = |prefix: &str| head.strip_prefix(prefix).map(|path| path.trim().to_owned());
        if let Some(path) = path("Add File: ") {
            actions.push(Action::Write { path });
        } else if let Some(path) = path("Delete File: ") {
            actions.push(Action::Delete { path });
        } else if let Some(path) = path("Update File: ") {
            let added = added(body.lines());
            actions.push(Action::Edit { path, added });
        }
    }
    actions
}

fn moved(from: String, to: &str, added: String) -> [Action; 2] {
    let path = to.trim().to_owned();
    [Action::Edit { path, added }, Action::Delete { path: from }]
}

/// The new lines of a diff, without their marks.
fn added<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut added = String::new();
    for line in lines.filter(|line| !line.starts_with("+++ ")) {
        if let Some(line) = line.strip_prefix('+') {
            if !added.is_empty() {
                added.push('\n');
            }
            added.push_str(line);
        }
        if added.len() > INPUT_BYTES_MAX {
            break;
        }
    }
    clip::head(&added, INPUT_BYTES_MAX)
}

/// A call of one of Codex's functions, by its name and its arguments (JSON in a text).
pub(super) fn of_function(name: &str, arguments: &str) -> Vec<Action> {
    let arguments: Arguments<'_> = skim::read(arguments.as_bytes()).unwrap_or_default();
    match name {
        "exec_command" | "shell" | "shell_command" | "container.exec" | "local_shell" => {
            let Some(line) = arguments.cmd.or(arguments.command).and_then(command_line) else {
                return vec![other(name)];
            };
            let patch = of_patch(&line);
            if !patch.is_empty() {
                return patch;
            }
            let cwd = arguments.workdir.map(|Text(cwd)| cwd.into_owned());
            of_command(&line, cwd, None)
        }
        "update_plan" => vec![Action::Todos(arguments.todos())],
        "request_user_input" | "request_user_input_async" => vec![Action::Ask {
            questions: arguments.questions(),
        }],
        "spawn_agent" => vec![Action::Spawn {
            kind: arguments.agent_type.map(|Text(kind)| kind.into_owned()),
            prompt: clip::head(text(&arguments.message), INPUT_BYTES_MAX),
        }],
        _ => vec![other(name)],
    }
}

/// Something else.
pub(super) fn other(tool: &str) -> Action {
    let tool = clip::head(tool, INPUT_BYTES_MAX);
    Action::Other { tool }
}

/// The arguments of the functions that we know.
#[derive(Default, Deserialize)]
struct Arguments<'a> {
    #[serde(borrow)]
    cmd: Option<Piece<'a>>,
    #[serde(borrow)]
    command: Option<Piece<'a>>,
    #[serde(borrow)]
    workdir: Option<Text<'a>>,
    #[serde(borrow)]
    plan: Option<Piece<'a>>,
    #[serde(borrow)]
    questions: Option<Piece<'a>>,
    #[serde(borrow)]
    agent_type: Option<Text<'a>>,
    #[serde(borrow)]
    message: Option<Text<'a>>,
}

/// One step of `update_plan`.
#[derive(Deserialize)]
struct Step<'a> {
    #[serde(borrow)]
    step: Text<'a>,
    #[serde(borrow)]
    status: Option<Text<'a>>,
}

/// One question of `request_user_input` (`question`) or of its background form (`title`).
#[derive(Deserialize)]
struct Question<'a> {
    #[serde(borrow)]
    question: Option<Text<'a>>,
    #[serde(borrow)]
    title: Option<Text<'a>>,
}

impl Arguments<'_> {
    fn todos(&self) -> Vec<Todo> {
        let steps: Vec<Step<'_>> = self.plan.and_then(read).unwrap_or_default();
        let todo = |step: &Step<'_>| Todo {
            text: clip::head(&step.step.0, INPUT_BYTES_MAX),
            state: match text(&step.status) {
                "completed" => TodoState::Done,
                "in_progress" => TodoState::Active,
                _ => TodoState::Pending,
            },
        };
        steps.iter().take(PARTS_MAX).map(todo).collect()
    }

    fn questions(&self) -> Vec<String> {
        let questions: Vec<Question<'_>> = self.questions.and_then(read).unwrap_or_default();
        let words = |asked: &Question<'_>| {
            let words = asked.question.as_ref().or(asked.title.as_ref())?;
            Some(clip::head(&words.0, INPUT_BYTES_MAX))
        };
        questions.iter().take(PARTS_MAX).filter_map(words).collect()
    }
}

#[cfg(test)]
mod tests;
