//! What plain git shows of cards, keeps of them, and carries away with a clone.

use crate::support::cards::save;
use crate::support::sound::assert_sound;
use crate::support::world::World;

const SESSION: &str = "0190a000-0000-7000-8000-000000000001";

#[test]
fn git_show_gives_the_card_and_git_log_the_chain() {
    let world = World::new();
    let first = save(&world, SESSION, "plant a pear tree");
    let second = save(&world, SESSION, "plant an apple tree");
    let name = format!("segue/{SESSION}");
    assert!(
        world
            .git(&["show", &format!("{name}:card.md")])
            .contains("apple")
    );
    assert!(
        world
            .git(&["show", &format!("{first}:card.md")])
            .contains("pear")
    );
    assert_eq!(
        world.git(&["log", "--format=%H", &name]),
        format!("{second}\n{first}")
    );
    let format = "--format=%(trailers:key=Segue-Kind,key=Segue-Trigger,key=Segue-Branch)";
    assert_eq!(
        world.git(&["log", "-1", format, &name]).trim(),
        "Segue-Kind: card\nSegue-Trigger: manual\nSegue-Branch: main"
    );
    assert_eq!(assert_sound(&world), 2);
}

#[test]
fn git_log_with_notes_shows_where_the_cards_stood() {
    let world = World::new();
    let first = save(&world, SESSION, "plant a pear tree");
    let second = save(&world, "another", "dig a well");
    let log = world.git(&["log", "-1", "--notes=segue", "--format=%N"]);
    let ids: Vec<_> = log
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(ids, [first, second]);
    assert!(log.contains(" 0190a000 manual "), "{log}");
}

#[test]
fn the_collection_of_garbage_keeps_every_card() {
    let world = World::new();
    for words in ["one", "two", "three"] {
        save(&world, SESSION, words);
    }
    world.git(&["gc", "--quiet", "--prune=now"]);
    assert_eq!(assert_sound(&world), 3);
    save(&world, SESSION, "four, on packed refs");
    assert_eq!(assert_sound(&world), 4);
}

#[test]
fn a_clone_brings_no_card() {
    let mut world = World::new();
    save(&world, SESSION, "one");
    let clone = world.clone_repo("clone");
    world.cd(clone);
    assert_eq!(
        world.git(&[
            "for-each-ref",
            "--format=%(refname)",
            "refs/segue",
            "refs/notes"
        ]),
        ""
    );
}

#[test]
fn the_same_content_makes_no_second_commit() {
    let world = World::new();
    let first = save(&world, SESSION, "one");
    assert_eq!(save(&world, SESSION, "one"), first);
    world.write("new.txt", "now something is different");
    assert_ne!(save(&world, SESSION, "one"), first);
    assert_eq!(assert_sound(&world), 2);
}
