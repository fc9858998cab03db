//! Pushing behind the back of a save (`segue.autoPush`).

use std::time::{Duration, Instant};

use super::two_clones::TwoClones;

/// How long a push behind one's back may take before a test gives up on it.
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn a_real_card_is_pushed_without_being_waited_for_and_an_autosave_is_not() {
    let mut clones = TwoClones::new();
    clones.on("repo").git(&["config", "segue.autoPush", "true"]);
    clones.autosave("repo", "two", "x");
    let card = clones.save("repo", "one", "a");
    let world = clones.on("hub");
    let started = Instant::now();
    let seen = || {
        world
            .try_git(&["rev-parse", "--verify", "--quiet", "refs/segue/one"])
            .stdout
    };
    while seen().trim() != card {
        assert!(started.elapsed() < PATIENCE, "nothing came");
    }
    assert_eq!(
        world
            .try_git(&["rev-parse", "--verify", "--quiet", "refs/segue/two"])
            .stdout,
        ""
    );
}

#[test]
fn nothing_is_pushed_inside_of_a_push_of_ones_own() {
    let mut clones = TwoClones::new();
    clones.on("repo").git(&["config", "segue.autoPush", "true"]);
    clones.world.set_env("GIT_SEGUE_DISABLE", "1");
    clones.save("repo", "one", "a");
    clones.world.unset_env("GIT_SEGUE_DISABLE");
    // The next push is the first that the remote hears of it.
    clones
        .on("repo")
        .git(&["config", "segue.autoPush", "false"]);
    let said = clones.on("repo").run(&["push"]).ok();
    assert!(said.starts_with("sent     one"), "{said}");
}
