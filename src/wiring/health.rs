//! What `doctor` finds about one host: whether its hooks are wired, once, as they should be, and run.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Act, Scope, file, plan, read};
use crate::hosts::{Adapter, Places, Wired};

/// How a finding is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// Something is wrong.
    Bad,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// How it is meant.
    pub(crate) tone: Tone,
    /// What was found, in one line.
    pub(crate) text: String,
    /// What mends it: a command, or something to do in the host.
    pub(crate) mend: Option<String>,
}

impl Finding {
    /// As it should be.
    pub(crate) fn good(text: impl Into<String>) -> Self {
        Self::new(Tone::Good, text, None)
    }

    /// Worth knowing.
    pub(crate) fn note(text: impl Into<String>) -> Self {
        Self::new(Tone::Note, text, None)
    }

    /// Something is wrong, and what mends it.
    pub(crate) fn bad(text: impl Into<String>, mend: impl Into<String>) -> Self {
        Self::new(Tone::Bad, text, Some(mend.into()))
    }

    fn new(tone: Tone, text: impl Into<String>, mend: Option<String>) -> Self {
        Self {
            tone,
            text: text.into(),
            mend,
        }
    }
}

/// A settings file with hooks of ours in it.
struct Place {
    path: PathBuf,
    /// What stands behind `git segue init <host>` to reach it.
    flag: &'static str,
    hooks: Vec<Wired>,
}

/// What the files of that host say. `root` is the project's root, where there is one; `program` is this program.
pub(crate) fn examine(
    host: &Adapter,
    places: &Places,
    root: Option<&Path>,
    program: &Path,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let scopes = [
        (Some(Scope::Person), " --global"),
        (root.map(Scope::Project), ""),
    ];
    let mut wired = Vec::new();
    for (scope, flag) in scopes {
        // Without a home there is no such file.
        let Some(path) = scope.and_then(|scope| file(host, places, scope).ok()) else {
            continue;
        };
        match hooks(host, &path) {
            Ok(hooks) if hooks.is_empty() => {}
            Ok(hooks) => wired.push(Place { path, flag, hooks }),
            Err(err) => findings.push(Finding::bad(
                format!("cannot read `{}`: {err:#}", path.display()),
                format!("correct `{}` by hand", path.display()),
            )),
        }
    }
    let standing = (host.wiring.standing)(places, root);
    findings.extend(wired.iter().flat_map(|place| fit(host, place, program)));
    for plugin in &standing.plugins {
        let on = format!("wired by a plugin that {} switches on", plugin.display());
        findings.push(Finding::good(on));
    }
    findings.extend(times(host, &wired, !standing.plugins.is_empty()));
    if !wired.is_empty() || !standing.plugins.is_empty() {
        let obstacles = standing.obstacles.into_iter();
        findings.extend(obstacles.map(|obstacle| Finding::bad(obstacle.what, obstacle.mend)));
    }
    findings
}

fn hooks(host: &Adapter, path: &Path) -> anyhow::Result<Vec<Wired>> {
    (host.wiring.list)(&read(path)?.unwrap_or_default())
}

/// Whether it is wired once: not at all, and twice, are wrong. A plugin runs once, however many files switch it on.
fn times(host: &Adapter, wired: &[Place], has_plugin: bool) -> Option<Finding> {
    match (wired, has_plugin) {
        ([], false) => Some(Finding::bad(
            "not wired: its compactions are not seen",
            format!("git segue init {}", host.name),
        )),
        ([], true) | ([_], false) => None,
        ([.., last], _) => Some(Finding::bad(
            "wired more than once: every hook runs as often",
            format!("git segue init {}{} --remove", host.name, last.flag),
        )),
    }
}

/// Whether the hooks of one file are ours of today and call a program that is there.
fn fit(host: &Adapter, place: &Place, program: &Path) -> Vec<Finding> {
    let path = place.path.display();
    let again = format!("git segue init {}{}", host.name, place.flag);
    let called = place.hooks.iter().find_map(|hook| hook.binary.as_deref());
    let Some(called) = called.filter(|called| is_program(called)) else {
        let gone = called.map_or("nothing".to_owned(), |called| called.display().to_string());
        let text = format!("wired in {path}, but calls `{gone}`, which is no program");
        return vec![Finding::bad(text, again)];
    };
    let planned = plan(host, place.path.clone(), Act::Wire(called));
    if !planned.is_ok_and(|change| change.is_none()) {
        let text = format!("wired in {path}, but as another version of git-segue does it");
        return vec![Finding::bad(text, again)];
    }
    let mut findings = vec![Finding::good(format!("wired in {path}"))];
    if !is_same_file(called, program) {
        let text = format!(
            "its hooks call {}, and this is {}",
            called.display(),
            program.display()
        );
        findings.push(Finding::note(text));
    }
    findings
}

/// Whether there is a file that may be run. A bare name is the host's to find on its own `PATH`.
fn is_program(path: &Path) -> bool {
    if path.components().count() == 1 {
        return true;
    }
    let Ok(meta) = fs::metadata(path) else {
        return false;
    };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    meta.is_file() && may_run
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;

    struct Home {
        _dir: tempfile::TempDir,
        places: Places,
        root: PathBuf,
        program: PathBuf,
    }

    impl Home {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let program = std::env::current_exe().unwrap().with_file_name("git-segue");
            let places = Places {
                home: Some(dir.path().join("home")),
                ..Places::default()
            };
            Self {
                root: dir.path().join("project"),
                _dir: dir,
                places,
                program,
            }
        }

        fn wire(&self, scope: Scope<'_>, program: &Path) {
            let path = file(claude_code(), &self.places, scope).unwrap();
            plan(claude_code(), path, Act::Wire(program))
                .unwrap()
                .make()
                .unwrap();
        }

        fn check(&self, expected: &[(Tone, &str, Option<&str>)]) {
            let found = examine(claude_code(), &self.places, Some(&self.root), &self.program);
            let short = |text: &str| {
                let text = text.replace(self.places.home.as_ref().unwrap().to_str().unwrap(), "~");
                text.replace(self.root.to_str().unwrap(), "$root")
            };
            let found: Vec<_> = found
                .into_iter()
                .map(|f| (f.tone, short(&f.text), f.mend.map(|mend| short(&mend))))
                .collect();
            let expected: Vec<_> = expected
                .iter()
                .map(|(t, text, mend)| (*t, (*text).to_owned(), mend.map(str::to_owned)))
                .collect();
            assert_eq!(found, expected);
        }
    }

    fn claude_code() -> &'static Adapter {
        crate::hosts::find("claude-code").unwrap()
    }

    /// A program of that name in the folder of the tests' own.
    fn there(home: &Home) -> PathBuf {
        let path = home.places.home.as_ref().unwrap().join("git-segue");
        files::replace(&path, b"").unwrap();
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn a_host_that_is_not_wired_is_told_so() {
        let home = Home::new();
        home.check(&[(
            Tone::Bad,
            "not wired: its compactions are not seen",
            Some("git segue init claude-code"),
        )]);
    }

    #[test]
    fn a_host_that_is_wired_once_is_well() {
        let mut home = Home::new();
        home.program = there(&home);
        home.wire(Scope::Project(&home.root), &home.program);
        home.check(&[(
            Tone::Good,
            "wired in $root/.claude/settings.local.json",
            None,
        )]);
    }

    #[test]
    fn a_host_that_is_wired_twice_is_told_which_to_take_out() {
        let mut home = Home::new();
        home.program = there(&home);
        home.wire(Scope::Project(&home.root), &home.program);
        home.wire(Scope::Person, &home.program);
        home.check(&[
            (Tone::Good, "wired in ~/.claude/settings.json", None),
            (
                Tone::Good,
                "wired in $root/.claude/settings.local.json",
                None,
            ),
            (
                Tone::Bad,
                "wired more than once: every hook runs as often",
                Some("git segue init claude-code --remove"),
            ),
        ]);
    }

    #[test]
    fn a_program_that_is_gone_is_named() {
        let home = Home::new();
        home.wire(Scope::Person, Path::new("/nowhere/git-segue"));
        home.check(&[(
            Tone::Bad,
            "wired in ~/.claude/settings.json, but calls `/nowhere/git-segue`, which is no program",
            Some("git segue init claude-code --global"),
        )]);
    }

    #[test]
    fn another_version_and_what_switches_hooks_off_are_seen() {
        let mut home = Home::new();
        home.program = there(&home);
        home.wire(Scope::Person, &home.program);
        let path = file(claude_code(), &home.places, Scope::Person).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let older = text.replace("\"timeout\": 60", "\"timeout\": 61");
        files::replace(
            &path,
            older
                .replacen('{', "{\"disableAllHooks\": true,", 1)
                .as_bytes(),
        )
        .unwrap();
        home.check(&[
            (
                Tone::Bad,
                "wired in ~/.claude/settings.json, but as another version of git-segue does it",
                Some("git segue init claude-code --global"),
            ),
            (
                Tone::Bad,
                "`disableAllHooks` in ~/.claude/settings.json keeps every hook from running",
                Some("take `disableAllHooks` out of ~/.claude/settings.json"),
            ),
        ]);
    }

    #[test]
    fn a_plugin_counts_as_wired() {
        let mut home = Home::new();
        home.program = there(&home);
        let path = file(claude_code(), &home.places, Scope::Person).unwrap();
        files::replace(
            &path,
            br#"{"enabledPlugins":{"git-segue@git-segue":true,"other@x":true}}"#,
        )
        .unwrap();
        let plugin = (
            Tone::Good,
            "wired by a plugin that ~/.claude/settings.json switches on",
            None,
        );
        home.check(&[plugin]);
        home.wire(Scope::Project(&home.root), &home.program);
        home.check(&[
            (
                Tone::Good,
                "wired in $root/.claude/settings.local.json",
                None,
            ),
            plugin,
            (
                Tone::Bad,
                "wired more than once: every hook runs as often",
                Some("git segue init claude-code --remove"),
            ),
        ]);
    }
}
