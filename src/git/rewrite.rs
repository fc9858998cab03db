//! Writing history anew: a commit with another tree or other parents, and refs moved together.

use anyhow::{Context, anyhow, bail};
use gix::note::plumbing::State;

use super::{Oid, Repo};

/// A ref that moves from one commit to another; to none when it is deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Move {
    /// The whole name.
    pub(crate) name: String,
    /// Where it points now.
    pub(crate) old: Oid,
    /// Where it is to point.
    pub(crate) new: Option<Oid>,
}

impl Repo {
    /// Writes a commit again with another tree, parents and message. Author, committer and their moments stay; a
    /// signature goes, since it would be wrong.
    pub(crate) fn rewrite_commit(
        &self,
        old: Oid,
        tree: Oid,
        parents: &[Oid],
        message: &str,
    ) -> anyhow::Result<Oid> {
        let read = || -> gix::Result<gix::objs::Commit> {
            let commit = self.without_refs().find_commit(old)?;
            commit.decode()?.into_owned()
        };
        let mut commit = read().with_context(|| format!("cannot read commit {old}"))?;
        commit.tree = tree;
        commit.parents = parents.iter().copied().collect();
        commit.message = message.into();
        commit.extra_headers.retain(|(name, _)| {
            let name: &[u8] = name.as_ref();
            !name.starts_with(b"gpgsig")
        });
        self.write_object(&commit).context("cannot write a commit")
    }

    /// A commit without parents whose tree has these notes and no others; of now, or of a given moment (seconds since
    /// 1970 UTC).
    pub(crate) fn write_notes(
        &self,
        notes: &[(Oid, Vec<u8>)],
        at: Option<i64>,
    ) -> anyhow::Result<Oid> {
        let objects = &self.without_refs().objects;
        let mut state =
            State::new(Oid::empty_tree(self.hash_kind()), objects).context("cannot write notes")?;
        for (object, text) in notes {
            let blob = self.write_blob(text)?;
            state
                .edit(*object, Some(blob), objects)
                .with_context(|| format!("cannot write the note on {object}"))?;
        }
        let tree = state
            .write(objects)
            .map_err(|err| anyhow!(err))
            .context("cannot write notes")?;
        let message = "Notes by git-segue\n";
        match at {
            Some(at) => self.write_commit_at(tree, &[], message, at),
            None => self.write_commit(tree, &[], message),
        }
    }

    /// Moves and deletes refs, each only while it points to what is given: all of them or none. What their logs knew
    /// goes too.
    pub(crate) fn move_refs(&self, moves: &[Move], log: &str) -> anyhow::Result<()> {
        let line = |one: &Move| match one.new {
            Some(new) => format!("update {} {new} {}\n", one.name, one.old),
            None => format!("delete {} {}\n", one.name, one.old),
        };
        let lines: String = moves.iter().map(line).collect();
        if lines.is_empty() {
            return Ok(());
        }
        let output = self
            .program(&["update-ref", "--create-reflog", "-m", log, "--stdin"])
            .stdin(lines.as_bytes())
            .run()?;
        if !output.success() {
            bail!("cannot move {} refs: {}", moves.len(), output.complaint());
        }
        let kept = moves.iter().filter(|one| one.new.is_some());
        let kept: Vec<&str> = kept.map(|one| one.name.as_str()).collect();
        if kept.is_empty() {
            return Ok(());
        }
        let mut args = vec![
            "reflog",
            "expire",
            "--expire=all",
            "--expire-unreachable=all",
        ];
        args.extend(kept);
        let output = self.program(&args).run()?;
        if !output.success() {
            bail!("cannot empty the logs of the refs: {}", output.complaint());
        }
        Ok(())
    }
}
