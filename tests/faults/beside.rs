//! Forgetting and sweeping while others write beside it.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support::cards::{arguments, save, words};
use crate::support::sound::assert_sound;
use crate::support::world::World;

/// How many cards are saved while one is forgotten.
const SAVES: usize = 12;

/// A pipe with a name, under the root of the sandbox: whoever opens one end waits for the other.
fn pipe(world: &World, name: &str) -> PathBuf {
    let path = world.root().join(name);
    let mut command = std::process::Command::new("mkfifo");
    command.arg(&path);
    world.finish(command, b"").ok();
    path
}

fn script(world: &World, path: &Path, text: &str) {
    world.write(path, format!("#!/bin/sh\n{text}\n"));
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn nothing_is_forgotten_or_dropped_while_a_save_runs() {
    let world = World::new();
    let card = save(&world, "s-1", "Dig up the neighbour");
    let (begun, go_on) = (pipe(&world, "begun"), pipe(&world, "go-on"));
    let census = world.root().join("census");
    let text = format!("echo >{}\ncat {}", begun.display(), go_on.display());
    script(&world, &census, &text);
    let config = format!("segue.censusCommand={}", census.display());
    let mut slow = world.segue(&arguments("s-1", "Plant the first tree"));
    slow.env("GIT_CONFIG_PARAMETERS", format!("'{config}'"));
    let slow = slow.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut byte = [0];
    std::fs::File::open(&begun)
        .unwrap()
        .read_exact(&mut byte)
        .unwrap();

    let refs = world.git(&["for-each-ref"]);
    let ran = world.run(&["forget", &card]).ended(128);
    assert_eq!(
        ran.stderr,
        "fatal: cannot forget anything while cards are being saved, pulled or pushed\n\
         hint: run it again in a moment\n"
    );
    let ran = world.run(&["prune", "--expire", "now"]).ended(128);
    assert!(
        ran.stderr.starts_with("fatal: cannot prune while cards"),
        "{}",
        ran.stderr
    );
    assert_eq!(world.git(&["for-each-ref"]), refs);

    OpenOptions::new()
        .write(true)
        .open(&go_on)
        .unwrap()
        .write_all(b"dirty\n")
        .unwrap();
    let ended = slow.unwrap().wait_with_output().unwrap();
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    world.run(&["forget", &card]).ended(0);
    assert_eq!(words(&world, "s-1"), ["Plant the first tree"]);
    assert_eq!(assert_sound(&world), 1);
}

#[test]
fn saves_while_a_card_is_forgotten_lose_nothing() {
    let world = World::new();
    save(&world, "s-1", "Plant the first tree");
    let card = save(&world, "s-1", "Dig up the neighbour");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0..SAVES {
                let saved = world.segue(&arguments("s-1", &format!("number {n}")));
                world.finish(saved, b"").ok();
            }
        });
        // It refuses while one of them runs, and says to try again.
        while world.finish(world.segue(&["forget", &card]), b"").code != Some(0) {}
    });
    let mut expect: Vec<String> = (0..SAVES).rev().map(|n| format!("number {n}")).collect();
    expect.push("Plant the first tree".to_owned());
    assert_eq!(words(&world, "s-1"), expect);
    assert_eq!(assert_sound(&world), SAVES + 1);
}

#[test]
fn what_is_written_anew_stands_though_objects_are_swept_before_the_refs_move() {
    let world = World::new();
    let card = save(&world, "s-1", "Dig up the neighbour");
    save(&world, "s-1", "Plant the first tree");
    let hook = world.dir().join(".git/hooks/reference-transaction");
    let sweep = "[ \"$1\" != prepared ] || git prune --expire=now";
    script(&world, &hook, sweep);
    world.run(&["forget", &card]).ended(0);
    std::fs::remove_file(&hook).unwrap();
    assert_eq!(words(&world, "s-1"), ["Plant the first tree"]);
    assert_eq!(assert_sound(&world), 1);
    let note = world.git(&["notes", "--ref=segue", "show", "HEAD"]);
    assert_eq!(note.lines().count(), 1, "{note}");
}

#[test]
fn a_signed_card_stands_though_objects_are_swept_while_it_is_signed() {
    let world = World::new();
    let key = world.root().join("key").to_string_lossy().into_owned();
    let mut command = std::process::Command::new("ssh-keygen");
    command.args(["-q", "-t", "ed25519", "-N", "", "-f", &key]);
    world.finish(command, b"").ok();
    let signer = world.root().join("signer");
    script(
        &world,
        &signer,
        "git prune --expire=now\nexec ssh-keygen \"$@\"",
    );
    for (name, value) in [
        ("gpg.format", "ssh"),
        ("user.signingKey", &key),
        ("gpg.ssh.program", &signer.to_string_lossy()),
        ("segue.sign", "true"),
    ] {
        world.git(&["config", name, value]);
    }
    save(&world, "s-1", "Plant the first tree");
    assert_eq!(assert_sound(&world), 1);
    let commit = world.git(&["cat-file", "commit", "refs/segue/s-1"]);
    assert!(commit.contains("\ngpgsig "), "{commit}");
}
