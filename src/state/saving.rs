//! Who moves chains now: any number of saves, pulls and pushes at once, or one who writes their history anew.

use std::fs::{File, OpenOptions};
use std::time::Instant;

use super::{LOCK_PAUSE, LOCK_WAIT, StateDir};

impl StateDir {
    /// Runs `save` (or whatever else moves chains or sends them) while nobody writes history anew. What it reads of a
    /// chain it must read in here: a card from before would bring back what was forgotten. The lock is the kernel's;
    /// where there is none to be had in time the save runs all the same, since a card is worth more, and refs move by
    /// compare-and-swap.
    pub(crate) fn saving<R>(&self, save: impl FnOnce() -> R) -> R {
        let Some(file) = self.saving_file() else {
            return save();
        };
        let lock = fd_lock::RwLock::new(file);
        let started = Instant::now();
        let guard = loop {
            match lock.try_read() {
                Ok(guard) => break Some(guard),
                Err(_) if started.elapsed() >= LOCK_WAIT => break None,
                Err(_) => std::thread::sleep(LOCK_PAUSE),
            }
        };
        let saved = save();
        drop(guard);
        saved
    }

    /// Runs `change` while no save runs; none, and nothing is run, where one does.
    pub(crate) fn while_none_saves<R>(&self, change: impl FnOnce() -> R) -> Option<R> {
        let Some(file) = self.saving_file() else {
            return Some(change());
        };
        let mut lock = fd_lock::RwLock::new(file);
        let guard = lock.try_write().ok()?;
        let changed = change();
        drop(guard);
        Some(changed)
    }

    fn saving_file(&self) -> Option<File> {
        std::fs::create_dir_all(&self.dir).ok()?;
        let mut open = OpenOptions::new();
        open.create(true).truncate(false).write(true).read(true);
        open.open(self.dir.join("saving.lock")).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_is_written_anew_only_while_no_save_runs() {
        let dir = tempfile::tempdir().unwrap();
        let state = StateDir::at(dir.path());
        state.saving(|| {
            assert_eq!(state.saving(|| 1), 1, "saves do not wait for one another");
            assert_eq!(state.while_none_saves(|| 2), None);
        });
        assert_eq!(state.while_none_saves(|| 2), Some(2));
    }
}
