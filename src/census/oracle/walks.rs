//! The walk for what nobody added, against `git status`.

use super::check;
use crate::git::sandbox::Sandbox;

#[test]
fn ignore_files_at_every_place_are_heeded() {
    for fold in ["false", "true"] {
        let sandbox = Sandbox::new(&[]);
        sandbox.git(&["config", "core.ignoreCase", fold]);
        sandbox.write(".gitignore", "*.log\n/top\nout/\n!kept.log\n");
        sandbox.write("src/.gitignore", "*.tmp\n!very.log\n");
        sandbox.write(".git/info/exclude", "private\n");
        sandbox.write("out/tracked", "x\n");
        sandbox.git(&["add", "-f", "out/tracked"]);
        sandbox.commit("with ignore files");
        for path in [
            "a.log",
            "kept.log",
            "top",
            "src/top",
            "src/b.tmp",
            "src/very.log",
            "src/private",
            "src/deep/e.tmp",
            "src/deep/f",
            "out/untracked",
            "only-ignored/x.log",
            "only-ignored/deeper/y.log",
            "mixed/x.log",
            "mixed/deeper/kept.log",
            "own/.gitignore",
            "all/x.tmp",
            "all/.gitignore",
        ] {
            sandbox.write(path, "x\n");
        }
        sandbox.write("own/.gitignore", "*\n");
        sandbox.write("own/hidden", "x\n");
        sandbox.write("all/.gitignore", "*.tmp\n");
        std::fs::create_dir_all(sandbox.root().join("void/inner")).unwrap();
        check(&sandbox);
    }
}

#[test]
fn another_repository_inside_is_one_path() {
    let sandbox = Sandbox::new(&[]);
    sandbox.git(&["init", "-q", "nested"]);
    sandbox.git(&["init", "-q", "folder/nested"]);
    sandbox.write("nested/file", "x\n");
    let tree = sandbox.root().join("linked");
    sandbox.git(&["worktree", "add", "-q", "--detach", tree.to_str().unwrap()]);
    check(&sandbox);
}

#[test]
fn a_file_where_a_folder_was_and_names_that_sort_oddly_are_told_apart() {
    let sandbox = Sandbox::unborn(&[]);
    for path in ["a/x", "a-b/x", "a.b", "a0/x", "z/deep/x", "x"] {
        sandbox.write(path, "x\n");
    }
    sandbox.commit("first");
    for path in ["a/y", "a-b/y", "a.c", "a0/y", "a-c/y", "a1"] {
        sandbox.write(path, "x\n");
    }
    std::fs::remove_dir_all(sandbox.root().join("z")).unwrap();
    sandbox.write("z", "x\n");
    check(&sandbox);
}
