//! What is sent, what is not, and how that is said.

use std::os::unix::fs::PermissionsExt;

use super::two_clones::TwoClones;
use crate::support::untouched::Untouched;

#[test]
fn a_push_sends_each_chain_once_and_touches_nothing_but_our_refs() {
    let mut clones = TwoClones::new();
    let first = clones.save("repo", "one", "plant a tree");
    let second = clones.save("repo", "two", "dig a hole");
    let hub = clones.on("hub");
    let before = Untouched::look(hub);
    let said = clones.on("repo").run(&["push"]).ok();
    assert_eq!(
        said.lines().filter(|line| line.starts_with("sent")).count(),
        3,
        "{said}"
    );
    let world = clones.on("hub");
    before.assert_same(&Untouched::look(world), &[]);
    assert_eq!(world.git(&["rev-parse", "refs/segue/one"]), first);
    assert_eq!(world.git(&["rev-parse", "refs/segue/two"]), second);
    assert_eq!(
        world
            .git(&["notes", "--ref=segue", "show", "main"])
            .lines()
            .count(),
        2
    );
    let again = clones.on("repo").run(&["push"]).ok();
    assert_eq!(again, "nothing to send: `origin` has it all\n");
}

#[test]
fn a_dry_run_says_the_same_and_sends_nothing() {
    let mut clones = TwoClones::new();
    clones.save("repo", "one", "plant a tree");
    let said = clones.on("repo").run(&["push", "-n"]).ok();
    assert_eq!(said.matches("to send").count(), 2, "{said}");
    assert_eq!(
        clones
            .on("hub")
            .git(&["for-each-ref", "refs/segue", "refs/notes"]),
        ""
    );
}

#[test]
fn a_named_session_goes_alone_and_without_the_notes_of_the_others() {
    let mut clones = TwoClones::new();
    clones.save("repo", "one", "plant a tree");
    clones.save("repo", "two", "dig a hole");
    clones.on("repo").run(&["push", "origin", "two"]).ok();
    let refs = clones.on("hub").git(&[
        "for-each-ref",
        "--format=%(refname)",
        "refs/segue",
        "refs/notes",
    ]);
    assert_eq!(refs, "refs/segue/two");
}

#[test]
fn an_autosave_stays_here_and_the_card_below_it_goes() {
    let mut clones = TwoClones::new();
    clones.autosave("repo", "only", "a");
    let card = clones.save("repo", "one", "plant a tree");
    clones.autosave("repo", "one", "b");
    for draft in ["c", "d"] {
        clones.on("repo").run(&["push"]).ok();
        let world = clones.on("hub");
        assert_eq!(
            world.git(&[
                "for-each-ref",
                "--format=%(objectname) %(refname)",
                "refs/segue"
            ]),
            format!("{card} refs/segue/one")
        );
        clones.autosave("repo", "one", draft);
    }
}

#[test]
fn a_chain_that_the_remote_has_more_of_is_not_forced_and_the_others_go() {
    let mut clones = TwoClones::new();
    clones.save("other", "one", "a");
    clones.segue("other", &["push"]).ok();
    clones.save("repo", "one", "b");
    clones.save("repo", "two", "c");
    let theirs = clones.on("hub").git(&["rev-parse", "refs/segue/one"]);
    let ran = clones.on("repo").run(&["push"]).ended(1);
    assert!(ran.stdout.contains("not sent one"), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("the remote has something of it that is not in ours")
    );
    assert!(
        ran.stderr.contains("git segue pull origin"),
        "{}",
        ran.stderr
    );
    let world = clones.on("hub");
    assert_eq!(world.git(&["rev-parse", "refs/segue/one"]), theirs);
    world.git(&["rev-parse", "--verify", "refs/segue/two"]);
    // Both machines' notes are there all the same.
    assert_eq!(
        world
            .git(&["notes", "--ref=segue", "show", "main"])
            .lines()
            .count(),
        3
    );
}

#[test]
fn hidden_refs_and_hooks_are_told_apart_in_plain_words() {
    let mut clones = TwoClones::new();
    clones.save("repo", "one", "a");
    clones
        .on("hub")
        .git(&["config", "transfer.hideRefs", "refs/segue"]);
    let ran = clones.on("repo").run(&["push"]).ended(1);
    assert!(
        ran.stdout
            .contains("the remote hides such refs and takes none"),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("transfer.hideRefs"), "{}", ran.stderr);
    let world = clones.on("hub");
    world.git(&["config", "--unset", "transfer.hideRefs"]);
    let hook = world.write(
        "hooks/update",
        "#!/bin/sh\necho no cards, please >&2\nexit 1\n",
    );
    std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let ran = clones.on("repo").run(&["push"]).ended(1);
    assert!(
        ran.stdout
            .contains("a hook of the remote refused it: no cards, please"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_secret_in_a_stored_card_stops_its_chain_and_its_place_is_named() {
    let mut clones = TwoClones::new();
    clones.save("repo", "one", "the vault is called hazelwood-77");
    clones.save("repo", "two", "b");
    let world = clones.on("repo");
    world.git(&["config", "segue.redact", "hazelwood-77"]);
    let ran = world.run(&["push"]).ended(1);
    let leak = ran.stdout.lines().find(|line| line.starts_with("not sent"));
    let leak = leak.unwrap_or_default();
    assert!(
        leak.contains(" a secret (literal) in card ") && leak.contains(": card.json, line "),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("hazelwood") && !ran.stderr.contains("hazelwood"));
    let refs = clones.on("hub").git(&[
        "for-each-ref",
        "--format=%(refname)",
        "refs/segue",
        "refs/notes",
    ]);
    assert_eq!(refs, "refs/segue/two");
}

#[test]
fn no_hook_of_the_person_runs_and_a_remote_that_is_away_is_one_line() {
    let mut clones = TwoClones::new();
    clones.save("repo", "one", "a");
    let world = clones.on("repo");
    let hook = world.write(".git/hooks/pre-push", "#!/bin/sh\nexit 1\n");
    std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    world.run(&["push"]).ok();
    world.git(&["remote", "set-url", "origin", "/nowhere/hub.git"]);
    let ran = world.run(&["push"]).ended(128);
    assert!(
        ran.stderr.starts_with(
            "fatal: cannot ask `origin`: '/nowhere/hub.git' does not appear to be a git repository"
        ),
        "{}",
        ran.stderr
    );
    let ran = world.run(&["push", "elsewhere"]).ended(128);
    assert_eq!(
        ran.stderr,
        "fatal: no remote `elsewhere`\nhint: the remotes are: origin\n"
    );
}
