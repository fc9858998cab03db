//! What is measured on: repositories, transcripts and a long chain, all made here.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use super::SEGUE;

/// A folder with a home of its own; removed when dropped.
pub(crate) struct Ground {
    root: tempfile::TempDir,
    installed: PathBuf,
}

impl Ground {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("home")).unwrap();
        // As `cargo install` does: the file that the linker wrote took 1.9 ms where its copy took 1.6 (Linux 6.18, ext4).
        let installed = root.path().join("git-segue");
        std::fs::copy(env!("CARGO_BIN_EXE_git-segue"), &installed).unwrap();
        Self { root, installed }
    }

    /// A path under it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// A program in a folder, with nothing of the person's around it.
    pub(crate) fn program(&self, program: &str, dir: &Path) -> Command {
        let mut command = match program {
            SEGUE => Command::new(&self.installed),
            other => Command::new(other),
        };
        command
            .current_dir(dir)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_AUTHOR_NAME", "Ada")
            .env("GIT_AUTHOR_EMAIL", "ada@example.com")
            .env("GIT_COMMITTER_NAME", "Ada")
            .env("GIT_COMMITTER_EMAIL", "ada@example.com")
            .env("CLAUDE_PID", std::process::id().to_string());
        command
    }

    /// Runs git to its end; its answer without the last line end.
    pub(crate) fn git(&self, dir: &Path, args: &[&str]) -> String {
        self.fed(dir, args, b"")
    }

    /// The same with standard input.
    pub(crate) fn fed(&self, dir: &Path, args: &[&str], input: &[u8]) -> String {
        let mut command = self.program("git", dir);
        self.run(command.args(args).env("GIT_OPTIONAL_LOCKS", "1"), input)
    }

    /// Runs a program to its end; its answer without the last line end.
    pub(crate) fn run(&self, command: &mut Command, input: &[u8]) -> String {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let output = std::thread::scope(|scope| {
            scope.spawn(move || pipe.write_all(input).unwrap());
            child.wait_with_output().unwrap()
        });
        assert!(output.status.success(), "{command:?}");
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    /// A repository of that many files, ten in a folder and fifty folders in one of the next level, with some paths of
    /// each kind dirty.
    pub(crate) fn repository(&self, name: &str, files: usize) -> PathBuf {
        let dir = self.path(name);
        std::fs::create_dir(&dir).unwrap();
        self.git(&dir, &["init", "-q", "-b", "main"]);
        let mut stream = String::from(
            "commit refs/heads/main\ncommitter Ada <ada@example.com> 1796040000 +0000\ndata 5\nfirst\n",
        );
        for n in 0..files {
            let text = format!("file {n}");
            writeln!(
                stream,
                "M 644 inline part{}/folder{}/file{n}.txt\ndata {}\n{text}",
                n / 500,
                n / 10,
                text.len()
            )
            .unwrap();
        }
        self.fed(&dir, &["fast-import", "--quiet"], stream.as_bytes());
        self.git(&dir, &["checkout", "-q", "-f", "main"]);
        // Out of the second in which the index was written, so that nobody reads files for racy times.
        std::thread::sleep(std::time::Duration::from_millis(1_100));
        self.git(&dir, &["status", "--porcelain"]);
        for n in [1, 3, 5] {
            std::fs::write(dir.join(format!("part0/folder0/file{n}.txt")), "changed\n").unwrap();
        }
        std::fs::write(dir.join("part0/folder0/new.txt"), "new\n").unwrap();
        std::fs::remove_file(dir.join("part0/folder0/file7.txt")).unwrap();
        std::fs::create_dir(dir.join("untracked")).unwrap();
        std::fs::write(dir.join("untracked/file"), "new\n").unwrap();
        dir
    }

    /// A Claude Code transcript of about that many bytes: prompts, answers, files read and edited, commands.
    pub(crate) fn transcript(&self, name: &str, repository: &Path, bytes: usize) -> PathBuf {
        let path = self.path(name);
        let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
        let (mut written, mut n) = (0, 0);
        while written < bytes {
            for row in turn(n, repository) {
                let line = format!("{row}\n");
                written += line.len();
                file.write_all(line.as_bytes()).unwrap();
            }
            n += 1;
        }
        path
    }

    /// Makes the chain of a session that many cards long: its card, with a goal of its own in each.
    pub(crate) fn lengthen(&self, dir: &Path, session: &str, cards: usize) {
        let reference = format!("refs/segue/{session}");
        let message = self.git(dir, &["log", "-1", "--format=%B", &reference]);
        let json = self.git(dir, &["show", &format!("{reference}:card.json")]);
        let tree = self.git(dir, &["ls-tree", &reference]);
        let others: Vec<(&str, &str)> = tree
            .lines()
            .filter_map(|line| {
                let (facts, name) = line.split_once('\t')?;
                Some((name, facts.split(' ').nth(2)?))
            })
            .filter(|(name, _)| *name != "card.json")
            .collect();
        let mut stream = format!("reset {reference}\n");
        for n in 0..cards {
            let json = json.replacen("Ask 0", &format!("Ask {n}"), 1);
            let at = 1_796_040_000 + n;
            write!(
                stream,
                "commit {reference}\ncommitter Ada <ada@example.com> {at} +0000\ndata {}\n{message}\n",
                message.len()
            )
            .unwrap();
            writeln!(
                stream,
                "M 644 inline card.json\ndata {}\n{json}",
                json.len()
            )
            .unwrap();
            for (name, id) in &others {
                writeln!(stream, "M 644 {id} {name}").unwrap();
            }
        }
        self.fed(
            dir,
            &["fast-import", "--quiet", "--force"],
            stream.as_bytes(),
        );
    }
}

/// One turn of a conversation: a prompt, a file read and edited, a command, an answer.
fn turn(n: usize, repository: &Path) -> Vec<serde_json::Value> {
    let file = repository.join(format!("part0/folder0/file{}.txt", n % 10));
    let row = |kind: &str, content: serde_json::Value| {
        json!({"type": kind, "uuid": format!("u{n}"), "isSidechain": false, "cwd": repository,
            "sessionId": "bench", "timestamp": "2026-11-30T12:00:00.000Z",
            "message": {"role": kind, "id": format!("m{n}"), "model": "claude-opus-5-5", "content": content,
                "usage": {"input_tokens": 10, "output_tokens": 10}}})
    };
    let call = |id: usize, name: &str, input: serde_json::Value| {
        let call =
            json!([{"type": "tool_use", "id": format!("t{n}-{id}"), "name": name, "input": input}]);
        row("assistant", call)
    };
    let result = |id: usize, text: String| {
        let result =
            json!([{"type": "tool_result", "tool_use_id": format!("t{n}-{id}"), "content": text}]);
        row("user", result)
    };
    let lines = |line: &str| format!("{line} {n}\n").repeat(200);
    vec![
        row(
            "user",
            json!(format!(
                "Ask {n}: make the parser of part {n} accept empty lines"
            )),
        ),
        row(
            "assistant",
            json!([{"type": "text", "text": "I look at the file first."}]),
        ),
        call(0, "Read", json!({"file_path": file})),
        result(
            0,
            lines("    1→    let parsed = parse(&line).context(\"cannot parse\")?;"),
        ),
        call(
            1,
            "Edit",
            json!({"file_path": file, "old_string": lines("old"), "new_string": lines("new")}),
        ),
        result(1, "The file has been updated".to_owned()),
        call(
            2,
            "Bash",
            json!({"command": format!("cargo test part_{n}")}),
        ),
        result(2, lines("test parser::accepts_an_empty_line ... ok")),
        row(
            "assistant",
            json!([{"type": "text", "text": format!("Part {n} is done; next is part {}.", n + 1)}]),
        ),
    ]
}
