//! Calls that are under way: begun in one line, completed in a later one.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use serde::Deserialize;

use super::record::Text;
use crate::handoff::clip;
use crate::handoff::transcript::{Action, OUTPUT_BYTES_MAX, Outcome};
use crate::hosts::skim;

/// Calls under way at once; the oldest of more has lost its answer.
const CALLS_MAX: usize = 256;
/// How the answer to a call begins that was not carried out (Codex 0.171.0).
const REFUSALS: &[&str] = &[
    "unsupported call:",
    "Tool call blocked by ",
    "apply_patch verification failed",
    "request_user_input is ",
    "failed to ",
    "error: ",
];
/// How the answer to a command begins that the person did not allow.
const REJECTIONS: &[&str] = &[
    "exec command rejected by user",
    "rejected by user",
    "patch rejected by user",
];

/// One of them.
pub(super) struct Call {
    pub(super) id: String,
    /// When it began, in seconds since 1970 UTC.
    pub(super) at: i64,
    /// What it does: several files for a patch.
    pub(super) actions: Vec<Action>,
}

/// All of them, oldest first.
#[derive(Default)]
pub(super) struct Calls(VecDeque<Call>);

impl Calls {
    /// Notes a call; gives back one that has waited too long for its answer.
    pub(super) fn begin(&mut self, at: i64, id: &str, actions: Vec<Action>) -> Option<Call> {
        let id = id.to_owned();
        self.0.push_back(Call { id, at, actions });
        (self.0.len() > CALLS_MAX)
            .then(|| self.0.pop_front())
            .flatten()
    }

    /// Whether none is under way.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether that call is under way.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.0.iter().any(|call| call.id == id)
    }

    /// Takes that call out.
    pub(super) fn end(&mut self, id: &str) -> Option<Call> {
        let at = self.0.iter().rposition(|call| call.id == id)?;
        self.0.remove(at)
    }

    /// Takes all out.
    pub(super) fn take_all(&mut self) -> VecDeque<Call> {
        std::mem::take(&mut self.0)
    }

    /// What the call with that id asks of a subagent, and of which kind.
    pub(super) fn spawn(&self, id: &str) -> Option<(Option<&str>, &str)> {
        let call = self.0.iter().rfind(|call| call.id == id)?;
        call.actions.iter().find_map(|action| match action {
            Action::Spawn { kind, prompt } => Some((kind.as_deref(), prompt.as_str())),
            _ => None,
        })
    }

    /// Takes the call out when this answer ends it; `None` while its command goes on in the background.
    pub(super) fn answer(&mut self, id: &str, answer: &str) -> Option<(Call, Outcome, String)> {
        let call = self.0.iter().rfind(|call| call.id == id)?;
        let (outcome, output) = match call.actions.first() {
            Some(Action::Run { .. } | Action::Read { .. } | Action::Search { .. }) => {
                ended_command(answer)?
            }
            Some(Action::Ask { questions }) if !refused(answer) => {
                (Outcome::Ok, answers(answer, questions))
            }
            _ => (outcome_of_text(answer), body(answer).into_owned()),
        };
        Some((self.end(id)?, outcome, output))
    }
}

/// How a call ended, by Codex's word for it and the exit code.
pub(super) fn outcome_of(status: &str, exit_code: Option<i64>) -> Outcome {
    // Codex 0.171.0 writes -1 for a command that it killed, which is no exit code.
    let code = exit_code.and_then(|code| i32::try_from(code).ok());
    match (status, code) {
        ("declined", _) => Outcome::Rejected,
        ("failed", code) => Outcome::Failed(code.filter(|code| *code >= 0)),
        (_, Some(code)) if code != 0 => Outcome::Failed(Some(code).filter(|code| *code >= 0)),
        ("completed", _) | (_, Some(_)) => Outcome::Ok,
        _ => Outcome::Open,
    }
}

fn begins(answer: &str, with: &[&str]) -> bool {
    with.iter().any(|start| answer.starts_with(start))
}

fn refused(answer: &str) -> bool {
    begins(answer, REFUSALS) || begins(answer, REJECTIONS)
}

/// How a call ended that is no command, by what was answered.
fn outcome_of_text(answer: &str) -> Outcome {
    if begins(answer, REJECTIONS) {
        Outcome::Rejected
    } else if refused(answer) {
        Outcome::Failed(None)
    } else if answer.starts_with("aborted by user") {
        Outcome::Interrupted
    } else {
        match number_behind(head(answer), "Exit code: ") {
            Some(code) => outcome_of("", Some(code)),
            None => Outcome::Ok,
        }
    }
}

/// How a command ended and what it printed; `None` while it runs.
fn ended_command(answer: &str) -> Option<(Outcome, String)> {
    // Before 0.60 or so the answer was JSON.
    if let Some(old) = skim::read::<OldAnswer<'_>>(answer.as_bytes()) {
        let code = old.metadata.exit_code;
        return Some((outcome_of("", code), old.output.0.into_owned()));
    }
    let head = head(answer);
    if head.contains("Process running with session ID") {
        return None;
    }
    let code = number_behind(head, "Process exited with code ");
    let outcome = match code {
        Some(code) => outcome_of("", Some(code)),
        None => outcome_of_text(answer),
    };
    Some((outcome, body(answer).into_owned()))
}

/// The lines before a command's own output.
fn head(answer: &str) -> &str {
    answer.find("Output:\n").map_or("", |at| &answer[..at])
}

/// What was printed, without the lines that Codex puts before it.
fn body(answer: &str) -> Cow<'_, str> {
    match answer.split_once("Output:\n") {
        Some((head, body)) if head.contains("Wall time") => Cow::Borrowed(body),
        _ => Cow::Borrowed(answer),
    }
}

fn number_behind(text: &str, word: &str) -> Option<i64> {
    let behind = text.split_once(word)?.1;
    behind.lines().next()?.trim().parse().ok()
}

/// The answer of a command before 0.60 or so.
#[derive(Deserialize)]
struct OldAnswer<'a> {
    #[serde(borrow)]
    output: Text<'a>,
    metadata: OldMetadata,
}

/// How that command ended.
#[derive(Deserialize)]
struct OldMetadata {
    exit_code: Option<i64>,
}

/// The person's answers to questions, in words.
#[derive(Deserialize)]
struct Answers {
    answers: BTreeMap<String, Chosen>,
}

/// The answers to one question.
#[derive(Deserialize)]
struct Chosen {
    answers: Vec<String>,
}

/// The answers as a person would write them down; the text as it is where it has another shape.
fn answers(answer: &str, questions: &[String]) -> String {
    let Ok(all) = serde_json::from_str::<Answers>(answer) else {
        return answer.to_owned();
    };
    let chosen: Vec<String> = all
        .answers
        .values()
        .map(|chosen| chosen.answers.join(", "))
        .collect();
    let lines: Vec<String> = match questions {
        // Answers are named by the ids of their questions, which a list of questions in words has not.
        [question] if chosen.len() == 1 => vec![format!("{question} {}", chosen[0])],
        _ => chosen,
    };
    clip::ends(&lines.join("\n"), OUTPUT_BYTES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Vec<Action> {
        vec![Action::Run {
            command: "x".into(),
            cwd: None,
        }]
    }

    fn check(actions: Vec<Action>, answer: &str, expect: Option<(Outcome, &str)>) {
        let mut calls = Calls::default();
        assert!(calls.begin(1, "c", actions).is_none());
        let got = calls.answer("c", answer);
        let got = got
            .as_ref()
            .map(|(_, outcome, output)| (*outcome, output.as_str()));
        assert_eq!(got, expect, "{answer}");
        assert_eq!(calls.knows("c"), expect.is_none());
    }

    #[test]
    fn a_commands_answer_tells_how_it_ended() {
        let new =
            |line: &str| format!("Chunk ID: 1\nWall time: 0.1 seconds\n{line}\nOutput:\nout\n");
        check(
            run(),
            &new("Process exited with code 0"),
            Some((Outcome::Ok, "out\n")),
        );
        check(
            run(),
            &new("Process exited with code 2"),
            Some((Outcome::Failed(Some(2)), "out\n")),
        );
        check(run(), &new("Process running with session ID 7"), None);
        let old = r#"{"output":"out","metadata":{"exit_code":1,"duration_seconds":0.1}}"#;
        check(run(), old, Some((Outcome::Failed(Some(1)), "out")));
        check(
            run(),
            "exec command rejected by user",
            Some((Outcome::Rejected, "exec command rejected by user")),
        );
        check(
            run(),
            "aborted by user after 3.2s",
            Some((Outcome::Interrupted, "aborted by user after 3.2s")),
        );
    }

    #[test]
    fn other_answers_tell_whether_it_was_done() {
        let other = || vec![Action::Other { tool: "t".into() }];
        let check = |answer: &str, outcome| check(other(), answer, Some((outcome, answer)));
        check("unsupported call: t", Outcome::Failed(None));
        check(
            "Tool call blocked by PreToolUse hook: full. Tool: t",
            Outcome::Failed(None),
        );
        check("fine", Outcome::Ok);
        check("", Outcome::Ok);
    }

    #[test]
    fn answers_to_questions_are_words() {
        let ask = |questions: &[&str]| {
            let questions = questions.iter().map(|q| (*q).to_owned()).collect();
            vec![Action::Ask { questions }]
        };
        let one = r#"{"answers":{"q1":{"answers":["up","always"]}}}"#;
        check(
            ask(&["Up or down?"]),
            one,
            Some((Outcome::Ok, "Up or down? up, always")),
        );
        let two = r#"{"answers":{"a":{"answers":["up"]},"b":{"answers":["no"]}}}"#;
        check(ask(&["Up?", "Why?"]), two, Some((Outcome::Ok, "up\nno")));
        check(ask(&["Up?"]), "later", Some((Outcome::Ok, "later")));
        let not = "request_user_input is unavailable in Default mode";
        check(ask(&["Up?"]), not, Some((Outcome::Failed(None), not)));
    }

    #[test]
    fn words_and_codes_of_codex_are_outcomes() {
        let check = |status: &str, code, expect| assert_eq!(outcome_of(status, code), expect);
        check("completed", Some(0), Outcome::Ok);
        check("completed", None, Outcome::Ok);
        check("completed", Some(3), Outcome::Failed(Some(3)));
        check("failed", Some(1), Outcome::Failed(Some(1)));
        check("failed", Some(-1), Outcome::Failed(None));
        check("failed", None, Outcome::Failed(None));
        check("declined", None, Outcome::Rejected);
        check("in_progress", None, Outcome::Open);
        check("completed", Some(i64::MAX), Outcome::Ok);
    }

    #[test]
    fn calls_without_an_answer_do_not_pile_up() {
        let mut calls = Calls::default();
        for n in 0..CALLS_MAX {
            assert!(calls.begin(0, &n.to_string(), run()).is_none());
        }
        assert_eq!(calls.begin(0, "last", run()).unwrap().id, "0");
        assert!(!calls.knows("0"));
    }
}
