use super::{TEXT_UNITS_MAX, render};
use crate::hosts::{AgentSeen, Answer, EndReason, Moment, Reply, Source};

fn agent() -> AgentSeen {
    AgentSeen {
        id: "a1".to_owned(),
        kind: None,
        transcript: None,
        answer: None,
    }
}

fn moments() -> Vec<(&'static str, Moment)> {
    let compact = |manual| Moment::PreCompact {
        manual,
        instructions: None,
    };
    let prompt = Moment::PromptSubmit {
        prompt: String::new(),
        by_person: true,
    };
    vec![
        ("PreCompact manual", compact(true)),
        ("PreCompact auto", compact(false)),
        ("PostCompact", Moment::PostCompact),
        ("SessionStart", Moment::SessionStart(Source::Compact)),
        ("SessionEnd", Moment::SessionEnd(EndReason::Clear)),
        ("UserPromptSubmit", prompt),
        (
            "Stop",
            Moment::Stop {
                running: Some(Vec::new()),
            },
        ),
        ("SubagentStart", Moment::SubagentStart(agent())),
        ("SubagentStop", Moment::SubagentStop(agent())),
        (
            "PreSpawn",
            Moment::PreSpawn {
                kind: None,
                prompt: String::new(),
            },
        ),
        ("Other", Moment::Other("Setup".to_owned())),
    ]
}

/// The reply makes exactly these answers (standard output, standard error, code) and none at any other moment.
fn check(reply: &Reply, spoken: &[(&str, &str, &str, u8)]) {
    for (name, moment) in moments() {
        let expected = spoken.iter().find(|(moment, ..)| *moment == name);
        let expected = expected.map_or_else(Answer::default, |(_, stdout, stderr, code)| Answer {
            stdout: (*stdout).to_owned(),
            stderr: (*stderr).to_owned(),
            code: *code,
        });
        assert_eq!(render(&moment, reply), expected, "{name}, {reply:?}");
    }
}

#[test]
fn nothing_is_said_where_there_is_nothing_to_say() {
    check(&Reply::Quiet, &[]);
}

#[test]
fn context_reaches_the_agent_at_a_start_and_with_a_prompt_only() {
    check(
        &Reply::Context {
            text: "a\nb".to_owned(),
            notice: None,
        },
        &[
            (
                "SessionStart",
                r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a\nb"}}"#,
                "",
                0,
            ),
            (
                "UserPromptSubmit",
                r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"a\nb"}}"#,
                "",
                0,
            ),
        ],
    );
    check(
        &Reply::Context {
            text: "a".to_owned(),
            notice: Some("n".to_owned()),
        },
        &[
            (
                "SessionStart",
                r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a"},"systemMessage":"n"}"#,
                "",
                0,
            ),
            (
                "UserPromptSubmit",
                r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"a"},"systemMessage":"n"}"#,
                "",
                0,
            ),
        ],
    );
}

#[test]
fn a_summary_hint_is_plain_text_before_a_compaction() {
    check(
        &Reply::SummaryHint("handoff card 12 \"x\"".to_owned()),
        &[
            ("PreCompact manual", "handoff card 12 \"x\"", "", 0),
            ("PreCompact auto", "handoff card 12 \"x\"", "", 0),
        ],
    );
}

#[test]
fn a_subagent_is_refused_by_a_decision_and_never_by_code_2() {
    let decision = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"full"}}"#;
    check(
        &Reply::RefuseSpawn("full".to_owned()),
        &[("PreSpawn", decision, "", 0)],
    );
}

#[test]
fn trouble_is_one_line_that_is_shown_where_it_does_not_come_every_turn() {
    let line = "git-segue: no\n";
    let spoken: Vec<_> = moments()
        .into_iter()
        .map(|(name, _)| match name {
            "PreCompact manual" => (name, "", line, 1),
            "SessionStart" => (name, r#"{"systemMessage":"git-segue: no"}"#, line, 0),
            _ => (name, "", line, 0),
        })
        .collect();
    check(
        &Reply::Trouble("git-segue: no\nsecond line".to_owned()),
        &spoken,
    );
}

fn check_fitted(text: &str, expected: &str) {
    let reply = Reply::SummaryHint(text.to_owned());
    let moment = Moment::PreCompact {
        manual: false,
        instructions: None,
    };
    assert!(
        render(&moment, &reply).stdout == expected,
        "{} bytes",
        text.len()
    );
}

#[test]
fn what_the_host_would_not_take_whole_is_cut_at_a_line() {
    let full = "é".repeat(TEXT_UNITS_MAX);
    check_fitted(&full, &full);
    check_fitted(&format!("{full}!"), &full);
    check_fitted(&format!("first\nsecond\n{full}"), "first\nsecond");
    check_fitted(&"😀".repeat(6_000), &"😀".repeat(5_000));
}
