//! The newest sessions, and that there are older ones.

use crate::support::cards::save;
use crate::support::world::World;

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
