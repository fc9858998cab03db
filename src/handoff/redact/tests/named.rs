use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{clean, percent_encoded, survives, unicode_escaped};
use crate::handoff::clip;
use crate::handoff::redact::{Redactor, may_be_of};

/// Every way in which a text may hold `value` under `name`.
fn named(name: &str, value: &str, front: &str, back: &str) -> Vec<String> {
    let json = serde_json::json!({ name: value }).to_string();
    let deep = serde_json::to_string(&json).unwrap();
    let raw = format!("{front}{name}={value} {back}");
    vec![
        format!("{front}{json}{back}"),
        format!("{front}{deep}{back}"),
        serde_json::to_string(&deep).unwrap(),
        serde_json::to_string(&raw).unwrap(),
        format!("{front}export {name}={value}\n{back}"),
        format!("{front}export {name}='{value}'{back}"),
        format!("{front}env {name}=\"{value}\" run {back}"),
        format!("{front}\n{name}: {value}\n{back}"),
        format!("{front}\n  {name}: '{value}'\n{back}"),
        format!("{front}\n{name} = \"{value}\"\n{back}"),
        format!(
            "https://h/p?a=b&{name}={}&c=d {back}",
            percent_encoded(value)
        ),
        format!("{front} --{name} {value} {back}"),
        format!("{{\"{name}\": \"{}\"}}", unicode_escaped(value)),
        raw,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_value_of_a_telling_name_survives(
        name in "(DB_|my-)?(password|PASSWORD|secret|API_KEY|api_key|access_token|TOKEN)",
        value in "[a-zA-Z0-9]{8,12}[0-9][a-z][A-Z0-9]{4,12}",
        front in "([a-z]{1,8}[ \n]){0,8}",
        back in "[ \n]([a-z]{1,8}[ \n]){0,8}",
        bytes in 0_usize..200,
    ) {
        // A clip between name and value leaves nothing that tells: what we keep is redacted before it is clipped.
        for between in [":\n", ":\r\n", ":\n  ", ":\n`", " | ", "` | `"] {
            let (open, end) = match between.trim_matches(' ') {
                "|" => ("| ", " |"),
                "` | `" => ("| a | `", "` | b |"),
                _ => ("", ""),
            };
            let below = format!("{front}\n{open}{name}{between}{value}{end}\n{back}");
            prop_assert!(!survives(&clean(&below), &value), "{below:?} became {:?}", clean(&below));
        }
        for text in named(&name, &value, &front, &back) {
            prop_assert!(!survives(&clean(&text), &value), "{text:?} became {:?}", clean(&text));
            for clipped in [clip::head(&text, bytes), clip::ends(&text, bytes), clip::one_line(&text, bytes)] {
                prop_assert!(!survives(&clean(&clipped), &value), "{clipped:?} became {:?}", clean(&clipped));
            }
        }
    }

    #[test]
    fn no_value_in_a_url_or_a_header_survives(
        value in "[a-zA-Z0-9]{8,12}[0-9][a-z][A-Z0-9]{4,12}",
        front in "([a-z]{1,8}[ \\n]){0,8}",
        back in "[ \\n]([a-z]{1,8}[ \\n]){0,8}",
        bytes in 0_usize..200,
    ) {
        let carriers = [
            format!("postgres://app:{value}@db:5432/app"),
            format!("DATABASE_URL=mysql://root:{value}@h/d"),
            format!("Authorization: Bearer {value}"),
            format!("curl -H \"Authorization: token {value}\" https://h"),
            format!("curl -H 'Cookie: sid={value}; b=c' https://h"),
            format!("curl -u me:{value} https://h"),
            format!("Server=h;User Id=sa;Password={value};Encrypt=true"),
            format!("<password>{value}</password>"),
        ];
        for carrier in carriers {
            let raw = format!("{front}{carrier}{back}");
            let json = serde_json::to_string(&raw).unwrap();
            for text in [serde_json::to_string(&json).unwrap(), json.replace('/', "\\/"), json, raw] {
                prop_assert!(!survives(&clean(&text), &value), "{text:?} became {:?}", clean(&text));
                for clipped in [clip::head(&text, bytes), clip::ends(&text, bytes), clip::one_line(&text, bytes)] {
                    prop_assert!(!survives(&clean(&clipped), &value), "{clipped:?} became {:?}", clean(&clipped));
                }
            }
        }
    }

    #[test]
    fn no_known_value_survives(value in "[ -~]{12,30}", front in "([ -~]{0,8}[ -Z])?", back in "[ -~]{0,9}") {
        let redactor = Redactor::new(vec![value.clone()]);
        let raw = format!("{front}{value}{back}");
        let json = serde_json::to_string(&raw).unwrap();
        let texts = [
            serde_json::to_string(&json).unwrap(),
            format!("{front}'{}'", value.replace('\'', r"'\''")),
            format!("{front}{}{back}", percent_encoded(&value)),
            format!("{front}{}{back}", unicode_escaped(&value)),
            json,
            raw,
        ];
        for text in texts {
            let cleaned = redactor.clean(&text, &mut BTreeMap::new());
            prop_assert!(!survives(&cleaned, value.trim()), "{text:?} became {cleaned:?}");
        }
    }
}

#[test]
fn a_known_value_is_seen_in_base64_at_each_offset() {
    // `printf 'sesame-open-7' | base64`, and behind one and two bytes.
    let texts = [
        "c2VzYW1lLW9wZW4tNw==",
        "YTpzZXNhbWUtb3Blbi03",
        "YXNlc2FtZS1vcGVuLTc=",
    ];
    let redactor = Redactor::new(vec!["sesame-open-7".into(), "abc".into()]);
    for text in texts {
        let mut counts = BTreeMap::new();
        redactor.clean(text, &mut counts);
        assert_eq!(
            counts,
            BTreeMap::from([("literal".to_owned(), 1)]),
            "{text}"
        );
    }
    assert_eq!(redactor.clean("abc", &mut BTreeMap::new()), "abc");
}

#[test]
fn a_word_that_is_known_is_taken_out_whole() {
    let redactor = Redactor::new(vec!["nightjar".to_owned(), "Zq81kkd0".to_owned()]);
    let clean = |text: &str| redactor.clean(text, &mut BTreeMap::new());
    assert_eq!(
        clean("nightjars, (nightjar) my_nightjar -pZq81kkd0x"),
        "nightjars, ([redacted:literal]) my_[redacted:literal] -p[redacted:literal]x"
    );
}

#[test]
fn what_was_taken_out_of_a_name_may_have_been_anything() {
    let check = |clean: &str, text: &str, expect: bool| {
        assert_eq!(may_be_of(clean, text), expect, "{clean} {text}");
    };
    check("main", "main", true);
    check("main", "maine", false);
    check("feat/[redacted:github-token]", "feat/ghp_0", true);
    check("feat/[redacted:github-token]", "fix/ghp_0", false);
    check("a/[redacted:x]-b", "a/secret-b", true);
    check("a/[redacted:x]-b", "a/secret-c", false);
    check("a/[redacted:x]-b/[redacted:y]", "a/1-b/2", true);
}
