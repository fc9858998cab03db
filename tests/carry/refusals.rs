//! When `resume --apply` writes nothing, and what it says then.

use super::ground::{SESSION, apply, at_one_commit, carried_over, picture, remove};
use crate::support::world::World;
use crate::sync::two_clones::TwoClones;

/// A card that changes, adds and removes a file, on both machines.
fn carried() -> TwoClones {
    let mut clones = at_one_commit(|world| {
        world.write("changed", "one\n");
        world.write("gone", "gone\n");
        world.write("other", "other\n");
    });
    let world = clones.on("repo");
    world.write("changed", "two\n");
    remove(world, "gone");
    world.write("new/file", "new\n");
    carried_over(&mut clones);
    clones
}

/// Fails unless nothing is written and these lines are said.
#[track_caller]
fn refused(clones: &mut TwoClones, args: &[&str], expect: &[&str]) {
    let before = picture(clones.on("other").dir());
    let ran = apply(clones, args).ended(1);
    assert_eq!(picture(clones.on("other").dir()), before);
    for line in expect {
        assert!(
            ran.stderr.contains(line),
            "{line} is not in\n{}",
            ran.stderr
        );
    }
}

#[test]
fn what_would_be_overwritten_is_named_and_the_rest_of_the_dirt_may_stay() {
    let mut clones = carried();
    let world = clones.on("other");
    world.write("other", "dirty elsewhere\n");
    world.write("mine", "mine\n");
    world.write("changed", "mine\n");
    world.write("gone", "changed\n");
    world.write("new/file", "mine\n");
    refused(
        &mut clones,
        &[],
        &[
            "error: this would be overwritten; nothing was written\n",
            "  changed: it was changed here\n",
            "  gone: it was changed here\n",
            "  new/file: another file is there\n",
            "hint: commit or stash it, then run it again; or merge with `--3way`\n",
        ],
    );
    let world = clones.on("other");
    world.git(&["checkout", "--", "changed", "gone"]);
    remove(world, "new");
    apply(&mut clones, &[]).ok();
    let world = clones.on("other");
    assert_eq!(world.read("other"), "dirty elsewhere\n");
    assert_eq!(world.read("new/file"), "new\n");
}

#[test]
fn an_ignored_file_and_a_folder_in_the_way_are_seen() {
    let mut clones = carried();
    let world = clones.on("other");
    world.write(".git/info/exclude", "new\n");
    world.write("new/file", "ignored here\n");
    refused(&mut clones, &[], &["  new/file: another file is there\n"]);
    let world = clones.on("other");
    remove(world, "new");
    world.write("new/file/deep", "a folder\n");
    refused(
        &mut clones,
        &[],
        &["  new/file: a folder is there, with `new/file/deep`\n"],
    );
    let world = clones.on("other");
    remove(world, "new");
    world.write("new", "a file\n");
    refused(&mut clones, &[], &["  new/file: `new` is no folder here\n"]);
    let world = clones.on("other");
    remove(world, "new");
    remove(world, "changed");
    refused(&mut clones, &[], &["  changed: it was removed here\n"]);
}

#[test]
fn with_the_index_what_is_staged_is_in_the_way() {
    let mut clones = at_one_commit(|world| {
        world.write("a", "a\n");
    });
    let world = clones.on("repo");
    world.write("a", "staged there\n");
    world.git(&["add", "a"]);
    carried_over(&mut clones);
    let world = clones.on("other");
    world.write("a", "staged here\n");
    world.git(&["add", "a"]);
    world.write("a", "a\n");
    refused(
        &mut clones,
        &["--index"],
        &["  a: something else is staged here\n"],
    );
    apply(&mut clones, &[]).ok();
    assert_eq!(clones.on("other").git(&["show", ":a"]), "staged here");
}

#[test]
fn another_commit_is_named_and_so_is_the_way_there() {
    let mut clones = carried();
    let head = clones.on("other").git(&["rev-parse", "--short=8", "HEAD"]);
    clones.on("other").commit("later", "later\n", "Later");
    let hint = format!(
        "hint: `git checkout {head}` goes there, `--3way` merges the work with what is here\n"
    );
    refused(
        &mut clones,
        &[],
        &[
            &format!("was written at commit {head}, and HEAD is another one\n"),
            &hint,
        ],
    );
}

#[test]
fn a_commit_that_is_not_here_is_named() {
    let mut clones = carried();
    let world = clones.on("repo");
    world.commit("unpushed", "unpushed\n", "Not pushed");
    world.write("more", "more\n");
    carried_over(&mut clones);
    refused(
        &mut clones,
        &["--3way"],
        &[
            "which is not here\n",
            "hint: push that commit from there, and `git fetch` it here\n",
        ],
    );
}

#[test]
fn a_card_that_carries_nothing_says_how_later_ones_would() {
    let world = World::new();
    world.write("new", "new\n");
    world.run(&["save", "--session", SESSION]).ended(0);
    let ran = world.run(&["resume", "--apply", SESSION]).ended(1);
    assert!(
        ran.stderr
            .contains("carries no work\nhint: `git config segue.carryWorktree true`"),
        "{}",
        ran.stderr
    );
    remove(&world, "new");
    world
        .run(&["save", "--carry", "--session", SESSION])
        .ended(0);
    let ran = world.run(&["resume", "--apply", SESSION]).ended(1);
    assert!(
        ran.stderr.contains("there was nothing uncommitted"),
        "{}",
        ran.stderr
    );
    world.run(&["resume", "--3way"]).ended(129);
}

#[test]
fn an_index_that_somebody_holds_leaves_everything_as_it_was() {
    let mut clones = at_one_commit(|_| {});
    let world = clones.on("repo");
    world.write("a", "a\n");
    world.git(&["add", "a"]);
    carried_over(&mut clones);
    clones.on("other").write(".git/index.lock", "");
    let ran = apply(&mut clones, &["--index"]).ended(128);
    assert!(
        ran.stderr.starts_with("note: ") && ran.stderr.contains("cannot write the index"),
        "{}",
        ran.stderr
    );
    assert!(!clones.on("other").dir().join("a").exists());
}

#[test]
fn a_file_that_cannot_be_made_leaves_everything_as_it_was() {
    let mut clones = at_one_commit(|world| {
        world.write("plain", "plain\n");
    });
    let world = clones.on("repo");
    world.write(".gitattributes", "*.bad filter=bad\n");
    world.write("a.bad", "a\n");
    world.write("plain", "changed\n");
    carried_over(&mut clones);
    let world = clones.on("other");
    world.git(&["config", "filter.bad.smudge", "exit 3"]);
    world.git(&["config", "filter.bad.required", "true"]);
    let ran = apply(&mut clones, &[]).ended(128);
    assert!(ran.stderr.contains("a.bad"), "{}", ran.stderr);
    let world = clones.on("other");
    assert_eq!(world.read("plain"), "plain\n");
    assert!(!world.dir().join(".gitattributes").exists());
}

#[test]
fn the_origin_is_said_first_and_the_text_of_the_card_says_how() {
    let mut clones = carried();
    let ran = apply(&mut clones, &[]).ended(0);
    assert!(ran.stderr.starts_with("note: card "), "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("it was fetched from `origin`, not signed\n"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout
            .contains("M changed\nD gone\nA new/file\nbrought back 3 paths from card "),
        "{}",
        ran.stdout
    );
    let resumed = clones.on("other").run(&["resume", SESSION]).ok();
    assert!(
        resumed.contains(
            "It carries the uncommitted work (3 changed files): `git segue resume --apply "
        ),
        "{resumed}"
    );
    assert!(
        resumed.contains("not committed there, but carried by the card: "),
        "{resumed}"
    );
    // At home the work is there, and no agent needs to hear of it.
    let home = clones.on("repo").run(&["resume", SESSION]).ended(0);
    assert!(!home.stdout.contains("It carries"), "{}", home.stdout);
    assert!(home.stderr.contains("It carries"), "{}", home.stderr);
}
