//! Whether a line can be passed over, by its first bytes: most of a rollout's bytes stand in lines that we do not use.

/// In this many first bytes both types stand, as Codex 0.171.0 orders a line.
const GLANCE_BYTES: usize = 160;
const KIND: &[u8] = b"\"type\":\"";
const PAYLOAD: &[u8] = b",\"payload\":{\"type\":\"";
/// Types of lines that say nothing to us.
const UNUSED_KINDS: &[&[u8]] = &[b"world_state", b"token_usage_record"];
/// The same of the payloads of `response_item` and `event_msg`.
const UNUSED_PAYLOADS: &[&[u8]] = &[
    b"reasoning",
    b"additional_tools",
    b"thread_settings_applied",
];
/// Answers to calls: without a call under way they are the second form of what was read already.
const ANSWERS: &[&[u8]] = &[b"custom_tool_call_output", b"function_call_output"];

/// Whether that whole line is of no use; `waiting` says that some call waits for its answer. In doubt it is of use.
pub(super) fn is_unused(line: &[u8], waiting: bool) -> bool {
    // A line that was cut off is to be read, and counted as broken.
    if line.last() != Some(&b'}') {
        return false;
    }
    let start = &line[..line.len().min(GLANCE_BYTES)];
    let Some((kind, behind)) = word_behind(start, KIND) else {
        return false;
    };
    if UNUSED_KINDS.contains(&kind) {
        return true;
    }
    let Some(behind) = behind.strip_prefix(PAYLOAD) else {
        return false;
    };
    let payload = word(behind);
    UNUSED_PAYLOADS.contains(&payload) || (!waiting && ANSWERS.contains(&payload))
}

/// The word behind the first `before`, and what follows its quote. It is the line's own type only when nothing is
/// nested before it.
fn word_behind<'a>(text: &'a [u8], before: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = memchr::memmem::find(text, before)?;
    if text[..at].iter().filter(|byte| **byte == b'{').count() != 1 {
        return None;
    }
    let behind = &text[at + before.len()..];
    let word = word(behind);
    Some((word, behind.get(word.len() + 1..)?))
}

fn word(text: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'"', text).unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, waiting: bool, expect: bool) {
        assert_eq!(is_unused(line.as_bytes(), waiting), expect, "{line}");
    }

    #[test]
    fn what_says_nothing_to_us_is_known_at_a_glance() {
        let line = |kind: &str, payload: &str| {
            format!(
                r#"{{"timestamp":"2026-11-30T15:33:45.814Z","ordinal":7,"type":"{kind}","payload":{{"type":"{payload}","a":1}}}}"#
            )
        };
        check(&line("world_state", "x"), true, true);
        check(&line("response_item", "reasoning"), true, true);
        check(&line("response_item", "message"), false, false);
        check(&line("compacted", "reasoning_like"), false, false);
        check(
            &line("response_item", "custom_tool_call_output"),
            false,
            true,
        );
        check(
            &line("response_item", "custom_tool_call_output"),
            true,
            false,
        );
    }

    #[test]
    fn in_doubt_a_line_is_read() {
        check(r#"{"type":"world_state","payload":{"#, false, false);
        check(
            r#"{"payload":{"type":"world_state"},"type":"compacted"}"#,
            false,
            false,
        );
        check(r#"{"payload":1}"#, false, false);
        check("", false, false);
        check("}", false, false);
    }
}
