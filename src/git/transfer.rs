//! What travels between repositories: asked, fetched and pushed by the git program, which knows the person's remotes,
//! keys and proxies. Nobody is asked for anything: what would need an answer fails.

use std::collections::{BTreeSet, HashSet, VecDeque};

use anyhow::{Context, bail};

use super::process::{Call, Output};
use super::{Oid, Repo};
use crate::deadline::Deadline;
use crate::error::Failure;

/// ssh that fails where it would ask; only where the person has not said what ssh is.
const SSH_WITHOUT_QUESTIONS: &str = "ssh -oBatchMode=yes";

/// So many commits are looked at before git is asked how two of them stand to one another.
const NEAR_COMMITS_MAX: usize = 64;

/// How one transfer runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Transfer<'t> {
    /// The remote's name.
    pub(crate) remote: &'t str,
    /// When it is given up.
    pub(crate) deadline: Deadline,
    /// Gets the progress as git prints it; none where nobody looks.
    pub(crate) progress: Option<fn(&[u8])>,
}

/// What became of one ref of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pushed {
    /// The ref at the remote.
    pub(crate) name: String,
    /// How it ended.
    pub(crate) end: PushEnd,
}

/// How the push of one ref ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PushEnd {
    /// The remote has it now.
    Sent,
    /// The remote has something that is not here.
    Behind,
    /// The remote shows no such refs and takes none (`transfer.hideRefs`).
    Hidden,
    /// A hook of the remote refused it; what the remote said.
    Hook(String),
    /// Something else, in git's words.
    Refused(String),
}

/// A remote's refs. There may be many, so they are kept as they were listed.
#[derive(Debug)]
pub(crate) struct RemoteRefs {
    lines: String,
}

impl RemoteRefs {
    /// Each one's name and the id (hex) that it points to, in the remote's order, which is by name where git answers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lines.lines().filter_map(|line| {
            let (id, name) = line.split_once('\t')?;
            Some((name, id))
        })
    }

    /// What one of them points to.
    pub(crate) fn get(&self, name: &str) -> Option<Oid> {
        let id = self
            .iter()
            .find_map(|(one, id)| (one == name).then_some(id))?;
        Oid::from_hex(id.as_bytes()).ok()
    }
}

impl Repo {
    /// The names of the remotes, in the order of the configuration.
    pub(crate) fn remotes(&self) -> Vec<String> {
        let names = self.without_refs().remote_names();
        names.into_iter().map(|name| name.to_string()).collect()
    }

    /// The remote that goes without saying: the current branch's, else `origin`, else the only one; none where that
    /// cannot be told.
    pub(crate) fn usual_remote(&self) -> Option<String> {
        let names = self.remotes();
        let branch = self
            .gix()
            .and_then(|repo| repo.head_name().ok().flatten())
            .map(|name| name.shorten().to_string());
        let of_branch = branch.and_then(|branch| self.config(&format!("branch.{branch}.remote")));
        of_branch
            .filter(|name| names.contains(name))
            .or_else(|| names.iter().find(|name| *name == "origin").cloned())
            .or_else(|| names.first().filter(|_| names.len() == 1).cloned())
    }

    /// What the remote's refs that match `patterns` point to.
    pub(crate) fn remote_refs(
        &self,
        transfer: Transfer<'_>,
        patterns: &[&str],
    ) -> anyhow::Result<RemoteRefs> {
        let args = ["ls-remote", "--refs", transfer.remote];
        let call = self.program(&args).args(patterns);
        let output = self.transport(transfer, call).run()?;
        if !output.success() {
            return Err(failed("ask", transfer.remote, &output));
        }
        Ok(RemoteRefs {
            lines: output.into_text(),
        })
    }

    /// Fetches single refs: `wanted` are their names there and here. `known` are commits that the other side probably has
    /// too; what they go back to is not sent.
    pub(crate) fn fetch_refs(
        &self,
        transfer: Transfer<'_>,
        wanted: &[(String, String)],
        known: &BTreeSet<Oid>,
    ) -> anyhow::Result<()> {
        let Some(few) = self.few_refs(transfer.remote, known) else {
            let spec = |(from, to): &(String, String)| format!("+{from}:{to}");
            let specs: Vec<String> = wanted.iter().map(spec).collect();
            return self.fetch(transfer, &specs);
        };
        let got = |n: usize| format!("refs/got/{n}");
        let specs = wanted.iter().enumerate();
        let specs: Vec<String> = specs
            .map(|(n, (from, _))| format!("+{from}:{}", got(n)))
            .collect();
        self.fetch_by(
            transfer,
            self.program_in(&few, &fetch_args(transfer)),
            &specs,
        )?;
        for (n, (_, to)) in wanted.iter().enumerate() {
            let id = few.find(&got(n)).filter(|id| self.has(*id));
            let id = id.with_context(|| format!("cannot fetch `{to}`: git left nothing"))?;
            let old = match self.find_ref(to) {
                Ok(old) => old,
                Err(err) => Some(self.heal_ref(to)?.ok_or(err)?),
            };
            if old != Some(id) {
                // Somebody else's newer word on it is as good as ours.
                self.swap_ref(to, old, id, "segue: fetch")?;
            }
        }
        Ok(())
    }

    /// Fetches by these refspecs and nothing else: no tags, no submodules, no `FETCH_HEAD`, and whole objects in a
    /// partial clone too.
    pub(crate) fn fetch(&self, transfer: Transfer<'_>, specs: &[String]) -> anyhow::Result<()> {
        self.fetch_by(transfer, self.program(&fetch_args(transfer)), specs)
    }

    fn fetch_by(
        &self,
        transfer: Transfer<'_>,
        call: Call<'_>,
        specs: &[String],
    ) -> anyhow::Result<()> {
        let output = self.transport(transfer, call).args(specs).run()?;
        if !output.success() {
            return Err(failed("fetch from", transfer.remote, &output));
        }
        Ok(())
    }

    /// Pushes by these refspecs, without force, hooks of ours, tags, or submodules. A ref that was refused is told in
    /// the answer; an error only where the transfer itself failed.
    pub(crate) fn push(
        &self,
        transfer: Transfer<'_>,
        specs: &[String],
    ) -> anyhow::Result<Vec<Pushed>> {
        // A remote that mirrors takes no refspecs, not even those of somebody who wants no mirror.
        let no_mirror = format!("remote.{}.mirror=false", transfer.remote);
        let args = [
            "-c",
            &no_mirror,
            "push",
            "--porcelain",
            "--no-verify",
            "--no-signed",
            "--no-follow-tags",
            "--recurse-submodules=no",
            progress_flag(transfer),
            transfer.remote,
        ];
        let few = self.few_refs(transfer.remote, &BTreeSet::new());
        let call = match &few {
            Some(few) => self.program_in(few, &args),
            None => self.program(&args),
        };
        let output = self.transport(transfer, call).args(specs).run()?;
        let said = remote_words(&output);
        let pushed: Vec<Pushed> = output
            .text()
            .lines()
            .filter_map(|line| pushed(line, &said))
            .collect();
        if output.timed_out || pushed.is_empty() && !output.success() {
            return Err(failed("push to", transfer.remote, &output));
        }
        Ok(pushed)
    }

    /// Merges fetched notes into ours, each line once, as git's `cat_sort_uniq` does; where there are none of ours yet,
    /// the fetched ones are taken over.
    pub(crate) fn merge_notes(&self, notes_ref: &str, fetched_ref: &str) -> anyhow::Result<()> {
        let by = self.signature();
        let (name, email) = (by.name.to_string(), by.email.to_string());
        let to = format!("--ref={notes_ref}");
        let args = ["notes", &to, "merge", "--quiet", "-s", "cat_sort_uniq"];
        let output = self
            .program(&args)
            .args([fetched_ref])
            .env("GIT_AUTHOR_NAME", &name)
            .env("GIT_AUTHOR_EMAIL", &email)
            .env("GIT_COMMITTER_NAME", &name)
            .env("GIT_COMMITTER_EMAIL", &email)
            .run()?;
        if !output.success() {
            bail!("cannot merge `{fetched_ref}`: {}", output.complaint());
        }
        Ok(())
    }

    /// Puts many refs into one file, where each has one of its own after a fetch. That saves time later and nothing
    /// else, so what goes wrong (git before 2.43 has no such option) is nobody's concern.
    pub(crate) fn pack_refs(&self, pattern: &str) {
        let packed = self.program(&["pack-refs", "--include", pattern]).run();
        packed.map(|_| ()).unwrap_or_default();
    }

    /// Whether `later` goes back to `earlier`, or is it. Exact whatever the clocks said.
    pub(crate) fn is_ancestor(&self, earlier: Oid, later: Oid) -> anyhow::Result<bool> {
        if let Some(known) = self.is_near_ancestor(earlier, later) {
            return Ok(known);
        }
        let (one, other) = (earlier.to_string(), later.to_string());
        let output = self
            .program(&["merge-base", "--is-ancestor", &one, &other])
            .run()?;
        match output.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => bail!(
                "cannot compare {earlier} and {later}: {}",
                output.complaint()
            ),
        }
    }

    /// The same as far as a few commits tell it, which takes less than to start git.
    fn is_near_ancestor(&self, earlier: Oid, later: Oid) -> Option<bool> {
        let (mut met, mut next) = (HashSet::from([later]), VecDeque::from([later]));
        while let Some(id) = next.pop_front() {
            if id == earlier {
                return Some(true);
            }
            let parents = self.read_commit(id).ok()?.parents;
            next.extend(parents.into_iter().filter(|parent| met.insert(*parent)));
            if met.len() > NEAR_COMMITS_MAX {
                return None;
            }
        }
        Some(false)
    }

    /// A call of git as one that speaks with a remote.
    fn transport<'c>(&self, transfer: Transfer<'_>, call: Call<'c>) -> Call<'c> {
        let mut call = call
            .deadline(transfer.deadline)
            // Empty: no program is asked for a password either.
            .env("GIT_ASKPASS", "")
            .env("GCM_INTERACTIVE", "never");
        if !self.env.ssh_chosen && self.config("core.sshCommand").is_none() {
            call = call.env("GIT_SSH_COMMAND", SSH_WITHOUT_QUESTIONS);
        }
        match transfer.progress {
            Some(watch) => call.watch_stderr(watch),
            None => call,
        }
    }
}

/// What the person has set of other refspecs of the remote, and of what is gone there, is for plain git.
fn fetch_args<'t>(transfer: Transfer<'t>) -> [&'t str; 9] {
    [
        "fetch",
        "--refmap=",
        "--no-prune",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--no-filter",
        progress_flag(transfer),
        transfer.remote,
    ]
}

fn progress_flag(transfer: Transfer<'_>) -> &'static str {
    match transfer.progress {
        Some(_) => "--progress",
        None => "--no-progress",
    }
}

/// A line of `git push --porcelain`: flag, `from:to` and summary with tabs between them. None for other lines, and for
/// a ref that the remote had already.
fn pushed(line: &str, said: &str) -> Option<Pushed> {
    let (flag, rest) = line.split_once('\t')?;
    let (refs, summary) = rest.split_once('\t')?;
    let end = match flag {
        " " | "*" | "+" | "-" => PushEnd::Sent,
        "!" => refusal(summary, said),
        _ => return None,
    };
    Some(Pushed {
        name: refs.split_once(':')?.1.to_owned(),
        end,
    })
}

/// `[remote rejected] (deny updating a hidden ref)` and the like (git 2.47).
fn refusal(summary: &str, said: &str) -> PushEnd {
    let why = summary
        .split_once('(')
        .map_or(summary, |(_, why)| why.trim_end_matches(')'));
    match why {
        "fetch first" | "non-fast-forward" | "needs force" | "stale info" => PushEnd::Behind,
        "deny updating a hidden ref" => PushEnd::Hidden,
        why if why.contains("hook declined") => PushEnd::Hook(said.to_owned()),
        why => PushEnd::Refused(why.to_owned()),
    }
}

/// What the remote itself said, in one line.
fn remote_words(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let lines = stderr.split(['\n', '\r']);
    let said = lines.filter_map(|line| line.strip_prefix("remote: "));
    let said: Vec<&str> = said
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.contains('%'))
        .collect();
    said.join(" ")
}

/// The error of a transfer, with the line that says why. git ends with advice about rights and existence; the reason
/// stands before it.
fn failed(what: &str, remote: &str, output: &Output) -> anyhow::Error {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = stderr
        .split(['\n', '\r'])
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let begins = |word: &str| lines.iter().rposition(|line| line.starts_with(word));
    let fatal = begins("fatal: ").or_else(|| begins("error: "));
    let why = match fatal {
        _ if output.timed_out => output.complaint(),
        // What ssh said stands before git's own word that it could not read.
        Some(at) if at > 0 && lines[at].contains("ould not read from remote") => {
            plain_fatal(lines[at - 1])
        }
        Some(at) => plain_fatal(lines[at]),
        None => output.complaint(),
    };
    Failure::fatal(format!("cannot {what} `{remote}`: {why}"))
        .hint(format!("`git ls-remote {remote}` tries it by hand"))
        .into()
}

fn plain_fatal(line: &str) -> String {
    let why = line.strip_prefix("fatal: ");
    let why = why.or_else(|| line.strip_prefix("error: "));
    why.unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ref_of_a_push_is_told_apart() {
        let check = |line: &str, expect: Option<PushEnd>| {
            let seen = pushed(line, "no cards here").map(|one| {
                assert_eq!(one.name, "refs/segue/b");
                one.end
            });
            assert_eq!(seen, expect, "{line}");
        };
        check("*\ta:refs/segue/b\t[new reference]", Some(PushEnd::Sent));
        check(" \ta:refs/segue/b\t12..34", Some(PushEnd::Sent));
        check("=\ta:refs/segue/b\t[up to date]", None);
        check("To /hub.git", None);
        check("Done", None);
        let refused = |why: &str| format!("!\ta:refs/segue/b\t[remote rejected] ({why})");
        check(&refused("fetch first"), Some(PushEnd::Behind));
        check(&refused("non-fast-forward"), Some(PushEnd::Behind));
        check(
            &refused("deny updating a hidden ref"),
            Some(PushEnd::Hidden),
        );
        let hook = PushEnd::Hook("no cards here".to_owned());
        check(&refused("pre-receive hook declined"), Some(hook));
        let other = PushEnd::Refused("cannot lock ref".to_owned());
        check(&refused("cannot lock ref"), Some(other));
    }

    #[test]
    fn a_failed_transfer_says_why_and_not_what_git_advises() {
        let check = |stderr: &str, expect: &str| {
            let output = Output {
                code: Some(128),
                stderr: stderr.as_bytes().to_owned(),
                ..Output::default()
            };
            let err = failed("push to", "hub", &output);
            assert_eq!(err.to_string(), format!("cannot push to `hub`: {expect}"));
        };
        check(
            "ssh: connect to host h port 22: Connection refused\nfatal: Could not read from remote repository.\n\n\
             Please make sure you have the correct access rights\nand the repository exists.\n",
            "ssh: connect to host h port 22: Connection refused",
        );
        check(
            "fatal: could not read Username for 'https://h': terminal prompts disabled\n",
            "could not read Username for 'https://h': terminal prompts disabled",
        );
        check(
            "error: cannot lock ref 'refs/x': it is there\nFrom /hub\n * [new ref] a -> b\n",
            "cannot lock ref 'refs/x': it is there",
        );
        check("", "it ended with code 128");
    }
}
