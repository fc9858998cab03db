//! Cards found, walked and listed, also where some are broken.

use super::{Ground, append, card};
use crate::error::{Failure, Kind as Answer};
use crate::git::process::Call;
use crate::handoff::session::Kind;
use crate::store::{Store, layout};

fn check_resolve(ground: &Ground, spec: &str, expect: Result<&str, &str>) {
    let repo = ground.repo();
    match (Store::new(&repo).resolve(spec), expect) {
        (Ok(found), Ok(goal)) => assert_eq!(found.card.goal(), goal, "{spec}"),
        (Err(err), Err(message)) => {
            let failure = err.downcast_ref::<Failure>().unwrap();
            assert_eq!(
                (failure.kind, failure.message.as_str()),
                (Answer::No, message)
            );
            assert_eq!(failure.hints.is_empty(), spec.ends_with('x'), "{spec}");
        }
        (found, expect) => panic!("{spec}: {found:?} but {expect:?}"),
    }
}

#[test]
fn a_card_is_found_by_session_by_id_and_by_steps_back() {
    let ground = Ground::new(&[]);
    let first = append(&ground, &card("zebra-1", Kind::Card, "a")).id;
    append(&ground, &card("zebra-1", Kind::Card, "b"));
    append(&ground, &card("zebra-22", Kind::Card, "c"));
    append(&ground, &card("quail", Kind::Card, "q"));
    ground.git(&[
        "update-ref",
        "refs/segue-remotes/origin/heron",
        "segue/quail",
    ]);
    for (spec, expect) in [
        ("zebra-1", Ok("b")),
        ("segue/zebra-1", Ok("b")),
        ("refs/segue/zebra-1", Ok("b")),
        ("zebra-1~", Ok("a")),
        ("zebra-1~1", Ok("a")),
        ("zebra-2", Ok("c")),
        ("q", Ok("q")),
        (&first, Ok("a")),
        (&first[..8], Ok("a")),
        ("origin/heron", Ok("q")),
        ("segue-remotes/origin/heron", Ok("q")),
        ("origin/he", Ok("q")),
        ("heron", Ok("q")),
        (
            "zebra-1~2",
            Err("no card `zebra-1~2`: there are only 1 before `zebra-1`"),
        ),
        ("zebra", Err("`zebra` could be any of 2")),
        ("owl", Err("no card `owl`")),
        ("", Err("no card ``")),
        ("zebra-1~x", Err("no card `zebra-1~x`: `x` is no number")),
    ] {
        check_resolve(&ground, spec, expect);
    }
    let repo = ground.repo();
    let store = Store::new(&repo);
    assert_eq!(
        store.resolve("heron").unwrap().remote.as_deref(),
        Some("origin")
    );
    assert_eq!(store.resolve("quail").unwrap().remote, None);
}

#[test]
fn sessions_are_listed_newest_first_and_a_broken_ref_hides_no_other() {
    let ground = Ground::new(&[]);
    for (n, session) in ["a", "b", "c"].into_iter().enumerate() {
        let repo = ground.repo_at(1_796_040_000 + i64::try_from(n).unwrap());
        let one = card(session, Kind::Card, session);
        Store::new(&repo).append(&one, None).unwrap();
    }
    ground.write(".git/refs/segue/broken", "");
    ground.write(".git/refs/segue/gone", &"12".repeat(20));
    let repo = ground.repo();
    let tips = Store::new(&repo).sessions().unwrap();
    let names: Vec<_> = tips.iter().map(|tip| tip.session.as_str()).collect();
    assert_eq!(names, ["c", "b", "a"]);
    assert_eq!(tips[0].trailer(layout::HOST), Some("claude-code"));
    assert_eq!((tips[0].goal.as_str(), tips[0].at), ("c", 1_796_040_002));
}

#[test]
fn a_walk_goes_on_behind_a_card_of_a_newer_version_and_a_save_goes_on_top_of_it() {
    let ground = Ground::new(&[]);
    append(&ground, &card("s", Kind::Card, "a"));
    ground.write("card.json", r#"{"version": 9}"#);
    let blob = ground.git(&["hash-object", "-w", "card.json"]);
    let listed = format!("100644 blob {blob}\tcard.json\n");
    let tree = Call::new("git")
        .args(["mktree"])
        .stdin(listed.as_bytes())
        .dir(ground.path())
        .run()
        .unwrap();
    let tree = tree.text().trim().to_owned();
    let newer = ground.git(&["commit-tree", "-m", "newer", "-p", "segue/s", &tree]);
    ground.git(&["update-ref", "refs/segue/s", &newer]);
    append(&ground, &card("s", Kind::Card, "b"));
    let repo = ground.repo();
    let store = Store::new(&repo);
    let tip = store.resolve("s").unwrap();
    let cards: Vec<_> = store
        .lineage([(tip.id, tip.at)])
        .unwrap()
        .map(|one| store.read(&one.unwrap().id))
        .collect();
    let goals: Vec<_> = cards
        .iter()
        .map(|one| one.as_ref().ok().map(|one| one.card.goal()))
        .collect();
    assert_eq!(goals, [Some("b"), None, Some("a")]);
    let err = cards[1].as_ref().unwrap_err();
    let failure = err.downcast_ref::<Failure>().unwrap();
    assert_eq!(failure.hints, ["update git-segue"]);
}

#[test]
fn where_the_tip_is_gone_a_new_chain_begins_and_says_so() {
    let ground = Ground::new(&[]);
    append(&ground, &card("s", Kind::Card, "a"));
    ground.write(".git/refs/segue/s", &"12".repeat(20));
    let repo = ground.repo();
    let appended = Store::new(&repo)
        .append(&card("s", Kind::Card, "b"), None)
        .unwrap();
    assert!(
        appended.warnings[0].starts_with("a new chain begins"),
        "{appended:?}"
    );
    assert_eq!(ground.kinds("s"), "card");
}

#[test]
fn a_walk_over_a_missing_parent_ends_with_an_error() {
    let ground = Ground::new(&[]);
    let first = append(&ground, &card("s", Kind::Card, "a")).id;
    let second = append(&ground, &card("s", Kind::Card, "b")).id;
    let object = format!(".git/objects/{}/{}", &first[..2], &first[2..]);
    std::fs::remove_file(ground.path().join(object)).unwrap();
    let repo = ground.repo();
    let walked: Vec<_> = Store::new(&repo).lineage([(second, 0)]).unwrap().collect();
    assert_eq!(walked.len(), 2);
    assert_eq!(
        walked[1].as_ref().unwrap_err().to_string(),
        format!("the chain ends here: card {first} is not in this repository")
    );
}

#[test]
fn a_lineage_goes_on_through_other_sessions_and_meets_each_card_once() {
    let ground = Ground::new(&[]);
    append(&ground, &card("old", Kind::Card, "a"));
    let taken = append(&ground, &card("old", Kind::Card, "b")).id;
    append(&ground, &card("old", Kind::Card, "c"));
    append(&ground, &card("new", Kind::Card, "d"));
    let repo = ground.repo();
    let store = Store::new(&repo);
    let new = store
        .append(&card("new", Kind::Card, "e"), Some(&taken))
        .unwrap();
    let goals = |from: Vec<String>| -> String {
        let from = from.into_iter().map(|id| {
            let at = store.read(&id).unwrap().at;
            (id, at)
        });
        let walked = store.lineage(from).unwrap();
        walked.map(|one| one.unwrap().goal).collect()
    };
    let (mut met, mut all) = (goals(vec![new.id.clone()]), String::new());
    assert_eq!(met.remove(0), 'e');
    let old = store.resolve("old").unwrap().id;
    all.push_str(&goals(vec![new.id, old]));
    for (walked, expect) in [(met, "abd"), (all, "abcde")] {
        let mut sorted: Vec<char> = walked.chars().collect();
        sorted.sort_unstable();
        assert_eq!(sorted.into_iter().collect::<String>(), expect, "{walked}");
    }
}
