//! What is kept beside git, on this machine only: `<git-common-dir>/segue/`.
//!
//! All of it may be lost at any moment without losing a card.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::handoff::session::sha256_hex;

pub(crate) mod forget;
pub(crate) mod forgotten;
pub(crate) mod host_process;
pub(crate) mod log;
pub(crate) mod newest;
mod repository;
mod saving;
pub(crate) mod seats;
pub(crate) mod sessions;

/// How long a hook waits for another one that changes the same file.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// Pause between two looks at a held lock.
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// The folder with everything that is kept beside git.
#[derive(Debug, Clone)]
pub(crate) struct StateDir {
    dir: PathBuf,
}

impl StateDir {
    /// The one of the repository with that common git directory.
    pub(crate) fn new(common_dir: &Path) -> Self {
        Self {
            dir: common_dir.join("segue"),
        }
    }

    /// A folder of the person's own, for what happens where there is no repository to write to.
    pub(crate) fn at(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
        }
    }
}

/// A value read from a JSON file; the default where the file is missing, broken, or from another version.
fn read_or_default<T: DeserializeOwned + Default>(path: &Path) -> T {
    std::fs::read(path)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}

/// Replaces a JSON file whole.
fn write<T: Serialize>(path: &Path, value: &T) -> anyhow::Result<()> {
    let bytes =
        serde_json::to_vec(value).with_context(|| format!("cannot write `{}`", path.display()))?;
    crate::files::replace(path, &bytes)
}

/// Reads a JSON file, changes it and replaces it, alone among all hooks that do so: the lock is the kernel's, so that a
/// killed hook leaves none behind. One that is held for too long is passed over: state may be lost, a hook may not hang.
fn update<T, R>(path: &Path, change: impl FnOnce(&mut T) -> R) -> anyhow::Result<R>
where
    T: DeserializeOwned + Serialize + Default + PartialEq + Clone,
{
    match change_anyway(path, change) {
        (result, None) => Ok(result),
        (_, Some(err)) => Err(err),
    }
}

/// The same, with what came of the change also where it could not be written down: then with the reason, too.
fn change_anyway<T, R>(path: &Path, change: impl FnOnce(&mut T) -> R) -> (R, Option<anyhow::Error>)
where
    T: DeserializeOwned + Serialize + Default + PartialEq + Clone,
{
    let (mut lock, mut trouble) = match lock(path) {
        Ok(lock) => (Some(lock), None),
        Err(err) => (None, Some(err)),
    };
    let started = Instant::now();
    let guard = match &mut lock {
        Some(lock) => loop {
            match lock.try_write() {
                Ok(guard) => break Some(guard),
                Err(_) if started.elapsed() >= LOCK_WAIT => break None,
                Err(_) => std::thread::sleep(LOCK_PAUSE),
            }
        },
        None => None,
    };
    let before: T = read_or_default(path);
    let mut after = before.clone();
    let result = change(&mut after);
    if after != before && trouble.is_none() {
        trouble = write(path, &after).err();
    }
    drop(guard);
    (result, trouble)
}

/// The file whose lock stands for that of `path`.
fn lock(path: &Path) -> anyhow::Result<fd_lock::RwLock<std::fs::File>> {
    let context = || format!("cannot lock `{}`", path.display());
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).with_context(context)?;
    let file = std::fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path.with_extension("lock"));
    Ok(fd_lock::RwLock::new(file.with_context(context)?))
}

/// A file name for any text.
fn file_name(text: &str) -> String {
    format!("{}.json", sha256_hex(text.as_bytes(), 32))
}
