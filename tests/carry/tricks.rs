//! Cards that somebody made to do harm: trees that git would not check out.

use super::ground::{SESSION, apply, at_one_commit, carried_over, picture};
use crate::support::world::World;
use crate::sync::two_clones::TwoClones;

/// A blob's id, and entries of a raw tree; `git mktree` and `hash-object` would refuse some.
fn raw_tree(world: &World, entries: &[(&str, &[u8], &str)]) -> String {
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend_from_slice(mode.as_bytes());
        bytes.push(b' ');
        bytes.extend_from_slice(name);
        bytes.push(0);
        let digits = |at: usize| u8::from_str_radix(&id[at..at + 2], 16).unwrap();
        bytes.extend((0..id.len()).step_by(2).map(digits));
    }
    let file = world.write("../raw-tree", bytes);
    let path = file.to_string_lossy().into_owned();
    world.git(&["hash-object", "-t", "tree", "-w", "--literally", &path])
}

fn blob(world: &World, text: &str) -> String {
    let file = world.write("../raw-blob", text);
    world.git(&["hash-object", "-w", "--", &file.to_string_lossy()])
}

/// Puts a tree in the place of what the card carries, on the machine that fetched it.
fn forge(clones: &mut TwoClones, tree: &str) {
    let world = clones.on("other");
    let name = format!("refs/segue-remotes/origin/{SESSION}");
    let listing = world.git(&["ls-tree", &name]);
    let lines: Vec<String> = listing
        .lines()
        .map(|line| match line.ends_with("\tworktree") {
            true => format!("040000 tree {tree}\tworktree"),
            false => line.to_owned(),
        })
        .collect();
    let mut mktree = std::process::Command::new("git");
    mktree.args(["mktree", "--missing"]);
    let made = world
        .finish(mktree, (lines.join("\n") + "\n").as_bytes())
        .ok();
    let message = world.git(&["log", "-1", "--format=%B", &name]);
    let commit = world.git(&["commit-tree", "-m", &message, made.trim()]);
    world.git(&["update-ref", &name, &commit]);
}

#[test]
fn no_name_leads_out_of_the_work_tree_or_into_a_git_directory() {
    let names: [&[u8]; 12] = [
        b"..",
        b".",
        b".git",
        b".GIT",
        b".Git",
        b"git~1",
        b".git ",
        b".git.",
        b".git::$INDEX_ALLOCATION",
        "\u{200c}.git".as_bytes(),
        b".g\xe2\x80\x8cit",
        b"a/../../b",
    ];
    let mut clones = at_one_commit(|_| {});
    clones.on("repo").write("new", "new\n");
    carried_over(&mut clones);
    for name in names {
        let world = clones.on("other");
        let evil = blob(world, "evil\n");
        let inner = raw_tree(world, &[("100755", b"hook", &evil)]);
        let plain = [("100644", name, evil.as_str())];
        let folder = [("40000", name, inner.as_str())];
        for entries in [plain, folder] {
            let tree = raw_tree(clones.on("other"), &entries);
            forge(&mut clones, &tree);
            let before = picture(&clones.on("other").root().join("other"));
            for args in [&[][..], &["--index"]] {
                let ran = apply(&mut clones, args).ended(128);
                assert!(
                    ran.stderr.contains("fatal: cannot"),
                    "{name:?}: {}",
                    ran.stderr
                );
            }
            let world = clones.on("other");
            assert_eq!(picture(world.dir()), before);
            assert!(!world.root().join("b").exists() && !world.dir().join(".git/hook").exists());
        }
    }
}

#[test]
fn a_link_of_the_card_is_never_written_through() {
    let mut clones = at_one_commit(|_| {});
    clones.on("repo").write("new", "new\n");
    carried_over(&mut clones);
    let outside = clones.world.root().join("outside");
    std::fs::create_dir(&outside).unwrap();
    let world = clones.on("other");
    let target = blob(world, &outside.to_string_lossy());
    let evil = blob(world, "evil\n");
    let inner = raw_tree(world, &[("100644", b"hook", &evil)]);
    for (link, folder) in [(&b"way"[..], &b"way"[..]), (b"WAY", b"way")] {
        let tree = raw_tree(
            clones.on("other"),
            &[("120000", link, &target), ("40000", folder, &inner)],
        );
        forge(&mut clones, &tree);
        let ran = apply(&mut clones, &[]).ended(128);
        assert!(ran.stderr.contains("fatal: cannot"), "{}", ran.stderr);
        assert!(!outside.join("hook").exists());
    }
    // A link that is there already is not followed either.
    let world = clones.on("other");
    std::os::unix::fs::symlink(&outside, world.dir().join("way")).unwrap();
    let tree = raw_tree(clones.on("other"), &[("40000", b"way", &inner)]);
    forge(&mut clones, &tree);
    let ran = apply(&mut clones, &[]).ended(1);
    assert!(
        ran.stderr.contains("`way` is no folder here"),
        "{}",
        ran.stderr
    );
    assert!(!outside.join("hook").exists());
}

#[test]
fn a_linked_gitmodules_is_refused_and_words_of_the_card_do_nothing_on_a_terminal() {
    let mut clones = at_one_commit(|_| {});
    let world = clones.on("repo");
    super::ground::write_bytes(world, b"\x1b[31mred\x07", b"red\n");
    carried_over(&mut clones);
    let ran = apply(&mut clones, &[]).ended(0);
    assert!(
        !ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\u{7}'),
        "{:?}",
        ran.stdout
    );
    let world = clones.on("other");
    let target = blob(world, "x");
    let tree = raw_tree(world, &[("120000", b".gitmodules", &target)]);
    forge(&mut clones, &tree);
    apply(&mut clones, &[]).ended(128);
}
