//! It takes a text for what `serde_json` takes it for, and never falls over one.

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::handoff::clip;

/// A type that asks for some of a value's members.
#[derive(Deserialize, Debug, PartialEq)]
struct Asked<'l> {
    #[serde(borrow)]
    a: Option<Cow<'l, str>>,
    b: Option<i64>,
    c: Option<bool>,
    #[serde(default)]
    d: Vec<f64>,
}

/// Any value, written with the blanks and escapes that a text may have.
fn json() -> impl Strategy<Value = String> {
    let blank = || prop::sample::select(vec!["", "", " ", "\n\t"]);
    let string = || {
        let parts = prop::sample::select(vec![
            "a",
            "é",
            "漢",
            "{",
            "]",
            ",",
            ":",
            "\\n",
            "\\\"",
            "\\\\",
            "\\/",
            "\\u00e9",
            "\\u0007",
            "\\ud83d\\ude00",
            "😀",
            " ",
            "word",
        ]);
        prop::collection::vec(parts, 0..40).prop_map(|parts| format!("\"{}\"", parts.concat()))
    };
    let number = prop::sample::select(vec![
        "0",
        "-7",
        "1.5",
        "12e3",
        "18446744073709551615",
        "-9223372036854775808",
    ]);
    let word = prop::sample::select(vec!["null", "true", "false"]);
    let leaf = prop_oneof![
        string(),
        number.prop_map(str::to_owned),
        word.prop_map(str::to_owned)
    ];
    leaf.prop_recursive(4, 64, 6, move |inner| {
        let key = prop_oneof![
            prop::sample::select(vec!["\"a\"", "\"b\"", "\"c\"", "\"d\""]).prop_map(str::to_owned),
            string()
        ];
        let spaced =
            (blank(), inner.clone(), blank()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        let member = (key, spaced.clone()).prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            prop::collection::vec(spaced, 0..6).prop_map(|all| format!("[{}]", all.join(","))),
            prop::collection::vec(member, 0..6).prop_map(|all| format!("{{{}}}", all.join(","))),
        ]
    })
}

/// As `serde_json` has it, escapes of half a pair aside.
fn theirs(text: &[u8]) -> Option<Value> {
    serde_json::from_slice(text).ok()
}

#[test]
fn what_is_no_json_is_refused() {
    for text in [
        "",
        " ",
        "{",
        "[",
        "\"",
        "\"\\\"",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{1:2}",
        "[1 2]",
        "[1,]",
        "{} {}",
        "1 2",
        "\"\\q\"",
        "\"\\u12\"",
        "nul",
        "]",
        ",",
    ] {
        assert_eq!(read::<Value>(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn half_of_a_pair_and_bytes_that_are_no_text_spoil_one_character() {
    let check = |text: &[u8], expect: &str| {
        assert_eq!(read::<Cow<'_, str>>(text).as_deref(), Some(expect));
    };
    check(br#""a\ud83d""#, "a\u{fffd}");
    check(br#""\ud83d\u0041""#, "\u{fffd}A");
    check(br#""\ude00 \ud83d\ude00""#, "\u{fffd} 😀");
    check(b"\"a\xff\"", "a\u{fffd}");
    check(b"\"a\xff\\n\"", "a\u{fffd}\n");
}

#[test]
fn nothing_is_too_deep_to_be_passed_over() {
    let deep = format!(
        "{{\"x\":{}{},\"a\":\"b\"}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let read: Asked<'_> = read(deep.as_bytes()).unwrap();
    assert_eq!(read.a.as_deref(), Some("b"));
}

#[test]
fn a_piece_is_the_value_as_it_stands() {
    let piece: Vec<Piece<'_>> = read(br#" [ {"a": [1, "]"]} ,"\"b" , 12e3,null]"#).unwrap();
    let bytes: Vec<&[u8]> = piece.iter().map(|piece| piece.bytes()).collect();
    assert_eq!(
        bytes,
        [&br#"{"a": [1, "]"]}"#[..], br#""\"b""#, b"12e3", b"null"]
    );
    assert_eq!(piece[1].text().as_deref(), Some("\"b"));
    assert_eq!(piece[2].text(), None);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_text_is_what_serde_json_takes_it_for(text in json()) {
        let text = text.as_bytes();
        let value = theirs(text);
        prop_assert!(value.is_some());
        prop_assert_eq!(&read::<Value>(text), &value);
        let piece: Piece<'_> = read(text).unwrap();
        prop_assert_eq!(&piece.read::<Value>(), &value);
        let string = value.as_ref().and_then(Value::as_str);
        prop_assert_eq!(piece.text().map(Cow::into_owned), string.map(str::to_owned));
    }

    #[test]
    fn a_type_gets_the_same_members(text in json()) {
        let theirs = serde_json::from_str::<Asked<'_>>(&text).ok();
        if !text.trim_start().starts_with('[') {
            prop_assert_eq!(read::<Asked<'_>>(text.as_bytes()), theirs);
        }
    }

    #[test]
    fn a_text_that_is_cut_off_is_refused(text in json(), at: prop::sample::Index) {
        let text = text.trim();
        let cut = &text.as_bytes()[..at.index(text.len())];
        prop_assert_eq!(read::<Value>(cut), theirs(cut));
        if text.starts_with(['{', '[', '"']) {
            prop_assert!(read::<Piece<'_>>(cut).is_none());
            prop_assert!(read::<Asked<'_>>(cut).is_none());
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(mut bytes: Vec<u8>, text in json(), at: prop::sample::Index, to: u8) {
        let _: Option<Value> = read(&bytes);
        bytes.splice(0..0, *b"{\"a\":\"");
        let _: Option<Asked<'_>> = read(&bytes);
        let mut text = text.into_bytes();
        let at = at.index(text.len());
        text[at] = to;
        let ours = read::<Value>(&text);
        if let Some(theirs) = theirs(&text) {
            prop_assert_eq!(ours, Some(theirs));
        }
    }

    #[test]
    fn the_ends_of_a_part_are_the_ends_of_the_whole(parts in prop::collection::vec("[a-z:=é漢 \\n\"\u{7}😀-]{0,40}", 0..60), bytes in 0_usize..600) {
        let text = parts.concat();
        for escaped in [serde_json::to_string(&text).unwrap(), ascii(&text)] {
            let piece: Piece<'_> = read(escaped.as_bytes()).unwrap();
            let whole = piece.text().unwrap();
            prop_assert_eq!(&*whole, text.as_str());
            let part = piece.text_for_ends(bytes).unwrap();
            prop_assert_eq!(clip::ends(&part, bytes), clip::ends(&text, bytes));
            prop_assert!(part.len() <= 8 * (bytes + 2 * BESIDE_BYTES));
        }
    }
}

/// A string of escapes alone.
fn ascii(text: &str) -> String {
    let units: String = text
        .encode_utf16()
        .map(|unit| format!("\\u{unit:04x}"))
        .collect();
    format!("\"{units}\"")
}
