//! `log`, `list`, `show`, `status`, `resume` and `verify` over real chains.

use serde_json::{Value, json};

use super::save::planted;
use crate::support::conversation::Conversation;
use crate::support::world::World;

/// Saves a card of a session in which the person asked for this.
fn save(world: &World, session: &str, words: &str) {
    let talk = Conversation::new(session, world.dir()).person(words);
    world.write("../talk.jsonl", talk.text());
    world
        .run(&["save", "--transcript", "../talk.jsonl"])
        .ended(0);
}

fn goals(answer: &Value) -> Vec<&str> {
    let cards = answer["cards"].as_array().unwrap();
    cards
        .iter()
        .map(|card| card["goal"].as_str().unwrap())
        .collect()
}

#[test]
fn a_log_is_newest_first_and_can_be_cut_turned_and_begun_elsewhere() {
    let world = World::new();
    for words in ["one", "two", "three"] {
        save(&world, "s-1", words);
    }
    let check = |args: &[&str], expect: &[&str]| {
        let args = [&["log", "--json"], args].concat();
        assert_eq!(goals(&world.run(&args).json()), expect, "{args:?}");
    };
    check(&[], &["three", "two", "one"]);
    check(&["-n", "2"], &["three", "two"]);
    check(&["-n", "2", "--reverse"], &["two", "three"]);
    check(&["-n", "0"], &[]);
    check(&["s-1~1"], &["two", "one"]);
    check(&["@~2"], &["one"]);
    let id = world.git(&["rev-parse", "refs/segue/s-1"]);
    check(&[&id[..10]], &["three", "two", "one"]);
}

#[test]
fn all_sessions_are_walked_together_and_each_card_comes_once() {
    let world = World::new();
    save(&world, "s-1", "one");
    save(&world, "s-2", "two");
    save(&world, "s-1", "three");
    let all = world.run(&["log", "--all", "--json"]).json();
    assert_eq!(goals(&all), ["three", "two", "one"]);
    // Git sees the same cards.
    let ids: Vec<&str> = all["cards"]
        .as_array()
        .unwrap()
        .iter()
        .map(|card| card["id"].as_str().unwrap())
        .collect();
    let git = world.git(&["log", "--format=%H", "--glob=refs/segue"]);
    assert_eq!(ids, git.lines().collect::<Vec<_>>());
}

#[test]
fn one_line_holds_id_age_trigger_verdicts_and_goal() {
    let world = World::new();
    let id = planted(&world);
    world.wait(3 * 3600);
    let line = world.run(&["log", "--oneline"]).ok();
    assert!(
        line.starts_with(&format!("{}    3 h manual ✅ ", &id[..8])),
        "{line}"
    );
    assert!(
        line.ends_with("Plant a second tree. Never touch the fence.\n"),
        "{line}"
    );
    assert_eq!(line.lines().count(), 1);
}

#[test]
fn the_long_form_reads_as_gits() {
    let world = World::new();
    save(&world, "s-1", "Prune the hedge");
    let id = world.git(&["rev-parse", "refs/segue/s-1"]);
    let head = world.git(&["rev-parse", "HEAD"]);
    let date = world.git(&["log", "-1", "--format=%cd", "segue/s-1"]);
    world.wait(3 * 3600);
    let expect = format!(
        "card {id}\nSession:  s-1 (claude-code)\nDate:     {date} (3 h ago)\nTrigger:  manual, written by rules\n\
         Head:     {} (main)\n\n    Prune the hedge\n",
        &head[..8]
    );
    assert_eq!(world.run(&["log"]).ok(), expect);
}

#[test]
fn a_patch_shows_how_each_card_differs_from_the_one_before() {
    let world = World::new();
    save(&world, "s-1", "Prune the hedge");
    save(&world, "s-1", "Burn the hedge");
    let log = world.run(&["log", "-p", "--oneline", "-n", "1"]).ok();
    assert!(
        log.contains("\n-- Prune the hedge\n+- Burn the hedge\n"),
        "{log}"
    );
    assert!(log.contains("\n@@ -"), "{log}");
}

#[test]
fn sessions_are_listed_one_a_line_with_what_became_of_their_commit() {
    let world = World::new();
    save(&world, "s-1", "Prune the hedge");
    world.commit("a.txt", "a\n", "Move on");
    save(&world, "s-2", "Burn the hedge");
    world.wait(3 * 3600);
    let expect = "s-2    3 h claude-code same commit Burn the hedge\ns-1    3 h claude-code HEAD moved  Prune the hedge\n";
    assert_eq!(world.run(&["list"]).ok(), expect);
    let json = world.run(&["list", "--json"]).json();
    let sessions = json["sessions"].as_array().unwrap();
    assert_eq!(
        (&json["version"], &json["verb"]),
        (&json!(1), &json!("list"))
    );
    assert_eq!(sessions[0]["session"], "s-2");
    assert_eq!(sessions[1]["branch"], "main");
    assert_eq!(sessions[1]["remote"], Value::Null);
}

#[test]
fn status_names_the_card_its_freshness_and_why() {
    let world = World::new();
    let id = planted(&world);
    world.wait(3600);
    let status = world.run::<&str>(&[]).ok();
    let first = format!(
        "card {} of session s-1 (claude-code), 1 h old, manual; the newest of this work tree\nFRESH: go on\n",
        &id[..8]
    );
    assert!(status.starts_with(&first), "{status}");
    assert_eq!(
        world.run(&["status"]).ok().lines().next(),
        status.lines().next()
    );
    world.run(&["status", "--exit-code"]).ended(0);

    world.write("src/tree.txt", "felled\n");
    let status = world.run(&["status", "--exit-code"]).ended(1).stdout;
    assert!(
        status.contains(
            "\nSTALE: check each claim\n  - `src/tree.txt` changed (named on the card)\n"
        ),
        "{status}"
    );
    assert!(
        status.contains("\nHooks: not wired by `git segue init`, which takes the host's name\n"),
        "{status}"
    );
    let json = world.run(&["status", "--json"]).json();
    assert_eq!(json["freshness"]["level"], "STALE");
    assert_eq!(
        json["freshness"]["moved"],
        json!([{"path": "src/tree.txt", "how": "changed"}])
    );
    assert_eq!(json["card"]["id"], id);
}

#[test]
fn show_gives_the_card_as_written_and_what_turned_since() {
    let world = World::new();
    let id = planted(&world);
    let card = world.git(&["show", "segue/s-1:card.md"]);
    let shown = world.run(&["show"]).ok();
    assert!(
        shown.starts_with(&format!("card {id}\nSession:  s-1 (claude-code)\n")),
        "{shown}"
    );
    assert!(shown.contains("\nNow:      FRESH: go on\n\n"), "{shown}");
    assert!(shown.trim_end().ends_with(card.trim_end()), "{shown}");
    assert_eq!(
        world.run(&["show", "s-1"]).ok().lines().next(),
        shown.lines().next()
    );

    std::fs::remove_file(world.dir().join("src/tree.txt")).unwrap();
    let shown = world.run(&["show", &id]).ok();
    assert!(
        shown.contains("\nTurned since it was written:\n  ❌ "),
        "{shown}"
    );
    let census = world.run(&["show", "--census"]).ok();
    assert!(census.contains("\ndirty      ? src/"), "{census}");
    let none = world.run(&["show", "--summary"]).ended(1);
    assert_eq!(
        none.stderr,
        format!("error: card `{}` has no summary\n", &id[..8])
    );
}

#[test]
fn verify_answers_no_once_the_repository_refutes_a_claim() {
    let world = World::new();
    planted(&world);
    let before = world.run(&["verify"]).ended(0).stdout;
    assert!(before.contains("\nDone\n  ✅ "), "{before}");
    assert!(!before.contains('❌'), "{before}");
    std::fs::remove_file(world.dir().join("src/tree.txt")).unwrap();
    let after = world.run(&["verify"]).ended(1).stdout;
    assert!(after.contains('❌'), "{after}");
    let json = world.run(&["verify", "--json"]).ended(1).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(json["counts"]["refuted"].as_u64().unwrap() > 0, "{json}");
    let claim = json["claims"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["verdict"] == "refuted")
        .unwrap();
    assert_eq!(claim["written"], "confirmed");
}

#[test]
fn resume_prints_what_a_hook_would_give_and_says_which_card_it_took() {
    let mut world = World::new();
    let id = planted(&world);
    let ran = world.run(&["resume"]).ended(0);
    let expect = format!(
        "taking card {} of session s-1, the newest of this work tree\n",
        &id[..8]
    );
    assert_eq!(ran.stderr, expect);
    assert!(
        ran.stdout.starts_with("[segue] Handoff card "),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .contains("Plant a second tree. Never touch the fence."),
        "{}",
        ran.stdout
    );
    assert_eq!(world.run(&["resume", "s-1"]).ended(0).stderr, "");

    let other = world.linked_worktree("other");
    world.cd(&other);
    world.run(&["log"]).ended(1);
    let ran = world.run(&["resume"]).ended(0);
    assert!(
        ran.stderr
            .ends_with("of session s-1, the newest of this repository\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_card_of_no_session_is_never_taken_by_an_agent_that_did_not_name_it() {
    let mut world = World::new();
    world.run(&["save", "-m", "Prune the hedge"]).ended(0);
    world.run(&["show"]).ended(0);
    world.set_env("CLAUDE_CODE_SESSION_ID", "s-9");
    world.run(&["show"]).ended(1);
    world.run(&["resume"]).ended(1);
    world.run(&["resume", "_unknown"]).ended(0);
}

#[test]
fn on_a_detached_head_and_on_an_unborn_branch_the_verbs_work() {
    let detached = World::new();
    detached.git(&["checkout", "--quiet", "--detach"]);
    let unborn = World::unborn();
    for (world, head) in [(&detached, "(detached)"), (&unborn, "no commit (main)")] {
        save(world, "s-1", "Prune the hedge");
        let log = world.run(&["log"]).ok();
        assert!(log.contains(head), "{log}");
        for verb in ["status", "show", "verify", "resume", "list"] {
            world.run(&[verb]).ended(0);
        }
    }
}

#[test]
fn a_conversation_without_a_card_never_takes_anothers_for_its_own() {
    let mut world = World::new();
    let id = planted(&world);
    world.set_env("CLAUDE_CODE_SESSION_ID", "s-9");
    for verb in ["show", "log", "verify", "resume"] {
        for card in ["@", "@~1"] {
            let ran = world.run(&[verb, card]).ended(1);
            assert!(
                ran.stderr.contains("no card of session `s-9` yet")
                    && ran.stderr.contains("git segue resume"),
                "{verb}: {}",
                ran.stderr
            );
        }
        let ran = world.run(&[verb]).ended(0);
        let expect = format!(
            "taking card {} of session s-1, the newest of this work tree\n",
            &id[..8]
        );
        assert_eq!(ran.stderr, expect, "{verb}");
    }
    world.run(&["forget", "@"]).ended(1);
}

#[test]
fn a_work_tree_that_is_come_to_through_a_link_is_the_same() {
    let mut world = World::new();
    let id = planted(&world);
    let link = world.home().join("link");
    std::os::unix::fs::symlink(world.dir(), &link).unwrap();
    world.cd(&link);
    let shown = world.run(&["show", "--json"]).json();
    assert_eq!(shown["card"]["id"], id.trim());
}
