//! Sums of what the hooks did.

use serde_json::json;

use crate::hosts::stage::{SESSION, Stage};
use crate::support::world::World;

#[test]
fn saves_and_givings_are_summed_by_day_and_session_the_newest_first() {
    let mut stage = Stage::new("claude-code");
    let compaction = |stage: &Stage| {
        stage
            .event("PreCompact", json!({"trigger": "auto"}))
            .ended(0);
        stage
            .given("SessionStart", json!({"source": "compact"}))
            .len()
    };
    let first = compaction(&stage);
    stage.world.wait(24 * 3600);
    stage.person("And then the printer");
    let second = compaction(&stage);
    stage.session = "s-2".to_owned();
    stage.person("Something else");
    stage
        .event("PreCompact", json!({"trigger": "auto"}))
        .ended(0);

    let answer = stage.world.run(&["stats", "--json"]).json();
    let brief = |sum: &serde_json::Value, key: &str| {
        let number = |name: &str| sum[name].as_u64().unwrap();
        let bytes = usize::try_from(number("bytes_given")).unwrap();
        let name = sum[key].as_str().unwrap_or_default().to_owned();
        (name, number("saves"), number("givings"), bytes)
    };
    assert_eq!(
        brief(&answer["total"], ""),
        (String::new(), 3, 2, first + second)
    );
    let days: Vec<_> = answer["days"].as_array().unwrap().iter().collect();
    assert_eq!(brief(days[0], "day"), ("2026-12-01".into(), 2, 1, second));
    assert_eq!(brief(days[1], "day"), ("2026-11-30".into(), 1, 1, first));
    let sessions: Vec<_> = answer["sessions"].as_array().unwrap().iter().collect();
    assert_eq!(brief(sessions[0], "session"), ("s-2".into(), 1, 0, 0));
    let session = SESSION.to_owned();
    assert_eq!(
        brief(sessions[1], "session"),
        (session, 2, 2, first + second)
    );

    let text = stage.world.run(&["stats"]).ok();
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let total = (first + second).to_string();
    assert_eq!(
        lines[0],
        ["day", "saves", "givings", "bytes", "given", "troubles"]
    );
    assert_eq!(lines[1], ["2026-12-01", "2", "1", &second.to_string(), "0"]);
    assert_eq!(lines[4], ["s-2", "1", "0", "0", "0"]);
    assert_eq!(lines.last().unwrap(), &["total", "3", "2", &total, "0"]);
}

#[test]
fn before_any_hook_there_is_nothing_to_sum() {
    let world = World::new();
    assert_eq!(world.run(&["stats"]).ok(), "no hook has run here yet\n");
}
