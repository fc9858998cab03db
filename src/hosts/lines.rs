//! The lines of a file that may be huge, half written, or not text at all.

use std::io::{BufRead, BufReader, Read};

/// One read of the file, in bytes.
const BUFFER_BYTES: usize = 1 << 20;
/// A longer line is passed over without being held, in bytes.
const LINE_BYTES_MAX: usize = 8 << 20;
/// How much of the beginning of such a line is held all the same, in bytes: what kind of record it is stands there.
const BEGINNING_BYTES: usize = 256;

/// Splits a stream into lines and holds one at a time.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    longest: usize,
}

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'l> {
    /// The line without its end.
    Whole(&'l [u8]),
    /// It was longer than we hold.
    TooLong,
}

impl<R: Read> Lines<R> {
    /// From the reader's place on.
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader: BufReader::with_capacity(BUFFER_BYTES, reader),
            line: Vec::new(),
            longest: LINE_BYTES_MAX,
        }
    }

    /// The next line; the last one may lack its end.
    pub(super) fn next(&mut self) -> std::io::Result<Option<Line<'_>>> {
        self.line.clear();
        let (mut any, mut too_long) = (false, false);
        loop {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if buffer.is_empty() {
                break;
            }
            any = true;
            let end = memchr::memchr(b'\n', buffer);
            let part = &buffer[..end.unwrap_or(buffer.len())];
            too_long |= self.line.len() + part.len() > self.longest;
            if too_long {
                let room = BEGINNING_BYTES.saturating_sub(self.line.len());
                self.line.extend_from_slice(&part[..room.min(part.len())]);
                self.line.truncate(BEGINNING_BYTES);
            } else {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
        }
        Ok(match (any, too_long) {
            (false, _) => None,
            (true, true) => Some(Line::TooLong),
            (true, false) => Some(Line::Whole(&self.line)),
        })
    }

    /// The beginning of the line that was just called [`Line::TooLong`].
    pub(super) fn beginning(&self) -> &[u8] {
        &self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &[u8], longest: usize, expect: &[Option<&str>]) {
        let mut lines = Lines::new(text);
        lines.longest = longest;
        let mut got = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            got.push(match line {
                Line::Whole(line) => Some(String::from_utf8(line.to_vec()).unwrap()),
                Line::TooLong => {
                    let held = lines.beginning();
                    assert!(text.windows(held.len()).any(|part| part == held));
                    assert!(!held.is_empty());
                    None
                }
            });
        }
        assert_eq!(
            got.iter().map(Option::as_deref).collect::<Vec<_>>(),
            expect,
            "{text:?}"
        );
    }

    #[test]
    fn of_a_giant_the_beginning_is_known() {
        let mut lines = Lines::new(&b"{\"type\":\"compacted\",\"payload\":1}\nb"[..]);
        lines.longest = 8;
        assert_eq!(lines.next().unwrap(), Some(Line::TooLong));
        assert!(lines.beginning().starts_with(b"{\"type\":\"compacted\","));
        assert_eq!(lines.next().unwrap(), Some(Line::Whole(b"b")));
        let giant = vec![b'x'; 3_000_000];
        let mut lines = Lines::new(giant.as_slice());
        lines.longest = 2_000_000;
        assert_eq!(lines.next().unwrap(), Some(Line::TooLong));
        assert_eq!(lines.beginning(), &giant[..BEGINNING_BYTES]);
    }

    #[test]
    fn lines_come_one_by_one_and_a_giant_is_passed_over() {
        check(b"", 9, &[]);
        check(b"a\n\nb", 9, &[Some("a"), Some(""), Some("b")]);
        check(b"a\n0123456789\nb\n", 9, &[Some("a"), None, Some("b")]);
        check(b"0123456789", 9, &[None]);
        check(b"012345678", 9, &[Some("012345678")]);
    }
}
