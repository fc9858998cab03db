use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Entry, add, list, remove};

fn handler(binary: &str) -> Value {
    json!({ "type": "command", "command": binary, "args": ["hook", "x"], "timeout": 9 })
}

fn entries(binary: &str) -> Vec<Entry> {
    let entry = |event, matcher| Entry {
        event,
        matcher,
        handler: handler(binary),
    };
    vec![
        entry("PreCompact", None),
        entry("Stop", None),
        entry("PreToolUse", Some("Agent|Task")),
    ]
}

fn is_ours(handler: &Value) -> bool {
    handler["args"] == json!(["hook", "x"])
}

/// Puts our entries into `before`, expects `after`, and the old bytes when they are taken out again.
fn check_added(before: Option<&str>, after: &str) {
    let entry = entries("/bin/s").remove(1);
    let added = add(before, &[entry], is_ours).unwrap();
    assert_eq!(added, after);
    assert_eq!(remove(&added, is_ours).unwrap().as_deref(), before);
}

#[test]
fn a_file_that_is_not_there_is_made_and_goes_again() {
    check_added(
        None,
        r#"{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/bin/s",
            "args": [
              "hook",
              "x"
            ],
            "timeout": 9
          }
        ]
      }
    ]
  }
}
"#,
    );
}

#[test]
fn our_lines_follow_the_files_own_manner() {
    check_added(
        Some("{\r\n\t\"model\": \"m\"\r\n}"),
        "{\r\n\t\"model\": \"m\",\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t{\r\n\t\t\t\t\"hooks\": [\r\n\t\t\t\t\t{\
         \r\n\t\t\t\t\t\t\"type\": \"command\",\r\n\t\t\t\t\t\t\"command\": \"/bin/s\",\r\n\t\t\t\t\t\t\"args\": [\
         \r\n\t\t\t\t\t\t\t\"hook\",\r\n\t\t\t\t\t\t\t\"x\"\r\n\t\t\t\t\t\t],\r\n\t\t\t\t\t\t\"timeout\": 9\
         \r\n\t\t\t\t\t}\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}",
    );
}

#[test]
fn others_hooks_stay_where_they_are() {
    let theirs = r#"{
    "hooks": {
        "Stop": [
            { "hooks": [ { "type": "command", "command": "beep" } ] }
        ]
    },
    "model": "opus"
}
"#;
    let added = add(Some(theirs), &entries("/bin/s"), is_ours).unwrap();
    let (head, tail) = theirs.split_once("\n        ]").unwrap();
    assert!(added.starts_with(&format!("{head},\n            {{\n")));
    assert!(added.contains("\"PreCompact\": [\n"));
    assert!(added.ends_with(tail.split_once('}').unwrap().1));
    assert_eq!(remove(&added, is_ours).unwrap().unwrap(), theirs);
}

/// A file of some manner is the same after our entries came and went.
fn check_comes_back(before: &str) {
    let added = add(Some(before), &entries("/bin/s"), is_ours).unwrap();
    assert_eq!(list(&added, is_ours).unwrap().len(), 3, "{added}");
    assert_eq!(
        add(Some(&added), &entries("/bin/s"), is_ours).unwrap(),
        added
    );
    assert_eq!(
        remove(&added, is_ours).unwrap().as_deref(),
        Some(before),
        "{added}"
    );
}

#[test]
fn what_was_empty_before_is_empty_again() {
    for before in [
        "",
        "\n",
        "\r\n\r\n",
        "{}",
        "{}\n",
        "{ }",
        "{\n}\n",
        "{\n\n}",
        "\u{feff}{}",
        r#"{"hooks":{}}"#,
        "{\n  \"hooks\": {\n  }\n}\n",
        r#"{"hooks":{"Stop":[]},"a":1}"#,
        "{\n  \"hooks\": {\n    \"PreCompact\": [],\n    \"Stop\": [ ],\n    \"PreToolUse\": [\n    ]\n  }\n}\n",
        r#"{"hooks":{"Stop":[{}],"PreToolUse":[{"matcher":"Agent|Task","hooks":[]}]}}"#,
        r#"{"a":"\ud83d\ude00 \u00e9"}"#,
        r#"{"hooks":{},"hooks":{"Stop":[1]}}"#,
    ] {
        check_comes_back(before);
    }
}

#[test]
fn an_entry_with_an_old_path_is_corrected_in_place() {
    let old = add(None, &entries("/old/s"), is_ours).unwrap();
    let moved = add(Some(&old), &entries("/new/s"), is_ours).unwrap();
    assert_eq!(moved, old.replace("/old/s", "/new/s"));
}

#[test]
fn entries_that_an_older_version_wrote_go() {
    let all = entries("/bin/s");
    let older = add(Some("{\"a\": 1}"), &all, is_ours).unwrap();
    let newer = add(Some(&older), &all[1..2], is_ours).unwrap();
    let events: Vec<String> = list(&newer, is_ours)
        .unwrap()
        .into_iter()
        .map(|f| f.event)
        .collect();
    assert_eq!(events, ["Stop"]);
    assert_eq!(remove(&newer, is_ours).unwrap().unwrap(), "{\"a\": 1}");
}

#[test]
fn a_double_of_ours_goes_and_its_neighbours_stay() {
    let ours = handler("/bin/s");
    let text =
        format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{ours},{{"command":"beep"}},{ours}]}}]}}}}"#);
    let once = add(Some(&text), &entries("/bin/s")[1..2], is_ours).unwrap();
    assert_eq!(
        once,
        format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{ours},{{"command":"beep"}}]}}]}}}}"#)
    );
    let none = remove(&once, is_ours).unwrap().unwrap();
    assert_eq!(
        none,
        r#"{"hooks":{"Stop":[{"hooks":[{"command":"beep"}]}]}}"#
    );
}

fn check_refused(text: &str, message: &str) {
    let error = add(Some(text), &entries("/bin/s"), is_ours).unwrap_err();
    assert_eq!(format!("{error:#}"), message);
}

#[test]
fn a_file_that_we_do_not_understand_is_refused() {
    check_refused(
        "{\n  \"a\": 1,\n}",
        "not valid JSON: key must be a string at line 3 column 1",
    );
    check_refused(
        "{} // mine",
        "not valid JSON: trailing characters at line 1 column 4",
    );
    check_refused("[]", "the text is not an object");
    check_refused("{\"hooks\": []}", "`hooks` is not an object");
    check_refused(
        "{\"hooks\": {\"Stop\": null}}",
        "`hooks.Stop` is not an array",
    );
}

/// JSON objects as settings files are, some with hooks of others.
fn settings() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z\"\\\\\n{}\\[\\],: é😀]{0,6}".prop_map(Value::from),
    ];
    let any_value = leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z\"]{0,3}", inner), 0..4)
                .prop_map(|pairs| pairs.into_iter().collect()),
        ]
    });
    let their_group = (any::<Option<bool>>(), 0..3usize).prop_map(|(matcher, count)| {
        let handlers = vec![json!({ "type": "command", "command": "beep" }); count];
        match matcher {
            Some(true) => json!({ "matcher": "Agent|Task", "hooks": handlers }),
            Some(false) => json!({ "hooks": handlers, "matcher": "" }),
            None => json!({ "hooks": handlers }),
        }
    });
    let groups = prop::collection::vec(their_group, 0..3).prop_map(Value::from);
    let event = prop_oneof![Just("Stop"), Just("PreCompact"), Just("Notification")];
    let hooks = prop::collection::vec((event.prop_map(str::to_owned), groups), 0..3)
        .prop_map(|pairs| pairs.into_iter().collect::<Value>());
    let members = prop::collection::vec(("[b-z\"]{0,3}", any_value), 0..4);
    (members, prop::option::of(hooks), 0..4usize).prop_map(|(mut members, hooks, at)| {
        if let Some(hooks) = hooks {
            members.insert(at.min(members.len()), ("hooks".to_owned(), hooks));
        }
        members.into_iter().collect()
    })
}

/// `value` with blanks wherever JSON allows some, each the next of `blanks`.
fn write(value: &Value, blanks: &mut impl Iterator<Item = &'static str>, out: &mut String) {
    let (open, close) = match value {
        Value::Array(_) => ("[", "]"),
        Value::Object(_) => ("{", "}"),
        leaf => return out.push_str(&leaf.to_string()),
    };
    let named: Vec<(Option<&String>, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, v)| (Some(name), v)).collect(),
        other => other
            .as_array()
            .unwrap()
            .iter()
            .map(|v| (None, v))
            .collect(),
    };
    let mut blank = || blanks.next().unwrap();
    let mut pieces = vec![open.to_owned(), blank().to_owned()];
    for (number, (name, _)) in named.iter().enumerate() {
        let comma = if number > 0 { "," } else { "" };
        let name =
            name.map(|name| format!("{}{}:{}", Value::from(name.as_str()), blank(), blank()));
        pieces.push(format!("{comma}{}{}", blank(), name.unwrap_or_default()));
        pieces.push(blank().to_owned());
    }
    out.push_str(&pieces[..2].concat());
    for (number, (_, child)) in named.into_iter().enumerate() {
        out.push_str(&pieces[2 + 2 * number]);
        write(child, blanks, out);
        out.push_str(&pieces[3 + 2 * number]);
    }
    out.push_str(close);
}

/// A text of `value` in a manner that `manner` chooses: nothing, blanks, tabs, both kinds of line end.
fn text_of(value: &Value, manner: &[&'static str]) -> String {
    let mut text = String::new();
    let mut blanks = manner.iter().copied().cycle();
    text.push_str(blanks.next().unwrap());
    write(value, &mut blanks, &mut text);
    text.push_str(blanks.next().unwrap());
    text
}

proptest! {
    #[test]
    fn any_file_comes_back_to_the_byte(
        value in settings(),
        manner in prop::collection::vec(
            prop::sample::select(vec!["", "", " ", "\n", "\n  ", "\n\t", "\r\n    ", "\n\n"]), 1..9),
    ) {
        let before = text_of(&value, &manner);
        let added = add(Some(&before), &entries("/bin/s"), is_ours).unwrap();
        prop_assert_eq!(list(&added, is_ours).unwrap().len(), 3);
        prop_assert_eq!(&add(Some(&added), &entries("/bin/s"), is_ours).unwrap(), &added);
        prop_assert_eq!(remove(&added, is_ours).unwrap(), Some(before));
    }

    #[test]
    fn what_others_wrote_means_the_same_with_ours_in_it(value in settings()) {
        let before = value.to_string();
        let added = add(Some(&before), &entries("/bin/s"), is_ours).unwrap();
        let mut after: Value = serde_json::from_str(&added).unwrap();
        for (name, theirs) in value.as_object().unwrap() {
            let kept = after.as_object_mut().unwrap().remove(name).unwrap();
            if name == "hooks" {
                for (event, groups) in theirs.as_object().unwrap() {
                    let groups = groups.as_array().unwrap();
                    prop_assert_eq!(&kept[event].as_array().unwrap()[..groups.len()], &groups[..]);
                }
            } else {
                prop_assert_eq!(&kept, theirs);
            }
        }
    }

    #[test]
    fn no_text_makes_it_fail_otherwise_than_by_an_error(text in "[ -~\n{}\\[\\]\",:]{0,40}") {
        if let Ok(added) = add(Some(&text), &entries("/bin/s"), is_ours) {
            prop_assert_eq!(remove(&added, is_ours).unwrap(), Some(text));
        }
    }
}
