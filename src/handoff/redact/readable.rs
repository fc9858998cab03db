//! What there is to read in the bytes of a file.

use std::borrow::Cow;

/// Git takes a file for binary that has a zero byte this far from its beginning.
const BINARY_LOOK_BYTES_MAX: usize = 8000;
/// A shorter run of letters in a binary file is chance, and no secret.
const RUN_BYTES_MIN: usize = 8;

/// A text as it is; of a binary file the runs of ASCII that could hold a secret, one a line. Looking for secrets in the
/// rest costs seconds for ten mebibytes and finds noise.
pub(crate) fn readable(bytes: &[u8]) -> Cow<'_, str> {
    let head = &bytes[..bytes.len().min(BINARY_LOOK_BYTES_MAX)];
    if !head.contains(&0) {
        return String::from_utf8_lossy(bytes);
    }
    let is_plain = |byte: &u8| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t');
    let mut text = String::new();
    for run in bytes.split(|byte| !is_plain(byte)) {
        if run.len() >= RUN_BYTES_MIN {
            text.push_str(&String::from_utf8_lossy(run));
            text.push('\n');
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_binary_file_only_what_could_be_words_is_read() {
        assert_eq!(readable("a text: ü\n".as_bytes()), "a text: ü\n");
        assert_eq!(
            readable(b"\0short\0long enough\x01\xff\0also this\0"),
            "long enough\nalso this\n"
        );
        assert_eq!(readable(b""), "");
    }
}
