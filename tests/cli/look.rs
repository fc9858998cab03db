//! Colour and pager, as git has them.

use std::process::{Command, Stdio};

use crate::support::world::World;

#[test]
fn colour_is_gits_setting_and_off_where_nobody_looks() {
    let mut world = World::new();
    world.run(&["save", "-m", "Prune the hedge"]).ended(0);
    let plain = world.run(&["log", "--oneline"]).ok();
    assert!(!plain.contains('\x1b'), "{plain:?}");
    world.git(&["config", "color.ui", "always"]);
    let id = world.git(&["rev-parse", "--short=8", "refs/segue/_unknown"]);
    let coloured = world.run(&["log", "--oneline"]).ok();
    assert!(
        coloured.starts_with(&format!("\x1b[33m{id}\x1b[m\x1b[2m ")),
        "{coloured:?}"
    );
    let json = world.run(&["log", "--json"]).ok();
    assert!(!json.contains('\x1b'), "{json:?}");
    world.git(&["config", "color.ui", "auto"]);
    world
        .set_env("GIT_PAGER_IN_USE", "true")
        .set_env("TERM", "xterm");
    assert!(world.run(&["log", "--oneline"]).ok().contains('\x1b'));
    world.set_env("NO_COLOR", "1");
    assert!(!world.run(&["log", "--oneline"]).ok().contains('\x1b'));
}

#[test]
fn what_a_card_holds_cannot_command_the_terminal() {
    let world = World::new();
    world
        .run(&[
            "save",
            "-m",
            "Prune \u{1b}]0;title\u{7}\u{9b}2Jthe \u{202e}hedge",
        ])
        .ended(0);
    for args in [
        &["log"][..],
        &["show"],
        &["list"],
        &["status"],
        &["resume"],
        &["log", "-p"],
        &["log", "--json"],
    ] {
        let shown = world.run(args).ended(0).stdout;
        let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!shown.contains(acts), "{args:?}: {shown:?}");
        assert!(shown.contains("hedge"), "{args:?}: {shown:?}");
    }
}

/// Runs `git-segue` on a terminal of its own; gives what the terminal saw. None where there is no `script` to make one.
fn on_a_terminal(world: &World, args: &str) -> Option<String> {
    let ours = env!("CARGO_BIN_EXE_git-segue");
    let mut command = Command::new("script");
    command
        .args(["-qec", &format!("'{ours}' {args}"), "/dev/null"])
        .stdin(Stdio::null());
    let found = Command::new("script")
        .arg("--version")
        .output()
        .is_ok_and(|one| one.status.success());
    if !found {
        eprintln!("SKIPPED: no `script` of util-linux to make a terminal with");
        return None;
    }
    Some(world.finish(command, b"").stdout)
}

#[test]
fn on_a_terminal_a_long_answer_goes_through_the_persons_pager() {
    let mut world = World::new();
    world.run(&["save", "-m", "Prune the hedge"]).ended(0);
    world
        .set_env("TERM", "xterm")
        .set_env("GIT_PAGER", "sed s/^/seen:/");
    let Some(seen) = on_a_terminal(&world, "log --oneline") else {
        return;
    };
    assert!(seen.starts_with("seen:\x1b[33m"), "{seen:?}");
    world.set_env("GIT_PAGER", "");
    let seen = on_a_terminal(&world, "log --oneline").unwrap();
    assert!(seen.starts_with("\x1b[33m"), "{seen:?}");
    world.set_env("GIT_PAGER", "no-such-pager");
    let seen = on_a_terminal(&world, "log --oneline").unwrap();
    assert!(
        seen.contains("warning: ") && seen.contains("cannot run pager `no-such-pager`"),
        "{seen:?}"
    );
    assert!(seen.contains("Prune the hedge"), "{seen:?}");
}
