//! Settings: the environment and the clock, read once at the door ([`Env`]), and `segue.*` of git's config
//! ([`Settings`]). Nothing below reads any of them.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::git::{GitEnv, Repo, Section, date};
use crate::hosts::Places;

mod faults;

pub(crate) use faults::faults;

/// The section of git's configuration that is ours.
const SECTION: &str = "segue";

/// Seconds between autosaves.
const SAVE_INTERVAL_SECONDS: u64 = 120;
/// Context use beyond which a prompt flushes an autosave and the agent is told, in percent.
const PRESSURE_PERCENT: u64 = 90;
/// Context use beyond which no subagent may start, in percent.
const GUARD_PERCENT: u64 = 95;

/// As the name of a model: the rules write.
pub(crate) const NO_MODEL: &str = "none";
/// How long a model may take to write a card, in seconds.
const MODEL_TIMEOUT_SECONDS: u64 = 60;

/// Variables that hold the key of a model's provider.
const KEY_VARIABLES: [&str; 3] = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"];

/// Variables that name a terminal pane, the innermost first.
const PANE_VARIABLES: [&str; 6] = [
    "TMUX_PANE",
    "ZELLIJ_PANE_ID",
    "WEZTERM_PANE",
    "KITTY_WINDOW_ID",
    "ITERM_SESSION_ID",
    "WT_SESSION",
];

/// What the environment says, read once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Env {
    /// The current folder.
    pub(crate) cwd: PathBuf,
    /// This program's own path.
    pub(crate) program: Option<PathBuf>,
    /// `HOME`, or `USERPROFILE`.
    pub(crate) home: Option<PathBuf>,
    /// `XDG_STATE_HOME`, or `~/.local/state`.
    pub(crate) state_home: Option<PathBuf>,
    /// Where the hosts keep their files.
    pub(crate) places: Places,
    /// What the repository needs to know.
    pub(crate) git: GitEnv,
    /// `GIT_SEGUE_DISABLE` is set: every hook is quiet.
    pub(crate) disabled: bool,
    /// The conversation that this process was started by, as the hosts say it to the commands of their agents:
    /// `CLAUDE_CODE_SESSION_ID` (Claude Code 2.1.332), `CODEX_SESSION_ID` (Codex 0.171.0).
    pub(crate) session: Option<String>,
    /// `CLAUDE_PID`: the host's process, as Claude Code 2.1.332 says it to its hooks.
    pub(crate) claude_pid: Option<u32>,
    /// `CLAUDE_PROJECT_DIR`: the folder in which the conversation began, as Claude Code 2.1.332 says it to its hooks.
    pub(crate) project_dir: Option<PathBuf>,
    /// The innermost terminal pane, as `TMUX_PANE=%3`.
    pub(crate) pane: Option<String>,
    /// `NO_COLOR` is set and not empty.
    pub(crate) no_color: bool,
    /// `TERM`.
    pub(crate) term: Option<String>,
    /// `GIT_PAGER`.
    pub(crate) git_pager: Option<String>,
    /// `PAGER`.
    pub(crate) pager: Option<String>,
    /// `LESS` is set.
    pub(crate) less: bool,
    /// `GIT_SEGUE_MODEL`: takes the place of `segue.model`.
    pub(crate) model: Option<String>,
    /// `CLAUDE_PLUGIN_OPTION_HOLDMINUTES`: takes the place of `segue.holdMinutes`; what the person set for our plugin, as
    /// Claude Code 2.1.332 says it to its hooks.
    pub(crate) hold_minutes: Option<u64>,
    /// Variables of the environment that hold a model provider's key, with their values.
    pub(crate) keys: Vec<(&'static str, String)>,
    /// `GIT_PAGER_IN_USE`: git has put a pager behind us (`git -p segue log`).
    pub(crate) behind_pager: bool,
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the environment"
)]
fn raw(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

fn var(name: &str) -> Option<OsString> {
    raw(name).filter(|value| !value.is_empty())
}

fn text(name: &str) -> Option<String> {
    var(name)?.into_string().ok()
}

impl Env {
    /// Reads the environment of this process, its clock, and its current folder.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the clock"
    )]
    pub(crate) fn read() -> Self {
        let home = var("HOME")
            .or_else(|| var("USERPROFILE"))
            .map(PathBuf::from);
        let below_home = |folder: &str| home.as_ref().map(|home| home.join(folder));
        let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let clock = clock.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(0));
        let offset =
            time::UtcOffset::current_local_offset().map_or(0, time::UtcOffset::whole_seconds);
        let (now, utc_offset) = text("GIT_COMMITTER_DATE")
            .and_then(|date| date::parse(&date))
            .unwrap_or((clock, offset));
        Self {
            cwd: std::env::current_dir().unwrap_or_default(),
            program: std::env::current_exe().ok(),
            state_home: var("XDG_STATE_HOME")
                .map(PathBuf::from)
                .or_else(|| below_home(".local/state")),
            places: Places {
                claude_config: var("CLAUDE_CONFIG_DIR")
                    .map(PathBuf::from)
                    .or_else(|| below_home(".claude")),
                codex_home: var("CODEX_HOME")
                    .map(PathBuf::from)
                    .or_else(|| below_home(".codex")),
                home: home.clone(),
            },
            home,
            git: GitEnv {
                config_parameters: text("GIT_CONFIG_PARAMETERS"),
                now,
                utc_offset,
                name: text("GIT_COMMITTER_NAME").or_else(|| text("GIT_AUTHOR_NAME")),
                email: text("GIT_COMMITTER_EMAIL").or_else(|| text("GIT_AUTHOR_EMAIL")),
                ssh_chosen: var("GIT_SSH_COMMAND").or_else(|| var("GIT_SSH")).is_some(),
            },
            disabled: var("GIT_SEGUE_DISABLE").is_some(),
            session: text("CLAUDE_CODE_SESSION_ID").or_else(|| text("CODEX_SESSION_ID")),
            claude_pid: text("CLAUDE_PID").and_then(|pid| pid.parse().ok()),
            project_dir: var("CLAUDE_PROJECT_DIR").map(PathBuf::from),
            pane: PANE_VARIABLES
                .iter()
                .find_map(|name| Some(format!("{name}={}", text(name)?))),
            no_color: var("NO_COLOR").is_some(),
            term: text("TERM"),
            // Empty means "no pager" to git, so it is not as if it were unset.
            git_pager: raw("GIT_PAGER").and_then(|value| value.into_string().ok()),
            pager: raw("PAGER").and_then(|value| value.into_string().ok()),
            model: text("GIT_SEGUE_MODEL"),
            hold_minutes: text("CLAUDE_PLUGIN_OPTION_HOLDMINUTES")
                .and_then(|value| value.trim().parse().ok()),
            keys: KEY_VARIABLES
                .iter()
                .filter_map(|name| Some((*name, text(name)?)))
                .collect(),
            behind_pager: text("GIT_PAGER_IN_USE").is_some_and(|value| truth(&value) == Some(true)),
            less: var("LESS").is_some(),
        }
    }
}

/// Every variable of the environment with its value; for finding secrets in text, and for nothing else.
pub(crate) fn variables() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// `segue.*`, resolved: command line, environment, local, global and system config, default.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// `segue.saveInterval`: seconds between autosaves; 0 saves at every turn.
    pub(crate) save_interval_seconds: u64,
    /// `segue.pressurePercent`; 0 is off.
    pub(crate) pressure_percent: u64,
    /// `segue.guardPercent`; 0 is off.
    pub(crate) guard_percent: u64,
    /// `segue.holdMinutes`; 0 is off.
    pub(crate) hold_minutes: u64,
    /// `segue.summaryHint`.
    pub(crate) summary_hint: bool,
    /// `segue.censusCommand`.
    pub(crate) census_command: Option<String>,
    /// `segue.redact`: further literal strings to take out.
    pub(crate) redact: Vec<String>,
    /// `segue.handoffDir`.
    pub(crate) handoff_dir: Option<PathBuf>,
    /// `segue.expire`: how old a session must be for `prune` to drop it, as git writes ages.
    pub(crate) expire: Option<String>,
    /// `segue.remote`: where cards are pushed to and fetched from when no remote is named.
    pub(crate) remote: Option<String>,
    /// `segue.trustRemote`: remotes whose cards are taken as ours without a signature.
    pub(crate) trust_remotes: Vec<String>,
    /// `segue.sign`: sign what is no autosave, as git is configured.
    pub(crate) sign: bool,
    /// `segue.autoPush`: push after each real card, behind the hook's back.
    pub(crate) auto_push: bool,
    /// `segue.carryWorktree`: cards carry the uncommitted work.
    pub(crate) carry_worktree: bool,
    /// Whether a model writes cards, and which.
    pub(crate) model: ModelSettings,
}

/// Whether a model writes cards, and which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelSettings {
    /// `GIT_SEGUE_MODEL`, else `segue.model`: `anthropic/<model>`, `openai/<model>`, `compatible/<model>`, `command`.
    /// None where the rules write alone; `none` says so too.
    pub(crate) name: Option<String>,
    /// Whether anybody said who writes, be it `none`: then the host's own model does not.
    pub(crate) is_chosen: bool,
    /// `segue.endpoint`: the provider's address where it is not the usual one.
    pub(crate) endpoint: Option<String>,
    /// `segue.apiKeyCommand`: prints the key.
    pub(crate) key_command: Option<String>,
    /// `segue.modelCommand`: reads the prompt, prints the answer.
    pub(crate) command: Option<String>,
    /// `segue.timeout`: how long the whole call may take, in seconds.
    pub(crate) timeout_seconds: u64,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            name: None,
            is_chosen: false,
            endpoint: None,
            key_command: None,
            command: None,
            timeout_seconds: MODEL_TIMEOUT_SECONDS,
        }
    }
}

impl ModelSettings {
    fn read(section: &Section, environment: Option<&str>) -> Self {
        let line = |key: &str| {
            let value = section.last(key)?;
            Some(value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let name = environment
            .map(|name| name.trim().to_owned())
            .or_else(|| line("model"));
        Self {
            is_chosen: name.is_some(),
            name: name.filter(|name| name != NO_MODEL),
            endpoint: line("endpoint"),
            key_command: line("apiKeyCommand"),
            command: line("modelCommand"),
            timeout_seconds: line("timeout")
                .and_then(|value| value.parse().ok())
                .unwrap_or(MODEL_TIMEOUT_SECONDS),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            save_interval_seconds: SAVE_INTERVAL_SECONDS,
            pressure_percent: PRESSURE_PERCENT,
            guard_percent: GUARD_PERCENT,
            hold_minutes: 0,
            summary_hint: true,
            census_command: None,
            redact: Vec::new(),
            handoff_dir: None,
            expire: None,
            remote: None,
            trust_remotes: Vec::new(),
            sign: false,
            auto_push: false,
            carry_worktree: false,
            model: ModelSettings::default(),
        }
    }
}

impl Settings {
    /// Reads `segue.*` as `repo` sees it; a value that is no number or no truth value counts as unset.
    pub(crate) fn read(repo: &Repo, env: &Env) -> Self {
        let section = repo.section(SECTION);
        let number = |key: &str, default| {
            let value = section
                .last(key)
                .and_then(|value| value.trim().parse().ok());
            value.unwrap_or(default)
        };
        let is_true = |key: &str| section.last(key).and_then(truth);
        let text = |key: &str| section.last(key).map(str::to_owned);
        let default = Self::default();
        Self {
            save_interval_seconds: number("saveInterval", default.save_interval_seconds),
            pressure_percent: number("pressurePercent", default.pressure_percent),
            guard_percent: number("guardPercent", default.guard_percent),
            hold_minutes: env
                .hold_minutes
                .unwrap_or_else(|| number("holdMinutes", default.hold_minutes)),
            summary_hint: is_true("summaryHint").unwrap_or(default.summary_hint),
            census_command: text("censusCommand").filter(|value| !value.trim().is_empty()),
            redact: section.all("redact").to_owned(),
            handoff_dir: section
                .last("handoffDir")
                .filter(|dir| !dir.is_empty())
                .map(|dir| expand(dir, env.home.as_ref())),
            expire: text("expire"),
            remote: text("remote").filter(|name| !name.is_empty()),
            trust_remotes: section.all("trustRemote").to_owned(),
            sign: is_true("sign").unwrap_or(default.sign),
            auto_push: is_true("autoPush").unwrap_or(default.auto_push),
            carry_worktree: is_true("carryWorktree").unwrap_or(default.carry_worktree),
            model: ModelSettings::read(&section, env.model.as_deref()),
        }
    }
}

/// A truth value as git spells them.
fn truth(value: &str) -> Option<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "" | "false" | "no" | "off" => Some(false),
        number => number.parse::<i64>().ok().map(|number| number != 0),
    }
}

/// `~/` at the beginning means the person's home, as git has it for paths.
fn expand(path: &str, home: Option<&PathBuf>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}
