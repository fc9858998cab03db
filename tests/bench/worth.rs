//! Whether a card is worth it: `cargo bench --bench worth -- <folder>`, by hand. The folder holds real compactions, one a
//! folder: `transcript.jsonl.gz` (the conversation before it), `summary.md` (what the host made of it) and `truth.json` (what
//! the agent went on to use: files, commands; the person's last ask and corrections). Three texts are held against what was
//! needed: the host's summary, the card by rules, and the card by a model that knows exactly what will be needed: more than
//! that no model can bring.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "the walls of .clippy.toml are the product's; a benchmark starts programs and prints"
)]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;

/// The program that is measured.
const SEGUE: &str = env!("CARGO_BIN_EXE_git-segue");
/// Makes this program the model: it answers with a file and notes how much it was given to read.
const MODEL: &str = "--model";
/// No conversation unpacks to more, in bytes.
const TRANSCRIPT_BYTES_MAX: usize = 256 << 20;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [MODEL, answer, read] => {
            let mut prompt = Vec::new();
            std::io::stdin().read_to_end(&mut prompt).unwrap();
            std::fs::write(read, prompt.len().to_string()).unwrap();
            print!("{}", std::fs::read_to_string(answer).unwrap());
        }
        [folder] => table(Path::new(folder)),
        _ => println!("worth: no folder named, nothing measured"),
    }
    ExitCode::SUCCESS
}

fn table(folder: &Path) {
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("truth.json").exists())
        .collect();
    cases.sort();
    println!("{} compactions", cases.len());
    println!(
        "| who | files | commands | precision | R-precision | last ask | corrections | bytes | model reads |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    let ground = Ground::new();
    for who in ["the host's summary", "rules", "a model that knows"] {
        let mut sum = Score::default();
        for case in &cases {
            let truth: Value =
                serde_json::from_slice(&std::fs::read(case.join("truth.json")).unwrap()).unwrap();
            let text = match who {
                "the host's summary" => std::fs::read_to_string(case.join("summary.md")).unwrap(),
                "rules" => ground.card(case, None, &mut sum),
                _ => ground.card(case, Some(&answer(&truth)), &mut sum),
            };
            sum.add(&text, &truth);
        }
        sum.print(who);
    }
}

/// What a model would answer that knows what comes.
fn answer(truth: &Value) -> String {
    let list = |key: &str, before: &str, behind: &str| -> String {
        let lines = strings(&truth[key])
            .map(|one| format!("- {before}{}{behind}\n", one.replace('\n', " ")));
        lines.collect()
    };
    format!(
        "<summary>\nIt goes on.\n</summary>\n<handoff>\n## Goal and repo\n{}## Done\n- none seen\n## In flight\n{}\
         ## Next steps\n- Go on.\n## Only the user\n- none seen\n## Read first\n{}## Traps\n{}## Decisions\n- none seen\n</handoff>\n",
        list("last_ask", "user: \"", "\""),
        list("commands", "runs: `", "`"),
        list("files", "", ""),
        list("corrections", "user: \"", "\""),
    )
}

/// An empty repository, and room beside it.
struct Ground {
    dir: tempfile::TempDir,
}

impl Ground {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let made = Command::new("git")
            .args(["init", "-q", "repo"])
            .current_dir(dir.path())
            .status();
        assert!(made.unwrap().success());
        Self { dir }
    }

    /// The card of a case: by rules, or by a model that gives an answer.
    fn card(&self, case: &Path, answer: Option<&str>, sum: &mut Score) -> String {
        let transcript = self.dir.path().join("transcript.jsonl");
        let packed = std::fs::read(case.join("transcript.jsonl.gz")).unwrap();
        std::fs::write(&transcript, unpack(&packed)).unwrap();
        let (file, read) = (
            self.dir.path().join("answer.md"),
            self.dir.path().join("read"),
        );
        let mut command = Command::new(SEGUE);
        command.current_dir(self.dir.path().join("repo"));
        if let Some(answer) = answer {
            std::fs::write(&file, answer).unwrap();
            let program = std::env::current_exe().unwrap();
            let line = format!(
                "'{}' {MODEL} '{}' '{}'",
                program.display(),
                file.display(),
                read.display()
            );
            command
                .env("GIT_CONFIG_COUNT", "1")
                .env("GIT_CONFIG_KEY_0", "segue.modelCommand");
            command
                .env("GIT_CONFIG_VALUE_0", line)
                .env("GIT_SEGUE_MODEL", "command");
        }
        command
            .args(["save", "--dry-run", "--host", "claude-code", "--transcript"])
            .arg(&transcript);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        if answer.is_some() {
            sum.read
                .push(std::fs::read_to_string(&read).unwrap().parse().unwrap());
        }
        String::from_utf8(output.stdout).unwrap()
    }
}

fn unpack(packed: &[u8]) -> Vec<u8> {
    let length = u32::from_le_bytes(packed[packed.len() - 4..].try_into().unwrap()) as usize;
    assert!(length <= TRANSCRIPT_BYTES_MAX);
    let mut text = vec![0; length];
    let config = zlib_rs::InflateConfig { window_bits: 31 };
    let (text, code) = zlib_rs::decompress_slice(&mut text, packed, config);
    assert_eq!(code, zlib_rs::ReturnCode::Ok);
    text.to_vec()
}

/// How much of what was needed a text names.
#[derive(Default)]
struct Score {
    files: Share,
    commands: Share,
    precision: Share,
    /// Of the first n paths named, those that were needed, where n were needed: whether the best come first.
    r_precision: Share,
    asks: Share,
    corrections: Share,
    bytes: Vec<usize>,
    read: Vec<usize>,
}

impl Score {
    fn add(&mut self, text: &str, truth: &Value) {
        let named = paths(text);
        let files: Vec<&str> = strings(&truth["files"]).collect();
        let is_named = |file: &&&str| {
            named.iter().any(|path| ends_with(path, file))
                || !file.contains('/') && text.contains(**file)
        };
        let is_needed = |path: &&&str| {
            files
                .iter()
                .any(|file| ends_with(path, file) || ends_with(file, path))
        };
        self.files
            .add(files.iter().filter(is_named).count(), files.len());
        let listed: Vec<&str> = named
            .iter()
            .copied()
            .filter(|path| name(path).contains('.'))
            .collect();
        self.precision
            .add(listed.iter().filter(is_needed).count(), listed.len());
        let first = &listed[..listed.len().min(files.len())];
        self.r_precision
            .add(first.iter().filter(is_needed).count(), files.len());
        let told = |key: &str, is_told: &dyn Fn(&str) -> bool| {
            let needed = strings(&truth[key]);
            (
                needed.clone().filter(|one| is_told(one)).count(),
                needed.count(),
            )
        };
        let to_the_letter = |command: &str| text.contains(command);
        let in_words = |words: &str| holds(text, words);
        for (share, (some, all)) in [
            (&mut self.commands, told("commands", &to_the_letter)),
            (&mut self.asks, told("last_ask", &in_words)),
            (&mut self.corrections, told("corrections", &in_words)),
        ] {
            share.add(some, all);
        }
        self.bytes.push(text.len());
    }

    fn print(&mut self, who: &str) {
        let read = match self.read.is_empty() {
            true => "-".to_owned(),
            false => median(&mut self.read).to_string(),
        };
        println!(
            "| {who} | {} | {} | {} | {} | {} | {} | {} | {read} |",
            self.files,
            self.commands,
            self.precision,
            self.r_precision,
            self.asks,
            self.corrections,
            median(&mut self.bytes),
        );
    }
}

/// Some of all.
#[derive(Default)]
struct Share {
    some: usize,
    all: usize,
}

impl Share {
    fn add(&mut self, some: usize, all: usize) {
        self.some += some;
        self.all += all;
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "{}/{} = {} %",
            self.some,
            self.all,
            (100 * self.some + self.all / 2) / self.all.max(1)
        )
    }
}

fn strings(list: &Value) -> impl Iterator<Item = &str> + Clone {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

fn median(numbers: &mut [usize]) -> usize {
    numbers.sort_unstable();
    numbers[numbers.len() / 2]
}

/// The paths that a text names, each once, in its order.
fn paths(text: &str) -> Vec<&str> {
    let mut paths: Vec<&str> = Vec::new();
    let in_path = |c: char| c.is_alphanumeric() || "_.@+-/".contains(c);
    for word in text.split(|c| !in_path(c)) {
        let word = word.trim_matches('/').trim_end_matches('.');
        if word.contains('/') && !paths.contains(&word) {
            paths.push(word);
        }
    }
    paths
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end)
        .is_some_and(|front| front.is_empty() || front.ends_with('/'))
}

/// Whether a text has three of five of the telling words of another.
fn holds(text: &str, words: &str) -> bool {
    let text = text.to_lowercase();
    let words = words.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'' && c != '-');
    let mut telling: Vec<String> = words
        .filter(|word| word.len() >= 4 && word.starts_with(|c: char| c.is_alphabetic()))
        .map(str::to_lowercase)
        .collect();
    telling.sort_unstable();
    telling.dedup();
    let held = telling
        .iter()
        .filter(|word| text.contains(word.as_str()))
        .count();
    5 * held >= 3 * telling.len()
}
