//! The store: cards as commits under `refs/segue/`, one chain a session.
//!
//! A card's commit has this tree ([`layout`] has every name):
//!
//! ```text
//! card.json      what we read, versioned (wire)
//! card.md        the same for people and agents; never read back
//! census.json    the repository at that moment
//! decisions.md   the chain's decisions, oldest first
//! summary.md     where the writer made one
//! worktree/      the work tree, where it is carried; unchanged files are the repository's own
//! index/         the index, where it is carried and something is staged
//! ```
//!
//! First parent: the card before it. A ref moves only by compare-and-swap and after the objects that it reaches, so a
//! crash leaves the old tip or the new one.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, anyhow};

use crate::error::Failure;
use crate::git::newest::DatedRef;
use crate::git::{CommitRead, Oid, Repo};
use crate::handoff::card::{Card, Stored};
use crate::handoff::decision::DecisionLog;
use crate::handoff::session::{Kind, SessionId, Shorts, Trigger, short};
use layout::{
    CARD_JSON, CENSUS_JSON, DECISIONS_MD, INDEX, REFS, REMOTE_REFS, SUMMARY_MD, WORKTREE,
};

mod append;
mod carried;
pub(crate) mod forget;
mod join;
pub(crate) mod layout;
mod lineage;
mod pen;
pub(crate) mod prune;
mod replace;
mod resolve;
pub(crate) mod scan;
mod send;
#[cfg(test)]
mod tests;
mod wire;

pub(crate) use join::Taken;
pub(crate) use replace::Replaced;
pub(crate) use send::{Leak, ToSend};

/// Cards in a repository.
#[derive(Clone, Copy)]
pub(crate) struct Store<'r> {
    repo: &'r Repo,
    sign: bool,
}

/// What came of [`Store::append`].
#[derive(Debug)]
pub(crate) struct Appended {
    /// The card at the tip now.
    pub(crate) id: String,
    /// False when the tip held the same card already, and nothing was written.
    pub(crate) written: bool,
    /// What did not go as it should without costing the card: a note that could not be written, a broken tip.
    pub(crate) warnings: Vec<String>,
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

impl SessionTip {
    /// The value of one trailer (see [`layout`] for their names).
    pub(crate) fn trailer(&self, key: &str) -> Option<&str> {
        layout::trailer(&self.trailers, key)
    }
}

/// Which sessions are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// Ours, and what was fetched of sessions that are not ours.
    All,
    /// Those with a chain of ours.
    Ours,
    /// What was fetched.
    Fetched,
}

/// A card as its commit's message tells it; read without its tree.
#[derive(Debug, Clone)]
pub(crate) struct Glance {
    /// The commit id in hex.
    pub(crate) id: String,
    /// When it was committed, in seconds since 1970 UTC.
    pub(crate) at: i64,
    /// The commit's subject: the goal, cut.
    pub(crate) goal: String,
    /// Trailers as they stand.
    trailers: Vec<(String, String)>,
}

impl Glance {
    /// The value of one trailer (see [`layout`] for their names).
    pub(crate) fn trailer(&self, key: &str) -> Option<&str> {
        layout::trailer(&self.trailers, key)
    }

    /// What it is and why it was written.
    pub(crate) fn kind_and_trigger(&self) -> (Kind, Trigger) {
        layout::kind_and_trigger(&self.trailers)
    }
}

impl<'r> Store<'r> {
    /// The store of a repository.
    pub(crate) fn new(repo: &'r Repo) -> Self {
        Self { repo, sign: false }
    }

    /// The same, signing what is no autosave where `sign` says so.
    pub(crate) fn signing(self, sign: bool) -> Self {
        Self { sign, ..self }
    }

    /// The newest card of a session, autosaves among them; none when it has no chain.
    pub(crate) fn tip(&self, session: &SessionId) -> anyhow::Result<Option<Stored>> {
        let tip = self.tip_id(&layout::ref_name(session.ref_name()))?;
        tip.map(|id| self.read_oid(id)).transpose()
    }

    /// The id in hex of a session's newest card, found without reading the card; none when it has no chain.
    pub(crate) fn newest_id(&self, session: &SessionId) -> anyhow::Result<Option<String>> {
        let tip = self.tip_id(&layout::ref_name(session.ref_name()))?;
        Ok(tip.map(|id| id.to_string()))
    }

    /// The commit at the tip of a chain. A ref that a power cut emptied is mended from its log first.
    fn tip_id(&self, name: &str) -> anyhow::Result<Option<Oid>> {
        match self.repo.find_ref(name) {
            Ok(tip) => Ok(tip),
            Err(err) => self.repo.heal_ref(name)?.map(Some).ok_or(err),
        }
    }

    /// Whether a card that says the same, whatever its decisions and its moment, is on its session's chain.
    pub(crate) fn holds(&self, card: &Card) -> anyhow::Result<bool> {
        let json = wire::encode_card(card)?;
        let mut next = self.tip_id(&layout::ref_name(card.provenance.session.ref_name()))?;
        while let Some(id) = next {
            let commit = self.repo.read_commit(id)?;
            if self.repo.read_file(commit.tree, CARD_JSON)?.as_ref() == Some(&json) {
                return Ok(true);
            }
            next = commit.parents.first().copied();
        }
        Ok(false)
    }

    /// One card by its full commit id.
    pub(crate) fn read(&self, id: &str) -> anyhow::Result<Stored> {
        let oid = Oid::from_hex(id.as_bytes())
            .map_err(|_| Failure::no(format!("no card `{id}`: that is no id")))?;
        self.read_oid(oid)
    }

    /// The newest sessions: ours, and what was fetched of sessions that are not ours; or (`Which::Fetched`) all that was
    /// fetched. Reads the commits of those alone. `index` is where their order is kept.
    pub(crate) fn newest_sessions(
        &self,
        which: Which,
        index: &Path,
    ) -> anyhow::Result<impl Iterator<Item = SessionTip> + use<'r>> {
        let prefixes: &[&str] = match which {
            Which::All => &[REFS, REMOTE_REFS],
            Which::Ours => &[REFS],
            Which::Fetched => &[REMOTE_REFS],
        };
        let refs = self
            .repo
            .newest_refs(prefixes, &[REFS, REMOTE_REFS], index)?;
        let store = *self;
        Ok(refs.filter_map(move |DatedRef { name, id, .. }| {
            if let Some(session) = name.strip_prefix(REFS) {
                return store.session_tip(session, None, id);
            }
            let (remote, session) = name.strip_prefix(REMOTE_REFS)?.rsplit_once('/')?;
            let is_ours = || store.repo.find_ref(&layout::ref_name(session));
            if which == Which::All && matches!(is_ours(), Ok(Some(_))) {
                return None;
            }
            store.session_tip(session, Some(remote), id)
        }))
    }

    /// The remote and the session of each chain that was fetched.
    pub(crate) fn fetched_names(&self) -> anyhow::Result<Vec<(String, String)>> {
        let refs = self.repo.refs_under(REMOTE_REFS)?;
        let names = refs.iter().filter_map(|(name, _)| {
            let (remote, session) = name.strip_prefix(REMOTE_REFS)?.rsplit_once('/')?;
            Some((remote.to_owned(), session.to_owned()))
        });
        Ok(names.collect())
    }

    /// What tells these sessions apart from all that there are, ours and those that were fetched from a remote.
    pub(crate) fn shorts<'n>(
        &self,
        sessions: impl IntoIterator<Item = &'n str>,
    ) -> anyhow::Result<Shorts> {
        let beginnings: BTreeSet<&str> = sessions.into_iter().map(short).collect();
        if beginnings.is_empty() {
            return Ok(Shorts::default());
        }
        let mut folders = self.repo.ref_folders(REMOTE_REFS)?;
        folders.insert(REFS.to_owned());
        let begin = |folder: &String| {
            let begin = beginnings.iter().map(|one| format!("{folder}{one}"));
            begin.collect::<Vec<_>>()
        };
        let alike = self
            .repo
            .ref_names(&folders.iter().flat_map(begin).collect())?;
        Ok(Shorts::of(
            alike
                .iter()
                .filter_map(|name| Some(name.rsplit_once('/')?.1)),
        ))
    }

    /// Every session with a chain, the newest tip first; a tip that cannot be read is left out.
    pub(crate) fn sessions(&self) -> anyhow::Result<Vec<SessionTip>> {
        let refs = self.repo.refs_under(REFS)?;
        let tips = refs.into_iter().filter_map(|(name, id)| {
            let session = name.strip_prefix(REFS)?;
            self.session_tip(session, None, id)
        });
        Ok(newest_first(tips.collect()))
    }

    /// The subject of a card's commit: its goal in a line; nothing where it cannot be read.
    pub(crate) fn goal_of(&self, id: Oid) -> String {
        let message = self.repo.read_commit(id).map(|commit| commit.message);
        let message = message.unwrap_or_default();
        message.lines().next().unwrap_or_default().to_owned()
    }

    fn session_tip(&self, session: &str, remote: Option<&str>, id: Oid) -> Option<SessionTip> {
        let commit = self.repo.read_commit(id).ok()?;
        Some(SessionTip {
            session: session.to_owned(),
            remote: remote.map(str::to_owned),
            id: id.to_string(),
            at: commit.at,
            goal: commit.message.lines().next().unwrap_or_default().to_owned(),
            trailers: layout::trailers(&commit.message),
        })
    }

    fn read_oid(&self, id: Oid) -> anyhow::Result<Stored> {
        let commit = self.repo.read_commit(id)?;
        self.read_card(id, &commit)
    }

    fn read_card(&self, id: Oid, commit: &CommitRead) -> anyhow::Result<Stored> {
        let card = self
            .decode(commit)
            .with_context(|| format!("cannot read card {id}"))?;
        Ok(Stored {
            id: id.to_string(),
            parents: commit.parents.iter().map(Oid::to_string).collect(),
            at: commit.at,
            remote: None,
            card,
        })
    }

    fn decode(&self, commit: &CommitRead) -> anyhow::Result<Card> {
        let file = |name: &str| self.repo.read_file(commit.tree, name);
        let text = |name: &str| -> anyhow::Result<Option<String>> {
            Ok(file(name)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
        };
        let json = file(CARD_JSON)?.ok_or_else(|| anyhow!("it has no {CARD_JSON}"))?;
        let census = file(CENSUS_JSON)?;
        let entries = self.repo.entries(commit.tree)?;
        let carried = |name: &str| {
            let mut trees = entries.iter().filter(|entry| entry.tree);
            Some(trees.find(|entry| entry.name == name)?.oid.to_string())
        };
        let trees = wire::CarriedTrees {
            worktree: carried(WORKTREE),
            index: carried(INDEX),
        };
        let (kind, trigger) = layout::kind_and_trigger(&layout::trailers(&commit.message));
        let beside = wire::Beside {
            kind,
            trigger,
            census: census
                .map(|json| wire::decode_census(&json, &trees))
                .transpose()?,
            decisions: DecisionLog::parse(&text(DECISIONS_MD)?.unwrap_or_default()),
            summary: text(SUMMARY_MD)?,
        };
        wire::decode_card(&json, beside)
    }
}

fn newest_first(mut tips: Vec<SessionTip>) -> Vec<SessionTip> {
    tips.sort_by(|one, other| (other.at, &one.session).cmp(&(one.at, &other.session)));
    tips
}
