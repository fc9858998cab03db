//! Writing into a work tree. Git itself checks the files out, but into a folder of ours: with its filters, line endings
//! and modes, and with its own refusal of bad names. Only when all are there they are moved to their places, so that what
//! cannot be made leaves the work tree as it was.

use std::path::Path;

use anyhow::{Context as _, bail};
use gix::bstr::{BStr, ByteSlice};

use crate::deadline::Deadline;
use crate::git::content::shown;
use crate::git::tree_diff::Change;
use crate::git::{Oid, Repo};

/// Writes and removes what `steps` say; the content is that of the tree `to`.
pub(crate) fn write(
    repo: &Repo,
    to: Oid,
    steps: &[Change],
    deadline: Deadline,
) -> anyhow::Result<()> {
    let root = repo.workdir().context("the repository has no work tree")?;
    let coming = steps.iter().filter(|one| one.new.is_some());
    let coming: Vec<&BStr> = coming.map(|one| one.path.as_bstr()).collect();
    let made = match coming.is_empty() {
        true => None,
        false => Some(repo.check_out_aside(to, &coming, deadline)?),
    };
    for (done, step) in steps.iter().filter(|one| one.new.is_none()).enumerate() {
        let removed = remove(root, step.path.as_bstr());
        removed.with_context(|| half(&step.path, done, steps.len()))?;
    }
    let gone = steps.len() - coming.len();
    for (done, path) in coming.iter().enumerate() {
        let Some(made) = &made else { break };
        let moved = put(root, made.path(), path);
        moved.with_context(|| half(path, gone + done, steps.len()))?;
    }
    Ok(())
}

fn half(path: &[u8], done: usize, all: usize) -> String {
    let path = shown(path.as_bstr());
    format!("cannot write `{path}`, {done} of {all} paths are written")
}

/// Removes a file, and the folders that are empty then, as git does.
fn remove(root: &Path, path: &BStr) -> anyhow::Result<()> {
    let relative = gix::path::from_bstr(path).context("not a path here")?;
    match std::fs::remove_file(root.join(&relative)) {
        Err(err) if err.kind() != std::io::ErrorKind::NotFound => return Err(err.into()),
        _ => {}
    }
    for folder in relative.ancestors().skip(1) {
        let is_root = folder.as_os_str().is_empty();
        if is_root || std::fs::remove_dir(root.join(folder)).is_err() {
            break;
        }
    }
    Ok(())
}

/// Moves a file that was made aside to its place. No link is followed on the way.
fn put(root: &Path, aside: &Path, path: &BStr) -> anyhow::Result<()> {
    let relative = gix::path::from_bstr(path).context("not a path here")?;
    let (from, to) = (aside.join(&relative), root.join(&relative));
    let folder = relative.parent().unwrap_or(Path::new(""));
    make_folders(root, folder)?;
    // Only folders that are empty by now are in the way of a file.
    if to.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        remove_empty(&to)?;
    }
    match std::fs::rename(&from, &to) {
        Err(err) if err.kind() == std::io::ErrorKind::CrossesDevices => {
            across(&from, &to).context("cannot copy it from another file system")
        }
        moved => Ok(moved?),
    }
}

fn make_folders(root: &Path, folder: &Path) -> anyhow::Result<()> {
    let mut at = root.to_owned();
    for name in folder.components() {
        at.push(name);
        match at.symlink_metadata() {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => bail!("`{}` is no folder", at.display()),
            Err(_) => std::fs::create_dir(&at)?,
        }
    }
    Ok(())
}

fn remove_empty(folder: &Path) -> anyhow::Result<()> {
    for item in std::fs::read_dir(folder)? {
        let item = item?;
        if item.file_type()?.is_dir() {
            remove_empty(&item.path())?;
        }
    }
    Ok(std::fs::remove_dir(folder)?)
}

/// The git directory of a linked work tree may be on another file system than its files.
fn across(from: &Path, to: &Path) -> anyhow::Result<()> {
    let folder = to.parent().context("it has no folder")?;
    let aside = tempfile::Builder::new()
        .prefix(".segue-")
        .tempdir_in(folder)?;
    let near = aside.path().join("file");
    if from.symlink_metadata()?.is_symlink() {
        link(&std::fs::read_link(from)?, &near)?;
    } else {
        std::fs::copy(from, &near)?;
    }
    Ok(std::fs::rename(&near, to)?)
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(not(unix))]
fn link(_target: &Path, _at: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}
