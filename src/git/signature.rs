//! Signatures of commits: made and judged by the git program, with the keys and programs that git is configured with.

use anyhow::{Context, bail};

use super::{Oid, Repo};
use crate::deadline::Deadline;

/// What git says of a commit's signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Signature {
    /// There is none.
    None,
    /// Good, and by a key that this person trusts.
    Trusted {
        /// Whose.
        signer: String,
    },
    /// Good, but by a key that this person does not know or trust.
    UnknownKey {
        /// The key's fingerprint or id; empty where git does not say it.
        key: String,
    },
    /// Made by a key, or good for a time, that has ended.
    Expired {
        /// The key's fingerprint or id; empty where git does not say it.
        key: String,
    },
    /// By a key that was revoked.
    Revoked,
    /// It does not fit the commit: somebody changed it.
    Tampered,
    /// It could not be looked at, and why.
    Unchecked(String),
}

impl Repo {
    /// Judges a commit's signature. Total: what goes wrong is [`Signature::Unchecked`].
    pub(crate) fn signature_of(&self, id: Oid, deadline: Deadline) -> Signature {
        match self.is_signed(id) {
            Ok(true) => {}
            Ok(false) => return Signature::None,
            Err(err) => return Signature::Unchecked(format!("{err:#}")),
        }
        // The configuration names the program that would be run.
        if !self.is_obeyed() {
            let why = "this repository's configuration is not heard";
            return Signature::Unchecked(why.to_owned());
        }
        let id = id.to_string();
        let format = "--format=%G?%n%GS%n%GK";
        let args = ["log", "-1", "--no-walk", "--no-show-signature", format, &id];
        let asked = self.program(&args).deadline(deadline).run();
        let output = match asked {
            Ok(output) if output.success() => output,
            Ok(output) => return Signature::Unchecked(output.complaint()),
            Err(err) => return Signature::Unchecked(format!("{err:#}")),
        };
        let text = output.text();
        let mut lines = text.lines();
        let grade = lines.next().unwrap_or_default();
        let signer = lines.next().unwrap_or_default().to_owned();
        let key = lines.next().unwrap_or_default().to_owned();
        match grade {
            "G" => Signature::Trusted { signer },
            "B" => Signature::Tampered,
            "X" | "Y" => Signature::Expired { key },
            "R" => Signature::Revoked,
            // A key in the list of signers whose time is over is to git 2.47 as unknown as any other.
            "U" if self.has_expired(&id, deadline) => Signature::Expired { key },
            "U" | "E" => Signature::UnknownKey { key },
            _ => Signature::Unchecked(output.complaint()),
        }
    }

    /// Signs and writes a commit by us with the key that git is configured with, now or at a given moment (seconds since
    /// 1970 UTC). An error when the signer fails or is not done by `deadline`.
    pub(crate) fn write_signed_commit(
        &self,
        tree: Oid,
        parents: &[Oid],
        message: &str,
        at: Option<i64>,
        deadline: Deadline,
    ) -> anyhow::Result<Oid> {
        let by = self.signature();
        let (name, email) = (by.name.to_string(), by.email.to_string());
        let mut time = gix::date::parse::TimeBuf::default();
        let date = match at {
            Some(at) => format!("@{at} +0000"),
            None => format!("@{}", by.to_ref(&mut time).time),
        };
        let tree = tree.to_string();
        let mut args = vec!["commit-tree".to_owned(), "-S".to_owned(), tree];
        for parent in parents {
            args.extend(["-p".to_owned(), parent.to_string()]);
        }
        let output = self
            // The person's own encoding is about messages that they write.
            .program(&["-c", "i18n.commitEncoding=UTF-8"])
            .args(args)
            .stdin(message.as_bytes())
            .env("GIT_AUTHOR_NAME", &name)
            .env("GIT_AUTHOR_EMAIL", &email)
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_NAME", &name)
            .env("GIT_COMMITTER_EMAIL", &email)
            .env("GIT_COMMITTER_DATE", &date)
            .deadline(deadline)
            .run()?;
        if !output.success() {
            bail!("cannot sign: {}", output.complaint());
        }
        Oid::from_hex(output.text().trim().as_bytes()).context("git printed no id")
    }

    fn is_signed(&self, id: Oid) -> anyhow::Result<bool> {
        let read = || -> gix::Result<bool> {
            let commit = self.without_refs().find_commit(id)?;
            let headers = &commit.decode()?.extra_headers;
            let names = ["gpgsig", "gpgsig-sha256"];
            Ok(headers
                .iter()
                .any(|(name, _)| names.iter().any(|one| name == one)))
        };
        read().with_context(|| format!("cannot read commit {id}"))
    }

    fn has_expired(&self, id: &str, deadline: Deadline) -> bool {
        let asked = self
            .program(&["verify-commit", "--raw", id])
            .deadline(deadline)
            .run();
        asked
            .is_ok_and(|output| String::from_utf8_lossy(&output.stderr).contains("key has expired"))
    }
}
