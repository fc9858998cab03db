//! A host in a terminal: tmux holds it, we type and read the screen.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::wait;

/// Size of the screen, in cells: high enough that nothing of a test's conversation leaves it.
const COLUMNS: &str = "130";
const ROWS: &str = "120";

/// What both hosts show while they work.
const BUSY: &str = "esc to interrupt";

/// One terminal with one program in it; it ends with its value.
pub(crate) struct Terminal {
    /// tmux's own server, for this terminal only.
    pub(crate) socket: PathBuf,
    /// The whole environment of the program.
    pub(crate) env: Vec<(String, OsString)>,
    /// What stands in front of the program's input.
    pub(crate) prompt_sign: &'static str,
    /// What the program shows once more when it has ended a turn, where it refuses orders until then.
    pub(crate) turn_end_sign: Option<&'static str>,
}

impl Terminal {
    /// Starts `program` (with its arguments) in `dir` and waits for its input line.
    pub(crate) fn start(&self, dir: &Path, program: &[OsString]) {
        let size = ["new-session", "-d", "-s", "host", "-x", COLUMNS, "-y", ROWS];
        let mut command = self.command(&size);
        let output = command.arg("-c").arg(dir).args(program).output().unwrap();
        assert!(output.status.success(), "tmux: {output:?}");
        self.wait_until("ready", || self.count(self.prompt_sign) > 0);
    }

    /// Types a line, and sends it once it stands in the input line.
    pub(crate) fn say(&self, line: &str) {
        let typed = format!("{} {line}", self.prompt_sign);
        let before = self.count(&typed);
        self.tmux(&["send-keys", "-t", "host", "-l", "--", line]);
        self.wait_until(&format!("typed {line:?}"), || self.count(&typed) > before);
        self.tmux(&["send-keys", "-t", "host", "Enter"]);
    }

    /// Says a line and waits until the host shows one more `sign` and is idle.
    pub(crate) fn ask(&self, line: &str, sign: &str) {
        let ended = || self.turn_end_sign.map(|sign| self.count(sign));
        let (signs, turns) = (self.count(sign), ended());
        self.say(line);
        self.wait_until(&format!("shows one more {sign:?}"), || {
            self.count(sign) > signs
        });
        self.wait_until("idle", || {
            self.count(BUSY) == 0 && (turns.is_none() || ended() > turns)
        });
    }

    /// Says a line that takes `text` from the screen, and waits until it has.
    pub(crate) fn wipe(&self, line: &str, text: &str) {
        self.say(line);
        self.wait_until(&format!("wiped {text:?}"), || self.count(text) == 0);
    }

    /// Says the line that ends the host, and waits until it has.
    pub(crate) fn quit(&self, line: &str) {
        self.say(line);
        let has_session = || {
            self.command(&["has-session", "-t", "host"])
                .output()
                .unwrap()
                .status
                .success()
        };
        self.wait_until("ended", || !has_session());
    }

    /// Waits until `done` is so.
    fn wait_until(&self, what: &str, done: impl Fn() -> bool) {
        let met = wait::until(|| done().then_some(()));
        assert!(
            met.is_some(),
            "the terminal never was so: {what}\n{}",
            self.screen()
        );
    }

    /// How often the screen shows `text`.
    fn count(&self, text: &str) -> usize {
        self.screen().matches(text).count()
    }

    /// What the screen shows, with plain spaces.
    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-t", "host"])
            .replace('\u{a0}', " ")
    }

    /// Runs a tmux command; its output.
    fn tmux(&self, args: &[&str]) -> String {
        String::from_utf8_lossy(&self.command(args).output().unwrap().stdout).into_owned()
    }

    /// A tmux command on our own server, with the host's environment.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.env_clear().envs(self.env.iter().cloned());
        command
            .arg("-S")
            .arg(&self.socket)
            .args(["-f", "/dev/null"]);
        command.args(args);
        command
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
