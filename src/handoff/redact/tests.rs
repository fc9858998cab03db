use proptest::prelude::*;

use super::shapes::{SHAPES, Shape};
use super::*;

/// Of the secrets in the corpus so many of 1,000 must be seen.
const RECALL_PERMILLE_MIN: usize = 990;

fn clean(text: &str) -> String {
    Redactor::default().clean(text, &mut BTreeMap::new())
}

fn corpus(name: &str) -> Vec<String> {
    let path = format!("{}/fixtures/redact/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with("# "));
    lines.map(str::to_owned).collect()
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
        let text = text.replace('‖', "");
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

fn body(shape: &Shape) -> BoxedStrategy<String> {
    let alphabet: Vec<u8> = (0..128).filter(|&byte| (shape.body)(byte)).collect();
    let (check, min) = (shape.check, shape.min);
    proptest::collection::vec(proptest::sample::select(alphabet), min..min + 24)
        .prop_filter("a placeholder", move |body| {
            check(body) && body.last() != Some(&b'.')
        })
        .prop_map(|body| String::from_utf8(body).unwrap())
        .boxed()
}

fn token() -> BoxedStrategy<String> {
    (0..SHAPES.len())
        .prop_flat_map(|index| {
            let shape = &SHAPES[index];
            body(shape)
                .prop_map(|body| format!("{}{}{body}", &"a1B2c3D4"[..shape.lead], shape.prefix))
        })
        .boxed()
}

fn unicode_escaped(text: &str) -> String {
    text.chars()
        .map(|c| format!("\\u{:04x}", c as u32))
        .collect()
}

fn percent_encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Every way in which a text may hold `token`, with what reads it back.
fn held(token: &str, front: &str, back: &str) -> Vec<String> {
    let raw = format!("{front}{token}{back}");
    let json = serde_json::to_string(&raw).unwrap();
    let deep = serde_json::to_string(&json).unwrap();
    vec![
        raw.clone(),
        deep,
        json.replace('/', "\\/"),
        format!("{front} '{token}' {back}"),
        format!("{front} \"{token}\"{back}"),
        format!("NAME={token}\n{back}"),
        format!("name: {token}\n{back}"),
        format!("{front}{}{back}", unicode_escaped(token)),
        format!("{front}%3D{}{back}", percent_encoded(token)),
    ]
}

fn survives(text: &str, token: &str) -> bool {
    const PART_BYTES: usize = 12;
    let parts: Vec<&[u8]> = token.as_bytes().windows(PART_BYTES).collect();
    let mut read = text.as_bytes().to_vec();
    for _ in 0..3 {
        if parts
            .iter()
            .any(|part| memchr::memmem::find(&read, part).is_some())
        {
            return true;
        }
        match view::decoded(&read) {
            Some(view) => read = view.text,
            None => break,
        }
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_token_of_a_known_shape_survives_beside_any_neighbours(
        token in token(),
        front in "(?s)[ -~\n\té…]{0,40}",
        back in "(?s)[ -~\n\té…]{0,40}",
    ) {
        for text in held(&token, &front, &back) {
            prop_assert!(!survives(&clean(&text), &token), "{text:?} became {:?}", clean(&text));
        }
    }

    #[test]
    fn no_token_survives_a_clip_before_it_is_looked_for(
        token in token(),
        words in proptest::collection::vec("[a-z]{1,12}[ \n]", 0..40),
        at in 0_usize..40,
        bytes in 0_usize..400,
    ) {
        let at = at.min(words.len());
        let text = format!("{}{token} {}", words[..at].concat(), words[at..].concat());
        for clipped in [crate::handoff::clip::head(&text, bytes), crate::handoff::clip::ends(&text, bytes)] {
            prop_assert!(!survives(&clean(&clipped), &token), "{clipped:?}");
        }
    }

    #[test]
    fn cleaning_is_total_and_settles(text in "(?s).{0,200}", token in token()) {
        for text in [text.clone(), format!("password={text}{token}:{text}@")] {
            let once = clean(&text);
            prop_assert_eq!(clean(&once), once);
        }
    }
}
