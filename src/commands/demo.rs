//! `git segue demo`: the main job on a recorded conversation, in a repository of its own that is gone afterwards.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use super::{Context, Ending};
use crate::deadline::Deadline;
use crate::git::process::{Call, DISABLE};
use crate::ui::{Ink, Line};

/// A conversation with Claude Code 2.1.332 as that host recorded it, in the folder [`RECORDED_AT`].
const RECORDED: &str = include_str!(
    "../../fixtures/claude-code/2.1.332/transcripts/manual-compaction-edit-agents.jsonl"
);
/// The folder that the conversation was in.
const RECORDED_AT: &str = "/home/dev/work/billing";
/// The row at which the host compacted: the demo plays what came before it.
const BOUNDARY: &str = "compact_boundary";
/// Its session.
const SESSION: &str = "00000001-0000-4000-8000-000000000001";
/// The files that the agent had left in the work tree.
const FILES: [(&str, &str); 2] = [
    (
        "src/parser.py",
        "def parse(line):\n    return [f.strip() for f in line.split(\",\")]\n",
    ),
    (
        "tests/test_parser.py",
        "import unittest\n\nfrom src.parser import parse\n",
    ),
];
/// How long one step may take.
const STEP_TIME_MAX: Duration = Duration::from_secs(30);

/// What is typed behind `demo`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {}

/// Plays it, and says what each step is.
pub(super) fn run(_args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let ground = tempfile::tempdir().context("cannot make a folder for the demo")?;
    let home = ground
        .path()
        .canonicalize()
        .context("cannot make a folder for the demo")?;
    let program = cx
        .env
        .program
        .clone()
        .context("cannot find this program's own path")?;
    let stage = Stage {
        home: &home,
        dir: &home.join("billing"),
        program: &program,
    };
    stage.set()?;
    let transcript = home.join("conversation.jsonl");
    let before = RECORDED.lines().take_while(|line| !line.contains(BOUNDARY));
    let before: Vec<String> = before
        .map(|line| line.replace(RECORDED_AT, &stage.dir.to_string_lossy()))
        .collect();
    crate::files::replace(&transcript, (before.join("\n") + "\n").as_bytes())?;

    title(
        cx,
        "1. The host is about to compact a recorded conversation: its hook calls us, and a card is committed.",
    )?;
    let event = |name: &str, more: Value| {
        let mut event = json!({ "session_id": SESSION, "transcript_path": transcript, "cwd": stage.dir, "hook_event_name": name });
        if let (Some(event), Some(more)) = (event.as_object_mut(), more.as_object()) {
            event.extend(more.clone());
        }
        event.to_string()
    };
    let hook = ["hook", "claude-code"];
    stage.own(
        cx,
        &hook,
        &event("PreCompact", json!({ "trigger": "auto" })),
    )?;

    title(cx, "2. The card, with plain git.")?;
    stage.git(cx, &["show", &format!("segue/{SESSION}:card.md")])?;
    stage.git(cx, &["log", "--notes=segue", "-1"])?;

    title(
        cx,
        "3. Meanwhile somebody changes a file. The next window gets the card, and what moved since.",
    )?;
    crate::files::replace(
        &stage.dir.join("src/parser.py"),
        b"def parse(line):\n    return line.split()\n",
    )?;
    stage.own(
        cx,
        &hook,
        &event("SessionStart", json!({ "source": "compact" })),
    )?;

    title(cx, "4. The chain, with git segue.")?;
    stage.own(cx, &["log"], "")?;
    stage.own(cx, &["status"], "")?;
    Ok(Ending::Yes)
}

fn title(cx: &mut Context<'_>, text: &str) -> anyhow::Result<()> {
    cx.ui.line(&Line::new())?;
    cx.ui.line(&Line::new().ink(Ink::Title, text))
}

/// The demo's own home and repository.
struct Stage<'s> {
    home: &'s Path,
    dir: &'s Path,
    program: &'s Path,
}

impl Stage<'_> {
    /// A repository with one commit, and the agent's files in its work tree.
    fn set(&self) -> anyhow::Result<()> {
        std::fs::create_dir_all(self.dir).context("cannot make the demo's repository")?;
        crate::files::replace(&self.dir.join("README"), b"Billing\n")?;
        for args in [
            &["init", "-q"][..],
            &["add", "README"],
            &["commit", "-q", "-m", "Begin"],
        ] {
            self.call(Call::new("git").args(args.iter().copied()))?;
        }
        for (path, text) in FILES {
            crate::files::replace(&self.dir.join(path), text.as_bytes())?;
        }
        Ok(())
    }

    fn git(&self, cx: &mut Context<'_>, args: &[&str]) -> anyhow::Result<()> {
        show(cx, "git", args)?;
        let text = self.call(Call::new("git").args(args.iter().copied()))?;
        cx.ui.text(&text)
    }

    fn own(&self, cx: &mut Context<'_>, args: &[&str], stdin: &str) -> anyhow::Result<()> {
        let name = if args.first() == Some(&"hook") {
            "git-segue"
        } else {
            "git segue"
        };
        show(cx, name, args)?;
        let text = self.call(
            Call::new(self.program)
                .args(args.iter().copied())
                .stdin(stdin.as_bytes()),
        )?;
        cx.ui.text(&readable(&text))
    }

    /// Runs a step away from the person's own configuration.
    fn call(&self, call: Call<'_>) -> anyhow::Result<String> {
        let identity = [
            "GIT_AUTHOR_NAME",
            "GIT_AUTHOR_EMAIL",
            "GIT_COMMITTER_NAME",
            "GIT_COMMITTER_EMAIL",
        ];
        let mut call = call.dir(self.dir).deadline(Deadline::after(STEP_TIME_MAX));
        for name in identity {
            call = call.env(name, "demo");
        }
        for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
            call = call.env(name, "/dev/null");
        }
        // Children are kept from calling hooks; here the hook is what is shown.
        let call = call
            .env(DISABLE, "")
            .env("HOME", self.home)
            .env("XDG_STATE_HOME", self.home.join("state"));
        let output = call.run()?;
        if !output.success() {
            bail!("cannot play the demo: {}", output.complaint());
        }
        Ok(output.text())
    }
}

fn show(cx: &mut Context<'_>, name: &str, args: &[&str]) -> anyhow::Result<()> {
    cx.ui
        .line(&Line::new().ink(Ink::Faint, format!("$ {name} {}", args.join(" "))))
}

/// A host reads JSON; a person sees what stands in it for the agent.
fn readable(text: &str) -> String {
    let answer: Option<Value> = serde_json::from_str(text).ok();
    let context = answer.and_then(|answer| {
        Some(
            answer["hookSpecificOutput"]["additionalContext"]
                .as_str()?
                .to_owned(),
        )
    });
    let mut text = context.unwrap_or_else(|| text.to_owned());
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
