//! What kind of thing a sentence says: a prohibition, a plan, a question. English, as the hosts' users write;
//! another language is quoted as goal and last ask all the same.

/// Words with which a person forbids.
const FORBIDDING: &[&str] = &[
    "don't",
    "dont",
    "do not",
    "never",
    "stop",
    "must not",
    "mustn't",
    "shouldn't",
    "should not",
    "not allowed",
];
/// Words that forbid wherever they stand.
const ORDERING: &[&str] = &[
    "must not",
    "mustn't",
    "not allowed",
    "under no circumstances",
];
/// Words that forbid where an order begins.
const BEGINNING: &[&str] = &["don't", "dont", "do not", "never", "stop"];
/// Words that lead to an order.
const LEADING: &[&str] = &[
    "and", "but", "please", "so", "also", "then", "or", "you", "we", "must", "should", "just",
];
/// Words with which a person corrects; in a long text they mean little.
const CORRECTING: &[&str] = &[
    "instead",
    "not what",
    "no need",
    "avoid",
    "wrong",
    "revert",
    "undo",
    "rather than",
    "leave it",
    "leave them",
    "please no",
    "isn't right",
    "incorrect",
    "ignore",
    "i said",
    "i told you",
];
/// Beginnings with which a person corrects.
const CORRECTING_STARTS: &[&str] = &[
    "no", "nope", "wait", "actually", "hold on", "stop", "uh", "hmm",
];
/// Words with which an agent says what it does next.
const INTENT: &[&str] = &[
    "let me",
    "now i'll",
    "i'll",
    "i will",
    "next,",
    "next i",
    "next step",
    "now let",
    "now i need",
    "i need to",
    "i'm going to",
    "let's",
    "now update",
    "now add",
    "now fix",
    "now run",
    "going to",
];
/// A text with a correcting word is a correction up to here, in bytes.
const CORRECTING_BYTES_MAX: usize = 320;
/// Answers that say nothing without what they answer.
const ANSWERS: &[&str] = &[
    "yes",
    "yes please",
    "y",
    "yep",
    "yup",
    "yeah",
    "sure",
    "ok",
    "okay",
    "ok go",
    "go",
    "go ahead",
    "go on",
    "continue",
    "proceed",
    "do it",
    "do that",
    "please do",
    "both",
    "all",
    "no",
    "nope",
    "n",
    "right",
    "correct",
    "sounds good",
    "lgtm",
    "looks good",
    "perfect",
    "great",
    "thanks",
    "ok thanks",
    "let's go",
    "ok let's go",
    "ok, let's go",
];

/// Whether the person forbids something.
pub(super) fn forbids(text: &str) -> bool {
    let low = lower(text);
    FORBIDDING.iter().any(|word| holds(&low, word))
}

/// The sentences of a text in which the person forbids something; in a long text the words alone say less, so that they
/// must stand where an order begins.
pub(super) fn forbidding(text: &str) -> Vec<String> {
    let text = without_line_breaks(text);
    let sentences = sentences(&text).into_iter();
    let orders = sentences.filter(|sentence| {
        let low = lower(sentence);
        ORDERING.iter().any(|word| holds(&low, word))
            || BEGINNING.iter().any(|word| begins_order(&low, word))
    });
    orders.map(str::to_owned).collect()
}

/// Whether `word` stands where an order begins: first, behind a mark, or behind a word that leads to one.
fn begins_order(low: &str, word: &str) -> bool {
    low.match_indices(word).any(|(at, found)| {
        let after = low[at + found.len()..].chars().next();
        let before = low[..at].trim_end();
        let last = before.rsplit(' ').next().unwrap_or_default();
        let apart = before.len() < at || before.is_empty();
        !after.is_some_and(char::is_alphanumeric)
            && apart
            && (before.is_empty()
                || before.ends_with(|c: char| !c.is_alphanumeric())
                || LEADING.contains(&last))
    })
}

/// A text in which a sentence that goes on in the next line goes on in its own.
fn without_line_breaks(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut in_code = false;
    let mut open = false;
    for line in text.lines() {
        let line = line.trim();
        let fence = line.starts_with("```");
        let marked = line.starts_with(['#', '-', '*', '>', '|'])
            || line.split_once(['.', ')']).is_some_and(|(number, _)| {
                !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
            });
        let goes_on = open && !in_code && !fence && !marked && !line.is_empty();
        joined.push(if goes_on { ' ' } else { '\n' });
        joined.push_str(line);
        in_code ^= fence;
        open = !fence && !line.is_empty() && !line.ends_with(['.', '?', '!', ':']);
    }
    joined
}

/// Whether the person corrects something.
pub(super) fn corrects(text: &str) -> bool {
    let low = lower(text);
    let first = low
        .split(|c: char| !c.is_alphanumeric() && c != ' ')
        .next()
        .unwrap_or_default();
    let begins = |word: &str| {
        first
            .strip_prefix(word)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    text.len() <= CORRECTING_BYTES_MAX
        && (CORRECTING.iter().any(|word| holds(&low, word))
            || CORRECTING_STARTS.iter().any(|word| begins(word)))
}

/// Whether a text says nothing without what it answers: `yes`, `do it`, `2`.
pub(super) fn is_bare(text: &str) -> bool {
    let low = lower(text);
    let low = low.trim_matches(|c: char| !c.is_alphanumeric());
    ANSWERS.contains(&low) || low.len() <= 2
}

/// In small letters, with one kind of apostrophe.
fn lower(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

/// The last sentence in which the agent says what it does next.
pub(super) fn intent(text: &str) -> Option<&str> {
    sentences(text).into_iter().rev().find(|sentence| {
        let low = lower(sentence);
        !sentence.ends_with('?') && INTENT.iter().any(|word| holds(&low, word))
    })
}

/// The questions in the last part of a text.
pub(super) fn questions(text: &str) -> Vec<&str> {
    let all = sentences(text);
    let from = all.len().saturating_sub(6);
    all[from..]
        .iter()
        .copied()
        .filter(|sentence| sentence.ends_with('?'))
        .collect()
}

/// Whether `word` stands in `text` with no letter right beside it.
fn holds(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        let free = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        free(before) && (free(after) || found.ends_with(','))
    })
}

/// A text's sentences, without the marks of lists and headings; code blocks are passed over.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            continue;
        }
        let line = line.trim().trim_start_matches(['#', '-', '*', '>', ' ']);
        if in_code || line.is_empty() || line.starts_with('|') {
            continue;
        }
        let mut start = 0;
        for (at, mark) in line.match_indices(['.', '?', '!']) {
            let end = at + mark.len();
            if line[end..].starts_with(' ') {
                sentences.push(line[start..end].trim());
                start = end;
            }
        }
        sentences.push(line[start..].trim());
    }
    sentences.retain(|sentence| sentence.chars().any(char::is_alphabetic));
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prohibitions_and_corrections_are_told_from_plain_asks() {
        for text in ["don't touch the lock file", "please never push", "Don’t"] {
            assert!(forbids(text), "{text}");
        }
        for text in [
            "No, use the other one",
            "use tabs instead",
            "hmm that is odd",
            "no",
        ] {
            assert!(corrects(text) && !forbids(text), "{text}");
        }
        for text in [
            "add a test",
            "note the change",
            "what about nonstop flights",
            "now do the rest",
        ] {
            assert!(!forbids(text) && !corrects(text), "{text}");
        }
        assert!(!corrects(&format!(
            "use tabs instead of {}",
            "this ".repeat(100)
        )));
    }

    #[test]
    fn the_last_sentence_of_intent_is_found_and_a_question_is_none() {
        let check = |text: &str, expect: Option<&str>| assert_eq!(intent(text), expect, "{text}");
        check(
            "Good. Now let me run `a.b` again:",
            Some("Now let me run `a.b` again:"),
        );
        check("I'll fix it. Done!", Some("I'll fix it."));
        check("Do you want that I'll go on?", None);
        check("All tests pass.", None);
    }

    #[test]
    fn questions_are_the_ones_at_the_end() {
        assert_eq!(
            questions("Why? Because.\n\n```\nreally?\n```\n- Should I push it? Or wait?"),
            ["Why?", "Should I push it?", "Or wait?"]
        );
    }

    #[test]
    fn the_sentences_that_forbid_are_found_in_a_long_text() {
        let text = "Port it. The tests never end, and users do not see why.\n\
            Whatever happens, never touch `db/old`; ask me.\n- Please do not push\n\
            1. Use tabs. You must not\nadd a crate. I don't know.\n```\nnever mind\n```\nDon't wait";
        let expect = [
            "Whatever happens, never touch `db/old`; ask me.",
            "Please do not push",
            "You must not add a crate.",
            "Don't wait",
        ];
        assert_eq!(forbidding(text), expect);
    }
}
