//! `resume --apply --3way`: onto whatever is there.

use super::ground::{SESSION, apply, at_one_commit, carried_over, index_bytes, remove, status};
use crate::sync::two_clones::TwoClones;

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

fn carried(soil: impl Fn(&crate::support::world::World)) -> TwoClones {
    let mut clones = at_one_commit(|world| {
        for name in ["both", "moves", "stays"] {
            world.write(name, LINES);
        }
    });
    soil(clones.on("repo"));
    carried_over(&mut clones);
    clones
}

#[test]
fn both_sides_are_made_one_where_they_fit() {
    let mut clones = carried(|world| {
        world.write("both", LINES.replace('9', "nine"));
        world.write("moves", LINES.replace('5', "five"));
        world.write("new", "new\n");
    });
    let world = clones.on("other");
    world.git(&["mv", "moves", "moved"]);
    world.git(&["commit", "--quiet", "-m", "Move it"]);
    world.write("both", LINES.replace('1', "one"));
    world.write("mine", "mine\n");
    status(world);
    let before = index_bytes(world);
    apply(&mut clones, &["--3way"]).ok();
    let world = clones.on("other");
    assert!(index_bytes(world) == before, "the index was touched");
    assert_eq!(
        world.read("both"),
        LINES.replace('1', "one").replace('9', "nine")
    );
    assert_eq!(world.read("moved"), LINES.replace('5', "five"));
    assert_eq!(world.read("new"), "new\n");
    assert_eq!(world.read("mine"), "mine\n");
    assert!(!world.dir().join("moves").exists());
}

#[test]
fn conflicts_are_marked_as_git_marks_them_and_named() {
    let mut clones = carried(|world| {
        world.write("both", LINES.replace('5', "five there"));
        world.write("stays", LINES.replace('2', "two"));
        remove(world, "moves");
    });
    let card = clones.tip("repo", SESSION);
    let world = clones.on("other");
    world.write("both", LINES.replace('5', "five here"));
    world.write("moves", LINES.replace('3', "three"));
    let ran = apply(&mut clones, &["--3way"]).ended(1);
    let world = clones.on("other");
    let marked = format!(
        "<<<<<<< here\nfive here\n=======\nfive there\n>>>>>>> card {}\n",
        &card[..8]
    );
    assert_eq!(world.read("both"), LINES.replace("5\n", &marked));
    assert_eq!(world.read("stays"), LINES.replace('2', "two"));
    assert_eq!(world.read("moves"), LINES.replace('3', "three"));
    assert!(
        ran.stdout.starts_with("C both\nM stays\n"),
        "{}",
        ran.stdout
    );
    for line in [
        "error: conflict in `both`\n",
        "error: conflict in `moves`\n",
    ] {
        assert!(ran.stderr.contains(line), "{}", ran.stderr);
    }
    assert!(
        ran.stderr
            .contains(":worktree/<path>` shows a file as the card has it\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "");
}

#[test]
fn in_json_the_conflicts_are_a_list() {
    let mut clones = carried(|world| {
        world.write("both", "there\n");
    });
    clones.on("other").write("both", "here\n");
    let ran = apply(&mut clones, &["--3way", "--json"]).ended(1);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["verb"], "resume");
    assert_eq!(json["applied"], true);
    assert_eq!(json["conflicts"], serde_json::json!(["both"]));
    assert_eq!(
        json["written"],
        serde_json::json!([{"path": "both", "how": "M"}])
    );
    assert_eq!(json["carried"]["files"], 1);
    let ran = apply(&mut clones, &["--json"]).ended(1);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["applied"], false);
    assert_eq!(
        json["in_the_way"],
        serde_json::json!([{"path": "both", "why": "it was changed here"}])
    );
}

#[test]
fn what_is_secret_here_never_becomes_an_object_and_is_never_overwritten() {
    let mut clones = carried(|world| {
        world.write("both", LINES.replace('9', "nine"));
        world.write("stays", LINES.replace('9', "nine"));
    });
    let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let world = clones.on("other");
    world.write("both", LINES.replace('1', token));
    let ran = apply(&mut clones, &["--3way"]).ended(1);
    assert!(
        ran.stderr.contains("  both: it was changed here\n"),
        "{}",
        ran.stderr
    );
    let world = clones.on("other");
    assert_eq!(world.read("stays"), LINES);
    let all = world.git(&["cat-file", "--batch-all-objects", "--batch"]);
    assert!(!all.contains(token));
}

#[test]
fn with_the_index_what_was_staged_is_merged_into_what_is_staged() {
    let mut clones = carried(|world| {
        world.write("both", LINES.replace('9', "nine"));
        world.write("new", "new\n");
        world.git(&["add", "both", "new"]);
    });
    let world = clones.on("other");
    world.write("both", LINES.replace('1', "one"));
    world.git(&["add", "both"]);
    apply(&mut clones, &["--3way", "--index"]).ok();
    let world = clones.on("other");
    let merged = LINES.replace('1', "one").replace('9', "nine");
    assert_eq!(world.git(&["show", ":both"]), merged.trim_end());
    assert_eq!(world.git(&["status", "--short"]), "M  both\nA  new");
    world.git(&["reset", "--quiet", "--hard"]);
    world.write("both", LINES.replace('9', "ninety"));
    world.git(&["add", "both"]);
    let staged = world.git(&["rev-parse", ":both"]);
    let ran = apply(&mut clones, &["--3way", "--index"]).ended(1);
    assert!(
        ran.stderr
            .contains("the index is left as it was: the work tree has conflicts\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(clones.on("other").git(&["rev-parse", ":both"]), staged);
}
