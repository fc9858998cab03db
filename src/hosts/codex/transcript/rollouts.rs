//! Where rollouts lie: `sessions/<year>/<month>/<day>/rollout-<local time>-<thread>[_<segment>].jsonl`.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::record::{Base, Meta, Record, Text, read, text};
use crate::hosts::Places;
use crate::hosts::skim::{self, Piece};

/// Days with conversations that are looked through, newest first.
const DAYS_MAX: usize = 1_000;
/// Files whose first line is looked at to find the newest conversation of a folder.
const FILES_MAX: usize = 400;
/// A first line that is longer is not read; Codex 0.171.0 writes some 30,000. In bytes.
const FIRST_LINE_BYTES_MAX: u64 = 1 << 20;
/// `2026-11-30T15-33-45-` between `rollout-` and the thread, in bytes.
const TIME_BYTES: usize = 20;

/// What the first line of a rollout says.
pub(super) struct Start {
    /// The folder in which it began.
    pub(super) cwd: PathBuf,
    /// Whether it is a subagent's own.
    pub(super) is_subagent: bool,
    /// The thread (or segment of one) that it goes on from, and the ordinal before which that one's lines count.
    pub(super) base: Option<(String, u64)>,
}

/// Reads the first line; `None` when there is none that says these things.
pub(super) fn start(path: &Path) -> Option<Start> {
    let mut line = Vec::new();
    BufReader::new(File::open(path).ok()?.take(FIRST_LINE_BYTES_MAX))
        .read_until(b'\n', &mut line)
        .ok()?;
    let record: Record<'_> = skim::read(&line)?;
    let meta: Meta<'_> = read(record.payload.filter(|_| record.kind.0 == "session_meta")?)?;
    let base = meta.history_base.and_then(read::<Base<'_>>);
    Some(Start {
        cwd: PathBuf::from(text(&meta.cwd)),
        is_subagent: meta.source.is_some_and(is_subagent),
        base: base.map(|base| (base.thread_id.0.into_owned(), base.end_ordinal_exclusive)),
    })
}

/// A conversation's source is a word (`cli`, `exec`, `vscode`); a subagent's an object with its parent.
fn is_subagent(source: Piece<'_>) -> bool {
    read::<Text<'_>>(source).is_none()
        && memchr::memmem::find(source.bytes(), b"\"subagent\"").is_some()
}

/// The newest rollout of a conversation in `dir` or below it, as its file was last written.
pub(in crate::hosts::codex) fn find(
    places: &Places,
    dir: &Path,
) -> anyhow::Result<Option<PathBuf>> {
    let Some(root) = root(places) else {
        return Ok(None);
    };
    let real = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let mut newest: Vec<(SystemTime, PathBuf)> = days(&root)
        .flat_map(|day| rollouts(&day))
        .take(FILES_MAX)
        .map(|path| (written(&path), path))
        .collect();
    newest.sort_by(|a, b| b.cmp(a));
    let found = newest.into_iter().map(|(_, path)| path).find(|path| {
        start(path).is_some_and(|start| {
            !start.is_subagent && (start.cwd.starts_with(dir) || start.cwd.starts_with(&real))
        })
    });
    Ok(found)
}

/// The newest rollout of the thread with that id (or one that begins so).
pub(in crate::hosts::codex) fn find_session(
    places: &Places,
    id: &str,
) -> anyhow::Result<Option<PathBuf>> {
    let Some(root) = root(places).filter(|_| !id.is_empty()) else {
        return Ok(None);
    };
    let found = days(&root).find_map(|day| {
        let of_thread = |path: &PathBuf| thread(path).is_some_and(|thread| thread.starts_with(id));
        let files = rollouts(&day).into_iter().filter(of_thread);
        files.max_by_key(|path| (written(path), path.clone()))
    });
    Ok(found)
}

/// The file that one goes on from: its name ends in the thread (or the segment) that is named there.
pub(super) fn find_base(path: &Path, thread: &str) -> Option<PathBuf> {
    let end = format!("{thread}.jsonl");
    let matches = |other: &PathBuf| {
        let name = other.file_name().and_then(|name| name.to_str());
        let before = name.and_then(|name| name.strip_suffix(&end));
        before.is_some_and(|before| before.ends_with(['-', '_'])) && other != path
    };
    let beside = path.parent()?;
    let found = rollouts(beside).into_iter().find(matches);
    found.or_else(|| {
        let sessions = path
            .ancestors()
            .find(|dir| dir.file_name().is_some_and(|name| name == "sessions"))?;
        days(sessions).find_map(|day| rollouts(&day).into_iter().find(matches))
    })
}

fn root(places: &Places) -> Option<PathBuf> {
    Some(places.codex_folder()?.join("sessions"))
}

/// The folders of days, newest first.
fn days(root: &Path) -> impl Iterator<Item = PathBuf> {
    let below = |dir: PathBuf| newest_first(&dir, |_| true);
    below(root.to_owned())
        .into_iter()
        .flat_map(below)
        .flat_map(below)
        .take(DAYS_MAX)
}

/// The rollouts in one folder, those that began last first.
fn rollouts(day: &Path) -> Vec<PathBuf> {
    newest_first(day, |path| thread(path).is_some())
}

/// What a folder holds, by name from the end; nothing when it cannot be read.
fn newest_first(dir: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| wanted(path))
        .collect();
    paths.sort_unstable_by(|a, b| b.cmp(a));
    paths
}

/// What stands behind the time in a rollout's name: the thread, and the segment of a rewound one.
fn thread(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_prefix("rollout-")?.strip_suffix(".jsonl")?;
    name.get(TIME_BYTES..).filter(|thread| !thread.is_empty())
}

fn written(path: &Path) -> SystemTime {
    let modified = std::fs::metadata(path).and_then(|meta| meta.modified());
    modified.unwrap_or(SystemTime::UNIX_EPOCH)
}
