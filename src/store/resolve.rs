//! Which card a person means: `<session>`, `<card>`, either abbreviated, either with `~<n>` behind it.

use std::path::Path;

use anyhow::Context;

use super::layout::{self, REFS, REMOTE_REFS};
use super::{SessionTip, Store, Which};
use crate::error::Failure;
use crate::git::Oid;
use crate::handoff::card::Stored;
use crate::handoff::session::short;

/// How few hex digits may stand for a card, as in git.
const ID_DIGITS_MIN: usize = 4;
/// So many lengths of an id are tried before it is said whole.
const ID_TRIES_MAX: usize = 8;
/// So many cards that cannot be read are passed over.
const UNREADABLE_MAX: usize = 16;
/// How many of those that a text could mean are named.
const LISTED_MAX: usize = 8;

/// A commit that a text names, and the remote whose ref it was.
struct Named {
    id: Oid,
    remote: Option<String>,
}

impl Store<'_> {
    /// The card that `spec` names: a session's name or a unique prefix of it, a card's id or a unique prefix, either
    /// with `~<n>` behind it for the n-th card before. `<remote>/<session>` names a fetched one; a session that we do
    /// not have ourselves is looked for among the fetched ones too. What ref names say in front (`refs/segue/`,
    /// `segue/`) may stand there. An error of kind `No` when there is none or more than one.
    pub(crate) fn resolve(&self, spec: &str) -> anyhow::Result<Stored> {
        let Named { id, remote } = self.resolve_named(spec)?;
        let mut stored = self.read_oid(id)?;
        // What is named by its id alone may stand in a fetched chain only.
        stored.remote = remote.or_else(|| self.only_fetched_from(&stored));
        Ok(stored)
    }

    /// The id in hex of the card that `spec` names (see [`Store::resolve`]), found without reading the card.
    pub(crate) fn resolve_id(&self, spec: &str) -> anyhow::Result<String> {
        Ok(self.resolve_named(spec)?.id.to_string())
    }

    /// The shortest beginning of a card's id, eight digits at least, that names it and nothing else.
    pub(crate) fn short_id<'i>(&self, id: &'i str) -> &'i str {
        let names_it = |digits: &&str| self.resolve_id(digits).is_ok_and(|found| found == id);
        let beginnings = (short(id).len()..id.len()).filter_map(|end| id.get(..end));
        beginnings.take(ID_TRIES_MAX).find(names_it).unwrap_or(id)
    }

    /// The newest card that was fetched and can be read, of a session that `wanted` takes.
    pub(crate) fn newest_fetched(
        &self,
        index: &Path,
        wanted: impl Fn(&SessionTip) -> bool,
    ) -> anyhow::Result<Option<Stored>> {
        let tips = self.newest_sessions(Which::Fetched, index)?.filter(wanted);
        let mut cards = tips.take(UNREADABLE_MAX).filter_map(|tip| {
            let stored = self.read(&tip.id).ok()?;
            let remote = tip.remote;
            Some(Stored { remote, ..stored })
        });
        Ok(cards.next())
    }

    fn resolve_named(&self, spec: &str) -> anyhow::Result<Named> {
        let (name, back) = split_back(spec)?;
        let mut named = self.named(name)?;
        for step in 0..back {
            let parents = self.repo.read_commit(named.id)?.parents;
            named.id = *parents.first().ok_or_else(|| {
                Failure::no(format!(
                    "no card `{spec}`: there are only {step} before `{name}`"
                ))
                .hint(format!("run `git segue log {name}`"))
            })?;
        }
        Ok(named)
    }

    fn named(&self, name: &str) -> anyhow::Result<Named> {
        let name = name.strip_prefix("refs/").unwrap_or(name);
        let (own, fetched) = match name.strip_prefix("segue-remotes/") {
            Some(name) => (None, name),
            None => {
                let name = name.strip_prefix("segue/").unwrap_or(name);
                (Some(name), name)
            }
        };
        if let Some(own) = own {
            if !own.is_empty()
                && !own.contains('/')
                && let Some(id) = self.one_of(own, self.own_sessions(own)?)?
            {
                return Ok(Named { id, remote: None });
            }
            if let Some(id) = self.card_by_id(own)? {
                return Ok(Named { id, remote: None });
            }
        }
        let found = self.fetched(fetched)?;
        let names = found.iter().map(|(name, named)| (name.clone(), named.id));
        if let Some(id) = self.one_of(fetched, names.collect())? {
            let remote = found
                .into_iter()
                .find(|(_, named)| named.id == id)
                .and_then(|(_, named)| named.remote);
            return Ok(Named { id, remote });
        }
        Err(Failure::no(format!("no card `{name}`"))
            .hint("run `git segue list` to see the sessions")
            .into())
    }

    /// The remote that a card came from; none for one that a chain of ours holds.
    fn only_fetched_from(&self, stored: &Stored) -> Option<String> {
        let id = Oid::from_hex(stored.id.as_bytes()).ok()?;
        let session = stored.card.provenance.session.ref_name();
        let reaches = |tip: Oid| self.repo.is_ancestor(id, tip).unwrap_or(false);
        let own = self.repo.find_ref(&layout::ref_name(session)).ok()?;
        if own.is_some_and(reaches) {
            return None;
        }
        let fetched = self.repo.refs_under(REMOTE_REFS).unwrap_or_default();
        fetched.into_iter().find_map(|(name, tip)| {
            let (remote, of) = name.strip_prefix(REMOTE_REFS)?.rsplit_once('/')?;
            (of == session && reaches(tip)).then(|| remote.to_owned())
        })
    }

    /// Our own sessions that begin with `name`; the one that is called so alone where there is one.
    fn own_sessions(&self, name: &str) -> anyhow::Result<Vec<(String, Oid)>> {
        // Most names are whole, and one look-up is cheaper than a list of all.
        let whole = layout::ref_name(name);
        if let Ok(Some(id)) = self.repo.find_ref(&whole) {
            return Ok(vec![(name.to_owned(), id)]);
        }
        let refs = self.repo.refs_under(&whole)?;
        Ok(refs
            .into_iter()
            .filter_map(|(full, id)| Some((full.strip_prefix(REFS)?.to_owned(), id)))
            .collect())
    }

    /// The fetched sessions that `name` may mean: `<remote>/<session>`, or a session of any remote.
    fn fetched(&self, name: &str) -> anyhow::Result<Vec<(String, Named)>> {
        if name.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for (full, id) in self.repo.refs_under(REMOTE_REFS)? {
            let whole = full.strip_prefix(REMOTE_REFS).unwrap_or(&full);
            let Some((remote, session)) = whole.rsplit_once('/') else {
                continue;
            };
            let named = Named {
                id,
                remote: Some(remote.to_owned()),
            };
            if whole == name {
                return Ok(vec![(whole.to_owned(), named)]);
            }
            if session.starts_with(name) || whole.starts_with(name) && name.contains('/') {
                found.push((whole.to_owned(), named));
            }
        }
        Ok(found)
    }

    /// The card with this id or abbreviated id.
    fn card_by_id(&self, digits: &str) -> anyhow::Result<Option<Oid>> {
        if digits.len() < ID_DIGITS_MIN || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let ids = self.repo.ids_with_prefix(digits)?;
        let cards = ids.into_iter().filter(|id| self.is_card(*id));
        self.one_of(digits, cards.map(|id| (id.to_string(), id)).collect())
    }

    fn is_card(&self, id: Oid) -> bool {
        let commit = self.repo.read_commit(id);
        commit.is_ok_and(|one| {
            layout::trailer(&layout::trailers(&one.message), layout::SESSION).is_some()
        })
    }

    /// The only one; none of none; of several, an error that lists them. Several names of one commit are one.
    fn one_of(&self, name: &str, found: Vec<(String, Oid)>) -> anyhow::Result<Option<Oid>> {
        let Some((_, first)) = found.first() else {
            return Ok(None);
        };
        if found.iter().all(|(_, id)| id == first) {
            return Ok(Some(*first));
        }
        let mut failure = Failure::no(format!("`{name}` could be any of {}", found.len()));
        for (one, id) in found.iter().take(LISTED_MAX) {
            let goal = self.repo.read_commit(*id).map(|commit| commit.message);
            let goal = goal.unwrap_or_default();
            let goal = goal.lines().next().unwrap_or_default();
            failure = failure.hint(format!("{one} ({}) {goal}", short(&id.to_string())));
        }
        Err(failure.into())
    }
}

/// `name~2` is `name` and 2; `name~` and `name~~` count as in git.
fn split_back(spec: &str) -> anyhow::Result<(&str, usize)> {
    let Some((name, back)) = spec.split_once('~') else {
        return Ok((spec, 0));
    };
    let mut sum = 0_usize;
    for digits in back.split('~') {
        let steps = match digits {
            "" => Ok(1),
            digits => digits.parse(),
        };
        let steps: usize = steps
            .with_context(|| Failure::no(format!("no card `{spec}`: `{digits}` is no number")))?;
        sum = sum.saturating_add(steps);
    }
    Ok((name, sum))
}

#[cfg(test)]
mod tests {
    use super::split_back;

    #[test]
    fn steps_back_count_as_in_git() {
        for (spec, expect) in [
            ("a", ("a", 0)),
            ("a~", ("a", 1)),
            ("a~2", ("a", 2)),
            ("a~~", ("a", 2)),
            ("a~2~3", ("a", 5)),
        ] {
            assert_eq!(split_back(spec).unwrap(), expect, "{spec}");
        }
        assert!(split_back("a~x").is_err());
        assert!(split_back("a~99999999999999999999999").is_err());
    }
}
