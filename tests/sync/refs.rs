//! Refs, remotes and repositories as people, other programs and crashes leave them.

use super::two_clones::TwoClones;
use crate::support::sound::assert_sound;

/// Two clones, the other one's card at the hub.
fn one_at_the_hub() -> (TwoClones, String) {
    let mut clones = TwoClones::new();
    let card = clones.save("other", "theirs", "dig a hole");
    clones.segue("other", &["push"]).ok();
    (clones, card)
}

#[test]
fn refspecs_of_the_person_move_no_chain_of_ours() {
    for settings in ["apart", "in place"] {
        let (mut clones, _) = one_at_the_hub();
        let world = clones.on("repo");
        world.git(&["config", "remote.origin.fetch", "+refs/*:refs/*"]);
        if settings == "in place" {
            world.git(&["config", "extensions.worktreeConfig", "true"]);
        }
        let ours = clones.save("repo", "theirs", "not pushed yet");
        clones.segue("repo", &["fetch"]).ok();
        assert_eq!(clones.tip("repo", "theirs"), ours, "{settings}");
    }
}

#[test]
fn a_remote_may_have_a_name_that_windows_has_not() {
    for name in ["aux", "x.", "a/con"] {
        let (mut clones, card) = one_at_the_hub();
        clones.save("repo", "ours", "plant a tree");
        let world = clones.on("repo");
        world.git(&["remote", "rename", "origin", name]);
        clones.segue("repo", &["push", name]).ok();
        clones.segue("repo", &["fetch", name]).ok();
        let listed = clones.segue("repo", &["list"]).ok();
        assert!(listed.contains(&format!("[{name}]")), "{listed}");
        let world = clones.on("repo");
        let fetched = format!("refs/segue-remotes/{name}/theirs");
        assert_eq!(world.git(&["rev-parse", &fetched]), card);
    }
}

#[test]
fn sessions_of_a_remote_that_was_renamed_are_told_apart_too() {
    let mut clones = TwoClones::new();
    for session in ["0190a000-1111", "0190a000-2222"] {
        clones.save("other", session, "dig a hole");
    }
    clones.segue("other", &["push"]).ok();
    clones.segue("repo", &["fetch"]).ok();
    clones.on("repo").git(&["remote", "rename", "origin", "up"]);
    let listed = clones.segue("repo", &["list"]).ok();
    for short in ["0190a000-1", "0190a000-2"] {
        assert!(listed.contains(&format!("{short} ")), "{listed}");
        clones.segue("repo", &["show", short]).ok();
    }
}

#[test]
fn the_git_directory_may_be_named_from_where_one_stands() {
    let (mut clones, card) = one_at_the_hub();
    let ours = clones.save("repo", "ours", "plant a tree");
    clones.on("repo").write("sub/file", "x");
    let hub = clones.world.root().join("hub");
    let world = clones.on("repo/sub");
    world.git(&["config", "remote.origin.url", &hub.to_string_lossy()]);
    clones.world.set_env("GIT_DIR", "../.git");
    clones.segue("repo/sub", &["push"]).ok();
    clones.segue("repo/sub", &["fetch"]).ok();
    clones.world.unset_env("GIT_DIR");
    let world = clones.on("repo");
    let fetched = world.git(&["rev-parse", "refs/segue-remotes/origin/theirs"]);
    assert_eq!(fetched, card);
    assert_eq!(
        clones.on("hub").git(&["rev-parse", "refs/segue/ours"]),
        ours
    );
}

#[test]
fn a_chain_that_was_cut_by_a_shallow_fetch_goes_on() {
    let (mut clones, _) = one_at_the_hub();
    clones.save("other", "theirs", "dig deeper");
    clones.segue("other", &["push"]).ok();
    let hub = format!("file://{}", clones.world.root().join("hub").display());
    let world = clones.on("repo");
    world.git(&["config", "remote.origin.url", &hub]);
    let spec = "refs/segue/theirs:refs/segue/theirs";
    world.git(&["fetch", "--quiet", "--depth", "1", "origin", spec]);
    let more = clones.save("repo", "theirs", "and deeper");
    clones.segue("repo", &["push"]).ok();
    assert_eq!(
        clones.on("hub").git(&["rev-parse", "refs/segue/theirs"]),
        more
    );
}

#[test]
fn what_a_shallow_hub_does_not_give_is_said() {
    let (mut clones, _) = one_at_the_hub();
    clones.save("other", "theirs", "dig deeper");
    clones.segue("other", &["push"]).ok();
    let root = clones.world.root();
    let hub = format!("file://{}", root.join("hub").display());
    let world = clones.on("hub");
    let shallow = root.join("shallow");
    let shallow = shallow.to_string_lossy();
    world.git(&["clone", "--quiet", "--bare", "--depth", "1", &hub, &shallow]);
    let spec = "refs/segue/theirs:refs/segue/theirs";
    clones
        .on("shallow")
        .git(&["fetch", "--quiet", "--depth", "1", &hub, spec]);
    let world = clones.on("repo");
    world.git(&["config", "remote.origin.url", &shallow]);
    let said = world.run(&["fetch"]).ended(128).stderr;
    assert_eq!(
        said,
        "fatal: cannot fetch from `origin`: git did not bring 1 chain that is new there\n\
         hint: `git fetch origin 'refs/segue/*'` says why\n"
    );
}

#[test]
fn one_of_several_addresses_that_refuses_is_told() {
    let mut clones = TwoClones::new();
    clones.save("repo", "ours", "plant a tree");
    let closed = clones.world.bare_repo("closed");
    clones
        .on("closed")
        .git(&["config", "receive.hideRefs", "refs/segue"]);
    let world = clones.on("repo");
    let closed = closed.to_string_lossy();
    world.git(&["remote", "set-url", "--add", "origin", &closed]);
    let said = world.run(&["push"]).ended(1).stdout;
    assert!(said.contains("the remote hides such refs"), "{said}");
}

#[test]
fn a_broken_line_among_packed_refs_hides_no_chain() {
    let mut clones = TwoClones::new();
    for session in ["one", "two"] {
        clones.save("repo", session, "plant a tree");
    }
    let world = clones.on("repo");
    world.git(&["pack-refs", "--all"]);
    let path = world.dir().join(".git/packed-refs");
    let packed = std::fs::read_to_string(&path).unwrap();
    let broken = packed.replace(
        "refs/segue/one\n",
        "refs/segue/one\nrubbish\nmore rubbish\n",
    );
    std::fs::write(&path, broken).unwrap();
    let listed = clones.segue("repo", &["list"]).ok();
    assert_eq!(listed.lines().count(), 2, "{listed}");
    std::fs::write(&path, packed).unwrap();
}

#[test]
fn a_fetched_ref_that_a_crash_emptied_is_no_hindrance() {
    let (mut clones, _) = one_at_the_hub();
    clones.segue("repo", &["fetch"]).ok();
    let card = clones.save("other", "theirs", "dig deeper");
    clones.segue("other", &["push"]).ok();
    let world = clones.on("repo");
    let name = "refs/segue-remotes/origin/theirs";
    std::fs::write(world.dir().join(".git").join(name), "").unwrap();
    clones.segue("repo", &["fetch"]).ok();
    let world = clones.on("repo");
    assert_eq!(world.git(&["rev-parse", name]), card);
    assert_sound(world);
}
