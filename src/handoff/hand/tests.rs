//! Cards by hand: what is made of them, and what is refused.

use super::*;
use crate::handoff::claim::{Claim, Evidence, Origin};
use crate::handoff::decision::{By, Decision};

/// A card with one more line in each section that is named.
fn card(lines: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for section in Section::ALL {
        let own = lines.iter().filter(|(title, _)| *title == section.title());
        let own: Vec<&str> = own.map(|(_, line)| *line).collect();
        let body = if own.is_empty() {
            "- none".to_owned()
        } else {
            own.join("\n")
        };
        text += &format!("## {}\n{body}\n", section.title());
    }
    text
}

/// A repository that holds what begins with `src` and the commit 1a2b3c4.
fn read_here(text: &str) -> Reading {
    let look = |named: &Named<'_>| match named {
        Named::Path { path, .. } if path.starts_with("src") && !path.contains("nope") => {
            Seen::Here((*path).to_owned())
        }
        Named::Path { path, .. } => Seen::Missing(format!("no `{path}`")),
        Named::Commit("1a2b3c4") => Seen::Here("1a2b3c4d5e6f".to_owned()),
        Named::Commit(id) => Seen::Missing(format!("no commit `{id}`")),
    };
    read(
        text,
        &Rules {
            now: 1_796_040_000,
            look: &look,
        },
    )
}

fn path(path: &str) -> Evidence {
    Evidence::Path {
        path: path.to_owned(),
        line: None,
        blob: None,
    }
}

#[track_caller]
fn claims(section: Section, lines: &str, expect: &[Claim]) {
    let reading = read_here(&card(&[(section.title(), lines)]));
    assert_eq!(reading.faults, [], "{lines}");
    assert_eq!(reading.draft.sections.of(section), expect, "{lines}");
}

#[track_caller]
fn faults(text: &str, expect: &[(usize, &str)]) {
    let found: Vec<(usize, String)> = read_here(text)
        .faults
        .into_iter()
        .map(|one| (one.line.unwrap_or(0), one.why))
        .collect();
    let found: Vec<(usize, &str)> = found.iter().map(|(n, why)| (*n, why.as_str())).collect();
    assert_eq!(found, expect, "{text}");
}

#[test]
fn bullets_numbers_and_the_lines_under_them_are_one_claim_each() {
    let agent = |text: &str| Claim::new(Origin::Agent, text);
    claims(
        Section::NextSteps,
        "1. run the tests\n2) mend\n   what fails\n   - and what else\n3. say so",
        &[
            agent("run the tests"),
            agent("mend what fails; and what else"),
            agent("say so"),
        ],
    );
    claims(
        Section::OnlyUser,
        "a plain line\n\nanother one\n* and a third",
        &[
            agent("a plain line"),
            agent("another one"),
            agent("and a third"),
        ],
    );
}

#[test]
fn who_says_it_is_read_in_every_spelling() {
    let user = |text: &str| Claim::new(Origin::User, text);
    claims(
        Section::Traps,
        "- user: \"never touch main\"\n- never push (user)\n- \"no new crates\"\n- (user) ask first",
        &[
            user("\"never touch main\""),
            user("never push"),
            user("\"no new crates\""),
            user("ask first"),
        ],
    );
    claims(
        Section::Goal,
        "- user: \"make it faster\"\n- repo: /w/app · branch main at 1a2b3c4 · all committed",
        &[user("make it faster")],
    );
    claims(
        Section::NextSteps,
        "1. finding: the lint fails\n2. agent: mend it",
        &[
            Claim::new(Origin::Finding, "the lint fails"),
            Claim::new(Origin::Agent, "mend it"),
        ],
    );
}

#[test]
fn what_a_line_names_becomes_its_evidence() {
    let commit = Evidence::Commit {
        id: "1a2b3c4d5e6f".to_owned(),
        subject: String::new(),
    };
    claims(
        Section::Done,
        "- ✅ parser accepts blank lines — src/parse.rs, src/lib.rs (1a2b3c4)\n- ⚠️ unconfirmed: `src/a.rs` split",
        &[
            Claim::new(Origin::Agent, "parser accepts blank lines")
                .with(path("src/parse.rs"))
                .with(path("src/lib.rs"))
                .with(commit),
            Claim::new(Origin::Agent, "`src/a.rs` split").with(path("src/a.rs")),
        ],
    );
    let command = Evidence::Command {
        line: "cargo test parse".to_owned(),
        exit: None,
        passed: None,
        stale: false,
    };
    claims(
        Section::InFlight,
        "- ⏳ one test fails · resume: `cargo test parse`\n- resume: `cargo test parse`",
        &[
            Claim::new(Origin::Agent, "one test fails").with(command.clone()),
            Claim::new(Origin::Agent, "`cargo test parse`").with(command),
        ],
    );
}

#[test]
fn decisions_are_read_as_a_card_writes_them_and_as_people_do() {
    let text = card(&[])
        + "## Decisions\n- 2026-11-30 user: plain refs — why: they travel — instead of: a database\n\
        - ~~2026-11-29 agent: a database~~ (taken back)\n- cap it at 6 KB\n";
    let reading = read_here(&text);
    assert_eq!(reading.faults, []);
    let expect = [
        Decision::new(
            1_796_040_000,
            By::User,
            "plain refs",
            Some("they travel"),
            Some("a database"),
        ),
        Decision::new(1_796_040_000, By::Agent, "cap it at 6 KB", None, None),
    ];
    assert_eq!(reading.draft.decisions, expect);
}

#[test]
fn every_section_has_to_be_there_and_to_say_something() {
    faults(&card(&[]), &[]);
    let text = card(&[])
        .replace("## Traps\n- none\n", "")
        .replace("## Done\n- none\n", "## Done\n\n");
    faults(
        &text,
        &[
            (0, "no section `## Traps`"),
            (3, "`Done` is empty: say `none`"),
        ],
    );
    let all: Vec<(usize, &str)> = [
        "no section `## Done`",
        "no section `## Goal and repo`",
        "no section `## In flight`",
        "no section `## Next steps`",
        "no section `## Only the user`",
        "no section `## Read first`",
        "no section `## Traps`",
    ]
    .map(|why| (0, why))
    .to_vec();
    faults("", &all);
    assert_eq!(read_here(&card(&[])).sections, 7);
}

#[test]
fn every_fault_is_told_with_its_line_all_at_once() {
    let text = card(&[
        ("Goal and repo", "- TODO"),
        ("Done", "- done in src/nope.rs\n  and 9999aaa"),
        (
            "Next steps",
            "1. create src/nope.rs\n2. run src/nope.rs\n3.",
        ),
        ("Read first", "- src/a.rs\n- other.rs: new"),
    ]);
    faults(
        &text,
        &[
            (2, "a placeholder: TODO"),
            (4, "no `src/nope.rs`"),
            (5, "no commit `9999aaa`"),
            (10, "no `src/nope.rs`"),
            (11, "an empty item"),
            (16, "no `other.rs`"),
        ],
    );
}

#[test]
fn what_stands_under_no_heading_of_a_card_is_told() {
    let text = format!("# My handoff\n\nfor tomorrow\n\n{}", card(&[]));
    faults(&text, &[]);
    faults(
        &format!("hello\n{}", card(&[])),
        &[(1, "this stands under no heading")],
    );
    let text = card(&[]) + "## Notes\n- more\n## Subagents\nnone seen\n";
    faults(&text, &[(15, "a card has no section `Notes`")]);
}

#[test]
fn a_card_as_we_write_it_is_read_as_it_was() {
    let text = card(&[
        ("Done", "- ✅ parsed — src/a.rs"),
        ("Next steps", "1. user: go on\n2. agent: mend it"),
        ("Traps", "- user: \"never push\""),
    ]);
    let reading = read_here(&text);
    let steps = reading.draft.sections.of(Section::NextSteps);
    assert_eq!(
        steps,
        [
            Claim::new(Origin::User, "go on"),
            Claim::new(Origin::Agent, "mend it")
        ]
    );
    assert_eq!(reading.faults, []);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_text_is_read(text in "(?s)([#\\-*`\"<>():/. \n0-9a-f✅]|## Done\n|user:|resume: `|.){0,80}") {
        let reading = read_here(&text);
        let lines = text.lines().count();
        proptest::prop_assert!(reading.faults.iter().all(|one| one.line.is_none_or(|n| (1..=lines).contains(&n))));
    }
}
