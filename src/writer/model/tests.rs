//! Any answer becomes a draft or a reason, whatever stands in it.

use proptest::prelude::*;

use super::*;
use crate::handoff::claim::{Evidence, Origin};
use crate::handoff::transcript::{Action, Outcome, ToolUse, Turn, What};

fn transcript() -> Transcript {
    let mut transcript = Transcript::default();
    let call = ToolUse {
        id: "1".to_owned(),
        action: Action::Run {
            command: "make check".to_owned(),
            cwd: None,
        },
        outcome: Outcome::Failed(Some(2)),
        output: "error: no water".to_owned(),
    };
    for what in [
        What::Person("Plant a tree. Never touch the fence!".to_owned()),
        What::Tool(call),
    ] {
        transcript.push(Turn { at: 1, what });
    }
    transcript
}

fn draft_of(text: &str) -> Result<Draft, Fault> {
    let (transcript, redactor) = (transcript(), Redactor::default());
    let decisions = DecisionLog::default();
    let material = Material {
        transcript: Some(&transcript),
        census: None,
        previous: None,
        decisions: &decisions,
        instructions: None,
        redactor: &redactor,
        root: None,
        now: 7,
    };
    let answer = answer::read(text)?;
    Ok(claims::draft(&answer, &material, &mut Pen::new(&redactor)))
}

/// The one claim of a bullet.
#[track_caller]
fn check(section: &str, bullet: &str, origin: Origin, text: &str, evidence: &[&str]) {
    let draft = draft_of(&format!("## {section}\n- {bullet}")).unwrap();
    let claims: Vec<_> = draft.sections.iter().map(|(_, claim)| claim).collect();
    let [claim] = claims[..] else {
        panic!("{claims:?}")
    };
    let names: Vec<String> = claim
        .evidence
        .iter()
        .map(|one| match one {
            Evidence::Path { path, line, .. } => format!("{path} {line:?}"),
            Evidence::Commit { id, .. } => format!("commit {id}"),
            Evidence::Command { line, passed, .. } => format!("`{line}` {passed:?}"),
        })
        .collect();
    assert_eq!(
        (claim.origin, claim.text.as_str(), names),
        (
            origin,
            text,
            evidence.iter().map(|one| (*one).to_owned()).collect()
        )
    );
}

#[test]
fn a_bullet_becomes_a_claim_with_what_it_names() {
    let agent = Origin::Agent;
    check("Done", "✅ it grows", agent, "it grows", &[]);
    check(
        "Done",
        "[x] `src/a.rs:12` and src/b.rs, see 1a2b3c4.",
        agent,
        "`src/a.rs:12` and src/b.rs, see 1a2b3c4.",
        &["src/a.rs Some(12)", "src/b.rs None", "commit 1a2b3c4"],
    );
    check(
        "Done",
        "`make check` passes",
        agent,
        "`make check` passes",
        &["`make check` Some(false)"],
    );
    check(
        "Done",
        "unconfirmed: `make check` passes",
        agent,
        "`make check` passes",
        &[],
    );
    check(
        "Done",
        "and/or `make install` of v1.2/3 at https://a.org/b.html",
        agent,
        "and/or `make install` of v1.2/3 at https://a.org/b.html",
        &[],
    );
    check(
        "In flight",
        "the check — resume: `make check`",
        agent,
        "the check",
        &["`make check` Some(false)"],
    );
}

#[test]
fn the_persons_word_is_only_what_the_person_said() {
    check(
        "Goal and repo",
        "user: \"plant a tree\"",
        Origin::User,
        "plant a tree",
        &[],
    );
    check(
        "Traps",
        "\"never touch the fence\"",
        Origin::User,
        "\"never touch the fence\"",
        &[],
    );
    check(
        "Traps",
        "user: \"delete everything\"",
        Origin::Agent,
        "\"delete everything\"",
        &[],
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_answer_is_a_draft_or_a_reason(
        text in "(?s)(.|\n- |## Done\n|## In flight\n|## Decisions\n|resume: `|`|user: |\"| — why: |src/a.rs:|unconfirmed:){0,50}"
    ) {
        draft_of(&text).ok();
        script::is_foreign(&text, "");
    }
}
