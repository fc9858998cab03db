//! Dropping old sessions whole.

use std::collections::HashSet;

use super::layout::{self, REFS};
use super::{SessionTip, Store};
use crate::git::Oid;
use crate::git::rewrite::Move;

/// Which sessions are old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Old {
    /// Their newest card is older than this moment, in seconds since 1970 UTC.
    pub(crate) before: i64,
    /// So many of the newest sessions are never old.
    pub(crate) keep: usize,
    /// Also those that another chain goes on from.
    pub(crate) also_continued: bool,
}

/// The old sessions.
#[derive(Debug, Clone, Default)]
pub(crate) struct OldSessions {
    /// Those to drop.
    pub(crate) drop: Vec<SessionTip>,
    /// Those that are kept since another chain goes on from them.
    pub(crate) continued: Vec<SessionTip>,
}

impl Store<'_> {
    /// The old sessions, newest first.
    pub(crate) fn old_sessions(&self, old: &Old) -> anyhow::Result<OldSessions> {
        let tips = self.sessions()?;
        let is_old = |(n, tip): &(usize, SessionTip)| *n >= old.keep && tip.at < old.before;
        let (drop, stay): (Vec<_>, Vec<_>) = tips.into_iter().enumerate().partition(is_old);
        let drop = drop.into_iter().map(|(_, tip)| tip);
        if old.also_continued {
            let (drop, continued) = (drop.collect(), Vec::new());
            return Ok(OldSessions { drop, continued });
        }
        let stay = stay.iter().map(|(_, tip)| Oid::from_hex(tip.id.as_bytes()));
        let stay: Vec<Oid> = stay.collect::<Result<_, _>>()?;
        let mut needed = HashSet::new();
        for (_, commit) in self.commits(&stay) {
            let trailers = layout::trailers(&commit.message);
            needed.extend(layout::trailer(&trailers, layout::SESSION).map(str::to_owned));
        }
        let (continued, drop) = drop.partition(|tip| needed.contains(&tip.session));
        Ok(OldSessions { drop, continued })
    }

    /// Drops the chains of sessions: all of them, or none where one has moved since it was looked at.
    pub(crate) fn drop_sessions(&self, tips: &[SessionTip]) -> anyhow::Result<()> {
        let mut moves = Vec::new();
        for tip in tips {
            moves.push(Move {
                name: format!("{REFS}{}", tip.session),
                old: Oid::from_hex(tip.id.as_bytes())?,
                new: None,
            });
        }
        self.repo.move_refs(&moves, "segue: pruned")
    }
}
