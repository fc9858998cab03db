//! JSON that is passed over where nobody asks for it: a line's long texts are stepped over from quote to quote, and only
//! the values that a type names are looked into.
//!
//! `serde_json` looks at each byte of what it ignores, which is most of a transcript. This reader takes well-formed text
//! for what `serde_json` takes it for, and refuses text that was cut off. What it passes over it does not judge: it
//! neither checks escapes nor numbers there, nor which bracket closes which.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

/// Bytes of the longest escape, as `\u00e9`.
const ESCAPE_BYTES: usize = 6;
/// Beyond what is clipped, so much of a text's end is looked at to clip it, in bytes.
const BESIDE_BYTES: usize = 300;
/// Where too little was taken for its escapes, so much more is taken than is missing, in bytes.
const SPARE_BYTES: usize = 64;

/// The one value of a text, as that type; none where it is cut off or of another shape.
pub(super) fn read<'l, T: Deserialize<'l>>(text: &'l [u8]) -> Option<T> {
    let mut cursor = Cursor { text, at: 0 };
    let value = T::deserialize(&mut cursor).ok()?;
    cursor.blanks();
    (cursor.at == text.len()).then_some(value)
}

/// A value as it stands in the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'l>(&'l [u8]);

impl<'l> Piece<'l> {
    /// Its bytes.
    pub(super) fn bytes(self) -> &'l [u8] {
        self.0
    }

    /// It as that type.
    pub(super) fn read<T: Deserialize<'l>>(self) -> Option<T> {
        read(self.0)
    }

    /// A string's text; none where it is none.
    pub(super) fn text(self) -> Option<Cow<'l, str>> {
        resolved(self.body()?)
    }

    /// A string's text, without some of its middle where it is long: clipped at its ends to at most `bytes` it is the
    /// same as the whole.
    pub(super) fn text_for_ends(self, bytes: usize) -> Option<Cow<'l, str>> {
        let body = self.body()?;
        // Less than half of what is kept is the beginning; a little before the end is looked at.
        let places = (front(body, bytes / 2), back(body, bytes + BESIDE_BYTES));
        let (Some(front), Some(back)) = places else {
            return resolved(body);
        };
        if front >= back {
            return resolved(body);
        }
        let mut text = Vec::with_capacity(front + body.len() - back);
        resolve(&body[..front], &mut text)?;
        resolve(&body[back..], &mut text)?;
        Some(Cow::Owned(characters(text)))
    }

    /// A string's bytes between its quotes.
    fn body(self) -> Option<&'l [u8]> {
        self.0.strip_prefix(b"\"")?.strip_suffix(b"\"")
    }
}

impl<'de: 'l, 'l> Deserialize<'de> for Piece<'l> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl<'de> Visitor<'de> for Whole {
            type Value = Piece<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(Piece(bytes))
            }
        }
        deserializer.deserialize_bytes(Whole)
    }
}

/// How many first bytes of a string hold `least` bytes of text and split no escape; none where it has not so many.
fn front(body: &[u8], least: usize) -> Option<usize> {
    let mut end = least;
    loop {
        match least.saturating_sub(bytes_at_least(body.get(..end)?)) {
            0 => break,
            missing => end += missing + SPARE_BYTES,
        }
    }
    (end..body.len()).find(|at| is_between_escapes(body, *at))
}

/// From where on a string's bytes hold `least` bytes of text and split no escape; none where it has not so many.
fn back(body: &[u8], least: usize) -> Option<usize> {
    let mut start = body.len().checked_sub(least)?;
    loop {
        match least.saturating_sub(bytes_at_least(&body[start..])) {
            0 => break,
            missing => start = start.checked_sub(missing + SPARE_BYTES)?,
        }
    }
    (0..=start).rev().find(|at| is_between_escapes(body, *at))
}

/// How long the text of such bytes is at least.
fn bytes_at_least(body: &[u8]) -> usize {
    let escapes = memchr::memchr_iter(b'\\', body).count();
    body.len().saturating_sub(escapes * (ESCAPE_BYTES - 1))
}

fn is_between_escapes(body: &[u8], at: usize) -> bool {
    let near = at.saturating_sub(ESCAPE_BYTES - 1);
    !body[near..at].contains(&b'\\')
}

/// The text of a string from between its quotes; none where an escape is none.
fn resolved(body: &[u8]) -> Option<Cow<'_, str>> {
    if memchr::memchr(b'\\', body).is_none() {
        return Some(match std::str::from_utf8(body) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(body),
        });
    }
    let mut text = Vec::with_capacity(body.len());
    resolve(body, &mut text)?;
    Some(Cow::Owned(characters(text)))
}

/// What is no character becomes U+FFFD, as bytes that a tool printed.
fn characters(text: Vec<u8>) -> String {
    String::from_utf8(text)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Adds a string's bytes with its escapes resolved; none where one is none. Half of a surrogate pair, as hosts leave it
/// that cut texts in two, becomes U+FFFD.
fn resolve(mut body: &[u8], text: &mut Vec<u8>) -> Option<()> {
    while let Some(at) = memchr::memchr(b'\\', body) {
        text.extend_from_slice(&body[..at]);
        let sign = *body.get(at + 1)?;
        body = &body[at + 2..];
        text.push(match sign {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 0x08,
            b'f' => 0x0c,
            b'"' | b'\\' | b'/' => sign,
            b'u' => {
                let (character, behind) = character(body)?;
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                body = behind;
                continue;
            }
            _ => return None,
        });
    }
    text.extend_from_slice(body);
    Some(())
}

/// The character whose number stands behind `\u`, and what follows.
fn character(body: &[u8]) -> Option<(char, &[u8])> {
    let unit = |body: &[u8]| {
        let digits = body.get(..4)?;
        let digit = |unit: u32, byte: &u8| Some(unit << 4 | char::from(*byte).to_digit(16)?);
        digits.iter().try_fold(0, digit)
    };
    let (first, behind) = (unit(body)?, &body[4..]);
    let second = behind.strip_prefix(b"\\u").and_then(unit);
    if let (0xd800..0xdc00, Some(second @ 0xdc00..0xe000)) = (first, second) {
        let both = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return Some((char::from_u32(both)?, &behind[6..]));
    }
    let character = char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER);
    Some((character, behind))
}

/// It is not what was asked for.
#[derive(Debug)]
struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not of that shape")
    }
}

impl std::error::Error for Refused {}

impl serde::de::Error for Refused {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// Whether no backslash is left over for what stands behind: each second one is escaped itself.
fn is_free(text: &[u8]) -> bool {
    let backslashes = text.iter().rev().take_while(|byte| **byte == b'\\');
    text.last() != Some(&b'\\') || backslashes.count() % 2 == 0
}

/// A place in a text.
struct Cursor<'l> {
    text: &'l [u8],
    at: usize,
}

impl<'l> Cursor<'l> {
    fn blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.text.get(self.at) {
            self.at += 1;
        }
    }

    /// The next byte that is no blank.
    #[inline]
    fn peek(&mut self) -> Result<u8, Refused> {
        self.blanks();
        self.text.get(self.at).copied().ok_or(Refused)
    }

    /// Steps behind that byte.
    fn expect(&mut self, byte: u8) -> Result<(), Refused> {
        if self.peek()? != byte {
            return Err(Refused);
        }
        self.at += 1;
        Ok(())
    }

    /// Steps behind a value.
    fn value(&mut self) -> Result<&'l [u8], Refused> {
        let first = self.peek()?;
        let start = self.at;
        match first {
            b'"' => return self.string(),
            b'{' | b'[' => self.nested()?,
            _ => {
                let rest = &self.text[start..];
                let is_end =
                    |byte: &u8| matches!(byte, b',' | b':' | b']' | b'}' | b'"' | 0..=b' ');
                self.at += rest.iter().position(is_end).unwrap_or(rest.len());
            }
        }
        match self.at > start {
            true => Ok(&self.text[start..self.at]),
            false => Err(Refused),
        }
    }

    /// Steps behind a string, and gives it with its quotes.
    fn string(&mut self) -> Result<&'l [u8], Refused> {
        self.expect(b'"')?;
        let start = self.at;
        loop {
            let quote = self.at + memchr::memchr(b'"', &self.text[self.at..]).ok_or(Refused)?;
            self.at = quote + 1;
            if is_free(&self.text[start..quote]) {
                return Ok(&self.text[start - 1..self.at]);
            }
        }
    }

    /// Steps behind a list or an object. It may be nested as deep as it likes.
    fn nested(&mut self) -> Result<(), Refused> {
        let mut depth = 0_usize;
        loop {
            match self.text.get(self.at).ok_or(Refused)? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Steps behind the comma before a list's or an object's next child; `false` when it has no more, and then behind
    /// its end.
    fn more(&mut self, end: u8, first: &mut bool) -> Result<bool, Refused> {
        let next = self.peek()?;
        let is_first = std::mem::replace(first, false);
        if next == end {
            self.at += 1;
            return Ok(false);
        }
        if !is_first {
            self.expect(b',')?;
        }
        Ok(true)
    }
}

impl<'de> Deserializer<'de> for &mut Cursor<'de> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.peek()? {
            b'"' => match Piece(self.string()?).text().ok_or(Refused)? {
                Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
                Cow::Owned(text) => visitor.visit_string(text),
            },
            b'{' => {
                self.at += 1;
                visitor.visit_map(Children::of(self))
            }
            b'[' => {
                self.at += 1;
                visitor.visit_seq(Children::of(self))
            }
            _ => match self.value()? {
                b"null" => visitor.visit_unit(),
                b"true" => visitor.visit_bool(true),
                b"false" => visitor.visit_bool(false),
                number => {
                    let number: serde_json::Number =
                        serde_json::from_slice(number).map_err(|_| Refused)?;
                    number.deserialize_any(visitor).map_err(|_| Refused)
                }
            },
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if self.peek()? == b'n' {
            return self.deserialize_any(visitor);
        }
        visitor.visit_some(self)
    }

    /// The value as it stands.
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_borrowed_bytes(self.value()?)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.value()?;
        visitor.visit_unit()
    }

    /// A field's name: to find it among those that a type has, its bytes will do.
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        let name = Piece(self.string()?);
        match name.body() {
            Some(body) if !body.contains(&b'\\') => visitor.visit_borrowed_bytes(body),
            _ => visitor.visit_string(name.text().ok_or(Refused)?.into_owned()),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum
    }
}

/// The children of a list or of an object.
struct Children<'c, 'l> {
    cursor: &'c mut Cursor<'l>,
    first: bool,
}

impl<'c, 'l> Children<'c, 'l> {
    fn of(cursor: &'c mut Cursor<'l>) -> Self {
        let first = true;
        Self { cursor, first }
    }
}

impl<'de> SeqAccess<'de> for Children<'_, 'de> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Refused> {
        match self.cursor.more(b']', &mut self.first)? {
            true => seed.deserialize(&mut *self.cursor).map(Some),
            false => Ok(None),
        }
    }
}

impl<'de> MapAccess<'de> for Children<'_, 'de> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refused> {
        if !self.cursor.more(b'}', &mut self.first)? {
            return Ok(None);
        }
        match self.cursor.peek()? {
            b'"' => seed.deserialize(&mut *self.cursor).map(Some),
            _ => Err(Refused),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        self.cursor.expect(b':')?;
        seed.deserialize(&mut *self.cursor)
    }
}

#[cfg(test)]
mod tests;
