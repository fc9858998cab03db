//! Subagents: what the host says it has running beside the conversation.

/// How far a subagent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubagentState {
    /// It was started and nothing said that it ended.
    Running,
    /// It ended.
    Finished,
}

/// One subagent of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Subagent {
    /// The host's id of it.
    pub(crate) id: String,
    /// The host's name for its kind (`general-purpose`, `default`), where known.
    pub(crate) kind: Option<String>,
    /// What it was asked, clipped.
    pub(crate) prompt: Option<String>,
    /// When it started, in seconds since 1970 UTC, where known.
    pub(crate) started: Option<i64>,
    /// Whether it runs.
    pub(crate) state: SubagentState,
    /// The file in which the host keeps its output or conversation.
    pub(crate) output: Option<String>,
    /// Its last answer, clipped.
    pub(crate) result: Option<String>,
}
