//! A sandbox: a home of its own, hermetic git, a clock that ticks once a command, repositories of every kind.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI64, Ordering};

use super::untouched::Untouched;

/// The clock of a new sandbox, in seconds since 1970 UTC: 2026-11-30T12:00:00Z.
pub(crate) const START_SECONDS: i64 = 1_796_040_000;

/// A home, a clock and a current folder; removed when dropped.
pub(crate) struct World {
    root: tempfile::TempDir,
    dir: PathBuf,
    clock: AtomicI64,
    env: Vec<(String, Option<String>)>,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Its exit code; none when a signal ended it.
    pub(crate) code: Option<i32>,
    /// What it answered.
    pub(crate) stdout: String,
    /// What it said beside.
    pub(crate) stderr: String,
}

impl Ran {
    /// Its answer; fails the test unless it ended with `code`.
    #[track_caller]
    pub(crate) fn ended(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    /// Its answer; fails the test unless it succeeded.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        self.ended(0).stdout
    }

    /// Its answer as JSON; fails the test unless it succeeded.
    #[track_caller]
    pub(crate) fn json(self) -> serde_json::Value {
        let text = self.ok();
        serde_json::from_str(&text).unwrap_or_else(|err| panic!("not JSON: {err}\n{text}"))
    }
}

impl World {
    /// A sandbox without a repository; the current folder is an empty one.
    pub(crate) fn bare_ground() -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().canonicalize().unwrap();
        for folder in ["home", "tmp", "repo"] {
            std::fs::create_dir(path.join(folder)).unwrap();
        }
        Self {
            dir: path.join("repo"),
            root,
            clock: AtomicI64::new(START_SECONDS),
            env: Vec::new(),
        }
    }

    /// A sandbox whose current folder is a repository without commits.
    pub(crate) fn unborn() -> Self {
        Self::with_init(&[])
    }

    /// A sandbox whose current folder is a repository with one commit: `README.md` on branch `main`.
    pub(crate) fn new() -> Self {
        Self::with_init_and_commit(&[])
    }

    /// Like [`Self::new`], with SHA-256 object ids.
    pub(crate) fn sha256() -> Self {
        Self::with_init_and_commit(&["--object-format=sha256"])
    }

    /// Like [`Self::new`], with refs in reftables.
    pub(crate) fn reftable() -> Self {
        Self::with_init_and_commit(&["--ref-format=reftable"])
    }

    fn with_init_and_commit(init: &[&str]) -> Self {
        let world = Self::with_init(init);
        world.commit("README.md", "# Orchard\n", "Plant the first tree");
        world
    }

    fn with_init(init: &[&str]) -> Self {
        let world = Self::bare_ground();
        world.git(&[&["init", "--quiet", "--initial-branch=main"], init].concat());
        world
    }

    /// The folder that holds home, repositories and temporary files, without symbolic links in its path.
    pub(crate) fn root(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    /// The person's home.
    pub(crate) fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// The current folder.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Changes the current folder; a relative one is under the root of the sandbox.
    pub(crate) fn cd(&mut self, dir: impl AsRef<Path>) -> &mut Self {
        self.dir = self.root().join(dir);
        self
    }

    /// Sets an environment variable of all later commands.
    pub(crate) fn set_env(&mut self, key: &str, value: &str) -> &mut Self {
        self.env.push((key.to_owned(), Some(value.to_owned())));
        self
    }

    /// Takes an environment variable, also one of the sandbox's own, from all later commands.
    pub(crate) fn unset_env(&mut self, key: &str) -> &mut Self {
        self.env.push((key.to_owned(), None));
        self
    }

    /// Moves the clock on.
    pub(crate) fn wait(&self, seconds: i64) {
        self.clock.fetch_add(seconds, Ordering::SeqCst);
    }

    /// The moment of the last command, in seconds since 1970 UTC.
    pub(crate) fn now(&self) -> i64 {
        self.clock.load(Ordering::SeqCst)
    }

    /// Writes a file under the current folder, with the folders on the way to it.
    pub(crate) fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Reads a file under the current folder.
    pub(crate) fn read(&self, path: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.dir.join(path)).unwrap()
    }

    /// Writes a file and commits it alone; gives the commit's id.
    pub(crate) fn commit(&self, path: &str, text: &str, message: &str) -> String {
        self.write(path, text);
        self.git(&["add", "--", path]);
        self.git(&["commit", "--quiet", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs git in the current folder; its answer without the last line end. Fails the test when git does.
    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let ran = self.try_git(args);
        assert_eq!(ran.code, Some(0), "git {args:?}\n{}", ran.stderr);
        ran.stdout.trim_end_matches('\n').to_owned()
    }

    /// Runs git in the current folder, whatever comes of it.
    pub(crate) fn try_git(&self, args: &[&str]) -> Ran {
        let mut command = Command::new("git");
        command.args(args);
        self.finish(command, b"")
    }

    /// A linked work tree beside the repository, on a new branch of the same name; gives its folder.
    pub(crate) fn linked_worktree(&self, name: &str) -> PathBuf {
        let path = self.root().join(name);
        self.git(&[
            "worktree",
            "add",
            "--quiet",
            "-b",
            name,
            &path.to_string_lossy(),
        ]);
        path
    }

    /// A bare repository under the root, empty; gives its folder.
    pub(crate) fn bare_repo(&self, name: &str) -> PathBuf {
        let path = self.root().join(name);
        self.git(&[
            "init",
            "--quiet",
            "--bare",
            "--initial-branch=main",
            &path.to_string_lossy(),
        ]);
        path
    }

    /// A clone of the current repository under the root; gives its folder.
    pub(crate) fn clone_repo(&self, name: &str) -> PathBuf {
        let path = self.root().join(name);
        self.git(&["clone", "--quiet", ".", &path.to_string_lossy()]);
        path
    }

    /// Runs `git-segue` in the current folder, and checks that it left alone what is not its own.
    #[track_caller]
    pub(crate) fn run<A: AsRef<OsStr>>(&self, args: &[A]) -> Ran {
        self.run_with(args, b"")
    }

    /// Like [`Self::run`], with standard input.
    #[track_caller]
    pub(crate) fn run_with<A: AsRef<OsStr>>(&self, args: &[A], stdin: &[u8]) -> Ran {
        self.run_changing(args, stdin, &[])
    }

    /// Like [`Self::run_with`], for a command whose work it is to change some files: each is a path under the root of
    /// the sandbox, as `home/.claude/settings.json` or `repo/.git/config`.
    #[track_caller]
    pub(crate) fn run_changing<A: AsRef<OsStr>>(
        &self,
        args: &[A],
        stdin: &[u8],
        changed: &[&str],
    ) -> Ran {
        let before = Untouched::look(self);
        let ran = self.finish(self.segue(args), stdin);
        before.assert_same(&Untouched::look(self), changed);
        ran
    }

    /// Runs `git-segue hook <host>` with a payload, as the host does.
    #[track_caller]
    pub(crate) fn hook(&self, host: &str, payload: &str) -> Ran {
        self.run_with(&["hook", host], payload.as_bytes())
    }

    /// `git-segue` with its arguments, ready to be started; nothing checks what it changes.
    pub(crate) fn segue<A: AsRef<OsStr>>(&self, args: &[A]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_git-segue"));
        command.args(args);
        self.seal(&mut command);
        command
    }

    /// Runs a command of the sandbox to its end.
    pub(crate) fn finish(&self, mut command: Command, stdin: &[u8]) -> Ran {
        self.seal(&mut command);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let output = std::thread::scope(|scope| {
            // A program that does not read its input closes it: that is its right.
            scope.spawn(move || pipe.write_all(stdin).ok());
            child.wait_with_output().unwrap()
        });
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Gives a command the sandbox's environment, folder and next second.
    fn seal(&self, command: &mut Command) {
        let home = self.home();
        let date = format!("{} +0000", self.clock.fetch_add(1, Ordering::SeqCst) + 1);
        let ours = Path::new(env!("CARGO_BIN_EXE_git-segue")).parent().unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(ours.to_owned()).chain(std::env::split_paths(&path));
        command
            .current_dir(&self.dir)
            .env_clear()
            .env("PATH", std::env::join_paths(path).unwrap())
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_STATE_HOME", home.join(".local/state"))
            .env("TMPDIR", self.root().join("tmp"))
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_CEILING_DIRECTORIES", self.root())
            .env("GIT_AUTHOR_NAME", "Ada")
            .env("GIT_AUTHOR_EMAIL", "ada@example.com")
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_NAME", "Ada")
            .env("GIT_COMMITTER_EMAIL", "ada@example.com")
            .env("GIT_COMMITTER_DATE", &date)
            .env("TZ", "UTC")
            .env("LC_ALL", "C");
        for (key, value) in &self.env {
            match value {
                Some(value) => command.env(key, value),
                None => command.env_remove(key),
            };
        }
    }
}
