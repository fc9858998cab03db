//! Conversations over several files, and finding the right one.

use super::*;
use crate::hosts::Places;

const DAY: &str = "sessions/2026/11/30";

/// A folder as Codex keeps it, with these fixtures under these names.
fn codex_home(files: &[(&str, &str)]) -> (tempfile::TempDir, Places) {
    let home = tempfile::tempdir().unwrap();
    let day = home.path().join(DAY);
    std::fs::create_dir_all(&day).unwrap();
    for (name, file) in files {
        std::fs::copy(fixture(name), day.join(file)).unwrap();
    }
    let places = Places {
        codex_home: Some(home.path().to_owned()),
        ..Places::default()
    };
    (home, places)
}

const BEFORE: &str = "rollout-2026-11-30T15-09-26-0190a000-0000-7000-8000-000000000001.jsonl";
const REWOUND: &str = "rollout-2026-11-30T15-09-40-0190a000-0000-7000-8000-000000000001_0190a000-0000-7000-8000-000000000005.jsonl";

#[test]
fn a_rewound_conversation_is_read_with_what_it_kept_of_the_old_one() {
    let (home, _) = codex_home(&[("rewind-1-before", BEFORE), ("rewind-2-after", REWOUND)]);
    let transcript = read(&home.path().join(DAY).join(REWOUND)).unwrap();
    let kept = ["person: first question", "agent: Fine."];
    let own = [
        "person: look at the code again",
        READ,
        "agent: The total is a plain sum.",
    ];
    assert_eq!(lines(&transcript), [&kept[..], &own].concat());
    assert_eq!(transcript.session.as_deref(), Some(ROOT));
    check("rewind-2-after", &own);
    let taken_back = [
        "person: look at the code",
        READ,
        "agent: The total is a plain sum.",
    ];
    check("rewind-1-before", &[&kept[..], &taken_back].concat());
}

#[test]
fn a_fork_is_read_with_what_it_was_forked_from_even_on_another_day() {
    let fork = "rollout-2026-11-30T15-34-04-0190a000-0000-7000-8000-000000000008.jsonl";
    let (home, _) = codex_home(&[("fork", fork)]);
    let other_day = home.path().join("sessions/2025/02/01");
    std::fs::create_dir_all(&other_day).unwrap();
    let base = "rollout-2025-02-01T15-33-45-0190a000-0000-7000-8000-000000000001.jsonl";
    std::fs::copy(fixture("tui-manual-compaction"), other_day.join(base)).unwrap();
    let transcript = read(&home.path().join(DAY).join(fork)).unwrap();
    let expect = [
        "person: look at the invoice code",
        READ,
        "agent: The total is a plain sum.",
        "compacted",
        "person: what next",
        "agent: Fine.",
        "person: try another way",
        "agent: ok",
    ];
    assert_eq!(lines(&transcript), expect);
    assert_eq!(
        transcript.session.as_deref(),
        Some("0190a000-0000-7000-8000-000000000008")
    );
    check("fork", &expect[6..]);
}

#[test]
fn a_circle_of_files_is_walked_once() {
    let meta = |thread: &str, base: &str| {
        format!(
            r#"{{"ordinal":9,"type":"session_meta","payload":{{"id":"{thread}","source":"cli","cwd":"/w","history_base":{{"thread_id":"{base}","end_ordinal_exclusive":99}}}}}}"#
        )
    };
    let dir = tempfile::tempdir().unwrap();
    let file = |thread: &str| {
        dir.path()
            .join(format!("rollout-2026-11-30T15-09-26-{thread}.jsonl"))
    };
    crate::files::replace(&file("aa"), meta("aa", "bb").as_bytes()).unwrap();
    crate::files::replace(&file("bb"), meta("bb", "aa").as_bytes()).unwrap();
    crate::files::replace(&file("cc"), meta("cc", "cc").as_bytes()).unwrap();
    assert_eq!(bases(&file("aa")), [(file("bb"), 99)]);
    assert_eq!(bases(&file("cc")), []);
    assert_eq!(read(&file("aa")).unwrap().session.as_deref(), Some("aa"));
}

#[test]
fn the_newest_conversation_of_a_folder_is_found_and_no_subagents() {
    let agent = "rollout-2026-11-30T15-33-50-0190a000-0000-7000-8000-000000000007.jsonl";
    let (home, places) = codex_home(&[
        ("rewind-1-before", BEFORE),
        ("rewind-2-after", REWOUND),
        ("full-subagent", agent),
    ]);
    let day = home.path().join(DAY);
    let touch = |name: &str, seconds: u64| {
        let file = File::options().append(true).open(day.join(name)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds))
            .unwrap();
    };
    let found = |dir: &str| find(&places, Path::new(dir)).unwrap();
    touch(BEFORE, 100);
    touch(REWOUND, 200);
    touch(agent, 300);
    assert_eq!(found("/home/dev/work/billing"), Some(day.join(REWOUND)));
    touch(BEFORE, 400);
    assert_eq!(found("/home/dev/work"), Some(day.join(BEFORE)));
    assert_eq!(found("/home/dev/work/bill"), None);
    assert_eq!(found("/home/dev/work/billing/src"), None);
    assert_eq!(find(&Places::default(), Path::new("/")).unwrap(), None);
}

#[test]
fn a_session_is_found_by_its_id_or_the_beginning_of_it() {
    let (home, places) = codex_home(&[
        ("rewind-1-before", BEFORE),
        ("fork", "rollout-2026-11-30T15-34-04-abcd.jsonl"),
    ]);
    let found = |id: &str| find_session(&places, id).unwrap();
    assert_eq!(found(ROOT), Some(home.path().join(DAY).join(BEFORE)));
    assert_eq!(found("0190a000"), Some(home.path().join(DAY).join(BEFORE)));
    assert_eq!(
        found("abcd"),
        Some(
            home.path()
                .join(DAY)
                .join("rollout-2026-11-30T15-34-04-abcd.jsonl")
        )
    );
    assert_eq!(found("2026"), None);
    assert_eq!(found(""), None);
}
