//! Taking out of what is kept beside git whatever names a card or a session that is forgotten.

use std::path::{Path, PathBuf};

use super::sessions::SessionState;
use super::{StateDir, read_or_default, update};

/// A session whose file is older runs no more.
const LEFT_SECONDS: u64 = 7 * 24 * 60 * 60;

/// What became of what was forgotten.
pub(crate) struct Forgotten<'f> {
    /// The sessions (ref names) that have no chain any more.
    pub(crate) sessions: &'f [String],
    /// The card that takes the place of a card (both hex): the same for one that stays, none for one that is gone.
    pub(crate) card: &'f dyn Fn(&str) -> Option<String>,
    /// A text that is forgotten wherever it stands.
    pub(crate) text: Option<&'f str>,
}

impl StateDir {
    /// Forgets here what is forgotten in the store; what cannot be changed stays, since it names ids only.
    pub(crate) fn forget(&self, what: &Forgotten<'_>) -> anyhow::Result<()> {
        for path in self.files("sessions") {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            if what.sessions.iter().any(|one| *one == stem) {
                remove(&path);
                remove(&path.with_extension("lock"));
            } else {
                update(&path, |state: &mut SessionState| state.forget(what))?;
            }
        }
        for path in ["worktrees", "seats"]
            .iter()
            .flat_map(|dir| self.files(dir))
        {
            let named: serde_json::Value = read_or_default(&path);
            let session = named["session"].as_str().unwrap_or_default();
            if what.sessions.iter().any(|one| one == session) {
                remove(&path);
            }
        }
        self.forget_in_log(what.text)
    }

    /// The sessions (ref names) whose file here was not written for [`LEFT_SECONDS`]: one that runs, and has no card yet,
    /// is not among them.
    pub(crate) fn long_left(&self) -> Vec<String> {
        let is_left = |path: &&PathBuf| {
            let written = std::fs::metadata(path).and_then(|file| file.modified());
            let age = written.ok().and_then(|at| at.elapsed().ok());
            age.is_some_and(|age| age.as_secs() > LEFT_SECONDS)
        };
        let files = self.files("sessions");
        let left = files.iter().filter(is_left);
        left.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
            .collect()
    }

    fn files(&self, folder: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.dir.join(folder));
        let paths = entries.into_iter().flatten().flatten();
        let paths = paths.map(|entry| entry.path());
        paths
            .filter(|path| path.extension().is_some_and(|end| end == "json"))
            .collect()
    }

    fn forget_in_log(&self, text: Option<&str>) -> anyhow::Result<()> {
        let path = self.dir.join("segue.log");
        let log = std::fs::read_to_string(&path).unwrap_or_default();
        let Some(text) = text.filter(|text| log.contains(*text)) else {
            return Ok(());
        };
        let kept: String = log
            .split_inclusive('\n')
            .filter(|line| !line.contains(text))
            .collect();
        crate::files::replace(&path, kept.as_bytes())
    }
}

impl SessionState {
    fn forget(&mut self, what: &Forgotten<'_>) {
        let place = |card: &mut String| match (what.card)(card) {
            Some(new) => {
                *card = new;
                true
            }
            None => false,
        };
        self.waiting = self
            .waiting
            .take()
            .filter_map_card(|one| place(&mut one.card));
        self.given = self
            .given
            .take()
            .filter_map_card(|one| place(&mut one.card));
        self.continues = self
            .continues
            .take()
            .filter_map_card(|one| place(&mut one.card));
        if let Some(text) = what.text {
            let holds = |said: &Option<String>| said.as_deref().is_some_and(|s| s.contains(text));
            self.agents
                .retain(|one| !holds(&one.prompt) && !holds(&one.result));
            self.spawning.retain(|one| !one.prompt.contains(text));
        }
    }
}

/// Keeps a value only where its card still stands somewhere.
trait FilterMapCard<T> {
    fn filter_map_card(self, keep: impl FnOnce(&mut T) -> bool) -> Option<T>;
}

impl<T> FilterMapCard<T> for Option<T> {
    fn filter_map_card(self, keep: impl FnOnce(&mut T) -> bool) -> Option<T> {
        let mut value = self?;
        keep(&mut value).then_some(value)
    }
}

/// One that another process took away already is as good as removed.
fn remove(path: &Path) {
    std::fs::remove_file(path).unwrap_or_default();
}
