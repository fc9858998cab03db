//! What many sessions cost: the same commands with 100 sessions of 20 cards and with 10,000, and where cards travel,
//! plain git doing the same with the same refs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::cpu::{self, Alternative};
use super::ground::Ground;
use super::{SEGUE, SESSION, Table, payload};

const FEW: usize = 100;
const MANY: usize = 10_000;
const CARDS: usize = 20;
const ROUNDS: usize = 20;
/// So many cards there are to send: one for each round, and one more to warm up.
const NEW_CARDS: usize = ROUNDS + 1;
/// The first alternatives stay on this machine; then these follow.
const HERE: usize = 3;
const PUSH: usize = 3;
const FETCH: usize = 4;
const GIT_PUSH: usize = 5;
const GIT_FETCH: usize = 6;
/// When the oldest card of the sessions was written, in seconds since 1970 UTC.
const START: usize = 1_780_000_000;

/// A repository with many sessions, and its remote.
struct Many<'g> {
    ground: &'g Ground,
    dir: PathBuf,
    hub: PathBuf,
    transcript: PathBuf,
    /// A card that waits to be given.
    waiting: Vec<u8>,
    /// The next cards of a session, each on top of the one before: for each way that one is sent.
    chains: [Vec<String>; 4],
}

/// Each row, and its budgets.
pub(crate) fn rows(ground: &Ground, table: &mut Table<'_>) {
    let few = Many::new(ground, "few", FEW);
    let many = Many::new(ground, "many", MANY);
    let mut here: Vec<_> = [&few, &many]
        .map(Many::here)
        .into_iter()
        .flatten()
        .collect();
    let mut sent: Vec<_> = [&few, &many]
        .map(Many::sent)
        .into_iter()
        .flatten()
        .collect();
    let means = [
        cpu::means(&mut here, ROUNDS, 10),
        cpu::means(&mut sent, ROUNDS, 1),
    ];
    let half = |n: usize| -> Vec<f64> {
        let halves = means
            .iter()
            .map(|means| means.chunks(means.len() / 2).nth(n));
        halves.flatten().flatten().copied().collect()
    };
    let (few, many) = (half(0), half(1));
    let names = here[..HERE].iter().chain(&sent).map(|one| one.name);
    let names: Vec<_> = names.collect();
    let mut grown = |n: usize, budget: f64| {
        let what = format!("scale: {}, {MANY} sessions", names[n]);
        table.row(&what, "with 100 sessions", many[n], few[n], budget);
    };
    for n in (0..HERE).chain([FETCH]) {
        grown(n, 2.0);
    }
    // git looks at every ref on both sides, whatever it is asked for, and a remote that is asked to take something in
    // knows no other way: what that costs nobody can save who travels by git.
    for git in [PUSH, GIT_PUSH, GIT_FETCH] {
        grown(git, f64::INFINITY);
    }
    for (name, ours, git) in [("push", PUSH, GIT_PUSH), ("fetch", FETCH, GIT_FETCH)] {
        let what = format!("scale: {name} of one new card, {MANY} sessions");
        table.row(&what, &format!("git {name}"), many[ours], many[git], 1.5);
    }
}

impl<'g> Many<'g> {
    fn new(ground: &'g Ground, name: &str, sessions: usize) -> Self {
        let dir = ground.repository(name, 30);
        let transcript = ground.transcript(&format!("{name}.jsonl"), &dir, 100_000);
        let hook = payload(
            "PreCompact",
            &dir,
            &transcript,
            &json!({"trigger": "manual"}),
        );
        ground.run(
            ground.program(SEGUE, &dir).args(["hook", "claude-code"]),
            &hook,
        );
        multiply(ground, &dir, sessions);
        let hub = ground.path(&format!("{name}.git"));
        ground.git(
            &dir,
            &["clone", "-q", "--mirror", ".", hub.to_str().unwrap()],
        );
        ground.git(&dir, &["remote", "add", "origin", hub.to_str().unwrap()]);
        ground.run(ground.program(SEGUE, &dir).args(["fetch", "-q"]), b"");
        for repository in [&dir, &hub] {
            ground.git(repository, &["pack-refs", "--all"]);
            ground.git(repository, &["commit-graph", "write", "--reachable"]);
        }
        let waiting = std::fs::read(dir.join(format!(".git/segue/sessions/{SESSION}.json")));
        Self {
            ground,
            transcript,
            waiting: waiting.unwrap(),
            chains: [
                next_cards(ground, &dir, 0),
                next_cards(ground, &hub, 1),
                next_cards(ground, &dir, 2),
                next_cards(ground, &hub, 3),
            ],
            dir,
            hub,
        }
    }

    fn program(&self, program: &str, args: &[&str]) -> Command {
        let mut command = self.ground.program(program, &self.dir);
        command.args(args);
        command
    }

    /// What stays on this machine.
    fn here(&self) -> Vec<Alternative<'_>> {
        let simple = |name: &'static str, args: &'static [&'static str]| Alternative {
            name,
            call: Box::new(|_| (self.program(SEGUE, args), Vec::new())),
        };
        let state = self.dir.join(format!(".git/segue/sessions/{SESSION}.json"));
        let source = json!({"source": "compact"});
        let restore = payload("SessionStart", &self.dir, &self.transcript, &source);
        vec![
            simple("list", &["list"]),
            simple("status", &["status"]),
            Alternative {
                name: "restore (SessionStart(compact))",
                call: Box::new(move |_| {
                    std::fs::write(&state, &self.waiting).unwrap();
                    (
                        self.program(SEGUE, &["hook", "claude-code"]),
                        restore.clone(),
                    )
                }),
            },
        ]
    }

    /// What travels.
    fn sent(&self) -> Vec<Alternative<'_>> {
        let refspec = "+refs/segue/*:refs/segue-remotes/origin/*";
        vec![
            Alternative {
                name: "push of one new card",
                call: Box::new(|n| {
                    self.point(&self.dir.join(".git"), 0, n);
                    (self.program(SEGUE, &["push"]), Vec::new())
                }),
            },
            Alternative {
                name: "fetch of one new card",
                call: Box::new(|n| {
                    self.point(&self.hub, 1, n);
                    (self.program(SEGUE, &["fetch"]), Vec::new())
                }),
            },
            Alternative {
                name: "git push of one new card",
                call: Box::new(|n| {
                    self.point(&self.dir.join(".git"), 2, n);
                    let refspec = format!("{0}:{0}", name_of(2));
                    let args = ["push", "-q", "--no-verify", "origin", &refspec];
                    (self.program("git", &args), Vec::new())
                }),
            },
            Alternative {
                name: "git fetch of one new card",
                call: Box::new(move |n| {
                    self.point(&self.hub, 3, n);
                    let args = ["fetch", "-q", "--no-tags", "origin", refspec];
                    (self.program("git", &args), Vec::new())
                }),
            },
        ]
    }

    /// Moves the chain of one of the four sessions on to its n-th new card.
    fn point(&self, git_dir: &Path, chain: usize, n: usize) {
        let id = &self.chains[chain][n];
        std::fs::write(git_dir.join(name_of(chain)), format!("{id}\n")).unwrap();
    }
}

/// The ref of the n-th session.
fn name_of(session: usize) -> String {
    format!("refs/segue/{session:08x}-1111-4222-8333-444455556666")
}

/// Makes that many sessions of the one that is there.
fn multiply(ground: &Ground, dir: &Path, sessions: usize) {
    let reference = format!("refs/segue/{SESSION}");
    let message = ground.git(dir, &["log", "-1", "--format=%B", &reference]);
    let card = ground.git(dir, &["show", &format!("{reference}:card.json")]);
    let tree = ground.git(dir, &["ls-tree", &reference]);
    let others = tree.lines().filter(|line| !line.ends_with("\tcard.json"));
    let others: String = others
        .filter_map(|line| {
            let (facts, name) = line.split_once('\t')?;
            Some(format!("M 644 {} {name}\n", facts.split(' ').nth(2)?))
        })
        .collect();
    let (mut stream, mut at) = (String::new(), START);
    for name in (0..sessions).map(name_of) {
        let session = name.strip_prefix("refs/segue/").unwrap();
        let trailer = format!("Session: {session}");
        let message = message.replace(&format!("Session: {SESSION}"), &trailer);
        let card = card.replace(&format!("\"{SESSION}\""), &format!("\"{session}\""));
        writeln!(stream, "reset {name}").unwrap();
        for number in 0..CARDS {
            at += 1;
            commit(&mut stream, &name, at, &message);
            if number == 0 {
                let data = format!("data {}\n{card}", card.len());
                write!(stream, "M 644 inline card.json\n{data}\n{others}").unwrap();
            }
        }
    }
    ground.fed(dir, &["fast-import", "--quiet"], stream.as_bytes());
}

/// The next cards of the n-th session, each on top of the one before, which no chain holds yet.
fn next_cards(ground: &Ground, dir: &Path, session: usize) -> Vec<String> {
    let name = name_of(session);
    let message = ground.git(dir, &["log", "-1", "--format=%B", &name]);
    let mut stream = String::new();
    for number in 0..NEW_CARDS {
        commit(
            &mut stream,
            "refs/new",
            START + 10_000_000 + number,
            &message,
        );
        if number == 0 {
            writeln!(stream, "from {name}^0").unwrap();
        }
    }
    ground.fed(dir, &["fast-import", "--quiet"], stream.as_bytes());
    let ids = ground.git(dir, &["rev-list", "--reverse", "refs/new", "--not", &name]);
    ground.git(dir, &["update-ref", "-d", "refs/new"]);
    ids.lines().map(str::to_owned).collect()
}

fn commit(stream: &mut String, to: &str, at: usize, message: &str) {
    let data = format!("data {}\n{message}", message.len());
    writeln!(
        stream,
        "commit {to}\ncommitter Ada <ada@example.com> {at} +0000\n{data}"
    )
    .unwrap();
}
