//! The walk for what nobody added where the file system folds names: of two spellings of one name git may hold either.
//! gix does it; it costs more than [`super::untracked`], since it looks every path up in the index.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use gix::bstr::{BString, ByteVec as _};
use gix::dir::entry::{Kind, Status};
use gix::dir::walk::{Action, Delegate, EmissionMode, ForDeletionMode};

use super::status::Paths;
use crate::deadline::Deadline;

/// Adds what is untracked to `paths`, and gives back the links among it.
pub(super) fn walk(
    repo: &gix::Repository,
    index: &gix::index::State,
    deadline: Deadline,
    paths: &mut Paths,
) -> anyhow::Result<Vec<BString>> {
    let stop = AtomicBool::new(false);
    let mut walker = Walker {
        index,
        deadline,
        stop: &stop,
        paths,
        links: Vec::new(),
    };
    let options = repo
        .dirwalk_options()?
        .emit_untracked(EmissionMode::CollapseDirectory);
    let walked = repo.dirwalk(index, None::<&str>, &stop, options, &mut walker);
    let links = std::mem::take(&mut walker.links);
    if stop.load(Ordering::Relaxed) {
        anyhow::bail!("out of time");
    }
    walked.context("cannot walk the work tree")?;
    Ok(links)
}

struct Walker<'a> {
    index: &'a gix::index::State,
    deadline: Deadline,
    stop: &'a AtomicBool,
    paths: &'a mut Paths,
    /// Links that nobody added.
    links: Vec<BString>,
}

impl Delegate for Walker<'_> {
    fn emit(&mut self, entry: gix::dir::EntryRef<'_>, _folder: Option<Status>) -> Action {
        if entry.status == Status::Untracked {
            let mut path = entry.rela_path.into_owned();
            match entry.disk_kind {
                // Pipes and sockets are nothing to git.
                Some(Kind::Untrackable) => return ControlFlow::Continue(()),
                Some(Kind::Directory | Kind::Repository) => {
                    // As git does: where a file became a folder, only the file's end is told.
                    if self.index.entry_by_path(path.as_ref()).is_some() {
                        return ControlFlow::Continue(());
                    }
                    path.push_byte(b'/');
                }
                Some(Kind::Symlink) => self.links.push(path.clone()),
                Some(Kind::File) | None => {}
            }
            let found = self.paths.entry(path).or_default();
            // The walk does not know the paths of a conflict that lack our side.
            if found.staged != 'U' {
                found.unstaged = '?';
            }
        }
        ControlFlow::Continue(())
    }

    /// Called for every folder, which makes it the place to look at the clock.
    fn can_recurse(
        &mut self,
        entry: gix::dir::EntryRef<'_>,
        for_deletion: Option<ForDeletionMode>,
        root_is_repository: bool,
    ) -> bool {
        if self.deadline.passed() {
            self.stop.store(true, Ordering::Relaxed);
        }
        entry.status.can_recurse(
            entry.disk_kind,
            entry.pathspec_match,
            for_deletion,
            root_is_repository,
        )
    }
}
