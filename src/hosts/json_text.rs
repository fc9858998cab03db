//! A JSON text by its places: where each value stands, so that a piece can be put in or taken out and every other
//! byte stays.

use std::ops::Range;

use anyhow::Context;
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The indent of a file that shows none.
const INDENT_DEFAULT: &str = "  ";

/// A value in a JSON text.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    text: &'a str,
    /// Its bytes in the text, without blanks around it.
    pub(super) range: Range<usize>,
}

/// A member of an object.
#[derive(Debug, Clone)]
pub(super) struct Member<'a> {
    /// Its name, with escapes resolved; as written where that cannot be done.
    pub(super) name: String,
    /// From the quote that opens the name to the end of the value.
    pub(super) range: Range<usize>,
    /// Its value.
    pub(super) value: Node<'a>,
}

impl<'a> Node<'a> {
    /// The one value of a strict JSON text; the error names line and column.
    pub(super) fn root(text: &'a str) -> anyhow::Result<Self> {
        let raw: &RawValue = serde_json::from_str(text).context("not valid JSON")?;
        Ok(Self::of(text, raw))
    }

    fn of(text: &'a str, raw: &'a RawValue) -> Self {
        let range = place(text, raw);
        Self { text, range }
    }

    fn own(&self) -> &'a str {
        &self.text[self.range.clone()]
    }

    /// Members in their order; `None` when it is not an object.
    pub(super) fn members(&self) -> Option<Vec<Member<'a>>> {
        let pairs: Pairs<'a> = serde_json::from_str(self.own()).ok()?;
        let member = |(name, value): (&'a RawValue, &'a RawValue)| {
            let value = Node::of(self.text, value);
            Member {
                name: serde_json::from_str(name.get()).unwrap_or_else(|_| name.get().to_owned()),
                range: place(self.text, name).start..value.range.end,
                value,
            }
        };
        Some(pairs.0.into_iter().map(member).collect())
    }

    /// The member of that name: the last one, as readers of JSON take it.
    pub(super) fn member(&self, name: &str) -> Option<Node<'a>> {
        let found = self.members()?.into_iter().rfind(|m| m.name == name)?;
        Some(found.value)
    }

    /// Elements in their order; `None` when it is not an array.
    pub(super) fn elements(&self) -> Option<Vec<Node<'a>>> {
        let raws: Vec<&'a RawValue> = serde_json::from_str(self.own()).ok()?;
        Some(
            raws.into_iter()
                .map(|raw| Node::of(self.text, raw))
                .collect(),
        )
    }

    /// What it says; null where it nests too deep to be read.
    pub(super) fn value(&self) -> Value {
        serde_json::from_str(self.own()).unwrap_or(Value::Null)
    }

    /// The text of a string; `None` when it is none. What is no character, such as half of a surrogate pair (hosts
    /// cut texts in two), becomes U+FFFD.
    pub(super) fn text(&self) -> Option<String> {
        let string: WholeString = serde_json::from_str(self.own()).ok()?;
        Some(string.0)
    }

    /// A whole number that is not below zero; `None` when it is none.
    pub(super) fn number(&self) -> Option<u64> {
        serde_json::from_str(self.own()).ok()
    }

    /// Where its children stand; none for a value that has no children.
    pub(super) fn children(&self) -> Vec<Range<usize>> {
        if let Some(members) = self.members() {
            return members.into_iter().map(|m| m.range).collect();
        }
        let elements = self.elements().unwrap_or_default();
        elements.into_iter().map(|e| e.range).collect()
    }

    /// Whether its first child stands on the line of its opening bracket.
    pub(super) fn hugs(&self) -> bool {
        let first = self.children().first().map(|child| child.start);
        first.is_some_and(|first| !self.text[self.range.start..first].contains('\n'))
    }

    /// The text with one more child behind the last one. `render` writes the child for lines that begin with the
    /// indent it is given. The first child of an empty container hugs the bracket: `{"a": …}`.
    pub(super) fn append(&self, render: impl FnOnce(&str) -> String) -> String {
        let outer = line_indent(self.text, self.range.start);
        let (at, piece) = match self.children().last() {
            None => (self.range.start + 1, render(outer)),
            Some(last) => {
                let own = line_indent(self.text, last.start);
                let begins_line = self.text[..last.start].ends_with(own)
                    && line_start(self.text, last.start) + own.len() == last.start;
                let indent = if begins_line {
                    own.to_owned()
                } else {
                    format!("{outer}{}", indent_unit(self.text))
                };
                let piece = format!(",{}{indent}{}", newline(self.text), render(&indent));
                (last.end, piece)
            }
        };
        replaced(self.text, at..at, &piece)
    }

    /// The text without the child of that number, and without the one comma that it needs no more.
    pub(super) fn without_child(&self, number: usize) -> String {
        let children = self.children();
        let gone = match (number.checked_sub(1), children.get(number + 1)) {
            (Some(before), _) => children[before].end..children[number].end,
            (None, Some(next)) => children[number].start..next.start,
            (None, None) => children[number].clone(),
        };
        replaced(self.text, gone, "")
    }
}

/// `text` with other bytes in that place.
pub(super) fn replaced(text: &str, range: Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..range.start], &text[range.end..])
}

/// `value` over several lines in the manner of `text`; lines but the first begin with `indent`.
pub(super) fn pretty(text: &str, value: &Value, indent: &str) -> String {
    let mut bytes = Vec::new();
    let unit = indent_unit(text).as_bytes();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(unit);
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    serde::Serialize::serialize(value, &mut serializer)
        .expect("a JSON value can be written to memory");
    let lines = String::from_utf8_lossy(&bytes).into_owned();
    // A line feed inside of a string is written `\n`, so each one here ends a line.
    lines.replace('\n', &format!("{}{indent}", newline(text)))
}

/// How lines end in `text`.
pub(super) fn newline(text: &str) -> &'static str {
    match text.split_once('\n') {
        Some((first, _)) if first.ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The blanks at the start of the line in which `at` stands.
pub(super) fn line_indent(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |feed| feed + 1)
}

/// One step of indent: the blanks of the first line that has some.
fn indent_unit(text: &str) -> &str {
    let indented = |line: &&str| line.starts_with([' ', '\t']) && !line.trim().is_empty();
    match text.lines().find(indented) {
        Some(line) => line_indent(line, 0),
        None => INDENT_DEFAULT,
    }
}

/// Where a piece that was borrowed from `text` stands in it.
fn place(text: &str, raw: &RawValue) -> Range<usize> {
    let start = raw.get().as_ptr() as usize - text.as_ptr() as usize;
    start..start + raw.get().len()
}

/// An object as its pairs, each borrowed from the text; a map would lose their order, their places and doubles.
struct Pairs<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Vec<(&'de RawValue, &'de RawValue)>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(pairs)
            }
        }
        deserializer.deserialize_map(All).map(Pairs)
    }
}

/// A string whose broken escapes do not make it an error.
struct WholeString(String);

impl<'de> Deserialize<'de> for WholeString {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = WholeString;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<WholeString, E> {
                Ok(WholeString(String::from_utf8_lossy(bytes).into_owned()))
            }
        }
        // As bytes, serde_json gives lone surrogates where as a string it would refuse them.
        deserializer.deserialize_bytes(Bytes)
    }
}
