//! What the environment says; read once, at the door.

use std::path::PathBuf;

use crate::git::GitEnv;
use crate::hosts::Places;

/// The environment as values.
#[derive(Debug, Clone, Default)]
pub(crate) struct Env {
    /// The folder that the program was started in.
    pub(crate) cwd: PathBuf,
    /// What git honours.
    pub(crate) git: GitEnv,
    /// Where hosts keep their files.
    pub(crate) places: Places,
    /// The conversation that called us: `CLAUDE_CODE_SESSION_ID` or `CODEX_SESSION_ID`.
    pub(crate) session: Option<String>,
    /// `NO_COLOR` is set and not empty.
    pub(crate) no_color: bool,
    /// `TERM`.
    pub(crate) term: Option<String>,
    /// `GIT_PAGER`.
    pub(crate) git_pager: Option<String>,
    /// `PAGER`.
    pub(crate) pager: Option<String>,
}

impl Env {
    /// Reads it.
    pub(crate) fn read() -> Self {
        Self::default()
    }
}
