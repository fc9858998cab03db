//! Cards made by the program itself.

use super::world::World;

/// Saves a card of a session with these words on it; gives its id.
#[track_caller]
pub(crate) fn save(world: &World, session: &str, words: &str) -> String {
    world.run(&arguments(session, words)).ok();
    world.git(&["rev-parse", &format!("refs/segue/{session}")])
}

/// The command line of [`save`].
pub(crate) fn arguments<'a>(session: &'a str, words: &'a str) -> [&'a str; 5] {
    ["save", "--session", session, "-m", words]
}

/// The words on each card of a session, newest first.
#[track_caller]
pub(crate) fn words(world: &World, session: &str) -> Vec<String> {
    let name = format!("refs/segue/{session}");
    let ids = world.git(&["rev-list", "--first-parent", &name]);
    let words = |id: &str| {
        let json = world.git(&["cat-file", "blob", &format!("{id}:card.json")]);
        let card: serde_json::Value = serde_json::from_str(&json).unwrap();
        card["instructions"].as_str().unwrap().to_owned()
    };
    ids.lines().map(words).collect()
}
