use std::path::{Path, PathBuf};

use super::{add, entries, list, project_file, remove, user_file};
use crate::hosts::{Places, hooks_file};

/// The plugin's hooks, which call the program from `PATH`.
const PLUGIN_HOOKS: &str = "hooks/hooks.json";

#[test]
fn the_plugin_wires_the_same_events() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PLUGIN_HOOKS);
    // The function hook stands beside them; settings files cannot name one.
    let modules = Some("{\n  \"modules\": [\n    \"./register.ts\"\n  ]\n}\n");
    let expected = hooks_file::add(modules, &entries("git-segue"), super::is_ours).unwrap();
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(found, expected, "{PLUGIN_HOOKS} should be:\n{expected}");
}

#[test]
fn a_settings_file_with_everything_else_in_it_keeps_it() {
    let theirs = "{\n  \"permissions\": {\n    \"allow\": [\"Bash(ls:*)\"]\n  },\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"beep\"\n          }\n        ]\n      }\n    ]\n  }\n}\n";
    let wired = add(Some(theirs), Path::new("/opt/bin/git-segue")).unwrap();
    assert_eq!(
        add(Some(&wired), Path::new("/opt/bin/git-segue")).unwrap(),
        wired
    );
    let events: Vec<String> = list(&wired)
        .unwrap()
        .into_iter()
        .map(|hook| hook.event)
        .collect();
    assert_eq!(
        events,
        [
            "Stop",
            "PreCompact",
            "SessionStart",
            "UserPromptSubmit",
            "SessionEnd",
            "SubagentStart",
            "SubagentStop",
            "PreToolUse",
        ]
    );
    assert_eq!(remove(&wired).unwrap().unwrap(), theirs);
}

#[test]
fn a_moved_program_is_followed() {
    let old = add(None, Path::new("/old/git-segue")).unwrap();
    let new = add(Some(&old), Path::new("C:\\bin\\git-segue.exe")).unwrap();
    assert_eq!(
        new,
        old.replace("/old/git-segue", "C:\\\\bin\\\\git-segue.exe")
    );
    assert_eq!(remove(&new).unwrap(), None);
}

#[test]
fn another_program_that_is_called_alike_is_not_ours() {
    let theirs = r#"{"hooks":{"Stop":[{"hooks":[
        {"type":"command","command":"/bin/git-segue-dev","args":["hook","claude-code"]},
        {"type":"command","command":"/bin/git-segue","args":["hook","codex"]},
        {"type":"command","command":"/bin/git-segue hook claude-code"}]}]}}"#;
    assert_eq!(list(theirs).unwrap(), []);
    assert_eq!(remove(theirs).unwrap().unwrap(), theirs);
}

#[test]
fn settings_are_where_claude_code_looks_for_them() {
    let mut places = Places {
        home: Some(PathBuf::from("/home/dev")),
        ..Places::default()
    };
    assert_eq!(
        user_file(&places).unwrap(),
        Path::new("/home/dev/.claude/settings.json")
    );
    places.claude_config = Some(PathBuf::from("/etc/claude"));
    assert_eq!(
        user_file(&places).unwrap(),
        Path::new("/etc/claude/settings.json")
    );
    assert_eq!(user_file(&Places::default()), None);
    assert_eq!(
        project_file(Path::new("/w")),
        Path::new("/w/.claude/settings.local.json")
    );
}
