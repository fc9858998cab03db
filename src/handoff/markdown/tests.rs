//! A card and its exact text.

use super::*;
use crate::handoff::card::{Continues, Draft, Frame, Provenance, Writer};
use crate::handoff::census::DirtyPath;
use crate::handoff::claim::Origin;
use crate::handoff::decision::{By, DecisionLog};
use crate::handoff::session::{Kind, SessionId, Trigger};

fn path(path: &str) -> Evidence {
    Evidence::Path {
        path: path.to_owned(),
        line: None,
        blob: None,
    }
}

fn command(line: &str, passed: bool, stale: bool) -> Evidence {
    Evidence::Command {
        line: line.to_owned(),
        exit: Some(i32::from(!passed)),
        passed: Some(passed),
        stale,
    }
}

fn frame() -> Frame {
    Frame {
        provenance: Provenance {
            session: SessionId::new("0190a000-0000-7000-8000-000000000001"),
            host: "claude-code".to_owned(),
            kind: Kind::Card,
            trigger: Trigger::CompactAuto,
            instructions: None,
            transcript: None,
            cwd: None,
            repository: None,
            continues: None,
        },
        writer: Writer::Rules { because: None },
        decisions: DecisionLog::default(),
        subagents: Vec::new(),
        census: None,
        redactions: std::collections::BTreeMap::new(),
    }
}

fn full_draft() -> Draft {
    let mut draft = Draft::default();
    let mut put = |section: Section, claim: Claim| draft.sections.of_mut(section).push(claim);
    put(
        Section::Goal,
        Claim::new(Origin::User, "make the parser\nfaster"),
    );
    let committed = Evidence::Commit {
        id: "1a2b3c4d5e6f7081".to_owned(),
        subject: "Parse once".to_owned(),
    };
    put(
        Section::Done,
        Claim::new(Origin::Finding, "committed \"Parse once\"").with(committed),
    );
    put(
        Section::Done,
        Claim::new(Origin::Finding, "edited src/parse.rs: read_line")
            .with(path("crates/a/src/parse.rs")),
    );
    put(
        Section::Done,
        Claim::new(Origin::Agent, "bench written").with(path("benches/parse.rs")),
    );
    put(
        Section::Done,
        Claim::new(Origin::Finding, "`make lint` passed").with(command("make lint", true, true)),
    );
    put(
        Section::InFlight,
        Claim::new(Origin::Finding, "fails: src/parse.rs:4: no such field").with(command(
            "cargo test",
            false,
            false,
        )),
    );
    put(
        Section::NextSteps,
        Claim::new(Origin::Agent, "mend the field"),
    );
    put(
        Section::NextSteps,
        Claim::new(Origin::Finding, "write the docs"),
    );
    put(Section::OnlyUser, Claim::new(Origin::Agent, "May I push?"));
    put(
        Section::ReadFirst,
        Claim::new(Origin::Finding, "crates/a/src/parse.rs: edited")
            .with(path("crates/a/src/parse.rs")),
    );
    put(
        Section::ReadFirst,
        Claim::new(Origin::Finding, "old.rs: read").with(path("old.rs")),
    );
    put(
        Section::Traps,
        Claim::new(Origin::User, "\"never touch `unsafe`\""),
    );
    draft
}

fn full_frame() -> Frame {
    let mut frame = frame();
    frame.provenance.instructions = Some("keep the bench".to_owned());
    frame.provenance.continues = Some(Continues {
        session: SessionId::new("5e551010-0000"),
        card: "abcdef0123456789".to_owned(),
    });
    frame.redactions.insert("github-token".to_owned(), 2);
    let (at, by) = (1_796_040_000, By::User);
    frame
        .decisions
        .add(Decision::new(at, by, "use a trie", None, Some("a map")));
    frame.decisions.add(Decision::new(
        at + 1,
        By::Agent,
        "no cache",
        Some("small"),
        None,
    ));
    let first = frame.decisions.all()[0].id.clone();
    frame.decisions.retract(&first, at + 2, by);
    let agent = |id: &str, state| Subagent {
        id: id.to_owned(),
        kind: Some("explorer".to_owned()),
        prompt: Some("count\nlines".to_owned()),
        started: None,
        state,
        output: None,
        result: None,
    };
    frame.subagents = vec![
        agent("a1", SubagentState::Running),
        agent("a2", SubagentState::Finished),
    ];
    frame.census = Some(Census {
        root: "/w/app".to_owned(),
        head: Some("1a2b3c4d5e6f7081".to_owned()),
        branch: Some("main".to_owned()),
        operation: Some("rebase".to_owned()),
        dirty: vec![DirtyPath {
            path: "old.rs".to_owned(),
            staged: 'D',
            unstaged: ' ',
            blob: None,
        }],
        ..Census::default()
    });
    frame
}

#[test]
fn a_full_card_reads_like_this() {
    let judge = |_: Section, claim: &Claim| match claim.text.as_str() {
        "bench written" => Verdict::Unconfirmed(Some("no such file yet".to_owned())),
        "old.rs: read" => Verdict::Refuted("gone".to_owned()),
        text if text.contains("lint") => Verdict::Refuted("failed since".to_owned()),
        _ => Verdict::Confirmed,
    };
    let expect = "\
# Handoff card of session 0190a000

claude-code · written by rules
continues session 5e551010, card abcdef01
the person's instructions: \"keep the bench\"
secrets taken out: 2 github-token

## Goal and repo
- make the parser faster
- repo: /w/app · branch main at 1a2b3c4d5e · in the middle of a rebase · 1 path not committed

## Done
- ✅ committed \"Parse once\" (1a2b3c4d5e)
- ✅ edited src/parse.rs: read_line
- ⚠️ unconfirmed: bench written — benches/parse.rs (no such file yet)
- ❌ refuted: `make lint` passed (files changed since) (failed since)

## In flight
- ⏳ fails: src/parse.rs:4: no such field · resume: `cargo test`

## Next steps
1. agent: mend the field
2. finding: write the docs

## Only the user
- May I push?

## Read first
- crates/a/src/parse.rs: edited
- ❌ old.rs: read (gone)

## Traps
- user: \"never touch `unsafe`\"

## Decisions
- 2026-11-30 agent: no cache — why: small
- ~~2026-11-30 user: use a trie — instead of: a map~~ (taken back)

## Subagents
- ⏳ explorer a1: count lines
- 🏁 explorer a2: count lines
";
    assert_eq!(
        card(&Card::judge(full_draft(), full_frame(), judge)),
        expect
    );
}

#[test]
fn an_empty_card_says_that_nothing_was_seen() {
    let text = card(&Card::judge(Draft::default(), frame(), |_, _| {
        Verdict::Confirmed
    }));
    assert_eq!(
        text.matches("\nnone seen\n").count(),
        Section::ALL.len() + 2
    );
}

#[test]
fn a_long_card_loses_whole_lines_of_the_least_weight_and_says_so() {
    let mut draft = full_draft();
    for n in 0..100 {
        let text = format!("did the thing number {n} {}", "x".repeat(90));
        draft
            .sections
            .of_mut(Section::Done)
            .push(Claim::new(Origin::Agent, text));
    }
    let text = card(&Card::judge(draft, full_frame(), |_, _| Verdict::Confirmed));
    assert!(text.len() <= CARD_BYTES_MAX, "{}", text.len());
    assert!(text.len() > CARD_BYTES_MAX - 200, "{}", text.len());
    assert!(text.contains("\n- ✅ did the thing number 20 "));
    assert!(text.contains("\n- user: \"never touch `unsafe`\"\n"));
    let last = text.lines().next_back().unwrap();
    assert_eq!(last, "left out for length: 59 of Done");
}

#[test]
fn a_lines_text_cannot_break_out_of_its_place() {
    let check = |text: &str, expect: &str| assert_eq!(one_line(text), expect, "{text:?}");
    check("a\n## Done\n- x", "a ## Done - x");
    check("\u{1b}[31mred\u{7}\u{202e}x", "[31mredx");
    check("```\ncode", "''' code");
    check(" ä\t\tö ", "ä ö");
}
