//! The end of a transcript, read without the rest: hooks that have nothing to do must cost next to nothing.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// How much of the end is looked at for the last answer's token counts, in bytes.
const TAIL_BYTES: u64 = 256 * 1024;
/// How much of it is looked at first: most of the time it is enough, and costs a tenth.
const NEAR_BYTES: u64 = 16 * 1024;
/// How much behind a giving is looked at for its text, in bytes.
const ARRIVAL_BYTES_MAX: u64 = 8 << 20;

/// What `see` finds in the last line in which it finds anything. Lines are looked at from the last to the first; the first
/// of what is read may be cut, and is left out.
pub(super) fn last<T>(path: &Path, mut see: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
    let length = std::fs::metadata(path).ok()?.len();
    for most in [NEAR_BYTES, TAIL_BYTES] {
        let from = length.saturating_sub(most);
        let mut bytes = behind(path, from, most)?;
        if from > 0 {
            let first = memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |at| at + 1);
            bytes.drain(..first);
        }
        let mut lines = bytes
            .rsplit(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        let found = lines.find_map(&mut see);
        if found.is_some() || from == 0 {
            return found;
        }
    }
    None
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
    fn the_last_line_with_it_is_found_near_the_end_and_further_up_and_never_in_half_a_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let check = |first: u64, behind: u64, expect: Option<&str>| {
            let long = |bytes: u64| "x".repeat(usize::try_from(bytes).unwrap());
            let text = format!("{} one\n\ntwo\n{}", long(first), long(behind));
            crate::files::replace(file.path(), text.as_bytes()).unwrap();
            let found = last(file.path(), |line| {
                let line = String::from_utf8_lossy(line).into_owned();
                (!line.ends_with('x')).then(|| line.trim_start_matches(['x', ' ']).to_owned())
            });
            assert_eq!(found.as_deref(), expect, "{first} {behind}");
        };
        check(0, 0, Some("two"));
        check(10, NEAR_BYTES - 2, Some("two"));
        check(TAIL_BYTES, NEAR_BYTES + 100, Some("two"));
        check(0, TAIL_BYTES - 2, None);
        let one = |line: &[u8]| line.ends_with(b"one").then_some(());
        check(NEAR_BYTES, 0, Some("two"));
        assert_eq!(last(file.path(), one), Some(()));
        check(TAIL_BYTES, 0, Some("two"));
        assert_eq!(last(file.path(), one), None);
    }
}
