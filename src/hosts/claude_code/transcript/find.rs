//! Where the host keeps its transcripts: `<config>/projects/<folder>/<session>.jsonl`, where `<folder>` is the
//! conversation's folder with `-` for each character that is no ASCII letter or digit.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use serde::Deserialize;

use super::record::Text;
use crate::hosts::Places;
use crate::hosts::lines::{Line, Lines};
use crate::hosts::skim;

/// The folder of a conversation stands within this many first lines of its file.
const HEAD_LINES_MAX: usize = 64;
/// And within this many first bytes.
const HEAD_BYTES_MAX: u64 = 1 << 20;

/// The newest transcript of a conversation in `dir` or below it.
pub(crate) fn find(places: &Places, dir: &Path) -> anyhow::Result<Option<PathBuf>> {
    let Some(projects) = projects(places) else {
        return Ok(None);
    };
    let real = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let mut newest: Vec<(SystemTime, PathBuf)> = Vec::new();
    for folder in folders(&projects)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if [dir, &real].iter().any(|dir| may_hold(&name, dir)) {
            newest.extend(transcripts(&folder));
        }
    }
    newest.sort_by(|one, other| other.cmp(one));
    Ok(newest.into_iter().map(|(_, path)| path).find(|path| {
        began_in(path).is_some_and(|cwd| cwd.starts_with(dir) || cwd.starts_with(&real))
    }))
}

/// The transcript of one session.
pub(crate) fn find_session(places: &Places, session: &str) -> anyhow::Result<Option<PathBuf>> {
    let Some(projects) = projects(places) else {
        return Ok(None);
    };
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    if session.is_empty() || !session.bytes().all(plain) {
        return Ok(None);
    }
    let name = format!("{session}.jsonl");
    let mut files = folders(&projects)?
        .into_iter()
        .map(|folder| folder.join(&name));
    Ok(files.find(|file| file.is_file()))
}

fn projects(places: &Places) -> Option<PathBuf> {
    let config = match &places.claude_config {
        Some(config) => config.clone(),
        None => places.home.as_ref()?.join(".claude"),
    };
    Some(config.join("projects"))
}

fn folders(projects: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(projects) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(error).with_context(|| {
                format!("cannot list the transcripts in `{}`", projects.display())
            });
        }
    };
    let paths = entries.flatten().map(|entry| entry.path());
    Ok(paths.filter(|path| path.is_dir()).collect())
}

/// The transcripts right in a folder, with when each was last written; subagents' lie deeper.
fn transcripts(folder: &Path) -> Vec<(SystemTime, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|ext| ext == "jsonl"))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect()
}

/// Whether a folder of that name may hold conversations in `dir` or below: names are ambiguous.
fn may_hold(name: &str, dir: &Path) -> bool {
    let dir = munged(dir);
    name.strip_prefix(&dir)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

fn munged(dir: &Path) -> String {
    dir.to_string_lossy()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}

/// The folder in which a conversation began.
fn began_in(path: &Path) -> Option<PathBuf> {
    #[derive(Deserialize)]
    struct Place<'r> {
        #[serde(borrow, default)]
        cwd: Text<'r>,
    }
    let mut lines = Lines::new(File::open(path).ok()?.take(HEAD_BYTES_MAX));
    for _ in 0..HEAD_LINES_MAX {
        if let Line::Whole(line) = lines.next().ok()??
            && let Some(place) = skim::read::<Place<'_>>(line)
            && !place.cwd.is_empty()
        {
            return Some(PathBuf::from(&*place.cwd));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(projects: &Path, cwd: &str, session: &str, age: u64) {
        let folder = projects.join(munged(Path::new(cwd)));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{session}.jsonl"));
        let text = format!("{{\"type\":\"mode\"}}\n{{\"type\":\"user\",\"cwd\":\"{cwd}\"}}\n");
        crate::files::replace(&path, text.as_bytes()).unwrap();
        let when = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000 - age);
        File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(when)
            .unwrap();
    }

    #[test]
    fn the_newest_conversation_in_the_folder_or_below_is_found_and_no_neighbours() {
        let home = tempfile::tempdir().unwrap();
        let projects = home.path().join(".claude/projects");
        put(&projects, "/w/app", "old", 30);
        put(&projects, "/w/app/sub", "below", 20);
        put(&projects, "/w/app-two", "neighbour", 10);
        put(&projects, "/w", "above", 5);
        let places = Places {
            home: Some(home.path().to_owned()),
            ..Places::default()
        };
        let check = |dir: &str, expect: Option<&str>| {
            let found = find(&places, Path::new(dir)).unwrap();
            let stem = found.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned());
            assert_eq!(stem.as_deref(), expect, "{dir}");
        };
        check("/w/app", Some("below"));
        check("/w/app/sub", Some("below"));
        check("/w/app-two", Some("neighbour"));
        check("/w/app/other", None);
        check("/w", Some("above"));
    }

    #[test]
    fn a_session_is_found_by_its_id_and_an_id_is_no_path() {
        let home = tempfile::tempdir().unwrap();
        let places = Places {
            claude_config: Some(home.path().to_owned()),
            ..Places::default()
        };
        assert_eq!(find_session(&places, "s-1").unwrap(), None);
        put(&home.path().join("projects"), "/w/app", "s-1", 0);
        assert_eq!(
            find_session(&places, "s-1").unwrap(),
            Some(home.path().join("projects/-w-app/s-1.jsonl"))
        );
        for id in ["", "../-w-app/s-1", "s-2"] {
            assert_eq!(find_session(&places, id).unwrap(), None, "{id}");
        }
    }
}
