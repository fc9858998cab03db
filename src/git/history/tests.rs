use std::time::Duration;

use super::*;
use crate::git::sandbox::Sandbox;

/// Commits 0 to 59, each on top of one or two earlier ones, with dates that jump back now and then; each is the
/// branch `b<n>`.
fn tangle() -> Sandbox {
    let sandbox = Sandbox::unborn(&[]);
    let mut stream = String::new();
    for n in 0..60u32 {
        let skew = if n % 11 == 10 { 200 } else { 0 };
        let at = 1_796_040_000 + n * 60 - skew;
        let mut parents = String::new();
        if n > 0 {
            let first = n - 1 - (n * 7 % 3).min(n - 1);
            parents += &format!("from refs/heads/b{first}\n");
            if n % 4 == 0 && first > 2 {
                parents += &format!("merge refs/heads/b{}\n", first - 2);
            }
        }
        stream += &format!(
            "commit refs/heads/b{n}\ncommitter A <a@example.com> {at} +0000\ndata 3\nx{n:02}\n{parents}\n"
        );
    }
    sandbox.write("../stream", &stream);
    assert!(sandbox.run("sh", &["-c", "git fast-import --quiet < ../stream"]));
    sandbox
}

fn id(sandbox: &Sandbox, name: &str) -> Oid {
    Oid::from_hex(sandbox.git(&["rev-parse", name]).trim().as_bytes()).unwrap()
}

#[test]
fn two_commits_are_as_far_apart_as_git_says() {
    let sandbox = tangle();
    let soon = || Deadline::after(Duration::from_mins(1));
    let mut counted = 0;
    for commit_graph in [false, true] {
        if commit_graph {
            sandbox.git(&["commit-graph", "write", "--reachable"]);
        }
        let repo = sandbox.gix();
        for (ours, theirs) in (0..60).map(|n| (n, n * 13 % 60)) {
            let range = format!("b{ours}...b{theirs}");
            let answer = sandbox.git(&["rev-list", "--left-right", "--count", &range]);
            let (ours, theirs) = (
                id(&sandbox, &format!("b{ours}")),
                id(&sandbox, &format!("b{theirs}")),
            );
            let distance = distance(&repo, ours, Some(theirs), 1000, soon()).unwrap();
            let (ahead, behind) = (distance.ahead.unwrap(), distance.behind.unwrap());
            assert_eq!(format!("{ahead}\t{behind}\n"), answer, "{range}");
            let reached = reaches(&repo, ours, theirs, soon()).unwrap();
            assert_eq!(reached, Some(behind == 0), "{range}");
            counted += ahead + behind;
        }
    }
    assert!(counted > 500, "{counted}");
}

#[test]
fn a_count_ends_at_its_limit_and_at_its_deadline() {
    let sandbox = tangle();
    let repo = sandbox.gix();
    let (first, last) = (id(&sandbox, "b0"), id(&sandbox, "b59"));
    let soon = Deadline::after(Duration::from_mins(1));
    let near = distance(&repo, last, None, 7, soon).unwrap();
    assert_eq!((near.ahead, near.ahead_ids.len()), (Some(7), 7));
    let now = Deadline::after(Duration::ZERO);
    let late = distance(&repo, last, Some(first), 1000, now).unwrap();
    assert!(
        late.behind.is_some(),
        "60 commits are walked before the clock is looked at"
    );
}

#[test]
fn an_abbreviated_id_means_one_commit_or_none() {
    for init in [&[][..], &["--object-format=sha256"]] {
        let sandbox = Sandbox::new(init);
        let repo = sandbox.gix();
        let head = id(&sandbox, "HEAD");
        let tree = sandbox.git(&["rev-parse", "HEAD^{tree}"]);
        let check = |hex: &str, expect| assert_eq!(resolve(&repo, hex).unwrap(), expect, "{hex}");
        check(&head.to_string(), Resolved::Commit(head));
        check(
            &head.to_string()[..7].to_uppercase(),
            Resolved::Commit(head),
        );
        check(tree.trim(), Resolved::Missing);
        check(&tree[..7], Resolved::Missing);
        check(&head.to_string()[..3], Resolved::Missing);
        check("HEAD", Resolved::Missing);
        check(&"0".repeat(40), Resolved::Missing);
        check(&"0".repeat(50), Resolved::Missing);
        check(&"0".repeat(64), Resolved::Missing);
        let other = if init.is_empty() { 64 } else { 40 };
        let other = Oid::from_hex("1".repeat(other).as_bytes()).unwrap();
        assert!(facts(&repo, other).is_err());
        assert!(distance(&repo, head, Some(other), 9, Deadline::after(Duration::ZERO)).is_err());
        check("", Resolved::Missing);
    }
}

#[test]
fn a_subject_is_the_first_line_that_says_something() {
    for (message, expect) in [
        ("Plant\n\nbody", "Plant"),
        ("\n\n Plant \r\nbody", "Plant"),
        ("", ""),
    ] {
        assert_eq!(subject(message.as_bytes()), expect);
    }
}
