//! A hook's standard input → what the host told us.
//!
//! Fields as Claude Code 2.1.332 sends them. A field that is missing or of another type is taken as not said.

use std::path::PathBuf;

use anyhow::Context;

use super::function_hook;
use crate::hosts::json_text::{Member, Node};
use crate::hosts::{AgentSeen, EndReason, Event, Moment, RunningAgent, Source};

/// How the prompt begins that the host itself sends when a background task has ended. Claude Code 2.1.332 tells it
/// from the person's words by nothing else.
const HOST_PROMPT: &str = "<task-notification>";

/// Tools that start a subagent: `Agent` in Claude Code 2.1.332, `Task` in versions before.
const SPAWN_TOOLS: [&str; 2] = ["Agent", "Task"];

/// One JSON object.
///
/// # Errors
///
/// When it is none, or does not name its event.
pub(super) fn parse(stdin: &[u8]) -> anyhow::Result<Event> {
    let text = String::from_utf8_lossy(stdin);
    let node = Node::root(&text).context("cannot read the hook's input")?;
    let fields = Fields::of(&node).context("cannot read the hook's input: it is not an object")?;
    let name = fields
        .text("hook_event_name")
        .context("cannot read the hook's input: it names no event")?;
    let moment = moment(name, &fields);
    // There the id names the agent that is told of, not the one that the event happens in.
    let of_agent = matches!(moment, Moment::SubagentStart(_) | Moment::SubagentStop(_));
    let agent = fields.text("agent_id").filter(|_| !of_agent);
    Ok(Event {
        session: fields.text("session_id"),
        transcript: fields.text("transcript_path").map(PathBuf::from),
        cwd: fields.text("cwd").map(PathBuf::from),
        agent,
        moment,
    })
}

fn moment(name: String, fields: &Fields<'_>) -> Moment {
    let said = |name: &str| fields.text(name);
    match name.as_str() {
        "PreCompact" => Moment::PreCompact {
            manual: said("trigger").as_deref() == Some("manual"),
            instructions: said("custom_instructions"),
        },
        "PostCompact" => Moment::PostCompact,
        "SessionStart" => match said("source").as_deref().and_then(source) {
            Some(source) => Moment::SessionStart(source),
            None => Moment::Other(name),
        },
        "SessionEnd" => Moment::SessionEnd(match said("reason").as_deref() {
            Some("clear") => EndReason::Clear,
            _ => EndReason::Other,
        }),
        "UserPromptSubmit" => {
            let prompt = said("prompt").unwrap_or_default();
            let by_person = !prompt.trim_start().starts_with(HOST_PROMPT);
            Moment::PromptSubmit { prompt, by_person }
        }
        "Stop" => Moment::Stop {
            running: running(fields),
        },
        "SubagentStart" => agent_seen(fields).map_or(Moment::Other(name), Moment::SubagentStart),
        "SubagentStop" => agent_seen(fields).map_or(Moment::Other(name), Moment::SubagentStop),
        "PreToolUse" => spawn(fields).unwrap_or(Moment::Other(name)),
        "session.compact" => function_hook::moment(fields).unwrap_or(Moment::Other(name)),
        _ => Moment::Other(name),
    }
}

fn source(word: &str) -> Option<Source> {
    Some(match word {
        "startup" => Source::Startup,
        "resume" => Source::Resume,
        "clear" => Source::Clear,
        "compact" => Source::Compact,
        "fork" => Source::Fork,
        _ => return None,
    })
}

fn agent_seen(fields: &Fields<'_>) -> Option<AgentSeen> {
    Some(AgentSeen {
        id: fields.text("agent_id")?,
        // Empty for the fork that a compaction runs in.
        kind: fields.text("agent_type"),
        transcript: fields.text("agent_transcript_path").map(PathBuf::from),
        answer: fields.text("last_assistant_message"),
    })
}

/// Subagents that go on after the turn; background shell commands are listed beside them.
fn running(fields: &Fields<'_>) -> Option<Vec<RunningAgent>> {
    let tasks = fields.list("background_tasks")?;
    let agent = |task: &Fields<'_>| {
        let is_agent = task.text("type").as_deref() == Some("subagent");
        let runs = task.text("status").as_deref() == Some("running");
        Some(RunningAgent {
            id: task.text("id").filter(|_| is_agent && runs)?,
            kind: task.text("agent_type"),
            description: task.text("description"),
        })
    };
    Some(tasks.iter().filter_map(agent).collect())
}

fn spawn(fields: &Fields<'_>) -> Option<Moment> {
    let tool = fields.text("tool_name")?;
    if !SPAWN_TOOLS.contains(&tool.as_str()) {
        return None;
    }
    let input = fields.object("tool_input");
    let asked = |name: &str| input.as_ref().and_then(|input| input.text(name));
    Some(Moment::PreSpawn {
        kind: asked("subagent_type"),
        prompt: asked("prompt").unwrap_or_default(),
    })
}

/// An object's fields, each read when it is asked for.
pub(super) struct Fields<'a>(Vec<Member<'a>>);

impl<'a> Fields<'a> {
    fn of(node: &Node<'a>) -> Option<Self> {
        node.members().map(Self)
    }

    fn node(&self, name: &str) -> Option<&Node<'a>> {
        let member = self.0.iter().rfind(|member| member.name == name)?;
        Some(&member.value)
    }

    /// A text that says something.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.node(name)?.text().filter(|text| !text.is_empty())
    }

    fn object(&self, name: &str) -> Option<Self> {
        Self::of(self.node(name)?)
    }

    /// Whether it is said, and true.
    pub(super) fn is_true(&self, name: &str) -> bool {
        self.node(name).is_some_and(|node| node.value() == true)
    }

    /// A number that is none below zero.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.node(name)?.number()
    }

    /// The objects in a list.
    pub(super) fn list(&self, name: &str) -> Option<Vec<Self>> {
        let elements = self.node(name).and_then(Node::elements)?;
        Some(elements.iter().filter_map(Self::of).collect())
    }
}

#[cfg(test)]
mod tests;
