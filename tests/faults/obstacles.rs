//! What may stand in a save's way.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::support::cards::{arguments, save, words};
use crate::support::sound::assert_sound;
use crate::support::untouched::Untouched;
use crate::support::world::World;

fn in_git_dir(world: &World, path: &str, text: &str) -> PathBuf {
    world.write(PathBuf::from(".git").join(path), text)
}

#[test]
fn a_lock_on_the_packed_refs_is_no_hindrance_and_stays() {
    let world = World::new();
    world.git(&["pack-refs", "--all"]);
    let lock = in_git_dir(&world, "packed-refs.lock", "");
    save(&world, "s", "one");
    save(&world, "s", "two");
    assert!(lock.exists());
    std::fs::remove_file(lock).unwrap();
    assert_eq!(assert_sound(&world), 2);
}

#[test]
fn an_old_lock_of_a_chain_is_swept_and_a_fresh_one_is_named() {
    let world = World::new();
    let lock = in_git_dir(&world, "refs/segue/s.lock", "");
    let ran = world.run(&arguments("s", "one")).ended(128);
    assert!(
        ran.stderr.contains("hint: ") && ran.stderr.contains("s.lock"),
        "{}",
        ran.stderr
    );
    let file = std::fs::File::options().write(true).open(&lock).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3_600))
        .unwrap();
    save(&world, "s", "two");
    assert!(!lock.exists());
    assert_eq!(assert_sound(&world), 1);
}

#[test]
fn a_full_disk_costs_the_card_and_nothing_else() {
    let world = World::new();
    let old = save(&world, "s", "one");
    let before = Untouched::look(&world);
    // No file may grow: every write fails, as on a full disk. Ignored, the signal for it becomes an error.
    let script = "trap '' XFSZ; ulimit -f 0; exec git-segue save --session s -m two";
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    let ran = world.finish(command, b"").ended(128);
    assert!(ran.stderr.contains("fatal: cannot write"), "{}", ran.stderr);
    before.assert_same(&Untouched::look(&world), &[]);
    assert_eq!(world.git(&["rev-parse", "segue/s"]), old);
    assert_eq!(assert_sound(&world), 1);
    save(&world, "s", "three");
    assert_eq!(words(&world, "s"), ["three", "one"]);
}

#[test]
fn a_chain_whose_ref_a_power_cut_emptied_goes_on() {
    let world = World::new();
    save(&world, "s", "one");
    save(&world, "s", "two");
    in_git_dir(&world, "refs/segue/s", "");
    save(&world, "s", "three");
    assert_eq!(words(&world, "s"), ["three", "two", "one"]);
    assert_eq!(assert_sound(&world), 3);
}

#[test]
fn where_the_tip_is_gone_a_new_chain_begins() {
    let world = World::new();
    let tip = save(&world, "s", "one");
    let object = world
        .dir()
        .join(".git/objects")
        .join(&tip[..2])
        .join(&tip[2..]);
    std::fs::remove_file(object).unwrap();
    let ran = world.run(&arguments("s", "two"));
    assert!(ran.stderr.contains("a new chain begins"), "{}", ran.stderr);
    ran.ok();
    assert_eq!(words(&world, "s"), ["two"]);
}

#[test]
fn a_clock_that_went_back_is_no_hindrance() {
    let mut world = World::new();
    save(&world, "s", "one");
    world.set_env("GIT_COMMITTER_DATE", "1000000000 +0000");
    save(&world, "s", "two");
    assert_eq!(words(&world, "s"), ["two", "one"]);
    assert_eq!(assert_sound(&world), 2);
}

#[test]
fn without_git_in_the_path_cards_are_saved_all_the_same() {
    let mut world = World::new();
    world.set_env("PATH", "/nowhere");
    let saved = world.segue(&arguments("s", "one")).output().unwrap();
    assert!(
        saved.status.success(),
        "{}",
        String::from_utf8_lossy(&saved.stderr)
    );
    world.unset_env("PATH");
    let path = std::env::var("PATH").unwrap();
    world.set_env("PATH", &path);
    assert_eq!(words(&world, "s"), ["one"]);
}
