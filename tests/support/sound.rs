//! Whether a store is sound, judged with git alone.

use super::world::World;

/// What every card's tree holds.
const ENTRIES: [&str; 3] = ["card.json", "card.md", "decisions.md"];
/// What every card's commit says in its trailers.
const TRAILERS: [&str; 5] = [
    "Segue-Session",
    "Segue-Host",
    "Segue-Kind",
    "Segue-Trigger",
    "Segue-Writer",
];

/// Fails the test unless `git fsck` is content and every commit of every chain holds a card that can be read.
/// Gives the number of cards that our refs reach.
#[track_caller]
pub(crate) fn assert_sound(world: &World) -> usize {
    let fsck = world.try_git(&[
        "fsck",
        "--full",
        "--strict",
        "--no-dangling",
        "--no-progress",
    ]);
    let complaints = fsck
        .stderr
        .lines()
        .filter(|line| !line.starts_with("notice: "));
    assert_eq!(
        (
            fsck.code,
            fsck.stdout.trim(),
            complaints.collect::<Vec<_>>()
        ),
        (Some(0), "", Vec::new()),
        "git fsck"
    );
    let cards = world.git(&["rev-list", "--glob=refs/segue/*"]);
    for id in cards.lines() {
        assert_card(world, id);
    }
    cards.lines().count()
}

#[track_caller]
fn assert_card(world: &World, id: &str) {
    let names = world.git(&["ls-tree", "--name-only", id]);
    for entry in ENTRIES {
        assert!(
            names.lines().any(|name| name == entry),
            "{id} has no {entry}: {names}"
        );
    }
    let json = world.git(&["cat-file", "blob", &format!("{id}:card.json")]);
    let card: serde_json::Value =
        serde_json::from_str(&json).unwrap_or_else(|err| panic!("{id}: {err}\n{json}"));
    assert_eq!(card["version"], 1, "{id}");
    let trailers = world.git(&["log", "-1", "--format=%(trailers:only,unfold)", id]);
    for trailer in TRAILERS {
        assert!(
            trailers
                .lines()
                .any(|line| line.starts_with(&format!("{trailer}: "))),
            "{id} has no {trailer}:\n{trailers}"
        );
    }
}
