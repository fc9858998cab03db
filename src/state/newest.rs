//! Which session wrote the newest card of a work tree, so that no hook needs to look through all of them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{StateDir, file_name, read_or_default, write};

/// The newest card of a work tree, as far as this machine knows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Newest {
    /// The session's ref name.
    pub(crate) session: String,
}

impl StateDir {
    /// The session that wrote last in the work tree `root`.
    pub(crate) fn newest(&self, root: &Path) -> Option<String> {
        let newest: Newest = read_or_default(&self.newest_path(root));
        Some(newest.session).filter(|session| !session.is_empty())
    }

    /// Remembers that `session` (a ref name) wrote last in `root`.
    pub(crate) fn set_newest(&self, root: &Path, session: &str) -> anyhow::Result<()> {
        if self.newest(root).as_deref() == Some(session) {
            return Ok(());
        }
        write(
            &self.newest_path(root),
            &Newest {
                session: session.to_owned(),
            },
        )
    }

    /// The file that keeps the order of the chains' tips (see `Repo::newest_refs`).
    pub(crate) fn tips_index(&self) -> std::path::PathBuf {
        self.dir.join("tips")
    }

    fn newest_path(&self, root: &Path) -> std::path::PathBuf {
        self.dir
            .join("worktrees")
            .join(file_name(&root.to_string_lossy()))
    }
}
