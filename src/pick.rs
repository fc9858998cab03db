//! Which card a person means: named, `@`, or the one that goes without saying.

use std::path::{Path, PathBuf};

use crate::error::Failure;
use crate::handoff::card::Stored;
use crate::handoff::session::{SessionId, short};
use crate::place::{Place, real};
use crate::store::{Store, Which};

/// So many sessions are looked at for one of this work tree, the newest first.
const SESSIONS_MAX: usize = 200;

/// Who asks, and from where.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    /// The conversation that called us; none for a person at a terminal.
    pub(crate) session: Option<SessionId>,
    /// The work tree's root, or outside of a repository the current folder.
    pub(crate) root: PathBuf,
    /// How far to look where nothing is named.
    pub(crate) reach: Reach,
}

impl Asker {
    /// Whether a card of that session (its ref name) may be taken though nobody named it.
    fn may_get(&self, session: &str) -> bool {
        self.session.is_none() || session != SessionId::unknown().ref_name()
    }
}

/// How far to look for a card that goes without saying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// This session, else the newest of this work tree.
    Worktree,
    /// Further: else the newest of the repository.
    Repository,
}

/// Why it is this card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// It was named.
    Named,
    /// It is the newest of the session that asks.
    Own,
    /// It is the newest of this work tree; the session that asks has none.
    Worktree,
    /// It is the newest of the repository; this work tree has none.
    Repository,
}

/// A card, and why it is this one.
#[derive(Debug)]
pub(crate) struct Picked {
    /// The card.
    pub(crate) stored: Stored,
    /// Why it is this one.
    pub(crate) how: How,
}

/// What a `<card>` says.
enum Spec<'s> {
    /// A session or a card.
    Named(&'s str),
    /// The one that goes without saying, or one before it: nothing, or `~<n>`.
    Own(&'s str),
}

impl<'s> Spec<'s> {
    fn of(spec: Option<&'s str>) -> Self {
        let Some(spec) = spec else {
            return Self::Own("");
        };
        match spec.strip_prefix('@') {
            Some(back) if back.is_empty() || back.starts_with('~') => Self::Own(back),
            _ => Self::Named(spec),
        }
    }
}

/// The card that `spec` means to `asker`: see `<card>` in the program's help. An error of kind `No` when there is
/// none.
pub(crate) fn card(place: &Place, spec: Option<&str>, asker: &Asker) -> anyhow::Result<Picked> {
    let store = Store::new(&place.repo);
    let back = match Spec::of(spec) {
        Spec::Own(back) => back,
        Spec::Named(name) => {
            return Ok(Picked {
                stored: store.resolve(name)?,
                how: How::Named,
            });
        }
    };
    let picked = own(place, asker, spec.is_some())?;
    if back.is_empty() {
        return Ok(picked);
    }
    let session = picked.stored.card.provenance.session.ref_name();
    let stored = store.resolve(&format!("{session}{back}"))?;
    Ok(Picked { stored, ..picked })
}

/// The id in hex of the card that [`card`] finds, with the remark on it; a card that was named, or whose session asks, is
/// not read for it.
pub(crate) fn id(
    place: &Place,
    spec: Option<&str>,
    asker: &Asker,
) -> anyhow::Result<(String, Option<String>)> {
    let store = Store::new(&place.repo);
    let own = match (Spec::of(spec), &asker.session) {
        (Spec::Named(name), _) => Some(store.resolve_id(name)?),
        (Spec::Own(""), Some(session)) => store.newest_id(session)?,
        _ => None,
    };
    if let Some(id) = own {
        return Ok((id, None));
    }
    let picked = card(place, spec, asker)?;
    let remark = picked.remark();
    Ok((picked.stored.id, remark))
}

/// The session that a decision or a card of `asker` belongs to, and its tip.
pub(crate) fn session(place: &Place, asker: &Asker) -> anyhow::Result<(SessionId, Option<Stored>)> {
    if let Some(session) = &asker.session {
        let tip = Store::new(&place.repo).tip(session)?;
        return Ok((session.clone(), tip));
    }
    let newest = newest(place, asker)?;
    Ok(match newest {
        Some(Picked { stored, .. }) => (stored.card.provenance.session.clone(), Some(stored)),
        None => {
            let unknown = SessionId::unknown();
            let tip = Store::new(&place.repo).tip(&unknown)?;
            (unknown, tip)
        }
    })
}

/// The newest card of the session that asks; `is_said` means of no other one.
fn own(place: &Place, asker: &Asker, is_said: bool) -> anyhow::Result<Picked> {
    if let Some(session) = &asker.session {
        if let Some(stored) = Store::new(&place.repo).tip(session)? {
            return Ok(Picked {
                stored,
                how: How::Own,
            });
        }
        if is_said {
            return Err(Failure::no(format!("no card of session `{}` yet", session.short()))
                .hint("`git segue list` shows the others, `git segue resume <session>` takes one up")
                .into());
        }
    }
    if let Some(picked) = newest(place, asker)? {
        return Ok(picked);
    }
    let session = asker.session.as_ref();
    let of = session.map_or_else(String::new, |one| format!(" of session `{}`", one.short()));
    Err(Failure::no(format!("no card{of} in this work tree yet"))
        .hint("`git segue save` writes one now, `git segue list` shows every session")
        .into())
}

/// The newest card of this work tree, else (where that is asked for) of the repository. Cards without a session go
/// without saying to a person only, never to an agent.
fn newest(place: &Place, asker: &Asker) -> anyhow::Result<Option<Picked>> {
    let store = Store::new(&place.repo);
    // What was noted down saves looking through all of them; the note may be lost, and it may be wrong.
    if let Some(session) = place.state.newest(&asker.root)
        && let Ok(stored) = store.resolve(&session)
        && is_of(&stored, &asker.root)
        && session != SessionId::unknown().ref_name()
    {
        return Ok(Some(Picked {
            stored,
            how: How::Worktree,
        }));
    }
    let mut other = None;
    let mut nobodys = None;
    let sessions = store.newest_sessions(Which::Ours, &place.state.tips_index())?;
    let known = sessions.filter(|tip| asker.may_get(&tip.session));
    for tip in known.take(SESSIONS_MAX) {
        let stored = store.read(&tip.id)?;
        if tip.session == SessionId::unknown().ref_name() {
            nobodys = Some(stored);
            continue;
        }
        if is_of(&stored, &asker.root) {
            return Ok(Some(Picked {
                stored,
                how: How::Worktree,
            }));
        }
        other = other.or(Some(stored));
    }
    // Cards that nobody's conversation left are taken where there are no others.
    let (of, elsewhere) = match nobodys {
        Some(stored) if is_of(&stored, &asker.root) => (Some(stored), None),
        stored => (None, stored),
    };
    if let Some(stored) = of {
        return Ok(Some(Picked {
            stored,
            how: How::Worktree,
        }));
    }
    let further = other
        .or(elsewhere)
        .filter(|_| asker.reach == Reach::Repository);
    Ok(further.map(|stored| Picked {
        stored,
        how: How::Repository,
    }))
}

fn is_of(stored: &Stored, root: &Path) -> bool {
    let card = &stored.card;
    let census = card.census.as_ref().map(|census| census.root.as_str());
    let of = census.or(card.provenance.cwd.as_deref());
    of.is_some_and(|of| Path::new(of) == root || real(Path::new(of)) == root)
}

impl Picked {
    /// What to tell a person who did not name the card; none where they did, or where it is their own.
    pub(crate) fn remark(&self) -> Option<String> {
        let place = match self.how {
            How::Named | How::Own => return None,
            How::Worktree => "work tree",
            How::Repository => "repository",
        };
        let session = self.stored.card.provenance.session.short();
        let card = short(&self.stored.id);
        Some(format!(
            "card {card} of session {session}, the newest of this {place}"
        ))
    }
}
