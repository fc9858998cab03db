//! What a fetch brings, and what of it becomes ours.

use super::two_clones::TwoClones;
use crate::support::sound::assert_sound;

#[test]
fn a_fetch_brings_cards_beside_ours_and_moves_nothing_of_ours() {
    let mut clones = TwoClones::trusting();
    let theirs = clones.save("other", "one", "a");
    clones.segue("other", &["push"]).ok();
    let ours = clones.save("repo", "one", "b");
    let world = clones.on("repo");
    let said = world.run(&["fetch"]).ok();
    assert!(said.starts_with("new      one"), "{said}");
    assert_eq!(
        world.git(&["rev-parse", "refs/segue-remotes/origin/one"]),
        theirs
    );
    assert_eq!(world.git(&["rev-parse", "refs/segue/one"]), ours);
    assert_eq!(world.run(&["fetch"]).ok(), "nothing new from `origin`\n");
    assert_eq!(world.git(&["tag"]), "");
}

#[test]
fn a_chain_that_is_behind_moves_forward_and_one_without_ours_stays_where_it_is() {
    let mut clones = TwoClones::trusting();
    let first = clones.save("repo", "one", "a");
    clones.segue("repo", &["push"]).ok();
    clones.segue("other", &["fetch"]).ok();
    clones
        .on("other")
        .git(&["update-ref", "refs/segue/one", &first]);
    let second = clones.save("other", "one", "b");
    clones.save("other", "new", "c");
    clones.segue("other", &["push"]).ok();
    let said = clones.on("repo").run(&["pull"]).ok();
    assert!(said.contains("forward  one"), "{said}");
    assert_eq!(clones.tip("repo", "one"), second);
    let world = clones.on("repo");
    assert_eq!(
        world.git(&["for-each-ref", "--format=%(refname)", "refs/segue"]),
        "refs/segue/one"
    );
    assert!(
        world
            .git(&["reflog", "refs/segue/one"])
            .contains("segue: pull")
    );
    assert_sound(world);
}

#[test]
fn chains_that_both_grew_are_joined_with_both_logs_and_both_machines_agree() {
    let mut clones = TwoClones::trusting();
    clones.save("repo", "one", "a");
    clones.decide("repo", "one", "use oak");
    let ours = clones.tip("repo", "one");
    clones.segue("repo", &["push"]).ok();
    clones.save("other", "one", "b");
    clones.decide("other", "one", "dig deep");
    let theirs = clones.tip("other", "one");
    let said = clones.on("other").run(&["pull"]).ok();
    assert!(said.contains("joined   one"), "{said}");
    let world = clones.on("other");
    // The newer one stands first.
    let parents = world.git(&["log", "-1", "--format=%P", "refs/segue/one"]);
    assert_eq!(parents, format!("{theirs} {ours}"));
    let log = world.git(&["cat-file", "blob", "refs/segue/one:decisions.md"]);
    assert!(log.contains("use oak") && log.contains("dig deep"), "{log}");
    let card = world.git(&["cat-file", "blob", "refs/segue/one:card.md"]);
    assert!(
        card.contains("use oak") && card.contains("dig deep"),
        "{card}"
    );
    // A join is as old as what it shows.
    assert_eq!(
        world.git(&["log", "-1", "--format=%ct", &theirs]),
        world.git(&["log", "-1", "--format=%ct", "refs/segue/one"])
    );
    assert_sound(world);
    let joined = clones.tip("other", "one");
    clones.segue("other", &["push"]).ok();
    clones.on("repo").run(&["pull"]).ok();
    assert_eq!(clones.tip("repo", "one"), joined);
    assert_eq!(
        clones.on("repo").run(&["push"]).ok(),
        "nothing to send: `origin` has it all\n"
    );
    assert_eq!(
        clones.kinds("repo", "one"),
        "join decision card decision card"
    );
}

#[test]
fn the_same_two_cards_joined_on_both_machines_are_one_card() {
    let mut clones = TwoClones::trusting();
    let ours = clones.save("repo", "one", "a");
    clones.segue("repo", &["push"]).ok();
    clones.save("other", "one", "b");
    clones.segue("other", &["pull"]).ok();
    let theirs = clones.on("other").git(&["rev-parse", "refs/segue/one^1"]);
    // The first machine sees the other's card, not its join.
    let world = clones.on("hub");
    world.git(&["fetch", "--quiet", "../other", &theirs]);
    world.git(&["update-ref", "refs/segue/one", &theirs, &ours]);
    clones.segue("repo", &["pull"]).ok();
    let joined = clones.tip("repo", "one");
    assert_eq!(joined, clones.tip("other", "one"));
}

#[test]
fn an_autosave_of_ours_is_set_upon_what_came() {
    let mut clones = TwoClones::trusting();
    let first = clones.save("repo", "one", "a");
    clones.segue("repo", &["push"]).ok();
    clones.segue("other", &["fetch"]).ok();
    clones
        .on("other")
        .git(&["update-ref", "refs/segue/one", &first]);
    let second = clones.save("other", "one", "b");
    clones.segue("other", &["push"]).ok();
    clones.autosave("repo", "one", "newest");
    clones.segue("repo", &["pull"]).ok();
    assert_eq!(clones.kinds("repo", "one"), "autosave card card");
    let world = clones.on("repo");
    assert_eq!(world.git(&["rev-parse", "refs/segue/one^"]), second);
    let tip = clones.tip("repo", "one");
    clones.segue("repo", &["pull"]).ok();
    assert_eq!(
        clones.tip("repo", "one"),
        tip,
        "a second pull changes nothing"
    );
}

#[test]
fn what_nobody_vouches_for_waits_and_is_never_ours() {
    let mut clones = TwoClones::new();
    clones.save("other", "one", "obey the stranger");
    clones.segue("other", &["push"]).ok();
    let ours = clones.save("repo", "one", "b");
    let world = clones.on("repo");
    let ran = world.run(&["pull"]).ended(1);
    assert!(
        ran.stdout.contains("waits    one      not signed"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("segue.trustRemote origin"),
        "{}",
        ran.stderr
    );
    assert_eq!(world.git(&["rev-parse", "refs/segue/one"]), ours);
    world.git(&["config", "--add", "segue.trustRemote", "origin"]);
    world.run(&["pull"]).ok();
    assert_eq!(clones.kinds("repo", "one"), "join card card");
}

#[test]
fn notes_of_both_machines_are_merged_line_by_line() {
    let mut clones = TwoClones::new();
    clones.save("other", "two", "b");
    clones.segue("other", &["push"]).ok();
    clones.save("repo", "one", "a");
    clones.on("repo").run(&["pull"]).ok();
    let notes = clones
        .on("repo")
        .git(&["notes", "--ref=segue", "show", "main"]);
    assert_eq!(notes.lines().count(), 2, "{notes}");
    clones.on("repo").run(&["push"]).ok();
    clones.on("other").run(&["pull"]).ok();
    assert_eq!(
        clones
            .on("other")
            .git(&["notes", "--ref=segue", "show", "main"]),
        notes
    );
}
