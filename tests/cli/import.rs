//! What other tools left behind: taken into chains, once.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::world::World;

/// Copies the samples into the sandbox, since what is below a folder named `.qe` tells its project by its place.
fn samples(world: &World) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/import");
    let to = world.root().join("old");
    copy(&from, &to);
    to
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let below = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &below);
        } else {
            std::fs::copy(&path, &below).unwrap();
        }
    }
}

const A: &str = "0a1b2c3d-1111-4222-8333-444455556666";

#[test]
fn each_session_gets_its_chain_oldest_first_with_the_files_own_dates() {
    let world = World::new();
    samples(&world);
    let said = world.run(&["import", "../old"]).ok();
    assert!(said.ends_with("8 imported\n"), "{said}");
    let log = |session: &str| {
        let name = format!("refs/segue/{session}");
        let format = "--format=%cd %s %(trailers:key=Segue-Kind,key=Segue-Trigger,key=Segue-Host,valueonly,separator=%x20)";
        world.git(&["log", "--date=format:%Y-%m-%dT%H:%M:%S", format, &name])
    };
    assert_eq!(
        log(A),
        "2026-11-29T17:02:30 Now the changelog claude-code card compact-manual\n\
         2026-11-28T09:15:00 Let the watering plan skip rainy days claude-code card compact-auto"
    );
    assert_eq!(
        log("7f6e5d4c"),
        "2026-11-27T17:05:00 Seed catalogue, second half claude-code card manual\n\
         2026-11-27T16:40:00 Port the seed catalogue to the new format claude-code card manual\n\
         2026-11-27T00:00:00 no goal seen claude-code decision manual"
    );
    assert_eq!(
        log("_unknown"),
        "2026-11-20T08:00:00 Find out why the pump stops claude-code card manual"
    );
    assert_eq!(
        log("pane-3"),
        "2026-11-26T12:00:00 Label the new trees claude-code card manual"
    );
    let decisions = world.git(&["show", "segue/7f6e5d4c:decisions.md"]);
    assert!(
        decisions.contains("Write the catalogue by hand"),
        "{decisions}"
    );
    let text = world.run(&["resume", "0a1b2c3d"]).ok();
    assert!(
        text.contains("1. agent: write the changelog entry"),
        "{text}"
    );
}

#[test]
fn what_is_known_is_not_taken_again_and_what_is_older_than_the_chain_is_left_out() {
    let world = World::new();
    let old = samples(&world);
    let later = old.join("a/2026-11-29-180230-0a1b2c3d.md");
    world.run(&["import", later.to_str().unwrap()]).ended(0);
    let ran = world.run(&["import", "../old"]).ended(0);
    assert!(
        ran.stdout
            .ends_with("6 imported, 1 known already, 1 left out\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.ends_with(": session 0a1b2c3d has newer cards\n"),
        "{}",
        ran.stderr
    );
    let refs = world.git(&["for-each-ref", "refs/segue"]);
    let again = world.run(&["import", "../old"]).ok();
    assert_eq!(again, "0 imported, 7 known already, 1 left out\n");
    assert_eq!(world.git(&["for-each-ref", "refs/segue"]), refs);
}

#[test]
fn a_dry_run_says_what_would_come_and_stores_nothing() {
    let world = World::new();
    samples(&world);
    let said = world.run(&["import", "-n", "../old/a"]).ok();
    assert_eq!(
        said,
        "[0a1b2c3d] 2026-11-28 handoff before compaction: Let the watering plan skip rainy days\n\
         [0a1b2c3d] 2026-11-29 handoff before compaction: Now the changelog\n\
         2 would be imported\n"
    );
    let answer = world.run(&["import", "-n", "--json", "../old/a"]).json();
    assert_eq!(answer["files"][1]["state"], json!("would be imported"));
    assert_eq!(answer["files"][1]["at"], json!("2026-11-29T17:02:30Z"));
    assert_eq!(world.git(&["for-each-ref", "refs/segue"]), "");
}

#[test]
fn a_file_of_no_known_layout_is_named_and_alone_it_is_an_error() {
    let world = World::new();
    samples(&world);
    let ran = world.run(&["import", "README.md"]).ended(1);
    let path = world.dir().join("README.md");
    assert_eq!(
        ran.stderr,
        format!(
            "left out: {}: no layout that is known\nerror: nothing that can be imported\n\
             hint: known are handoffs before compaction, context snapshots and handoffs, and their decisions\n",
            path.display()
        )
    );
    let ran = world.run(&["import", "README.md", "../old/c"]).ended(0);
    assert!(
        ran.stdout.ends_with("2 imported, 1 left out\n"),
        "{}",
        ran.stdout
    );
    world.run(&["import", "../nowhere"]).ended(128);
    world.run(&["import"]).ended(129);
}

#[test]
fn secrets_stay_behind() {
    let world = World::new();
    let old = samples(&world);
    let path = old.join("c/-home-ada-orchard/pane-3.md");
    let token = format!("ghp_{}", "9fK2mQx7LrT4vWz8NbY1cHs6JdP3gEa5uRt0");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("40 mm wide", &token)).unwrap();
    world.run(&["import", path.to_str().unwrap()]).ended(0);
    let card = world.git(&["show", "segue/pane-3:card.md"]);
    assert!(
        card.contains("[redacted:github-token]") && !card.contains(&token),
        "{card}"
    );
}
