//! The hosts: what each says to a hook, how it records a conversation, what it hears, where it is wired.
//!
//! A host is one row of [`ADAPTERS`] and one folder. Hosts know nothing of git and nothing of cards.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::handoff::card::ModelCall;
use crate::handoff::transcript::{ContextUse, Transcript};

pub(crate) mod claude_code;
pub(crate) mod codex;
mod hooks_file;
mod json_text;
mod lines;
mod skim;
pub(crate) mod status_line;
mod tail;

/// Every host that we know.
pub(crate) const ADAPTERS: &[Adapter] = &[claude_code::ADAPTER, codex::ADAPTER];

/// What we know of one host.
#[derive(Clone, Copy)]
pub(crate) struct Adapter {
    /// Its name on the command line, on cards, and in settings.
    pub(crate) name: &'static str,
    /// Its name for people.
    pub(crate) title: &'static str,
    /// One hook's standard input, read; total over all bytes.
    pub(crate) parse: fn(&[u8]) -> anyhow::Result<Event>,
    /// A transcript file, read to its end.
    pub(crate) read: fn(&Path) -> anyhow::Result<Transcript>,
    /// The newest transcript of a conversation in `dir` or below it; `None` when there is none.
    pub(crate) find: fn(&Places, &Path) -> anyhow::Result<Option<PathBuf>>,
    /// The transcript of one session; `None` when there is none.
    pub(crate) find_session: fn(&Places, &str) -> anyhow::Result<Option<PathBuf>>,
    /// What we mean, as the bytes and the exit code that this host understands for that event.
    pub(crate) render: fn(&Moment, &Reply) -> Answer,
    /// How full the window was at the last answer, from the end of a transcript; none where it does not say, or when
    /// the conversation was compacted since.
    pub(crate) context: fn(&Path) -> Option<ContextUse>,
    /// Whether `marker` stands in the transcript behind `from` bytes; none while the host has not gone on since.
    pub(crate) arrived: fn(path: &Path, from: u64, marker: &str) -> Option<bool>,
    /// Whether the folder that it names follows the agent's `cd`, and it says to its hooks where the conversation began
    /// (`CLAUDE_PROJECT_DIR`).
    pub(crate) names_project: bool,
    /// How to find its process above a hook.
    pub(crate) processes: Processes,
    /// How long its PreCompact hook may wait for subagents: below the time after which the host cuts it short.
    pub(crate) hold_max: Duration,
    /// Where and how it is wired.
    pub(crate) wiring: Wiring,
}

/// How to find a host's process above a hook.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Processes {
    /// The program's name.
    pub(crate) program: &'static str,
    /// An argument that tells a process which serves several conversations.
    pub(crate) shared: Option<&'static str>,
    /// Whether the host names its process to its hooks.
    pub(crate) names_itself: bool,
}

/// The host with that name.
pub(crate) fn find(name: &str) -> Option<&'static Adapter> {
    ADAPTERS.iter().find(|host| host.name == name)
}

/// Folders in which hosts keep their files, read from the environment at the door.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    /// The person's home.
    pub(crate) home: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`; `~/.claude` when unset.
    pub(crate) claude_config: Option<PathBuf>,
    /// `CODEX_HOME`; `~/.codex` when unset.
    pub(crate) codex_home: Option<PathBuf>,
}

/// What a host told us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// The conversation; none when the host did not say.
    pub(crate) session: Option<String>,
    /// Its transcript, as the host named it.
    pub(crate) transcript: Option<PathBuf>,
    /// The folder that the host is in.
    pub(crate) cwd: Option<PathBuf>,
    /// Set inside of a subagent: its id. Such an event never touches the conversation's own chain.
    pub(crate) agent: Option<String>,
    /// The event itself.
    pub(crate) moment: Moment,
}

/// The event itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A compaction is about to begin.
    PreCompact {
        /// Whether the person asked for it.
        manual: bool,
        /// What the person wrote behind `/compact`.
        instructions: Option<String>,
    },
    /// A compaction has ended.
    PostCompact,
    /// A conversation, or a new window of it, begins.
    SessionStart(Source),
    /// A conversation ends; the host's word for why.
    SessionEnd(EndReason),
    /// The person (or, as `by_person` tells, the host) sends a prompt.
    PromptSubmit {
        /// What is sent.
        prompt: String,
        /// False for what the host itself sends, such as a background result.
        by_person: bool,
    },
    /// A turn has ended.
    Stop {
        /// Subagents that the host says are running; none where it does not say.
        running: Option<Vec<RunningAgent>>,
    },
    /// A subagent starts.
    SubagentStart(AgentSeen),
    /// A subagent has ended.
    SubagentStop(AgentSeen),
    /// A tool is about to run, and it starts a subagent.
    PreSpawn {
        /// The host's kind of subagent.
        kind: Option<String>,
        /// What it is asked.
        prompt: String,
    },
    /// A function hook is about to take the place of the host's own summary: it wants to know what a model is to be asked.
    SummaryWanted {
        /// Whether the person asked for the compaction.
        manual: bool,
        /// What the person wrote behind `/compact`.
        instructions: Option<String>,
        /// Subagents that the host says are running.
        running: Vec<RunningAgent>,
        /// How long this compaction has been put off so far; none when it is asked for the first time.
        held: Option<Duration>,
    },
    /// The function hook has asked the model.
    SummaryWritten(SummaryWritten),
    /// Anything else; the host's name for it.
    Other(String),
}

/// What a function hook brings back from a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SummaryWritten {
    /// The card by rules that stands meanwhile, by its commit's id in hex.
    pub(crate) card: String,
    /// Subagents that the host says are running.
    pub(crate) running: Vec<RunningAgent>,
    /// Whether the agent is in the middle of a turn: then its last calls are handed back, and its prompt is not.
    pub(crate) in_turn: bool,
    /// Which model was asked, and what it cost.
    pub(crate) call: ModelCall,
    /// The model's words, or why there are none.
    pub(crate) said: Result<String, String>,
}

/// Why a conversation or a window of it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A new one.
    Startup,
    /// An old one taken up.
    Resume,
    /// The person cleared the one before.
    Clear,
    /// It was compacted.
    Compact,
    /// A copy of another one.
    Fork,
}

/// Why a conversation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndReason {
    /// The person cleared it.
    Clear,
    /// Anything else: exit, logout, another one taken up.
    Other,
}

/// What an event says of a subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentSeen {
    /// The host's id of it.
    pub(crate) id: String,
    /// The host's kind; none where the host leaves it empty (a compaction's own fork in Claude Code).
    pub(crate) kind: Option<String>,
    /// The file with its conversation.
    pub(crate) transcript: Option<PathBuf>,
    /// Its last answer.
    pub(crate) answer: Option<String>,
}

/// A subagent that a host lists as running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunningAgent {
    /// The host's id of it.
    pub(crate) id: String,
    /// The host's kind.
    pub(crate) kind: Option<String>,
    /// The host's short description.
    pub(crate) description: Option<String>,
}

/// What we mean to tell the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reply {
    /// Nothing.
    Quiet,
    /// Text for the agent, and a line for the person where there is one.
    Context {
        text: String,
        notice: Option<String>,
    },
    /// Text behind the host's own summary prompt; only PreCompact has such a thing.
    SummaryHint(String),
    /// The subagent must not start, and why.
    RefuseSpawn(String),
    /// For a function hook: what it is to do next.
    ForFunctionHook(Next),
    /// Something went wrong on our side: one line; the host goes on.
    Trouble(String),
}

/// What a function hook is to do next. Cards are named by their commit's id in hex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    /// Ask a model, and bring back what it says.
    Ask {
        /// The card by rules that stands meanwhile.
        card: String,
        /// What the model is to do.
        orders: String,
        /// What it is to do it with.
        data: String,
        /// How many tokens it may write.
        output_tokens_max: u32,
        /// How long it may take.
        time_max: Duration,
    },
    /// Subagents run, and the compaction is put off: come again at once.
    Wait {
        /// How long it has been put off so far.
        held: Duration,
    },
    /// Put this text in the conversation's place.
    Replace {
        /// The card that it holds.
        card: String,
        /// The text.
        text: String,
    },
    /// Let the host compact by itself; a line for the person says why, where there is something to say.
    StepAside(Option<String>),
}

/// The bytes and the exit code that a host gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// For standard output.
    pub(crate) stdout: String,
    /// For standard error.
    pub(crate) stderr: String,
    /// 0 or 1; never 2, which hosts read as "block".
    pub(crate) code: u8,
}

/// Where and how a host is wired.
#[derive(Clone, Copy)]
pub(crate) struct Wiring {
    /// Which work tree's settings file counts.
    pub(crate) project: Project,
    /// The settings file for one project, from its root.
    pub(crate) project_file: fn(&Path) -> PathBuf,
    /// The settings file of the person; none when there is no home.
    pub(crate) user_file: fn(&Places) -> Option<PathBuf>,
    /// The file's text with our hooks in it (`None` for a file that is not there): everything else as it was.
    /// `binary` is the absolute path of the program to call. Equal text when they are in it already.
    pub(crate) add: fn(text: Option<&str>, binary: &Path) -> anyhow::Result<String>,
    /// The file's text without our hooks; `None` when nothing else is in it, so that the file goes.
    pub(crate) remove: fn(text: &str) -> anyhow::Result<Option<String>>,
    /// Our hooks in the file's text, in its order.
    pub(crate) list: fn(text: &str) -> anyhow::Result<Vec<Wired>>,
    /// What else the host's files say about our hooks, those of a project among them.
    pub(crate) standing: fn(&Places, project_root: Option<&Path>) -> Standing,
    /// What the person has to do beside, one line each.
    pub(crate) advice: &'static [&'static str],
    /// How its status line is set; none where it has none that runs a command.
    pub(crate) status_line: Option<StatusLineWiring>,
}

/// How a host is told which command prints its status line.
#[derive(Clone, Copy)]
pub(crate) struct StatusLineWiring {
    /// Every settings file that may set one, whichever of them counts.
    pub(crate) files: fn(&Places, project_root: Option<&Path>) -> Vec<PathBuf>,
    /// What a file's text sets.
    pub(crate) find: fn(text: &str) -> anyhow::Result<Option<LineSet>>,
    /// The file's text (`None` for a file that is not there) with ours in it, where none is set. [`Wiring::remove`]
    /// takes it out again.
    pub(crate) add: fn(text: Option<&str>, binary: &Path) -> anyhow::Result<String>,
}

/// A status line that a settings file sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineSet {
    /// Its command line.
    pub(crate) command: String,
    /// Whether it runs ours.
    pub(crate) ours: bool,
}

/// Which work tree of a repository holds a host's settings file for the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Project {
    /// The one that the host runs in.
    WorkTree,
    /// The one that the repository was made with, for all linked ones too.
    MainCheckout,
}

/// A hook of ours that was found in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wired {
    /// The host's name of the event.
    pub(crate) event: String,
    /// The program that it calls: a path, or a name to be found on `PATH`; none where it cannot be told.
    pub(crate) binary: Option<PathBuf>,
}

/// What else a host's files say about our hooks. A file that cannot be read says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Files that switch a plugin of ours on.
    pub(crate) plugins: Vec<PathBuf>,
    /// What keeps wired hooks from running.
    pub(crate) obstacles: Vec<Obstacle>,
}

/// Something that keeps wired hooks from running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Obstacle {
    /// What it is, in one line.
    pub(crate) what: String,
    /// What the person can do about it.
    pub(crate) mend: String,
}
