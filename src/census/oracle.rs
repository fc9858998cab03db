//! The census against `git status` and `git hash-object`, over repositories of many kinds.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::Duration;

use super::take;
use crate::deadline::Deadline;
use crate::git::Repo;
use crate::git::sandbox::Sandbox;
use crate::handoff::census::Census;

mod walks;

fn census_of(repo: &Repo) -> Census {
    take(repo, None, Deadline::after(Duration::from_mins(1)))
}

/// What `git status` says, in the form of a census: `XY path`, with a conflict as `UU`.
fn git_says(sandbox: &Sandbox, dir: &std::path::Path) -> Vec<String> {
    let args = [
        "status",
        "--porcelain",
        "-z",
        "--no-renames",
        "--ignore-submodules=dirty",
    ];
    let (answer, success) = sandbox.try_git_in(dir, &args);
    assert!(success, "{answer}");
    let mut lines: Vec<String> = answer
        .split_terminator('\0')
        .map(|line| {
            let (how, path) = line.split_at(2);
            let how = match how {
                "DD" | "AU" | "UD" | "UA" | "DU" | "AA" => "UU",
                "??" => " ?",
                how => how,
            };
            format!("{how}{path}")
        })
        .collect();
    lines.sort();
    // What left the index but not the work tree is two lines there and one path here.
    for at in (0..lines.len()).rev() {
        let path = lines[at].strip_prefix(" ? ").map(str::to_owned);
        let staged = path.and_then(|path| {
            let gone = format!("D  {path}");
            Some((lines.iter().position(|line| *line == gone)?, path))
        });
        if let Some((gone, path)) = staged {
            lines[at] = format!("D? {path}");
            lines.remove(gone);
        }
    }
    lines.sort();
    lines
}

fn census_says(census: &Census) -> Vec<String> {
    let mut lines: Vec<String> = census
        .dirty
        .iter()
        .map(|one| format!("{}{} {}", one.staged, one.unstaged, one.path))
        .collect();
    lines.sort();
    lines
}

/// Holds the census of the repository against git, and holds the index to have stayed as it was.
#[track_caller]
fn check(sandbox: &Sandbox) -> Census {
    check_in(sandbox, &sandbox.root())
}

#[track_caller]
fn check_in(sandbox: &Sandbox, dir: &std::path::Path) -> Census {
    let repo = sandbox.repo_at(dir);
    let index = || {
        let path = repo.git_dir().join("index");
        let bytes = std::fs::read(&path).ok();
        (
            bytes,
            path.metadata().ok().map(|meta| meta.modified().unwrap()),
        )
    };
    let before = index();
    let census = census_of(&repo);
    assert!(index() == before, "the index was written");
    assert_eq!(census.cut, [""; 0], "nothing is cut");
    assert_eq!(census_says(&census), git_says(sandbox, dir));
    for dirty in &census.dirty {
        let full = dir.join(&dirty.path);
        let is_file = full.symlink_metadata().is_ok_and(|meta| meta.is_file());
        if is_file && !dirty.path.starts_with('"') && dirty.unstaged != 'D' {
            let (id, success) = sandbox.try_git_in(dir, &["hash-object", "--", &dirty.path]);
            assert!(success, "{id}");
            assert_eq!(dirty.blob.as_deref(), Some(id.trim()), "{}", dirty.path);
        }
    }
    let head = sandbox.try_git_in(dir, &["rev-parse", "-q", "--verify", "HEAD"]);
    assert_eq!(
        census.head.as_deref(),
        head.1.then(|| head.0.trim()),
        "HEAD"
    );
    census
}

/// A repository that has one path of every kind that is neither conflict nor submodule.
fn mixed(init: &[&str]) -> Sandbox {
    let sandbox = Sandbox::unborn(init);
    for name in [
        "staged",
        "unstaged",
        "both",
        "deleted",
        "rm",
        "to-link",
        "run",
        "kept",
        "dir/file",
        "dir/x",
        "back",
        "folder/inner/f",
        "renamed",
        "z-b",
        "z/a",
        "z0",
    ] {
        sandbox.write(name, &format!("{name}\n"));
    }
    symlink("staged", sandbox.root().join("link")).unwrap();
    sandbox.write(".gitignore", "*.log\nbuild/\n");
    sandbox.commit("first");
    sandbox.write("staged", "new\n");
    sandbox.write("both", "new\n");
    sandbox.write("back", "new\n");
    sandbox.write("z/a", "new\n");
    sandbox.write("added", "new\n");
    sandbox.write("fresh/folder/added", "new\n");
    sandbox.git(&["add", "."]);
    sandbox.git(&["rm", "-q", "rm"]);
    sandbox.git(&["rm", "-q", "--cached", "kept"]);
    sandbox.git(&["mv", "renamed", "other-name"]);
    sandbox.write("back", "back\n");
    sandbox.write("unstaged", "new\n");
    sandbox.write("both", "newer\n");
    sandbox.remove("deleted");
    sandbox.remove("to-link");
    symlink("kept", sandbox.root().join("to-link")).unwrap();
    sandbox.remove("link");
    symlink("elsewhere", sandbox.root().join("link")).unwrap();
    let run = sandbox.root().join("run");
    std::fs::set_permissions(run, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.remove("dir/file");
    sandbox.write("dir/file/now-a-folder", "x\n");
    sandbox.write("nobody/added/this", "x\n");
    sandbox.write("fresh/untracked", "x\n");
    sandbox.write("noise.log", "x\n");
    sandbox.write("build/out", "x\n");
    sandbox.write("meant", "x\n");
    sandbox.git(&["add", "-N", "meant"]);
    std::fs::create_dir_all(sandbox.root().join("empty/folder")).unwrap();
    sandbox
}

#[test]
fn every_kind_of_change_is_seen_as_git_sees_it() {
    let sandbox = mixed(&[]);
    let census = check(&sandbox);
    let seen = |path: &str| {
        census
            .dirty_path(path)
            .map(|one| (one.staged, one.unstaged))
    };
    assert_eq!(seen("both"), Some(('M', 'M')));
    assert_eq!(seen("to-link"), Some((' ', 'T')));
    assert_eq!(seen("nobody/"), Some((' ', '?')));
    assert_eq!(seen("noise.log"), None);
}

#[test]
fn object_ids_of_256_bits_are_seen_alike() {
    let census = check(&mixed(&["--object-format=sha256"]));
    assert_eq!(census.head.unwrap().len(), 64);
    let staged = census.dirty.iter().find(|one| one.path == "staged");
    assert_eq!(staged.unwrap().blob.as_ref().unwrap().len(), 64);
}

#[test]
fn other_forms_of_the_index_are_read() {
    for config in [
        "index.version=4",
        "index.skipHash=true",
        "core.splitIndex=true",
        "core.untrackedCache=true",
        "feature.manyFiles=true",
        "core.fileMode=false",
        "core.ignoreCase=true",
        "core.trustctime=false",
        "core.checkStat=minimal",
    ] {
        let sandbox = mixed(&[]);
        let (key, value) = config.split_once('=').unwrap();
        sandbox.git(&["config", key, value]);
        sandbox.git(&["update-index", "--force-write-index"]);
        check(&sandbox);
    }
}

#[test]
fn a_repository_without_commits_or_without_changes_has_a_census() {
    let sandbox = Sandbox::unborn(&[]);
    let census = check(&sandbox);
    assert_eq!(
        (census.head, census.branch.as_deref()),
        (None, Some("main"))
    );
    sandbox.write("a", "x\n");
    check(&sandbox);
    sandbox.git(&["add", "a"]);
    check(&sandbox);
    sandbox.commit("first");
    assert!(check(&sandbox).dirty.is_empty());
    sandbox.git(&["checkout", "-q", "--orphan", "other"]);
    assert_eq!(check(&sandbox).branch.as_deref(), Some("other"));
    sandbox.git(&["rm", "-rq", "--cached", "."]);
    check(&sandbox);
}

#[test]
fn line_endings_and_filters_are_applied_before_contents_are_compared() {
    let sandbox = Sandbox::unborn(&[]);
    sandbox.git(&["config", "core.autocrlf", "true"]);
    sandbox.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
    sandbox.write(
        ".gitattributes",
        "*.bin -text\n*.up filter=up\n*.id ident\n",
    );
    sandbox.write("text.txt", "one\r\ntwo\r\n");
    sandbox.write("kept.txt", "one\r\n");
    sandbox.write("raw.bin", "one\r\n");
    sandbox.write("x.up", "shout\n");
    sandbox.write("x.id", "$Id$\n");
    sandbox.commit("first");
    sandbox.write("text.txt", "one\r\n2wo\r\n");
    sandbox.write("raw.bin", "two\r\n");
    sandbox.write("x.up", "Shout\n");
    sandbox.write("y.up", "untracked\n");
    sandbox.write("x.id", "$Id: 0$\nmore\n");
    sandbox.write("kept.txt", "one\r\n");
    let census = check(&sandbox);
    // The filter makes both the same, so git sees no change.
    assert_eq!(census.dirty_path("x.up"), None);
}

#[test]
fn conflicts_are_seen_in_every_form() {
    let sandbox = Sandbox::new(&[]);
    sandbox.git(&["checkout", "-q", "-b", "other"]);
    sandbox.write("a", "theirs\n");
    sandbox.write("new", "theirs\n");
    sandbox.remove("b");
    sandbox.write("src/c", "theirs\n");
    sandbox.commit("theirs");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.write("a", "ours\n");
    sandbox.write("new", "ours\n");
    sandbox.write("b", "ours\n");
    sandbox.remove("src/c");
    sandbox.commit("ours");
    assert!(
        !sandbox
            .try_git_in(&sandbox.root(), &["merge", "-q", "other"])
            .1
    );
    let census = check(&sandbox);
    assert_eq!(census.operation.as_deref(), Some("merge"));
    let conflicts = census.dirty.iter().filter(|one| one.staged == 'U').count();
    assert_eq!(conflicts, 4);
}

#[test]
fn a_folder_that_became_a_link_holds_nothing_of_ours() {
    let sandbox = Sandbox::new(&[]);
    let (src, moved) = (sandbox.root().join("src"), sandbox.root().join("moved"));
    std::fs::rename(&src, &moved).unwrap();
    symlink("moved", &src).unwrap();
    check(&sandbox);
}

#[test]
fn a_submodule_counts_when_another_commit_is_checked_out_in_it() {
    let sandbox = Sandbox::new(&[]);
    let inner = sandbox.path("inner");
    let path = inner.to_str().unwrap();
    sandbox.git(&["init", "-q", path]);
    for message in ["one", "two"] {
        let args = ["commit", "-q", "--allow-empty", "-m", message];
        assert!(sandbox.try_git_in(&inner, &args).1);
    }
    let add = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        path,
        "sub",
    ];
    sandbox.git(&add);
    check(&sandbox);
    sandbox.commit("with a submodule");
    assert!(check(&sandbox).dirty.is_empty());
    let sub = sandbox.root().join("sub");
    assert!(sandbox.try_git_in(&sub, &["checkout", "-q", "HEAD~1"]).1);
    assert_eq!(check(&sandbox).dirty.len(), 1);
    sandbox.git(&["add", "sub"]);
    check(&sandbox);
}

#[test]
fn a_sparse_checkout_hides_what_is_not_there() {
    for args in [
        &["sparse-checkout", "set", "src"][..],
        &["sparse-checkout", "set", "--sparse-index", "src"],
    ] {
        let sandbox = Sandbox::new(&[]);
        for n in 0..5 {
            sandbox.write(format!("far/{n}/file"), "x\n");
            sandbox.write(format!("near{n}"), "x\n");
        }
        sandbox.commit("wide");
        sandbox.git(args);
        assert!(check(&sandbox).dirty.is_empty());
        sandbox.write("src/c", "new\n");
        sandbox.write("src/new", "new\n");
        check(&sandbox);
        sandbox.git(&["add", "src"]);
        check(&sandbox);
    }
}

#[test]
fn each_linked_work_tree_has_its_own_census() {
    let sandbox = Sandbox::new(&[]);
    let tree = sandbox.path("tree");
    sandbox.git(&[
        "worktree",
        "add",
        "-q",
        "-b",
        "side",
        tree.to_str().unwrap(),
    ]);
    sandbox.write("a", "main's\n");
    let main = check(&sandbox);
    let side = check_in(&sandbox, &tree);
    assert!(side.dirty.is_empty());
    let other = |census: &Census| {
        let tree = &census.worktrees[0];
        (
            tree.path.clone(),
            tree.branch.clone().unwrap(),
            census.worktrees.len(),
        )
    };
    assert_eq!(
        other(&main),
        (tree.display().to_string(), "side".to_owned(), 1)
    );
    assert_eq!(
        other(&side),
        (sandbox.root().display().to_string(), "main".to_owned(), 1)
    );
}
