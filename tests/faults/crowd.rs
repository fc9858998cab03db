//! Many savers at once.

use std::process::Stdio;

use crate::support::cards::{arguments, words};
use crate::support::sound::assert_sound;
use crate::support::world::World;

/// How many savers run at once.
const SAVERS: usize = 16;

/// Starts all savers before the first is waited for; every one must succeed.
fn save_at_once(world: &World, session: impl Fn(usize) -> String) {
    let savers: Vec<_> = (0..SAVERS)
        .map(|n| {
            let (session, text) = (session(n), format!("number {n}"));
            let mut command = world.segue(&arguments(&session, &text));
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for saver in savers {
        let ended = saver.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{stderr}");
    }
}

fn numbers() -> Vec<String> {
    let mut numbers: Vec<_> = (0..SAVERS).map(|n| format!("number {n}")).collect();
    numbers.sort();
    numbers
}

#[test]
fn sixteen_savers_of_one_session_lose_no_card() {
    let world = World::new();
    save_at_once(&world, |_| "s".to_owned());
    let mut saved = words(&world, "s");
    saved.sort();
    assert_eq!(saved, numbers());
    assert_eq!(assert_sound(&world), SAVERS);
    let note = world.git(&["notes", "--ref=segue", "show", "HEAD"]);
    assert_eq!(note.lines().count(), SAVERS);
}

#[test]
fn sixteen_savers_of_sixteen_sessions_with_packed_refs_lose_no_session() {
    let world = World::new();
    world.git(&["pack-refs", "--all"]);
    save_at_once(&world, |n| format!("session-{n}"));
    let mut saved: Vec<_> = (0..SAVERS)
        .flat_map(|n| words(&world, &format!("session-{n}")))
        .collect();
    saved.sort();
    assert_eq!(saved, numbers());
    assert_eq!(assert_sound(&world), SAVERS);
}
