//! Hooks in the hosts' settings files: what would change, shown before it is done.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::error::Failure;
use crate::files;
use crate::hosts::{ADAPTERS, Adapter, LineSet, Places};

pub(crate) mod health;
pub(crate) mod receipts;

/// Lines around a change in a diff.
const DIFF_CONTEXT_LINES: usize = 3;

/// Whose settings file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scope<'a> {
    /// Of the project with that root.
    Project(&'a Path),
    /// The person's own, for every project.
    Person,
}

/// What is to be done to a file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Act<'a> {
    /// Our hooks go in, calling the program at that absolute path.
    Wire(&'a Path),
    /// Our hooks go.
    Unwire,
}

/// What a file is and what it would be; `None` for no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// The file.
    pub(crate) path: PathBuf,
    /// Its text now.
    pub(crate) old: Option<String>,
    /// Its text afterwards.
    pub(crate) new: Option<String>,
}

/// The host's settings file of that scope.
///
/// # Errors
///
/// When the person has no home to keep one in.
pub(crate) fn file(host: &Adapter, places: &Places, scope: Scope<'_>) -> anyhow::Result<PathBuf> {
    match scope {
        Scope::Project(root) => Ok((host.wiring.project_file)(root)),
        Scope::Person => (host.wiring.user_file)(places).ok_or_else(|| {
            Failure::fatal(format!(
                "cannot find the settings of {}: no home folder is set",
                host.title
            ))
            .into()
        }),
    }
}

/// The hosts that a person has: those whose own folder exists.
pub(crate) fn present(places: &Places) -> Vec<&'static Adapter> {
    let has_folder = |host: &&Adapter| {
        let file = (host.wiring.user_file)(places);
        file.is_some_and(|file| file.parent().is_some_and(Path::is_dir))
    };
    ADAPTERS.iter().filter(has_folder).collect()
}

/// What `act` would do to that file; nothing is written.
///
/// # Errors
///
/// When the file cannot be read, or does not hold what the host expects there; it names the file.
pub(crate) fn plan(host: &Adapter, path: PathBuf, act: Act<'_>) -> anyhow::Result<Change> {
    let context = || format!("cannot edit `{}`", path.display());
    let old = read(&path).with_context(context)?;
    let new = match (act, &old) {
        (Act::Wire(program), text) => {
            Some((host.wiring.add)(text.as_deref(), program).with_context(context)?)
        }
        (Act::Unwire, Some(text)) => (host.wiring.remove)(text).with_context(context)?,
        (Act::Unwire, None) => None,
    };
    Ok(Change { path, old, new })
}

/// A status line that is set already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// The file that sets it.
    pub(crate) path: PathBuf,
    /// What it runs.
    pub(crate) set: LineSet,
}

/// Has `change` set our status line too, where none is set for that person and project: it would hide theirs. Gives
/// the one that is set already.
///
/// # Errors
///
/// When the host has no status line that runs a command, and as of [`plan`].
pub(crate) fn add_status_line(
    host: &Adapter,
    change: &mut Change,
    places: &Places,
    project_root: Option<&Path>,
    program: &Path,
) -> anyhow::Result<Option<Line>> {
    let wiring = host.wiring.status_line.ok_or_else(|| {
        Failure::usage(format!(
            "cannot set a status line: {} runs no command for it",
            host.title
        ))
    })?;
    let context = || format!("cannot edit `{}`", change.path.display());
    let own = match &change.new {
        Some(text) => (wiring.find)(text).with_context(context)?,
        None => None,
    };
    let own = own.map(|set| (change.path.clone(), set));
    // A file that the host cannot read either sets nothing.
    let others = (wiring.files)(places, project_root).into_iter();
    let mut others = others.filter(|path| *path != change.path);
    let found = own.or_else(|| {
        others.find_map(|path| {
            let set = (wiring.find)(&read(&path).ok()??).ok()??;
            Some((path, set))
        })
    });
    if let Some((path, set)) = found {
        return Ok(Some(Line { path, set }));
    }
    let text = (wiring.add)(change.new.as_deref(), program).with_context(context)?;
    change.new = Some(text);
    Ok(None)
}

/// How many hooks of ours are in that file; none where there is no such file.
///
/// # Errors
///
/// As of [`plan`].
pub(crate) fn count(host: &Adapter, path: &Path) -> anyhow::Result<usize> {
    let context = || format!("cannot read `{}`", path.display());
    let text = read(path).with_context(context)?.unwrap_or_default();
    let wired = (host.wiring.list)(&text).with_context(context)?;
    Ok(wired.len())
}

impl Change {
    /// Whether the file is as it would be.
    pub(crate) fn is_none(&self) -> bool {
        self.old == self.new
    }

    /// The change as a unified diff; empty when there is none.
    pub(crate) fn diff(&self) -> String {
        let named = |text: &Option<String>| match text {
            Some(_) => self.path.display().to_string(),
            None => "/dev/null".to_owned(),
        };
        let text = |text: &'_ Option<String>| text.clone().unwrap_or_default();
        similar::TextDiff::from_lines(&text(&self.old), &text(&self.new))
            .unified_diff()
            .context_radius(DIFF_CONTEXT_LINES)
            .header(&named(&self.old), &named(&self.new))
            .to_string()
    }

    /// Takes away the folder of a file that went, where it held nothing else: it was made for that file.
    pub(crate) fn leave_no_empty_folder(&self) {
        if let (Some(_), None, Some(folder)) = (&self.old, &self.new, self.path.parent()) {
            // That it holds something else is no error.
            fs::remove_dir(folder).unwrap_or_default();
        }
    }

    /// Makes the file what it would be.
    ///
    /// # Errors
    ///
    /// When it is no longer what it was, or cannot be written.
    pub(crate) fn make(&self) -> anyhow::Result<()> {
        if self.is_none() {
            return Ok(());
        }
        let context = || format!("cannot edit `{}`", self.path.display());
        if read(&self.path).with_context(context)? != self.old {
            let moved = format!(
                "cannot edit `{}`: it changed meanwhile",
                self.path.display()
            );
            return Err(Failure::fatal(moved).hint("run the command again").into());
        }
        match &self.new {
            Some(text) => files::replace(&self.path, text.as_bytes()),
            None => fs::remove_file(&self.path).with_context(context),
        }
    }
}

fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8(bytes).context("it is not UTF-8")?)),
        Err(err) if err.kind() == ErrorKind::NotFound => Ok(None),
        Err(err) => Err(err.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts;

    const PROGRAM: &str = "/opt/bin/git-segue";

    fn claude_code() -> &'static Adapter {
        hosts::find("claude-code").unwrap()
    }

    fn settings(text: Option<&str>) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        if let Some(text) = text {
            files::replace(&path, text.as_bytes()).unwrap();
        }
        (dir, path)
    }

    fn made(path: &Path, act: Act<'_>) -> Change {
        let change = plan(claude_code(), path.to_owned(), act).unwrap();
        change.make().unwrap();
        change
    }

    #[test]
    fn what_is_shown_is_what_is_done_and_can_be_undone() {
        for before in [None, Some("{\"model\": \"opus\"}\n")] {
            let (_dir, path) = settings(before);
            let wired = made(&path, Act::Wire(Path::new(PROGRAM)));
            assert_eq!(fs::read_to_string(&path).ok(), wired.new);
            assert_eq!(count(claude_code(), &path).unwrap(), 8);
            assert!(
                plan(claude_code(), path.clone(), Act::Wire(Path::new(PROGRAM)))
                    .unwrap()
                    .is_none()
            );
            made(&path, Act::Unwire);
            assert_eq!(fs::read_to_string(&path).ok().as_deref(), before);
            assert!(plan(claude_code(), path, Act::Unwire).unwrap().is_none());
        }
    }

    #[test]
    fn a_diff_names_the_file_that_is_not_there() {
        let change = Change {
            path: PathBuf::from("/w/settings.json"),
            old: None,
            new: Some("{}\n".to_owned()),
        };
        assert_eq!(
            change.diff(),
            "--- /dev/null\n+++ /w/settings.json\n@@ -0,0 +1 @@\n+{}\n"
        );
    }

    #[test]
    fn a_file_that_cannot_be_understood_is_named_and_stays() {
        let broken = "{\"hooks\": {}\n";
        let (_dir, path) = settings(Some(broken));
        let error = plan(claude_code(), path.clone(), Act::Wire(Path::new(PROGRAM))).unwrap_err();
        let expected = format!(
            "cannot edit `{}`: not valid JSON: EOF while parsing an object at line 2 column 0",
            path.display()
        );
        assert_eq!(format!("{error:#}"), expected);
        assert_eq!(fs::read_to_string(&path).unwrap(), broken);
    }

    #[test]
    fn a_file_that_somebody_changed_since_it_was_shown_is_left_alone() {
        let (_dir, path) = settings(Some("{}"));
        let change = plan(claude_code(), path.clone(), Act::Wire(Path::new(PROGRAM))).unwrap();
        files::replace(&path, b"{\"a\": 1}").unwrap();
        assert!(change.make().is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\": 1}");
    }

    #[test]
    fn hosts_are_known_by_their_folders() {
        let home = tempfile::tempdir().unwrap();
        let places = Places {
            home: Some(home.path().to_owned()),
            ..Places::default()
        };
        let is_present = || {
            present(&places)
                .iter()
                .any(|host| host.name == "claude-code")
        };
        assert!(!is_present());
        fs::create_dir(home.path().join(".claude")).unwrap();
        assert!(is_present());
    }
}
