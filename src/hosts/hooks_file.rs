//! Our entries in a host's hooks file: put in and taken out, every other byte as it was.
//!
//! Both hosts keep hooks in the same JSON shape, `{"hooks": {<event>: [{"matcher": …, "hooks": [<handler>]}]}}`.
//! What [`add`] put in, [`remove`] takes out to the same bytes, for any formatting. To tell what was there before
//! needs no memory: what we make has its first child on a line of its own, while in a container that was there and
//! empty ours hugs the bracket (`"hooks": {"Stop": …`), so that the container is known to have been there.

use serde_json::{Map, Value, json};

use crate::error::Failure;
use crate::hosts::json_text::{Node, line_indent, newline, pretty, replaced};

/// What an editor may put before the text; it stays.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// One handler of ours.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// The host's name of the event.
    pub(super) event: &'static str,
    /// Which of these events; none for all, or where the host knows no matcher.
    pub(super) matcher: Option<&'static str>,
    /// The handler as the host reads it.
    pub(super) handler: Value,
}

/// A handler that was found in a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    /// The host's name of the event.
    pub(super) event: String,
    /// Its group's matcher.
    pub(super) matcher: Option<String>,
    /// The handler as it stands there.
    pub(super) handler: Value,
}

/// Tells our handlers from others'.
pub(super) type IsOurs = fn(&Value) -> bool;

/// The text with exactly `entries` of ours in it; equal text when they are in it already. `None`: there is no file.
///
/// An entry that stands there is corrected in place, so that its number in the list stays (Codex 0.171.0 trusts
/// handlers by number); others of ours, as an older version wrote them, go.
///
/// # Errors
///
/// When the text is not strict JSON (names line and column), or `hooks` has another shape than the host reads.
pub(super) fn add(
    text: Option<&str>,
    entries: &[Entry],
    is_ours: IsOurs,
) -> anyhow::Result<String> {
    let Some(text) = text else {
        return Ok(format!("{}\n", fresh("", entries)));
    };
    let (mark, text) = split_mark(text);
    if text.trim().is_empty() {
        let end = newline(text);
        return Ok(format!("{mark}{}{end}{end}{text}", fresh(text, entries)));
    }
    let mut text = text.to_owned();
    for entry in entries {
        text = with_entry(&text, entry, is_ours)?;
    }
    while let Some(stray) = stray(&text, entries, is_ours)? {
        let Some(rest) = stray.cut() else { break };
        text = rest;
    }
    Ok(format!("{mark}{text}"))
}

/// The text without our handlers, and without what stood there for them alone. `None` when the whole file stood
/// there for them.
///
/// # Errors
///
/// When the text is not strict JSON (names line and column).
pub(super) fn remove(text: &str, is_ours: IsOurs) -> anyhow::Result<Option<String>> {
    let (mark, text) = split_mark(text);
    if text.trim().is_empty() {
        return Ok(Some(format!("{mark}{text}")));
    }
    let mut text = text.to_owned();
    while let Some(ours) = stray(&text, &[], is_ours)? {
        match ours.cut() {
            Some(rest) => text = rest,
            None => return Ok(before_fresh(&text).map(|rest| format!("{mark}{rest}"))),
        }
    }
    Ok(Some(format!("{mark}{text}")))
}

/// Our handlers in the text, in its order; none for a text without anything in it.
///
/// # Errors
///
/// When the text is not strict JSON (names line and column).
pub(super) fn list(text: &str, is_ours: IsOurs) -> anyhow::Result<Vec<Found>> {
    let (_, text) = split_mark(text);
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let spots = spots(&Node::root(text)?, is_ours);
    Ok(spots.into_iter().map(|spot| spot.found).collect())
}

pub(super) fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(text.len() - text.trim_start_matches(BYTE_ORDER_MARK).len())
}

/// The whole text of a file that holds `entries` alone, in the manner of `text`, without a last line end.
fn fresh(text: &str, entries: &[Entry]) -> String {
    let mut events = Map::new();
    for entry in entries {
        let groups = events.entry(entry.event).or_insert_with(|| json!([]));
        if let Some(groups) = groups.as_array_mut() {
            groups.push(group(entry));
        }
    }
    pretty(text, &json!({ "hooks": events }), "")
}

/// What stood in a file before [`fresh`] was written: nothing when there was no file.
pub(super) fn before_fresh(text: &str) -> Option<String> {
    let end = newline(text);
    let behind = &text[text.trim_end().len()..];
    let blank = behind.strip_prefix(end)?.strip_prefix(end)?;
    Some(blank.to_owned())
}

fn group(entry: &Entry) -> Value {
    match entry.matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [entry.handler] }),
        None => json!({ "hooks": [entry.handler] }),
    }
}

/// The text with that entry in it.
fn with_entry(text: &str, entry: &Entry, is_ours: IsOurs) -> anyhow::Result<String> {
    let root = Node::root(text)?;
    let there = spots(&root, is_ours)
        .into_iter()
        .find(|spot| spot.found.serves(entry));
    match there {
        Some(spot) if spot.found.handler == entry.handler => Ok(text.to_owned()),
        Some(spot) => {
            let range = spot.handler.range.clone();
            let lines = pretty(text, &entry.handler, line_indent(text, range.start));
            Ok(replaced(text, range, &lines))
        }
        None => appended(text, &root, entry),
    }
}

/// The text with a group for that entry behind what stands there.
fn appended(text: &str, root: &Node<'_>, entry: &Entry) -> anyhow::Result<String> {
    let named = |name: &str, value: Value| {
        let name = Value::from(name);
        move |indent: &str| format!("{name}: {}", pretty(text, &value, indent))
    };
    if root.members().is_none() {
        return Err(misshaped("the text", "an object"));
    }
    let Some(hooks) = root.member("hooks") else {
        return Ok(root.append(named("hooks", json!({ entry.event: [group(entry)] }))));
    };
    if hooks.members().is_none() {
        return Err(misshaped("`hooks`", "an object"));
    }
    let Some(groups) = hooks.member(entry.event) else {
        return Ok(hooks.append(named(entry.event, json!([group(entry)]))));
    };
    if groups.elements().is_none() {
        return Err(misshaped(&format!("`hooks.{}`", entry.event), "an array"));
    }
    Ok(groups.append(|indent| pretty(text, &group(entry), indent)))
}

fn misshaped(what: &str, expected: &str) -> anyhow::Error {
    Failure::fatal(format!("{what} is not {expected}"))
        .hint("correct the file by hand; nothing was changed")
        .into()
}

/// The first handler of ours that is not one of `entries`, or the second that is the same one.
fn stray<'a>(
    text: &'a str,
    entries: &[Entry],
    is_ours: IsOurs,
) -> anyhow::Result<Option<Spot<'a>>> {
    let mut wanted: Vec<&Entry> = entries.iter().collect();
    for spot in spots(&Node::root(text)?, is_ours) {
        match wanted.iter().position(|entry| spot.found.serves(entry)) {
            Some(number) => drop(wanted.remove(number)),
            None => return Ok(Some(spot)),
        }
    }
    Ok(None)
}

impl Found {
    fn serves(&self, entry: &Entry) -> bool {
        self.event == entry.event && self.matcher.as_deref() == entry.matcher
    }
}

/// A handler of ours and the way to it from the top.
struct Spot<'a> {
    found: Found,
    handler: Node<'a>,
    /// Each container on the way with the number of the child that the way takes: the top, `hooks`, the event's
    /// list, the group's list.
    way: [(Node<'a>, usize); 4],
}

impl Spot<'_> {
    /// The text without the handler and without the containers that we made for it; `None` when that leaves nothing.
    fn cut(&self) -> Option<String> {
        let [top, hooks, groups, handlers] = &self.way;
        if handlers.0.children().len() > 1 {
            return Some(handlers.0.without_child(handlers.1));
        }
        for (container, number) in [groups, hooks, top] {
            if container.children().len() > 1 || container.hugs() {
                return Some(container.without_child(*number));
            }
        }
        None
    }
}

/// Our handlers, in the order of the text. What has another shape than a host reads holds none.
fn spots<'a>(root: &Node<'a>, is_ours: IsOurs) -> Vec<Spot<'a>> {
    let mut spots = Vec::new();
    let Some((top_number, hooks)) = numbered(root, "hooks") else {
        return spots;
    };
    for (event_number, event) in hooks.members().unwrap_or_default().into_iter().enumerate() {
        let groups = event.value.elements().unwrap_or_default();
        for (group_number, group) in groups.into_iter().enumerate() {
            let Some((_, list)) = numbered(&group, "hooks") else {
                continue;
            };
            let matcher = group.member("matcher").map(|matcher| matcher.value());
            let handlers = list.elements().unwrap_or_default();
            for (number, handler) in handlers.into_iter().enumerate() {
                let value = handler.value();
                if !is_ours(&value) {
                    continue;
                }
                spots.push(Spot {
                    found: Found {
                        event: event.name.clone(),
                        matcher: matcher.as_ref().and_then(Value::as_str).map(str::to_owned),
                        handler: value,
                    },
                    handler,
                    way: [
                        (root.clone(), top_number),
                        (hooks.clone(), event_number),
                        (event.value.clone(), group_number),
                        (list.clone(), number),
                    ],
                });
            }
        }
    }
    spots
}

/// The member of that name with its number.
pub(super) fn numbered<'a>(node: &Node<'a>, name: &str) -> Option<(usize, Node<'a>)> {
    let members = node.members()?.into_iter().enumerate();
    let (number, found) = members.rev().find(|(_, member)| member.name == name)?;
    Some((number, found.value))
}

#[cfg(test)]
mod tests;
