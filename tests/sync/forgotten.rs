//! What was forgotten on one machine while a remote still has it.

use super::two_clones::TwoClones;
use crate::support::sound::assert_sound;

/// A chain of three cards that both the remote and `repo` have, and the second of them forgotten in `repo`.
fn forgotten() -> TwoClones {
    let mut clones = TwoClones::trusting();
    clones.save("repo", "one", "a");
    let card = clones.save("repo", "one", "dig up the neighbour");
    clones.save("repo", "one", "b");
    clones.segue("repo", &["push"]).ok();
    clones.segue("repo", &["forget", &card]).ok();
    clones
}

/// The notes and every chain of `repo` as git shows them.
fn ours(clones: &mut TwoClones) -> String {
    let world = clones.on("repo");
    let chains = world.git(&["log", "--format=%B", "--glob=refs/segue/*"]);
    chains
        + &world
            .try_git(&["notes", "--ref=segue", "show", "main"])
            .stdout
}

#[test]
fn a_pull_leaves_it_out_says_so_and_takes_what_is_new() {
    let mut clones = forgotten();
    let said = clones.on("repo").run(&["pull"]).ended(0);
    assert!(
        said.stderr
            .contains("`origin` still has 1 card of one that you forgot"),
        "{}",
        said.stderr
    );
    assert!(!ours(&mut clones).contains("neighbour"));
    // The other machine knows nothing of it, and goes on.
    clones.segue("other", &["fetch"]).ok();
    let theirs = clones
        .on("other")
        .git(&["rev-parse", "refs/segue-remotes/origin/one"]);
    clones
        .on("other")
        .git(&["update-ref", "refs/segue/one", &theirs]);
    clones.save("other", "one", "c");
    clones.segue("other", &["push"]).ok();
    for _ in 0..2 {
        clones.segue("repo", &["pull"]).ok();
        assert_eq!(clones.kinds("repo", "one"), "card card card");
        let all = ours(&mut clones);
        assert!(!all.contains("neighbour"), "{all}");
        assert_sound(clones.on("repo"));
    }
    assert!(
        clones
            .on("repo")
            .run(&["pull"])
            .ok()
            .contains("nothing new")
    );
}

#[test]
fn a_push_says_that_the_remote_still_has_it_and_what_takes_it_away() {
    let mut clones = forgotten();
    let ran = clones.on("repo").run(&["push"]).ended(1);
    assert_eq!(
        ran.stdout
            .matches("the remote still has what was forgotten here")
            .count(),
        2,
        "{}",
        ran.stdout
    );
    let hint = ran
        .stderr
        .lines()
        .find_map(|line| line.strip_prefix("hint: `git "));
    let (command, _) = hint.unwrap().split_once('`').unwrap();
    let words: Vec<&str> = command.split(' ').collect();
    clones.on("repo").git(&words);
    let said = clones.on("repo").run(&["push"]).ok();
    assert_eq!(said, "nothing to send: `origin` has it all\n");
    let hub = clones.on("hub");
    let all = hub.git(&["log", "--format=%B", "--all"]);
    assert!(!all.contains("neighbour"), "{all}");
}

#[test]
fn a_text_that_was_forgotten_does_not_come_back_either() {
    let mut clones = TwoClones::trusting();
    clones.save("repo", "one", "ask Mr Quill");
    clones.decide("repo", "one", "never trust Mr Quill");
    clones.save("repo", "one", "b");
    clones.segue("repo", &["push"]).ok();
    clones.segue("repo", &["forget", "--match", "Quill"]).ok();
    let tip = clones.tip("repo", "one");
    clones.segue("repo", &["pull"]).ok();
    assert_eq!(clones.tip("repo", "one"), tip);
    assert!(!ours(&mut clones).contains("Quill"));
}
