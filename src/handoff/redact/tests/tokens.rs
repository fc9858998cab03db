use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;

use super::super::encoded;
use super::super::shapes::{SHAPES, Shape};
use super::{clean, percent_encoded, survives, unicode_escaped};
use crate::handoff::clip;

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

/// Base64 of it, in one piece and in lines; what is no text in it would hide it, and is left out.
fn in_base64(token: &str, front: &str, back: &str) -> [String; 3] {
    let whole = STANDARD.encode(format!("{front}\n{token}\n{back}"));
    let lines: Vec<&str> = (0..whole.len())
        .step_by(76)
        .map(|at| &whole[at..whole.len().min(at + 76)])
        .collect();
    [
        format!("{front}: {whole}"),
        format!(
            "echo {} | base64 -d",
            whole.replace('+', "-").replace('/', "_")
        ),
        format!("x:\n{}\n", lines.join("\n")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

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
    fn no_token_survives_in_base64(
        token in token(),
        front in "(?s)[ -~\n\té…]{0,80}",
        back in "(?s)[ -~\n\té…]{0,80}",
    ) {
        for text in in_base64(&token, &front, &back) {
            let cleaned = clean(&text);
            let run = cleaned.split(|c: char| !c.is_ascii_alphanumeric() && !"+/-_".contains(c));
            let decoded: Vec<Vec<u8>> = run.filter_map(|run| encoded::decode(run.as_bytes())).collect();
            let holds = |text: &Vec<u8>| memchr::memmem::find(text, token.as_bytes()).is_some();
            prop_assert!(!decoded.iter().any(holds), "{text:?} became {cleaned:?}");
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
        for clipped in [clip::head(&text, bytes), clip::ends(&text, bytes)] {
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
