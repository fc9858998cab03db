//! A conversation on a stage: a repository, a transcript that grows, and the events of its host.

use serde_json::{Value, json};

use crate::support::world::{Ran, World};

/// The session that plays.
pub(crate) const SESSION: &str = "0190a000-0000-7000-8000-00000000000a";

/// A conversation of one host.
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) host: &'static str,
    pub(crate) session: String,
}

impl Stage {
    /// A repository with a commit, and a conversation in it whose person has said something.
    pub(crate) fn new(host: &'static str) -> Self {
        let stage = Self {
            world: World::new(),
            host,
            session: SESSION.to_owned(),
        };
        stage.person("Make the parser accept empty lines in src/parse.rs");
        stage
    }

    /// The transcript of the conversation.
    pub(crate) fn transcript(&self) -> std::path::PathBuf {
        self.world.home().join(format!("{}.jsonl", self.session))
    }

    /// The person says something.
    pub(crate) fn person(&self, words: &str) {
        let line = match self.host {
            "codex" => json!({"timestamp": self.stamp(), "type": "response_item", "payload": {
                "type": "message", "role": "user", "content": [{"type": "input_text", "text": words}],
                "content_item_kinds": ["user.text"]}}),
            _ => {
                json!({"type": "user", "uuid": "u", "isSidechain": false, "timestamp": self.stamp(),
                "sessionId": self.session, "cwd": self.world.dir(), "message": {"role": "user", "content": words}})
            }
        };
        self.record(&line);
    }

    /// The agent says something, with that many tokens in the window.
    pub(crate) fn agent(&self, words: &str, tokens: u64) {
        let line = match self.host {
            "codex" => {
                self.record(&json!({"timestamp": self.stamp(), "type": "event_msg", "payload": {"type": "token_count",
                    "info": {"last_token_usage": {"total_tokens": tokens}, "model_context_window": 1_000_000}}}));
                json!({"timestamp": self.stamp(), "type": "response_item", "payload": {
                    "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": words}]}})
            }
            _ => {
                json!({"type": "assistant", "uuid": "a", "isSidechain": false, "timestamp": self.stamp(),
                "message": {"role": "assistant", "id": "m", "model": "claude-opus-5-5",
                    "content": [{"type": "text", "text": words}], "usage": {"input_tokens": tokens, "output_tokens": 0}}})
            }
        };
        self.record(&line);
    }

    /// A line is added to the transcript.
    pub(crate) fn record(&self, line: &Value) {
        let mut text = std::fs::read_to_string(self.transcript()).unwrap_or_default();
        text.push_str(&format!("{line}\n"));
        std::fs::write(self.transcript(), text).unwrap();
    }

    /// An event, with its own fields.
    pub(crate) fn event(&self, name: &str, fields: Value) -> Ran {
        let mut payload = json!({"session_id": self.session, "transcript_path": self.transcript(),
            "cwd": self.world.dir(), "hook_event_name": name});
        payload
            .as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        self.world.hook(self.host, &payload.to_string())
    }

    /// An event that must be answered with nothing.
    #[track_caller]
    pub(crate) fn quiet(&self, name: &str, fields: Value) {
        let ran = self.event(name, fields).ended(0);
        assert_eq!(
            (ran.stdout.as_str(), ran.stderr.as_str()),
            ("", ""),
            "{name}"
        );
    }

    /// An event that must give the agent a text.
    #[track_caller]
    pub(crate) fn given(&self, name: &str, fields: Value) -> String {
        let answer = self.event(name, fields).json();
        let text = answer["hookSpecificOutput"]["additionalContext"].as_str();
        text.unwrap_or_else(|| panic!("no text in {answer}"))
            .to_owned()
    }

    /// How many commits a session's chain has.
    pub(crate) fn cards(&self, session: &str) -> usize {
        let range = format!("refs/segue/{session}");
        let ran = self.world.try_git(&["rev-list", "--count", &range]);
        ran.stdout.trim().parse().unwrap_or(0)
    }

    /// A trailer of a session's newest card.
    pub(crate) fn trailer(&self, session: &str, key: &str) -> String {
        let format = format!("--format=%(trailers:key={key},valueonly)");
        self.world
            .git(&["log", "-1", &format, &format!("refs/segue/{session}")])
            .trim()
            .to_owned()
    }

    fn stamp(&self) -> String {
        let at = time::OffsetDateTime::from_unix_timestamp(self.world.now()).unwrap();
        at.format(&time::format_description::well_known::Rfc3339)
            .unwrap()
    }
}

/// Both hosts.
pub(crate) const HOSTS: [&str; 2] = ["claude-code", "codex"];
