//! Old sessions are dropped whole; what others go on from stays.

use crate::support::cards::save;
use crate::support::sound::assert_sound;
use crate::support::world::World;

const DAY_SECONDS: i64 = 24 * 3600;

/// The sessions that have a chain.
fn sessions(world: &World) -> Vec<String> {
    let names = world.git(&[
        "for-each-ref",
        "--format=%(refname:lstrip=2)",
        "refs/segue/",
    ]);
    names.lines().map(str::to_owned).collect()
}

#[test]
fn sessions_older_than_told_are_dropped_whole_and_the_newest_kept() {
    let world = World::new();
    save(&world, "s-1", "Prune the hedge");
    save(&world, "s-1", "Burn the hedge");
    world.wait(50 * DAY_SECONDS);
    save(&world, "s-2", "Plant a hedge");
    world.wait(50 * DAY_SECONDS);

    let dry = world.run(&["prune", "-n"]).ok();
    assert_eq!(dry, "would drop s-1, 100 d old: Prune the hedge\n");
    assert_eq!(sessions(&world), ["s-1", "s-2"]);
    let none = world.run(&["prune", "--keep", "2"]).ended(0);
    assert_eq!(none.stderr, "no session is old enough to be dropped\n");

    assert_eq!(
        world.run(&["prune"]).ok(),
        "dropped s-1, 100 d old: Prune the hedge\n"
    );
    assert_eq!(sessions(&world), ["s-2"]);
    world.git(&["gc", "--quiet", "--prune=now"]);
    assert_eq!(assert_sound(&world), 1);
    world.run(&["prune", "--expire", "7.weeks"]).ended(0);
    assert_eq!(sessions(&world), [""; 0]);
}

#[test]
fn its_json_tells_what_went_and_what_stayed() {
    let world = World::new();
    save(&world, "s-1", "Prune the hedge");
    world.wait(100 * DAY_SECONDS);
    save(&world, "s-2", "Plant a hedge");
    let dry = world.run(&["prune", "-n", "--json"]).json();
    let done = world.run(&["prune", "--json"]).json();
    for (answer, dry_run) in [(&dry, true), (&done, false)] {
        assert_eq!(
            (&answer["verb"], &answer["dry_run"]),
            (&"prune".into(), &dry_run.into())
        );
        assert_eq!(answer["dropped"].as_array().unwrap().len(), 1, "{answer}");
        assert_eq!(answer["dropped"][0]["session"], "s-1");
        assert_eq!(answer["kept"], serde_json::json!([]));
    }
    assert_eq!(sessions(&world), ["s-2"]);
}

#[test]
fn a_session_that_another_goes_on_from_stays_unless_told() {
    let world = World::new();
    let card = save(&world, "s-1", "Prune the hedge");
    world.wait(100 * DAY_SECONDS);
    let tree = format!("{card}^{{tree}}");
    let message = world.git(&["log", "-1", "--format=%B", &card]);
    let message = message.replace("Segue-Session: s-1", "Segue-Session: s-2");
    let next = world.git(&["commit-tree", &tree, "-p", &card, "-m", message.trim()]);
    world.git(&["update-ref", "refs/segue/s-2", &next]);
    let said = world.run(&["prune"]).ok();
    assert!(
        said.starts_with("kept s-1, ") && said.contains("goes on from it"),
        "{said}"
    );
    assert_eq!(sessions(&world), ["s-1", "s-2"]);
    world.run(&["prune", "--also-continued"]).ended(0);
    assert_eq!(sessions(&world), ["s-2"]);
    assert_eq!(assert_sound(&world), 2, "its cards stay below the other's");
}

#[test]
fn segue_expire_is_asked_and_what_is_no_time_is_refused() {
    let world = World::new();
    save(&world, "s-1", "Prune the hedge");
    world.wait(100 * DAY_SECONDS);
    world.git(&["config", "segue.expire", "never"]);
    world.run(&["prune"]).ended(0);
    assert_eq!(sessions(&world), ["s-1"]);
    let ran = world.run(&["prune", "--expire", "soonish"]).ended(129);
    assert!(
        ran.stderr
            .starts_with("error: cannot prune: `soonish` is no time\n"),
        "{}",
        ran.stderr
    );
}
