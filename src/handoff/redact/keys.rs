//! Private key blocks, whole or cut: every piece of a body that still touches its first or last line.

use memchr::memmem;

use super::Found;

const KIND: &str = "private-key";
/// A block is at most this long, in bytes; an RSA key of 16,384 bits takes 12,800.
const BLOCK_BYTES_MAX: usize = 20_000;
/// A label as `BEGIN RSA PRIVATE KEY` is at most this long, in bytes.
const LABEL_BYTES_MAX: usize = 48;
/// A body has at least one run of this many base64 characters.
const RUN_BYTES_MIN: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Begin,
    End,
}

/// A first or last line of a block.
#[derive(Debug, Clone, Copy)]
struct Border {
    mark: Mark,
    start: usize,
    end: usize,
}

/// Adds each private key block in `text`, and each part of one.
pub(super) fn find(text: &[u8], found: &mut Vec<Found>) {
    let borders: Vec<Border> = memmem::find_iter(text, b"KEY")
        .filter_map(|at| border(text, at))
        .collect();
    for (index, border) in borders.iter().enumerate() {
        let (start, end, body) = match border.mark {
            Mark::Begin => {
                let last = borders.get(index + 1).filter(|next| {
                    next.mark == Mark::End && next.end - border.start <= BLOCK_BYTES_MAX
                });
                let end = last.map_or_else(|| body_behind(text, border.end), |last| last.end);
                (border.start, end, &text[border.end..end])
            }
            Mark::End => {
                let start = body_before(text, border.start);
                (start, border.end, &text[start..border.start])
            }
        };
        // What only speaks of a block, as a search for its first line does, has no body.
        if has_run(body) || border.mark == Mark::End && !body.is_empty() {
            found.push(Found {
                start,
                end,
                kind: KIND,
            });
        }
    }
}

/// The border whose label holds the word KEY at `at`. A label of which only `KEY-----` is left counts as a first line.
fn border(text: &[u8], at: usize) -> Option<Border> {
    let behind = &text[at + 3..];
    let behind = behind.strip_prefix(b" BLOCK").unwrap_or(behind);
    let dashes = behind.iter().take_while(|&&byte| byte == b'-').count();
    if dashes < 4 {
        return None;
    }
    let end = text.len() - behind.len() + dashes;
    let label_start = at.saturating_sub(LABEL_BYTES_MAX);
    let label = &text[label_start..at];
    let label_from = label
        .iter()
        .rposition(|&byte| !(byte.is_ascii_uppercase() || byte == b' ' || byte.is_ascii_digit()))
        .map_or(0, |before| before + 1);
    let words = &label[label_from..];
    let is_cut = words.iter().all(|&byte| byte == b' ');
    if !is_cut && memmem::find(words, b"PRIVATE").is_none() {
        return None;
    }
    let mark = if memmem::find(words, b"END").is_some() {
        Mark::End
    } else {
        Mark::Begin
    };
    let dashes_before = label[..label_from]
        .iter()
        .rev()
        .take_while(|&&byte| byte == b'-')
        .count();
    Some(Border {
        mark,
        start: label_start + label_from - dashes_before,
        end,
    })
}

/// How far a body goes on from `at`: over lines, and over blanks where someone joined the lines.
fn body_behind(text: &[u8], at: usize) -> usize {
    let mut end = at;
    for (start, word) in words(&text[at..]) {
        let behind = at + start + word.len();
        if is_body(word) {
            end = behind;
        } else if end > at && is_cut_last_line(word, &text[behind..]) {
            end = behind;
            break;
        } else if !is_frame(word) {
            break;
        }
    }
    end.min(at + BLOCK_BYTES_MAX)
}

/// A short last line of which the block's end was cut off, in part or whole: behind it the text ends, or something was
/// left out, or what is left of the end begins.
fn is_cut_last_line(word: &[u8], behind: &[u8]) -> bool {
    const LEFT_OUT: &[u8] = "…".as_bytes();
    let bare = word.strip_suffix(LEFT_OUT).unwrap_or(word);
    let behind = behind.trim_ascii_start();
    let cut = bare.len() < word.len()
        || behind.is_empty()
        || behind.starts_with(LEFT_OUT)
        || behind.starts_with(b"-----");
    cut && bare.iter().all(|&byte| is_base64(byte)) && is_mixed(bare)
}

/// Whether a word is none of a language.
fn is_mixed(word: &[u8]) -> bool {
    word.iter().any(|byte| !byte.is_ascii_alphabetic())
        || word.iter().skip(1).any(u8::is_ascii_uppercase)
}

/// Where the body that ends at `at` begins. Its last line may be short.
fn body_before(text: &[u8], at: usize) -> usize {
    let from = at.saturating_sub(BLOCK_BYTES_MAX);
    let mut start = at;
    let mut is_last = true;
    for (offset, word) in words(&text[from..at]).collect::<Vec<_>>().into_iter().rev() {
        if is_body(word) || is_last && is_last_line(word, text, from + offset) {
            start = from + offset;
            is_last = false;
        } else if !is_frame(word) {
            break;
        }
    }
    start
}

/// The last line of a body may be short: a word of base64 alone on its line, or one that is no word of a language.
fn is_last_line(word: &[u8], text: &[u8], at: usize) -> bool {
    let starts_line = at == 0 || text[at - 1] == b'\n';
    let ends_line = matches!(text.get(at + word.len()), Some(b'\n' | b'\r'));
    word.iter().all(|&byte| is_base64(byte)) && (starts_line && ends_line || is_mixed(word))
}

/// The words of `text`, each with its offset.
fn words(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut offset = 0;
    text.split(u8::is_ascii_whitespace).filter_map(move |word| {
        let start = offset;
        offset += word.len() + 1;
        (!word.is_empty()).then_some((start, word))
    })
}

/// A line of a body: a long base64 run with next to nothing around it (a line number, quotes), or a header of an
/// encrypted key.
fn is_body(word: &[u8]) -> bool {
    const AROUND_BYTES_MAX: usize = 12;
    let longest = word
        .split(|&byte| !is_base64(byte))
        .map(<[u8]>::len)
        .max()
        .unwrap_or(0);
    longest >= RUN_BYTES_MIN && word.len() - longest <= AROUND_BYTES_MAX
        || matches!(word, b"Proc-Type:" | b"4,ENCRYPTED" | b"DEK-Info:")
        || memmem::find(word, b"-CBC,").is_some()
}

/// What a listing, a quotation or a program's source puts around a line: a number, a mark, nothing with letters.
fn is_frame(word: &[u8]) -> bool {
    const FRAME_BYTES_MAX: usize = 10;
    word.len() <= FRAME_BYTES_MAX && !word.iter().any(u8::is_ascii_alphabetic)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

fn has_run(text: &[u8]) -> bool {
    text.split(|&byte| !is_base64(byte))
        .any(|run| run.len() >= RUN_BYTES_MIN)
}
