use proptest::prelude::*;

use super::*;
use crate::handoff::card::{Draft, Frame, Provenance, Writer};
use crate::handoff::claim::{Claim, Origin, Section, Sections};
use crate::handoff::decision::DecisionLog;
use crate::handoff::session::{Kind, SessionId, Trigger};

const HOUR_SECONDS: i64 = 60 * 60;

fn census() -> Census {
    Census {
        root: "/orchard".to_owned(),
        head: Some("0123456789abcdef0123456789abcdef01234567".to_owned()),
        branch: Some("main".to_owned()),
        ..Census::default()
    }
}

fn card(claims: &[(Section, Evidence, Verdict)]) -> Card {
    let mut sections = Sections::default();
    for (section, evidence, _) in claims {
        sections
            .of_mut(*section)
            .push(Claim::new(Origin::Agent, "x").with(evidence.clone()));
    }
    let draft = Draft {
        sections,
        ..Draft::default()
    };
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
        census: Some(census()),
        redactions: BTreeMap::new(),
    };
    let mut verdicts = claims.iter().map(|(_, _, verdict)| verdict.clone());
    Card::judge(draft, frame, |_, _| verdicts.next().unwrap())
}

fn nothing_happened() -> Since {
    Since {
        head: HeadFate::Same,
        ahead: Some(0),
        commits: Vec::new(),
        replacement: None,
        worktree_gone: false,
        moved: Vec::new(),
        paths: Vec::new(),
        named_commits: Vec::new(),
        unseen: Vec::new(),
    }
}

fn moved(path: &str) -> MovedPath {
    MovedPath {
        path: path.to_owned(),
        how: "changed".to_owned(),
    }
}

#[track_caller]
fn check(now: &Census, since: &Since, level: Level, reasons: &[&str]) {
    let freshness = Freshness::between(&card(&[]), HOUR_SECONDS, Some(now), Some(since));
    assert_eq!(freshness.reasons, reasons);
    assert_eq!(freshness.level, level);
}

#[test]
fn a_card_of_this_very_state_is_fresh() {
    check(&census(), &nothing_happened(), Level::Fresh, &[]);
}

#[test]
fn age_alone_makes_a_card_stale() {
    for (age, level, reasons) in [
        (-5, Level::Fresh, &[][..]),
        (DAY_SECONDS - 1, Level::Fresh, &[]),
        (DAY_SECONDS, Level::SlightlyStale, &["1 day old"]),
        (7 * DAY_SECONDS, Level::SlightlyStale, &["7 days old"]),
        (7 * DAY_SECONDS + 1, Level::Stale, &["7 days old"]),
        (30 * DAY_SECONDS, Level::Stale, &["30 days old"]),
        (30 * DAY_SECONDS + 1, Level::VeryStale, &["30 days old"]),
    ] {
        let freshness = Freshness::between(&card(&[]), age, None, None);
        assert_eq!(
            (freshness.level, &freshness.reasons[..]),
            (
                level,
                &reasons
                    .iter()
                    .map(|line| (*line).to_owned())
                    .collect::<Vec<_>>()[..]
            )
        );
    }
}

#[test]
fn commits_since_count_up_to_five_as_a_little() {
    let ahead = |count| Since {
        head: HeadFate::Ancestor,
        ahead: Some(count),
        ..nothing_happened()
    };
    check(
        &census(),
        &ahead(1),
        Level::SlightlyStale,
        &["1 commit since"],
    );
    check(
        &census(),
        &ahead(5),
        Level::SlightlyStale,
        &["5 commits since"],
    );
    check(&census(), &ahead(6), Level::Stale, &["6 commits since"]);
    let many = ["1000 commits or more since"];
    check(&census(), &ahead(COUNT_MAX), Level::Stale, &many);
}

#[test]
fn a_commit_that_head_lost_makes_a_card_very_stale() {
    let mut since = nothing_happened();
    since.head = HeadFate::Gone;
    let gone = ["the card's commit `0123456789` is gone"];
    check(&census(), &since, Level::VeryStale, &gone);
    since.head = HeadFate::LeftBehind;
    since.replacement = Some(Commit {
        id: "fedcba9876543210fedcba9876543210fedcba98".to_owned(),
        subject: "Prune".to_owned(),
    });
    let line = "HEAD was moved: it no longer reaches the card's commit `0123456789`; `fedcba9876` \"Prune\" took its place";
    check(&census(), &since, Level::VeryStale, &[line]);
    let mut since = nothing_happened();
    since.worktree_gone = true;
    let gone = ["its work tree `/orchard` is gone"];
    check(&census(), &since, Level::VeryStale, &gone);
}

#[test]
fn the_gravest_reason_comes_first() {
    let mut now = census();
    now.branch = Some("side".to_owned());
    now.operation = Some("merge".to_owned());
    let mut since = nothing_happened();
    since.head = HeadFate::LeftBehind;
    since.moved = vec![moved("other")];
    check(
        &now,
        &since,
        Level::VeryStale,
        &[
            "HEAD was moved: it no longer reaches the card's commit `0123456789`",
            "branch is now `side`, was `main`",
            "in progress now: merge",
            "changed, not named on the card: `other`",
        ],
    );
}

#[test]
fn a_path_counts_more_when_the_card_names_it() {
    let mut since = nothing_happened();
    since.moved = vec![moved("other")];
    let line = "changed, not named on the card: `other`";
    check(&census(), &since, Level::SlightlyStale, &[line]);
    since.paths = vec![
        ("b".to_owned(), PathFate::Gone),
        ("same".to_owned(), PathFate::Same),
        ("a".to_owned(), PathFate::Committed),
    ];
    since.moved = vec![moved("a"), moved("b")];
    check(
        &census(),
        &since,
        Level::Stale,
        &[
            "`b` is gone (named on the card)",
            "`a` changed in a commit (named on the card)",
        ],
    );
    let freshness = Freshness::between(&card(&[]), 0, Some(&census()), Some(&since));
    let moved: Vec<(&str, &str)> = freshness
        .moved
        .iter()
        .map(|one| (one.path.as_str(), one.how.as_str()))
        .collect();
    assert_eq!(moved, [("b", "gone"), ("a", "committed")]);
}

fn path(path: &str) -> Evidence {
    Evidence::Path {
        path: path.to_owned(),
        line: None,
        blob: None,
    }
}

fn command(passed: Option<bool>, stale: bool) -> Evidence {
    Evidence::Command {
        line: "make".to_owned(),
        exit: None,
        passed,
        stale,
    }
}

#[test]
fn each_claim_stands_by_its_own_evidence() {
    let refuted = Verdict::Refuted("no such file".to_owned());
    let cases = [
        (
            Section::Done,
            path("kept"),
            Verdict::Confirmed,
            Standing::Holds,
        ),
        (
            Section::Done,
            path("lost"),
            Verdict::Confirmed,
            Standing::Gone("`lost` is gone".into()),
        ),
        (
            Section::Done,
            path("never"),
            refuted,
            Standing::Contradicted("no such file".into()),
        ),
        (
            Section::Done,
            command(Some(true), false),
            Verdict::Confirmed,
            Standing::PassedOnOlderTree(
                "`make` passed, but files were changed since the card".into(),
            ),
        ),
        (
            Section::Done,
            command(Some(false), false),
            Verdict::Refuted("failed".into()),
            Standing::Contradicted("the last run of `make` failed".into()),
        ),
        (
            Section::InFlight,
            command(Some(false), false),
            Verdict::Unconfirmed(None),
            Standing::Changed("`make` failed, but files were changed since".into()),
        ),
        (
            Section::NextSteps,
            command(None, false),
            Verdict::Unconfirmed(None),
            Standing::Unchecked,
        ),
    ];
    let claims: Vec<_> = cases
        .iter()
        .map(|(s, e, v, _)| (*s, e.clone(), v.clone()))
        .collect();
    let mut since = nothing_happened();
    since.moved = vec![moved("other")];
    since.paths = vec![
        ("kept".to_owned(), PathFate::Same),
        ("lost".to_owned(), PathFate::Gone),
        ("never".to_owned(), PathFate::Absent),
    ];
    let freshness = Freshness::between(&card(&claims), 0, Some(&census()), Some(&since));
    let expect: Vec<Standing> = cases
        .into_iter()
        .map(|(_, _, _, standing)| standing)
        .collect();
    assert_eq!(freshness.standings, expect);
}

/// What may have happened; each number is worse the larger it is.
#[derive(Debug, Clone)]
struct Drift {
    age: i64,
    commits: usize,
    head: usize,
    named: usize,
    others: usize,
    branch: bool,
    gone: bool,
}

fn level_of(drift: &Drift) -> Level {
    let mut now = census();
    if drift.branch {
        now.branch = Some("side".to_owned());
    }
    let fate = match (drift.head, drift.commits) {
        (0, 0) => HeadFate::Same,
        (0, _) => HeadFate::Ancestor,
        (1, _) => HeadFate::LeftBehind,
        _ => HeadFate::Gone,
    };
    let since = Since {
        head: fate,
        ahead: Some(drift.commits),
        worktree_gone: drift.gone,
        moved: (0..drift.others).map(|n| moved(&format!("o{n}"))).collect(),
        paths: (0..drift.named)
            .map(|n| (format!("n{n}"), PathFate::Changed))
            .collect(),
        ..nothing_happened()
    };
    Freshness::between(&card(&[]), drift.age, Some(&now), Some(&since)).level
}

fn drift() -> impl Strategy<Value = Drift> {
    let numbers = (
        0..40 * DAY_SECONDS,
        0..12usize,
        0..3usize,
        0..8usize,
        0..8usize,
    );
    (numbers, any::<bool>(), any::<bool>()).prop_map(
        |((age, commits, head, named, others), branch, gone)| Drift {
            age,
            commits,
            head,
            named,
            others,
            branch,
            gone,
        },
    )
}

proptest! {
    #[test]
    fn more_drift_is_never_fresher(some in drift(), more in drift()) {
        let both = Drift {
            age: some.age.max(more.age),
            commits: some.commits.max(more.commits),
            head: some.head.max(more.head),
            named: some.named.max(more.named),
            others: some.others.max(more.others),
            branch: some.branch || more.branch,
            gone: some.gone || more.gone,
        };
        prop_assert!(level_of(&both) >= level_of(&some).max(level_of(&more)));
    }
}
