//! A repository of its own for a unit test, made and asked by the git program.

use std::path::{Path, PathBuf};

use super::{Found, GitEnv, Repo};

/// The clock of every commit, in seconds since 1970 UTC; each command is a second later.
const START_SECONDS: i64 = 1_796_040_000;

/// A folder with a repository in `repo`; removed when dropped.
pub(crate) struct Sandbox {
    ground: tempfile::TempDir,
    seconds: std::cell::Cell<i64>,
}

impl Sandbox {
    /// A repository without commits, on branch `main`.
    pub(crate) fn unborn(init: &[&str]) -> Self {
        let sandbox = Self {
            ground: tempfile::tempdir().unwrap(),
            seconds: std::cell::Cell::new(START_SECONDS),
        };
        std::fs::create_dir(sandbox.path("repo")).unwrap();
        sandbox.git(&[&["init", "-q", "-b", "main"], init].concat());
        sandbox
    }

    /// A repository with one commit of `a`, `b`, `src/c` and `src/deep/d`.
    pub(crate) fn new(init: &[&str]) -> Self {
        let sandbox = Self::unborn(init);
        for path in ["a", "b", "src/c", "src/deep/d"] {
            sandbox.write(path, &format!("content of {path}\n"));
        }
        sandbox.commit("first");
        sandbox
    }

    /// A path beside the repository.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.ground.path().canonicalize().unwrap().join(name)
    }

    /// The repository's root.
    pub(crate) fn root(&self) -> PathBuf {
        self.path("repo")
    }

    /// Runs git in the repository; its answer.
    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let (answer, success) = self.try_git_in(&self.root(), args);
        assert!(success, "git {args:?}: {answer}");
        answer
    }

    /// Runs git where it may fail, as a merge with conflicts does; its answer, and whether it succeeded.
    #[expect(clippy::disallowed_methods, reason = "tests ask the real git")]
    pub(crate) fn try_git_in(&self, dir: &Path, args: &[&str]) -> (String, bool) {
        self.seconds.set(self.seconds.get() + 1);
        let date = format!("{} +0000", self.seconds.get());
        let output = std::process::Command::new("git")
            .args(args)
            .current_dir(dir)
            .env("HOME", self.ground.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_AUTHOR_NAME", "Ada")
            .env("GIT_AUTHOR_EMAIL", "ada@example.com")
            .env("GIT_COMMITTER_NAME", "Ada")
            .env("GIT_COMMITTER_EMAIL", "ada@example.com")
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_DATE", &date)
            .env("GIT_EDITOR", "true")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C")
            .output()
            .unwrap();
        let mut answer = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            answer.push_str(&String::from_utf8_lossy(&output.stderr));
        }
        (answer, output.status.success())
    }

    /// Runs another program in the repository; whether it succeeded.
    #[expect(clippy::disallowed_methods, reason = "tests ask the real git")]
    pub(crate) fn run(&self, program: &str, args: &[&str]) -> bool {
        let mut command = std::process::Command::new(program);
        let ended = command.args(args).current_dir(self.root()).status();
        ended.unwrap().success()
    }

    /// Writes a file of the work tree, with the folders above it.
    #[expect(clippy::disallowed_methods, reason = "tests make their own files")]
    pub(crate) fn write(&self, path: impl AsRef<Path>, text: &str) {
        let full = self.root().join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, text).unwrap();
    }

    /// Takes a file of the work tree away.
    pub(crate) fn remove(&self, path: &str) {
        std::fs::remove_file(self.root().join(path)).unwrap();
    }

    /// Commits everything that is there; the commit's id.
    #[track_caller]
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// The repository as gix sees it, without the configuration of whoever runs the tests.
    #[track_caller]
    pub(crate) fn gix(&self) -> gix::Repository {
        gix::open_opts(self.root(), gix::open::Options::isolated()).unwrap()
    }

    /// The repository as the product opens it.
    #[track_caller]
    pub(crate) fn repo(&self) -> Repo {
        self.repo_at(&self.root())
    }

    /// Another repository or work tree as the product opens it.
    #[track_caller]
    pub(crate) fn repo_at(&self, dir: &Path) -> Repo {
        match Repo::discover(dir, &GitEnv::default()).unwrap() {
            Found::Repo(repo) => *repo,
            Found::None => panic!("no repository at {}", dir.display()),
        }
    }
}
