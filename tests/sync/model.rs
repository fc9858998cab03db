//! Whatever two machines do, in whatever order: in the end both have every card once and every decision.

use std::collections::{BTreeMap, BTreeSet};

use super::two_clones::TwoClones;

/// Each is one story.
const SEEDS: [u64; 4] = [1, 7, 42, 20_261_130];
/// What happens in one story.
const STEPS: usize = 22;
const MACHINES: [&str; 2] = ["repo", "other"];
const SESSIONS: [&str; 2] = ["one", "two"];

/// The next of a fixed row of numbers.
fn next(state: &mut u64, below: usize) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap() % below
}

#[test]
fn no_card_and_no_decision_is_lost_or_doubled() {
    for seed in SEEDS {
        story(seed);
    }
}

#[expect(
    clippy::too_many_lines,
    reason = "one story, told from its beginning to its end"
)]
fn story(seed: u64) {
    let mut clones = TwoClones::trusting();
    let mut state = seed;
    let mut cards: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut decisions: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut forgotten: Vec<(&str, &str, String)> = Vec::new();
    let mut told = Vec::new();
    for step in 0..STEPS {
        let machine = MACHINES[next(&mut state, 2)];
        let session = SESSIONS[next(&mut state, 2)];
        let words = format!("step {step}");
        let act = next(&mut state, 10);
        told.push(format!("{machine} {session} {act}"));
        match act {
            0..3 => {
                clones.save(machine, session, &words);
                cards.entry(session).or_default().insert(words);
            }
            3 => {
                clones.decide(machine, session, &words);
                decisions.entry(session).or_default().insert(words);
            }
            4 => {
                clones.autosave(machine, session, &words);
            }
            5 => {
                let ran = clones.segue(machine, &["push"]);
                assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.stderr);
            }
            6 => {
                clones.segue(machine, &["fetch"]).ok();
            }
            7 => {
                clones.segue(machine, &["pull"]).ok();
            }
            8 => offline(&mut clones, machine),
            _ => {
                let there = cards_of(&mut clones, machine, session);
                if !there.is_empty() {
                    let (id, words) = &there[next(&mut state, there.len())];
                    clones.segue(machine, &["forget", id]).ok();
                    forgotten.push((machine, session, words.clone()));
                }
            }
        }
        for (on, session, words) in forgotten.iter().filter(|(on, ..)| *on == machine) {
            let there = cards_of(&mut clones, on, session);
            let is_back = there.iter().any(|(_, one)| one == words);
            assert!(!is_back, "`{words}` came back, seed {seed}: {told:?}");
        }
    }
    // Whoever has a chain at the end takes it up on both machines.
    for session in SESSIONS {
        for machine in MACHINES {
            let words = format!("last of {machine}");
            clones.save(machine, session, &words);
            cards.entry(session).or_default().insert(words);
        }
    }
    // Whoever wants a card gone forgets it wherever it turns up, and takes it away at the remote as is said there.
    for (_, session, words) in &forgotten {
        cards.entry(session).or_default().remove(words);
    }
    for machine in ["repo", "other", "repo", "other"] {
        clones.segue(machine, &["pull"]).ok();
        for (_, session, words) in &forgotten {
            let there = cards_of(&mut clones, machine, session);
            for (id, _) in there.iter().filter(|(_, one)| one == words) {
                clones.segue(machine, &["forget", id]).ok();
            }
        }
        send(&mut clones, machine);
    }
    clones.segue("repo", &["pull"]).ok();
    for session in SESSIONS {
        assert_eq!(
            clones.tip("repo", session),
            clones.tip("other", session),
            "seed {seed}: {told:?}"
        );
        let found = cards_of(&mut clones, "repo", session);
        let all: BTreeSet<String> = found.iter().map(|(_, words)| words.clone()).collect();
        assert_eq!(all.len(), found.len(), "doubled, seed {seed}: {told:?}");
        assert_eq!(Some(&all), cards.get(session), "seed {seed}: {told:?}");
        let name = format!("refs/segue/{session}:decisions.md");
        let log = clones.on("repo").git(&["cat-file", "blob", &name]);
        let expect = decisions.remove(session).unwrap_or_default();
        assert_eq!(
            log.lines().count(),
            expect.len(),
            "seed {seed}: {told:?}\n{log}"
        );
        for words in expect {
            assert!(
                log.lines().any(|line| line.ends_with(&words)),
                "seed {seed}: {log}"
            );
        }
    }
}

/// A push and a pull while the remote is away: both say so, and nothing changes.
fn offline(clones: &mut TwoClones, machine: &str) {
    let world = clones.on(machine);
    let url = world.git(&["config", "remote.origin.url"]);
    let refs = world.git(&["for-each-ref"]);
    world.git(&["config", "remote.origin.url", "/nowhere"]);
    for verb in ["push", "pull"] {
        clones.segue(machine, &[verb]).ended(128);
    }
    let world = clones.on(machine);
    assert_eq!(world.git(&["for-each-ref"]), refs);
    world.git(&["config", "remote.origin.url", &url]);
}

/// Pushes, and where the remote still has what was forgotten runs what is said to take it away.
fn send(clones: &mut TwoClones, machine: &str) {
    let ran = clones.segue(machine, &["push"]);
    let hint = ran
        .stderr
        .lines()
        .find_map(|line| line.strip_prefix("hint: `git "));
    if let Some((command, _)) = hint.and_then(|hint| hint.split_once("` takes it away there")) {
        let words: Vec<&str> = command.split(' ').collect();
        clones.on(machine).git(&words);
        clones.segue(machine, &["push"]).ok();
    } else {
        ran.ok();
    }
}

/// The id of every real card that a chain reaches, and the words on it.
fn cards_of(clones: &mut TwoClones, machine: &str, session: &str) -> Vec<(String, String)> {
    let world = clones.on(machine);
    let format = "--format=%H %(trailers:key=Segue-Kind,valueonly,separator=%x20)";
    let log = world.try_git(&["log", format, &format!("refs/segue/{session}")]);
    let ids = log
        .stdout
        .lines()
        .filter_map(|line| line.strip_suffix(" card"));
    ids.map(|id| {
        let json = world.git(&["cat-file", "blob", &format!("{id}:card.json")]);
        let card: serde_json::Value = serde_json::from_str(&json).unwrap();
        (
            id.to_owned(),
            card["instructions"].as_str().unwrap().to_owned(),
        )
    })
    .collect()
}
