//! What a push sends: the newest card of each chain that is no autosave, unless a secret stands in what is new to the
//! other side.

use std::collections::{BTreeMap, HashSet};

use super::Store;
use super::layout::{self, CARD_JSON, CARD_MD, CENSUS_JSON, DECISIONS_MD, REFS, SUMMARY_MD};
use crate::git::{CommitRead, Oid};
use crate::handoff::redact::{Found, Redactor};

/// The files of a card that hold text of ours.
const TEXTS: [&str; 5] = [CARD_JSON, CARD_MD, CENSUS_JSON, DECISIONS_MD, SUMMARY_MD];

/// A chain that the other side does not have as it stands here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToSend {
    /// The session's ref name.
    pub(crate) session: String,
    /// Its newest card that is no autosave.
    pub(crate) id: Oid,
    /// What the other side has.
    pub(crate) theirs: Option<Oid>,
    /// Whether the other side has cards of it that are not here or not in our chain: ours cannot be sent.
    pub(crate) behind: bool,
}

/// A secret in a stored card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leak {
    /// The card.
    pub(crate) card: Oid,
    /// The file in its tree.
    pub(crate) file: String,
    /// The line in it, from 1.
    pub(crate) line: usize,
    /// What it is, as in `[redacted:<kind>]`.
    pub(crate) kind: &'static str,
}

impl Store<'_> {
    /// The chains that the other side does not have as they stand here, by name. `theirs` is what each of its sessions
    /// points to; `wanted` narrows it to these sessions.
    pub(crate) fn to_send(
        self,
        theirs: &BTreeMap<String, Oid>,
        wanted: &[String],
    ) -> anyhow::Result<Vec<ToSend>> {
        let mut chains = Vec::new();
        for (name, tip) in self.repo.refs_under(REFS)? {
            let session = name.strip_prefix(REFS).unwrap_or(&name);
            let theirs = theirs.get(session).copied();
            let is_wanted = wanted.is_empty() || wanted.iter().any(|one| one == session);
            if !is_wanted || theirs == Some(tip) {
                continue;
            }
            let Some(id) = self.last_real(session, tip)? else {
                continue;
            };
            let behind = match theirs {
                None => false,
                Some(theirs) if !self.repo.has(theirs) => true,
                // Mostly a card or two were added, which is soon seen.
                Some(theirs) if theirs != id && self.repo.is_ancestor(theirs, id)? => false,
                Some(theirs) if self.repo.is_ancestor(id, theirs)? => continue,
                Some(_) => true,
            };
            chains.push(ToSend {
                session: session.to_owned(),
                id,
                theirs,
                behind,
            });
        }
        Ok(chains)
    }

    /// The secrets in cards that `tips` go back to, as far as none of `known`. Each file is looked through once.
    pub(crate) fn leaks(
        &self,
        tips: &[Oid],
        known: &HashSet<Oid>,
        redactor: &Redactor,
    ) -> anyhow::Result<Vec<Leak>> {
        let mut seen = HashSet::new();
        let mut leaks = Vec::new();
        for (card, commit) in self.beyond(tips, known)? {
            for entry in self.repo.entries(commit.tree)? {
                let Some(file) = TEXTS.into_iter().find(|name| *name == entry.name) else {
                    continue;
                };
                if !seen.insert(entry.oid) {
                    continue;
                }
                let bytes = self.repo.read_file(commit.tree, file)?.unwrap_or_default();
                let text = String::from_utf8_lossy(&bytes);
                leaks.extend(found_in(card, file, &text, &redactor.places(&text)));
            }
            for file in self.carried_files(&commit)? {
                if seen.insert(file.blob) {
                    let (text, places) = self.secrets_of(&file, redactor)?;
                    leaks.extend(found_in(card, &file.name(), &text, &places));
                }
            }
        }
        Ok(leaks)
    }

    /// The commits that `tips` go back to, up to those of `known`, which are where the walk ends. Most
    /// of what is known is no part of it and need not be read.
    fn beyond(&self, tips: &[Oid], known: &HashSet<Oid>) -> anyhow::Result<Vec<(Oid, CommitRead)>> {
        let (mut met, mut found) = (HashSet::new(), Vec::new());
        let mut next: Vec<Oid> = tips.to_owned();
        while let Some(id) = next.pop() {
            if known.contains(&id) || !met.insert(id) {
                continue;
            }
            let commit = self.repo.read_commit(id)?;
            next.extend(&commit.parents);
            found.push((id, commit));
        }
        Ok(found)
    }

    /// Remembers what the other side has now, as a fetch would.
    pub(crate) fn note_sent(&self, remote: &str, session: &str, id: Oid) -> anyhow::Result<()> {
        let name = layout::remote_ref_name(remote, session);
        let old = self.repo.find_ref(&name)?;
        if old != Some(id) {
            // Somebody else's newer word on it is as good as ours.
            self.repo.swap_ref(&name, old, id, "segue: push")?;
        }
        Ok(())
    }

    /// The sessions with a chain of ours: each one's ref name and tip.
    pub(crate) fn own_tips(&self) -> anyhow::Result<BTreeMap<String, Oid>> {
        let refs = self.repo.refs_under(REFS)?;
        let own = |(name, id): (String, Oid)| Some((name.strip_prefix(REFS)?.to_owned(), id));
        Ok(refs.into_iter().filter_map(own).collect())
    }

    /// What the last fetch from a remote, or push to it, found there: each session's ref name and tip.
    pub(crate) fn fetched_from(&self, remote: &str) -> anyhow::Result<BTreeMap<String, Oid>> {
        let prefix = layout::remote_ref_name(remote, "");
        let refs = self.repo.refs_under(&prefix)?;
        let sessions = refs.into_iter().filter_map(|(mut session, id)| {
            session.drain(..prefix.len());
            // A remote may be named like the beginning of another one.
            (!session.contains('/')).then_some((session, id))
        });
        Ok(sessions.collect())
    }
}

fn found_in(card: Oid, file: &str, text: &str, places: &[Found]) -> Vec<Leak> {
    let leak = |place: &Found| Leak {
        card,
        file: file.to_owned(),
        line: text[..place.start].matches('\n').count() + 1,
        kind: place.kind,
    };
    places.iter().map(leak).collect()
}
