//! The newest sessions, and that there are older ones.

use crate::support::cards::save;
use crate::support::world::World;

#[test]
fn sessions_that_begin_alike_are_listed_so_that_each_can_be_typed() {
    let world = World::new();
    for session in ["0190a000-1234-7000", "0190a000-1299-7000"] {
        save(&world, session, "Plant a tree");
    }
    let listed = world.run(&["list"]).ok();
    let names: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(names, ["0190a000-129", "0190a000-123"]);
    for name in names {
        world.run(&["show", name]).ok();
    }
}

#[test]
fn the_options_of_status_work_without_the_verb_and_those_of_others_do_not() {
    let world = World::new();
    assert_eq!(world.run(&["--json"]).json()["verb"], "status");
    world.run(&["--exit-code"]).ended(1);
    world.run(&["--json", "list"]).ended(129);
    let help = world.run(&["hook", "-h"]).ok();
    assert!(help.contains("Usage: git segue hook <host>"), "{help}");
}

#[test]
fn the_newest_are_listed_first_and_it_is_said_where_there_are_more() {
    let world = World::new();
    for session in ["s-1", "s-2", "s-3"] {
        save(&world, session, "Plant a tree");
    }
    save(&world, "s-1", "Plant another tree");
    let names = |args: &[&str]| {
        let answer = world.run(args).json();
        let sessions = answer["sessions"].as_array().unwrap().iter();
        let names = sessions.map(|one| one["session"].as_str().unwrap().to_owned());
        (
            names.collect::<Vec<_>>().join(" "),
            answer["more"].as_bool().unwrap(),
        )
    };
    assert_eq!(
        names(&["list", "--json"]),
        ("s-1 s-3 s-2".to_owned(), false)
    );
    assert_eq!(
        names(&["list", "--json", "-n", "2"]),
        ("s-1 s-3".to_owned(), true)
    );
    let ran = world.run(&["list", "-n", "1"]).ended(0);
    assert_eq!(ran.stdout.lines().count(), 1);
    assert_eq!(
        ran.stderr,
        "hint: there are older ones: `git segue list --all`\n"
    );
    assert_eq!(world.run(&["list", "--all"]).ok().lines().count(), 3);
}
