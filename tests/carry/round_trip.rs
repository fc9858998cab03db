//! Uncommitted work of every kind comes back as it was, by content, mode and what git says of it.

use super::ground::{
    SESSION, apply, at_one_commit, carried_over, index, index_bytes, link, picture, remove,
    set_runs, status, write_bytes,
};
use crate::support::sound::assert_sound;
use crate::support::world::World;
use crate::sync::two_clones::TwoClones;

/// Carries what `soil` does to the commit of `prepare` to the other machine, once without the index and once with it.
#[track_caller]
fn check(prepare: impl Fn(&World), soil: impl Fn(&World)) -> TwoClones {
    let mut clones = at_one_commit(prepare);
    soil(clones.on("repo"));
    carried_over(&mut clones);
    let world = clones.on("other");
    status(world);
    let before = index_bytes(world);
    apply(&mut clones, &[]).ok();
    let there = picture(clones.on("repo").dir());
    let world = clones.on("other");
    assert_eq!(picture(world.dir()), there, "the work tree");
    assert!(index_bytes(world) == before, "the index was touched");
    // Attributes that came with the work go first.
    world.git(&["clean", "-ffdq"]);
    world.git(&["reset", "--quiet", "--hard"]);
    apply(&mut clones, &["--index"]).ok();
    let world = clones.on("other");
    assert_eq!(picture(world.dir()), there, "the work tree with the index");
    let (said, entries) = (status(world), index(world));
    assert_eq!(said, status(clones.on("repo")), "git status");
    assert_eq!(entries, index(clones.on("repo")), "git ls-files");
    // Once it is there, it is there.
    let again = apply(&mut clones, &["--index"]).ok();
    assert!(again.starts_with("nothing to write"), "{again}");
    for machine in ["repo", "other"] {
        assert_sound(clones.on(machine));
    }
    clones
}

#[test]
fn contents() {
    check(
        |world| {
            for (name, content) in [
                ("a", "a\n"),
                ("b", ""),
                ("bin", "\0\u{1}"),
                ("deep/er/c", "c"),
            ] {
                world.write(name, content);
            }
        },
        |world| {
            world.write("a", "a\nmore");
            world.write("b", "no longer empty\n");
            world.write("bin", b"\0\xff\xfe\r\n\0");
            world.write("deep/er/c", "");
            world.write("deep/new/d", "new\n");
            world.write("empty", "");
        },
    );
}

#[test]
fn modes_and_links() {
    check(
        |world| {
            for name in ["runs", "rests", "becomes a link", "same content", "target"] {
                world.write(name, format!("{name}\n"));
            }
            set_runs(world, "runs", true);
            link(world, "target", "link");
            link(world, "target", "becomes a file");
            link(world, "nowhere/at/all", "dangling");
        },
        |world| {
            set_runs(world, "runs", false);
            set_runs(world, "rests", true);
            link(world, "target", "becomes a link");
            link(world, "runs", "link");
            remove(world, "becomes a file");
            world.write("becomes a file", "target");
            remove(world, "dangling");
            link(world, "/etc/hostname", "to another world");
            world.write("new/runs", "#!/bin/sh\n");
            set_runs(world, "new/runs", true);
        },
    );
}

#[test]
fn deletions_renames_and_folders_in_the_place_of_files() {
    check(
        |world| {
            for name in [
                "gone",
                "folder/gone",
                "folder/gone too",
                "half/stays",
                "half/goes",
                "moved",
                "staged move",
                "file",
                "tree/one",
                "tree/two/three",
                "away",
            ] {
                world.write(name, format!("this is {name}\n"));
            }
        },
        |world| {
            remove(world, "gone");
            remove(world, "folder");
            remove(world, "half/goes");
            std::fs::rename(world.dir().join("moved"), world.dir().join("half/moved")).unwrap();
            world.git(&["mv", "staged move", "was moved"]);
            remove(world, "file");
            world.write("file/is/a folder", "now\n");
            remove(world, "tree");
            world.write("tree", "is a file now\n");
            world.git(&["rm", "--quiet", "away"]);
        },
    );
}

#[test]
fn a_link_in_the_place_of_a_folder_and_back() {
    check(
        |world| {
            world.write("folder/a", "a\n");
            world.write("folder/b", "b\n");
            link(world, "folder", "link");
        },
        |world| {
            std::fs::rename(world.dir().join("folder"), world.dir().join("elsewhere")).unwrap();
            link(world, "elsewhere", "folder");
            remove(world, "link");
            world.write("link/in", "a folder\n");
        },
    );
}

#[test]
fn names_of_any_bytes() {
    let names: [&[u8]; 8] = [
        b"caf\xe9",
        "café".as_bytes(),
        b"with space",
        b"tab\tand\nline",
        b"quote\"back\\slash",
        b"-dash",
        b":(glob)*",
        b"\xff/\xfe/deep",
    ];
    check(
        |world| {
            for name in &names[..4] {
                write_bytes(world, name, b"tracked\n");
            }
        },
        |world| {
            for name in names {
                write_bytes(world, name, b"changed\n");
            }
            write_bytes(world, b"staged \xe9", b"staged\n");
            world.git(&["add", "--", ":(top)staged*"]);
        },
    );
}

#[test]
fn what_is_staged_and_what_is_not() {
    check(
        |world| {
            for name in ["staged", "both", "half back", "left", "gone", "link"] {
                world.write(name, format!("{name}\n"));
            }
        },
        |world| {
            for name in [
                "staged",
                "both",
                "half back",
                "added",
                "added and gone",
                "added and more",
            ] {
                world.write(name, format!("{name} staged\n"));
                world.git(&["add", "--", name]);
            }
            world.write("both", "both again\n");
            world.write("half back", "half back\n");
            remove(world, "added and gone");
            world.write("added and more", "more\n");
            world.git(&["rm", "--quiet", "--cached", "left"]);
            world.git(&["rm", "--quiet", "gone"]);
            remove(world, "link");
            link(world, "both", "link");
            world.git(&["add", "link"]);
            world.write("meant", "meant to be added\n");
            world.git(&["add", "--intent-to-add", "meant"]);
            world.git(&["update-index", "--chmod=+x", "staged"]);
        },
    );
}

#[test]
fn line_endings_as_attributes_and_settings_have_them() {
    let clones = |auto: &'static str| {
        move |world: &World| {
            for machine in ["repo", "other"] {
                let config = world.root().join(machine).join(".git/config");
                world.git(&[
                    "config",
                    "--file",
                    &config.to_string_lossy(),
                    "core.autocrlf",
                    auto,
                ]);
            }
            world.write(
                ".gitattributes",
                "*.win text eol=crlf\n*.unix text eol=lf\n*.raw -text\n",
            );
            world.write("a.win", "a\r\n");
            world.write("a.unix", "a\n");
            world.write("a.raw", "a\r\nb\n");
            world.write("a.plain", "a\n");
            world.git(&["add", "--all"]);
            world.git(&["commit", "--quiet", "-m", "endings"]);
            world.git(&["rm", "--quiet", "-r", "."]);
            world.git(&["reset", "--quiet", "--hard"]);
        }
    };
    for auto in ["false", "true"] {
        check(clones(auto), move |world| {
            let end = if auto == "true" { "\r\n" } else { "\n" };
            world.write("a.win", "a\r\nb\r\n");
            world.write("new.win", "new\r\n");
            world.write("a.unix", "a\nb\n");
            world.write("a.raw", "a\r\nb\nc\r\n");
            world.write("a.plain", format!("a{end}b{end}"));
            world.write("new.plain", format!("new{end}"));
        });
    }
}

#[test]
fn attributes_that_are_new_with_the_work_are_heeded() {
    check(
        |world| {
            world.write("a.txt", "a\n");
        },
        |world| {
            world.write(".gitattributes", "*.txt text eol=crlf\n");
            world.write("b.txt", "b\r\n");
            world.write("a.txt", "a\r\nc\r\n");
        },
    );
}

#[test]
fn the_persons_own_filters() {
    let filters = |world: &World| {
        for machine in ["repo", "other"] {
            let config = world.root().join(machine).join(".git/config");
            let config = config.to_string_lossy();
            for (key, line) in [
                ("filter.turn.clean", "tr a-z b-za"),
                ("filter.turn.smudge", "tr b-za a-z"),
                ("filter.turn.required", "true"),
            ] {
                world.git(&["config", "--file", &config, key, line]);
            }
        }
        world.write(".gitattributes", "*.turned filter=turn\n");
        world.write("a.turned", "abc\n");
    };
    let mut clones = check(filters, |world| {
        world.write("a.turned", "abcd\n");
        world.write("b.turned", "xyz\n");
    });
    let card = format!("refs/segue/{SESSION}");
    let stored = clones
        .on("repo")
        .git(&["show", &format!("{card}:worktree/b.turned")]);
    assert_eq!(stored, "yza");
}

#[test]
fn a_sparse_checkout_does_not_delete_what_it_leaves_out() {
    let mut clones = at_one_commit(|world| {
        for name in ["in/a", "in/b", "out/c", "out/deep/d", "top"] {
            world.write(name, format!("{name}\n"));
        }
    });
    for machine in ["repo", "other"] {
        clones.on(machine).git(&["sparse-checkout", "set", "in"]);
    }
    let world = clones.on("repo");
    world.write("in/a", "changed\n");
    remove(world, "in/b");
    world.write("in/new", "new\n");
    carried_over(&mut clones);
    let world = clones.on("repo");
    let tree = world.git(&[
        "ls-tree",
        "-r",
        "--name-only",
        &format!("segue/{SESSION}:worktree"),
    ]);
    assert_eq!(
        tree.split_whitespace().collect::<Vec<_>>(),
        ["README.md", "in/a", "in/new", "out/c", "out/deep/d", "top"]
    );
    apply(&mut clones, &["--index"]).ok();
    let there = (
        status(clones.on("repo")),
        index(clones.on("repo")),
        picture(clones.on("repo").dir()),
    );
    let world = clones.on("other");
    assert_eq!((status(world), index(world), picture(world.dir())), there);
    // One that has it all loses nothing.
    let world = clones.on("other");
    world.git(&["reset", "--quiet", "--hard"]);
    world.git(&["clean", "-fdq"]);
    world.git(&["sparse-checkout", "disable"]);
    apply(&mut clones, &[]).ok();
    let world = clones.on("other");
    assert_eq!(world.read("out/deep/d"), "out/deep/d\n");
    assert_eq!(world.read("in/a"), "changed\n");
}

#[test]
fn a_submodule_is_named_and_not_entered() {
    let mut clones = TwoClones::new();
    clones.world.bare_repo("lib");
    let world = clones.on("repo");
    let lib = world.root().join("lib").to_string_lossy().into_owned();
    world.git(&["push", "--quiet", &lib, "main"]);
    for name in ["moved", "soiled", "clean"] {
        world.git(&[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            &lib,
            name,
        ]);
    }
    world.git(&["commit", "--quiet", "-m", "Three libraries"]);
    world.git(&["push", "--quiet", "origin", "main"]);
    let world = clones.on("other");
    world.git(&["pull", "--quiet", "--ff-only"]);
    let world = clones.on("repo");
    world.git(&[
        "-C",
        "moved",
        "commit",
        "--quiet",
        "--allow-empty",
        "-m",
        "another",
    ]);
    world.write("soiled/README.md", "soiled\n");
    world.write("mine", "mine\n");
    carried_over(&mut clones);
    let world = clones.on("repo");
    let show = world.run(&["show", "--json", SESSION]).json();
    let carried = &show["card"]["census"]["carried"];
    let left_out = carried["left_out"].as_array().unwrap();
    let named: Vec<_> = left_out
        .iter()
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    assert_eq!(named, ["moved", "soiled"]);
    assert_eq!(carried["files"], 1);
    let ids = |tree: &str| world.git(&["ls-tree", tree, "--", "moved", "soiled", "clean"]);
    let (head, card) = (ids("HEAD"), ids(&format!("segue/{SESSION}:worktree")));
    assert_eq!(card, head);
    apply(&mut clones, &["--index"]).ok();
    assert_eq!(clones.on("other").read("mine"), "mine\n");
}

#[test]
fn an_autosave_carries_where_that_is_set_and_the_next_one_takes_its_place() {
    let mut clones = TwoClones::new();
    clones
        .on("repo")
        .git(&["config", "segue.carryWorktree", "true"]);
    clones.autosave("repo", SESSION, "first\n");
    clones.autosave("repo", SESSION, "second\n");
    let world = clones.on("repo");
    let stored = world.git(&["show", &format!("segue/{SESSION}:worktree/draft.txt")]);
    assert_eq!(stored, "second");
    assert_eq!(clones.kinds("repo", SESSION), "autosave");
    let world = clones.on("repo");
    world.git(&["clean", "-fdq"]);
    let args = ["resume", "--apply", SESSION];
    world.run_changing(&args, b"", &["repo"]).ok();
    assert_eq!(world.read("draft.txt"), "second\n");
}

#[test]
fn before_the_first_commit_in_a_linked_work_tree_and_in_other_kinds_of_repositories() {
    let carries = |world: &World| {
        world.write("new", "new\n");
        world
            .run(&["save", "--carry", "--session", SESSION])
            .ended(0);
        std::fs::remove_file(world.dir().join("new")).unwrap();
        let dir = world.dir().strip_prefix(world.root()).unwrap().to_owned();
        let args = ["resume", "--apply", SESSION];
        world
            .run_changing(&args, b"", &[&dir.to_string_lossy()])
            .ok();
        assert_eq!(world.read("new"), "new\n");
        assert_sound(world);
    };
    carries(&World::unborn());
    carries(&World::sha256());
    carries(&World::reftable());
    let mut world = World::new();
    world.linked_worktree("linked");
    world.cd("linked");
    carries(&world);
}
