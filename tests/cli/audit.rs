//! Secrets that were stored all the same are found, and never repeated.

use serde_json::{Value, json};

use crate::support::cards::save;
use crate::support::world::World;

/// A token of GitHub's shape, put together here so that no scanner of this file minds it.
fn token() -> String {
    format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a")
}

/// A commit as an older program, or somebody else's, could have stored it: this text in a file of a card's tree.
fn smuggle(world: &World, refname: &str, file: &str, text: &str) -> String {
    let tip = world.git(&["rev-parse", "refs/segue/s-1"]);
    let blob = world.write("smuggled", text);
    let blob = world.git(&["hash-object", "-w", &blob.to_string_lossy()]);
    std::fs::remove_file(world.dir().join("smuggled")).unwrap();
    let index = world.root().join("tmp/index");
    let with_index = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(args).env("GIT_INDEX_FILE", &index);
        world.finish(command, b"").ok().trim_end().to_owned()
    };
    with_index(&["read-tree", &tip]);
    let entry = format!("100644,{blob},{file}");
    with_index(&["update-index", "--add", "--cacheinfo", &entry]);
    let tree = with_index(&["write-tree"]);
    let message = world.git(&["log", "-1", "--format=%B", &tip]);
    let commit = world.git(&["commit-tree", &tree, "-p", &tip, "-m", message.trim()]);
    world.git(&["update-ref", refname, &commit]);
    commit
}

#[test]
fn what_the_program_stores_itself_is_clean() {
    let world = World::new();
    save(&world, "s-1", &format!("Prune the hedge with {}", token()));
    world
        .run(&["decide", &format!("keep {} out", token())])
        .ended(0);
    let ran = world.run(&["audit"]).ended(0);
    assert_eq!(ran.stdout, "");
    assert!(
        ran.stderr.starts_with("no secret in ") && ran.stderr.ends_with(" of 2 cards\n"),
        "{}",
        ran.stderr
    );
    let shown = world.run(&["show"]).ok();
    assert!(
        shown.contains("\nRedacted: ") && shown.contains(" github-token\n"),
        "{shown}"
    );
    world.run(&["audit", "--all"]).ended(0);
}

#[test]
fn a_stored_secret_is_named_by_card_file_line_and_kind_and_the_answer_is_no() {
    let world = World::new();
    save(&world, "s-1", "Prune the hedge");
    let text = format!("All went well.\nThe token is {}\n", token());
    let card = smuggle(&world, "refs/segue/s-1", "summary.md", &text);
    // The text is shared by one more card, and looked through once.
    save(&world, "s-1", "Burn the hedge");
    let ran = world.run(&["audit"]).ended(1);
    let place = format!("{} summary.md:2 github-token\n", &card[..8]);
    assert_eq!(ran.stdout, place);
    assert!(ran.stderr.starts_with("1 secret in "), "{}", ran.stderr);
    let json = world.run(&["audit", "--json"]).ended(1);
    assert!(!json.stdout.contains(&token()), "{}", json.stdout);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    let secret = json!([{"card": card, "file": "summary.md", "line": 2, "kind": "github-token"}]);
    assert_eq!((&json["secrets"], &json["cards"]), (&secret, &json!(3)));
}

#[test]
fn other_sessions_fetched_chains_and_notes_are_looked_through_when_all_are() {
    let world = World::new();
    save(&world, "s-1", "Prune the hedge");
    let fetched = smuggle(&world, "refs/segue-remotes/origin/s-2", "card.md", &token());
    let note = format!("{fetched} s-2 manual {}", token());
    world.git(&["notes", "--ref=segue", "add", "-f", "-m", &note, "HEAD"]);
    world.run(&["audit"]).ended(0);
    let ran = world.run(&["audit", "--all"]).ended(1);
    let eight = &fetched[..8];
    let expect = format!("{eight} card.md:1 github-token\n{eight} notes:1 github-token\n");
    assert_eq!(ran.stdout, expect);
}

#[test]
fn where_nothing_is_stored_all_of_it_is_clean() {
    let world = World::new();
    assert_eq!(
        world.run(&["audit", "--all"]).ended(0).stderr,
        "no secret in 0 texts of 0 cards\n"
    );
    world.run(&["audit"]).ended(1);
}
