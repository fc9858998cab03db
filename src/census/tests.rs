use std::os::unix::ffi::OsStrExt as _;
use std::time::Duration;

use super::take;
use crate::deadline::Deadline;
use crate::git::sandbox::Sandbox;
use crate::handoff::census::{COUNT_MAX, Census};

fn census(sandbox: &Sandbox) -> Census {
    take(
        &sandbox.repo(),
        None,
        Deadline::after(Duration::from_mins(1)),
    )
}

/// Two branches that conflict in `a`; on `main`.
fn forked(init: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new(init);
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    sandbox.write("a", "theirs\n");
    sandbox.commit("theirs");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.write("a", "ours\n");
    sandbox.commit("ours");
    sandbox
}

#[test]
fn an_operation_in_progress_is_named_with_its_branch() {
    let cases: [(&[&str], &str, Option<&str>); 5] = [
        (&["merge", "side"], "merge", Some("main")),
        (&["rebase", "side"], "rebase", Some("main")),
        (&["rebase", "--apply", "side"], "rebase", Some("main")),
        (&["cherry-pick", "side"], "cherry-pick", Some("main")),
        (&["revert", "HEAD~1"], "revert", Some("main")),
    ];
    for init in [&[][..], &["--ref-format=reftable"]] {
        for (args, operation, branch) in cases {
            let sandbox = forked(init);
            if operation == "revert" {
                sandbox.write("b", "more\n");
                sandbox.write("a", "more\n");
                sandbox.commit("more");
            }
            let (answer, success) = sandbox.try_git_in(&sandbox.root(), args);
            assert!(!success, "{args:?}: {answer}");
            let census = census(&sandbox);
            assert_eq!(census.operation.as_deref(), Some(operation), "{args:?}");
            assert_eq!(census.branch.as_deref(), branch, "{args:?}");
            assert_eq!(census.dirty_path("a").unwrap().staged, 'U');
            assert_eq!(census.cut, [""; 0]);
        }
        let sandbox = forked(init);
        sandbox.git(&["bisect", "start", "-q", "HEAD", "HEAD~1"]);
        let census = census(&sandbox);
        assert_eq!(census.operation.as_deref(), Some("bisect"));
    }
}

#[test]
fn a_patch_that_does_not_apply_is_an_operation_too() {
    let sandbox = forked(&[]);
    let patch = sandbox.git(&["format-patch", "-1", "--stdout", "side"]);
    sandbox.write("../patch", &patch);
    let args = ["am", "-q", "../patch"];
    assert!(!sandbox.try_git_in(&sandbox.root(), &args).1);
    assert_eq!(census(&sandbox).operation.as_deref(), Some("am"));
}

#[test]
fn the_upstream_is_counted_both_ways_and_the_count_ends() {
    for init in [&[][..], &["--ref-format=reftable"]] {
        let sandbox = forked(init);
        assert_eq!(census(&sandbox).upstream, None);
        sandbox.git(&["branch", "-q", "--set-upstream-to=side"]);
        sandbox.commit("one more");
        let local = census(&sandbox).upstream.unwrap();
        let counted = (local.name.as_str(), local.ahead, local.behind);
        assert_eq!(counted, ("side", Some(2), Some(1)));
        let clone = sandbox.path("clone");
        let here = sandbox.root();
        sandbox.git(&[
            "clone",
            "-q",
            here.to_str().unwrap(),
            clone.to_str().unwrap(),
        ]);
        let repo = sandbox.repo_at(&clone);
        let taken = take(&repo, None, Deadline::after(Duration::from_mins(1)));
        let remote = taken.upstream.unwrap();
        let counted = (remote.name.as_str(), remote.ahead, remote.behind);
        assert_eq!(counted, ("origin/main", Some(0), Some(0)));
        sandbox.git(&["branch", "-q", "-D", "side"]);
        let gone = census(&sandbox).upstream;
        let gone = gone.map(|gone| (gone.ahead, gone.behind));
        assert!(gone.is_none_or(|gone| gone == (None, None)));
    }
    let sandbox = forked(&[]);
    sandbox.git(&["branch", "-q", "far"]);
    sandbox.git(&["branch", "-q", "--set-upstream-to=far"]);
    let mut stream = String::new();
    for n in 0..COUNT_MAX + 50 {
        let at = 1_796_050_000 + n;
        let from = if n == 0 { "from refs/heads/main\n" } else { "" };
        stream += &format!(
            "commit refs/heads/far\ncommitter A <a@example.com> {at} +0000\ndata 1\nx\n{from}\n"
        );
    }
    sandbox.write("../stream", &stream);
    let args = ["-c", "git fast-import --quiet < ../stream"];
    assert!(sandbox.run("sh", &args));
    let far = census(&sandbox).upstream.unwrap();
    assert_eq!((far.ahead, far.behind), (Some(0), Some(COUNT_MAX)));
}

#[test]
fn recent_commits_and_stashes_are_newest_first() {
    for init in [&[][..], &["--ref-format=reftable"]] {
        let sandbox = Sandbox::new(init);
        for n in 2..8 {
            sandbox.commit(&format!("commit {n}\n\nbody"));
        }
        for name in ["one", "two"] {
            sandbox.write("a", name);
            sandbox.git(&["stash", "push", "-q", "-m", name]);
        }
        let census = census(&sandbox);
        assert_eq!(census.stashes, ["On main: two", "On main: one"]);
        let log = sandbox.git(&["log", "-5", "--format=%H %s"]);
        let recent: Vec<String> = census
            .recent
            .iter()
            .map(|commit| format!("{} {}", commit.id, commit.subject))
            .collect();
        assert_eq!(recent, log.lines().collect::<Vec<_>>());
    }
}

#[test]
fn merges_are_listed_in_the_order_of_git_log() {
    let sandbox = forked(&[]);
    sandbox.git(&["merge", "-q", "-s", "ours", "-m", "joined", "side"]);
    sandbox.commit("on top");
    let log = sandbox.git(&["log", "-5", "--format=%s"]);
    let recent = census(&sandbox).recent;
    let recent: Vec<&str> = recent.iter().map(|one| one.subject.as_str()).collect();
    assert_eq!(recent, log.lines().collect::<Vec<_>>());
    assert_eq!(recent.len(), 5);
}

#[test]
fn refs_in_tables_give_the_same_census_as_refs_in_files() {
    let made = |init: &[&str]| {
        let sandbox = Sandbox::new(init);
        let tree = sandbox.path("tree");
        let add = [
            "worktree",
            "add",
            "-q",
            "-b",
            "tree",
            tree.to_str().unwrap(),
        ];
        sandbox.git(&add);
        sandbox.write("a", "new\n");
        sandbox.write("new/x", "new\n");
        sandbox.git(&["add", "a"]);
        let at = sandbox.path("");
        let mut census = census(&sandbox);
        census.root = census.root.replace(at.to_str().unwrap(), "");
        for tree in &mut census.worktrees {
            tree.path = tree.path.replace(at.to_str().unwrap(), "");
        }
        census
    };
    let files = made(&[]);
    assert_eq!(files.dirty.len(), 2);
    assert_eq!(files.worktrees[0].branch.as_deref(), Some("tree"));
    assert_eq!(made(&["--ref-format=reftable"]), files);
}

#[test]
fn a_detached_head_and_a_bare_repository_have_a_census() {
    let sandbox = Sandbox::new(&[]);
    sandbox.git(&["checkout", "-q", "--detach"]);
    let detached = census(&sandbox);
    assert_eq!(detached.branch, None);
    let bare = sandbox.path("bare.git");
    let here = sandbox.root();
    sandbox.git(&[
        "clone",
        "-q",
        "--bare",
        here.to_str().unwrap(),
        bare.to_str().unwrap(),
    ]);
    let repo = sandbox.repo_at(&bare);
    let taken = take(&repo, None, Deadline::after(Duration::from_mins(1)));
    assert_eq!(taken.head, detached.head);
    assert_eq!(taken.root, bare.display().to_string());
    assert_eq!((taken.dirty, taken.cut), (Vec::new(), Vec::new()));
}

#[test]
fn out_of_time_every_part_says_so_and_the_rest_is_there() {
    let sandbox = forked(&[]);
    sandbox.git(&["branch", "-q", "--set-upstream-to=side"]);
    sandbox.write("b", "staged\n");
    sandbox.write("folder/untracked", "x\n");
    sandbox.git(&["add", "b"]);
    sandbox.write("b", "unstaged\n");
    let census = take(&sandbox.repo(), None, Deadline::after(Duration::ZERO));
    assert_eq!(
        census.cut,
        [
            "staged: out of time",
            "unstaged: out of time after 0 of 4 files",
            "untracked: out of time",
        ]
    );
    assert_eq!(census.branch.as_deref(), Some("main"));
    assert_eq!(census.recent.len(), 2);
}

#[test]
fn a_broken_part_is_named_and_the_rest_goes_on() {
    let sandbox = forked(&[]);
    sandbox.write(".git/index", "broken");
    sandbox.write(".git/worktrees/x/gitdir", "");
    let census = census(&sandbox);
    assert_eq!(census.branch.as_deref(), Some("main"));
    assert_eq!(census.recent.len(), 2);
    let parts: Vec<&str> = census
        .cut
        .iter()
        .filter_map(|cut| cut.split(':').next())
        .collect();
    assert!(parts.contains(&"status"), "{:?}", census.cut);
}

#[test]
fn the_list_of_dirty_paths_ends_and_keeps_what_git_knows() {
    let sandbox = Sandbox::new(&[]);
    for n in 0..super::status::DIRTY_PATHS_MAX {
        sandbox.write(format!("0{n}"), "");
    }
    sandbox.write("b", "changed\n");
    let census = census(&sandbox);
    assert_eq!(census.dirty.len(), super::status::DIRTY_PATHS_MAX);
    assert_eq!(census.cut, ["dirty: 1 more"]);
    assert_eq!(census.dirty_path("b").unwrap().unstaged, 'M');
}

#[test]
fn a_file_that_is_too_large_has_no_blob() {
    let sandbox = Sandbox::new(&[]);
    let large = sandbox.root().join("large");
    let bytes = crate::git::content::BLOB_BYTES_MAX + 1;
    std::fs::File::create(large)
        .unwrap()
        .set_len(bytes)
        .unwrap();
    let census = census(&sandbox);
    assert_eq!(census.dirty_path("large").unwrap().blob, None);
    assert_eq!(census.cut, [""; 0]);
}

#[test]
fn the_persons_own_command_takes_the_place_of_the_rest() {
    let sandbox = Sandbox::new(&[]);
    sandbox.write("a", "new\n");
    let run = |command: &str, milliseconds| {
        let deadline = Deadline::after(Duration::from_millis(milliseconds));
        take(&sandbox.repo(), Some(command), deadline)
    };
    let census = run("git status --short -- 'a' \"b\"", 60_000);
    let command = census.command.unwrap();
    assert_eq!((command.output.as_str(), command.exit), (" M a", Some(0)));
    assert_eq!(census.branch.as_deref(), Some("main"));
    assert!(census.head.is_some() && census.dirty.is_empty() && census.recent.is_empty());
    assert_eq!(run("sh -c 'exit 3'", 60_000).command.unwrap().exit, Some(3));
    let missing = run("no-such-program-here", 60_000);
    assert_eq!(missing.command.unwrap().exit, None);
    assert_eq!(
        missing.cut,
        ["command: cannot run `no-such-program-here`: No such file or directory (os error 2)"]
    );
    let slow = run("sleep 600", 100);
    assert_eq!(slow.cut, ["command: out of time"]);
    assert_eq!(
        run("'", 100).cut,
        ["command: an unended quote, or nothing to run"]
    );
}

#[test]
fn odd_names_are_told_apart() {
    let sandbox = Sandbox::new(&[]);
    for name in [
        "with blank",
        "tab\there",
        "quote\"s",
        "Ümläut",
        "-dash",
        "new\nline",
    ] {
        sandbox.write(name, "x\n");
    }
    let odd = std::ffi::OsStr::from_bytes(b"not-\xff-utf8");
    sandbox.write(odd, "x\n");
    sandbox.git(&["add", "--", "with blank", "-dash"]);
    let census = census(&sandbox);
    let paths: Vec<&str> = census.dirty.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "-dash",
            "new\nline",
            "\"not-\\377-utf8\"",
            "quote\"s",
            "tab\there",
            "with blank",
            "Ümläut"
        ]
    );
    assert!(census.dirty.iter().all(|one| one.blob.is_some()));
}

#[test]
fn a_file_that_cannot_be_read_hides_no_other_change() {
    let sandbox = Sandbox::new(&[]);
    // A filter that fails stands for a file without permission, since tests may run as root.
    sandbox.git(&["config", "filter.broken.clean", "false"]);
    sandbox.git(&["config", "filter.broken.required", "true"]);
    sandbox.write(".gitattributes", "a filter=broken\n");
    sandbox.write("a", "content of A\n");
    sandbox.write("src/c", "changed\n");
    let census = census(&sandbox);
    let dirty: Vec<(&str, char, bool)> = census
        .dirty
        .iter()
        .map(|one| (one.path.as_str(), one.unstaged, one.blob.is_some()))
        .collect();
    let expect = [
        (".gitattributes", '?', true),
        ("a", 'M', false),
        ("src/c", 'M', true),
    ];
    assert_eq!(dirty, expect);
    assert_eq!(census.cut, ["contents: 1 not read"]);
}
