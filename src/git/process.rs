//! The one place that starts a program: git itself, the pager, the person's own commands. Never through a shell, but
//! for a pager that is a line for one.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;

use crate::deadline::Deadline;

/// Every hook of ours is quiet in a child that has it: a program that we start never starts us again.
pub(crate) const DISABLE: &str = "GIT_SEGUE_DISABLE";

/// What a program may print unless its call says otherwise, in bytes; the rest is read and dropped.
const OUTPUT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How often a running program is looked at, in milliseconds.
const POLL_MILLISECONDS: u64 = 5;
/// How long output is waited for after the program's end: a program that it left behind may hold the pipe open.
const GRACE_MILLISECONDS: u64 = 200;

/// One call of a program.
#[derive(Debug, Clone)]
pub(crate) struct Call<'c> {
    program: &'c OsStr,
    args: Vec<OsString>,
    dir: Option<&'c Path>,
    env: Vec<(&'c str, OsString)>,
    stdin: &'c [u8],
    deadline: Option<Deadline>,
    output_bytes_max: usize,
    watch: Option<fn(&[u8])>,
}

/// How a program ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Output {
    /// Its exit code; none when a signal ended it.
    pub(crate) code: Option<i32>,
    /// What it printed, up to the limit.
    pub(crate) stdout: Vec<u8>,
    /// What it printed to standard error, up to the limit.
    pub(crate) stderr: Vec<u8>,
    /// Whether it was killed because its time was over.
    pub(crate) timed_out: bool,
}

impl Output {
    /// Whether it ended by itself with code 0.
    pub(crate) fn success(&self) -> bool {
        self.code == Some(0) && !self.timed_out
    }

    /// Standard output as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// The same of much that is wanted once.
    pub(crate) fn into_text(self) -> String {
        String::from_utf8(self.stdout)
            .unwrap_or_else(|other| String::from_utf8_lossy(other.as_bytes()).into_owned())
    }

    /// What to tell a person of a call that did not succeed: the last line of standard error, else how it ended.
    pub(crate) fn complaint(&self) -> String {
        if self.timed_out {
            return "it ran out of time".to_owned();
        }
        let stderr = String::from_utf8_lossy(&self.stderr);
        match (
            stderr.lines().rfind(|line| !line.trim().is_empty()),
            self.code,
        ) {
            (Some(line), _) => line.trim().to_owned(),
            (None, Some(code)) => format!("it ended with code {code}"),
            (None, None) => "a signal ended it".to_owned(),
        }
    }
}

impl<'c> Call<'c> {
    /// A call without arguments or input.
    pub(crate) fn new(program: &'c (impl AsRef<OsStr> + ?Sized)) -> Self {
        Self {
            program: program.as_ref(),
            args: Vec::new(),
            dir: None,
            env: Vec::new(),
            stdin: b"",
            deadline: None,
            output_bytes_max: OUTPUT_BYTES_MAX,
            watch: None,
        }
    }

    /// Adds arguments.
    pub(crate) fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// The folder it runs in; ours where it is not said.
    pub(crate) fn dir(mut self, dir: &'c Path) -> Self {
        self.dir = Some(dir);
        self
    }

    /// Adds to the environment that it inherits from us.
    pub(crate) fn env(mut self, key: &'c str, value: impl Into<OsString>) -> Self {
        self.env.push((key, value.into()));
        self
    }

    /// What it reads; nothing where it is not said.
    pub(crate) fn stdin(mut self, bytes: &'c [u8]) -> Self {
        self.stdin = bytes;
        self
    }

    /// When it is killed, with all that it started.
    pub(crate) fn deadline(mut self, deadline: Deadline) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// How much of either output is kept, in bytes.
    pub(crate) fn output_bytes_max(mut self, bytes: usize) -> Self {
        self.output_bytes_max = bytes;
        self
    }

    /// Gets standard error as it is printed, a line or a redrawn line at a time, beside its being kept.
    pub(crate) fn watch_stderr(mut self, watch: fn(&[u8])) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Runs it to its end or its deadline. An error only where it could not be started or waited for.
    pub(crate) fn run(self) -> anyhow::Result<Output> {
        let name = self.program.to_string_lossy().into_owned();
        let mut child = self
            .spawn()
            .with_context(|| format!("cannot run `{name}`"))?;
        let (done, ended) = mpsc::channel::<()>();
        let stdout = gather(child.stdout.take(), self.output_bytes_max, &done, None);
        let stderr = gather(
            child.stderr.take(),
            self.output_bytes_max,
            &done,
            self.watch,
        );
        drop(done);
        if let Some(mut pipe) = child.stdin.take() {
            let bytes = self.stdin.to_owned();
            std::thread::spawn(move || {
                // A program may end without having read its input; then there is nobody to tell.
                pipe.write_all(&bytes).ok();
            });
        }
        let waited = wait(&mut child, self.deadline, &ended)
            .with_context(|| format!("cannot wait for `{name}`"))?;
        Ok(Output {
            code: waited.and_then(|status| status.code()),
            stdout: taken(&stdout),
            stderr: taken(&stderr),
            timed_out: waited.is_none(),
        })
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that starts programs"
    )]
    fn spawn(&self) -> std::io::Result<Child> {
        let mut command = Command::new(self.program);
        command
            .args(&self.args)
            .env(DISABLE, "1")
            .envs(self.env.iter().map(|(key, value)| (*key, value)))
            .stdin(if self.stdin.is_empty() {
                Stdio::null()
            } else {
                Stdio::piped()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(dir) = self.dir {
            command.current_dir(dir);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn()
    }
}

/// Starts a program that goes on by itself: nobody waits for it, and it holds none of our streams, since a host may wait
/// until they are closed.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that starts programs"
)]
pub(crate) fn start_detached(program: &Path, args: &[OsString], dir: &Path) -> anyhow::Result<()> {
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(dir)
        .env(DISABLE, "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let started = command.spawn().map(|_| ());
    started.with_context(|| format!("cannot run `{}`", program.display()))
}

/// The person's pager: shows on the terminal what is written to it.
#[derive(Debug)]
pub(crate) struct Pager {
    child: Child,
    input: Option<ChildStdin>,
}

impl Pager {
    /// Starts it. `line` is what the person has set, which git gives to a shell where it is more than a program's name
    /// (`diff-so-fancy | less -R`); so do we. `env` is added to the environment that it inherits.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that starts programs"
    )]
    pub(crate) fn start(line: &str, env: &[(&str, &str)]) -> std::io::Result<Self> {
        let is_name = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
        let mut command = if line.chars().all(is_name) {
            Command::new(line)
        } else {
            let mut shell = Command::new("sh");
            shell.args(["-c", line]);
            shell
        };
        let mut child = command
            .env(DISABLE, "1")
            .envs(env.iter().copied())
            .stdin(Stdio::piped())
            .spawn()?;
        Ok(Self {
            input: child.stdin.take(),
            child,
        })
    }

    /// Ends its input and waits until the person has left it.
    pub(crate) fn finish(&mut self) -> std::io::Result<()> {
        drop(self.input.take());
        self.child.wait().map(|_| ())
    }
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let closed = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        self.input.as_mut().ok_or_else(closed)?.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.input.as_mut().map_or(Ok(()), Write::flush)
    }
}

type Shared = Arc<Mutex<Vec<u8>>>;

/// Reads a pipe to its end in a thread of its own; what stands beyond `max` bytes is dropped, so that the program is
/// not held up.
fn gather(
    pipe: Option<impl Read + Send + 'static>,
    max: usize,
    done: &mpsc::Sender<()>,
    watch: Option<fn(&[u8])>,
) -> Shared {
    let gathered = Shared::default();
    if let Some(mut pipe) = pipe {
        let (into, done) = (Arc::clone(&gathered), done.clone());
        std::thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            let mut unseen = Vec::new();
            while let Ok(read @ 1..) = pipe.read(&mut buffer) {
                if let Some(watch) = watch {
                    unseen.extend_from_slice(&buffer[..read]);
                    show_lines(&mut unseen, watch);
                }
                let mut kept = into.lock().unwrap_or_else(PoisonError::into_inner);
                let room = max.saturating_sub(kept.len()).min(read);
                kept.extend_from_slice(&buffer[..room]);
            }
            drop(done);
        });
    }
    gathered
}

/// Shows every line that is whole, with what ends it, and takes it away.
fn show_lines(unseen: &mut Vec<u8>, watch: fn(&[u8])) {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    while let Some(end) = unseen.iter().position(is_end) {
        let line: Vec<u8> = unseen.drain(..=end).collect();
        watch(&line);
    }
}

fn taken(shared: &Shared) -> Vec<u8> {
    std::mem::take(&mut *shared.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Waits for the program's end and for its output; none when its time was over and it was killed.
fn wait(
    child: &mut Child,
    deadline: Option<Deadline>,
    ended: &mpsc::Receiver<()>,
) -> std::io::Result<Option<ExitStatus>> {
    let poll = Duration::from_millis(POLL_MILLISECONDS);
    loop {
        // The pipes close when the program ends, so this wakes at once in the common case.
        let closed = matches!(
            ended.recv_timeout(poll),
            Err(RecvTimeoutError::Disconnected)
        );
        if let Some(status) = child.try_wait()? {
            if !closed {
                let grace = Deadline::after(Duration::from_millis(GRACE_MILLISECONDS));
                let grace = deadline.map_or(grace, |end| grace.at_most(end.left()));
                while !grace.passed()
                    && !matches!(
                        ended.recv_timeout(poll),
                        Err(RecvTimeoutError::Disconnected)
                    )
                {}
            }
            return Ok(Some(status));
        }
        match deadline {
            Some(deadline) if deadline.passed() => {
                kill(child)?;
                child.wait()?;
                return Ok(None);
            }
            None if closed => return child.wait().map(Some),
            _ if closed => std::thread::sleep(Duration::from_millis(1)),
            _ => {}
        }
    }
}

/// Kills the program, and on Unix all that it started and that stayed in its group.
#[cfg_attr(
    unix,
    expect(
        clippy::disallowed_methods,
        reason = "the one place that starts programs"
    )
)]
fn kill(child: &mut Child) -> std::io::Result<()> {
    #[cfg(unix)]
    // The standard library has no call for a group, and this crate has no unsafe code.
    if let Err(err) = Command::new("kill")
        .args(["-KILL", "--", &format!("-{}", child.id())])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        && err.kind() != std::io::ErrorKind::NotFound
    {
        return Err(err);
    }
    child.kill()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Call<'static> {
        Call::new("sh").args(["-c", script])
    }

    #[test]
    fn code_input_and_both_outputs_come_through() {
        let output = shell("cat; echo complaint >&2; exit 3")
            .stdin(b"in")
            .run()
            .unwrap();
        assert_eq!((output.code, output.timed_out), (Some(3), false));
        assert_eq!(output.stdout, b"in");
        assert_eq!(output.complaint(), "complaint");
        assert!(!output.success());
    }

    #[test]
    fn a_program_past_its_deadline_is_killed_with_its_children_and_its_output_is_kept() {
        let deadline = Deadline::after(Duration::from_millis(300));
        let output = shell("echo begun; sleep 600 & sleep 600")
            .deadline(deadline)
            .run()
            .unwrap();
        assert!(output.timed_out && !output.success());
        assert_eq!(output.text(), "begun\n");
    }

    #[test]
    fn a_child_left_behind_does_not_hold_us_up() {
        let output = shell("sleep 5 & echo done").run().unwrap();
        assert_eq!((output.success(), output.text().as_str()), (true, "done\n"));
    }

    #[test]
    fn output_beyond_the_limit_is_dropped_and_the_program_still_ends() {
        let output = shell("head -c 1000000 /dev/zero")
            .output_bytes_max(10)
            .run()
            .unwrap();
        assert_eq!((output.code, output.stdout.len()), (Some(0), 10));
    }

    #[test]
    fn a_pager_is_a_program_or_a_line_for_a_shell_and_ends_with_its_input() {
        let dir = tempfile::tempdir().unwrap();
        let shown = dir.path().join("shown");
        let line = format!("sed s/^/$MARK/ >'{}'", shown.display());
        let mut pager = Pager::start(&line, &[("MARK", "x")]).unwrap();
        pager.write_all(b"a\nb\n").unwrap();
        pager.finish().unwrap();
        assert_eq!(std::fs::read_to_string(shown).unwrap(), "xa\nxb\n");
        assert!(pager.write_all(b"more").is_err());
        assert!(Pager::start("no-such-program-here", &[]).is_err());
    }

    #[test]
    fn a_program_that_we_start_knows_to_be_quiet_and_a_missing_one_is_named() {
        let output = shell("printf %s \"$GIT_SEGUE_DISABLE$X\"")
            .env("X", "y")
            .run()
            .unwrap();
        assert_eq!(output.text(), "1y");
        let err = Call::new("no-such-program-here").run().unwrap_err();
        assert_eq!(err.to_string(), "cannot run `no-such-program-here`");
    }
}
