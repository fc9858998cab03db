//! What we mean → the bytes and the exit code that the host understands.
//!
//! Facts of Codex 0.171.0: its reading of standard output is strict, one unknown key makes the hook "Failed" and
//! nothing in it counts; nothing at all is fine everywhere. At `Stop` plain text is "Failed" too.

use serde::Serialize;

use crate::hosts::{Answer, Moment, Reply};

/// Up to here added context goes to the model whole, in bytes; Codex 0.171.0 cuts the middle out of what is longer.
const CONTEXT_BYTES_MAX: usize = 10_000;

/// The answer to one event. The exit code is never 2 and `continue` is never false: both would end the turn.
pub(super) fn render(moment: &Moment, reply: &Reply) -> Answer {
    match reply {
        Reply::Quiet => Answer::default(),
        // Codex has no use for text at PreCompact: it throws it away.
        Reply::SummaryHint(_) | Reply::ForFunctionHook(_) => Answer::default(),
        Reply::Context { text, notice } => said(moment, Some(text), notice.as_deref()),
        Reply::RefuseSpawn(reason) => refusal(moment, reason),
        Reply::Trouble(line) => trouble(moment, line),
    }
}

/// One JSON object of Codex's; every key of it is one that Codex knows.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Specific<'a>>,
}

/// The part that depends on the event.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
}

impl Output<'_> {
    fn answer(&self) -> Answer {
        if self.system_message.is_none() && self.hook_specific_output.is_none() {
            return Answer::default();
        }
        Answer {
            stdout: serde_json::to_string(self).unwrap_or_default(),
            ..Answer::default()
        }
    }
}

/// Text for the agent where the event takes it, and a line for the person where Codex shows one.
fn said(moment: &Moment, text: Option<&str>, notice: Option<&str>) -> Answer {
    let event = match moment {
        Moment::SessionStart(_) => Some("SessionStart"),
        Moment::PromptSubmit { .. } => Some("UserPromptSubmit"),
        _ => None,
    };
    let text = text.map(whole_lines).filter(|text| !text.is_empty());
    Output {
        system_message: notice.filter(|_| shows_notices(moment)),
        hook_specific_output: event.zip(text).map(|(hook_event_name, text)| Specific {
            hook_event_name,
            additional_context: Some(text),
            permission_decision: None,
            permission_decision_reason: None,
        }),
    }
    .answer()
}

/// Events whose `systemMessage` Codex 0.171.0 shows (in the terminal only; `codex exec` shows none). At PreCompact it
/// would be shown as well, but there standard output stays empty for every host.
fn shows_notices(moment: &Moment) -> bool {
    matches!(
        moment,
        Moment::SessionStart(_)
            | Moment::PromptSubmit { .. }
            | Moment::Stop { .. }
            | Moment::PostCompact
    )
}

/// Codex 0.171.0 answers the model "Tool call blocked by PreToolUse hook" with the reason, and the turn goes on.
fn refusal(moment: &Moment, reason: &str) -> Answer {
    // A refusal without a reason is "Failed" in Codex.
    if !matches!(moment, Moment::PreSpawn { .. }) || reason.is_empty() {
        return Answer::default();
    }
    Output {
        system_message: None,
        hook_specific_output: Some(Specific {
            hook_event_name: "PreToolUse",
            additional_context: None,
            permission_decision: Some("deny"),
            permission_decision_reason: Some(reason),
        }),
    }
    .answer()
}

/// One line on standard error. Where Codex shows a message of ours it is shown as that; at a compaction exit code 1
/// marks the hook as failed for the person while the compaction goes on; elsewhere nobody looks, and nothing is failed.
fn trouble(moment: &Moment, line: &str) -> Answer {
    let line = line.lines().next().unwrap_or_default();
    let mut answer = said(moment, None, Some(line));
    answer.stderr = format!("{line}\n");
    answer.code = u8::from(matches!(moment, Moment::PreCompact { .. }));
    answer
}

/// As many whole lines as Codex passes on uncut.
fn whole_lines(text: &str) -> &str {
    if text.len() <= CONTEXT_BYTES_MAX {
        return text;
    }
    let mut end = CONTEXT_BYTES_MAX;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = &text[..end];
    cut.rfind('\n').map_or(cut, |at| &cut[..at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::{AgentSeen, EndReason, Source};

    fn moments() -> Vec<(&'static str, Moment)> {
        let agent = AgentSeen {
            id: "a".into(),
            kind: None,
            transcript: None,
            answer: None,
        };
        vec![
            (
                "precompact",
                Moment::PreCompact {
                    manual: true,
                    instructions: None,
                },
            ),
            ("postcompact", Moment::PostCompact),
            ("start", Moment::SessionStart(Source::Compact)),
            ("end", Moment::SessionEnd(EndReason::Other)),
            (
                "prompt",
                Moment::PromptSubmit {
                    prompt: "p".into(),
                    by_person: true,
                },
            ),
            ("stop", Moment::Stop { running: None }),
            ("agent-start", Moment::SubagentStart(agent.clone())),
            ("agent-stop", Moment::SubagentStop(agent)),
            (
                "spawn",
                Moment::PreSpawn {
                    kind: None,
                    prompt: "p".into(),
                },
            ),
            ("other", Moment::Other("Dream".into())),
        ]
    }

    /// The reply to each event: those named have the bytes given, all others nothing and code 0.
    fn check(reply: &Reply, expect: &[(&str, &str, &str, u8)]) {
        for (name, moment) in moments() {
            let (_, stdout, stderr, code) = expect
                .iter()
                .find(|row| row.0 == name)
                .copied()
                .unwrap_or((name, "", "", 0));
            let answer = render(&moment, reply);
            assert_eq!(
                (answer.stdout.as_str(), answer.stderr.as_str(), answer.code),
                (stdout, stderr, code),
                "{name} {reply:?}"
            );
        }
    }

    #[test]
    fn nothing_is_nothing_at_every_event() {
        check(&Reply::Quiet, &[]);
        check(&Reply::SummaryHint("at most 15 sentences".into()), &[]);
    }

    #[test]
    fn context_goes_where_codex_takes_it() {
        let start =
            r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a\nb"}}"#;
        let prompt = r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"a\nb"}}"#;
        let reply = |notice: Option<&str>| Reply::Context {
            text: "a\nb".into(),
            notice: notice.map(str::to_owned),
        };
        check(
            &reply(None),
            &[("start", start, "", 0), ("prompt", prompt, "", 0)],
        );
        let noted = r#"{"systemMessage":"given","#;
        let only = r#"{"systemMessage":"given"}"#;
        check(
            &reply(Some("given")),
            &[
                ("start", &start.replacen('{', noted, 1), "", 0),
                ("prompt", &prompt.replacen('{', noted, 1), "", 0),
                ("stop", only, "", 0),
                ("postcompact", only, "", 0),
            ],
        );
    }

    #[test]
    fn context_is_cut_at_a_line_before_codex_cuts_it_anywhere() {
        let check = |text: &str, bytes: usize| assert_eq!(whole_lines(text).len(), bytes);
        check(&"x".repeat(10_000), 10_000);
        check(
            &format!("{}\n{}", "x".repeat(9_000), "y".repeat(2_000)),
            9_000,
        );
        check(&"x".repeat(10_001), 10_000);
        check(&"é".repeat(5_001), 10_000);
        check(&format!("x{}", "é".repeat(5_001)), 9_999);
    }

    #[test]
    fn a_refusal_is_said_only_where_a_subagent_would_start() {
        let json = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"compact first"}}"#;
        check(
            &Reply::RefuseSpawn("compact first".into()),
            &[("spawn", json, "", 0)],
        );
        check(&Reply::RefuseSpawn(String::new()), &[]);
    }

    #[test]
    fn trouble_is_one_line_and_never_blocks() {
        let json = r#"{"systemMessage":"git-segue: no room"}"#;
        let err = "git-segue: no room\n";
        check(
            &Reply::Trouble("git-segue: no room\nand more".into()),
            &[
                ("precompact", "", err, 1),
                ("postcompact", json, err, 0),
                ("start", json, err, 0),
                ("end", "", err, 0),
                ("prompt", json, err, 0),
                ("stop", json, err, 0),
                ("agent-start", "", err, 0),
                ("agent-stop", "", err, 0),
                ("spawn", "", err, 0),
                ("other", "", err, 0),
            ],
        );
    }
}
