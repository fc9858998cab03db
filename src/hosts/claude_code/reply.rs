//! What we mean → the bytes and the exit code that the host understands.
//!
//! What Claude Code 2.1.332 does with them was measured, and differs from event to event:
//!
//! | event | standard output | JSON `additionalContext` | JSON `systemMessage` | exit code 1 |
//! |---|---|---|---|---|
//! | PreCompact | raw into the summary prompt, JSON too | fails the hook | raw into the summary prompt | a line for the person |
//! | PostCompact, after `/compact` | reaches the agent raw | fails the hook | reaches the agent raw | a line |
//! | SessionStart | reaches the agent | reaches the agent | a line for the person | a line |
//! | UserPromptSubmit | reaches the agent | reaches the agent | a line for the person | a line, every time |
//! | Stop | nothing | starts one more model round | a line for the person | a line, every time |
//! | SubagentStart, SubagentStop | nothing | reaches the subagent | nothing | a line |
//! | SessionEnd | nothing | nothing | nothing | a line of complaint |
//!
//! So what an event cannot carry is left out, and trouble is shown where the person waits for us or the line comes
//! once: a line on standard error with code 0 is seen in the host's debug log only.

use serde_json::{Value, json};

use super::function_hook;
use crate::hosts::{Answer, Moment, Next, Reply};

/// Text above this many UTF-16 units is replaced by a note and a file's path in Claude Code 2.1.332, and PreCompact's
/// is cut.
const TEXT_UNITS_MAX: usize = 10_000;

/// The answer to one event.
pub(super) fn render(moment: &Moment, reply: &Reply) -> Answer {
    match reply {
        Reply::Quiet => Answer::default(),
        Reply::Context { text, notice } => context(moment, text, notice.as_deref()),
        Reply::SummaryHint(text) => match moment {
            Moment::PreCompact { .. } => out(fitted(text).to_owned()),
            _ => Answer::default(),
        },
        Reply::RefuseSpawn(reason) => refused(moment, reason),
        Reply::ForFunctionHook(next) => match moment {
            Moment::SummaryWanted { .. } | Moment::SummaryWritten(_) => {
                out(function_hook::render(next))
            }
            _ => Answer::default(),
        },
        Reply::Trouble(line) => trouble(moment, line),
    }
}

fn out(stdout: String) -> Answer {
    Answer {
        stdout,
        ..Answer::default()
    }
}

/// A line for the person, where one is shown.
fn shown(moment: &Moment, line: &str) -> Answer {
    match moment {
        Moment::SessionStart(_) | Moment::PromptSubmit { .. } | Moment::Stop { .. } => {
            out(json!({ "systemMessage": line }).to_string())
        }
        _ => Answer::default(),
    }
}

fn context(moment: &Moment, text: &str, notice: Option<&str>) -> Answer {
    let event = match moment {
        Moment::SessionStart(_) => "SessionStart",
        Moment::PromptSubmit { .. } => "UserPromptSubmit",
        _ => return Answer::default(),
    };
    let mut answer = json!({
        "hookSpecificOutput": { "hookEventName": event, "additionalContext": fitted(text) },
    });
    if let Some(line) = notice {
        answer["systemMessage"] = Value::from(line);
    }
    out(answer.to_string())
}

fn refused(moment: &Moment, reason: &str) -> Answer {
    if !matches!(moment, Moment::PreSpawn { .. }) {
        return Answer::default();
    }
    let decision = json!({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": fitted(reason),
        },
    });
    out(decision.to_string())
}

fn trouble(moment: &Moment, line: &str) -> Answer {
    let line = line.lines().next().unwrap_or_default();
    let answer = match moment {
        // Who typed `/compact` sees the line before the conversation is gone; an automatic one shows nothing.
        Moment::PreCompact { manual: true, .. } => Answer {
            code: 1,
            ..Answer::default()
        },
        Moment::SessionStart(_) => shown(moment, line),
        Moment::SummaryWanted { .. } | Moment::SummaryWritten(_) => out(function_hook::render(
            &Next::StepAside(Some(line.to_owned())),
        )),
        _ => Answer::default(),
    };
    Answer {
        stderr: format!("{line}\n"),
        ..answer
    }
}

/// As many whole lines as the host takes; of a first line that is longer, its beginning.
fn fitted(text: &str) -> &str {
    let mut units = 0;
    let over = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > TEXT_UNITS_MAX
    });
    let Some((end, _)) = over else { return text };
    let line_end = text[..end].rfind('\n');
    &text[..line_end.unwrap_or(end)]
}

#[cfg(test)]
mod tests;
