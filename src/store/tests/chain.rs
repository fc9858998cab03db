//! What becomes of a chain when cards are put on it.

use super::{Ground, append, card, decided};
use crate::git::{GitEnv, Repo};
use crate::handoff::census::Census;
use crate::handoff::session::{Kind, SessionId, Trigger};
use crate::store::Store;

#[test]
fn an_event_that_is_fired_three_times_leaves_one_card() {
    let ground = Ground::new(&[]);
    let mut one = card("s", Kind::Card, "plant a tree");
    assert!(append(&ground, &one).written);
    assert!(!append(&ground, &one).written);
    one.provenance.trigger = Trigger::CompactManual;
    assert!(!append(&ground, &one).written);
    assert_eq!(ground.kinds("s"), "card");
    assert_eq!(
        ground.git(&["log", "-1", "--format=%an %ae%n%B", "segue/s"]),
        "Ada ada@example.com\nplant a tree\n\nSegue-Session: s\nSegue-Host: claude-code\n\
         Segue-Kind: card\nSegue-Trigger: compact-auto\nSegue-Writer: rules\n\
         Segue-Verdicts: 1 confirmed"
    );
}

#[test]
fn autosaves_replace_each_other_and_a_real_card_stands_on_the_last_real_card() {
    let ground = Ground::new(&[]);
    for (kind, goal, expect) in [
        (Kind::Autosave, "a", "autosave"),
        (Kind::Autosave, "b", "autosave"),
        (Kind::Card, "c", "card"),
        (Kind::Autosave, "d", "autosave card"),
        (Kind::Autosave, "e", "autosave card"),
        (Kind::Decision, "f", "decision card"),
        (Kind::Autosave, "g", "autosave decision card"),
        (Kind::Card, "h", "card decision card"),
    ] {
        append(&ground, &card("s", kind, goal));
        assert_eq!(ground.kinds("s"), expect, "{goal}");
    }
}

#[test]
fn a_turn_in_which_nothing_changed_makes_no_commit() {
    let ground = Ground::new(&[]);
    append(&ground, &card("s", Kind::Card, "a"));
    assert!(!append(&ground, &card("s", Kind::Autosave, "a")).written);
    append(&ground, &card("s", Kind::Autosave, "b"));
    assert!(!append(&ground, &card("s", Kind::Autosave, "b")).written);
    assert_eq!(ground.kinds("s"), "autosave card");
}

#[test]
fn a_real_card_takes_the_place_of_an_autosave_that_says_the_same() {
    let ground = Ground::new(&[]);
    append(&ground, &card("s", Kind::Autosave, "a"));
    let tree = ground.git(&["rev-parse", "segue/s^{tree}"]);
    assert!(append(&ground, &card("s", Kind::Card, "a")).written);
    assert_eq!(ground.kinds("s"), "card");
    assert_eq!(ground.git(&["rev-parse", "segue/s^{tree}"]), tree);
}

#[test]
fn decisions_at_the_tip_are_carried_forward_by_cards_that_do_not_know_them() {
    let ground = Ground::new(&[]);
    append(&ground, &decided(card("s", Kind::Autosave, "a"), "one"));
    append(&ground, &decided(card("s", Kind::Autosave, "b"), "two"));
    append(&ground, &card("s", Kind::Card, "c"));
    let repo = ground.repo();
    let tip = Store::new(&repo)
        .tip(&SessionId::new("s"))
        .unwrap()
        .unwrap();
    let mut kept: Vec<_> = tip.card.decisions.standing().map(|one| &one.what).collect();
    kept.sort();
    assert_eq!(kept, ["one", "two"]);
}

#[test]
fn a_chain_that_goes_on_from_another_one_has_its_card_as_parent_once() {
    let ground = Ground::new(&[]);
    let repo = ground.repo();
    let store = Store::new(&repo);
    let old = append(&ground, &decided(card("old", Kind::Card, "a"), "one")).id;
    let other = append(&ground, &card("other", Kind::Card, "b")).id;
    let first = card("new", Kind::Autosave, "c");
    let first = store.append(&first, Some(&old)).unwrap().id;
    assert_eq!(
        store.read(&first).unwrap().parents,
        std::slice::from_ref(&old)
    );
    assert_eq!(store.read(&first).unwrap().card.decisions.all().len(), 1);
    let second = card("new", Kind::Card, "d");
    let second = store.append(&second, Some(&old)).unwrap().id;
    assert_eq!(
        store.read(&second).unwrap().parents,
        std::slice::from_ref(&old)
    );
    let third = card("new", Kind::Autosave, "e");
    let third = store.append(&third, Some(&other)).unwrap().id;
    assert_eq!(
        store.read(&third).unwrap().parents,
        [second.clone(), other.clone()]
    );
    let fourth = card("new", Kind::Card, "f");
    let fourth = store.append(&fourth, Some(&other)).unwrap().id;
    assert_eq!(
        store.read(&fourth).unwrap().parents,
        [second, other.clone()]
    );
    let fifth = card("new", Kind::Card, "g");
    let fifth = store.append(&fifth, Some(&other)).unwrap().id;
    assert_eq!(store.read(&fifth).unwrap().parents, [fourth]);
    let gone = "12".repeat(20);
    let warned = store
        .append(&card("new", Kind::Card, "h"), Some(&gone))
        .unwrap();
    assert!(warned.written && warned.warnings[0].starts_with("cannot go on from card"));
}

#[test]
fn sixteen_writers_of_one_session_lose_no_card_no_decision_and_no_note() {
    let ground = Ground::new(&[]);
    let head = ground.git(&["rev-parse", "HEAD"]);
    std::thread::scope(|scope| {
        for n in 0..16 {
            let (ground, head) = (&ground, &head);
            scope.spawn(move || {
                let text = format!("number {n}");
                let mut one = decided(card("s", Kind::Card, &text), &text);
                one.census = Some(Census {
                    head: Some(head.clone()),
                    ..Census::default()
                });
                assert!(append(ground, &one).written);
            });
        }
    });
    let repo = ground.repo();
    let store = Store::new(&repo);
    let tip = store.resolve("s").unwrap();
    assert_eq!(tip.card.decisions.all().len(), 16);
    let mut goals: Vec<_> = store
        .lineage([(tip.id.clone(), tip.at)])
        .unwrap()
        .map(|one| one.unwrap().goal)
        .collect();
    goals.sort();
    goals.dedup();
    assert_eq!(goals.len(), 16);
    let notes = ground.git(&["notes", "--ref=segue", "show", "HEAD"]);
    assert_eq!(notes.lines().count(), 16, "{notes}");
    assert_eq!(ground.git(&["fsck", "--no-progress", "--no-dangling"]), "");
}

#[test]
fn a_note_says_at_which_commit_each_real_card_was_written() {
    let ground = Ground::new(&[]);
    let at_head = |session: &str, kind| {
        let mut one = card(session, kind, "plant\na tree");
        one.census = Some(Census {
            head: Some(ground.git(&["rev-parse", "HEAD"])),
            ..Census::default()
        });
        append(&ground, &one).id
    };
    at_head("autosaved", Kind::Autosave);
    let first = at_head("0190a000-one", Kind::Card);
    let second = at_head("0190a000-two", Kind::Card);
    assert_eq!(
        ground.git(&["notes", "--ref=segue", "show", "HEAD"]),
        format!(
            "{first} 0190a000 compact-auto plant a tree\n{second} 0190a000 compact-auto plant a tree"
        )
    );
}

#[test]
fn every_kind_of_repository_keeps_cards() {
    for init in [
        &[][..],
        &["--object-format=sha256"],
        &["--ref-format=reftable"],
    ] {
        let ground = Ground::new(init);
        append(&ground, &card("s", Kind::Card, "a"));
        let mut two = decided(card("s", Kind::Card, "b"), "x");
        two.summary = Some("once upon a time".to_owned());
        two.census = Some(Census {
            root: "/r".to_owned(),
            head: Some(ground.git(&["rev-parse", "HEAD"])),
            ..Census::default()
        });
        let id = append(&ground, &two).id;
        let repo = ground.repo();
        let store = Store::new(&repo);
        assert_eq!(store.tip(&SessionId::new("s")).unwrap().unwrap().card, two);
        assert_eq!(ground.git(&["rev-parse", "segue/s"]), id, "{init:?}");
        assert_eq!(ground.kinds("s"), "card card");
        assert_eq!(store.sessions().unwrap().len(), 1);
        assert!(
            ground
                .git(&["notes", "--ref=segue", "show", "HEAD"])
                .starts_with(&id)
        );
        assert_eq!(ground.git(&["fsck", "--no-progress", "--no-dangling"]), "");
        assert!(
            ground
                .git(&["reflog", "show", "segue/s"])
                .contains("segue: card")
        );
    }
}

#[test]
fn the_store_outside_of_a_repository_is_made_on_first_use() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state/segue/store.git");
    for goal in ["a", "b"] {
        let repo = Repo::open_or_init_bare(&path, &GitEnv::default()).unwrap();
        let store = Store::new(&repo);
        assert!(
            store
                .append(&card("s", Kind::Card, goal), None)
                .unwrap()
                .written
        );
        assert_eq!(store.resolve("s").unwrap().card.goal(), goal);
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(12))]

    #[test]
    fn no_decision_is_lost_and_no_real_card_replaced_whatever_comes_after_it(
        kinds in proptest::collection::vec(0..3_usize, 1..8),
    ) {
        let ground = Ground::new(&[]);
        let mut real = 0;
        for (n, kind) in kinds.iter().enumerate() {
            let kind = [Kind::Card, Kind::Autosave, Kind::Decision][*kind];
            real += usize::from(kind != Kind::Autosave);
            let text = format!("number {n}");
            append(&ground, &decided(card("s", kind, &text), &text));
        }
        let repo = ground.repo();
        let tip = Store::new(&repo).resolve("s").unwrap();
        proptest::prop_assert_eq!(tip.card.decisions.standing().count(), kinds.len());
        let autosaves = usize::from(kinds.last() == Some(&1));
        let chain = ground.git(&["rev-list", "--count", "segue/s"]);
        proptest::prop_assert_eq!(chain, (real + autosaves).to_string());
    }
}
