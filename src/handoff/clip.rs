//! Shortening text without cutting a word, a character, or a secret in two.
//!
//! A token that a cut would split is left out whole, so what is left holds no half of a secret. Where a text is taken up
//! again after a gap it is taken up at a line's beginning, or behind a word that promises nothing: never between
//! `--password` and its value.

use super::redact::telling;

/// What stands where text was left out.
pub(crate) const GAP: &str = " … ";

/// What stands where whole lines were left out.
const LINE_GAP: &str = "\n…\n";

/// What promises a value stands at most this far before it, in bytes.
const PROMISE_BYTES_MAX: usize = 256;

/// Of what [`ends`] keeps, the beginning gets this much; the end of an output says how it ended.
const HEAD_PERCENT: usize = 40;

/// At most `bytes` of `text`, cut between two words, with `…` at the end when something was left out.
pub(crate) fn head(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    if bytes < '…'.len_utf8() {
        return String::new();
    }
    let cut = cut_before(text, bytes - '…'.len_utf8());
    format!("{}…", text[..cut].trim_end())
}

/// At most `bytes` of `text`: its beginning and its end, whole lines where they are short enough.
pub(crate) fn ends(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    if bytes < LINE_GAP.len().max(GAP.len()) {
        return head(text, bytes);
    }
    let room = bytes - LINE_GAP.len().max(GAP.len());
    let head_room = room * HEAD_PERCENT / 100;
    let (front, by_line) = match memchr::memrchr(b'\n', &text.as_bytes()[..=head_room]) {
        Some(newline) if newline * 2 >= head_room => (newline, true),
        _ => (cut_before(text, head_room), false),
    };
    let front = text[..front].trim_end();
    let tail_from = ceil(text, text.len() - (room - front.len()));
    let (back, at_line) = take_up(text, tail_from.max(front.len()));
    let gap = if by_line && at_line { LINE_GAP } else { GAP };
    [front, gap, text[back..].trim_start_matches(['\n', '\r'])].concat()
}

/// `text` in one line of at most `bytes`: blanks and line ends become single blanks.
pub(crate) fn one_line(text: &str, bytes: usize) -> String {
    let mut line = String::with_capacity(text.len().min(bytes.saturating_mul(2)));
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > bytes {
            break;
        }
    }
    head(&line, bytes)
}

/// The last place at or before `at` where a cut splits no word; 0 when the first word goes on beyond.
fn cut_before(text: &str, at: usize) -> usize {
    let mut cut = floor(text, at);
    while cut > 0 && !is_border(text, cut) {
        cut = floor(text, cut - 1);
    }
    cut
}

/// Where a text is taken up again at or behind `from`, and whether that is a line's beginning. A line's beginning within
/// the first half of what is left is best; else a word behind one that tells nothing of it.
fn take_up(text: &str, from: usize) -> (usize, bool) {
    let rest = &text[from..];
    if from > 0 && text.as_bytes()[from - 1] == b'\n' {
        return (from, true);
    }
    let line = rest.find('\n').map(|newline| from + newline + 1);
    if let Some(line) = line.filter(|line| line - from <= rest.len() / 2) {
        return (line, true);
    }
    let word = rest
        .char_indices()
        .map(|(offset, _)| from + offset)
        .find(|&at| is_border(text, at) && !is_blank_at(text, at) && promises_nothing(text, at));
    match (word, line) {
        (Some(word), Some(line)) if line <= word => (line, true),
        (Some(word), _) => (word, false),
        (None, Some(line)) => (line, true),
        (None, None) => (text.len(), false),
    }
}

fn is_blank_at(text: &str, at: usize) -> bool {
    text[at..].starts_with(char::is_whitespace)
}

/// Whether a cut at `at` splits no word: a blank on one side, or scripts that set no blanks between words.
fn is_border(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let behind = text[at..].chars().next();
    match (before, behind) {
        (Some(before), Some(behind)) => {
            before.is_whitespace()
                || behind.is_whitespace()
                || has_no_blanks(before) && has_no_blanks(behind)
        }
        _ => true,
    }
}

/// Scripts written without blanks: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
fn has_no_blanks(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether the word before `at` leaves what stands there without meaning: no flag, no sign, no scheme, no telling name,
/// which a gap would take away from its value.
fn promises_nothing(text: &str, at: usize) -> bool {
    let near = &text[ceil(text, at.saturating_sub(PROMISE_BYTES_MAX))..at];
    let before = near.rsplit('\n').next().unwrap_or(near);
    let mut words = before.split_whitespace().rev();
    let Some(last) = words.next() else {
        return true;
    };
    let is_sign =
        last.starts_with('-') || last.ends_with([':', '=', '>', '(', ',', '\\', '"', '\'']);
    let is_scheme = ["bearer", "basic", "token", "digest", "by"]
        .iter()
        .any(|scheme| last.eq_ignore_ascii_case(scheme));
    !is_sign
        && !is_scheme
        && !before.split_whitespace().rev().take(3).any(|word| {
            telling(word.trim_matches(|c: char| !c.is_alphanumeric())).is_some()
                || word.eq_ignore_ascii_case("key")
                || word.contains(['=', ':'])
        })
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(got: &str, expect: &str) {
        assert_eq!(got, expect);
    }

    #[test]
    fn a_head_ends_behind_a_word() {
        check(&head("one two three", 100), "one two three");
        check(&head("one two three", 10), "one two…");
        check(&head("one two three", 11), "one two…");
        check(&head("onetwothree", 9), "…");
        check(&head("one", 2), "");
        check(&head("漢字漢字漢字", 12), "漢字漢…");
    }

    #[test]
    fn ends_meet_at_line_borders() {
        let lines: String = (1..=40).map(|n| format!("line {n}\n")).collect();
        check(
            &ends(&lines, 80),
            "line 1\nline 2\nline 3\nline 4\n…\nline 35\nline 36\nline 37\nline 38\nline 39\nline 40\n",
        );
        check(
            &ends("a few words in one line only", 20),
            "a few … line only",
        );
    }

    #[test]
    fn a_value_is_not_taken_up_without_its_name() {
        let secret = "and here: curl --password hunter22 -v";
        for bytes in 0..secret.len() {
            let kept = ends(secret, bytes);
            assert!(
                kept.contains("--password") || !kept.contains("hunter"),
                "{kept}"
            );
        }
    }

    #[test]
    fn one_line_holds_no_line_end() {
        check(&one_line(" a\n\tb\u{1b}c  d ", 100), "a b c d");
        check(&one_line("a b c d e f", 7), "a b…");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_clip_exceeds_its_room_or_cuts_a_word(text in "([a-zé]{1,9}[ \n]){0,60}", bytes in 0_usize..300) {
            let words: Vec<&str> = text.split_whitespace().collect();
            for clipped in [head(&text, bytes), ends(&text, bytes), one_line(&text, bytes)] {
                prop_assert!(clipped.len() <= bytes);
                for word in clipped.split(|c: char| c.is_whitespace() || c == '…').filter(|word| !word.is_empty()) {
                    prop_assert!(words.contains(&word), "{word} in {clipped:?}");
                }
                prop_assert_eq!(head(&clipped, bytes), clipped.clone());
                prop_assert_eq!(ends(&clipped, bytes), clipped);
            }
            if text.len() <= bytes {
                prop_assert_eq!(head(&text, bytes), text.clone());
                prop_assert_eq!(ends(&text, bytes), text);
            }
        }

        #[test]
        fn more_room_keeps_more(text in "(?s).{0,120}", bytes in 0_usize..200) {
            let less = head(&text, bytes);
            let more = head(&text, bytes + 1);
            prop_assert!(more.starts_with(less.trim_end_matches('…')));
            prop_assert!(ends(&text, bytes).len() <= bytes);
            prop_assert!(one_line(&text, bytes).len() <= bytes);
        }
    }
}
