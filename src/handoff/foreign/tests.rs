//! Each layout, read from files as those tools write them.

use super::*;
use crate::handoff::claim::Evidence;

const CLOCK: Clock = Clock {
    written: 1_700_000_000,
    utc_offset: 3600,
};

#[track_caller]
fn foreign(path: &str) -> Foreign {
    let full = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/import")
        .join(path);
    let text = std::fs::read_to_string(&full).unwrap();
    read(&full, &text, CLOCK).unwrap()
}

/// The texts of a section.
fn texts(foreign: &Foreign, section: Section) -> Vec<&str> {
    let claims = foreign.draft.sections.of(section).iter();
    claims.map(|claim| claim.text.as_str()).collect()
}

fn decided(foreign: &Foreign) -> Vec<(i64, &str)> {
    let all = foreign.draft.decisions.iter();
    all.map(|one| (one.at, one.what.as_str())).collect()
}

#[test]
fn a_handoff_before_a_compaction_keeps_items_origins_and_evidence() {
    let read = foreign("a/2026-11-28-091500-0a1b2c3d.md");
    assert_eq!(read.layout, Layout::BeforeCompaction);
    assert_eq!(
        read.session.as_deref(),
        Some("0a1b2c3d-1111-4222-8333-444455556666")
    );
    assert_eq!(read.at, Some(1_795_857_300));
    assert_eq!(read.trigger, Trigger::CompactAuto);
    assert_eq!(read.cwd.as_deref(), Some("/home/ada/orchard"));
    let goal = read.draft.sections.of(Section::Goal);
    assert_eq!(
        goal,
        [Claim::new(
            Origin::User,
            "Let the watering plan skip rainy days"
        )]
    );
    let done = &read.draft.sections.of(Section::Done)[0];
    assert_eq!(done.text, "rain gauge is read once an hour");
    assert_eq!(
        done.evidence,
        [
            Evidence::Path {
                path: "src/gauge.py".to_owned(),
                line: None,
                blob: None
            },
            Evidence::Commit {
                id: "3f2a1b0".to_owned(),
                subject: String::new()
            },
        ]
    );
    assert_eq!(
        texts(&read, Section::NextSteps),
        ["make the threshold a setting", "write the changelog entry"]
    );
    let later = foreign("a/2026-11-29-180230-0a1b2c3d.md");
    assert_eq!(later.at, Some(1_795_971_750));
    assert_eq!(later.trigger, Trigger::CompactManual);
    assert_eq!(texts(&later, Section::InFlight), Vec::<&str>::new());
}

#[test]
fn a_snapshot_its_decisions_and_its_handoff_are_of_one_session() {
    let read = foreign("b/.qe/context/sessions/7f6e5d4c/snapshot.md");
    assert_eq!(read.session.as_deref(), Some("7f6e5d4c"));
    // By the person's clock, an hour ahead.
    assert_eq!(read.at, Some(1_795_794_000));
    assert!(read.cwd.as_deref().unwrap().ends_with("fixtures/import/b"));
    assert_eq!(
        texts(&read, Section::Goal),
        ["Port the seed catalogue to the new format"]
    );
    assert_eq!(
        texts(&read, Section::NextSteps),
        ["convert the plums", "delete the old importer"]
    );
    assert_eq!(
        texts(&read, Section::ReadFirst),
        ["catalogue/apple.yaml", "catalogue/pear.yaml"]
    );
    assert_eq!(
        decided(&read)[0],
        (1_795_794_000, "Keep the old identifiers")
    );

    let read = foreign("b/.qe/context/sessions/7f6e5d4c/decisions.md");
    assert_eq!(read.session.as_deref(), Some("7f6e5d4c"));
    let (day, before) = (1_795_734_000, 1_795_561_200);
    assert_eq!(
        decided(&read),
        [
            (day, "Keep the old identifiers"),
            (day, "Hyphens instead of blanks in file names"),
            (before, "Write the catalogue by hand"),
        ]
    );
    assert_eq!(read.at, Some(day));

    let read = foreign("b/.qe/handoffs/sessions/7f6e5d4c/HANDOFF_2026-11-27_17-05.md");
    assert_eq!(read.at, Some(1_795_795_500));
    assert_eq!(texts(&read, Section::Goal), ["Seed catalogue, second half"]);
    assert_eq!(
        texts(&read, Section::NextSteps),
        ["Convert the plums", "Delete the old importer"]
    );
    assert_eq!(decided(&read).len(), 1);
}

#[test]
fn a_context_handoff_is_of_its_session_or_of_its_pane() {
    let read = foreign("c/-home-ada-orchard/5e5e5e5e-aaaa-4bbb-8ccc-ddddeeeeffff.md");
    assert_eq!(
        read.session.as_deref(),
        Some("5e5e5e5e-aaaa-4bbb-8ccc-ddddeeeeffff")
    );
    assert_eq!(read.at, Some(1_795_692_153));
    assert_eq!(
        texts(&read, Section::NextSteps),
        [
            "fit the harvest table on page two",
            "ask Ada about the logo"
        ]
    );
    assert_eq!(
        texts(&read, Section::Traps),
        ["The printer refuses more than two pages"]
    );
    assert_eq!(
        read.draft.summary.as_deref(),
        Some("## Tool Usage\nRead 12, Edit 5, Bash 9\n")
    );
    let read = foreign("c/-home-ada-orchard/pane-3.md");
    assert_eq!(read.session.as_deref(), Some("pane-3"));
    assert_eq!(texts(&read, Section::NextSteps), ["rows 5 to 9"]);
    assert_eq!(read.draft.decisions, []);
}

#[test]
fn what_has_no_known_layout_is_none() {
    for (path, text) in [
        ("README.md", "# Orchard\n"),
        ("sessions/a/notes.md", "# Notes\n"),
        ("decisions.md", "## [2026-11-27] Session\n- a\n"),
        ("a.md", ""),
    ] {
        assert_eq!(read(Path::new(path), text, CLOCK), None, "{path}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_text_is_read(
        head in "# (Handoff before compaction|Context Snapshot|Context Handoff)[ —0-9()]{0,20}",
        text in "(?s)(\n## (Next|Files|Other)\n|\n#{1,3}|- |```|:| · |.){0,60}",
    ) {
        read(Path::new("sessions/a/HANDOFF_1.md"), &format!("{head}{text}"), CLOCK).unwrap();
    }
}
