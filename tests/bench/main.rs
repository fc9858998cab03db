//! How fast it is, against git in the same run: `cargo bench --bench speed`, by hand, on Linux. Each row is a ratio of
//! whole processes' CPU time with a budget; the program fails when one is over. Words behind `--` choose rows whose
//! name holds one of them; `without=<program>` names a git-segue that was built with `--no-default-features`, which a hook
//! that asks no model is held against.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "the walls of .clippy.toml are the product's; a benchmark starts programs and prints"
)]

mod cpu;
mod ground;
mod scale;

use std::io::BufRead;
use std::path::Path;
use std::process::{Command, ExitCode};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use cpu::Alternative;
use ground::Ground;

/// The program that is measured, as [`Ground::program`] knows it.
const SEGUE: &str = "git-segue";
/// The session of everything that is measured.
const SESSION: &str = "bench";
/// Makes this program the plain read loop that a transcript reader is held against.
const READ_LOOP: &str = "--read-loop";
/// What a hook that asks no model may cost, in times of a program that cannot ask one: as much, but for the noise.
const WITHOUT_MODELS_TIMES_MAX: f64 = 1.1;
/// Most memory that a transcript of any length may take, in bytes.
const TRANSCRIPT_MEMORY_MAX: u64 = 64 << 20;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let first = args.next();
    if let (Some(READ_LOOP), Some(path)) = (first.as_deref(), args.next()) {
        read_loop(Path::new(&path));
        return ExitCode::SUCCESS;
    }
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let chosen: Vec<&str> = chosen
        .iter()
        .map(String::as_str)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let without = chosen.iter().find_map(|word| word.strip_prefix("without="));
    let mut table = Table {
        without: without.map(str::to_owned),
        chosen: chosen
            .into_iter()
            .filter(|word| !word.starts_with("without="))
            .collect(),
        over: false,
    };
    println!(
        "| what | against | ms | ms of that | times | budget | |\n|---|---|--:|--:|--:|--:|---|"
    );
    let ground = Ground::new();
    if table.wants(&["hook", "PreCompact", "SessionStart", "statusline", "log"]) {
        hooks(&ground, &mut table);
    }
    if table.wants(&["census"]) {
        census(&ground, &mut table);
    }
    if table.wants(&["carry"]) {
        carry(&ground, &mut table);
    }
    if table.wants(&["transcript"]) {
        transcript(&ground, &mut table);
    }
    if table.wants(&["scale"]) {
        scale::rows(&ground, &mut table);
    }
    ExitCode::from(u8::from(table.over))
}

/// Rows as they are measured.
struct Table<'a> {
    chosen: Vec<&'a str>,
    without: Option<String>,
    over: bool,
}

impl Table<'_> {
    fn wants(&self, names: &[&str]) -> bool {
        let is_chosen = |word: &&str| names.iter().any(|name| name.contains(*word));
        self.chosen.is_empty() || self.chosen.iter().any(is_chosen)
    }

    fn row(&mut self, what: &str, against: &str, ours: f64, theirs: f64, budget: f64) {
        let times = ours / theirs;
        let over = times > budget;
        self.over |= over;
        let mark = if over { "over" } else { "" };
        println!(
            "| {what} | `{against}` | {ours:.2} | {theirs:.2} | {times:.2} | {budget} | {mark} |"
        );
    }
}

/// One hook's input.
fn payload(event: &str, dir: &Path, transcript: &Path, fields: &Value) -> Vec<u8> {
    let mut payload = json!({"session_id": SESSION, "transcript_path": transcript, "cwd": dir, "hook_event_name": event});
    let object = payload.as_object_mut().unwrap();
    object.extend(fields.as_object().unwrap().clone());
    payload.to_string().into_bytes()
}

/// Every event, the status line and the log, on a small repository with a transcript of 3 MB.
#[expect(clippy::too_many_lines, reason = "one row of the table after another")]
fn hooks(ground: &Ground, table: &mut Table<'_>) {
    let dir = ground.repository("small", 30);
    ground.git(&dir, &["config", "segue.saveInterval", "86400"]);
    let transcript = ground.transcript("small.jsonl", &dir, 3_000_000);
    let hook = |event: &'static str, fields: Value| {
        let (ground, dir, transcript) = (ground, &dir, &transcript);
        move |_: usize| {
            let mut command = ground.program(SEGUE, dir);
            command.args(["hook", "claude-code"]);
            (command, payload(event, dir, transcript, &fields))
        }
    };
    let git = || Alternative {
        name: "git rev-parse HEAD",
        call: Box::new(|_| {
            let mut command = ground.program("git", &dir);
            command.args(["rev-parse", "HEAD"]);
            (command, Vec::new())
        }),
    };
    let mut quiet = [
        git(),
        Alternative {
            name: "hook: unknown event",
            call: Box::new(hook("Tomorrow", json!({}))),
        },
        Alternative {
            name: "hook: Stop, saved a moment ago",
            call: Box::new(hook("Stop", json!({}))),
        },
        Alternative {
            name: "hook: UserPromptSubmit, nothing waiting",
            call: Box::new(hook("UserPromptSubmit", json!({"prompt": "go on"}))),
        },
    ];
    let means = cpu::means(&mut quiet, 40, 20);
    for (one, ours) in quiet.iter().zip(&means).skip(1) {
        table.row(one.name, "git rev-parse HEAD", *ours, means[0], 1.5);
    }
    drop(quiet);
    if let Some(without) = table.without.clone() {
        let stop = hook("Stop", json!({}));
        let mut both = [
            Alternative {
                name: "the program without models",
                call: Box::new(|n| {
                    let (_, input) = stop(n);
                    let mut command = ground.program(&without, &dir);
                    command.args(["hook", "claude-code"]);
                    (command, input)
                }),
            },
            Alternative {
                name: "hook: Stop, saved a moment ago",
                call: Box::new(&stop),
            },
        ];
        let means = cpu::means(&mut both, 40, 20);
        table.row(
            both[1].name,
            both[0].name,
            means[1],
            means[0],
            WITHOUT_MODELS_TIMES_MAX,
        );
    }
    let save = hook("PreCompact", json!({}));
    let mut saves = [
        git(),
        Alternative {
            name: "PreCompact, transcript of 3 MB",
            call: Box::new(|n| {
                // Another card each time: one that is there already would not be written.
                let words =
                    json!({"trigger": "manual", "custom_instructions": format!("compaction {n}")});
                (save(n).0, payload("PreCompact", &dir, &transcript, &words))
            }),
        },
    ];
    let means = cpu::means(&mut saves, 30, 5);
    table.row(
        saves[1].name,
        "git rev-parse HEAD",
        means[1],
        means[0],
        25.0,
    );
    drop(saves);

    let state = dir.join(format!(".git/segue/sessions/{SESSION}.json"));
    let waiting = std::fs::read(&state).unwrap();
    let status = json!({"session_id": SESSION, "transcript_path": transcript, "cwd": dir, "context_window": {
        "total_input_tokens": 12_500, "total_output_tokens": 50, "context_window_size": 1_000_000,
        "used_percentage": 1, "remaining_percentage": 99}});
    let status = status.to_string().into_bytes();
    let restore = hook("SessionStart", json!({"source": "compact"}));
    let mut rest = [
        git(),
        Alternative {
            name: "SessionStart(compact), a card waits",
            call: Box::new(|n| {
                std::fs::write(&state, &waiting).unwrap();
                restore(n)
            }),
        },
        Alternative {
            name: "statusline, with a card",
            call: Box::new(|_| {
                let mut command = ground.program(SEGUE, &dir);
                command.arg("statusline");
                (command, status.clone())
            }),
        },
    ];
    let means = cpu::means(&mut rest, 40, 10);
    table.row(rest[1].name, "git rev-parse HEAD", means[1], means[0], 5.0);
    table.row(rest[2].name, "git rev-parse HEAD", means[2], means[0], 3.0);
    drop(rest);
    log(ground, &dir, table);
}

/// The newest cards of a long chain.
fn log(ground: &Ground, dir: &Path, table: &mut Table<'_>) {
    ground.lengthen(dir, SESSION, 10_000);
    let range = format!("refs/segue/{SESSION}");
    let theirs = ["log", "-n", "50", &range];
    let mut logs = [
        two(ground, dir, "git", &theirs),
        two(ground, dir, SEGUE, &["log", SESSION, "-n", "50"]),
    ];
    let means = cpu::means(&mut logs, 30, 10);
    table.row(
        "log -n 50 over 10,000 cards",
        "git log -n 50",
        means[1],
        means[0],
        1.5,
    );
}

/// A census: `save --dry-run` without a transcript, which does little else.
fn census(ground: &Ground, table: &mut Table<'_>) {
    for (files, rounds, batch) in [(3_000, 20, 10), (100_000, 10, 1)] {
        let dir = ground.repository(&format!("{files}"), files);
        let status = ["status", "--porcelain=v2", "--branch", "--no-renames"];
        let mut both = [
            two(ground, &dir, "git", &status),
            two(ground, &dir, SEGUE, &["save", "--dry-run"]),
        ];
        let means = cpu::means(&mut both, rounds, batch);
        let what = format!("census of {files} files (`save --dry-run`)");
        table.row(&what, "git status", means[1], means[0], 1.1);
    }
}

/// The uncommitted work carried along, against git's own way to put it into a commit; both write one each time.
fn carry(ground: &Ground, table: &mut Table<'_>) {
    let dir = ground.repository("carried", 3_000);
    for n in 10..27 {
        let path = dir.join(format!("part0/folder{}/file{n}.txt", n / 10));
        std::fs::write(path, "changed too\n").unwrap();
    }
    let draft = dir.join("part0/folder0/new.txt");
    let change = |n: usize| std::fs::write(&draft, format!("new {n}\n")).unwrap();
    let mut both = [
        Alternative {
            name: "git stash create",
            call: Box::new(|n| {
                change(n);
                let mut command = ground.program("git", &dir);
                command.args(["stash", "create"]);
                (command, Vec::new())
            }),
        },
        Alternative {
            name: "save --carry, 20 of 3,000 files differ",
            call: Box::new(|n| {
                change(n);
                let mut command = ground.program(SEGUE, &dir);
                command.args(["save", "--carry", "--session", SESSION]);
                (command, Vec::new())
            }),
        },
    ];
    let means = cpu::means(&mut both, 20, 5);
    table.row(both[1].name, both[0].name, means[1], means[0], 1.5);
}

/// A transcript that is longer than the memory that it may take.
fn transcript(ground: &Ground, table: &mut Table<'_>) {
    let dir = ground.repository("for-transcript", 30);
    let path = ground.transcript("long.jsonl", &dir, 200_000_000);
    let path = path.to_str().unwrap();
    let own = std::env::current_exe().unwrap();
    let save = [
        "save",
        "--dry-run",
        "--host",
        "claude-code",
        "--transcript",
        path,
    ];
    let read = [READ_LOOP, path];
    let mut both = [
        two(ground, &dir, own.to_str().unwrap(), &read),
        two(ground, &dir, SEGUE, &save),
    ];
    let means = cpu::means(&mut both, 5, 1);
    let what = "transcript of 200 MB (`save --dry-run`)";
    table.row(what, "plain read loop", means[1], means[0], 1.5);
    let mut command = ground.program(SEGUE, &dir);
    command.args(save);
    let peak = cpu::memory_peak(command);
    let over = peak > TRANSCRIPT_MEMORY_MAX;
    table.over |= over;
    let mark = if over { "over" } else { "" };
    println!("| its memory | | {} MB | | | 64 MB | {mark} |", peak >> 20);
}

/// A program that is always called in the same way.
fn two<'a>(
    ground: &'a Ground,
    dir: &'a Path,
    program: &'a str,
    args: &'a [&'a str],
) -> Alternative<'a> {
    let call = move |_| {
        let mut command: Command = ground.program(program, dir);
        command.args(args);
        (command, Vec::new())
    };
    Alternative {
        name: "a program",
        call: Box::new(call),
    }
}

/// Each line of a transcript, as far as telling its kind takes: what no reader can do without.
fn read_loop(path: &Path) {
    #[derive(Deserialize)]
    struct Row<'a> {
        #[serde(rename = "type", borrow)]
        kind: std::borrow::Cow<'a, str>,
        #[serde(borrow)]
        message: Option<&'a RawValue>,
    }
    let mut reader = std::io::BufReader::with_capacity(1 << 20, std::fs::File::open(path).unwrap());
    let (mut line, mut seen) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line).unwrap() > 0 {
        if let Ok(row) = serde_json::from_slice::<Row<'_>>(&line) {
            seen += row.kind.len() + row.message.map_or(0, |message| message.get().len());
        }
        line.clear();
    }
    println!("{seen}");
}
