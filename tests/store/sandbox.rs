//! The sandbox itself: it must notice what it is there to notice.

use crate::support::sound::assert_sound;
use crate::support::untouched::Untouched;
use crate::support::world::World;

fn check(touch: impl Fn(&World), noticed: bool) {
    let world = World::new();
    let before = Untouched::look(&world);
    touch(&world);
    let after = Untouched::look(&world);
    let same = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        before.assert_same(&after, &[]);
    }));
    assert_eq!(same.is_err(), noticed);
}

#[test]
fn a_touched_index_work_tree_head_config_branch_or_home_is_noticed() {
    let foreign: [fn(&World); 7] = [
        |world| {
            world.write("new.txt", "");
        },
        |world| {
            world.git(&["rm", "--quiet", "--cached", "README.md"]);
        },
        |world| {
            world.git(&["symbolic-ref", "HEAD", "refs/heads/other"]);
        },
        |world| {
            world.git(&["config", "segue.x", "y"]);
        },
        |world| {
            world.git(&["update-ref", "refs/heads/other", "HEAD"]);
        },
        |world| {
            world.git(&["update-ref", "refs/notes/commits", "HEAD"]);
        },
        |world| std::fs::write(world.home().join(".gitconfig"), "").unwrap(),
    ];
    for touch in foreign {
        check(touch, true);
    }
}

#[test]
fn what_is_ours_may_change() {
    let ours: [fn(&World); 3] = [
        |world| {
            world.git(&["update-ref", "refs/segue/a", "HEAD"]);
        },
        |world| {
            world.git(&["update-ref", "refs/segue-remotes/o/a", "HEAD"]);
        },
        |world| {
            world.git(&["notes", "--ref=segue", "add", "-m", "x"]);
        },
    ];
    for touch in ours {
        check(touch, false);
    }
}

#[test]
fn every_kind_of_repository_is_sound_before_the_first_card() {
    for world in [
        World::new(),
        World::unborn(),
        World::sha256(),
        World::reftable(),
    ] {
        assert_eq!(assert_sound(&world), 0);
    }
}
