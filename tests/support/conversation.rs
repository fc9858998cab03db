//! A conversation as Claude Code 2.1.332 records it, made line by line.

use std::path::Path;

use serde_json::{Value, json};

/// A transcript that grows.
pub(crate) struct Conversation {
    session: String,
    cwd: String,
    lines: Vec<Value>,
    calls: usize,
}

impl Conversation {
    /// An empty one in a folder.
    pub(crate) fn new(session: &str, cwd: &Path) -> Self {
        Self {
            session: session.to_owned(),
            cwd: cwd.to_string_lossy().into_owned(),
            lines: Vec::new(),
            calls: 0,
        }
    }

    /// The person says something.
    pub(crate) fn person(self, text: &str) -> Self {
        self.line("user", json!({"role": "user", "content": text}))
    }

    /// The agent says something.
    pub(crate) fn agent(self, text: &str) -> Self {
        let content = json!([{"type": "text", "text": text}]);
        self.line(
            "assistant",
            json!({"role": "assistant", "content": content}),
        )
    }

    /// The agent writes a file, named from the conversation's folder.
    pub(crate) fn writes(self, path: &str) -> Self {
        let input = json!({"file_path": format!("{}/{path}", self.cwd), "content": "text"});
        self.tool("Write", &input, "File created", false)
    }

    /// The agent runs a command, which passes or fails.
    pub(crate) fn runs(self, command: &str, output: &str, passes: bool) -> Self {
        self.tool("Bash", &json!({"command": command}), output, !passes)
    }

    /// The whole file.
    pub(crate) fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn tool(mut self, name: &str, input: &Value, output: &str, failed: bool) -> Self {
        self.calls += 1;
        let id = format!("toolu_{:04}", self.calls);
        let call = json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
        let result = json!([{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed}]);
        self.line("assistant", json!({"role": "assistant", "content": call}))
            .line("user", json!({"role": "user", "content": result}))
    }

    fn line(mut self, kind: &str, message: Value) -> Self {
        let n = self.lines.len();
        let uuid = |n: usize| format!("00000000-0000-4000-8000-{n:012}");
        self.lines.push(json!({
            "type": kind,
            "uuid": uuid(n + 1),
            "parentUuid": (n > 0).then(|| uuid(n)),
            "isSidechain": false,
            "sessionId": self.session,
            "cwd": self.cwd,
            "version": "2.1.332",
            "timestamp": format!("2026-11-30T11:{:02}:{:02}.000Z", n / 60, n % 60),
            "message": message,
        }));
        self
    }
}
