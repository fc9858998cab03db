//! The repository: found, trusted, and read or written through gix, or through the git program where gix would be
//! silently wrong. Knows nothing of cards.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use gix::sec::trust::Mapping;

use crate::error::Failure;
use config::Parameters;
pub(crate) use config::{Section, Written};

mod aside;
mod bare;
mod config;
pub(crate) mod content;
pub(crate) mod date;
mod few_refs;
pub(crate) mod history;
pub(crate) mod newest;
mod notes;
mod objects;
pub(crate) mod process;
mod refs;
pub(crate) mod rewrite;
#[cfg(test)]
pub(crate) mod sandbox;
pub(crate) mod signature;
#[cfg(test)]
mod tests;
pub(crate) mod transfer;
pub(crate) mod tree_diff;
pub(crate) mod tree_edit;

pub(crate) use gix::ObjectId as Oid;

/// Who commits where neither the environment nor the configuration says it.
const NAME_FALLBACK: &str = "git-segue";
const EMAIL_FALLBACK: &str = "git-segue@localhost";

/// What the environment says about where the repository is and who we are; read once, at the door.
#[derive(Debug, Clone, Default)]
pub(crate) struct GitEnv {
    /// `GIT_DIR` and what else git itself honours is read by gix and git; this is the rest that we need.
    pub(crate) config_parameters: Option<String>,
    /// Now, in seconds since 1970 UTC: `GIT_COMMITTER_DATE` where it is set, else the clock.
    pub(crate) now: i64,
    /// Offset of the person's clock from UTC, in seconds.
    pub(crate) utc_offset: i32,
    /// `GIT_COMMITTER_NAME`, else `GIT_AUTHOR_NAME`.
    pub(crate) name: Option<String>,
    /// `GIT_COMMITTER_EMAIL`, else `GIT_AUTHOR_EMAIL`.
    pub(crate) email: Option<String>,
    /// `GIT_SSH_COMMAND` or `GIT_SSH` is set: the person has said what ssh is.
    pub(crate) ssh_chosen: bool,
}

/// A repository.
pub(crate) struct Repo {
    /// Objects and configuration are always gix's; refs only where `storage` says so.
    inner: gix::Repository,
    storage: RefStorage,
    parameters: Parameters,
    /// Whether its own configuration may say `segue.*`.
    obeyed: bool,
    git_dir: PathBuf,
    common_dir: PathBuf,
    workdir: Option<PathBuf>,
    env: GitEnv,
}

/// How a repository keeps its refs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RefStorage {
    /// Files, loose and packed.
    Files,
    /// Tables, which gix 0.90 cannot read.
    Reftable,
}

/// One entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    /// Its name, one level.
    pub(crate) name: String,
    /// The blob or tree.
    pub(crate) oid: Oid,
    /// Whether it is a tree.
    pub(crate) tree: bool,
}

/// A commit as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommitRead {
    /// Its tree.
    pub(crate) tree: Oid,
    /// Its parents.
    pub(crate) parents: Vec<Oid>,
    /// The committer's moment, in seconds since 1970 UTC.
    pub(crate) at: i64,
    /// The whole message.
    pub(crate) message: String,
}

/// How moving a ref ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Swap {
    /// It points to the new commit.
    Done,
    /// Somebody else moved it first.
    Moved,
}

/// Why there is no repository to use.
#[derive(Debug)]
pub(crate) enum Found {
    /// A repository.
    Repo(Box<Repo>),
    /// None at this place or above.
    None,
}

impl std::fmt::Debug for Repo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repo")
            .field("git_dir", &self.git_dir)
            .finish_non_exhaustive()
    }
}

impl Repo {
    /// The repository that `dir` is in, honouring `GIT_DIR` and its kin. An error where there is one that must not be
    /// used (not ours, an unknown extension, broken), with a hint.
    pub(crate) fn discover(dir: &Path, env: &GitEnv) -> anyhow::Result<Found> {
        let mut trust: Mapping<gix::open::Options> = Mapping::default();
        for options in [&mut trust.full, &mut trust.reduced] {
            options.modify(strict);
        }
        let found = gix::ThreadSafeRepository::discover_with_environment_overrides_opts(
            dir,
            gix::discover::upwards::Options::default(),
            trust,
        );
        match found {
            Ok(repo) => {
                let mut repo = Self::opened(repo, env)?;
                repo.obeyed = !is_embedded(&repo);
                Ok(Found::Repo(Box::new(repo)))
            }
            Err(err) if err.is_not_found() && !names_a_repository(&err) => Ok(Found::None),
            Err(err) => Err(unusable(dir, err)),
        }
    }

    /// The bare repository at `path`, made when it is not there, or finished where somebody was killed while making it.
    pub(crate) fn open_or_init_bare(path: &Path, env: &GitEnv) -> anyhow::Result<Self> {
        let open = || {
            strict(gix::open::Options::default())
                .open_path_as_is(true)
                .open(path)
        };
        let repo = match open() {
            Ok(repo) => repo,
            Err(_) => {
                // Another may have made it whole since it was looked for.
                if !bare::is_whole(path) {
                    bare::make(path)
                        .with_context(|| format!("cannot make `{}`", path.display()))?;
                }
                open().map_err(|err| unusable(path, err))?
            }
        };
        Self::opened(repo, env)
    }

    fn opened(repo: gix::ThreadSafeRepository, env: &GitEnv) -> anyhow::Result<Self> {
        let mut inner = repo.to_thread_local();
        // `GIT_NAMESPACE` is for servers; with it even HEAD is not found.
        inner.clear_namespace();
        let storage = if config::refs_are_files(&inner)? {
            RefStorage::Files
        } else {
            RefStorage::Reftable
        };
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Ok(Self {
            git_dir: absolute(inner.git_dir()),
            common_dir: absolute(inner.common_dir()),
            workdir: inner.workdir().map(absolute),
            parameters: env
                .config_parameters
                .as_deref()
                .map(Parameters::parse)
                .unwrap_or_default(),
            env: env.clone(),
            storage,
            obeyed: true,
            inner,
        })
    }

    /// Another handle of the same repository, for a thread of its own.
    pub(crate) fn again(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            storage: self.storage,
            parameters: self.parameters.clone(),
            obeyed: self.obeyed,
            git_dir: self.git_dir.clone(),
            common_dir: self.common_dir.clone(),
            workdir: self.workdir.clone(),
            env: self.env.clone(),
        }
    }

    /// Whether files may be filtered by programs of the person's when git reads them (`filter.<name>.clean`).
    pub(crate) fn runs_filters(&self) -> bool {
        let config = self.inner.config_snapshot();
        let mut filters = config
            .plumbing()
            .sections_by_name("filter")
            .into_iter()
            .flatten();
        filters.any(|filter| {
            ["clean", "process"]
                .iter()
                .any(|key| filter.value(key).is_some())
        })
    }

    /// gix's own handle; none where refs or HEAD may only be read by the git program (see [`Self::program`]).
    pub(crate) fn gix(&self) -> Option<&gix::Repository> {
        (self.storage == RefStorage::Files).then_some(&self.inner)
    }

    /// gix's own handle for everything but refs and HEAD: objects, index, work tree, configuration.
    pub(crate) fn without_refs(&self) -> &gix::Repository {
        &self.inner
    }

    /// This work tree's git directory.
    pub(crate) fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The git directory that all work trees share.
    pub(crate) fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The work tree's root; none in a bare repository.
    pub(crate) fn workdir(&self) -> Option<&Path> {
        self.workdir.as_deref()
    }

    /// Whether its own configuration is the person's: not that of a bare repository that came as files of a clone.
    pub(crate) fn is_obeyed(&self) -> bool {
        self.obeyed
    }

    /// What the environment said.
    pub(crate) fn env(&self) -> &GitEnv {
        &self.env
    }

    /// Lets the commits from here on be of another moment, in seconds since 1970 UTC.
    pub(crate) fn set_moment(&mut self, now: i64) {
        self.env.now = now;
    }

    /// What object ids are made with.
    pub(crate) fn hash_kind(&self) -> gix::hash::Kind {
        self.inner.object_hash()
    }

    /// The last value of a config key (`core.sshCommand`), from the command line, environment, local, global or
    /// system config.
    pub(crate) fn config(&self, key: &str) -> Option<String> {
        let said = self.parameters.values(key).next_back();
        said.map(str::to_owned)
            .or_else(|| config::values(&self.inner, key).pop())
    }

    /// Every value of a config key, in order.
    pub(crate) fn config_all(&self, key: &str) -> Vec<String> {
        let mut values = config::values(&self.inner, key);
        values.extend(self.parameters.values(key).map(str::to_owned));
        values
    }

    /// What a section of the configuration holds, `git -c` included. A section that is ours counts from the repository's
    /// own file only where that is the person's.
    pub(crate) fn section(&self, name: &str) -> Section {
        Section::read(&self.inner, &self.parameters, name, self.obeyed)
    }

    /// Every value that the configuration files hold in a section.
    pub(crate) fn section_in_files(&self, name: &str) -> Vec<Written> {
        config::in_files(&self.inner, name)
    }
}

/// Whether a file was last written longer ago than this. The age of a file is a matter between it and the machine's
/// clock, whatever the clock of the commits says; an age that cannot be told is none.
fn is_older_than(path: &Path, age: std::time::Duration) -> bool {
    let modified = std::fs::symlink_metadata(path).and_then(|file| file.modified());
    modified.is_ok_and(|at| at.elapsed().is_ok_and(|old| old > age))
}

/// Refuses what git refuses, does not wait a second for a lock that git would not take, and like git does not hash the
/// whole index to read it, which is a tenth of the cost of a large one. Filters get no stream of ours: one that hangs
/// would hold up whoever waits for its end.
fn strict(options: gix::open::Options) -> gix::open::Options {
    options.bail_if_untrusted(true).config_overrides([
        "core.packedRefsTimeout=50",
        "index.skipHash=true",
        "gitoxide.core.externalCommandStderr=false",
    ])
}

/// Whether a bare repository lies inside of another one's work tree. It may have come with a clone, as files like any
/// other, and a clone must not choose what command is run or where a transcript is sent.
fn is_embedded(repo: &Repo) -> bool {
    let above = repo.git_dir.parent().filter(|_| repo.workdir.is_none());
    above.is_some_and(|above| gix::discover::upwards(above).is_ok())
}

/// Whether an error that says "not found" is about a part of a repository, not about there being none.
fn names_a_repository(err: &gix::Error) -> bool {
    !format!("{err:?}").contains("Could not find a git repository")
}

fn unusable(dir: &Path, err: gix::Error) -> anyhow::Error {
    let whole = format!("{err:?}");
    // What git wants to hear is the root, not the folder in it that we began with.
    let root = gix::discover::upwards(dir).map(|(path, _)| {
        let (git_dir, workdir) = path.into_repository_and_work_tree_directories();
        workdir.unwrap_or(git_dir)
    });
    let root = root.unwrap_or_else(|_| dir.to_owned());
    let dir = std::path::absolute(&root).unwrap_or(root);
    let (message, hint) = if whole.contains("unsafe") {
        (
            "it is not owned by you",
            format!(
                "git config --global --add safe.directory '{}'",
                dir.display()
            ),
        )
    } else {
        ("it is broken", format!("git -C '{}' status", dir.display()))
    };
    let failure = Failure::fatal(format!(
        "cannot use the repository at `{}`: {message}",
        dir.display()
    ))
    .hint(hint);
    anyhow!(err).context(failure)
}
