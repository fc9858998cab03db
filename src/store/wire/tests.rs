//! Every field of a card and of a census comes back as it was.

use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::prop_assert_eq;

use super::*;
use crate::handoff::card::{Continues, ModelCall, Provenance, Writer};
use crate::handoff::carried::{Carried, LeftOut};
use crate::handoff::census::{CommandOutput, Commit, DirtyPath, Upstream, Worktree};
use crate::handoff::claim::{Claim, Evidence, Judged, Origin, Section, Sections, Verdict};
use crate::handoff::session::SessionId;
use crate::handoff::subagent::{Subagent, SubagentState};

fn text() -> impl Strategy<Value = String> {
    "(.|\n){0,12}"
}

fn session() -> impl Strategy<Value = SessionId> {
    prop_oneof![
        text().prop_map(|id| SessionId::new(&id)),
        Just(SessionId::unknown()),
        Just(SessionId::new("_unknown")),
    ]
}

fn provenance() -> impl Strategy<Value = Provenance> {
    let continues = (session(), text()).prop_map(|(session, card)| Continues { session, card });
    let texts = (of(text()), of(text()), of(text()), of(text()));
    (session(), text(), texts, of(continues)).prop_map(|(session, host, texts, continues)| {
        Provenance {
            session,
            host,
            kind: Kind::Autosave,
            trigger: Trigger::Clear,
            instructions: texts.0,
            transcript: texts.1,
            cwd: texts.2,
            repository: texts.3,
            continues,
        }
    })
}

fn writer() -> impl Strategy<Value = Writer> {
    let call = (text(), of(any::<u64>()), of(any::<u64>()), any::<u64>());
    prop_oneof![
        of(text()).prop_map(|because| Writer::Rules { because }),
        Just(Writer::Hand),
        call.prop_map(|(name, input_tokens, output_tokens, milliseconds)| {
            Writer::Model(ModelCall {
                name,
                input_tokens,
                output_tokens,
                milliseconds,
            })
        }),
    ]
}

fn evidence() -> impl Strategy<Value = Evidence> {
    let command = (text(), of(any::<i32>()), of(any::<bool>()), any::<bool>());
    prop_oneof![
        (text(), of(any::<u32>()), of(text())).prop_map(|(path, line, blob)| Evidence::Path {
            path,
            line,
            blob
        }),
        (text(), text()).prop_map(|(id, subject)| Evidence::Commit { id, subject }),
        command.prop_map(|(line, exit, passed, stale)| Evidence::Command {
            line,
            exit,
            passed,
            stale
        }),
    ]
}

fn judged() -> impl Strategy<Value = Judged> {
    let origin = prop_oneof![
        Just(Origin::User),
        Just(Origin::Agent),
        Just(Origin::Finding)
    ];
    let verdict = prop_oneof![
        Just(Verdict::Confirmed),
        of(text()).prop_map(Verdict::Unconfirmed),
        text().prop_map(Verdict::Refuted),
    ];
    (text(), origin, vec(evidence(), 0..3), verdict).prop_map(
        |(text, origin, evidence, verdict)| Judged {
            claim: Claim {
                text,
                origin,
                evidence,
            },
            verdict,
        },
    )
}

fn sections() -> impl Strategy<Value = Sections<Judged>> {
    vec((0..Section::ALL.len(), judged()), 0..6).prop_map(|claims| {
        let mut sections = Sections::default();
        for (at, claim) in claims {
            sections.of_mut(Section::ALL[at]).push(claim);
        }
        sections
    })
}

fn subagent() -> impl Strategy<Value = Subagent> {
    let texts = (of(text()), of(text()), of(text()), of(text()));
    (text(), texts, of(any::<i64>()), any::<bool>()).prop_map(|(id, texts, started, runs)| {
        Subagent {
            id,
            kind: texts.0,
            prompt: texts.1,
            started,
            state: if runs {
                SubagentState::Running
            } else {
                SubagentState::Finished
            },
            output: texts.2,
            result: texts.3,
        }
    })
}

fn dirty() -> impl Strategy<Value = DirtyPath> {
    (text(), any::<char>(), any::<char>(), of(text())).prop_map(|(path, staged, unstaged, blob)| {
        DirtyPath {
            path,
            staged,
            unstaged,
            blob,
        }
    })
}

fn census() -> impl Strategy<Value = Census> {
    let upstream =
        (text(), of(0..9_usize), of(0..9_usize)).prop_map(|(name, ahead, behind)| Upstream {
            name,
            ahead,
            behind,
        });
    let commit = (text(), text()).prop_map(|(id, subject)| Commit { id, subject });
    let tree = (text(), of(text())).prop_map(|(path, branch)| Worktree { path, branch });
    let command =
        (text(), text(), of(any::<i32>())).prop_map(|(command, output, exit)| CommandOutput {
            command,
            output,
            exit,
        });
    let texts = (text(), of(text()), of(text()), of(text()));
    let dirty = (vec(dirty(), 0..3), of(carried()));
    let lists = (dirty, vec(commit, 0..3), vec(tree, 0..3));
    let lines = (vec(text(), 0..3), vec(text(), 0..3));
    (texts, of(upstream), lists, lines, of(command)).prop_map(
        |(texts, upstream, lists, lines, command)| Census {
            root: texts.0,
            head: texts.1,
            branch: texts.2,
            upstream,
            operation: texts.3,
            dirty: lists.0.0,
            carried: lists.0.1,
            recent: lists.1,
            worktrees: lists.2,
            stashes: lines.0,
            command,
            cut: lines.1,
        },
    )
}

fn carried() -> impl Strategy<Value = Carried> {
    let left_out = (text(), text()).prop_map(|(path, why)| LeftOut { path, why });
    let counts = (0..9_usize, 0..9_usize, 0..9_usize);
    let lists = (vec(text(), 0..3), vec(left_out, 0..3));
    (text(), of(text()), counts, lists).prop_map(|(tree, index, counts, lists)| Carried {
        tree,
        index,
        files: counts.0,
        staged: counts.1,
        intended: lists.0,
        left_out: lists.1,
        more_left_out: counts.2,
    })
}

fn card() -> impl Strategy<Value = Card> {
    let redactions = btree_map(text(), any::<u32>(), 0..3);
    let rest = (vec(subagent(), 0..3), of(census()), of(text()), redactions);
    (provenance(), writer(), sections(), rest).prop_map(|(provenance, writer, sections, rest)| {
        Card {
            provenance,
            writer,
            sections,
            decisions: DecisionLog::default(),
            subagents: rest.0,
            census: rest.1,
            summary: rest.2,
            redactions: rest.3,
        }
    })
}

fn beside(card: &Card) -> Beside {
    Beside {
        kind: card.provenance.kind,
        trigger: card.provenance.trigger,
        census: card.census.clone(),
        decisions: card.decisions.clone(),
        summary: card.summary.clone(),
    }
}

proptest! {
    #[test]
    fn a_card_comes_back_as_it_was(card in card()) {
        let json = encode_card(&card).unwrap();
        prop_assert_eq!(decode_card(&json, beside(&card)).unwrap(), card);
    }

    #[test]
    fn a_census_comes_back_as_it_was(census in census()) {
        let json = encode_census(&census).unwrap();
        let carried = census.carried.as_ref();
        let trees = CarriedTrees {
            worktree: carried.map(|one| one.tree.clone()),
            index: carried.and_then(|one| one.index.clone()),
        };
        prop_assert_eq!(decode_census(&json, &trees).unwrap(), census);
    }

    #[test]
    fn any_bytes_are_a_card_or_an_error(bytes in vec(any::<u8>(), 0..64)) {
        decode_census(&bytes, &CarriedTrees::default()).unwrap_err();
    }
}

#[test]
fn the_version_is_looked_at_before_anything_else() {
    let newer = br#"{"version": 2, "sections": "of another shape"}"#;
    let err = decode_census(newer, &CarriedTrees::default()).unwrap_err();
    let failure = err.downcast_ref::<Failure>().unwrap();
    assert_eq!(
        failure.message,
        "cannot read census.json: its version is 2, and this git-segue knows 1"
    );
    assert_eq!(failure.hints, ["update git-segue"]);
    assert!(decode_census(b"{}", &CarriedTrees::default()).is_err());
}

#[test]
fn fields_that_a_later_program_added_are_passed_over() {
    let json = br#"{"version": 1, "root": "/r", "moon": "full"}"#;
    assert_eq!(
        decode_census(json, &CarriedTrees::default()).unwrap().root,
        "/r"
    );
}

/// What the first version wrote; these files are never edited.
const CARD_V1: &[u8] = include_bytes!("../../../fixtures/cards/v1/card.json");
const CENSUS_V1: &[u8] = include_bytes!("../../../fixtures/cards/v1/census.json");

#[test]
fn what_version_one_wrote_is_read_and_written_as_it_was() {
    let census = decode_census(CENSUS_V1, &CarriedTrees::default()).unwrap();
    assert_eq!(encode_census(&census).unwrap(), CENSUS_V1);
    assert_eq!(census.dirty[0].unstaged, 'M');
    let beside = Beside {
        kind: Kind::Card,
        trigger: Trigger::CompactAuto,
        census: Some(census),
        decisions: DecisionLog::default(),
        summary: None,
    };
    let card = decode_card(CARD_V1, beside).unwrap();
    assert_eq!(encode_card(&card).unwrap(), CARD_V1);
    assert_eq!(card.goal(), "plant a tree — 木");
    let claims = card.sections.iter().map(|(_, judged)| &judged.claim);
    assert!(
        claims
            .flat_map(|claim| claim.paths())
            .all(|path| path == "src/water.rs")
    );
    let continues = card.provenance.continues.unwrap();
    assert!(continues.session.is_unknown());
}

/// The first census of a card that carries; never edited.
const CENSUS_CARRIED_V1: &[u8] = include_bytes!("../../../fixtures/cards/v1/census_carried.json");

#[test]
fn what_is_carried_is_read_with_the_trees_beside_it_and_nothing_is_carried_without_them() {
    let trees = CarriedTrees {
        worktree: Some("12".to_owned()),
        index: None,
    };
    let census = decode_census(CENSUS_CARRIED_V1, &trees).unwrap();
    assert_eq!(encode_census(&census).unwrap(), CENSUS_CARRIED_V1);
    let carried = census.carried.unwrap();
    assert_eq!((carried.tree.as_str(), &carried.index), ("12", &None));
    assert_eq!(carried.counted(), "2 changed files, 1 staged");
    assert_eq!(carried.left_out_count(), 4);
    let without = decode_census(CENSUS_CARRIED_V1, &CarriedTrees::default()).unwrap();
    assert_eq!(without.carried, None);
}
