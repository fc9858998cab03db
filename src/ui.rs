//! The only printer: answers go to standard output, everything else to standard error; colour and pager as git has
//! them.

use std::io::{self, IsTerminal, Write};

use anyhow::Context;
use serde_json::Value;

use crate::git::process::Pager;
use crate::handoff::plain;

mod json;

/// What decides about colour and pager; from the environment first, then from git's config.
#[derive(Debug, Clone, Default)]
pub(crate) struct Look {
    /// `NO_COLOR` is set to something.
    pub(crate) no_color: bool,
    /// `TERM` is `dumb` or unset.
    pub(crate) dumb: bool,
    /// `GIT_PAGER_IN_USE` says so: git itself has put a pager behind us.
    pub(crate) behind_pager: bool,
    /// `color.ui`.
    pub(crate) color_ui: Option<String>,
    /// The pager's command line; see [`Look::choose_pager`].
    pub(crate) pager: Option<String>,
    /// What the pager finds in its environment where the person has not set it.
    pub(crate) pager_env: Vec<(&'static str, &'static str)>,
}

impl Look {
    /// git's order: `GIT_PAGER`, `core.pager`, `PAGER`, `less`; none where the first that is set is empty or `cat`.
    pub(crate) fn choose_pager(
        git_pager: Option<String>,
        core_pager: Option<String>,
        pager: Option<String>,
    ) -> Option<String> {
        git_pager
            .or(core_pager)
            .or(pager)
            .or_else(|| Some("less".to_owned()))
            .filter(|command| !command.trim().is_empty() && command.trim() != "cat")
    }

    /// Whether a stream is coloured: `color.ui` as git reads it, where `true` means `auto`.
    fn colours(&self, is_terminal: bool) -> bool {
        match self
            .color_ui
            .as_deref()
            .map(str::to_ascii_lowercase)
            .as_deref()
        {
            Some("always") => true,
            Some("never" | "false" | "no" | "off" | "0" | "") => false,
            _ => is_terminal && !self.dumb && !self.no_color,
        }
    }
}

/// A colour by what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    /// None.
    Plain,
    /// A card's id, as git colours a commit's.
    Id,
    /// A heading.
    Title,
    /// It holds.
    Good,
    /// It may not hold.
    Warn,
    /// It does not hold.
    Bad,
    /// A hint.
    Hint,
    /// Beside the point.
    Faint,
    /// Where a piece of a diff begins.
    Hunk,
}

impl Ink {
    /// The SGR parameters; none for no colour.
    fn sgr(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Id | Self::Warn | Self::Hint => Some("33"),
            Self::Title => Some("1"),
            Self::Good => Some("32"),
            Self::Bad => Some("31"),
            Self::Faint => Some("2"),
            Self::Hunk => Some("36"),
        }
    }
}

/// One line for people, in pieces. Whatever a piece holds, it can only show as text: control characters are made
/// harmless when it is printed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    pieces: Vec<(Ink, String)>,
}

impl Line {
    /// An empty line.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a piece without colour.
    pub(crate) fn text(self, text: impl Into<String>) -> Self {
        self.ink(Ink::Plain, text)
    }

    /// Adds a piece.
    pub(crate) fn ink(mut self, ink: Ink, text: impl Into<String>) -> Self {
        self.pieces.push((ink, text.into()));
        self
    }

    /// Adds another line's pieces.
    pub(crate) fn join(mut self, other: Line) -> Self {
        self.pieces.extend(other.pieces);
        self
    }

    fn render(&self, coloured: bool) -> String {
        let mut out = String::new();
        for (ink, text) in &self.pieces {
            let text = plain::for_terminal(text);
            match ink.sgr().filter(|_| coloured && !text.is_empty()) {
                Some(sgr) => out.push_str(&format!("\x1b[{sgr}m{text}\x1b[m")),
                None => out.push_str(&text),
            }
        }
        out
    }
}

/// The printer of one command.
pub(crate) struct Ui {
    look: Look,
    /// Whether standard output is a terminal; asking is a system call, and lines are many.
    is_terminal: bool,
    out: io::BufWriter<Out>,
}

/// Where answers go.
enum Out {
    Stdout(io::Stdout),
    Pager(Pager),
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Pager(pager) => pager.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::Pager(pager) => pager.flush(),
        }
    }
}

impl Ui {
    /// A printer on the program's own streams.
    pub(crate) fn new(look: Look) -> Self {
        Self {
            look,
            is_terminal: io::stdout().is_terminal(),
            out: io::BufWriter::new(Out::Stdout(io::stdout())),
        }
    }

    /// Takes note of what git's config says.
    pub(crate) fn set_look(&mut self, change: impl FnOnce(&mut Look)) {
        change(&mut self.look);
    }

    /// Lets the answer run through the pager, where a terminal would show it. One that does not start is done without,
    /// as git does.
    pub(crate) fn page(&mut self) -> anyhow::Result<()> {
        let Some(line) = self.look.pager.as_deref() else {
            return Ok(());
        };
        if !self.is_terminal || matches!(self.out.get_ref(), Out::Pager(_)) {
            return Ok(());
        }
        match Pager::start(line, &self.look.pager_env) {
            Ok(pager) => {
                self.finish()?;
                self.out = io::BufWriter::new(Out::Pager(pager));
            }
            Err(err) => {
                let warning = Line::new().ink(Ink::Warn, "warning: ");
                self.say(&warning.text(format!("cannot run pager `{line}`: {err}")));
            }
        }
        Ok(())
    }

    /// One line of the answer.
    pub(crate) fn line(&mut self, line: &Line) -> anyhow::Result<()> {
        let coloured = self
            .look
            .colours(self.is_terminal || self.look.behind_pager);
        self.write(&(line.render(coloured) + "\n"))
    }

    /// Lines of the answer without colour.
    pub(crate) fn text(&mut self, text: &str) -> anyhow::Result<()> {
        for line in text.lines() {
            self.line(&Line::new().text(line))?;
        }
        Ok(())
    }

    /// The answer for programs, on one line.
    pub(crate) fn json(&mut self, value: &Value) -> anyhow::Result<()> {
        let text = json::render(value);
        self.write(&(text + "\n"))
    }

    /// A line that is not the answer. Where even that cannot be written there is nobody left to tell.
    pub(crate) fn say(&mut self, line: &Line) {
        let coloured = self.look.colours(io::stderr().is_terminal());
        let text = line.render(coloured) + "\n";
        io::stderr().write_all(text.as_bytes()).unwrap_or_default();
    }

    /// Where the progress of a transfer goes: to a terminal that shows standard error, else nowhere.
    pub(crate) fn progress(&self) -> Option<fn(&[u8])> {
        io::stderr().is_terminal().then_some(show_progress)
    }

    /// Ends the answer: everything is written, and the person has left the pager.
    pub(crate) fn finish(&mut self) -> anyhow::Result<()> {
        let written = self.out.flush();
        if let Out::Pager(pager) = self.out.get_mut() {
            pager.finish().context("cannot wait for the pager")?;
        }
        written.context("cannot write the answer")
    }

    fn write(&mut self, text: &str) -> anyhow::Result<()> {
        self.out
            .write_all(text.as_bytes())
            .context("cannot write the answer")
    }
}

/// Prints a line of git's progress (`Writing objects: 50% (3/6)` and a return to its beginning); other lines are told
/// when the transfer has ended. Bytes that a terminal would obey are dropped.
fn show_progress(line: &[u8]) {
    if line.contains(&b'%') {
        let plain = |byte: &u8| matches!(byte, b'\r' | b'\n' | b' '..=b'~');
        let line: Vec<u8> = line.iter().copied().filter(plain).collect();
        io::stderr().write_all(&line).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_follows_gits_setting_then_the_terminal() {
        let check = |setting: Option<&str>, no_color, terminal, expect| {
            let look = Look {
                no_color,
                color_ui: setting.map(str::to_owned),
                ..Look::default()
            };
            assert_eq!(
                look.colours(terminal),
                expect,
                "{setting:?} {no_color} {terminal}"
            );
        };
        check(None, false, true, true);
        check(None, false, false, false);
        check(None, true, true, false);
        check(Some("always"), true, false, true);
        check(Some("true"), false, false, false);
        check(Some("auto"), false, true, true);
        check(Some("never"), false, true, false);
        check(Some("False"), false, true, false);
    }

    #[test]
    fn the_first_pager_that_is_set_wins_and_cat_means_none() {
        let check = |git: Option<&str>, core: Option<&str>, pager: Option<&str>, expect| {
            let own = |text: Option<&str>| text.map(str::to_owned);
            let chosen = Look::choose_pager(own(git), own(core), own(pager));
            assert_eq!(chosen.as_deref(), expect);
        };
        check(None, None, None, Some("less"));
        check(None, Some("delta"), Some("more"), Some("delta"));
        check(Some(""), Some("delta"), None, None);
        check(None, None, Some("cat"), None);
    }

    #[test]
    fn no_piece_can_command_the_terminal() {
        let line = Line::new().ink(Ink::Id, "a\x1b[2Jb").text("\u{9b}31mc\r");
        assert_eq!(line.render(false), "abc");
        assert_eq!(line.render(true), "\x1b[33mab\x1b[mc");
    }
}
