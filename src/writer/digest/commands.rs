//! Which commands were run, taken apart from the shell around them, and how each ended.

use std::collections::HashMap;

use super::Made;
use super::paths::Place;
use crate::handoff::command_line::{quoted, split};
use crate::handoff::transcript::{Action, Outcome, ToolUse};

#[cfg(test)]
mod tests;

/// A longer command is a script: nobody runs it again by its words, in bytes.
const COMMAND_BYTES_MAX: usize = 160;
/// Commands that look, or move between folders: a card does not tell them.
const LOOKING: &[&str] = &[
    "awk", "basename", "cat", "cd", "command", "cp", "cut", "date", "df", "diff", "dirname", "do",
    "done", "du", "echo", "egrep", "else", "env", "exit", "export", "false", "fgrep", "fi", "file",
    "find", "for", "gh", "git", "grep", "head", "hexdump", "id", "if", "jobs", "jq", "kill",
    "less", "ln", "ls", "lsof", "man", "mkdir", "more", "mv", "od", "open", "pgrep", "pkill",
    "popd", "printenv", "printf", "ps", "pushd", "pwd", "readlink", "realpath", "rg", "rm",
    "rmdir", "sed", "set", "shasum", "sleep", "sort", "source", "stat", "tail", "tee", "test",
    "then", "time", "touch", "tr", "tree", "true", "type", "uname", "uniq", "unset", "unzip",
    "wait", "wc", "whereis", "which", "while", "whoami", "xargs", "xxd", "yes", "chmod", "chown",
    "{", "}", "(", "[", "[[",
];
/// Words that make any command one that only looks.
const ASKING: &[&str] = &["--help", "--version", "version", "help", "-V"];
/// A line of output with one of these says that something failed.
const FAILING: &[&str] = &[
    "error",
    "fail",
    "panic",
    "fatal",
    "exception",
    "not found",
    "undefined",
    "denied",
];
/// A line with one of these says that nothing did.
const NOT_FAILING: &[&str] = &[
    "0 failed",
    "0 errors",
    "no errors",
    "0 failures",
    "task failed",
    "0 fail",
];

/// One command and its runs.
#[derive(Debug)]
pub(in crate::writer) struct Run<'t> {
    /// To the letter, without what stands around it in its shell line.
    pub(in crate::writer) bare: String,
    /// The same with the folder that it must run in, where that is not the one in which commands run anyway.
    pub(in crate::writer) line: String,
    /// How often it ran.
    pub(in crate::writer) times: usize,
    /// The place of its last run.
    pub(in crate::writer) last: usize,
    /// How its last run ended.
    pub(in crate::writer) ran: Ran,
    /// Its exit status where the host says it.
    pub(in crate::writer) exit: Option<i32>,
    /// The output of its last run.
    pub(in crate::writer) output: &'t str,
    /// The last run that failed: its place and its output.
    pub(in crate::writer) failure: Option<(usize, &'t str)>,
    /// The number of the call of each run.
    uses: Vec<usize>,
}

/// How a command's run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::writer) enum Ran {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// The shell around it hides how it ended, or it never ended.
    Unknown,
}

impl Run<'_> {
    /// The command without its flags and paths: `go test`, `mise run fmt`.
    pub(in crate::writer) fn kind(&self) -> &str {
        let end = self
            .bare
            .split_inclusive(' ')
            .take_while(|word| {
                !word.starts_with(['-', '"', '\'', '$']) && !word.contains(['/', '=', '.'])
            })
            .map(str::len)
            .sum();
        self.bare[..end].trim_end()
    }

    /// Whether somebody who writes `line` means this command.
    pub(in crate::writer) fn is(&self, line: &str) -> bool {
        self.line == line || self.bare == line
    }

    /// How much it was run, the latest runs most. `calls` is the number of the last call.
    pub(in crate::writer) fn weight(&self, calls: usize) -> f64 {
        super::weight(&self.uses, calls)
    }
}

/// Every command of the shell lines that were added.
#[derive(Default)]
pub(super) struct Runs<'t> {
    /// A command that ran again stands at the place of its last run alone.
    runs: Vec<Option<Run<'t>>>,
    places: HashMap<String, usize>,
}

impl<'t> Runs<'t> {
    /// Adds what one shell line ran. `number` is the call's.
    pub(super) fn add(&mut self, at: usize, number: usize, call: &'t ToolUse, place: &Place) {
        let Action::Run { command, cwd } = &call.action else {
            return;
        };
        if call.outcome == Outcome::Rejected {
            return;
        }
        let mut folder = place.folder(cwd.as_deref());
        let parts = parts(&one_line(command));
        for (n, part) in parts.iter().enumerate() {
            if let Some(to) = changes_folder(&part.line) {
                folder = place.moved(folder.as_deref(), &to);
            }
            if !is_telling(&part.line) {
                continue;
            }
            let ran = ending(call, part, n + 1 == parts.len());
            let exit = match (&call.outcome, ran) {
                (Outcome::Failed(exit), Ran::Failed) => *exit,
                (_, Ran::Passed) => Some(0),
                _ => None,
            };
            let line = match folder
                .as_deref()
                .filter(|folder| place.must_be_told(folder))
            {
                Some(folder) => format!("cd {} && {}", quoted(folder), part.line),
                None => part.line.clone(),
            };
            let known = self.places.insert(line.clone(), self.runs.len());
            let known = known.and_then(|place| self.runs.get_mut(place)?.take());
            let (mut uses, mut failure) = (Vec::new(), None);
            if let Some(known) = known {
                uses = known.uses;
                failure = known.failure;
            }
            uses.push(number);
            if ran == Ran::Failed {
                failure = Some((at, call.output.as_str()));
            }
            self.runs.push(Some(Run {
                bare: part.line.clone(),
                line,
                times: uses.len(),
                uses,
                last: at,
                ran,
                exit,
                output: &call.output,
                failure,
            }));
        }
    }

    /// All of them, the one that ran last at the end.
    pub(super) fn finish(self) -> Vec<Run<'t>> {
        self.runs.into_iter().flatten().collect()
    }
}

/// The commit that a shell line made: git prints `[branch 1a2b3c4] subject`.
pub(super) fn commit(at: usize, command: &str, call: &ToolUse) -> Option<Made> {
    if !command.contains("git") || !command.contains("commit") || call.outcome != Outcome::Ok {
        return None;
    }
    call.output.lines().find_map(|line| {
        let (place, subject) = line.trim().strip_prefix('[')?.split_once("] ")?;
        let id = place.rsplit(' ').next()?;
        let hex = id.len() >= 7 && id.bytes().all(|b| b.is_ascii_hexdigit());
        (hex && place.contains(' ')).then(|| Made {
            at,
            id: id.to_owned(),
            subject: subject.to_owned(),
        })
    })
}

/// The line of a failing command's output that says most: the first that names a place in a file, else a failure.
pub(in crate::writer) fn shown(output: &str) -> Option<&str> {
    let lines = || output.lines().map(str::trim).filter(|line| line.len() > 3);
    lines()
        .find(|line| names_place(line))
        .or_else(|| lines().find(|line| says_failing(line)))
        .or_else(|| lines().find(|line| shown_failure(line)))
}

/// `src/a.rs:12: …` at the beginning of a line.
fn names_place(line: &str) -> bool {
    let first = line.split(' ').next().unwrap_or_default();
    let mut parts = first.split(':');
    let file = parts.next().unwrap_or_default();
    let number = parts.next().unwrap_or_default();
    file.contains('.')
        && !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit())
        && line.len() > first.len()
}

fn says_failing(line: &str) -> bool {
    let low = line.to_lowercase();
    FAILING.iter().any(|word| low.contains(word))
        && !NOT_FAILING.iter().any(|word| low.contains(word))
}

/// How one part of a shell line ended.
fn ending(call: &ToolUse, part: &Part, last: bool) -> Ran {
    match call.outcome {
        Outcome::Ok if part.piped || part.forgiven => match shown_failure(&call.output) {
            true => Ran::Failed,
            false => Ran::Unknown,
        },
        Outcome::Ok => match last || part.checked {
            true => Ran::Passed,
            false => Ran::Unknown,
        },
        Outcome::Failed(_) if part.alone => Ran::Failed,
        Outcome::Failed(_) if last && !part.piped => Ran::Failed,
        _ => Ran::Unknown,
    }
}

/// Whether an output whose exit status is hidden still says that something failed: only words that test runners
/// and compilers put at the beginning of a line.
fn shown_failure(output: &str) -> bool {
    let starts = [
        "FAIL",
        "--- FAIL",
        "error:",
        "error[",
        "ERROR",
        "Error:",
        "panic:",
        "FAILED",
        "fatal:",
        "make: ***",
    ];
    output.lines().any(|line| {
        let line = line.trim_start();
        starts.iter().any(|start| line.starts_with(start))
    })
}

/// Whether a card should tell a command.
fn is_telling(line: &str) -> bool {
    let mut words = line.split_whitespace().skip_while(|word| is_setting(word));
    let Some(first) = words.next() else {
        return false;
    };
    line.len() <= COMMAND_BYTES_MAX
        && !LOOKING.contains(&first)
        && !line.split_whitespace().any(|word| ASKING.contains(&word))
        && !first.starts_with(['#', '-', '<', '>', '$', '"', '\''])
        && first.chars().any(char::is_alphanumeric)
}

/// Where `cd folder` goes; an empty text for what a shell alone knows.
fn changes_folder(line: &str) -> Option<String> {
    let line = line.trim_start_matches(['(', ' ']);
    let rest = line.strip_prefix("cd").or(line.strip_prefix("pushd"))?;
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let mut words = split(rest).unwrap_or_default();
    let to = words.pop().filter(|_| words.is_empty());
    Some(
        to.filter(|to| !to.contains(['$', '`', '*']))
            .unwrap_or_default(),
    )
}

/// `NAME=value` before a command.
fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// A shell line without the texts that it feeds to a command (`<<EOF`), nor the command that reads them; lines that
/// a backslash joins are joined.
fn one_line(command: &str) -> String {
    let lines: Vec<&str> = command.split("\\\n").map(str::trim).collect();
    let joined = lines.join(" ");
    match joined.find("<<") {
        Some(at) => {
            let before = &joined[..at];
            let last = before
                .rfind(['\n', ';', '&', '|'])
                .map_or(0, |mark| mark + 1);
            before[..last].to_owned()
        }
        None => joined,
    }
}

/// One command of a shell line.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    line: String,
    /// Its output goes into another command, whose exit status the shell gives.
    piped: bool,
    /// `||` or `;` stands behind it: whatever it ends with, the line goes on.
    forgiven: bool,
    /// `&&` stands behind it: had it failed, the line would have.
    checked: bool,
    /// Nothing else in the line can fail.
    alone: bool,
}

/// Takes a shell line apart at `&&`, `||`, `;`, `|` and line ends outside of quotes; redirections are cut off.
fn parts(command: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let (mut quote, mut start, mut in_pipe) = (None, 0, false);
    let bytes = command.as_bytes();
    let mut at = 0;
    while at <= bytes.len() {
        let here = bytes.get(at).copied();
        let next = bytes.get(at + 1).copied();
        let end = match (quote, here) {
            (_, None) => Some(("", 0)),
            (Some(open), Some(b)) => {
                if b == b'\\' && open == b'"' && next.is_some() {
                    at += 1;
                } else if b == open {
                    quote = None;
                }
                None
            }
            (None, Some(b @ (b'\'' | b'"'))) => {
                quote = Some(b);
                None
            }
            (None, Some(b'\\')) if next.is_some() => {
                at += 1;
                None
            }
            (None, Some(b'&')) if next == Some(b'&') => Some(("&&", 2)),
            (None, Some(b'|')) if next == Some(b'|') => Some(("||", 2)),
            (None, Some(b'|')) => Some(("|", 1)),
            (None, Some(b';' | b'\n')) => Some((";", 1)),
            _ => None,
        };
        if let Some((mark, width)) = end {
            let line = without_redirections(command[start..at].trim());
            if !in_pipe && !line.is_empty() {
                parts.push(Part {
                    line,
                    piped: mark == "|",
                    forgiven: mark == "||" || mark == ";",
                    checked: mark == "&&",
                    alone: false,
                });
            } else if let Some(last) = parts.last_mut().filter(|_| in_pipe && mark != "|") {
                // The end of a pipeline: what stands behind it holds for its first command.
                last.forgiven = mark == "||" || mark == ";";
            }
            in_pipe = mark == "|";
            at += width;
            start = at;
            if width > 0 {
                continue;
            }
        }
        at += 1;
    }
    // `;` at the very end forgives nothing.
    if let Some(last) = parts.last_mut().filter(|last| !last.piped) {
        last.forgiven &= command.trim_end().ends_with("true");
    }
    let failing = |part: &&Part| !part.line.starts_with("cd ") && !part.line.starts_with("export ");
    let alone = parts.iter().filter(failing).count() == 1;
    for part in &mut parts {
        part.alone = alone && !part.piped;
    }
    parts
}

/// A command without `2>&1`, `> file` and `&` behind it.
fn without_redirections(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let is_redirection = |word: &&str| {
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
        word.starts_with('>') && !word.starts_with(">=")
    };
    let quoted = |n: usize| {
        let before = words[..n].join(" ");
        before.matches('"').count() % 2 == 1 || before.matches('\'').count() % 2 == 1
    };
    let cut = (1..words.len()).find(|n| is_redirection(&words[*n]) && !quoted(*n));
    let line = words[..cut.unwrap_or(words.len())].join(" ");
    let line = line.trim();
    line.strip_suffix(" &").unwrap_or(line).trim().to_owned()
}
