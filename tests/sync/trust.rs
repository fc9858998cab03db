//! What a signature is worth: each kind of doubt is told apart, and only a good one by a known key opens the door.

use super::two_clones::TwoClones;
use crate::support::world::World;

/// Makes a key in the sandbox; gives its private file.
fn key(world: &World, name: &str) -> String {
    let path = world.root().join(name).to_string_lossy().into_owned();
    let mut command = std::process::Command::new("ssh-keygen");
    command.args(["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", &path]);
    world.finish(command, b"").ok();
    path
}

/// Both machines sign with `key`; `repo` allows the signers that are given.
fn signing(signers: impl Fn(&str) -> String) -> TwoClones {
    let mut clones = TwoClones::new();
    let key = key(&clones.world, "ada-key");
    let public = std::fs::read_to_string(format!("{key}.pub")).unwrap();
    let allowed = clones.world.root().join("allowed");
    std::fs::write(&allowed, signers(public.trim())).unwrap();
    for machine in ["repo", "other"] {
        let world = clones.on(machine);
        world.git(&["config", "gpg.format", "ssh"]);
        world.git(&["config", "user.signingKey", &key]);
        world.git(&["config", "segue.sign", "true"]);
        world.git(&[
            "config",
            "gpg.ssh.allowedSignersFile",
            &allowed.to_string_lossy(),
        ]);
    }
    clones
}

/// What `repo` says when it pulls a chain of which `other` has more.
fn pulled(clones: &mut TwoClones) -> String {
    clones.save("repo", "one", "a");
    clones.segue("other", &["push"]).ok();
    clones.segue("repo", &["pull"]).stdout
}

#[test]
fn a_card_signed_by_an_allowed_signer_is_taken_and_the_join_is_signed_too() {
    let mut clones = signing(|key| format!("ada@example.com {key}\n"));
    clones.save("other", "one", "b");
    let said = pulled(&mut clones);
    assert!(said.contains("joined   one"), "{said}");
    let world = clones.on("repo");
    assert_eq!(
        world.git(&["log", "--format=%G?", "refs/segue/one"]),
        "G\nG\nG"
    );
    clones.autosave("repo", "one", "x");
    assert_eq!(
        clones
            .on("repo")
            .git(&["log", "-1", "--format=%G?", "refs/segue/one"]),
        "N"
    );
    let shown = clones
        .on("repo")
        .run(&["show", "--json", "origin/one"])
        .json();
    assert_eq!(shown["trust"], "signed by ada@example.com, whom you trust");
}

#[test]
fn every_doubt_is_told_apart_and_keeps_the_door_shut() {
    let check = |signers: fn(&str) -> String, expect: &str| {
        let mut clones = signing(signers);
        clones.save("other", "one", "b");
        let said = pulled(&mut clones);
        assert!(
            said.contains("waits    one") && said.contains(expect),
            "{expect}: {said}"
        );
        assert_eq!(clones.kinds("repo", "one"), "card");
    };
    check(
        |_| {
            "bob@example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ6mFo1nTzM7VbGUVqYg1cQzZ6R7kLqPz5m0C0m3YbRk\n".to_owned()
        },
        "which you do not trust",
    );
    check(
        |key| format!("ada@example.com valid-before=\"20200101\" {key}\n"),
        "whose time is over",
    );
}

#[test]
fn a_card_that_was_changed_under_its_signature_is_called_so() {
    let mut clones = signing(|key| format!("ada@example.com {key}\n"));
    let card = clones.save("other", "one", "b");
    let world = clones.on("other");
    let text = world.git(&["cat-file", "commit", &card]) + "\n";
    let changed = text.replace("Segue-Writer: rules", "Segue-Writer: stranger");
    assert_ne!(changed, text);
    let mut command = std::process::Command::new("git");
    command.args(["hash-object", "-t", "commit", "-w", "--stdin"]);
    let forged = world.finish(command, changed.as_bytes()).ok();
    world.git(&["update-ref", "refs/segue/one", forged.trim()]);
    let said = pulled(&mut clones);
    assert!(said.contains("waits    one      TAMPERED WITH"), "{said}");
}

#[test]
fn a_signer_that_fails_costs_the_signature_not_the_card() {
    let mut clones = signing(|key| format!("ada@example.com {key}\n"));
    let world = clones.on("repo");
    world.git(&["config", "user.signingKey", "/nowhere/key"]);
    let ran = world.run(&["save", "--session", "one", "-m", "a"]).ended(0);
    assert!(
        ran.stderr
            .contains("warning: the card is stored unsigned: cannot sign: "),
        "{}",
        ran.stderr
    );
    assert_eq!(clones.kinds("repo", "one"), "card");
    assert_eq!(
        clones
            .on("repo")
            .git(&["log", "-1", "--format=%G?", "refs/segue/one"]),
        "N"
    );
}

#[test]
fn a_signer_that_never_answers_is_given_up_and_the_card_says_so() {
    let mut clones = signing(|key| format!("ada@example.com {key}\n"));
    let signer = script(&clones.world, "hangs", "sleep 600");
    let world = clones.on("repo");
    world.git(&["config", "gpg.ssh.program", &signer]);
    let ran = world.run(&["save", "--session", "one", "-m", "a"]).ended(0);
    let expect = "the card is stored unsigned: cannot sign: it ran out of time";
    assert!(ran.stderr.contains(expect), "{}", ran.stderr);
    assert_eq!(
        world.git(&["log", "-1", "--format=%G?", "refs/segue/one"]),
        "N"
    );
}

/// Makes a program in the sandbox; gives its path.
fn script(world: &World, name: &str, text: &str) -> String {
    let path = world.root().join(name);
    world.write(&path, format!("#!/bin/sh\n{text}\n"));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&path, mode).unwrap();
    path.to_string_lossy().into_owned()
}

/// Runs gpg with this home; whether there is a gpg.
fn gpg(world: &World, home: &str, args: &[&str]) -> bool {
    let mut command = std::process::Command::new("sh");
    let run = "command -v gpg >/dev/null || exit 77; exec gpg --homedir \"$0\" --batch --quiet --passphrase '' \"$@\"";
    command.args(["-c", run, home]).args(args);
    let ran = world.finish(command, b"");
    if ran.code == Some(77) {
        return false;
    }
    ran.ok();
    true
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "two homes of keys are made before anything is told apart"
)]
fn openpgp_signatures_are_told_apart_too() {
    let mut clones = TwoClones::new();
    let home = |name: &str| clones.world.root().join(name);
    let (ours, theirs) = (home("ours"), home("theirs"));
    for dir in [&ours, &theirs] {
        std::fs::create_dir(dir).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(dir, mode).unwrap();
    }
    let (ours, theirs) = (
        ours.to_string_lossy().into_owned(),
        theirs.to_string_lossy().into_owned(),
    );
    let make = [
        "--quick-gen-key",
        "Ada <ada@example.com>",
        "ed25519",
        "sign",
        "never",
    ];
    if !gpg(&clones.world, &theirs, &make) {
        eprintln!("NOT TESTED: there is no gpg here");
        return;
    }
    let past = "--faked-system-time=20200101T000000";
    gpg(
        &clones.world,
        &theirs,
        &[
            past,
            "--quick-gen-key",
            "Bob <bob@example.com>",
            "ed25519",
            "sign",
            "1y",
        ],
    );
    let public = clones
        .world
        .root()
        .join("public")
        .to_string_lossy()
        .into_owned();
    gpg(&clones.world, &theirs, &["--output", &public, "--export"]);
    let signer = script(
        &clones.world,
        "gpg-theirs",
        &format!("exec gpg --homedir '{theirs}' \"$@\""),
    );
    let then = script(
        &clones.world,
        "gpg-then",
        &format!("exec gpg --homedir '{theirs}' --faked-system-time=20200601T000000 \"$@\""),
    );
    let checker = script(
        &clones.world,
        "gpg-ours",
        &format!("exec gpg --homedir '{ours}' \"$@\""),
    );
    clones.on("repo").git(&["config", "gpg.program", &checker]);
    clones.save("repo", "one", "a");
    for (key, program, knows, expect) in [
        ("ada@example.com", &signer, false, "which you do not trust"),
        ("bob@example.com", &then, true, "whose time is over"),
        ("ada@example.com", &signer, true, "joined   one"),
    ] {
        let world = clones.on("other");
        world.git(&["config", "segue.sign", "true"]);
        world.git(&["config", "user.signingKey", key]);
        world.git(&["config", "gpg.program", program]);
        clones.save("other", "one", key);
        clones.segue("other", &["push"]);
        if knows {
            gpg(&clones.world, &ours, &["--import", &public]);
            let trust = format!(
                "gpg --homedir '{ours}' --batch --list-keys --with-colons | sed -n 's/^fpr:*\\([^:]*\\):.*/\\1:6:/p' | gpg --homedir '{ours}' --batch --import-ownertrust"
            );
            let mut command = std::process::Command::new("sh");
            command.args(["-c", &trust]);
            clones.world.finish(command, b"").ok();
        }
        let said = clones.segue("repo", &["pull"]);
        assert!(
            said.stdout.contains(expect),
            "{expect}: {}{}",
            said.stdout,
            said.stderr
        );
    }
    for home in [&ours, &theirs] {
        let mut command = std::process::Command::new("gpgconf");
        command.args(["--homedir", home, "--kill", "all"]);
        clones.world.finish(command, b"");
    }
}
