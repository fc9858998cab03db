//! The words of a message, and whose words they are.

use std::borrow::Cow;

use super::record::{Item, Part, Text, read, text};
use crate::hosts::skim::Piece;

/// Codex's word for a part of a message that the person typed (0.171.0).
const TYPED: &str = "user.text";
/// How a message with the role `user` begins that the host wrote; the only sign in files before 0.150 or so, and in
/// messages of which only the shown form stands.
const HOST_OPENINGS: &[&str] = &[
    "<environment_context",
    "<user_instructions",
    "<hook_prompt",
    "<turn_aborted",
    "<user_shell_command",
    "<subagent_notification",
    "<skill>",
    "<recommended_plugins",
    "# AGENTS.md instructions",
];
/// Editors put what is open in them before the prompt, and this line between.
const EDITOR_REQUEST: &str = "## My request for Codex:";

/// What the person typed; `None` when it is the host's own.
pub(super) fn prompt<'a>(item: &Item<'a>) -> Option<Cow<'a, str>> {
    let content = item.content?;
    let kinds = item
        .marks
        .as_ref()
        .and_then(|marks| marks.content_item_kinds.as_ref());
    let Some(kinds) = kinds else {
        let words = words(content);
        return typed(&words).map(|words| Cow::Owned(words.to_owned()));
    };
    let parts: Vec<Part<'a>> = read(content)?;
    let typed_parts = parts.into_iter().zip(kinds);
    let words = joined(
        typed_parts
            .filter(|(_, kind)| kind.0 == TYPED)
            .map(|(part, _)| part),
    );
    match words {
        Cow::Borrowed(words) => typed(words).map(Cow::Borrowed),
        Cow::Owned(words) => typed(&words).map(|words| Cow::Owned(words.to_owned())),
    }
}

/// The person's part of a text; `None` when there is none in it.
pub(super) fn typed(words: &str) -> Option<&str> {
    let words = words.trim();
    let words = match words.split_once(EDITOR_REQUEST) {
        Some((context, request)) if context.starts_with("# Context from my IDE") => request.trim(),
        _ => words,
    };
    let by_host = HOST_OPENINGS
        .iter()
        .any(|opening| words.starts_with(opening));
    (!words.is_empty() && !by_host).then_some(words)
}

/// The text of a content: a text, or the texts of a list of parts.
pub(super) fn words(content: Piece<'_>) -> Cow<'_, str> {
    if let Some(Text(words)) = read(content) {
        return words;
    }
    joined(
        read::<Vec<Part<'_>>>(content)
            .unwrap_or_default()
            .into_iter(),
    )
}

fn joined<'a>(parts: impl Iterator<Item = Part<'a>>) -> Cow<'a, str> {
    let mut parts = parts.filter(|part| !text(&part.text).is_empty());
    let Some(Part {
        text: Some(Text(mut words)),
    }) = parts.next()
    else {
        return Cow::Borrowed("");
    };
    for part in parts {
        let words = words.to_mut();
        if !words.ends_with('\n') {
            words.push('\n');
        }
        words.push_str(text(&part.text));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(item: &str, expect: Option<&str>) {
        let item: Item<'_> = crate::hosts::skim::read(item.as_bytes()).unwrap();
        assert_eq!(prompt(&item).as_deref(), expect);
    }

    fn item(parts: &[&str], kinds: Option<&[&str]>) -> String {
        let parts: Vec<_> = parts
            .iter()
            .map(|text| serde_json::json!({"type": "input_text", "text": text}))
            .collect();
        serde_json::json!({
            "type": "message", "role": "user", "content": parts,
            "internal_chat_message_metadata_passthrough": kinds.map(|kinds| serde_json::json!({"content_item_kinds": kinds})),
        })
        .to_string()
    }

    #[test]
    fn only_what_the_person_typed_is_theirs() {
        check(&item(&["fix it"], Some(&["user.text"])), Some("fix it"));
        check(
            &item(
                &["a", "<img>", "b"],
                Some(&["user.text", "user.image", "user.text"]),
            ),
            Some("a\nb"),
        );
        check(
            &item(&["<cwd>"], Some(&["environments.environment_context"])),
            None,
        );
        check(&item(&["no kind for it"], Some(&[])), None);
        check(r#"{"type":"message","role":"user"}"#, None);
        check(r#"{"type":"message","role":"user","content":7}"#, None);
    }

    #[test]
    fn without_marks_the_opening_tells() {
        check(&item(&["fix it"], None), Some("fix it"));
        for opening in HOST_OPENINGS {
            check(&item(&[&format!("\n{opening} …")], None), None);
        }
        check(&item(&["  "], None), None);
    }

    #[test]
    fn an_editors_context_is_not_the_request() {
        let text = "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\nfix it\n";
        assert_eq!(typed(text), Some("fix it"));
        assert_eq!(
            typed("a ## My request for Codex: b"),
            Some("a ## My request for Codex: b")
        );
    }
}
