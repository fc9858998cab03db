use std::time::Duration;

use super::since::since_on;
use super::{Ground, fill_on, judge_on};
use crate::deadline::Deadline;
use crate::git::sandbox::Sandbox;
use crate::handoff::card::{Card, Draft, Frame, Provenance, Writer};
use crate::handoff::census::{Census, Commit, DirtyPath};
use crate::handoff::claim::{Claim, Evidence, Judged, Origin, Section, Sections, Verdict};
use crate::handoff::decision::DecisionLog;
use crate::handoff::freshness::{CommitFate, HeadFate, PathFate, Since};
use crate::handoff::session::{Kind, SessionId, Trigger};

/// The census of a repository with these dirty paths, as `XY path`.
fn census(sandbox: &Sandbox, dirty: &[&str]) -> Census {
    let dirty = dirty.iter().map(|line| {
        let (how, path) = line.split_at(3);
        let is_file = sandbox.root().join(path).is_file();
        DirtyPath {
            path: path.to_owned(),
            staged: how.as_bytes()[0].into(),
            unstaged: how.as_bytes()[1].into(),
            blob: is_file.then(|| sandbox.git(&["hash-object", path]).trim().to_owned()),
        }
    });
    let log = sandbox.git(&["log", "-5", "--format=%H %s"]);
    let recent: Vec<Commit> = log
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(id, subject)| Commit {
            id: id.to_owned(),
            subject: subject.to_owned(),
        })
        .collect();
    Census {
        root: sandbox.root().display().to_string(),
        head: recent.first().map(|commit| commit.id.clone()),
        branch: Some("main".to_owned()),
        dirty: dirty.collect(),
        recent,
        ..Census::default()
    }
}

fn path(path: &str) -> Evidence {
    Evidence::Path {
        path: path.to_owned(),
        line: None,
        blob: None,
    }
}

fn line(path: &str, line: u32) -> Evidence {
    Evidence::Path {
        path: path.to_owned(),
        line: Some(line),
        blob: None,
    }
}

fn commit(id: &str) -> Evidence {
    Evidence::Commit {
        id: id.to_owned(),
        subject: String::new(),
    }
}

fn command(passed: Option<bool>, stale: bool) -> Evidence {
    Evidence::Command {
        line: "make".to_owned(),
        exit: passed.map(|passed| if passed { 0 } else { 2 }),
        passed,
        stale,
    }
}

/// A card that names `evidence` as done, written at `census`.
fn card(sandbox: &Sandbox, census: Census, evidence: &[Evidence]) -> Card {
    let mut sections = Sections::default();
    for one in evidence {
        let claim = Claim::new(Origin::Agent, "did it").with(one.clone());
        sections.of_mut(Section::Done).push(claim);
    }
    let gix = sandbox.gix();
    fill_on(&mut Ground::new(Some(&gix), Some(&census)), &mut sections);
    let frame = Frame {
        provenance: Provenance {
            session: SessionId::new("s"),
            host: "none".to_owned(),
            kind: Kind::Card,
            trigger: Trigger::Manual,
            instructions: None,
            transcript: None,
            cwd: None,
            repository: None,
            continues: None,
        },
        writer: Writer::Hand,
        decisions: DecisionLog::default(),
        subagents: Vec::new(),
        census: Some(census),
        redactions: std::collections::BTreeMap::new(),
    };
    let draft = Draft {
        sections,
        ..Draft::default()
    };
    Card::judge(draft, frame, |_, _| Verdict::Confirmed)
}

fn since(sandbox: &Sandbox, card: &Card, now: &Census) -> Since {
    let deadline = Deadline::after(Duration::from_mins(1));
    let since = since_on(&sandbox.gix(), card, now, deadline).unwrap();
    assert_eq!(since.unseen, [""; 0]);
    since
}

fn moved(since: &Since) -> Vec<(&str, &str)> {
    let moved = since.moved.iter();
    moved
        .map(|one| (one.path.as_str(), one.how.as_str()))
        .collect()
}

fn confirmed() -> Verdict {
    Verdict::Confirmed
}

fn refuted(why: &str) -> Verdict {
    Verdict::Refuted(why.to_owned())
}

fn unconfirmed(why: &str) -> Verdict {
    Verdict::Unconfirmed(Some(why.to_owned()))
}

/// Checks claims against a repository with the file `three`, and a commit that only the branch `side` reaches.
fn check_in(sandbox: &Sandbox, cases: &[(Section, &str, &[Evidence], Verdict)]) {
    let now = census(sandbox, &[" ? three"]);
    let gix = sandbox.gix();
    let ground = Ground::new(Some(&gix), Some(&now));
    for (section, text, evidence, expect) in cases {
        let mut claim = Claim::new(Origin::Agent, *text);
        claim.evidence = evidence.to_vec();
        assert_eq!(judge_on(&ground, *section, &claim), *expect, "{claim:?}");
    }
}

#[test]
fn a_path_that_is_said_to_be_done_is_there_with_its_line() {
    use Section::{Done, NextSteps, ReadFirst};
    let sandbox = Sandbox::new(&[]);
    sandbox.write("three", "1\n2\n3");
    let inside = sandbox.root().join("src/c").display().to_string();
    let outside = sandbox.path("nowhere").display().to_string();
    let gone = || refuted("`gone` does not exist");
    let open = unconfirmed("the lines of `src` cannot be counted");
    let beyond = refuted(&format!("`{outside}` does not exist"));
    check_in(
        &sandbox,
        &[
            (Done, "talked", &[], Verdict::Unconfirmed(None)),
            (Done, "x", &[path("src/c")], confirmed()),
            (Done, "x", &[path(&inside)], confirmed()),
            (Done, "x", &[path("src")], confirmed()),
            (Done, "x", &[path("gone")], gone()),
            (Done, "x", &[path(&outside)], beyond),
            (Done, "deleted gone", &[path("gone")], confirmed()),
            (Done, "x", &[line("three", 3)], confirmed()),
            (
                Done,
                "x",
                &[line("three", 4)],
                refuted("`three` has 3 lines, not 4"),
            ),
            (Done, "x", &[line("a", 2)], refuted("`a` has 1 line, not 2")),
            (Done, "x", &[line("src", 1)], open),
            (ReadFirst, "x", &[path("gone")], gone()),
            (
                NextSteps,
                "x",
                &[path("gone")],
                unconfirmed("`gone` does not exist"),
            ),
        ],
    );
}

#[test]
fn a_commit_that_is_said_to_be_done_is_reached_by_head() {
    let sandbox = Sandbox::new(&[]);
    let first = sandbox.git(&["rev-parse", "HEAD"]).trim().to_owned();
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    let side = sandbox.commit("aside");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.write("three", "1\n2\n3");
    let aside = format!("commit `{}` is not reachable from HEAD", &side[..10]);
    let done = Section::Done;
    check_in(
        &sandbox,
        &[
            (done, "x", &[commit(&first)], confirmed()),
            (done, "x", &[commit(&first[..7])], confirmed()),
            (done, "x", &[commit(&side)], refuted(&aside)),
            (
                done,
                "x",
                &[commit("0123abcd")],
                refuted("commit `0123abcd` does not exist"),
            ),
            (
                done,
                "x",
                &[commit("main")],
                refuted("commit `main` does not exist"),
            ),
        ],
    );
}

#[test]
fn a_command_that_is_said_to_be_done_passed_on_this_tree() {
    let sandbox = Sandbox::new(&[]);
    sandbox.write("three", "1\n2\n3");
    let done = Section::Done;
    let older = || unconfirmed("passed on an older tree");
    let failed = refuted("the last run of `make` failed with exit code 2");
    let unseen = unconfirmed("no result of `make` was seen");
    let fails = [command(Some(false), false)];
    check_in(
        &sandbox,
        &[
            (done, "x", &[command(Some(true), false)], confirmed()),
            (done, "x", &[command(Some(true), true)], older()),
            (done, "x", &[command(None, false)], unseen),
            (done, "x", &[path("a"), fails[0].clone()], failed),
            (done, "x", &[path("a"), command(Some(true), true)], older()),
            (Section::InFlight, "x", &fails, Verdict::Unconfirmed(None)),
        ],
    );
}

#[test]
fn outside_of_a_repository_only_absolute_paths_can_be_looked_at() {
    let here = tempfile::tempdir().unwrap();
    let ground = Ground::new(None, None);
    let check = |evidence: Evidence, expect| {
        let claim = Claim::new(Origin::Agent, "x").with(evidence);
        assert_eq!(judge_on(&ground, Section::Done, &claim), expect);
    };
    check(path(here.path().to_str().unwrap()), confirmed());
    check(
        path("/no/such/place"),
        refuted("`/no/such/place` does not exist"),
    );
    check(path("src"), unconfirmed("no work tree to look in"));
    check(commit("0123abcd"), unconfirmed("no repository to look in"));
}

#[test]
fn a_draft_gets_the_contents_and_the_full_ids_of_what_it_names() {
    let sandbox = Sandbox::new(&[]);
    let head = sandbox.git(&["rev-parse", "HEAD"]).trim().to_owned();
    sandbox.write("a", "new\n");
    sandbox.write("folder/untracked", "new\n");
    let blob = |path: &str| sandbox.git(&["hash-object", path]).trim().to_owned();
    let now = census(&sandbox, &[" M a", " ? folder/"]);
    let absolute = sandbox.root().join("src/../b").display().to_string();
    let evidence = [
        path("a"),
        path(&absolute),
        path("./folder/untracked"),
        path("src/"),
        path("gone"),
        path("/etc"),
        commit(&head[..8]),
    ];
    let card = card(&sandbox, now, &evidence);
    let filled: Vec<(String, Option<String>)> = card
        .sections
        .iter()
        .map(|(_, judged)| match &judged.claim.evidence[0] {
            Evidence::Path { path, blob, .. } => (path.clone(), blob.clone()),
            Evidence::Commit { id, subject } => (id.clone(), Some(subject.clone())),
            Evidence::Command { .. } => unreachable!(),
        })
        .collect();
    let expect = [
        ("a".to_owned(), Some(blob("a"))),
        ("b".to_owned(), Some(blob("b"))),
        (
            "folder/untracked".to_owned(),
            Some(blob("folder/untracked")),
        ),
        ("src/".to_owned(), None),
        ("gone".to_owned(), None),
        ("/etc".to_owned(), None),
        (head, Some("first".to_owned())),
    ];
    assert_eq!(filled, expect);
}

#[test]
fn committing_what_was_there_moves_no_path() {
    let sandbox = Sandbox::new(&[]);
    sandbox.write("a", "new\n");
    sandbox.write("folder/x", "new\n");
    sandbox.write("alone", "new\n");
    let then = census(&sandbox, &[" M a", " ? alone", " ? folder/"]);
    let card = card(&sandbox, then, &[path("a"), path("folder/x")]);
    sandbox.commit("second");
    let since = since(&sandbox, &card, &census(&sandbox, &[]));
    assert_eq!((since.head, since.ahead), (HeadFate::Ancestor, Some(1)));
    assert_eq!(since.commits[0].subject, "second");
    assert_eq!(moved(&since), []);
    let fates: Vec<PathFate> = since.paths.iter().map(|(_, fate)| *fate).collect();
    assert_eq!(fates, [PathFate::Same, PathFate::Same]);
}

#[test]
fn every_way_in_which_a_path_moves_is_told() {
    let sandbox = Sandbox::new(&[]);
    sandbox.write("a", "dirty then\n");
    sandbox.write("b", "dirty then\n");
    let then = census(&sandbox, &[" M a", " M b"]);
    let named = ["a", "b", "src/c", "src/deep/d", "new", "never", "src"];
    let card = card(&sandbox, then, &named.map(path));
    sandbox.git(&["checkout", "-q", "a"]);
    sandbox.write("src/c", "committed\n");
    sandbox.commit("second");
    sandbox.remove("src/deep/d");
    sandbox.write("new", "new\n");
    sandbox.write("b", "dirty now\n");
    let now = census(&sandbox, &[" M b", " ? new", " D src/deep/d"]);
    let since = since(&sandbox, &card, &now);
    let expect = [
        ("a", "reverted"),
        ("b", "changed"),
        ("new", "new"),
        ("src/c", "committed"),
        ("src/deep/d", "gone"),
    ];
    assert_eq!(moved(&since), expect);
    let fates: Vec<PathFate> = since.paths.iter().map(|(_, fate)| *fate).collect();
    let expect = [
        PathFate::Reverted,
        PathFate::Changed,
        PathFate::Committed,
        PathFate::Gone,
        PathFate::New,
        PathFate::Absent,
        PathFate::Changed,
    ];
    assert_eq!(fates, expect);
}

#[test]
fn a_path_that_a_claim_names_in_its_words_is_named() {
    let sandbox = Sandbox::new(&[]);
    let mut written = card(&sandbox, census(&sandbox, &[]), &[]);
    let next = written.sections.of_mut(Section::NextSteps);
    next.push(Judged {
        claim: Claim::new(
            Origin::Agent,
            "Next I will port `src/c`, not old/src/deep/d.",
        ),
        verdict: Verdict::Unconfirmed(None),
    });
    sandbox.write("src/c", "changed\n");
    sandbox.write("src/deep/d", "changed\n");
    let now = census(&sandbox, &[" M src/c", " M src/deep/d"]);
    let since = since(&sandbox, &written, &now);
    assert_eq!(since.paths, [("src/c".to_owned(), PathFate::Changed)]);
}

#[test]
fn a_rewritten_commit_is_found_again() {
    let sandbox = Sandbox::new(&[]);
    sandbox.write("a", "new\n");
    let old = sandbox.commit("second");
    let written = card(&sandbox, census(&sandbox, &[]), &[commit(&old)]);
    let check = |fate, replacement: Option<&str>| {
        let since = since(&sandbox, &written, &census(&sandbox, &[]));
        assert_eq!(since.head, fate);
        let found = since.replacement.map(|one| one.subject);
        assert_eq!(found.as_deref(), replacement);
        since.named_commits[0].1
    };
    assert_eq!(check(HeadFate::Same, None), CommitFate::Reached);
    sandbox.git(&["commit", "-q", "--amend", "-m", "other words"]);
    let fate = check(HeadFate::LeftBehind, Some("other words"));
    assert_eq!(fate, CommitFate::Elsewhere);
    sandbox.git(&["reset", "-q", "--hard", &old]);
    sandbox.write("a", "newer\n");
    sandbox.git(&["commit", "-q", "--amend", "-a", "-C", &old]);
    check(HeadFate::LeftBehind, Some("second"));
    sandbox.git(&["reflog", "expire", "--expire=now", "--all"]);
    sandbox.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(check(HeadFate::Gone, Some("second")), CommitFate::Missing);
    sandbox.git(&["reset", "-q", "--hard", "HEAD~1"]);
    check(HeadFate::Gone, None);
}
