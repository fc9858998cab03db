//! `git segue save`: which conversation it takes, what it says, what it stores.

use crate::support::conversation::Conversation;
use crate::support::world::World;

/// A conversation with something done, something failing, something forbidden.
pub(crate) fn planting(world: &World, session: &str) -> String {
    Conversation::new(session, world.dir())
        .person("Plant a second tree. Never touch the fence.")
        .writes("src/tree.txt")
        .runs("make check", "error: no water", false)
        .agent("Next I will water the tree.")
        .text()
}

/// Saves the conversation of [`planting`] in the session `s-1`, and gives the card's id.
pub(crate) fn planted(world: &World) -> String {
    world.write("src/tree.txt", "tree\n");
    world.write("../talk.jsonl", planting(world, "s-1"));
    world
        .run(&["save", "--transcript", "../talk.jsonl"])
        .ended(0);
    world.git(&["rev-parse", "refs/segue/s-1"])
}

#[test]
fn a_save_says_which_card_it_wrote_and_a_second_one_that_nothing_changed() {
    let world = World::new();
    world.write("../talk.jsonl", planting(&world, "s-1"));
    let said = world
        .run(&["save", "--transcript", "../talk.jsonl"])
        .ended(0);
    let id = world.git(&["rev-parse", "refs/segue/s-1"]);
    let goal = world.git(&["log", "-1", "--format=%s", "segue/s-1"]);
    assert!(goal.starts_with("Plant a second tree."), "{goal}");
    assert!(
        said.stdout
            .starts_with(&format!("[s-1 {}] Plant a second tree.", &id[..8])),
        "{}",
        said.stdout
    );
    assert_eq!(said.stderr, "");
    let again = world
        .run(&["save", "--transcript", "../talk.jsonl"])
        .ended(0);
    let expect = format!("[s-1 {}] nothing changed since this card\n", &id[..8]);
    assert_eq!(again.stdout, expect);
    assert_eq!(world.git(&["rev-parse", "refs/segue/s-1"]), id);
}

#[test]
fn a_dry_run_prints_the_card_that_would_be_stored_and_stores_nothing() {
    let world = World::new();
    world.write("../talk.jsonl", planting(&world, "s-1"));
    let dry = world
        .run(&["save", "-n", "--transcript", "../talk.jsonl"])
        .ok();
    assert_eq!(world.git(&["for-each-ref", "refs/segue", "refs/notes"]), "");
    world
        .run(&["save", "--transcript", "../talk.jsonl"])
        .ended(0);
    assert_eq!(
        dry.trim_end(),
        world.git(&["show", "segue/s-1:card.md"]).trim_end()
    );
    for named in [
        "src/tree.txt",
        "make check",
        "Never touch the fence",
        "water the tree",
    ] {
        assert!(dry.contains(named), "{named} is not in\n{dry}");
    }
}

#[test]
fn the_newest_conversation_of_the_work_tree_is_found_and_the_callers_own_goes_before_it() {
    let mut world = World::new();
    let folder: String = world
        .dir()
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    for session in [
        "0190a000-0000-7000-8000-000000000001",
        "0190a000-0000-7000-8000-000000000002",
    ] {
        let talk = Conversation::new(session, world.dir()).person(&format!("Work as {session}"));
        let path = format!("../home/.claude/projects/{folder}/{session}.jsonl");
        world.write(path, talk.text());
    }
    let first = "0190a000-0000-7000-8000-000000000001";
    world.set_env("CLAUDE_CODE_SESSION_ID", first);
    let own = world.run(&["save", "--json"]).json();
    assert_eq!(own["card"]["session"], first);
    assert_eq!(own["card"]["host"], "claude-code");
    assert_eq!(
        (&own["written"], &own["dry_run"]),
        (&true.into(), &false.into())
    );
    world.unset_env("CLAUDE_CODE_SESSION_ID");
    let newest = world.run(&["save", "--json"]).json();
    assert_eq!(
        newest["card"]["session"],
        "0190a000-0000-7000-8000-000000000002"
    );
}

#[test]
fn without_a_conversation_the_card_rests_on_the_repository_and_says_so() {
    let world = World::new();
    let ran = world.run(&["save", "-m", "Prune the hedge"]).ended(0);
    let expect = "warning: no conversation found: the card rests on the repository alone\n";
    assert_eq!(ran.stderr, expect);
    assert!(
        ran.stdout.ends_with("] Prune the hedge\n"),
        "{}",
        ran.stdout
    );
    let show = world.run(&["show", "--json"]).json();
    assert_eq!(show["card"]["session"], "_unknown");
    assert_eq!(show["card"]["instructions"], "Prune the hedge");
}

#[test]
fn outside_of_a_repository_the_card_goes_to_the_persons_own_store() {
    let world = World::bare_ground();
    world.write("../talk.jsonl", planting(&world, "s-1"));
    world
        .run(&["save", "-n", "--transcript", "../talk.jsonl"])
        .ended(0);
    assert!(!world.home().join(".local").exists());
    world
        .run_changing(
            &["save", "--transcript", "../talk.jsonl"],
            b"",
            &["home/.local"],
        )
        .ended(0);
    let show = world.run(&["show", "--json"]).json();
    assert_eq!(show["card"]["session"], "s-1");
    assert_eq!(show["card"]["census"], serde_json::Value::Null);
}

#[test]
fn a_transcript_that_is_not_there_is_named() {
    let world = World::new();
    let ran = world
        .run(&["save", "--transcript", "nowhere.jsonl"])
        .ended(128);
    let path = world.dir().join("nowhere.jsonl");
    assert!(
        ran.stderr.starts_with("fatal: cannot read"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains(&path.display().to_string()),
        "{}",
        ran.stderr
    );
    assert_eq!(world.git(&["for-each-ref", "refs/segue"]), "");
}

#[test]
fn where_no_host_knows_the_conversation_the_card_joins_the_one_of_this_work_tree() {
    let world = World::new();
    world.run(&["save", "-m", "Before anybody spoke"]).ended(0);
    world
        .run(&["save", "--session", "s-1", "-m", "Prune the hedge"])
        .ended(0);
    let saved = world.run(&["save", "-m", "Oil the shears", "--json"]);
    assert_eq!(saved.json()["card"]["session"], "s-1");
    world
        .run(&["save", "--session", "", "-m", "Nobody's"])
        .ended(0);
    let shown = world.run(&["show", "--json"]).json();
    assert_eq!(shown["card"]["session"], "s-1");
}
