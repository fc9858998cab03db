//! Cards that the agent or the person wrote: stored, refused, and given.

use serde_json::json;

use crate::support::world::World;

/// A repository with `src/parse.rs`, whose second commit is given abbreviated.
fn orchard() -> (World, String) {
    let world = World::new();
    let commit = world.commit("src/parse.rs", "fn parse() {}\n", "Parse");
    (world, commit[..9].to_owned())
}

/// A whole card; `{commit}` stands for a commit that is there.
const CARD: &str = "\
# Handoff

## Goal and repo
- user: \"Make the parser accept empty lines\"
## Done
- ✅ the parser skips blanks — src/parse.rs ({commit})
## In flight
- ⏳ one test is red · resume: `cargo test blank`
## Next steps
1. mend the red test
2. user: \"then write the changelog\"
## Only the user
- none
## Read first
- `src/parse.rs:1`
## Traps
- user: \"never touch the lock file\"
## Decisions
- keep it without a new crate — why: the person asked
";

#[test]
fn a_card_by_hand_is_stored_and_confirmed() {
    for spelling in ["-F", "--from"] {
        let (world, commit) = orchard();
        let card = CARD.replace("{commit}", &commit);
        world.write("../card.md", &card);
        let said = world
            .run_with(
                &["save", "--session", "s-1", spelling, "-"],
                card.as_bytes(),
            )
            .ok();
        let (head, rest) = said.split_once('\n').unwrap();
        let tip = world.git(&["rev-parse", "refs/segue/s-1"]);
        assert_eq!(
            head,
            format!("[s-1 {}] Make the parser accept empty lines", &tip[..8])
        );
        let expect = format!(
            "7 sections, {} lines, {} bytes\nfirst next step: mend the red test\nyou can now compact or clear\n",
            card.lines().count(),
            card.len()
        );
        assert_eq!(rest, expect);
        let trailers = "--format=%(trailers:key=Segue-Writer,key=Segue-Kind,key=Segue-Trigger,valueonly,separator=%x20)";
        let log = world.git(&["log", "-1", trailers, "refs/segue/s-1"]);
        assert_eq!(log, "card manual hand");
        let again = world
            .run(&["save", "--session", "s-1", spelling, "../card.md"])
            .ok();
        assert!(again.contains("nothing changed since this card"), "{again}");
    }
}

#[test]
fn what_it_says_is_judged_and_shown_with_its_origin() {
    let (world, commit) = orchard();
    let card = CARD.replace("{commit}", &commit);
    world
        .run_with(&["save", "--session", "s-1", "-F", "-"], card.as_bytes())
        .ended(0);
    let text = world.git(&["show", "segue/s-1:card.md"]);
    for line in [
        "- ✅ the parser skips blanks — src/parse.rs (",
        "- ⏳ one test is red · resume: `cargo test blank`",
        "1. agent: mend the red test",
        "2. user: \"then write the changelog\"",
        "- user: \"never touch the lock file\"",
        "agent: keep it without a new crate — why: the person asked",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    // What it shows is a card by hand again.
    let again = world.run_with(&["save", "--session", "s-2", "-F", "-"], text.as_bytes());
    again.ended(0);
    let copy = world.git(&["show", "segue/s-2:card.md"]);
    let behind = |text: &str| text[text.find("## Done").unwrap()..].to_owned();
    assert_eq!(behind(&copy), behind(&text));
}

#[test]
fn everything_that_cannot_stand_is_named_with_its_line_and_nothing_is_stored() {
    let (world, _) = orchard();
    let token = format!("ghp_{}", "9fK2mQx7LrT4vWz8NbY1cHs6JdP3gEa5uRt0");
    let card = CARD
        .replace("{commit}", "0123abc")
        .replace("- none", "- TODO")
        .replace("src/parse.rs:1", "src/prase.rs")
        .replace("1. mend the red test", &format!("1. push with {token}"))
        .replace("## Traps\n", "## Trips\n");
    let expect = "\
error: no section `## Traps`
error: line 6: no commit `0123abc` in this repository
error: line 10: a secret (github-token)
error: line 13: a placeholder: TODO
error: line 15: no file or folder `src/prase.rs`
error: line 16: a card has no section `Trips`
hint: nothing was stored; mend these lines and run it again
";
    let ran = world
        .run_with(&["save", "--from", "-"], card.as_bytes())
        .ended(1);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", expect));
    let ran = world
        .run_with(&["save", "--json", "--from", "-"], card.as_bytes())
        .ended(1);
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(answer["written"], json!(false));
    assert_eq!(
        answer["faults"][1],
        json!({"line": 6, "why": "no commit `0123abc` in this repository"})
    );
    assert!(!ran.stdout.contains(&token) && !ran.stderr.contains(&token));
    assert_eq!(world.git(&["for-each-ref", "refs/segue"]), "");
}

#[test]
fn a_dry_run_stores_nothing_and_json_says_what_arrived() {
    let (world, commit) = orchard();
    let card = CARD.replace("{commit}", &commit);
    let shown = world
        .run_with(&["save", "-n", "-F", "-"], card.as_bytes())
        .ok();
    assert!(shown.contains("written by hand"), "{shown}");
    assert_eq!(world.git(&["for-each-ref", "refs/segue"]), "");
    let answer = world
        .run_with(&["save", "--json", "-F", "-"], card.as_bytes())
        .json();
    assert_eq!(answer["given"]["sections"], json!(7));
    assert_eq!(
        answer["given"]["first_next_step"],
        json!("mend the red test")
    );
    assert_eq!(answer["card"]["writer"], json!("hand"));
    let file = world.run(&["save", "-F", "nowhere.md"]).ended(128);
    assert!(
        file.stderr.starts_with("fatal: cannot read `nowhere.md`"),
        "{}",
        file.stderr
    );
}

#[test]
fn it_is_resumed_with_what_to_do() {
    let (world, commit) = orchard();
    let card = CARD.replace("{commit}", &commit);
    world
        .run_with(&["save", "--session", "s-1", "-F", "-"], card.as_bytes())
        .ended(0);
    let text = world.run(&["resume", "s-1"]).ok();
    for part in [
        "Freshness: FRESH",
        "## The person's last ask\n- user: \"Make the parser accept empty lines\"",
        "What to do with this card:\n1. Tell the person in a few lines that you took it up",
        "3. If this conversation is being continued, go on with the first of the next steps; else ask",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let answer = world.run(&["resume", "s-1", "--json"]).json();
    assert_eq!(answer["protocol"].as_array().unwrap().len(), 4);
}

#[test]
fn the_card_that_the_skills_show_is_one_that_save_takes() {
    let world = World::new();
    world.commit("src/lexer.rs", "", "Lex");
    let commit = world.commit("src/lines.rs", &"\n".repeat(60), "Count");
    for host in ["claude-code", "codex"] {
        let skill = format!(
            "{}/hooks/{host}/skills/handoff/SKILL.md",
            env!("CARGO_MANIFEST_DIR")
        );
        let skill = std::fs::read_to_string(skill).unwrap();
        let (_, behind) = skill.split_once("<<'CARD'\n").unwrap();
        let (card, _) = behind.split_once("   CARD\n").unwrap();
        let card: String = card
            .lines()
            .map(|line| format!("{}\n", line.strip_prefix("   ").unwrap()))
            .collect();
        let card = card.replace("1a2b3c4", &commit[..7]);
        let said = world
            .run_with(&["save", "--from", "-"], card.as_bytes())
            .ok();
        assert!(said.contains("\n7 sections, "), "{host}: {said}");
    }
}
