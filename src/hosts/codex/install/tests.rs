use super::*;

const BINARY: &str = "/opt/bin/git-segue";
/// The plugin's hooks, which call the program from `PATH`.
const PLUGIN_HOOKS: &str = "hooks/codex/hooks.json";

fn events(text: &str) -> Vec<String> {
    let wired = list(text).unwrap().into_iter();
    wired.map(|hook| hook.event).collect()
}

#[test]
fn the_plugin_wires_the_same_events() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PLUGIN_HOOKS);
    let expected = hooks_file::add(None, &entries(PROGRAM), is_ours).unwrap();
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(found, expected, "{PLUGIN_HOOKS} should be:\n{expected}");
}

#[test]
fn the_file_has_no_key_that_codex_does_not_know() {
    let text = add(None, Path::new(BINARY)).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let keys = |value: &Value| -> Vec<String> {
        let members = value.as_object().unwrap();
        members.keys().cloned().collect()
    };
    assert_eq!(keys(&file), ["hooks"]);
    assert_eq!(keys(&file["hooks"]), EVENTS.map(|(event, _, _)| event));
    for (event, matcher, timeout) in EVENTS {
        let groups = file["hooks"][event].as_array().unwrap();
        assert_eq!(groups.len(), 1, "{event}");
        assert_eq!(groups[0]["matcher"].as_str(), matcher, "{event}");
        let handler = json!({"type": "command", "command": "/opt/bin/git-segue hook codex", "timeout": timeout});
        assert_eq!(groups[0]["hooks"], json!([handler]), "{event}");
    }
    assert_eq!(file["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"], 3);
}

#[test]
fn a_file_with_hooks_of_others_keeps_them_to_the_byte() {
    let theirs = "{ \"description\": \"mine\",\n    \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"beep\"}]}]}\n}\n";
    let wired = add(Some(theirs), Path::new(BINARY)).unwrap();
    assert_eq!(add(Some(&wired), Path::new(BINARY)).unwrap(), wired);
    assert_eq!(events(&wired).len(), EVENTS.len());
    assert_eq!(remove(&wired).unwrap().as_deref(), Some(theirs));
    assert_eq!(remove(theirs).unwrap().as_deref(), Some(theirs));
    assert_eq!(
        remove(&add(None, Path::new(BINARY)).unwrap()).unwrap(),
        None
    );
}

#[test]
fn a_path_with_blanks_is_one_word_and_a_moved_program_is_followed() {
    let old = add(None, Path::new("/home/a b/it's/git-segue")).unwrap();
    let binaries: Vec<_> = list(&old)
        .unwrap()
        .into_iter()
        .filter_map(|hook| hook.binary)
        .collect();
    assert_eq!(
        binaries,
        [Path::new("/home/a b/it's/git-segue"); EVENTS.len()]
    );
    assert_eq!(
        old.matches(r#""'/home/a b/it'\\''s/git-segue' hook codex""#)
            .count(),
        EVENTS.len()
    );
    let new = add(Some(&old), Path::new(BINARY)).unwrap();
    assert_eq!(new, add(None, Path::new(BINARY)).unwrap());
}

#[test]
fn another_program_that_is_called_alike_is_not_ours() {
    let theirs = r#"{"hooks":{"Stop":[{"hooks":[
        {"type":"command","command":"/bin/git-segue-dev hook codex"},
        {"type":"command","command":"/bin/git-segue hook claude-code"},
        {"type":"command","command":"sleep 1; git-segue hook codex"},
        {"type":"command","command":7}]}]}}"#;
    assert_eq!(events(theirs), [""; 0]);
    assert_eq!(remove(theirs).unwrap().as_deref(), Some(theirs));
}

#[test]
fn what_is_no_json_is_refused_and_left() {
    for text in ["{", "[]", "{\"hooks\":[]}"] {
        assert!(add(Some(text), Path::new(BINARY)).is_err(), "{text}");
    }
}

#[test]
fn the_file_is_where_codex_looks_for_it() {
    let mut places = Places {
        home: Some("/home/dev".into()),
        ..Places::default()
    };
    assert_eq!(
        user_file(&places).unwrap(),
        Path::new("/home/dev/.codex/hooks.json")
    );
    places.codex_home = Some("/srv/codex".into());
    assert_eq!(
        user_file(&places).unwrap(),
        Path::new("/srv/codex/hooks.json")
    );
    assert_eq!(user_file(&Places::default()), None);
    assert_eq!(
        project_file(Path::new("/w")),
        Path::new("/w/.codex/hooks.json")
    );
}
