//! Refs: found, listed, moved by compare-and-swap. By gix where they are files, by the git program where they are in
//! reftables (which gix 0.90 opens without complaint and then writes beside) or where gix waits for a lock in vain.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::ops::Bound;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use gix::bstr::ByteSlice;
use gix::refs::file::packed::SharedBufferSnapshot;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit, RefLog};
use gix::refs::{FullName, Target};

use super::process::{Call, Output};
use super::{Oid, RefStorage, Repo, Swap};
use crate::error::Failure;

/// A lock of one of our refs that is older was left behind by a process that was killed: a move takes milliseconds, and
/// a card that waits for a compaction cannot wait for minutes.
const LOCK_STALE_SECONDS: u64 = 10;
/// The namespaces in which a lock left behind may be removed: nobody but us and a fetch writes there.
const OUR_NAMESPACES: [&str; 3] = ["refs/segue/", "refs/segue-remotes/", "refs/notes/segue"];

/// Id (hex) and name of each ref in `packed-refs`, which gix keeps in order, whose name begins so. Read here, since gix
/// 0.90 looks at every name letter by letter for whether it is one, which takes ten times as long.
fn packed_lines<'f>(
    packed: Option<&'f SharedBufferSnapshot>,
    prefix: &'f str,
) -> impl Iterator<Item = (&'f [u8], &'f str)> {
    let file: &[u8] = packed.map_or(b"", |packed| (***packed).as_ref());
    // No name holds a blank, so this is where one begins.
    let first = file.find(format!(" {prefix}"));
    let first = first.map_or(file.len(), |at| {
        file[..at].rfind_byte(b'\n').map_or(0, |end| end + 1)
    });
    // What a ref was peeled to has none either, and a line that is broken does not hide those behind it.
    let lines = file[first..].lines().filter_map(|line| {
        let (id, name) = line.split_at(line.find_byte(b' ')?);
        name.starts_with(b" refs/").then_some((id, &name[1..]))
    });
    let refs = lines.take_while(|(_, name)| name.starts_with(prefix.as_bytes()));
    refs.filter_map(|(id, name)| Some((id, name.to_str().ok()?)))
}

impl Repo {
    /// What a ref points to; none when there is no such ref.
    pub(crate) fn find_ref(&self, name: &str) -> anyhow::Result<Option<Oid>> {
        if self.storage == RefStorage::Reftable {
            let listed = self.list_by_program(name)?;
            return Ok(listed
                .into_iter()
                .find(|(one, _)| one == name)
                .map(|(_, id)| id));
        }
        let found = self
            .inner
            .try_find_reference(&full_name(name)?)
            .with_context(|| format!("cannot read `{name}`"))?;
        match found {
            None => Ok(None),
            Some(found) => match found.target().try_id() {
                Some(id) => Ok(Some(id.to_owned())),
                None => bail!("cannot use `{name}`: it is a symbolic ref"),
            },
        }
    }

    /// HEAD's commit; none on an unborn branch, and where only the git program can read refs.
    pub(crate) fn head(&self) -> Option<Oid> {
        Some(self.gix()?.head_id().ok()?.detach())
    }

    /// HEAD's commit, asked of the git program where only that can read refs; none on an unborn branch.
    pub(crate) fn head_commit(&self) -> anyhow::Result<Option<Oid>> {
        if self.storage == RefStorage::Files {
            return Ok(self.head());
        }
        let args = ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"];
        let output = self.program(&args).run()?;
        match output.success() {
            true => Ok(Some(Oid::from_hex(output.stdout.trim_ascii())?)),
            false => Ok(None),
        }
    }

    /// Every ref whose name begins so, by name; broken ones are left out.
    pub(crate) fn refs_under(&self, prefix: &str) -> anyhow::Result<Vec<(String, Oid)>> {
        if self.storage == RefStorage::Reftable {
            return match prefix.ends_with('/') {
                true => self.list_by_program(prefix),
                false => self.list_by_program(&format!("{prefix}*")),
            };
        }
        // A ref that is packed meanwhile is seen twice this way round, never not at all.
        let mut refs = self.loose_refs(prefix)?;
        refs.extend(self.packed_refs(prefix)?);
        // What has a file of its own stands in front, and is that whatever the packed one says.
        refs.sort_by(|(one, _), (other, _)| one.cmp(other));
        refs.dedup_by(|(later, _), (earlier, _)| later == earlier);
        Ok(refs)
    }

    /// The refs whose name begins so that are files of their own.
    pub(super) fn loose_refs(&self, prefix: &str) -> anyhow::Result<Vec<(String, Oid)>> {
        let context = || format!("cannot list `{prefix}`");
        // gix 0.90 takes no folder that Windows could not have (`aux`): then the one above it is looked through.
        let above = prefix
            .trim_end_matches('/')
            .rfind('/')
            .map_or(0, |at| at + 1);
        let folders = [prefix, &prefix[..above], "refs/"];
        let mut paths = folders
            .into_iter()
            .map(<&gix::path::RelativePath>::try_from);
        let path = paths.find_map(Result::ok).with_context(context)?;
        let found = self.inner.refs.loose_iter_prefixed(path);
        let found = found.with_context(context)?;
        // One of no bytes is what a power cut leaves; it must not hide the others.
        let refs = found.filter_map(|one| {
            let one = one.ok()?;
            let id = one.target.try_id()?.to_owned();
            let name = one.name.as_bstr().to_string();
            name.starts_with(prefix).then_some((name, id))
        });
        Ok(refs.collect())
    }

    /// The refs whose name begins so in `packed-refs`, by name.
    pub(super) fn packed_refs(&self, prefix: &str) -> anyhow::Result<Vec<(String, Oid)>> {
        let packed = self.packed()?;
        let lines = packed_lines(packed.as_ref(), prefix);
        let refs = lines.filter_map(|(id, name)| Some((name.to_owned(), Oid::from_hex(id).ok()?)));
        Ok(refs.collect())
    }

    /// Those of many `names` that do not point here, with `prefix` in front, to the id (hex) that stands beside them. Made
    /// for lists in the order of their names; one out of order may be given though it does.
    pub(crate) fn refs_unlike<'n>(
        &self,
        prefix: &str,
        names: impl Iterator<Item = (&'n str, &'n str)>,
    ) -> anyhow::Result<Vec<&'n str>> {
        let apart = self.apart_from_packed(prefix)?;
        let apart: HashMap<&str, String> = apart
            .iter()
            .map(|(name, id)| (&name[prefix.len()..], id.to_string()))
            .collect();
        let packed = self.packed()?;
        let mut packed = packed_lines(packed.as_ref(), prefix)
            .map(|(id, name)| (&name[prefix.len()..], id))
            .peekable();
        let unlike = names.filter(|(name, id)| {
            while packed.next_if(|(here, _)| here < name).is_some() {}
            let stored = packed.next_if(|(here, _)| here == name);
            let here = apart.get(name).map(String::as_bytes);
            here.or(stored.map(|(_, id)| id)) != Some(id.as_bytes())
        });
        Ok(unlike.map(|(name, _)| name).collect())
    }

    /// The folders that refs are in below a folder, each as the names there begin.
    pub(crate) fn ref_folders(&self, folder: &str) -> anyhow::Result<BTreeSet<String>> {
        let apart = self.apart_from_packed(folder)?;
        let packed = self.packed()?;
        let packed = packed_lines(packed.as_ref(), folder).map(|(_, name)| name);
        let mut folders = BTreeSet::new();
        let mut last = String::new();
        for name in apart.iter().map(|(name, _)| name.as_str()).chain(packed) {
            let end = memchr::memrchr(b'/', name.as_bytes()).map_or(0, |at| at + 1);
            if last != name[..end] {
                name[..end].clone_into(&mut last);
                folders.insert(last.clone());
            }
        }
        Ok(folders)
    }

    /// The names of the refs that begin with one of these, each with a folder in front; in no order, and some perhaps
    /// twice. Looks no name up but those.
    pub(crate) fn ref_names(&self, beginnings: &BTreeSet<String>) -> anyhow::Result<Vec<String>> {
        let folder = |name: &str| name[..name.rfind('/').map_or(0, |at| at + 1)].to_owned();
        let folders: BTreeSet<String> = beginnings.iter().map(|one| folder(one)).collect();
        let begins = |name: &str| {
            let before = (Bound::Unbounded, Bound::Included(name));
            let nearest = beginnings.range::<str, _>(before).next_back();
            nearest.is_some_and(|one| name.starts_with(one))
        };
        let mut names = Vec::new();
        for folder in &folders {
            let apart = self.apart_from_packed(folder)?;
            let apart = apart.into_iter().map(|(name, _)| name);
            names.extend(apart.filter(|name| begins(name)));
        }
        if let Some(packed) = self.packed()? {
            for beginning in beginnings {
                let found = packed.iter_prefixed(beginning.as_str().into());
                let found = found.context("cannot read `packed-refs`")?;
                let found = found.filter_map(Result::ok);
                names.extend(found.map(|one| one.name.as_bstr().to_string()));
            }
        }
        Ok(names)
    }

    /// The refs whose name begins so that are not in `packed-refs`, or all of them where there is no such file.
    fn apart_from_packed(&self, prefix: &str) -> anyhow::Result<Vec<(String, Oid)>> {
        match self.storage {
            RefStorage::Files => self.loose_refs(prefix),
            RefStorage::Reftable => self.refs_under(prefix),
        }
    }

    /// The refs in `packed-refs`; none where they are kept otherwise.
    fn packed(&self) -> anyhow::Result<Option<SharedBufferSnapshot>> {
        if self.storage == RefStorage::Reftable {
            return Ok(None);
        }
        let packed = self.inner.refs.cached_packed_buffer();
        packed.context("cannot read `packed-refs`")
    }

    /// Gives a ref of ours its last logged value back when its file holds nothing, as after a power cut; none where
    /// there is nothing to mend or no log to mend it with.
    pub(crate) fn heal_ref(&self, name: &str) -> anyhow::Result<Option<Oid>> {
        let file = self.common_dir.join(name);
        let is_empty = std::fs::read(&file).is_ok_and(|bytes| bytes.iter().all(|byte| *byte == 0));
        if self.storage == RefStorage::Reftable || !is_ours(name) || !is_empty {
            return Ok(None);
        }
        let log = std::fs::read_to_string(self.common_dir.join("logs").join(name));
        let log = log.unwrap_or_default();
        let logged = |line: &str| {
            let new = line.split(' ').nth(1)?;
            Oid::from_hex(new.as_bytes())
                .ok()
                .filter(|id| self.has(*id))
        };
        let Some(id) = log.lines().rev().find_map(logged) else {
            return Ok(None);
        };
        std::fs::remove_file(&file).with_context(|| format!("cannot mend `{name}`"))?;
        // An older value may stand in `packed-refs`, where the empty file hid it.
        let old = self.find_ref(name)?;
        if old != Some(id) {
            self.swap_ref(name, old, id, "segue: mended")?;
        }
        self.find_ref(name)
    }

    /// Moves a ref from `old` (none: it must not exist) to `new`, with a reflog entry.
    pub(crate) fn swap_ref(
        &self,
        name: &str,
        old: Option<Oid>,
        new: Oid,
        log: &str,
    ) -> anyhow::Result<Swap> {
        if self.storage == RefStorage::Reftable {
            return self.swap_by_program(name, old, new, log);
        }
        let edit = RefEdit {
            change: Change::Update {
                log: LogChange {
                    mode: RefLog::AndReference,
                    force_create_reflog: true,
                    message: log.into(),
                },
                expected: old.map_or(PreviousValue::MustNotExist, |old| {
                    PreviousValue::MustExistAndMatch(Target::Object(old))
                }),
                new: Target::Object(new),
            },
            name: full_name(name)?,
            deref: false,
        };
        let by = self.signature();
        let mut time = gix::date::parse::TimeBuf::default();
        match self
            .inner
            .edit_references_as([edit], Some(by.to_ref(&mut time)))
        {
            Ok(_) => Ok(Swap::Done),
            Err(err) if err.is_conflict() || err.is_not_found() => Ok(Swap::Moved),
            // gix takes `packed-refs.lock` for every move, git only to pack or delete: git gets through beside a
            // `git gc` where gix does not.
            Err(err) if err.is_retryable() => self.swap_by_program(name, old, new, log),
            Err(err) => Err(anyhow!(err)).with_context(|| format!("cannot move `{name}`")),
        }
    }

    /// A call of git in this repository that takes no optional lock, fetches nothing, and asks nobody.
    pub(crate) fn program(&self, args: &[&str]) -> Call<'_> {
        let mut git_dir = OsString::from("--git-dir=");
        git_dir.push(&self.git_dir);
        self.quiet_git(git_dir).args(args)
    }

    /// A call of git with that option for where the repository is.
    pub(super) fn quiet_git(&self, git_dir: OsString) -> Call<'_> {
        Call::new("git")
            .args([git_dir])
            .dir(self.workdir.as_deref().unwrap_or(&self.git_dir))
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
    }

    /// What `git for-each-ref` lists by a pattern: a whole name, a folder, or the beginning of a name and `*`.
    fn list_by_program(&self, pattern: &str) -> anyhow::Result<Vec<(String, Oid)>> {
        let output = self
            .program(&[
                "for-each-ref",
                "--format=%(objectname) %(refname)%(symref)",
                pattern,
            ])
            .run()?;
        if !output.success() {
            bail!("cannot list `{pattern}`: {}", output.complaint());
        }
        let line = |line: &str| {
            let (id, name) = line.split_once(' ')?;
            Some((name.to_owned(), Oid::from_hex(id.as_bytes()).ok()?))
        };
        Ok(output.text().lines().filter_map(line).collect())
    }

    fn swap_by_program(
        &self,
        name: &str,
        old: Option<Oid>,
        new: Oid,
        log: &str,
    ) -> anyhow::Result<Swap> {
        let mut output = self.update_ref(name, old, new, log)?;
        if !output.success() && self.sweep_stale_lock(name) {
            output = self.update_ref(name, old, new, log)?;
        }
        if output.success() {
            return Ok(Swap::Done);
        }
        if self.find_ref(name)? != old {
            return Ok(Swap::Moved);
        }
        let lock = self.common_dir.join(format!("{name}.lock"));
        Err(
            Failure::fatal(format!("cannot move `{name}`: {}", output.complaint()))
                .hint(format!(
                    "if no other git runs here, remove `{}`",
                    lock.display()
                ))
                .into(),
        )
    }

    fn update_ref(
        &self,
        name: &str,
        old: Option<Oid>,
        new: Oid,
        log: &str,
    ) -> anyhow::Result<Output> {
        let by = self.signature();
        // With `@` git takes any number for a moment; without, a small one is no date to it.
        let date = format!("@{} +0000", self.env.now.max(0));
        let old = old.unwrap_or_else(|| Oid::null(new.kind()));
        self.program(&[
            "update-ref",
            "--create-reflog",
            "-m",
            log,
            name,
            &new.to_string(),
            &old.to_string(),
        ])
        .env("GIT_COMMITTER_NAME", by.name.to_string())
        .env("GIT_COMMITTER_EMAIL", by.email.to_string())
        .env("GIT_COMMITTER_DATE", date)
        .run()
    }

    /// Removes the locks in our namespace that killed processes left; how many.
    pub(crate) fn sweep_stale_locks(&self) -> usize {
        let entries = std::fs::read_dir(self.common_dir.join("refs/segue"));
        let names = entries.into_iter().flatten().flatten().filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some(format!("refs/segue/{}", name.strip_suffix(".lock")?))
        });
        let notes = std::iter::once("refs/notes/segue".to_owned());
        names
            .chain(notes)
            .filter(|name| self.sweep_stale_lock(name))
            .count()
    }

    /// Removes the lock of one of our refs when it is older than any move takes; whether it did.
    fn sweep_stale_lock(&self, name: &str) -> bool {
        let lock = self.common_dir.join(format!("{name}.lock"));
        is_ours(name)
            && super::is_older_than(&lock, Duration::from_secs(LOCK_STALE_SECONDS))
            && std::fs::remove_file(&lock).is_ok()
    }
}

fn is_ours(name: &str) -> bool {
    OUR_NAMESPACES.iter().any(|ours| name.starts_with(ours))
}

fn full_name(name: &str) -> anyhow::Result<FullName> {
    FullName::try_from(name).with_context(|| format!("`{name}` is no name for a ref"))
}
