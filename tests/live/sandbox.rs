//! One conversation's world: a repository, a home, a model, and the host's program.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::host::Host;
use super::install;
use super::model_api::ModelApi;
use super::script::{Purpose, Script};
use super::terminal::Terminal;
use super::wait;

/// What our program prints when it is made to fail.
pub(crate) const GARBAGE: &str = "garbage-of-a-failing-hook";

/// How late our program is when it is made slow, in seconds: more than a person would bear, less than any host's patience.
const SLOW_SECONDS: u32 = 2;

/// What may become of our program behind the host's back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is not there any more.
    Missing,
    /// It prints no JSON and fails.
    Failing,
    /// It takes its time before it does what it should.
    Slow,
}

/// A card as git shows it.
#[derive(Debug)]
pub(crate) struct Card {
    /// The commit.
    pub(crate) id: String,
    /// Why it was written.
    pub(crate) trigger: String,
    /// `card.md`.
    pub(crate) text: String,
}

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
    /// A world whose host is wired to our program; nothing, after a loud line, where the host is not to be had.
    pub(crate) fn wired(host: Host, script: Script) -> Option<Self> {
        let sandbox = Self::with_our_program(host, script)?;
        let output = sandbox.run(&sandbox.ours(), &["init".into(), host.name().into()]);
        assert!(output.status.success(), "init: {output:#?}");
        Some(sandbox)
    }

    /// A world with a copy of our program first on the search path.
    pub(crate) fn with_our_program(host: Host, script: Script) -> Option<Self> {
        let sandbox = Self::new(host, script)?;
        std::fs::copy(env!("CARGO_BIN_EXE_git-segue"), sandbox.ours()).unwrap();
        sandbox.settle_ours();
        Some(sandbox)
    }

    /// A world with a small repository.
    fn new(host: Host, script: Script) -> Option<Self> {
        let program = install::program(host)?;
        let api = ModelApi::start(host.dialect(), script);
        let dir = tempfile::tempdir().unwrap();
        let sandbox = Self {
            host,
            api,
            program,
            dir,
        };
        for folder in ["repo/src", "home", "tmp", "bin"] {
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

    /// A folder of this world, made if need be.
    pub(crate) fn place(&self, name: &str) -> PathBuf {
        let place = self.dir.path().join(name);
        std::fs::create_dir_all(&place).unwrap();
        place
    }

    /// The repository's root.
    fn repo(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    /// The person's home.
    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// Our program's place in this world.
    fn ours(&self) -> PathBuf {
        self.dir.path().join("bin/git-segue")
    }

    /// Runs our program once. A program that was just written cannot be run while a child that another test started at that
    /// moment still holds the writer's handle; the hosts shall not meet that.
    fn settle_ours(&self) {
        self.run(&self.ours(), &["--version".into()]);
    }

    /// Lets the host's program be found by its name.
    pub(crate) fn put_host_on_path(&self) {
        let name = self.program.file_name().unwrap();
        std::os::unix::fs::symlink(&self.program, self.dir.path().join("bin").join(name)).unwrap();
    }

    /// How many sessions have cards.
    pub(crate) fn sessions(&self) -> usize {
        self.git(&["for-each-ref", "refs/segue"]).lines().count()
    }

    /// Puts something else in our program's place.
    pub(crate) fn break_with(&self, fault: Fault) {
        let ours = self.ours();
        let real = ours.with_file_name("real");
        std::fs::rename(&ours, &real).unwrap();
        let script = match fault {
            Fault::Missing => return,
            Fault::Failing => {
                format!("#!/bin/sh\necho '{GARBAGE}'\necho '{GARBAGE}' >&2\nexit 1\n")
            }
            Fault::Slow => format!(
                "#!/bin/sh\nsleep {SLOW_SECONDS}\nexec '{}' \"$@\"\n",
                real.display()
            ),
        };
        std::fs::write(&ours, script).unwrap();
        std::fs::set_permissions(&ours, std::fs::metadata(&real).unwrap().permissions()).unwrap();
        self.settle_ours();
    }

    /// What our program noted down of its hooks, for a test that fails.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.repo().join(".git/segue/segue.log")).unwrap_or_default()
    }

    /// Sets a setting in the repository's own configuration.
    pub(crate) fn configure(&self, key: &str, value: &str) {
        self.git(&["config", key, value]);
    }

    /// Waits until there is a card.
    pub(crate) fn wait_for_a_card(&self) {
        let there = wait::until(|| self.compaction_cards().pop());
        assert!(there.is_some(), "no card");
    }

    /// Every card in the repository, oldest first, without autosaves.
    pub(crate) fn cards(&self) -> Vec<Card> {
        let format = "--format=%H %(trailers:key=Segue-Kind,valueonly,separator=) \
                      %(trailers:key=Segue-Trigger,valueonly,separator=)";
        let log = self.git(&["log", "--reverse", "--glob=refs/segue/*", format]);
        let card = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [id, "card", trigger] = words[..] else {
                return None;
            };
            let text = self.git(&["show", &format!("{id}:card.md")]);
            Some(Card {
                id: id.to_owned(),
                trigger: trigger.to_owned(),
                text,
            })
        };
        log.lines().filter_map(card).collect()
    }

    /// The cards that compactions left, oldest first.
    pub(crate) fn compaction_cards(&self) -> Vec<Card> {
        let mut cards = self.cards();
        cards.retain(|card| card.trigger.starts_with("compact-"));
        cards
    }

    /// After the first compaction behind the first `seen` requests, the very next request of the conversation has a card,
    /// once. Gives how many requests have now been seen, and the card.
    #[track_caller]
    pub(crate) fn assert_given_after_compaction(&self, seen: usize) -> (usize, Card) {
        let (summary, _) = self.api.request(seen, Purpose::Summary, "");
        let (next, request) = self.api.request(summary, Purpose::Turn, "");
        // Claude Code puts what several hooks say into one text.
        let said = request.texts_with("[segue]").join("\n");
        assert_eq!(said.matches("[segue]").count(), 1, "given once:\n{said}");
        let is_given =
            |card: &Card| said.contains(&format!("[segue] Handoff card {}", &card.id[..8]));
        let card = self.cards().into_iter().find(is_given);
        (next + 1, card.expect("what is given is a card"))
    }

    /// Runs git in the repository; its output.
    fn git(&self, args: &[&str]) -> String {
        let output = self.run(
            Path::new("git"),
            &args.iter().map(OsString::from).collect::<Vec<_>>(),
        );
        assert!(output.status.success(), "git {args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// One turn without a terminal. It must end well, with that answer.
    #[track_caller]
    pub(crate) fn headless(&self, args: &[OsString], answer: &str) {
        let output = self.run(&self.program, args);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains(answer),
            "{args:?}: {output:#?}"
        );
    }

    /// The host in a terminal.
    pub(crate) fn terminal(&self, args: Vec<OsString>) -> Terminal {
        let mut program = vec![self.program.clone().into_os_string()];
        program.extend(args);
        let terminal = Terminal {
            socket: self.dir.path().join("tmux"),
            env: self.env(),
            prompt_sign: self.host.prompt_sign(),
            turn_end_sign: self.host.turn_end_sign(),
        };
        terminal.start(&self.repo(), &program);
        terminal
    }

    /// Runs a program in the repository to its end, with a deadline.
    fn run(&self, program: &Path, args: &[OsString]) -> Output {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(self.repo())
            .env_clear()
            .envs(self.env());
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let spawn = || match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => None,
            started => Some(started.unwrap()),
        };
        let mut child = wait::until(spawn).expect("a program that can be run");
        if wait::until(|| child.try_wait().unwrap()).is_none() {
            child.kill().unwrap();
        }
        child.wait_with_output().unwrap()
    }

    /// The whole environment of every program here: nothing of the machine's own but the path to programs.
    fn env(&self) -> Vec<(String, OsString)> {
        let url = self.api.url();
        let path = std::env::var_os("PATH").unwrap();
        let mut programs = vec![self.dir.path().join("bin")];
        programs.extend(std::env::split_paths(&path));
        let mut env: Vec<(&str, OsString)> = vec![
            ("PATH", std::env::join_paths(programs).unwrap()),
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
