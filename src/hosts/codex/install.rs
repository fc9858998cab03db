//! Where Codex is wired, and how: a row an event in its hooks file.
//!
//! Codex 0.171.0 runs a hook only once the person has trusted it, and trusts the command line to the letter, at its
//! number in the file. So ours names a path and no version, and a newer program is trusted as the old one was.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

use super::words::unquoted;
use crate::handoff::command_line::quoted;
use crate::hosts::hooks_file::{self, Entry};
use crate::hosts::{Places, Wired};

/// What the person has to do beside.
pub(super) const ADVICE: &[&str] = &[
    "Codex passes over new hooks without a word: type `/hooks` in it and trust them, once",
    "hooks of a project run only where Codex trusts the folder, and take effect in its next session",
];

/// What stands behind the program; by it we know our entries again.
const ARGUMENTS: &str = " hook codex";

/// The program's name, without `.exe`.
const PROGRAM: &str = "git-segue";

/// Every event that we want: its name, its matcher, and how many seconds we may take. Without a limit Codex 0.171.0
/// waits 600 s, and at SessionEnd 1 s; there it takes 3 s at most. PreCompact has an hour and a minute because an
/// automatic compaction may be held while subagents run.
const EVENTS: [(&str, Option<&str>, u32); 8] = [
    ("PreCompact", None, 3_660),
    ("SessionStart", None, 30),
    ("UserPromptSubmit", None, 30),
    ("Stop", None, 60),
    ("SessionEnd", None, 3),
    ("SubagentStart", None, 10),
    ("SubagentStop", None, 10),
    ("PreToolUse", Some("collaborationspawn_agent"), 10),
];

/// The hooks file for one project. In a linked worktree Codex 0.171.0 reads the one of the main checkout.
pub(super) fn project_file(root: &Path) -> PathBuf {
    root.join(".codex").join("hooks.json")
}

/// The hooks file of the person.
pub(super) fn user_file(places: &Places) -> Option<PathBuf> {
    Some(places.codex_folder()?.join("hooks.json"))
}

/// The text with our hooks in it.
///
/// # Errors
///
/// As of [`hooks_file::add`], and when the program's path is not UTF-8.
pub(super) fn add(text: Option<&str>, binary: &Path) -> anyhow::Result<String> {
    let program = binary.to_str().with_context(|| {
        format!(
            "cannot write `{}` into JSON: it is not UTF-8",
            binary.display()
        )
    })?;
    hooks_file::add(text, &entries(program), is_ours)
}

/// The text without our hooks.
///
/// # Errors
///
/// As of [`hooks_file::remove`].
pub(super) fn remove(text: &str) -> anyhow::Result<Option<String>> {
    hooks_file::remove(text, is_ours)
}

/// Our hooks in the text.
///
/// # Errors
///
/// As of [`hooks_file::list`].
pub(super) fn list(text: &str) -> anyhow::Result<Vec<Wired>> {
    let found = hooks_file::list(text, is_ours)?;
    let wired = found.into_iter().map(|found| Wired {
        event: found.event,
        binary: program(&found.handler).map(PathBuf::from),
    });
    Ok(wired.collect())
}

/// Our entries for that program. Codex hands the command to a shell, so the path is quoted where one would split it.
fn entries(program: &str) -> Vec<Entry> {
    let command = format!("{}{ARGUMENTS}", quoted(program));
    let entry = |(event, matcher, timeout): (&'static str, Option<&'static str>, u32)| Entry {
        event,
        matcher,
        handler: json!({ "type": "command", "command": command, "timeout": timeout }),
    };
    EVENTS.into_iter().map(entry).collect()
}

/// Whether that handler is one of ours.
pub(super) fn is_ours(handler: &Value) -> bool {
    program(handler).is_some_and(|program| {
        let file = program.rsplit(['/', '\\']).next().unwrap_or_default();
        file.strip_suffix(".exe").unwrap_or(file) == PROGRAM
    })
}

/// The program that a handler with our arguments calls.
fn program(handler: &Value) -> Option<String> {
    let command = handler["command"].as_str()?;
    unquoted(command.strip_suffix(ARGUMENTS)?)
}

#[cfg(test)]
mod tests;
