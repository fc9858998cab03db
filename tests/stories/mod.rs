//! The journeys of the README, told as they happen.

use crate::support::conversation;
use crate::support::story::assert_true;
use crate::support::world::World;
use crate::sync::two_clones::TwoClones;

#[test]
fn a_compaction() {
    let mut world = World::new();
    let transcript = world.home().join("parser.jsonl");
    let talk = conversation::Conversation::new("parser", world.dir())
        .person("fix the tokenizer, but never touch the grammar file")
        .agent("I look at the tokenizer first.")
        .writes("src/tokenizer.rs")
        .runs("cargo test", "test numbers ... FAILED", false)
        .agent("Numbers with an exponent still fail. Next I fix `number()` in src/tokenizer.rs.");
    std::fs::write(&transcript, talk.text()).unwrap();
    world.write("src/tokenizer.rs", "fn number() {}\n");
    for (file, event, more) in [
        ("before.json", "PreCompact", ("trigger", "auto")),
        ("behind.json", "SessionStart", ("source", "compact")),
    ] {
        let payload = serde_json::json!({
            "session_id": "parser", "transcript_path": transcript, "cwd": world.dir(), "hook_event_name": event,
            more.0: more.1});
        world.write(world.root().join(file), payload.to_string());
    }
    assert_true(&mut world, "tests/stories/compaction.md");
}

#[test]
fn another_machine() {
    let mut world = TwoClones::new().world;
    assert_true(&mut world, "tests/stories/another-machine.md");
}

#[test]
fn by_hand() {
    let mut world = World::new();
    assert_true(&mut world, "tests/stories/by-hand.md");
}
