//! The end of a transcript, read without the rest: hooks that have nothing to do must cost next to nothing.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// How much of the end is looked at for the last answer's token counts, in bytes.
const TAIL_BYTES: u64 = 256 * 1024;
/// How much behind a giving is looked at for its text, in bytes.
const ARRIVAL_BYTES_MAX: u64 = 8 << 20;

/// The last bytes of a file, at most [`TAIL_BYTES`]; a first line that is cut is left out.
pub(super) fn end(path: &Path) -> Option<Vec<u8>> {
    let length = std::fs::metadata(path).ok()?.len();
    let from = length.saturating_sub(TAIL_BYTES);
    let mut bytes = behind(path, from, TAIL_BYTES)?;
    if from > 0 {
        let first = memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |at| at + 1);
        bytes.drain(..first);
    }
    Some(bytes)
}

/// Lines from the last to the first.
pub(super) fn backwards(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .rsplit(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
}

/// Whether `marker` stands behind `from` bytes; none while no line with `answer`, the mark of an agent's answer, does.
pub(super) fn arrived(path: &Path, from: u64, marker: &str, answer: &str) -> Option<bool> {
    let bytes = behind(path, from, ARRIVAL_BYTES_MAX)?;
    if memchr::memmem::find(&bytes, marker.as_bytes()).is_some() {
        return Some(true);
    }
    memchr::memmem::find(&bytes, answer.as_bytes()).map(|_| false)
}

fn behind(path: &Path, from: u64, most: u64) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_arrived_is_lost_or_nobody_knows_yet() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let check = |text: &str, from: u64, expect| {
            crate::files::replace(file.path(), text.as_bytes()).unwrap();
            assert_eq!(
                arrived(file.path(), from, "card 12", "\"assistant\""),
                expect,
                "{text} from {from}"
            );
        };
        check("card 12\n", 0, Some(true));
        check("card 12\n", 3, None);
        check("card 12\n{\"assistant\"}\n", 3, Some(false));
        check("", 10, None);
        assert_eq!(arrived(Path::new("/nowhere"), 0, "x", "y"), None);
    }

    #[test]
    fn the_end_begins_with_a_whole_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let long = "x".repeat(usize::try_from(TAIL_BYTES).unwrap());
        crate::files::replace(file.path(), format!("{long}\nsecond\nthird").as_bytes()).unwrap();
        let bytes = end(file.path()).unwrap();
        assert_eq!(
            backwards(&bytes).collect::<Vec<_>>(),
            [&b"third"[..], b"second"]
        );
    }
}
