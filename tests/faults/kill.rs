//! A saver that is killed at any moment.

use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use crate::support::cards::{arguments, save};
use crate::support::sound::assert_sound;
use crate::support::world::World;

/// How many moments of a save a kill is tried at.
const MOMENTS: u32 = 60;

#[test]
fn a_killed_save_leaves_the_old_tip_or_the_new_one_and_the_next_save_works() {
    let world = World::new();
    let start = Instant::now();
    save(&world, "s", "the first");
    // What `save` here takes beside the program itself makes this an upper bound.
    let whole = start.elapsed();
    let (mut kept, mut killed) = (0, 0);
    for moment in 1..=MOMENTS {
        let before = world.git(&["rev-parse", "segue/s"]);
        let text = format!("moment {moment}");
        let mut command = world.segue(&arguments("s", &text));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut saver = command.spawn().unwrap();
        std::thread::sleep(whole * moment / MOMENTS / 2);
        saver.kill().unwrap();
        if saver.wait().unwrap().success() {
            kept += 1;
        } else {
            killed += 1;
        }
        let after = world.git(&["rev-parse", "segue/s"]);
        let parent = world.git(&["rev-parse", "--quiet", "--verify", "segue/s~0"]);
        assert!(
            after == before || world.git(&["rev-parse", "segue/s^"]) == before,
            "{parent}"
        );
        assert_fsck(&world);
    }
    assert!(
        killed > 0 && kept + killed == MOMENTS,
        "{kept} kept, {killed} killed"
    );
    age_locks(&world);
    let last = save(&world, "s", "the last");
    assert_eq!(world.git(&["rev-parse", "segue/s"]), last);
    assert_sound(&world);
}

#[track_caller]
fn assert_fsck(world: &World) {
    let fsck = world.try_git(&["fsck", "--no-dangling", "--no-progress"]);
    assert_eq!(
        (fsck.code, fsck.stdout.as_str()),
        (Some(0), ""),
        "{}",
        fsck.stderr
    );
}

/// Lets a lock that a kill left behind be an hour old.
fn age_locks(world: &World) {
    let hour_ago = SystemTime::now() - Duration::from_secs(3_600);
    for lock in ["refs/segue/s.lock", "refs/notes/segue.lock"] {
        if let Ok(file) = std::fs::File::options()
            .write(true)
            .open(world.dir().join(".git").join(lock))
        {
            file.set_modified(hour_ago).unwrap();
        }
    }
}
