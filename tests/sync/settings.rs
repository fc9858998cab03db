//! A transfer obeys the person's settings, wherever they stand, and leaves their objects alone.

use super::two_clones::TwoClones;
use crate::support::sound::assert_sound;
use crate::support::world::World;

/// A card goes to the hub and another comes from it once `set` has been done to a clone whose remote has no address.
#[track_caller]
fn check(from: &str, set: impl Fn(&World)) {
    let mut clones = TwoClones::new();
    let theirs = clones.save("other", "theirs", "dig a hole");
    clones.segue("other", &["push"]).ok();
    let ours = clones.save("repo", "ours", "plant a tree");
    let world = clones.on("repo");
    world.git(&["config", "--unset", "remote.origin.url"]);
    world.write("sub/file", "x");
    set(world);
    world.git(&[
        "config",
        "remote.origin.fetch",
        "+refs/heads/*:refs/remotes/origin/*",
    ]);
    clones.segue(from, &["push"]).ok();
    clones.segue(from, &["fetch"]).ok();
    let world = clones.on("repo");
    assert_sound(world);
    let fetched = world.git(&["rev-parse", "refs/segue-remotes/origin/theirs"]);
    assert_eq!(fetched, theirs);
    let left = std::fs::read_dir(world.dir().join(".git/segue")).unwrap();
    let left = left.filter(|one| one.as_ref().unwrap().path().is_dir());
    let left: Vec<_> = left.map(|one| one.unwrap().file_name()).collect();
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().starts_with("aside")),
        "{left:?}"
    );
    assert_eq!(
        clones.on("hub").git(&["rev-parse", "refs/segue/ours"]),
        ours
    );
}

/// Writes a file beside the repository's own configuration that gives the remote its address.
fn address_in(world: &World, name: &str) {
    let hub = world.home().with_file_name("hub");
    let text = format!("[remote \"origin\"]\n\turl = {}\n", hub.display());
    std::fs::write(world.dir().join(".git").join(name), text).unwrap();
}

#[test]
fn a_relative_address_counts_from_the_root_of_the_work_tree() {
    for from in ["repo", "repo/sub"] {
        check(from, |world| {
            world.git(&["config", "remote.origin.url", "../hub"]);
        });
    }
}

#[test]
fn an_address_in_an_included_file_is_found() {
    check("repo", |world| {
        address_in(world, "more");
        world.git(&["config", "include.path", "more"]);
    });
}

#[test]
fn an_address_for_this_git_directory_alone_is_found() {
    for tail in ["/", "/.git"] {
        check("repo", |world| {
            address_in(world, "more");
            let root = world.dir().canonicalize().unwrap();
            let key = format!("includeIf.gitdir:{}{tail}.path", root.display());
            world.git(&["config", &key, "more"]);
        });
    }
}

#[test]
fn an_address_for_this_branch_alone_is_found() {
    check("repo", |world| {
        address_in(world, "more");
        world.git(&["config", "includeIf.onbranch:main.path", "more"]);
    });
}

#[test]
fn an_address_of_one_work_tree_is_found() {
    check("repo", |world| {
        world.git(&["config", "extensions.worktreeConfig", "true"]);
        address_in(world, "config.worktree");
    });
}

#[test]
fn an_address_under_another_name_is_found() {
    check("repo", |world| {
        world.git(&["config", "remote.origin.url", "hub:here"]);
        let hub = world.home().with_file_name("hub");
        let key = format!("url.{}.insteadOf", hub.display());
        world.git(&["config", &key, "hub:here"]);
    });
}

#[test]
fn objects_that_nothing_reaches_outlive_a_transfer_whatever_gc_is_told() {
    let mut clones = TwoClones::new();
    clones.save("other", "theirs", "dig a hole");
    clones.segue("other", &["push"]).ok();
    clones.save("repo", "ours", "plant a tree");
    let world = clones.on("repo");
    for (key, value) in [
        ("gc.auto", "1"),
        ("gc.pruneExpire", "now"),
        ("gc.autoDetach", "false"),
    ] {
        world.git(&["config", key, value]);
    }
    world.write("draft", "words that stand nowhere else");
    let draft = world.git(&["hash-object", "-w", "draft"]);
    let index = world.git(&["ls-files", "--stage"]);
    clones.segue("repo", &["push"]).ok();
    clones.segue("repo", &["fetch"]).ok();
    let world = clones.on("repo");
    assert_eq!(
        world.git(&["cat-file", "-p", &draft]),
        "words that stand nowhere else"
    );
    assert_eq!(world.git(&["ls-files", "--stage"]), index);
    assert_sound(world);
}
