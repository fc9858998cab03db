//! Decisions: recorded, listed, taken back, carried on.

use serde_json::json;

use crate::support::world::World;

#[test]
fn decisions_are_listed_newest_first_and_struck_when_taken_back() {
    let world = World::new();
    let ran = world.run(&[
        "decide",
        "use plain refs",
        "--why",
        "they travel",
        "--instead-of",
        "a database",
    ]);
    let said = ran.ok();
    assert!(
        said == "decided in session _unknown: use plain refs\n",
        "{said}"
    );
    world
        .run(&["decide", "--by", "agent", "cap it at 6 KB"])
        .ended(0);
    let expect = "  2    3 h agent: cap it at 6 KB\n  \
                  1    3 h user: use plain refs\n      why: they travel\n      instead of: a database\n";
    world.wait(3 * 3600);
    assert_eq!(world.run(&["decisions"]).ok(), expect);

    let said = world.run(&["decide", "--retract", "1"]).ok();
    assert!(
        said.ends_with(": use plain refs\n") && said.starts_with("taken back in session "),
        "{said}"
    );
    world.wait(3 * 3600);
    let listed = world.run(&["decisions"]).ok();
    assert!(
        listed.contains("user: ~~use plain refs~~ (taken back by user 3 h ago)\n"),
        "{listed}"
    );
    assert!(listed.starts_with("  2 "), "{listed}");
}

#[test]
fn what_cannot_be_taken_back_is_named() {
    let world = World::new();
    let hint = "hint: `git segue decisions` lists them with their numbers\n";
    let check = |which: &str, why: &str| {
        let ran = world.run(&["decide", "--retract", which]).ended(1);
        let expect = format!("error: cannot take back decision `{which}`: {why}\n{hint}");
        assert_eq!((ran.stdout.as_str(), ran.stderr), ("", expect));
    };
    check("1", "there is none");
    world.run(&["decide", "once"]).ended(0);
    check("2", "there is none");
    check("0", "there is none");
    let answer = world.run(&["decisions", "--json"]).json();
    let id = answer["decisions"][0]["id"].as_str().unwrap().to_owned();
    world.run(&["decide", "--retract", &id]).ended(0);
    check("1", "it was taken back before");
}

#[test]
fn an_agents_own_decision_is_its_own_unless_it_says_otherwise() {
    let mut world = World::new();
    world.set_env("CLAUDE_CODE_SESSION_ID", "s-1");
    world.run(&["decide", "mine"]).ended(0);
    world.run(&["decide", "--by", "user", "yours"]).ended(0);
    let answer = world.run(&["decisions", "--json"]).json();
    assert_eq!(answer["session"], "s-1");
    let by: Vec<_> = answer["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["what"], &one["by"]))
        .collect();
    assert_eq!(
        by,
        [
            (&json!("yours"), &json!("user")),
            (&json!("mine"), &json!("agent"))
        ]
    );
}

#[test]
fn each_session_has_its_own_and_all_are_found_together() {
    let mut world = World::new();
    for session in ["s-1", "s-2"] {
        world.set_env("CLAUDE_CODE_SESSION_ID", session);
        world.run(&["decide", &format!("in {session}")]).ended(0);
    }
    let own = world.run(&["decisions"]).ok();
    assert!(own.contains("in s-2") && !own.contains("in s-1"), "{own}");
    let all = world.run(&["decisions", "--all", "--json"]).json();
    let what: Vec<_> = all["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["what"])
        .collect();
    assert_eq!(what, ["in s-2", "in s-1"]);
    assert_eq!(all["session"], json!(null));
}

#[test]
fn a_decision_is_carried_on_by_later_cards_and_holds_no_secret() {
    let mut world = World::new();
    world.set_env("CLAUDE_CODE_SESSION_ID", "s-1");
    let token = format!("ghp_{}", "9fK2mQx7LrT4vWz8NbY1cHs6JdP3gEa5uRt0");
    world
        .run(&["decide", &format!("push with {token}")])
        .ended(0);
    world.run(&["save", "-m", "later"]).ended(0);
    let show = world.run(&["show", "--json"]).json();
    let what = show["card"]["decisions"][0]["what"].as_str().unwrap();
    assert_eq!(what, "push with [redacted:github-token]");
    let log = world.git(&["show", "segue/s-1:decisions.md"]);
    assert!(log.contains(what) && !log.contains(&token), "{log}");
}
