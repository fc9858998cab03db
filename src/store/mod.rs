//! The store: cards as commits under `refs/segue/`, one chain a session.

use crate::git::Repo;
use crate::handoff::card::{Card, Stored};
use crate::handoff::session::SessionId;

/// Cards in a repository.
#[derive(Clone, Copy)]
pub(crate) struct Store<'r> {
    repo: &'r Repo,
}

/// What came of [`Store::append`].
#[derive(Debug)]
pub(crate) struct Appended {
    /// The card at the tip now.
    pub(crate) id: String,
    /// False when the tip held the same card already, and nothing was written.
    pub(crate) written: bool,
}

/// A session as a list shows it; read from its tip's commit alone.
#[derive(Debug, Clone)]
pub(crate) struct SessionTip {
    /// The session's ref name (its id, or its hash).
    pub(crate) session: String,
    /// The remote that it was fetched from; none for our own.
    pub(crate) remote: Option<String>,
    /// The tip's commit id in hex.
    pub(crate) id: String,
    /// When it was committed, in seconds since 1970 UTC.
    pub(crate) at: i64,
    /// The commit's subject: the goal.
    pub(crate) goal: String,
    /// Trailers as they stand: `Segue-Host` and so on.
    pub(crate) trailers: Vec<(String, String)>,
}

/// What a card is made on: read before, checked when written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Base {
    /// The tip when it was read.
    pub(crate) tip: Option<Stored>,
    /// The last card of the chain that is not an autosave: the new card's parent.
    pub(crate) card: Option<String>,
}

impl<'r> Store<'r> {
    /// The store of a repository.
    pub(crate) fn new(repo: &'r Repo) -> Self {
        Self { repo }
    }

    /// The repository.
    pub(crate) fn repo(&self) -> &'r Repo {
        self.repo
    }

    /// The newest card of a session, autosaves among them; none when it has no chain.
    pub(crate) fn tip(&self, _session: &SessionId) -> anyhow::Result<Option<Stored>> {
        anyhow::bail!("cannot read the tip: not built yet")
    }

    /// Commits a card on top of its session's chain and moves the ref by compare-and-swap, with retries. An autosave
    /// at the tip is replaced; decisions at the tip that the card does not know are carried forward. `parent_card` is
    /// another session's card (hex) that the chain goes on from: the first parent of a first card, the second parent
    /// of a later one. A real card also gets its line in the note on the recorded HEAD.
    pub(crate) fn append(
        &self,
        _card: &Card,
        _parent_card: Option<&str>,
    ) -> anyhow::Result<Appended> {
        anyhow::bail!("cannot append a card: not built yet")
    }

    /// One card by its full commit id.
    pub(crate) fn read(&self, _id: &str) -> anyhow::Result<Stored> {
        anyhow::bail!("cannot read a card: not built yet")
    }

    /// The card that `spec` names: a session's name or a unique prefix of it, a card's id or a unique prefix, either
    /// with `~<n>` behind it for the n-th card before. An error of kind `No` when there is none or more than one.
    pub(crate) fn resolve(&self, _spec: &str) -> anyhow::Result<Stored> {
        anyhow::bail!("cannot find a card: not built yet")
    }

    /// Walks first parents from a card (hex id), newest first, read one at a time.
    pub(crate) fn walk(&self, _id: &str) -> impl Iterator<Item = anyhow::Result<Stored>> + use<'r> {
        std::iter::empty()
    }

    /// Every session with a chain, the newest tip first.
    pub(crate) fn sessions(&self) -> anyhow::Result<Vec<SessionTip>> {
        anyhow::bail!("cannot list the sessions: not built yet")
    }

    /// Every session that was fetched, the newest tip first.
    pub(crate) fn fetched_sessions(&self) -> anyhow::Result<Vec<SessionTip>> {
        anyhow::bail!("cannot list the fetched sessions: not built yet")
    }
}
