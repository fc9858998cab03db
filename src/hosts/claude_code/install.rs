//! Where Claude Code is wired, and how: a row an event in its settings file.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

use super::status_line;
use crate::hosts::hooks_file::{self, Entry};
use crate::hosts::{Places, Wired};

/// What the person has to do beside.
pub(super) const ADVICE: &[&str] =
    &["a Claude Code that runs already takes the hooks up in its next session"];

/// The program's arguments; by them we know our entries again.
const ARGUMENTS: [&str; 2] = ["hook", "claude-code"];

/// The program's name, without `.exe`.
const PROGRAM: &str = "git-segue";

/// Every event that we want: its name, its matcher, and how many seconds we may take. Without a limit Claude Code
/// 2.1.332 waits 600 s, and at SessionEnd 1.5 s for all hooks together; there it takes 60 s at most. PreCompact has
/// an hour and a minute because an automatic compaction may be held while subagents run.
const EVENTS: [(&str, Option<&str>, u32); 8] = [
    ("PreCompact", None, 3_660),
    ("SessionStart", None, 30),
    ("UserPromptSubmit", None, 30),
    ("Stop", None, 60),
    ("SessionEnd", None, 30),
    ("SubagentStart", None, 10),
    ("SubagentStop", None, 10),
    ("PreToolUse", Some("Agent|Task"), 10),
];

/// The settings file for one project: the one that Claude Code keeps for one person on one machine, since our
/// entries name a program by its path here. `settings.json` beside it is shared with everybody who clones.
pub(super) fn project_file(root: &Path) -> PathBuf {
    root.join(".claude").join("settings.local.json")
}

/// The settings file of the person.
pub(super) fn user_file(places: &Places) -> Option<PathBuf> {
    let home_config = || places.home.as_ref().map(|home| home.join(".claude"));
    let config = places.claude_config.clone().or_else(home_config)?;
    Some(config.join("settings.json"))
}

/// The text with our hooks in it.
///
/// # Errors
///
/// As of [`hooks_file::add`], and when the program's path is not UTF-8.
pub(super) fn add(text: Option<&str>, binary: &Path) -> anyhow::Result<String> {
    let command = binary.to_str().with_context(|| {
        format!(
            "cannot write `{}` into JSON: it is not UTF-8",
            binary.display()
        )
    })?;
    hooks_file::add(text, &entries(command), is_ours)
}

/// The text without our hooks and our status line.
///
/// # Errors
///
/// As of [`hooks_file::remove`].
pub(super) fn remove(text: &str) -> anyhow::Result<Option<String>> {
    match hooks_file::remove(text, is_ours)? {
        Some(rest) => status_line::remove(&rest),
        None => Ok(None),
    }
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
        binary: found.handler["command"].as_str().map(PathBuf::from),
    });
    Ok(wired.collect())
}

/// Our entries for a program that is called by `command`. With `args` beside it Claude Code starts it without a shell.
fn entries(command: &str) -> Vec<Entry> {
    let entry = |(event, matcher, timeout): (&'static str, Option<&'static str>, u32)| Entry {
        event,
        matcher,
        handler: json!({
            "type": "command",
            "command": command,
            "args": ARGUMENTS,
            "timeout": timeout,
        }),
    };
    EVENTS.into_iter().map(entry).collect()
}

fn is_ours(handler: &Value) -> bool {
    let command = handler["command"].as_str().unwrap_or_default();
    is_program(command) && handler["args"] == json!(ARGUMENTS)
}

/// Whether a path or name is our program's.
pub(super) fn is_program(command: &str) -> bool {
    let file = command.rsplit(['/', '\\']).next().unwrap_or_default();
    file.strip_suffix(".exe").unwrap_or(file) == PROGRAM
}

#[cfg(test)]
mod tests;
