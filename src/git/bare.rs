//! Making a bare repository so that nobody ever sees half of one: beside its place, then moved there.

use std::path::Path;

use anyhow::Context;

/// Whether everything is there that was to be made, be it in order or not.
pub(super) fn is_whole(path: &Path) -> bool {
    let has_head = path.join("HEAD").metadata();
    has_head.is_ok_and(|head| head.len() > 0)
}

/// Makes it. Of several that do so at once one wins, and all find it made. What stands there half made gets what it lacks,
/// and keeps what it has.
pub(super) fn make(path: &Path) -> anyhow::Result<()> {
    let above = path.parent().context("it has no folder above it")?;
    std::fs::create_dir_all(above)?;
    let beside = tempfile::Builder::new().prefix(".new-").tempdir_in(above)?;
    let made = beside.path().join("store");
    gix::init_bare(&made)?;
    if std::fs::rename(&made, path).is_ok() || is_whole(path) {
        return Ok(());
    }
    complete(&made, path)
}

/// Moves over what is not there yet, the file that makes it whole last.
fn complete(made: &Path, path: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(path)?;
    let mut names = Vec::new();
    for entry in std::fs::read_dir(made)? {
        names.push(entry?.file_name());
    }
    names.sort_by_key(|name| name == "HEAD");
    for name in names {
        let (from, to) = (made.join(&name), path.join(&name));
        let is_there = to
            .metadata()
            .is_ok_and(|there| there.is_dir() || there.len() > 0);
        if is_there {
            continue;
        }
        // Somebody else may have moved theirs there meanwhile, which is as good.
        if let Err(err) = std::fs::rename(&from, &to)
            && !to.exists()
        {
            return Err(err).with_context(|| format!("cannot write `{}`", to.display()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::{GitEnv, Repo};

    fn opens(path: &Path) -> bool {
        Repo::open_or_init_bare(path, &GitEnv::default()).is_ok()
    }

    #[test]
    fn what_was_left_half_made_is_finished_and_keeps_what_it_has() {
        for left in [
            &[][..],
            &["objects/"],
            &["objects/", "refs/heads/"],
            &["objects/", "refs/", "HEAD"],
            &["objects/", "refs/heads/", "config", "HEAD"],
        ] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("segue/store.git");
            std::fs::create_dir_all(&path).unwrap();
            crate::files::replace(&path.join("kept"), b"x").unwrap();
            for name in left {
                match name.strip_suffix('/') {
                    Some(folder) => std::fs::create_dir_all(path.join(folder)).unwrap(),
                    None => crate::files::replace(&path.join(name), b"").unwrap(),
                }
            }
            assert!(opens(&path), "{left:?}");
            assert!(path.join("kept").exists(), "{left:?}");
            let beside = std::fs::read_dir(dir.path().join("segue")).unwrap();
            assert_eq!(beside.count(), 1, "nothing is left beside it");
        }
    }

    #[test]
    fn all_that_make_it_at_once_find_it_made() {
        for _ in 0..20 {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("segue/store.git");
            std::thread::scope(|scope| {
                let opened = (0..12).map(|_| scope.spawn(|| opens(&path)));
                let opened: Vec<_> = opened.collect();
                for one in opened {
                    assert!(one.join().unwrap());
                }
            });
        }
    }
}
