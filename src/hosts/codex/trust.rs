//! Which of our hooks Codex would run: it passes over those that the person has not trusted, without a word.
//!
//! Codex 0.171.0 keeps that in its `config.toml`, a table for each handler with the hash of what was trusted:
//! `[hooks.state."<hooks file>:<event>:<group>:<handler>"]`, `trusted_hash = "sha256:…"`, `enabled = false`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::install::{is_ours, project_file, user_file};
use super::toml_lines::{Line, lines};
use crate::handoff::session::sha256_hex;
use crate::hosts::{Obstacle, Places, Standing};

/// The plugin's name; behind it stands the marketplace that it came from.
const PLUGIN: &str = "git-segue@";
/// A whole SHA-256 in hex digits.
const HASH_DIGITS: usize = 64;
/// What Codex allows a hook that says nothing, in seconds.
const TIMEOUT_DEFAULT_SECONDS: u64 = 600;
/// Events at which Codex allows little: without a limit of its own 1 s, and at most 3 s.
const SHORT_EVENTS: &[&str] = &["SessionEnd", "Interrupt"];
/// Events at which Codex looks at no matcher, and leaves it out of the hash.
const EVENTS_WITHOUT_MATCHER: &[&str] = &["UserPromptSubmit", "Stop", "SessionEnd", "Interrupt"];
/// The limit of added context that goes without saying, in tokens.
const CONTEXT_LIMIT_DEFAULT_TOKENS: u64 = 2_500;

/// What Codex's own files say about our hooks: those of the person, of the project and of a plugin. Keys hold a file's
/// path as Codex writes it, so `places` and `project_root` have to be what Codex is given too.
pub(super) fn standing(places: &Places, project_root: Option<&Path>) -> Standing {
    let mut standing = Standing::default();
    let Some(folder) = places.codex_folder() else {
        return standing;
    };
    let config = folder.join("config.toml");
    let state = state(&std::fs::read_to_string(&config).unwrap_or_default());
    let mut wired: Vec<(String, PathBuf)> = [user_file(places), project_root.map(project_file)]
        .into_iter()
        .flatten()
        .map(|file| (file.display().to_string(), file))
        .collect();
    for plugin in &state.plugins {
        standing.plugins.push(config.clone());
        if let Some(file) = plugin_hooks(&folder, plugin) {
            wired.push((format!("{plugin}:hooks.json"), file));
        }
    }
    if state.off {
        standing.obstacles.push(Obstacle {
            what: format!(
                "`features.hooks` in {} keeps every hook from running",
                config.display()
            ),
            mend: "run `codex features enable hooks`".to_owned(),
        });
    }
    for (key, file) in wired {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let missing = missing(&state, &key, &text);
        if !missing.is_empty() && !state.unread {
            standing.obstacles.push(Obstacle {
                what: format!(
                    "Codex passes over our hooks in {} that nobody trusts: {}",
                    file.display(),
                    missing.join(", ")
                ),
                mend: "type `/hooks` in Codex and trust them".to_owned(),
            });
        }
    }
    standing
}

/// The hooks file of a plugin, where Codex 0.171.0 copied it: `plugins/cache/<marketplace>/<name>/<version>`.
fn plugin_hooks(folder: &Path, plugin: &str) -> Option<PathBuf> {
    let (name, marketplace) = plugin.split_once('@')?;
    let versions = folder.join("plugins/cache").join(marketplace).join(name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(versions)
        .ok()?
        .flatten()
        .map(|version| version.path().join("hooks.json"))
        .filter(|file| file.exists())
        .collect();
    files.sort_unstable();
    files.pop()
}

/// The events of our hooks in that text which are not trusted. `file` is how its key begins.
fn missing(state: &State, file: &str, text: &str) -> Vec<String> {
    let hooks: Value = serde_json::from_str(text).unwrap_or_default();
    ours(&hooks, file)
        .into_iter()
        .filter(|(_, key, hash)| state.trusted.get(key) != Some(hash))
        .map(|(event, _, _)| event)
        .collect()
}

/// What `config.toml` says of hooks.
#[derive(Default)]
struct State {
    /// Hooks are switched off altogether.
    off: bool,
    /// Key → hash of the handlers that are trusted and not switched off.
    trusted: HashMap<String, String>,
    /// Plugins of ours that are switched on.
    plugins: Vec<String>,
    /// Something on hooks is written in a way that we do not read: nothing is said of trust then.
    unread: bool,
}

fn state(config: &str) -> State {
    let mut state = State::default();
    let mut disabled = Vec::new();
    for line in lines(config) {
        let Line { path, value } = line;
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        match (path.as_slice(), value) {
            (["features", "hooks"], Some(value)) => state.off = value == "false",
            (["hooks", "state", key, "trusted_hash"], Some(hash)) => {
                state.trusted.insert((*key).to_owned(), hash);
            }
            (["hooks", "state", key, "enabled"], Some(value)) if value == "false" => {
                disabled.push((*key).to_owned());
            }
            (["plugins", name, "enabled"], Some(value))
                if value == "true" && name.starts_with(PLUGIN) =>
            {
                state.plugins.push((*name).to_owned());
            }
            (["hooks"] | ["hooks", "state", ..] | ["features"], None) => {
                state.unread = true;
            }
            _ => {}
        }
    }
    for key in disabled {
        state.trusted.remove(&key);
    }
    state
}

/// Each handler of ours: its event, its key in Codex's list and the hash that it has to be trusted with.
fn ours(hooks: &Value, file: &str) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for (event, groups) in hooks["hooks"].as_object().into_iter().flatten() {
        for (group_number, group) in groups.as_array().into_iter().flatten().enumerate() {
            let handlers = group["hooks"].as_array().into_iter().flatten();
            for (number, handler) in handlers.enumerate().filter(|(_, handler)| is_ours(handler)) {
                let key = format!("{file}:{}:{group_number}:{number}", snake(event));
                found.push((event.clone(), key, hash(event, &group["matcher"], handler)));
            }
        }
    }
    found
}

/// The hash that Codex 0.171.0 makes of a handler: of JSON with sorted keys and without blanks.
fn hash(event: &str, matcher: &Value, handler: &Value) -> String {
    let short = SHORT_EVENTS.contains(&event);
    let timeout = match (handler["timeout"].as_u64(), short) {
        (Some(seconds), true) => seconds.min(3),
        (Some(seconds), false) => seconds,
        (None, true) => 1,
        (None, false) => TIMEOUT_DEFAULT_SECONDS,
    };
    let mut hashed = serde_json::Map::new();
    if let Some(limit) = handler["additionalContextLimit"].as_u64()
        && limit != CONTEXT_LIMIT_DEFAULT_TOKENS
    {
        hashed.insert("additionalContextLimit".to_owned(), json!(limit));
    }
    hashed.insert("async".to_owned(), json!(handler["async"] == json!(true)));
    hashed.insert("command".to_owned(), handler["command"].clone());
    if handler["statusMessage"].is_string() {
        hashed.insert("statusMessage".to_owned(), handler["statusMessage"].clone());
    }
    hashed.insert("timeout".to_owned(), json!(timeout));
    hashed.insert("type".to_owned(), json!("command"));
    let mut whole = json!({ "event_name": snake(event), "hooks": [hashed] });
    if matcher.is_string() && !EVENTS_WITHOUT_MATCHER.contains(&event) {
        whole["matcher"] = matcher.clone();
    }
    let hex = sha256_hex(whole.to_string().as_bytes(), HASH_DIGITS);
    format!("sha256:{hex}")
}

/// `PreCompact` as `pre_compact`.
fn snake(event: &str) -> String {
    let mut snake = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::codex::install::add;

    const FILE: &str = "/home/dev/.codex/hooks.json";

    fn wired() -> String {
        add(None, Path::new("/opt/bin/git-segue")).unwrap()
    }

    /// What Codex 0.171.0 itself said of the same file (`hooks/list` of its app server).
    const LISTED: [(&str, &str); 8] = [
        (
            "pre_compact",
            "48572aba14015c892ca1e515852a594a9312ee088faa42867ae54ad5f970a78d",
        ),
        (
            "session_start",
            "d4d8c895ac7d8de4e44928def04f98310f069490620df8b66773ebda609666e4",
        ),
        (
            "user_prompt_submit",
            "c0d15290dd70d79a87ae82f7b0a0d03b8ee43e72f903f3942e1871c635bb5f7d",
        ),
        (
            "stop",
            "18b70ede5b0c04a8a4fc575b4b315ac1ec7590fed06044fedf421605abad48a4",
        ),
        (
            "session_end",
            "98491a11f60c28b0a2d67d56e602f02b8abd8e08fe012c100328746822d2e927",
        ),
        (
            "subagent_start",
            "6a11c1b71f2e42c0f8699b1968a98da85d25666a1b6862fab806e83750f9a501",
        ),
        (
            "subagent_stop",
            "048b96dc03c24eadd947105186f841f82b99e0c34099b517d9d6f9315cab1dfe",
        ),
        (
            "pre_tool_use",
            "9728edae3edd1a447b24ce2dbb207f1c354d79e58eda7c6f9f66fcb134baae36",
        ),
    ];

    /// A config in which the first `count` of them are trusted.
    fn config(count: usize) -> String {
        let entry = |(event, hash): &(&str, &str)| {
            format!("[hooks.state.\"{FILE}:{event}:0:0\"]\ntrusted_hash = \"sha256:{hash}\"\n\n")
        };
        let state: String = LISTED[..count].iter().map(entry).collect();
        format!("model = \"m\"\n\n{state}[projects.\"/w\"]\ntrust_level = \"trusted\"\n")
    }

    fn check(config: &str, expect: &[&str]) {
        let found = missing(&state(config), FILE, &wired());
        assert_eq!(found, expect, "{config}");
    }

    const ALL: [&str; 8] = [
        "PreCompact",
        "SessionStart",
        "UserPromptSubmit",
        "Stop",
        "SessionEnd",
        "SubagentStart",
        "SubagentStop",
        "PreToolUse",
    ];

    #[test]
    fn keys_and_hashes_are_those_of_codex_itself() {
        let hooks: Value = serde_json::from_str(&wired()).unwrap();
        let found = ours(&hooks, FILE);
        let expect =
            LISTED.map(|(event, hash)| (format!("{FILE}:{event}:0:0"), format!("sha256:{hash}")));
        assert_eq!(
            found
                .into_iter()
                .map(|(_, key, hash)| (key, hash))
                .collect::<Vec<_>>(),
            expect
        );
    }

    #[test]
    fn hooks_are_trusted_one_by_one() {
        check(&config(8), &[]);
        check(&config(6), &["SubagentStop", "PreToolUse"]);
        check("", &ALL);
        check(&config(8).replace(FILE, "/other/hooks.json"), &ALL);
        assert_eq!(missing(&State::default(), FILE, "{}"), [""; 0]);
        assert_eq!(missing(&State::default(), FILE, "{"), [""; 0]);
    }

    #[test]
    fn a_hook_that_changed_or_was_switched_off_is_not_trusted() {
        check(
            &config(8).replace("sha256:9728", "sha256:0000"),
            &["PreToolUse"],
        );
        let off = format!(
            "{}\n[hooks.state.'{FILE}:stop:0:0']\nenabled = false\n",
            config(8)
        );
        check(&off, &["Stop"]);
    }

    /// A home of Codex with that config and with our hooks.
    fn home(config: &str) -> (tempfile::TempDir, Places) {
        let home = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            crate::files::replace(&home.path().join(name), text.as_bytes()).unwrap();
        };
        put("config.toml", config);
        put("hooks.json", &wired());
        put("plugins/cache/market/git-segue/0.1.0/hooks.json", &wired());
        let places = Places {
            codex_home: Some(home.path().to_owned()),
            ..Places::default()
        };
        (home, places)
    }

    #[test]
    fn what_nobody_trusts_is_an_obstacle_with_a_way_out() {
        let (home, places) = home("");
        let found = standing(&places, None);
        let file = home.path().join("hooks.json");
        let expect = Obstacle {
            what: format!(
                "Codex passes over our hooks in {} that nobody trusts: {}",
                file.display(),
                ALL.join(", ")
            ),
            mend: "type `/hooks` in Codex and trust them".into(),
        };
        assert_eq!((found.plugins, found.obstacles), (vec![], vec![expect]));
        assert_eq!(standing(&Places::default(), None), Standing::default());
    }

    #[test]
    fn a_plugin_is_seen_and_its_hooks_need_trust_too() {
        let on = "[plugins.\"git-segue@market\"]\nenabled = true\n[plugins.\"git-segue@old\"]\nenabled = false\n";
        let (home, places) = home(on);
        let found = standing(&places, None);
        assert_eq!(found.plugins, [home.path().join("config.toml")]);
        let plugin = &found.obstacles[1].what;
        assert!(
            plugin.contains("/plugins/cache/market/git-segue/0.1.0/hooks.json that"),
            "{plugin}"
        );
        let trusted = config(8).replace(FILE, "git-segue@market:hooks.json");
        assert_eq!(
            missing(&state(&trusted), "git-segue@market:hooks.json", &wired()),
            [""; 0]
        );
    }

    #[test]
    fn hooks_that_are_switched_off_are_an_obstacle_and_what_cannot_be_read_is_none() {
        let (_off, places) = home("[features]\nhooks = false # quiet\n");
        let found = standing(&places, None).obstacles;
        assert_eq!(found[0].mend, "run `codex features enable hooks`");
        let (_unread, places) = home("hooks = { state = {} }");
        assert_eq!(standing(&places, None), Standing::default());
    }
}
