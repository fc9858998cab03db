#![expect(
    clippy::print_stdout,
    reason = "a measure is printed beside the test that holds it"
)]

mod continuity;
mod keys;
mod named;
mod tokens;

use super::*;

/// Of the secrets in the corpus so many of 1,000 must be seen.
const RECALL_PERMILLE_MIN: usize = 990;

fn clean(text: &str) -> String {
    Redactor::default().clean(text, &mut BTreeMap::new())
}

/// Whether `text` or a reading of it holds twelve bytes in a row of `secret`.
fn survives(text: &str, secret: &str) -> bool {
    const PART_BYTES: usize = 12;
    let holds = |text: &[u8]| {
        let mut parts = secret.as_bytes().windows(PART_BYTES);
        parts.any(|part| memchr::memmem::find(text, part).is_some())
    };
    let readings = view::readings(text.as_bytes());
    holds(text.as_bytes()) || readings.iter().any(|reading| holds(&reading.text))
}

fn unicode_escaped(text: &str) -> String {
    text.chars()
        .map(|c| format!("\\u{:04x}", c as u32))
        .collect()
}

fn percent_encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn corpus(name: &str) -> Vec<String> {
    let path = format!("{}/fixtures/redact/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with("# "));
    lines.map(|line| line.replace('‖', "")).collect()
}

#[test]
fn a_redactor_says_what_it_took_out() {
    let mut counts = BTreeMap::new();
    let text = format!(
        "push with {}_{} failed",
        "ghp", "1234567890abcdefghijklmnopqrstuvwxyz"
    );
    assert_eq!(
        Redactor::default().clean(&text, &mut counts),
        "push with [redacted:github-token] failed"
    );
    assert_eq!(counts, BTreeMap::from([("github-token".to_owned(), 1)]));
}

#[test]
fn the_secrets_of_the_corpus_are_seen_and_named() {
    let lines = corpus("secrets.txt");
    let mut missed = Vec::new();
    for line in &lines {
        let (kind, text) = line.split_once('\t').unwrap();
        let (front, rest) = text.split_once('⟦').unwrap();
        let (secret, back) = rest.split_once('⟧').unwrap();
        let cleaned = clean(&format!("{front}{secret}{back}"));
        if cleaned != format!("{front}[redacted:{kind}]{back}") {
            missed.push(format!("{kind}: {text}\n  became {cleaned}"));
        }
    }
    let permille = (lines.len() - missed.len()) * 1_000 / lines.len();
    println!("recall {permille} of 1,000 at {} secrets", lines.len());
    assert!(permille >= RECALL_PERMILLE_MIN, "{}", missed.join("\n"));
}

#[test]
fn what_is_no_secret_is_kept() {
    let lines = corpus("kept.txt");
    let eaten: Vec<String> = lines
        .iter()
        .filter(|line| clean(line) != **line)
        .map(|line| format!("{line}\n  became {}", clean(line)))
        .collect();
    println!("false alarms {} in {} lines", eaten.len(), lines.len());
    assert!(eaten.is_empty(), "{}", eaten.join("\n"));
}
