//! Cards in every kind of repository.

use crate::support::cards::{save, words};
use crate::support::sound::assert_sound;
use crate::support::world::World;

#[track_caller]
fn check(world: &World) {
    save(world, "s", "one");
    save(world, "s", "two");
    assert_eq!(words(world, "s"), ["two", "one"]);
    assert_eq!(assert_sound(world), 2);
    let shown = world.run(&["show", "s"]).ok();
    assert!(shown.contains("two"), "{shown}");
}

#[test]
fn a_repository_with_sha256_keeps_cards() {
    check(&World::sha256());
}

#[test]
fn a_repository_with_reftables_keeps_cards_where_git_sees_them() {
    let world = World::reftable();
    check(&world);
    assert!(!world.dir().join(".git/refs/segue").exists());
}

#[test]
fn a_repository_without_commits_keeps_cards() {
    check(&World::unborn());
}

#[test]
fn a_detached_head_keeps_cards() {
    let world = World::new();
    world.git(&["checkout", "--quiet", "--detach"]);
    check(&world);
}

#[test]
fn a_bare_repository_keeps_cards() {
    let mut world = World::new();
    let bare = world.bare_repo("bare.git");
    world.cd(bare);
    check(&world);
}

#[test]
fn a_repository_without_an_identity_keeps_cards() {
    let mut world = World::new();
    for key in ["NAME", "EMAIL"] {
        world.unset_env(&format!("GIT_AUTHOR_{key}"));
        world.unset_env(&format!("GIT_COMMITTER_{key}"));
    }
    check(&world);
    assert_eq!(
        world.git(&["log", "-1", "--format=%an <%ae>", "segue/s"]),
        "git-segue <git-segue@localhost>"
    );
}

#[test]
fn linked_work_trees_share_their_cards() {
    let mut world = World::new();
    let linked = world.linked_worktree("hedge");
    save(&world, "s", "one");
    world.cd(linked);
    save(&world, "s", "two");
    assert_eq!(words(&world, "s"), ["two", "one"]);
    assert_eq!(
        world.git(&[
            "log",
            "--format=%(trailers:key=Segue-Branch,valueonly,separator=)",
            "segue/s"
        ]),
        "hedge\nmain"
    );
    assert_eq!(assert_sound(&world), 2);
}

#[test]
fn git_dir_and_work_tree_of_the_environment_are_heard() {
    let mut world = World::new();
    let git_dir = world.dir().join(".git");
    let work_tree = world.dir().to_owned();
    world.cd("tmp");
    world.set_env("GIT_DIR", &git_dir.to_string_lossy());
    world.set_env("GIT_WORK_TREE", &work_tree.to_string_lossy());
    save(&world, "s", "one");
    assert_eq!(words(&world, "s"), ["one"]);
}
