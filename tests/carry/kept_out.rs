//! What is never carried, and that the card says so.

use serde_json::Value;

use super::ground::{SESSION, apply, at_one_commit, carried_over, set_runs};
use crate::support::world::World;

const TOKEN: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
const OTHER_TOKEN: &str = "ghp_9zY8xW7vU6tS5rQ4pO3nM2lK1jI0hGfEdCbA";

/// Saves a card that carries; what it says of that.
fn carried(world: &World) -> Value {
    let args = ["save", "--carry", "--session", SESSION, "--json"];
    world.run(&args).json()["card"]["census"]["carried"].clone()
}

fn left_out(carried: &Value) -> Vec<(String, String)> {
    let list = carried["left_out"].as_array().unwrap().iter();
    let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
    list.map(|one| (text(one, "path"), text(one, "why")))
        .collect()
}

/// Whether any object of the repository holds a text.
fn is_stored(world: &World, text: &str) -> bool {
    let all = world.git(&[
        "cat-file",
        "--batch-all-objects",
        "--batch-check=%(objectname) %(objecttype)",
    ]);
    all.lines()
        .filter_map(|line| line.strip_suffix(" blob"))
        .any(|id| {
            world
                .try_git(&["cat-file", "blob", id])
                .stdout
                .contains(text)
        })
}

#[test]
fn nothing_is_carried_unless_somebody_asked() {
    let world = World::new();
    world.write("new", "new\n");
    world.run(&["save", "--session", SESSION]).ended(0);
    assert_eq!(
        world
            .try_git(&["rev-parse", "--verify", "segue/s-1:worktree"])
            .code,
        Some(128)
    );
    world.git(&["config", "segue.carryWorktree", "true"]);
    world.run(&["save", "--session", SESSION]).ended(0);
    world.git(&["rev-parse", "--verify", "segue/s-1:worktree/new"]);
    world
        .run(&["save", "--session", SESSION, "--no-carry"])
        .ended(0);
    assert_eq!(
        world
            .try_git(&["rev-parse", "--verify", "segue/s-1:worktree"])
            .code,
        Some(128)
    );
}

#[test]
fn a_dry_run_says_what_would_be_carried_and_stores_nothing() {
    let world = World::new();
    world.write("new", "only in the work tree\n");
    let dry = world
        .run(&["save", "-n", "--carry", "--session", SESSION])
        .ok();
    assert!(dry.contains("- carried: 1 changed file\n"), "{dry}");
    assert!(!is_stored(&world, "only in the work tree"));
}

#[test]
fn a_secret_is_left_out_named_and_never_becomes_an_object() {
    let world = World::new();
    world.write("config.ini", format!("token = {TOKEN}\n"));
    world.write("clean.txt", "nothing to hide\n");
    world.write("README.md", format!("# Orchard\n{TOKEN}\n"));
    world.write("tool.bin", format!("\0\0{TOKEN}\0"));
    let carried = carried(&world);
    let why = "holds a secret (github-token)".to_owned();
    assert_eq!(
        left_out(&carried),
        ["README.md", "config.ini", "tool.bin"].map(|path| (path.to_owned(), why.clone()))
    );
    assert_eq!(carried["files"], 1);
    assert!(!is_stored(&world, TOKEN));
    assert_eq!(
        world.git(&["show", "segue/s-1:worktree/README.md"]),
        "# Orchard"
    );
    let md = world.git(&["show", "segue/s-1:card.md"]);
    assert!(
        md.contains("left out: `README.md` (holds a secret (github-token))"),
        "{md}"
    );
    let show = world.run(&["show", SESSION]).ok();
    assert!(
        show.contains("Carried:  1 changed file\n  left out: README.md (holds"),
        "{show}"
    );
}

#[test]
fn what_is_staged_is_looked_through_too() {
    let world = World::new();
    world.write("README.md", format!("{TOKEN}\n"));
    world.git(&["add", "README.md"]);
    world.write("README.md", "# Orchard\nclean\n");
    let carried = carried(&world);
    let why = "what is staged holds a secret (github-token)".to_owned();
    assert_eq!(left_out(&carried), [("README.md".to_owned(), why)]);
    assert_eq!(
        (&carried["files"], &carried["staged"]),
        (&1.into(), &0.into())
    );
    let reached = world.git(&["rev-list", "--objects", "segue/s-1"]);
    let staged = world.git(&["rev-parse", ":README.md"]);
    assert!(!reached.contains(&staged));
}

#[test]
fn a_secret_that_head_has_already_keeps_no_later_work_out() {
    let world = World::new();
    world.commit(
        "test.txt",
        &format!("a made-up {TOKEN}\n"),
        "A test with a made-up token",
    );
    world.write("test.txt", format!("a made-up {TOKEN}\nmore\n"));
    let carried = carried(&world);
    assert_eq!(
        (left_out(&carried), &carried["files"]),
        (Vec::new(), &1.into())
    );
    world.run(&["audit"]).ended(0);
    world.write("test.txt", format!("a made-up {TOKEN}\n{OTHER_TOKEN}\n"));
    let carried = self::carried(&world);
    assert_eq!(left_out(&carried).len(), 1);
}

#[test]
fn values_of_env_files_and_of_the_persons_own_list_are_secrets() {
    let world = World::new();
    world.write(".gitignore", ".env\n");
    world.write(".env", "DB_PASSWORD=correct-horse-9\n");
    world.write("notes.txt", "it is correct-horse-9\n");
    world.write("plan.txt", "Project Nightjar\n");
    world.git(&["config", "segue.redact", "Project Nightjar"]);
    let carried = carried(&world);
    let paths: Vec<_> = left_out(&carried)
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    assert_eq!(paths, ["notes.txt", "plan.txt"]);
    assert!(!is_stored(&world, "correct-horse-9"));
    assert!(!is_stored(&world, "Nightjar"));
}

#[test]
fn ignored_files_large_files_and_other_repositories_stay() {
    let world = World::new();
    world.write(".gitignore", "*.log\ntarget/\n!kept.log\n");
    world.write("noise.log", "noise\n");
    world.write("kept.log", "kept\n");
    world.write("target/debug/noise", "noise\n");
    world.write("new/noise.log", "noise\n");
    world.write("new/kept.txt", "kept\n");
    world.write("new/.gitignore", "deep\n");
    world.write("new/deep/noise", "noise\n");
    world.write("large", vec![b'x'; 10 * 1024 * 1024 + 1]);
    world.git(&["init", "--quiet", "another"]);
    world.write("another/file", "theirs\n");
    world.git(&["init", "--quiet", "new/yet another"]);
    let carried = carried(&world);
    let names = world.git(&["ls-tree", "-r", "--name-only", "segue/s-1:worktree"]);
    assert_eq!(
        names.split_whitespace().collect::<Vec<_>>(),
        [
            ".gitignore",
            "README.md",
            "kept.log",
            "new/.gitignore",
            "new/kept.txt"
        ]
    );
    let why = "another repository, which is not looked into";
    assert_eq!(
        left_out(&carried),
        [
            ("another/", why),
            ("large", "11 MiB, over 10"),
            ("new/yet another/", why)
        ]
        .map(|(path, why)| (path.to_owned(), why.to_owned()))
    );
}

#[test]
fn a_file_that_cannot_be_read_and_a_conflict_are_named() {
    let world = World::new();
    world.git(&["branch", "side"]);
    world.commit("README.md", "ours\n", "ours");
    world.git(&["checkout", "--quiet", "side"]);
    world.commit("README.md", "theirs\n", "theirs");
    assert_eq!(world.try_git(&["merge", "--quiet", "main"]).code, Some(1));
    let carried = carried(&world);
    let named = left_out(&carried);
    assert_eq!(named[0].0, "README.md");
    assert!(
        named[0].1.starts_with("in conflict: the file is carried"),
        "{named:?}"
    );
    let stored = world.git(&["show", "segue/s-1:worktree/README.md"]);
    assert_eq!(stored, world.read("README.md").trim_end());
}

#[test]
fn a_filter_that_fails_or_hangs_costs_the_file_or_the_work_never_the_card() {
    let world = World::new();
    world.write(".gitattributes", "*.bad filter=bad\n");
    world.write("a.bad", "a\n");
    world.write("b", "b\n");
    world.git(&["config", "filter.bad.required", "true"]);
    world.git(&["config", "filter.bad.clean", "exit 3"]);
    let carried = carried(&world);
    let named = left_out(&carried);
    assert_eq!(named.len(), 1);
    assert!(
        named[0].0 == "a.bad" && named[0].1.starts_with("it cannot be read"),
        "{named:?}"
    );
    world.git(&["config", "filter.bad.clean", "sleep 12"]);
    let begun = std::time::Instant::now();
    let card = world
        .run(&["save", "--carry", "--session", SESSION, "--json"])
        .json();
    assert!(begun.elapsed().as_secs() < 12, "{:?}", begun.elapsed());
    let cut = card["card"]["census"]["cut"].to_string();
    assert!(cut.contains("a clean filter does not end"), "{cut}");
    assert_eq!(card["card"]["census"]["carried"], Value::Null);
}

#[test]
fn a_push_and_an_audit_look_through_what_is_carried_where_it_differs_from_head() {
    let mut clones = at_one_commit(|world| {
        world.write("known.txt", format!("{TOKEN}\n"));
        set_runs(world, "known.txt", false);
    });
    let world = clones.on("repo");
    world.write("later.txt", "my-own-codeword\n");
    carried_over(&mut clones);
    let world = clones.on("repo");
    world.run(&["audit"]).ended(0);
    world.git(&["config", "segue.redact", "my-own-codeword"]);
    let audit = world.run(&["audit", "--json"]).ended(1).stdout;
    let audit: Value = serde_json::from_str(&audit).unwrap();
    let files: Vec<_> = audit["secrets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["file"])
        .collect();
    assert_eq!(files, ["worktree/later.txt"]);
    world.git(&["update-ref", "-d", "refs/segue-remotes/origin/s-1"]);
    world.git(&["push", "--quiet", "origin", ":refs/segue/s-1"]);
    let pushed = clones.segue("repo", &["push"]).ended(1);
    assert!(
        pushed.stdout.contains("worktree/later.txt, line 1"),
        "{}",
        pushed.stdout
    );
    apply(&mut clones, &[]).ok();
}

#[test]
fn forgetting_a_text_takes_the_files_that_hold_it_out_of_what_is_carried() {
    let world = World::new();
    world.commit("known.txt", "the codeword stands in history\n", "known");
    world.write("later.txt", "the codeword\n");
    world.write("other.txt", "other\n");
    world.git(&["add", "later.txt"]);
    world
        .run(&["save", "--carry", "--session", SESSION])
        .ended(0);
    world.run(&["forget", "--match", "codeword"]).ended(0);
    let names = world.git(&["ls-tree", "-r", "--name-only", "segue/s-1:worktree"]);
    assert_eq!(
        names.split_whitespace().collect::<Vec<_>>(),
        ["README.md", "known.txt", "other.txt"]
    );
    let show = world.run(&["show", "--json", SESSION]).json();
    let carried = &show["card"]["census"]["carried"];
    assert_eq!(
        left_out(carried),
        [("later.txt".to_owned(), "forgotten".to_owned())]
    );
    crate::support::sound::assert_sound(&world);
}
