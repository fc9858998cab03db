//! A hook's standard input → what the host told us.

use std::path::PathBuf;

use anyhow::Context;
use serde_json::{Map, Value};

use crate::hosts::{AgentSeen, EndReason, Event, Moment, Source};

/// Codex 0.171.0 glues a tool's namespace (`collaboration`) onto its name; without one it is the bare name.
const SPAWN_TOOLS: &[&str] = &["collaborationspawn_agent", "spawn_agent"];

/// One JSON object. A field of the wrong type counts as absent, an event that we do not know is [`Moment::Other`];
/// only what is no JSON object at all is an error.
pub(super) fn parse(stdin: &[u8]) -> anyhow::Result<Event> {
    let text = String::from_utf8_lossy(stdin);
    let fields = serde_json::from_str(&text).context("cannot read the hook's input")?;
    let payload = Payload(fields);
    let name = payload.text("hook_event_name").unwrap_or_default();
    let (moment, agent, transcript) = match (name.as_str(), payload.text("agent_id")) {
        // Codex 0.171.0 names the subagent's own file here, and gives the conversation's nowhere.
        ("SubagentStart", Some(id)) => (
            Moment::SubagentStart(payload.agent(id, "transcript_path")),
            None,
            None,
        ),
        ("SubagentStop", Some(id)) => (
            Moment::SubagentStop(payload.agent(id, "agent_transcript_path")),
            None,
            payload.path("transcript_path"),
        ),
        (_, agent) => (
            payload.moment(&name),
            agent,
            payload.path("transcript_path"),
        ),
    };
    Ok(Event {
        session: payload.text("session_id"),
        transcript,
        cwd: payload.path("cwd"),
        agent,
        moment,
    })
}

/// The object's fields, read with forbearance.
struct Payload(Map<String, Value>);

impl Payload {
    /// A text that says something.
    fn text(&self, key: &str) -> Option<String> {
        let text = self.0.get(key)?.as_str()?;
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        self.text(key).map(PathBuf::from)
    }

    /// A text inside of the tool's input.
    fn input(&self, key: &str) -> Option<String> {
        Some(self.0.get("tool_input")?.get(key)?.as_str()?.to_owned())
    }

    fn agent(&self, id: String, file_key: &str) -> AgentSeen {
        AgentSeen {
            id,
            kind: self.text("agent_type"),
            transcript: self.path(file_key),
            answer: self.text("last_assistant_message"),
        }
    }

    fn moment(&self, name: &str) -> Moment {
        let other = || Moment::Other(name.to_owned());
        match name {
            "PreCompact" => Moment::PreCompact {
                manual: self.text("trigger").as_deref() == Some("manual"),
                instructions: self.text("custom_instructions"),
            },
            "PostCompact" => Moment::PostCompact,
            "SessionStart" => self.source().map_or_else(other, Moment::SessionStart),
            "SessionEnd" => Moment::SessionEnd(match self.text("reason").as_deref() {
                Some("clear") => EndReason::Clear,
                _ => EndReason::Other,
            }),
            "UserPromptSubmit" => Moment::PromptSubmit {
                prompt: self.text("prompt").unwrap_or_default(),
                by_person: true,
            },
            "Stop" => Moment::Stop { running: None },
            "PreToolUse" if self.spawns() => Moment::PreSpawn {
                kind: self.input("agent_type"),
                prompt: self.input("message").unwrap_or_default(),
            },
            _ => other(),
        }
    }

    fn source(&self) -> Option<Source> {
        match self.text("source")?.as_str() {
            "startup" => Some(Source::Startup),
            "resume" => Some(Source::Resume),
            "clear" => Some(Source::Clear),
            "compact" => Some(Source::Compact),
            "fork" => Some(Source::Fork),
            _ => None,
        }
    }

    fn spawns(&self) -> bool {
        self.text("tool_name")
            .is_some_and(|tool| SPAWN_TOOLS.contains(&tool.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROOT: &str = "0190a000-0000-7000-8000-000000000001";
    const AGENT: &str = "0190a000-0000-7000-8000-000000000004";

    fn recorded(name: &str) -> Event {
        let path = format!(
            "{}/fixtures/codex/0.171.0/payloads/{name}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        parse(&std::fs::read(path).unwrap()).unwrap()
    }

    fn other(name: &str) -> Moment {
        Moment::Other(name.to_owned())
    }

    fn pre_compact(manual: bool) -> Moment {
        Moment::PreCompact {
            manual,
            instructions: None,
        }
    }

    #[test]
    fn every_recorded_payload_is_the_moment_that_it_was() {
        let check = |name: &str, expect: Moment| {
            assert_eq!(recorded(name).moment, expect, "{name}");
        };
        let prompt = Moment::PromptSubmit {
            prompt: "look at the invoice code".into(),
            by_person: true,
        };
        check("PreCompact-auto", pre_compact(false));
        check("PreCompact-manual", pre_compact(true));
        check("PreCompact-auto-subagent", pre_compact(false));
        check("PostCompact-auto", Moment::PostCompact);
        check("PostCompact-manual", Moment::PostCompact);
        check("PostCompact-auto-subagent", Moment::PostCompact);
        check(
            "SessionStart-startup",
            Moment::SessionStart(Source::Startup),
        );
        check(
            "SessionStart-startup-exec",
            Moment::SessionStart(Source::Startup),
        );
        check(
            "SessionStart-startup-ephemeral",
            Moment::SessionStart(Source::Startup),
        );
        check("SessionStart-resume", Moment::SessionStart(Source::Resume));
        check(
            "SessionStart-resume-after-rewind",
            Moment::SessionStart(Source::Resume),
        );
        check("SessionStart-clear", Moment::SessionStart(Source::Clear));
        check(
            "SessionStart-compact",
            Moment::SessionStart(Source::Compact),
        );
        check("SessionStart-fork", Moment::SessionStart(Source::Fork));
        check("SessionEnd", Moment::SessionEnd(EndReason::Other));
        check("UserPromptSubmit", prompt);
        check("Stop", Moment::Stop { running: None });
        check("Stop-active", Moment::Stop { running: None });
        check("Interrupt", other("Interrupt"));
        check("PermissionRequest", other("PermissionRequest"));
        check("PostToolUse-Bash", other("PostToolUse"));
        check("PostToolUse-Bash-failed", other("PostToolUse"));
        check("PostToolUse-apply_patch", other("PostToolUse"));
        check("PostToolUse-spawn_agent", other("PostToolUse"));
        check("PostToolUse-wait_agent", other("PostToolUse"));
        check("PreToolUse-Bash", other("PreToolUse"));
        check("PreToolUse-Bash-subagent", other("PreToolUse"));
        check("PreToolUse-apply_patch", other("PreToolUse"));
        check("notify-agent-turn-complete", other(""));
    }

    #[test]
    fn a_subagents_start_and_end_are_told_of_it_and_belong_to_the_conversation() {
        let start = recorded("SubagentStart");
        let file = "/home/dev/.codex/sessions/2026/11/30/rollout-2026-11-30T15-34-04-0190a000-0000-7000-8000-000000000004.jsonl";
        let seen = |answer: Option<&str>| AgentSeen {
            id: AGENT.into(),
            kind: Some("default".into()),
            transcript: Some(file.into()),
            answer: answer.map(str::to_owned),
        };
        assert_eq!(start.moment, Moment::SubagentStart(seen(None)));
        assert_eq!((start.agent, start.transcript), (None, None));
        assert_eq!(start.session.as_deref(), Some(ROOT));
        let stop = recorded("SubagentStop");
        assert_eq!(
            stop.moment,
            Moment::SubagentStop(seen(Some("README is one line.")))
        );
        assert_eq!(stop.agent, None);
        assert!(
            stop.transcript
                .unwrap()
                .ends_with(format!("rollout-2026-11-30T15-34-03-{ROOT}.jsonl"))
        );
    }

    #[test]
    fn what_happens_inside_of_a_subagent_is_marked_with_its_id() {
        for name in [
            "PreCompact-auto-subagent",
            "PostCompact-auto-subagent",
            "PreToolUse-Bash-subagent",
        ] {
            let event = recorded(name);
            assert_eq!(event.agent.as_deref(), Some(AGENT), "{name}");
            assert_eq!(event.session.as_deref(), Some(ROOT), "{name}");
        }
        assert_eq!(recorded("PreCompact-auto").agent, None);
    }

    #[test]
    fn the_start_of_a_subagent_is_seen_before_it_happens() {
        let spawn = Moment::PreSpawn {
            kind: None,
            prompt: "Does README.md mention rounding?".into(),
        };
        assert_eq!(recorded("PreToolUse-spawn_agent").moment, spawn);
    }

    #[test]
    fn an_ephemeral_session_has_no_transcript() {
        let event = recorded("SessionStart-startup-ephemeral");
        assert_eq!(event.transcript, None);
        assert_eq!(event.cwd, Some("/home/dev/lab-out/empty".into()));
    }

    #[test]
    fn a_field_of_the_wrong_type_is_absent_and_anything_unknown_is_another_event() {
        let check = |json: &str, expect: Moment| {
            let event = parse(json.as_bytes()).unwrap();
            assert_eq!(
                (event.session, event.cwd, event.moment),
                (None, None, expect),
                "{json}"
            );
        };
        check("{}", other(""));
        check(
            r#"{"session_id":7,"cwd":[],"hook_event_name":null}"#,
            other(""),
        );
        check(
            r#"{"hook_event_name":"Dream","new":{"a":1}}"#,
            other("Dream"),
        );
        check(
            r#"{"hook_event_name":"SessionStart","source":"moon"}"#,
            other("SessionStart"),
        );
        check(
            r#"{"hook_event_name":"SubagentStop","agent_id":3}"#,
            other("SubagentStop"),
        );
        check(
            r#"{"hook_event_name":"PreCompact","trigger":false}"#,
            pre_compact(false),
        );
    }

    #[test]
    fn what_is_no_object_is_an_error() {
        for bytes in [&b""[..], b"[]", b"null", b"{\"a\":", b"\xff\xfe"] {
            let error = parse(bytes).unwrap_err();
            assert_eq!(error.to_string(), "cannot read the hook's input");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            prop_assert_eq!(parse(&bytes).is_ok(), serde_json::from_str::<Map<String, Value>>(&String::from_utf8_lossy(&bytes)).is_ok());
        }
    }
}
