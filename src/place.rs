//! Where a card goes: the repository that a conversation is in, or the person's own store outside of any.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::error::Failure;
use crate::git::{Found, Repo};
use crate::settings::{Env, Settings};
use crate::state::StateDir;

/// A place to store to.
pub(crate) struct Place {
    /// The repository, or the bare one that serves outside of any.
    pub(crate) repo: Repo,
    /// Whether it is a repository that the conversation is about: only then is there a census.
    pub(crate) inside: bool,
    /// What is kept beside git.
    pub(crate) state: StateDir,
    /// `segue.*` as seen there.
    pub(crate) settings: Settings,
}

impl Place {
    /// The place of a folder. Outside of a repository the person's own store is made on first use when `make` says so,
    /// and `None` tells that there is none yet otherwise.
    pub(crate) fn find(env: &Env, dir: &Path, make: Make) -> anyhow::Result<Option<Self>> {
        match Repo::discover(dir, &env.git)? {
            Found::Repo(repo) => Ok(Some(Self::of(*repo, true, env))),
            Found::None => {
                let path = outside_store(env).ok_or_else(|| {
                    Failure::fatal(
                        "cannot find a place for cards outside of a repository: HOME is not set",
                    )
                    .hint("run it in a git repository, or set XDG_STATE_HOME")
                })?;
                if make == Make::No && !path.join("HEAD").exists() {
                    return Ok(None);
                }
                let repo = Repo::open_or_init_bare(&path, &env.git)
                    .context("cannot open the store outside of a repository")?;
                Ok(Some(Self::of(repo, false, env)))
            }
        }
    }

    /// The repository to take a census of; none outside of one.
    pub(crate) fn census_repo(&self) -> Option<&Repo> {
        self.inside.then_some(&self.repo)
    }

    /// What tells this place from the others of the same store: the work tree's root (the git directory of a bare
    /// repository), or the folder itself outside of any repository.
    pub(crate) fn root(&self, dir: &Path) -> PathBuf {
        let repo = &self.repo;
        let inside = || repo.workdir().unwrap_or(repo.git_dir());
        real(if self.inside { inside() } else { dir })
    }

    fn of(repo: Repo, inside: bool, env: &Env) -> Self {
        let state = StateDir::new(repo.common_dir());
        let settings = Settings::read(&repo, env);
        Self {
            repo,
            inside,
            state,
            settings,
        }
    }
}

/// The folder itself, whichever links lead to it. On Windows the system's own form of it is one that few programs know.
pub(crate) fn real(dir: &Path) -> PathBuf {
    let known = (!cfg!(windows)).then(|| dir.canonicalize().ok());
    known.flatten().unwrap_or_else(|| dir.to_owned())
}

/// Whether the store outside of a repository is made when it is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Make {
    /// It is.
    Yes,
    /// It is not: reading makes nothing.
    No,
}

/// `$XDG_STATE_HOME/segue/store.git`.
fn outside_store(env: &Env) -> Option<PathBuf> {
    Some(env.state_home.as_ref()?.join("segue").join("store.git"))
}

/// Where a hook writes its line when no place can be opened.
pub(crate) fn last_resort(env: &Env) -> Option<StateDir> {
    Some(StateDir::at(&env.state_home.as_ref()?.join("segue")))
}
