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
    /// `color.segue`, else `color.ui`.
    pub(crate) color: Option<String>,
    /// `color.pager`: whether what a pager shows is coloured.
    pub(crate) color_pager: Option<String>,
    /// The pager's command line; see [`Look::choose_pager`].
    pub(crate) pager: Option<String>,
    /// What the pager finds in its environment where the person has not set it.
    pub(crate) pager_env: Vec<(&'static str, &'static str)>,
}

impl Look {
    /// git's order: `pager.segue` where it is no yes or no, `GIT_PAGER`, `core.pager`, `PAGER`, `less`; none where
    /// `pager.segue` says no, or where the first that is set is empty or `cat`.
    pub(crate) fn choose_pager(
        own: Option<String>,
        git_pager: Option<String>,
        core_pager: Option<String>,
        pager: Option<String>,
    ) -> Option<String> {
        if own.as_deref().is_some_and(says_no) {
            return None;
        }
        own.filter(|text| !says_yes(text))
            .or(git_pager)
            .or(core_pager)
            .or(pager)
            .or_else(|| Some("less".to_owned()))
            .filter(|command| !command.trim().is_empty() && command.trim() != "cat")
    }

    /// Whether a stream is coloured: the setting as git reads it, where `true` means `auto`.
    fn colours(&self, shown: Shown) -> bool {
        let setting = self.color.as_deref().unwrap_or("auto");
        if setting.eq_ignore_ascii_case("always") {
            return true;
        }
        let wanted = match shown {
            Shown::Terminal => true,
            Shown::Pager => !self.color_pager.as_deref().is_some_and(says_no),
            Shown::Nowhere => false,
        };
        let never = setting.eq_ignore_ascii_case("never") || says_no(setting);
        wanted && !never && !self.dumb && !self.no_color
    }
}

/// What shows a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Terminal,
    Pager,
    /// It goes into a file or another program.
    Nowhere,
}

impl Shown {
    fn on(is_terminal: bool) -> Self {
        match is_terminal {
            true => Self::Terminal,
            false => Self::Nowhere,
        }
    }
}

/// One of git's words for no.
fn says_no(text: &str) -> bool {
    ["false", "no", "off", "0", ""].contains(&text.to_ascii_lowercase().as_str())
}

/// One of git's words for yes.
fn says_yes(text: &str) -> bool {
    ["true", "yes", "on", "1"].contains(&text.to_ascii_lowercase().as_str())
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
        let is_paged = self.look.behind_pager || matches!(self.out.get_ref(), Out::Pager(_));
        let shown = match is_paged {
            true => Shown::Pager,
            false => Shown::on(self.is_terminal),
        };
        let coloured = self.look.colours(shown);
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
        let coloured = self.look.colours(Shown::on(io::stderr().is_terminal()));
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
        let check = |setting: Option<&str>, no_color, shown, expect| {
            let look = Look {
                no_color,
                color: setting.map(str::to_owned),
                ..Look::default()
            };
            assert_eq!(
                look.colours(shown),
                expect,
                "{setting:?} {no_color} {shown:?}"
            );
        };
        check(None, false, Shown::Terminal, true);
        check(None, false, Shown::Pager, true);
        check(None, false, Shown::Nowhere, false);
        check(None, true, Shown::Terminal, false);
        check(Some("always"), true, Shown::Nowhere, true);
        check(Some("true"), false, Shown::Nowhere, false);
        check(Some("auto"), false, Shown::Terminal, true);
        check(Some("never"), false, Shown::Terminal, false);
        check(Some("False"), false, Shown::Terminal, false);
        let look = Look {
            color_pager: Some("no".to_owned()),
            ..Look::default()
        };
        assert!(!look.colours(Shown::Pager));
        assert!(look.colours(Shown::Terminal));
    }

    #[test]
    fn the_first_pager_that_is_set_wins_and_cat_means_none() {
        let check = |of: [Option<&str>; 4], expect| {
            let [own, git, core, pager] = of.map(|text| text.map(str::to_owned));
            let chosen = Look::choose_pager(own, git, core, pager);
            assert_eq!(chosen.as_deref(), expect);
        };
        check([None, None, None, None], Some("less"));
        check([None, None, Some("delta"), Some("more")], Some("delta"));
        check([None, Some(""), Some("delta"), None], None);
        check([None, None, None, Some("cat")], None);
        check([Some("false"), Some("more"), None, None], None);
        check([Some("true"), Some("more"), None, None], Some("more"));
        check([Some("bat"), Some("more"), None, None], Some("bat"));
    }

    #[test]
    fn no_piece_can_command_the_terminal() {
        let line = Line::new().ink(Ink::Id, "a\x1b[2Jb").text("\u{9b}31mc\r");
        assert_eq!(line.render(false), "abc");
        assert_eq!(line.render(true), "\x1b[33mab\x1b[mc");
    }
}
