//! Fetched cards, read where they were not written.

use super::two_clones::TwoClones;

/// A card of the other machine with things that did not travel, fetched to `repo`.
fn fetched() -> (TwoClones, String) {
    let mut clones = TwoClones::new();
    let world = clones.on("other");
    world.write("stashed.txt", "s");
    world.git(&["stash", "push", "--quiet", "--include-untracked"]);
    world.commit("new.txt", "n", "A commit that stays there");
    world.write("loose.txt", "l");
    let card = clones.save("other", "far", "from afar");
    clones.segue("other", &["push"]).ok();
    clones.segue("repo", &["fetch"]).ok();
    (clones, card)
}

#[test]
fn a_fetched_chain_is_listed_shown_and_walked_under_its_remote() {
    let (mut clones, card) = fetched();
    clones.save("repo", "near", "at home");
    clones.segue("repo", &["push"]).ok();
    let world = clones.on("repo");
    let list = |args: &[&str]| {
        let json = world.run(args).json();
        let sessions = json["sessions"].as_array().unwrap().clone();
        let name = |one: &serde_json::Value| {
            format!("{} {}", one["remote"], one["session"]).replace('"', "")
        };
        sessions.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(list(&["list", "--json"]), ["null near", "origin far"]);
    assert_eq!(
        list(&["list", "--remote", "--json"]),
        ["origin near", "origin far"]
    );
    for spec in ["origin/far", "far", &card, &card[..8]] {
        let shown = world.run(&["show", "--json", spec]).json();
        assert_eq!(shown["card"]["id"], card.as_str(), "{spec}");
        assert_eq!(shown["card"]["remote"], "origin", "{spec}");
        assert_eq!(shown["trust"], "not signed", "{spec}");
    }
    let log = world.run(&["log", "--json", "origin/far"]).json();
    assert_eq!(log["cards"][0]["id"], card.as_str());
}

#[test]
fn freshness_says_what_did_not_travel() {
    let (mut clones, _) = fetched();
    let other = clones.on("other").dir().display().to_string();
    let resumed = clones.on("repo").run(&["resume", "origin/far"]).ok();
    for expect in [
        "it was fetched from `origin`, not signed",
        "is not in this repository: fetch its branch",
        &format!("written elsewhere, in `{other}`"),
        "not committed there, so perhaps not here: `loose.txt`",
        "1 stash stayed there",
        "files that git ignores stayed there",
    ] {
        assert!(resumed.contains(expect), "{expect}\n{resumed}");
    }
    assert!(!resumed.contains("its work tree"), "{resumed}");
}

#[test]
fn a_card_that_was_pulled_into_our_chain_is_seen_as_from_elsewhere_too() {
    let mut clones = TwoClones::trusting();
    clones.save("repo", "one", "at home");
    clones.segue("repo", &["push"]).ok();
    let world = clones.on("other");
    world.git(&["switch", "--quiet", "-c", "feature"]);
    world.commit("new.txt", "n", "A commit that stays there");
    world.write("loose.txt", "l");
    clones.save("other", "one", "from afar");
    clones.segue("other", &["pull"]).ok();
    clones.segue("other", &["push"]).ok();
    // The other machine's folder is not on this one.
    let away = clones.world.root().join("away");
    std::fs::rename(clones.world.root().join("other"), away).unwrap();
    clones.segue("repo", &["pull"]).ok();
    let shown = clones.on("repo").run(&["resume", "one"]).ok();
    for expect in [
        "is not in this repository: fetch its branch",
        "written elsewhere, in `",
        "not committed there, so perhaps not here: `loose.txt`",
    ] {
        assert!(shown.contains(expect), "{expect}\n{shown}");
    }
    assert!(!shown.contains("its work tree"), "{shown}");
}

#[test]
fn a_clone_at_the_same_path_of_another_machine_is_elsewhere_too() {
    let mut clones = TwoClones::trusting();
    clones.save("repo", "one", "at home");
    clones.segue("repo", &["push"]).ok();
    clones.on("other").write("loose.txt", "l");
    clones.save("other", "one", "from the laptop");
    clones.segue("other", &["pull"]).ok();
    clones.segue("other", &["push"]).ok();
    // The desktop has its clone where the laptop has it.
    let root = clones.world.root();
    std::fs::rename(root.join("other"), root.join("laptop")).unwrap();
    std::fs::rename(root.join("repo"), root.join("other")).unwrap();
    clones.segue("other", &["pull"]).ok();
    let shown = clones.on("other").run(&["resume", "one"]).ok();
    let expect = "not committed there, so perhaps not here: `loose.txt`";
    assert!(shown.contains(expect), "{shown}");
    assert!(!shown.contains("deleted"), "{shown}");
    // What the laptop says of itself is as before.
    let shown = clones.segue("laptop", &["resume", "one"]).ok();
    assert!(!shown.contains(expect), "{shown}");
}

#[test]
fn a_session_that_takes_up_a_fetched_card_goes_on_from_it() {
    let (mut clones, card) = fetched();
    let before = clones.save("repo", "near", "at home");
    clones.world.set_env("CLAUDE_CODE_SESSION_ID", "near");
    clones.on("repo").run(&["resume", "origin/far"]).ok();
    clones.world.unset_env("CLAUDE_CODE_SESSION_ID");
    clones.save("repo", "near", "and on");
    let world = clones.on("repo");
    let parents = world.git(&["log", "-1", "--format=%P", "refs/segue/near"]);
    assert_eq!(parents, format!("{before} {card}"));
    clones.save("repo", "near", "and further");
    let parents = clones
        .on("repo")
        .git(&["log", "-1", "--format=%P", "refs/segue/near"]);
    assert_eq!(parents.split(' ').count(), 1, "it is linked once");
}

#[test]
fn a_plain_fetch_brings_cards_once_the_refspecs_are_there_and_not_before_or_after() {
    let mut clones = TwoClones::new();
    clones.save("other", "far", "from afar");
    clones.segue("other", &["push"]).ok();
    let world = clones.on("repo");
    let fetched = || {
        world.git(&["fetch", "--quiet"]);
        world.git(&[
            "for-each-ref",
            "--format=%(refname)",
            "refs/segue-remotes",
            "refs/notes",
        ])
    };
    let config = ["repo/.git/config"];
    assert_eq!(fetched(), "");
    let said = world
        .run_changing(&["init", "--fetch", "origin"], b"", &config)
        .ok();
    assert_eq!(said.lines().count(), 2, "{said}");
    world.run(&["init", "--fetch"]).ok();
    assert_eq!(
        fetched(),
        "refs/notes/segue-remotes/origin/segue\nrefs/segue-remotes/origin/far"
    );
    assert_eq!(
        world
            .git(&["config", "--get-all", "remote.origin.fetch"])
            .lines()
            .count(),
        3
    );
    world
        .run_changing(&["init", "--fetch", "--remove"], b"", &config)
        .ok();
    assert_eq!(
        world.git(&["config", "--get-all", "remote.origin.fetch"]),
        "+refs/heads/*:refs/remotes/origin/*"
    );
}
