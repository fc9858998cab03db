//! A host in a terminal: tmux holds it, we type and read the screen.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::wait;

/// Size of the screen, in cells.
const COLUMNS: &str = "130";
const ROWS: &str = "50";

/// What both hosts show while they work.
const BUSY: &str = "esc to interrupt";

/// One terminal with one program in it; it ends with its value.
pub(crate) struct Terminal {
    socket: PathBuf,
    env: Vec<(String, OsString)>,
}

impl Terminal {
    /// Starts `program` in `dir` and waits until its input line, known by `prompt_sign`, is there.
    pub(crate) fn start(
        socket: PathBuf,
        env: Vec<(String, OsString)>,
        dir: &Path,
        program: &[OsString],
        prompt_sign: &str,
    ) -> Self {
        let terminal = Self { socket, env };
        let mut command = terminal.command(&[
            "new-session",
            "-d",
            "-s",
            "host",
            "-x",
            COLUMNS,
            "-y",
            ROWS,
            "-c",
        ]);
        let output = command.arg(dir).args(program).output().unwrap();
        assert!(
            output.status.success(),
            "tmux: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        terminal.wait_for(prompt_sign);
        terminal
    }

    /// Types a line and sends it.
    pub(crate) fn say(&self, line: &str) {
        self.tmux(&["send-keys", "-t", "host", "-l", "--", line]);
        self.wait_for(line);
        self.tmux(&["send-keys", "-t", "host", "Enter"]);
    }

    /// Waits until the screen shows `text`.
    pub(crate) fn wait_for(&self, text: &str) {
        let seen = wait::until(|| self.screen().contains(text).then_some(()));
        assert!(
            seen.is_some(),
            "never on the screen: {text:?}\n{}",
            self.screen()
        );
    }

    /// Waits until the screen shows `text` and the host is idle.
    pub(crate) fn wait_for_idle(&self, text: &str) {
        let idle = |screen: &str| screen.contains(text) && !screen.contains(BUSY);
        let seen = wait::until(|| idle(&self.screen()).then_some(()));
        assert!(
            seen.is_some(),
            "never on the screen, or never idle: {text:?}\n{}",
            self.screen()
        );
    }

    /// Sends the line that ends the host, and waits until it has.
    pub(crate) fn quit(&self, line: &str) {
        self.say(line);
        let gone = wait::until(|| (!self.tmux_runs(&["has-session", "-t", "host"])).then_some(()));
        assert!(gone.is_some(), "did not end:\n{}", self.screen());
    }

    /// What the screen shows.
    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-t", "host"])
    }

    /// Runs a tmux command; its output.
    fn tmux(&self, args: &[&str]) -> String {
        String::from_utf8_lossy(&self.command(args).output().unwrap().stdout).into_owned()
    }

    /// Whether a tmux command succeeds.
    fn tmux_runs(&self, args: &[&str]) -> bool {
        self.command(args).output().unwrap().status.success()
    }

    /// A tmux command on our own server, with the host's environment.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.env_clear().envs(self.env.iter().cloned());
        command
            .arg("-S")
            .arg(&self.socket)
            .args(["-f", "/dev/null"])
            .args(args);
        command
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
