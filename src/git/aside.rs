//! Files of a tree checked out by git into a folder of our own, with an index of their own: the person's index and work
//! tree are not looked at.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use gix::bstr::{BStr, ByteSlice};

use super::content::shown;
use super::{Oid, Repo};
use crate::deadline::Deadline;

/// What a person's configuration may not bring into it: hooks, a shared index beside ours, a file system watcher.
const QUIET: [&str; 8] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.splitIndex=false",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.sparseCheckout=false",
];

/// How our folders' names begin.
const PREFIX: &str = "aside-";
/// A folder that is older has nobody who works in it.
const ASIDE_STALE_SECONDS: u64 = 24 * 60 * 60;

/// Files that were checked out aside; gone when dropped.
#[derive(Debug)]
pub(crate) struct Aside {
    _ground: tempfile::TempDir,
    files: PathBuf,
}

impl Aside {
    /// The folder that they are in, each at its path.
    pub(crate) fn path(&self) -> &Path {
        &self.files
    }
}

impl Repo {
    /// Checks out `paths` of a tree as git would check them out into the work tree, filters and line endings as the tree's
    /// own attributes say. An error where one of them cannot be made.
    pub(crate) fn check_out_aside(
        &self,
        tree: Oid,
        paths: &[&BStr],
        deadline: Deadline,
    ) -> anyhow::Result<Aside> {
        let ground = self
            .folder_aside(PREFIX)
            .context("cannot make a folder for files")?;
        let files = ground.path().join("files");
        std::fs::create_dir(&files).context("cannot make a folder for files")?;
        let index = ground.path().join("index");
        self.aside(
            &index,
            &files,
            &["read-tree", &tree.to_string()],
            b"",
            deadline,
        )?;
        let mut list = Vec::new();
        for path in paths {
            list.extend_from_slice(path);
            list.push(0);
        }
        let args = [
            "checkout-index",
            "--force",
            "--ignore-skip-worktree-bits",
            "-z",
            "--stdin",
        ];
        self.aside(&index, &files, &args, &list, deadline)?;
        for path in paths {
            let made = files.join(gix::path::from_bstr(*path).context("not a path here")?);
            if made.symlink_metadata().is_err() {
                bail!("cannot check out `{}`", shown(path.as_bstr()));
            }
        }
        Ok(Aside {
            _ground: ground,
            files,
        })
    }

    /// A new folder of ours beside git, whose name begins so; gone when dropped.
    pub(super) fn folder_aside(&self, prefix: &str) -> std::io::Result<tempfile::TempDir> {
        let ours = self.common_dir.join("segue");
        std::fs::create_dir_all(&ours)?;
        tempfile::Builder::new().prefix(prefix).tempdir_in(ours)
    }

    /// Removes what a killed process left behind; how many folders.
    pub(crate) fn sweep_asides(&self) -> usize {
        self.sweep_aside(PREFIX, Duration::from_secs(ASIDE_STALE_SECONDS))
    }

    /// Removes our folders whose names begin so and that are older; how many.
    pub(super) fn sweep_aside(&self, prefix: &str, age: Duration) -> usize {
        let entries = std::fs::read_dir(self.common_dir.join("segue"));
        let stale = entries.into_iter().flatten().flatten().filter(|entry| {
            let name = entry.file_name();
            let is_aside = name.as_encoded_bytes().starts_with(prefix.as_bytes());
            is_aside && super::is_older_than(&entry.path(), age)
        });
        stale
            .filter(|entry| std::fs::remove_dir_all(entry.path()).is_ok())
            .count()
    }

    fn aside(
        &self,
        index: &Path,
        files: &Path,
        args: &[&str],
        stdin: &[u8],
        deadline: Deadline,
    ) -> anyhow::Result<()> {
        let mut work_tree = std::ffi::OsString::from("--work-tree=");
        work_tree.push(files);
        let output = self
            .program(&QUIET)
            .args([work_tree])
            .args(args)
            .dir(files)
            .env("GIT_INDEX_FILE", index)
            .stdin(stdin)
            .deadline(deadline)
            .run()?;
        if !output.success() {
            bail!("cannot check out the files: {}", output.complaint());
        }
        Ok(())
    }
}
