//! Help: short, agreed on, and where it belongs.

use crate::support::golden;
use crate::support::world::World;

/// Help is not wider than a terminal.
const COLUMNS_MAX: usize = 80;

/// The verbs that the program's own help lists.
pub(crate) fn verbs(world: &World) -> Vec<String> {
    let help = world.run(&["-h"]).ok();
    help.lines()
        .skip_while(|line| *line != "Verbs:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        // A long help goes on in the next line, further in.
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .collect()
}

#[test]
fn every_help_is_as_agreed_and_fits_a_terminal() {
    let world = World::bare_ground();
    let verbs = verbs(&world);
    assert!(verbs.iter().any(|verb| verb == "log"), "{verbs:?}");
    let check = |args: &[&str], name: &str| {
        let ran = world.run(args).ended(0);
        assert_eq!(ran.stderr, "");
        for line in ran.stdout.lines() {
            assert!(line.chars().count() <= COLUMNS_MAX, "{name}: {line}");
        }
        golden::assert_same(&format!("tests/cli/help/{name}.txt"), &ran.stdout);
    };
    check(&["-h"], "segue");
    for verb in &verbs {
        check(&[verb, "-h"], verb);
    }
}

#[test]
fn both_spellings_of_help_say_the_same() {
    let world = World::bare_ground();
    assert_eq!(world.run(&["--help"]).ok(), world.run(&["-h"]).ok());
    assert_eq!(
        world.run(&["log", "--help"]).ok(),
        world.run(&["log", "-h"]).ok()
    );
}

#[test]
fn the_version_is_the_packages() {
    let version = format!("git segue {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(World::bare_ground().run(&["--version"]).ok(), version);
}

#[test]
fn git_finds_the_program() {
    let world = World::new();
    let ours = world.run(&["list"]).ok();
    assert_eq!(world.git(&["segue", "list"]), ours.trim_end());
}
