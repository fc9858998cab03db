//! A rollout's lines, one at a time, in a buffer that is used again and never grows past a limit.

use std::io::{BufRead, BufReader, ErrorKind, Read};

/// What is read from the file at once, in bytes.
const READ_BYTES: usize = 1 << 20;
/// Longer lines are passed over; a picture in a prompt can be one. In bytes.
pub(super) const LINE_BYTES_MAX: usize = 8 << 20;

/// The lines of a file.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    buffer: Vec<u8>,
}

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// The beginning of one that is longer than [`LINE_BYTES_MAX`].
    Beginning(&'a [u8]),
}

impl<R: Read> Lines<R> {
    /// The lines of `input` from where it stands.
    pub(super) fn new(input: R) -> Self {
        Self {
            input: BufReader::with_capacity(READ_BYTES, input),
            buffer: Vec::new(),
        }
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(super) fn next(&mut self) -> std::io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let mut whole = true;
        let mut begun = false;
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(err) if err.kind() == ErrorKind::Interrupted => continue,
                Err(err) => return Err(err),
            };
            if chunk.is_empty() {
                if !begun {
                    return Ok(None);
                }
                break;
            }
            begun = true;
            let feed = memchr::memchr(b'\n', chunk);
            let end = feed.unwrap_or(chunk.len());
            let room = end.min(LINE_BYTES_MAX - self.buffer.len());
            whole &= room == end;
            self.buffer.extend_from_slice(&chunk[..room]);
            self.input.consume(feed.map_or(end, |at| at + 1));
            if feed.is_some() {
                break;
            }
        }
        Ok(Some(if whole {
            Line::Whole(&self.buffer)
        } else {
            Line::Beginning(&self.buffer)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &[u8], expect: &[&[u8]]) {
        let mut lines = Lines::new(text);
        for line in expect {
            assert_eq!(lines.next().unwrap(), Some(Line::Whole(line)));
        }
        assert_eq!(lines.next().unwrap(), None);
    }

    #[test]
    fn lines_are_what_stands_between_line_feeds() {
        check(b"", &[]);
        check(b"a", &[b"a"]);
        check(b"a\n\nb\n", &[b"a", b"", b"b"]);
    }

    #[test]
    fn of_a_line_that_is_too_long_only_the_beginning_is_held_and_the_next_is_whole() {
        let mut text = vec![b'x'; LINE_BYTES_MAX + 5];
        text.extend_from_slice(b"\nb\n");
        let mut lines = Lines::new(text.as_slice());
        assert_eq!(
            lines.next().unwrap(),
            Some(Line::Beginning(&text[..LINE_BYTES_MAX]))
        );
        assert!(lines.buffer.capacity() <= 2 * LINE_BYTES_MAX);
        assert_eq!(lines.next().unwrap(), Some(Line::Whole(b"b")));
        check(&vec![b'x'; LINE_BYTES_MAX], &[&vec![b'x'; LINE_BYTES_MAX]]);
    }
}
