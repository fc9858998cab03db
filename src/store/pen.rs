//! Writing the commits of a chain: signed where that is wished and the signer answers, and there to stay although a
//! `git gc --prune=now` runs beside.
//!
//! No ref holds a card's objects before the chain's moves, and to move the ref first would leave a broken chain where we
//! are killed in between. So the objects are looked at once more when the ref holds them, and what is missing is written
//! again: from then on git keeps it.

use std::time::Duration;

use anyhow::bail;

use super::Store;
use crate::deadline::Deadline;
use crate::git::{Oid, Repo};
use crate::handoff::session::Kind;

/// How long a signer may take; one that asks somebody never ends.
const SIGN_TIME_MAX: Duration = Duration::from_secs(5);
/// How often objects are written again that somebody took away.
const REWRITE_TRIES_MAX: u32 = 3;

/// Writes one commit, perhaps several times until its ref moves.
pub(super) struct Pen<'r> {
    repo: &'r Repo,
    signs: bool,
    last: Last,
}

/// The commit that was written last.
enum Last {
    /// One that says the same is the same one, since our clock stands still.
    Plain {
        tree: Oid,
        parents: Vec<Oid>,
        message: String,
        at: Option<i64>,
    },
    /// Byte for byte: a signer does not make the same signature twice.
    Signed(Vec<u8>),
    None,
}

impl<'r> Store<'r> {
    /// For a commit of this kind: autosaves are not signed, since turns should not wait and the next one takes their
    /// place.
    pub(super) fn pen(&self, kind: Kind) -> Pen<'r> {
        Pen {
            repo: self.repo,
            signs: self.sign && kind != Kind::Autosave,
            last: Last::None,
        }
    }

    /// Sees to it that every object of the commit `id` is there now that a ref holds it; `again` writes them anew.
    pub(super) fn keep(
        &self,
        id: Oid,
        again: impl Fn() -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        for _ in 0..REWRITE_TRIES_MAX {
            if self.is_whole(id) {
                return Ok(());
            }
            again()?;
        }
        bail!("cannot keep card {id}: another process removes its objects")
    }

    /// Whether a commit, its tree and what that names are there.
    pub(super) fn is_whole(&self, id: Oid) -> bool {
        let commit = self.repo.read_commit(id);
        let entries = commit.and_then(|commit| self.repo.entries(commit.tree));
        entries.is_ok_and(|entries| entries.iter().all(|entry| self.repo.has(entry.oid)))
    }
}

impl Pen<'_> {
    /// Writes the commit, now or at a given moment (seconds since 1970 UTC). A signer that fails or takes too long costs
    /// a warning and is not asked again.
    pub(super) fn write(
        &mut self,
        tree: Oid,
        parents: &[Oid],
        message: &str,
        at: Option<i64>,
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<Oid> {
        let deadline = Deadline::after(SIGN_TIME_MAX);
        if self.signs {
            let signed = self
                .repo
                .write_signed_commit(tree, parents, message, at, deadline);
            match signed.and_then(|id| Ok((id, self.repo.raw_commit(id)?))) {
                Ok((id, raw)) => {
                    self.last = Last::Signed(raw);
                    return Ok(id);
                }
                Err(err) => warnings.push(format!("the card is stored unsigned: {err:#}")),
            }
            self.signs = false;
        }
        self.last = Last::Plain {
            tree,
            parents: parents.to_owned(),
            message: message.to_owned(),
            at,
        };
        self.write_again()
    }

    /// Writes the last commit again, as it was, and gives it.
    pub(super) fn write_again(&self) -> anyhow::Result<Oid> {
        match &self.last {
            Last::Plain {
                tree,
                parents,
                message,
                at: Some(at),
            } => self.repo.write_commit_at(*tree, parents, message, *at),
            Last::Plain {
                tree,
                parents,
                message,
                at: None,
            } => self.repo.write_commit(*tree, parents, message),
            Last::Signed(raw) => self.repo.write_raw_commit(raw),
            Last::None => bail!("there is no commit to write again"),
        }
    }
}
