//! How commands end that cannot do what they are asked.

use std::process::Stdio;

use crate::support::world::World;

#[test]
fn a_wrong_command_line_ends_with_gits_code_and_never_with_the_one_that_blocks_a_host() {
    let world = World::new();
    for args in [
        &["bogus"][..],
        &["--bogus"],
        &["log", "--jsn"],
        &["log", "-n", "many"],
        &["log", "--all", "0190a000"],
        &["show", "one", "two"],
        &["show", "--census", "--summary"],
        &["decide"],
        &["decide", "--retract", "1", "words"],
        &["decide", "words", "--by", "nobody"],
        &["save", "--host", "vim"],
        &["-C"],
    ] {
        let ran = world.run(args).ended(129);
        assert_eq!(ran.stdout, "", "{args:?}");
        assert!(
            ran.stderr.starts_with("error: "),
            "{args:?}: {}",
            ran.stderr
        );
        assert!(
            !ran.stderr.contains("error: error"),
            "{args:?}: {}",
            ran.stderr
        );
    }
}

#[test]
fn a_mistyped_option_gets_a_tip_and_a_wrong_host_the_list() {
    let world = World::new();
    let ran = world.run(&["log", "--jsn"]).ended(129);
    assert!(
        ran.stderr
            .contains("tip: a similar argument exists: '--json'"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.ends_with("try '-h'.\n"), "{}", ran.stderr);
    let ran = world.run(&["save", "--host", "vim"]).ended(129);
    let expect = "error: no host `vim`\nhint: the hosts are: claude-code, codex\n";
    assert_eq!(ran.stderr, expect);
}

#[test]
fn outside_of_a_repository_what_reads_says_so_and_makes_nothing() {
    let world = World::bare_ground();
    for args in [
        &["log"][..],
        &["status"],
        &["list"],
        &["show"],
        &["resume"],
        &["verify"],
        &["decisions"],
        &[],
    ] {
        let ran = world.run(args).ended(128);
        let expect = "fatal: not in a git repository, and no card was kept outside of one\n\
                      hint: `git segue save` keeps one here\n";
        assert_eq!(
            (ran.stdout.as_str(), ran.stderr.as_str()),
            ("", expect),
            "{args:?}"
        );
    }
    assert!(!world.home().join(".local").exists());
}

#[test]
fn where_there_is_no_card_the_answer_is_no() {
    for world in [World::new(), World::unborn()] {
        let none = "error: no card in this work tree yet\n\
                    hint: `git segue save` writes one now, `git segue list` shows every session\n";
        for args in [
            &["log"][..],
            &["show"],
            &["resume"],
            &["verify"],
            &["show", "@~1"],
        ] {
            let ran = world.run(args).ended(1);
            assert_eq!(
                (ran.stdout.as_str(), ran.stderr.as_str()),
                ("", none),
                "{args:?}"
            );
        }
        for args in [&["list"][..], &["decisions"], &["log", "--all"]] {
            assert_eq!(world.run(args).ok(), "", "{args:?}");
        }
        let ran = world.run(&["show", "nowhere"]).ended(1);
        assert!(
            ran.stderr.starts_with("error: no card `nowhere`"),
            "{}",
            ran.stderr
        );
        let status = world.run::<&str>(&[]).ok();
        assert!(
            status.starts_with("no card in this work tree yet\n"),
            "{status}"
        );
        world.run(&["status", "--exit-code"]).ended(1);
    }
}

#[test]
fn a_session_without_cards_is_named() {
    let mut world = World::new();
    world.set_env("CLAUDE_CODE_SESSION_ID", "0190a000-1");
    let ran = world.run(&["log"]).ended(1);
    assert!(
        ran.stderr
            .starts_with("error: no card of session `0190a000` in this work tree yet\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_closed_pipe_is_success() {
    let world = World::new();
    world.run(&["save", "-m", "words"]).ended(0);
    for args in [&["log"][..], &["show"], &["log", "--json"], &["-h"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = world.segue(args);
        let output = command
            .stdin(Stdio::null())
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), stderr.as_str()),
            (Some(0), ""),
            "{args:?}"
        );
    }
}

#[test]
fn dash_c_goes_to_a_folder_as_gits_does() {
    let mut world = World::new();
    world.run(&["save", "-m", "words"]).ended(0);
    std::fs::create_dir_all(world.dir().join("a/b")).unwrap();
    world.cd("");
    let tip = world.run(&["-C", "repo", "show", "--json"]).json();
    let same = world
        .run(&["-C", "repo/a", "-C", "b", "show", "--json"])
        .json();
    assert_eq!(same["card"]["id"], tip["card"]["id"]);
    world.run(&["-C", "nowhere", "log"]).ended(128);
}
