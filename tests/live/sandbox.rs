//! One conversation's world: a repository, a home, a model, and the host's program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::host::Host;
use super::install;
use super::model_api::ModelApi;
use super::script::Script;
use super::terminal::Terminal;
use super::wait;

/// A world for one host.
pub(crate) struct Sandbox {
    /// Which host lives here.
    pub(crate) host: Host,
    /// The model that it talks to.
    pub(crate) api: ModelApi,
    program: PathBuf,
    dir: tempfile::TempDir,
}

impl Sandbox {
    /// A world with a small repository; nothing, after a loud line, where the host is not to be had.
    pub(crate) fn new(host: Host, script: Script) -> Option<Self> {
        let program = install::program(host)?;
        let api = ModelApi::start(host.dialect(), script);
        let dir = tempfile::tempdir().unwrap();
        let sandbox = Self {
            host,
            api,
            program,
            dir,
        };
        for folder in ["repo/src", "home", "tmp"] {
            std::fs::create_dir_all(sandbox.dir.path().join(folder)).unwrap();
        }
        std::fs::write(
            sandbox.repo().join("src/invoice.py"),
            "def total(items):\n    return sum(items)\n",
        )
        .unwrap();
        sandbox.git(&["init", "-q", "-b", "main"]);
        sandbox.git(&["add", "."]);
        sandbox.git(&["commit", "-q", "-m", "Add up invoices"]);
        host.settle(&sandbox.home(), &sandbox.repo(), &sandbox.api.url());
        Some(sandbox)
    }

    /// The repository's root.
    pub(crate) fn repo(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    /// The person's home.
    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// Runs git in the repository; its output.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = self.run(
            Path::new("git"),
            &args.iter().map(OsString::from).collect::<Vec<_>>(),
        );
        assert!(output.status.success(), "git {args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// One turn without a terminal; what the host printed. It must end well.
    pub(crate) fn headless(&self, args: &[OsString]) -> String {
        let output = self.run(&self.program, args);
        assert!(output.status.success(), "{args:?}: {output:#?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The host in a terminal.
    pub(crate) fn terminal(&self, args: Vec<OsString>) -> Terminal {
        let mut program = vec![self.program.clone().into_os_string()];
        program.extend(args);
        let socket = self.dir.path().join("tmux");
        Terminal::start(
            socket,
            self.env(),
            &self.repo(),
            &program,
            self.host.prompt_sign(),
        )
    }

    /// Runs a program in the repository to its end, with a deadline.
    fn run(&self, program: &Path, args: &[OsString]) -> Output {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(self.repo())
            .env_clear()
            .envs(self.env());
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        if wait::until(|| child.try_wait().unwrap()).is_none() {
            child.kill().unwrap();
        }
        child.wait_with_output().unwrap()
    }

    /// The whole environment of every program here: nothing of the machine's own but the path to programs.
    fn env(&self) -> Vec<(String, OsString)> {
        let url = self.api.url();
        let mut env: Vec<(&str, OsString)> = vec![
            ("PATH", std::env::var_os("PATH").unwrap()),
            ("HOME", self.home().into()),
            ("TMPDIR", self.dir.path().join("tmp").into()),
            ("USER", "dev".into()),
            ("SHELL", "/bin/sh".into()),
            ("TERM", "xterm-256color".into()),
            ("LANG", "C.UTF-8".into()),
            ("TZ", "UTC".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_AUTHOR_NAME", "Dev".into()),
            ("GIT_AUTHOR_EMAIL", "dev@example.invalid".into()),
            ("GIT_COMMITTER_NAME", "Dev".into()),
            ("GIT_COMMITTER_EMAIL", "dev@example.invalid".into()),
            // Whatever is not the model meets a proxy that refuses.
            ("HTTP_PROXY", url.clone().into()),
            ("HTTPS_PROXY", url.clone().into()),
            ("NO_PROXY", "127.0.0.1".into()),
        ];
        env.extend(self.host.env(&self.home(), &url));
        env.into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }
}
