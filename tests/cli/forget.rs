//! What is forgotten is in no chain, note or log any more, and everything else is still there.

use crate::support::cards::{arguments, save, words};
use crate::support::sound::assert_sound;
use crate::support::world::World;

/// Fails the test when a text stands in any object once git has swept those that nothing holds.
#[track_caller]
fn assert_gone(world: &World, text: &str) {
    world.git(&["gc", "--quiet", "--prune=now"]);
    let all = world.git(&["cat-file", "--batch-all-objects", "--batch"]);
    assert!(!all.contains(text), "{text} is still there");
    let log = world.try_git(&["log", "--format=%H", "-g", "refs/segue/s-1"]);
    assert_eq!(log.stdout, "");
}

#[test]
fn a_card_goes_from_the_middle_of_its_chain_and_the_others_keep_moment_and_words() {
    let world = World::new();
    save(&world, "s-1", "Plant the first tree");
    let card = save(&world, "s-1", "Dig up the neighbour");
    save(&world, "s-1", "Plant the second tree");
    let format = ["log", "--format=%an %ad %cd %s", "refs/segue/s-1"];
    let before = world.git(&format);
    let notes = world.git(&["notes", "--ref=segue", "show", "HEAD"]);

    let dry = world.run(&["forget", "-n", &card]).ok();
    let eight = &card[..8];
    assert_eq!(
        dry,
        format!("would forget card {eight}\nwould write anew 1 card\n")
    );
    assert_eq!(words(&world, "s-1").len(), 3);

    let said = world.run(&["forget", &card]).ok();
    let expect = format!(
        "forgot card {eight}\nwrote anew 1 card\nrefs/segue/s-1 moved\n\
         refs/notes/segue written anew without its history\n\
         to have the objects gone here too:\n  git gc --prune=now\n"
    );
    assert_eq!(said, expect);
    assert_eq!(
        words(&world, "s-1"),
        ["Plant the second tree", "Plant the first tree"]
    );
    let kept = before.lines().enumerate().filter(|(n, _)| *n != 1);
    let kept: Vec<_> = kept.map(|(_, line)| line).collect();
    assert_eq!(world.git(&format), kept.join("\n"));
    let after = world.git(&["notes", "--ref=segue", "show", "HEAD"]);
    assert_eq!((notes.lines().count(), after.lines().count()), (3, 2));
    let tip = world.git(&["rev-parse", "refs/segue/s-1"]);
    assert!(after.contains(&tip), "{after}");
    assert_eq!(assert_sound(&world), 2);
    assert_gone(&world, "neighbour");
}

#[test]
fn its_json_names_the_cards_the_refs_and_what_is_left_to_run() {
    let world = World::new();
    let bare = world.bare_repo("there.git");
    world.git(&["remote", "add", "there", &bare.to_string_lossy()]);
    let card = save(&world, "s-1", "Dig up the neighbour");
    let old = save(&world, "s-1", "Plant the first tree");
    world.run(&["push"]).ended(0);
    let dry = world.run(&["forget", "-n", "--json", &card]).json();
    assert_eq!(
        dry,
        serde_json::json!({"version": 1, "verb": "forget", "dry_run": true, "cards": [card], "rewritten": 1,
            "decisions": 0, "refs": [], "elsewhere": []})
    );
    let done = world.run(&["forget", "--json", &card]).json();
    let new = world.git(&["rev-parse", "refs/segue/s-1"]);
    assert_eq!(
        (&done["dry_run"], &done["cards"][0]),
        (&false.into(), &card.into())
    );
    let moved = serde_json::json!({"ref": "refs/segue/s-1", "old": old, "new": new});
    assert_eq!(done["refs"][0], moved, "{done}");
    assert_eq!(done["elsewhere"][0]["remote"], "there");
    let words: Vec<&str> = done["elsewhere"][0]["git"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap())
        .collect();
    world.git(&words);
    let there = world.git(&["ls-remote", "there", "refs/segue/s-1"]);
    assert!(there.starts_with(&new), "{there}");
}

#[test]
fn the_newest_card_goes_and_the_one_before_is_the_newest() {
    let world = World::new();
    save(&world, "s-1", "Plant the first tree");
    save(&world, "s-1", "Dig up the neighbour");
    world.run(&["forget", "@"]).ended(0);
    assert_eq!(words(&world, "s-1"), ["Plant the first tree"]);
    world.run(&["forget", "@"]).ended(0);
    assert_eq!(
        world
            .try_git(&["rev-parse", "-q", "--verify", "refs/segue/s-1"])
            .stdout,
        ""
    );
    assert_eq!(assert_sound(&world), 0);
    assert_gone(&world, "neighbour");
}

#[test]
fn a_decision_goes_with_the_card_that_brought_it_and_no_other() {
    let mut world = World::new();
    world.set_env("CLAUDE_CODE_SESSION_ID", "s-1");
    save(&world, "s-1", "Plant the first tree");
    world.run(&["decide", "water every day"]).ended(0);
    world.run(&["decide", "bury the neighbour"]).ended(0);
    let card = world.git(&["rev-parse", "refs/segue/s-1"]);
    save(&world, "s-1", "Plant the second tree");
    let said = world.run(&["forget", &card]).ok();
    assert!(said.contains("\ndecisions gone with it: 1\n"), "{said}");
    let decisions = world.run(&["decisions"]).ok();
    assert!(
        decisions.contains("water every day") && !decisions.contains("bury"),
        "{decisions}"
    );
    assert_eq!(assert_sound(&world), 3);
    assert_gone(&world, "bury the neighbour");
}

#[test]
fn a_session_goes_whole_and_chains_that_went_on_from_it_stand_without_it() {
    let world = World::new();
    save(&world, "s-1", "Dig up the neighbour");
    let card = world.git(&["rev-parse", "refs/segue/s-1"]);
    let tree = format!("{card}^{{tree}}");
    let link = world.git(&["log", "-1", "--format=%B", &card]);
    let link = link.replace("Segue-Session: s-1", "Segue-Session: s-2");
    let next = world.git(&["commit-tree", &tree, "-p", &card, "-m", link.trim()]);
    world.git(&["update-ref", "refs/segue/s-2", &next]);
    let said = world.run(&["forget", "s-1"]).ok();
    assert!(said.contains("refs/segue/s-1 deleted\n"), "{said}");
    assert!(said.contains("refs/segue/s-2 moved\n"), "{said}");
    assert_eq!(world.git(&["rev-list", "--count", "refs/segue/s-2"]), "1");
    assert_eq!(assert_sound(&world), 1);
}

#[test]
fn a_text_goes_from_every_card_decision_note_and_message() {
    let world = World::new();
    save(&world, "s-1", "Plant the first tree");
    save(&world, "s-1", "Ask Mr \"Quill\" about it");
    world.run(&["decide", "never trust Mr \"Quill\""]).ended(0);
    save(&world, "s-2", "Nothing of the sort");
    let other = world.git(&["rev-parse", "refs/segue/s-2"]);
    let said = world.run(&["forget", "--match", "Mr \"Quill\""]).ok();
    assert!(
        said.contains("git config --add segue.redact <text>"),
        "{said}"
    );
    assert_eq!(world.git(&["rev-parse", "refs/segue/s-2"]), other);
    assert_eq!(assert_sound(&world), 4);
    assert_gone(&world, "Quill");
    let none = world.run(&["forget", "--match", "Mr \"Quill\""]).ended(1);
    assert_eq!(
        none.stderr,
        "error: nothing to forget: it stands on no card\n"
    );
}

#[test]
fn where_it_was_pushed_the_commands_said_take_it_away_there_too() {
    let world = World::new();
    let bare = world.bare_repo("there.git");
    world.git(&["remote", "add", "there", &bare.to_string_lossy()]);
    save(&world, "s-1", "Plant the first tree");
    let card = save(&world, "s-1", "Dig up the neighbour");
    save(&world, "s-1", "Plant the second tree");
    world.git(&[
        "push",
        "--quiet",
        "there",
        "refs/segue/*:refs/segue/*",
        "refs/notes/segue",
    ]);
    world.git(&[
        "fetch",
        "--quiet",
        "there",
        "+refs/segue/*:refs/segue-remotes/there/*",
    ]);
    let said = world.run(&["forget", &card]).ok();
    assert!(
        said.contains("refs/segue-remotes/there/s-1 deleted\n"),
        "{said}"
    );
    let line = said
        .lines()
        .find(|line| line.starts_with("  git push"))
        .unwrap_or_else(|| panic!("{said}"));
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    world.git(&words);
    let tip = world.git(&["rev-parse", "refs/segue/s-1"]);
    let there = world.git(&["ls-remote", "there", "refs/segue/s-1"]);
    assert!(there.starts_with(&tip), "{there}");
    assert_gone(&world, "neighbour");
}

#[test]
fn other_kinds_of_repository_forget_as_well() {
    for world in [World::sha256(), World::reftable()] {
        save(&world, "s-1", "Dig up the neighbour");
        save(&world, "s-1", "Plant the first tree");
        world.run(&["forget", "s-1~1"]).ended(0);
        assert_eq!(words(&world, "s-1"), ["Plant the first tree"]);
        assert_eq!(assert_sound(&world), 1);
        let again: Vec<&str> = arguments("s-1", "Plant the second tree").to_vec();
        world.run(&again).ended(0);
        assert_eq!(assert_sound(&world), 2);
    }
}
