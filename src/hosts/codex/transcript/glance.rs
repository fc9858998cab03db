//! What a line is, by its first bytes: most of a rollout's bytes stand in lines that we do not use.

/// In this many first bytes both types stand, as Codex 0.171.0 orders a line.
const GLANCE_BYTES: usize = 256;
/// Types of lines that say nothing to us.
const UNUSED_KINDS: &[&str] = &["world_state", "token_usage_record"];
/// The same of the payloads of `response_item` and `event_msg`.
const UNUSED_PAYLOADS: &[&str] = &["reasoning", "additional_tools", "thread_settings_applied"];
/// Answers to calls: without a call under way they are the second form of what was read already.
const ANSWERS: &[&str] = &["custom_tool_call_output", "function_call_output"];

/// What stands at the beginning of a line.
pub(super) struct Head<'a> {
    /// When it was written, RFC 3339.
    pub(super) timestamp: &'a str,
    /// Its number in the conversation.
    pub(super) ordinal: Option<u64>,
    kind: &'a str,
    /// The payload's own type; empty where it does not begin with one.
    payload: &'a str,
    /// What stands behind it.
    behind: &'a [u8],
}

/// What a line is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Nothing.
    None,
    /// It says that something was compacted.
    Compacted,
    /// It says that a turn of the host begins or ends.
    Edge,
    /// It counts tokens.
    Count,
    /// It holds what goes to the model or comes from it.
    Item,
    /// It holds what was shown to the person.
    Event,
    /// The glance does not tell.
    Other,
}

impl<'a> Head<'a> {
    /// The beginning of a line that is in the order in which Codex writes one.
    pub(super) fn of(line: &'a [u8]) -> Option<Self> {
        // A line that was cut off is to be read, and counted as broken.
        if line.last() != Some(&b'}') {
            return None;
        }
        let start = &line[..line.len().min(GLANCE_BYTES)];
        let (timestamp, behind) = word(start.strip_prefix(b"{\"timestamp\":\"")?)?;
        let (ordinal, behind) = match behind.strip_prefix(b",\"ordinal\":") {
            Some(behind) => {
                let digits = behind
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit())
                    .count();
                let ordinal = std::str::from_utf8(&behind[..digits]).ok()?;
                (Some(ordinal.parse().ok()?), &behind[digits..])
            }
            None => (None, behind),
        };
        let (kind, behind) = word(behind.strip_prefix(b",\"type\":\"")?)?;
        let behind = behind.strip_prefix(b",\"payload\":{")?;
        let payload = behind.strip_prefix(b"\"type\":\"").and_then(word);
        let (payload, behind) = payload.unwrap_or(("", behind));
        Some(Self {
            timestamp,
            ordinal,
            kind,
            payload,
            behind,
        })
    }

    /// What the line is good for; `waiting` says that some call waits for its answer.
    pub(super) fn use_of(&self, waiting: bool) -> Use {
        let is_unused = || {
            UNUSED_PAYLOADS.contains(&self.payload) || (!waiting && ANSWERS.contains(&self.payload))
        };
        match (self.kind, self.payload) {
            ("compacted", _) => Use::Compacted,
            (kind, _) if UNUSED_KINDS.contains(&kind) || is_unused() => Use::None,
            ("event_msg", "task_started" | "task_complete") => Use::Edge,
            ("event_msg", "token_count") if self.behind.starts_with(b",\"info\":{") => Use::Count,
            ("event_msg", _) => Use::Event,
            ("response_item", "message") if self.is_developers() => Use::None,
            ("response_item", _) => Use::Item,
            _ => Use::Other,
        }
    }

    /// Whether a message holds the host's instructions.
    fn is_developers(&self) -> bool {
        let id = self.behind.strip_prefix(b",\"id\":\"").and_then(word);
        let behind = id.map_or(self.behind, |(_, behind)| behind);
        behind.starts_with(b",\"role\":\"developer\"")
    }
}

/// The word up to the next quote, and what follows that; none where it has escapes.
fn word(text: &[u8]) -> Option<(&str, &[u8])> {
    let end = memchr::memchr(b'"', text)?;
    let word = std::str::from_utf8(&text[..end]).ok()?;
    (!word.contains('\\')).then_some((word, &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, waiting: bool, expect: Option<Use>) {
        let head = Head::of(line.as_bytes());
        assert_eq!(head.map(|head| head.use_of(waiting)), expect, "{line}");
    }

    fn line(kind: &str, payload: &str) -> String {
        format!(
            r#"{{"timestamp":"2026-11-30T15:33:45.814Z","ordinal":7,"type":"{kind}","payload":{{{payload}}}}}"#
        )
    }

    #[test]
    fn what_a_line_is_good_for_is_known_at_a_glance() {
        let check = |kind: &str, payload: &str, waiting, expect| {
            check(&line(kind, payload), waiting, Some(expect));
        };
        check("world_state", r#""full":true"#, true, Use::None);
        check(
            "response_item",
            r#""type":"reasoning","a":1"#,
            true,
            Use::None,
        );
        check("compacted", r#""message":"a""#, false, Use::Compacted);
        check("compacted", r#""type":"reasoning""#, false, Use::Compacted);
        check("event_msg", r#""type":"task_complete""#, false, Use::Edge);
        check("event_msg", r#""type":"item_completed""#, false, Use::Event);
        check("session_meta", r#""id":"a""#, false, Use::Other);
        let answer = r#""type":"custom_tool_call_output","call_id":"c""#;
        check("response_item", answer, false, Use::None);
        check("response_item", answer, true, Use::Item);
        let count =
            |info: &str| format!(r#""type":"token_count","info":{info},"rate_limits":null"#);
        check("event_msg", &count("{}"), false, Use::Count);
        check("event_msg", &count("null"), false, Use::Event);
        let message = |id: &str, role: &str| format!(r#""type":"message"{id},"role":"{role}""#);
        check("response_item", &message("", "developer"), false, Use::None);
        check(
            "response_item",
            &message(r#","id":"m""#, "developer"),
            false,
            Use::None,
        );
        check(
            "response_item",
            &message(r#","id":"m""#, "user"),
            false,
            Use::Item,
        );
    }

    #[test]
    fn number_and_time_of_a_line_are_known() {
        let with = line("event_msg", "");
        let head = Head::of(with.as_bytes()).unwrap();
        assert_eq!(
            (head.timestamp, head.ordinal),
            ("2026-11-30T15:33:45.814Z", Some(7))
        );
        let without = with.replace(r#""ordinal":7,"#, "");
        assert_eq!(Head::of(without.as_bytes()).unwrap().ordinal, None);
    }

    #[test]
    fn in_doubt_a_line_is_read() {
        let whole = line("world_state", "");
        check(&whole[..whole.len() - 1], false, Some(Use::None));
        check(&whole[..whole.len() - 2], false, None);
        check(&whole.replace("world", r"\u0077orld"), false, None);
        check(&whole.replace(":7", ":-7"), false, None);
        check(
            r#"{"payload":{"type":"world_state"},"type":"compacted"}"#,
            false,
            None,
        );
        check(r#"{"payload":1}"#, false, None);
        check("", false, None);
        check("}", false, None);
    }
}
