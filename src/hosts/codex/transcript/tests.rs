//! Recorded rollouts against lists made by hand from the same files.

use std::fmt::Write;

use super::*;
use crate::handoff::subagent::{Subagent, SubagentState};
use crate::handoff::transcript::{Action, ContextUse, Outcome, TodoState, Turn, What};

mod damaged;
mod files;

const ROOT: &str = "0190a000-0000-7000-8000-000000000001";

fn fixture(name: &str) -> PathBuf {
    let file = format!("fixtures/codex/0.171.0/transcripts/{name}.jsonl");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// A turn in one line, everything of it but its time.
fn shown(turn: &Turn) -> String {
    let call = match &turn.what {
        What::Person(text) => return format!("person: {text}"),
        What::Agent(text) => return format!("agent: {text}"),
        What::Interrupted => return "interrupted".into(),
        What::Compacted => return "compacted".into(),
        What::Tool(call) => call,
    };
    let mut line = match &call.action {
        Action::Run { command, cwd } => {
            format!("run {command} in {}", cwd.as_deref().unwrap_or("?"))
        }
        Action::Read { path } => format!("read {path}"),
        Action::Edit { path, added } => format!("edit {path} {added:?}"),
        Action::Write { path } => format!("write {path}"),
        Action::Delete { path } => format!("delete {path}"),
        Action::Search { pattern, .. } => format!("search {pattern}"),
        Action::Todos(todos) => todos.iter().fold("todos".into(), |line, todo| {
            let mark = match todo.state {
                TodoState::Pending => ' ',
                TodoState::Active => '>',
                TodoState::Done => 'x',
            };
            format!("{line} [{mark}] {}", todo.text)
        }),
        Action::Ask { questions } => format!("ask {}", questions.join(" ")),
        Action::Plan { text } => format!("plan {text}"),
        Action::Spawn { kind, prompt } => {
            format!("spawn {} {prompt}", kind.as_deref().unwrap_or("?"))
        }
        Action::Other { tool } => format!("other {tool}"),
    };
    let outcome = match call.outcome {
        Outcome::Open => "open".into(),
        Outcome::Ok => "ok".into(),
        Outcome::Failed(None) => "failed".into(),
        Outcome::Failed(Some(code)) => format!("failed {code}"),
        Outcome::Rejected => "rejected".into(),
        Outcome::Interrupted => "interrupted".into(),
    };
    write!(line, " · {outcome} · {:?}", call.output).unwrap();
    line
}

fn lines(transcript: &Transcript) -> Vec<String> {
    transcript.turns.iter().map(shown).collect()
}

fn check(name: &str, expect: &[&str]) -> Transcript {
    let transcript = read(&fixture(name)).unwrap();
    assert_eq!(lines(&transcript), expect, "{name}");
    assert_eq!(
        (transcript.broken_lines, transcript.dropped),
        (0, 0),
        "{name}"
    );
    assert_eq!(transcript.cwds, ["/home/dev/work/billing"], "{name}");
    transcript
}

fn filled(used: u64) -> Option<ContextUse> {
    let window = Some(475_000);
    Some(ContextUse { used, window })
}

const READ: &str = r#"read /home/dev/work/billing/src/invoice.py · ok · "def total(items):\n    return sum(items)\n""#;
const SUCCESS: &str = "Success. Updated the following files:";

#[test]
fn a_conversation_with_scripts_a_subagent_and_a_local_compaction() {
    let edit = format!(
        r#"edit /home/dev/work/billing/src/invoice.py "    return round(sum(items), 2)" · ok · "{SUCCESS}\nM src/invoice.py\n""#
    );
    let expect = [
        "person: round the invoice total to cents, and ask a helper whether the README mentions it",
        "agent: Looking at the invoice code first.",
        READ,
        r#"run python3 -m pytest -q in /home/dev/work/billing · failed 1 · "/usr/bin/python3: No module named pytest\n""#,
        &edit,
        r#"spawn ? Does README.md mention rounding? · ok · "{\"task_name\":\"/root/check_readme\"}""#,
        r#"other wait_agent · ok · "{\"message\":\"Wait completed.\",\"timed_out\":false}""#,
        r#"run git diff --stat in /home/dev/work/billing · ok · " src/invoice.py | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n""#,
        "compacted",
        "agent: Totals are rounded to cents. The README still needs a note.",
    ];
    let transcript = check("full-local-compaction", &expect);
    assert_eq!(transcript.session.as_deref(), Some(ROOT));
    assert_eq!(transcript.model.as_deref(), Some("gpt-6.2-sol"));
    assert_eq!(transcript.context, filled(9_040));
    assert_eq!(transcript.turns[0].at, 1_796_052_826);
    let helper = Subagent {
        id: "0190a000-0000-7000-8000-000000000007".into(),
        kind: None,
        prompt: Some("Does README.md mention rounding?".into()),
        started: Some(1_796_052_830),
        state: SubagentState::Finished,
        output: None,
        result: Some("README does not mention rounding.".into()),
    };
    assert_eq!(transcript.subagents, [helper]);
}

#[test]
fn a_subagents_own_rollout_is_another_session() {
    let expect = [
        r##"read /home/dev/work/billing/README.md · ok · "# billing\n""##,
        "agent: README does not mention rounding.",
    ];
    let transcript = check("full-subagent", &expect);
    assert_eq!(
        transcript.session.as_deref(),
        Some("0190a000-0000-7000-8000-000000000007")
    );
    assert!(
        rollouts::start(&fixture("full-subagent"))
            .unwrap()
            .is_subagent
    );
    assert!(!rollouts::start(&fixture("fork")).unwrap().is_subagent);
}

#[test]
fn two_compactions_by_the_provider() {
    let expect = [
        "person: round the invoice total",
        r#"run ls -1 src in /home/dev/work/billing · ok · "invoice.py\n""#,
        "compacted",
        READ,
        "agent: Looked at the invoice code.",
        "compacted",
        "person: what is left?",
        "agent: ok",
    ];
    assert_eq!(check("remote-compaction", &expect).context, filled(1_020));
}

#[test]
fn a_compaction_that_the_person_asked_for() {
    let expect = [
        "person: look at the invoice code",
        READ,
        "agent: The total is a plain sum.",
        "compacted",
        "person: what next",
        "agent: Fine.",
    ];
    assert_eq!(
        check("tui-manual-compaction", &expect).context,
        filled(4_040)
    );
}

#[test]
fn an_interrupted_turn() {
    let expect = [
        "person: think slowly",
        "interrupted",
        "person: hello again",
        "agent: Fine.",
    ];
    check("tui-interrupted-resumed", &expect);
}

#[test]
fn plain_tools_stand_once_though_they_are_written_twice() {
    let add = format!(
        r#"write /home/dev/work/billing/src/tax.py · ok · "{SUCCESS}\nA src/tax.py\nM src/invoice.py\n""#
    );
    let edit = format!(
        r#"edit /home/dev/work/billing/src/invoice.py "    return round(sum(items), 2)" · ok · "{SUCCESS}\nA src/tax.py\nM src/invoice.py\n""#
    );
    let output = format!(r#"· ok · "{SUCCESS}\nM src/bill.py\nD src/tax.py\n""#);
    let moved = format!(
        r#"edit /home/dev/work/billing/src/bill.py "    return round(sum(items), 3)" {output}"#
    );
    let from = format!("delete /home/dev/work/billing/src/invoice.py {output}");
    let gone = format!("delete /home/dev/work/billing/src/tax.py {output}");
    let expect = [
        "person: round the invoice total",
        r#"todos [>] Round the total [ ] Add a test · failed · "unsupported call: update_plan""#,
        READ,
        r#"run python3 -m pytest -q tests_missing in /home/dev/work/billing/src · failed 1 · "/usr/bin/python3: No module named pytest\n""#,
        &edit,
        &add,
        r#"edit src/nope.py "b" · failed · "apply_patch verification failed: Failed to read file to update /home/dev/work/billing/src/nope.py: No such file or directory (os error 2)""#,
        &moved,
        &from,
        &gone,
        r#"todos [x] Round the total [ ] Add a test · failed · "unsupported call: update_plan""#,
        "agent: Rounded to 3 places.",
        r#"run sleep 3; echo late in /home/dev/work/billing · failed · """#,
    ];
    assert_eq!(check("plain-tools", &expect).context.unwrap().used, 1_020);
}

#[test]
fn what_was_refused_is_told_as_refused_and_our_own_text_is_nobodys_words() {
    let add =
        format!(r#"write /home/dev/work/billing/src/tax.py · ok · "{SUCCESS}\nA src/tax.py\n""#);
    let output = format!(r#"· ok · "{SUCCESS}\nM src/bill.py\nD src/tax.py\n""#);
    let moved = format!(
        r#"edit /home/dev/work/billing/src/bill.py "    return round(sum(items), 3)" {output}"#
    );
    let from = format!("delete /home/dev/work/billing/src/invoice.py {output}");
    let gone = format!("delete /home/dev/work/billing/src/tax.py {output}");
    let expect = [
        "person: round the invoice total",
        &add,
        &moved,
        &from,
        &gone,
        r#"todos [x] Round the total [ ] Add a test · failed · "unsupported call: update_plan""#,
        r#"ask Round up or down? · failed · "request_user_input is unavailable in Default mode""#,
        r#"spawn ? Look at README · failed · "Tool call blocked by PreToolUse hook: [segue] the window is 96 % full: let the person compact first. Tool: collaborationspawn_agent""#,
        "agent: Done with code mode.",
        r#"run sleep 3; echo late in /home/dev/work/billing · failed · """#,
    ];
    assert_eq!(check("code-mode-refusals", &expect).subagents, []);
}
