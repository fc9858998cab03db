//! The lines of a file that may be huge, half written, or not text at all.

use std::io::Read;
use std::ops::Range;

/// One read of the file, in bytes: what the processor holds near at hand.
const BUFFER_BYTES: usize = 256 << 10;
/// A longer line is passed over, in bytes.
const LINE_BYTES_MAX: usize = 8 << 20;
/// How much of the beginning of such a line is held all the same, in bytes: what kind of record it is stands there.
const BEGINNING_BYTES: usize = 256;

/// Splits a stream into lines and holds one at a time, where it was read to.
pub(super) struct Lines<R> {
    reader: R,
    /// What was read; of it `from..to` was not given yet.
    buffer: Vec<u8>,
    from: usize,
    to: usize,
    beginning: Vec<u8>,
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
            reader,
            buffer: Vec::new(),
            from: 0,
            to: 0,
            beginning: Vec::new(),
            longest: LINE_BYTES_MAX,
        }
    }

    /// The next line; the last one may lack its end.
    pub(super) fn next(&mut self) -> std::io::Result<Option<Line<'_>>> {
        let mut searched = self.from;
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.buffer[searched..self.to]) {
                let line = self.from..searched + end;
                self.from = line.end + 1;
                return Ok(Some(self.line(line)));
            }
            if self.to - self.from > self.longest {
                return self.pass_over();
            }
            searched = self.to - self.from;
            if self.read_more()? == 0 {
                let line = self.from..self.to;
                self.from = self.to;
                return Ok((!line.is_empty()).then(|| self.line(line)));
            }
        }
    }

    fn line(&mut self, place: Range<usize>) -> Line<'_> {
        let line = &self.buffer[place];
        if line.len() <= self.longest {
            return Line::Whole(line);
        }
        self.beginning.clear();
        let held = &line[..line.len().min(BEGINNING_BYTES)];
        self.beginning.extend_from_slice(held);
        Line::TooLong
    }

    /// The rest of a line of which more was read than we hold of one.
    fn pass_over(&mut self) -> std::io::Result<Option<Line<'_>>> {
        self.line(self.from..self.to);
        loop {
            self.from = self.to;
            if self.read_more()? == 0 {
                break;
            }
            if let Some(end) = memchr::memchr(b'\n', &self.buffer[..self.to]) {
                self.from = end + 1;
                break;
            }
        }
        Ok(Some(Line::TooLong))
    }

    /// Reads behind what was not given yet, which then stands at the beginning; how many bytes came.
    fn read_more(&mut self) -> std::io::Result<usize> {
        self.buffer.copy_within(self.from..self.to, 0);
        self.to -= self.from;
        self.from = 0;
        if self.buffer.len() < self.to + BUFFER_BYTES / 2 {
            self.buffer.resize((self.to * 2).max(BUFFER_BYTES), 0);
        }
        loop {
            match self.reader.read(&mut self.buffer[self.to..]) {
                Ok(bytes) => {
                    self.to += bytes;
                    return Ok(bytes);
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The beginning of the line that was just called [`Line::TooLong`].
    pub(super) fn beginning(&self) -> &[u8] {
        &self.beginning
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
