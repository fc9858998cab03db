//! What differs between the two hosts: their programs, their settings, their words.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::model_api::Dialect;

/// A key that is none; the scripted model takes any.
const KEY: &str = "sk-ant-test-fake-0123456789";

/// A host under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Host {
    /// Anthropic's Claude Code.
    ClaudeCode,
    /// OpenAI's Codex.
    Codex,
}

impl Host {
    /// Its name in `git segue init`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Host::ClaudeCode => "claude-code",
            Host::Codex => "codex",
        }
    }

    /// Its package in npm.
    pub(crate) fn package(self) -> &'static str {
        match self {
            Host::ClaudeCode => "@anthropic-ai/claude-code",
            Host::Codex => "@openai/codex",
        }
    }

    /// Its program for this machine in an installed `node_modules`: the native one, without the wrapper in JavaScript.
    pub(crate) fn program_in(self, modules: &Path) -> Option<PathBuf> {
        match self {
            Host::ClaudeCode => folders(&modules.join("@anthropic-ai"), "claude-code-")
                .into_iter()
                .map(|package| package.join("claude"))
                .find(|program| program.is_file()),
            Host::Codex => folders(&modules.join("@openai"), "codex-")
                .into_iter()
                .flat_map(|package| folders(&package.join("vendor"), ""))
                .map(|vendor| vendor.join("bin/codex"))
                .find(|program| program.is_file()),
        }
    }

    /// The API that it speaks.
    pub(crate) fn dialect(self) -> Dialect {
        match self {
            Host::ClaudeCode => Dialect::Messages,
            Host::Codex => Dialect::Responses,
        }
    }

    /// Its own variables.
    pub(crate) fn env(self, home: &Path, url: &str) -> Vec<(&'static str, OsString)> {
        match self {
            Host::ClaudeCode => vec![
                ("ANTHROPIC_API_KEY", KEY.into()),
                ("ANTHROPIC_BASE_URL", url.into()),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
                ("DISABLE_TELEMETRY", "1".into()),
                ("DISABLE_AUTOUPDATER", "1".into()),
                // Lets it run as root, as in a container.
                ("IS_SANDBOX", "1".into()),
                // It compacts by itself at this less 33,000 tokens.
                ("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "200000".into()),
            ],
            Host::Codex => vec![
                ("CODEX_HOME", home.join(".codex").into()),
                ("LIVE_KEY", KEY.into()),
            ],
        }
    }

    /// Writes the settings that let it start without questions and run commands.
    pub(crate) fn settle(self, home: &Path, repo: &Path, url: &str) {
        match self {
            Host::ClaudeCode => settle_claude_code(home, repo),
            Host::Codex => settle_codex(home, repo, url),
        }
    }

    /// Arguments of one turn without a terminal.
    pub(crate) fn turn(self, prompt: &str) -> Vec<OsString> {
        match self {
            Host::ClaudeCode => words(&["-p", prompt]),
            Host::Codex => words(&["exec", "--dangerously-bypass-hook-trust", prompt]),
        }
    }

    /// Arguments of one more turn of the newest conversation.
    pub(crate) fn resumed_turn(self, prompt: &str) -> Vec<OsString> {
        match self {
            Host::ClaudeCode => words(&["-p", "--continue", prompt]),
            Host::Codex => words(&[
                "exec",
                "--dangerously-bypass-hook-trust",
                "resume",
                "--last",
                prompt,
            ]),
        }
    }

    /// Arguments in a terminal. Codex: its own process runs the hooks, not a server behind it.
    pub(crate) fn terminal(self) -> Vec<OsString> {
        match self {
            Host::ClaudeCode => Vec::new(),
            Host::Codex => words(&["--no-daemon", "--dangerously-bypass-hook-trust"]),
        }
    }

    /// What stands at its input line.
    pub(crate) fn prompt_sign(self) -> &'static str {
        match self {
            Host::ClaudeCode => "❯",
            Host::Codex => "›",
        }
    }

    /// What it shows at the end of each turn, where it refuses orders until then.
    pub(crate) fn turn_end_sign(self) -> Option<&'static str> {
        match self {
            // It keeps orders until the turn has ended.
            Host::ClaudeCode => None,
            Host::Codex => Some("Worked for"),
        }
    }

    /// What it shows when it has compacted.
    pub(crate) fn compacted_sign(self) -> &'static str {
        match self {
            Host::ClaudeCode => "Compacted",
            Host::Codex => "Context compacted",
        }
    }

    /// The line that ends it.
    pub(crate) fn exit_line(self) -> &'static str {
        match self {
            Host::ClaudeCode => "/exit",
            Host::Codex => "/quit",
        }
    }
}

/// `~/.claude.json` and `~/.claude/settings.json` of Claude Code 2.1.332: no first-run questions, the folder trusted, tools
/// allowed.
fn settle_claude_code(home: &Path, repo: &Path) {
    let state = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "numStartups": 5,
        "lastOnboardingVersion": "99.0.0",
        "lastReleaseNotesSeen": "99.0.0",
        "customApiKeyResponses": {"approved": [&KEY[KEY.len() - 20..]], "rejected": []},
        "autoModeOptInDismissed": true,
        "hasResetAutoModeOptInForDefaultOffer": true,
        "projects": {
            repo.to_str().unwrap(): {
                "hasTrustDialogAccepted": true,
                "hasCompletedProjectOnboarding": true,
                "projectOnboardingSeenCount": 4,
            },
        },
    });
    let settings = json!({"permissions": {
        "defaultMode": "acceptEdits",
        "allow": ["Bash", "Edit", "Write", "Read", "Agent"],
    }});
    std::fs::create_dir_all(home.join(".claude")).unwrap();
    std::fs::write(home.join(".claude.json"), state.to_string()).unwrap();
    std::fs::write(home.join(".claude/settings.json"), settings.to_string()).unwrap();
}

/// `config.toml` of Codex 0.171.0: our model, the folder trusted, commands allowed, a window that fills at the same count of
/// tokens as Claude Code's, and no guessing at pasted text, which would take our Enter for a part of it.
fn settle_codex(home: &Path, repo: &Path, url: &str) {
    let config = format!(
        "model = \"gpt-6.2-sol\"\n\
         model_provider = \"live\"\n\
         check_for_update_on_startup = false\n\
         sandbox_mode = \"danger-full-access\"\n\
         approval_policy = \"never\"\n\
         model_auto_compact_token_limit = 160000\n\
         disable_paste_burst = true\n\
         analytics.enabled = false\n\
         [model_providers.live]\n\
         name = \"live\"\n\
         base_url = \"{url}/v1\"\n\
         wire_api = \"responses\"\n\
         env_key = \"LIVE_KEY\"\n\
         [projects.{repo:?}]\n\
         trust_level = \"trusted\"\n"
    );
    std::fs::create_dir_all(home.join(".codex")).unwrap();
    std::fs::write(home.join(".codex/config.toml"), config).unwrap();
}

/// Sub-folders of `dir` whose names begin so.
fn folders(dir: &Path, start: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(start))
        .map(|entry| entry.path())
        .collect()
}

/// Arguments as a program takes them.
fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}
