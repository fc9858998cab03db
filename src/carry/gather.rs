//! From a work tree and an index to trees.

use std::collections::HashSet;

use anyhow::Context as _;
use gix::bstr::{BStr, ByteSlice};
use gix::index::entry::{Flags, Mode, Stage};
use gix::objs::tree::EntryKind;

use crate::deadline::Deadline;
use crate::git::content::{BLOB_BYTES_MAX, Changed, Content, Taken, shown};
use crate::git::tree_diff::Leaf;
use crate::git::tree_edit::{Edit, Leaves};
use crate::git::{Oid, Repo, history};
use crate::handoff::carried::Carried;
use crate::handoff::redact::{Redactor, readable};

/// All files together may have this many bytes; what comes behind is left out.
const CARRIED_BYTES_MAX: u64 = 100 * 1024 * 1024;
/// More paths than this are not carried.
const CARRIED_FILES_MAX: usize = 20_000;

/// Where from, and what may come along.
pub(crate) struct Ground<'g> {
    /// The repository, with a work tree.
    pub(crate) repo: &'g Repo,
    /// HEAD's commit; none on an unborn branch.
    pub(crate) head: Option<Oid>,
    /// Knows what is secret.
    pub(crate) redactor: &'g Redactor,
    /// Whether objects are written.
    pub(crate) store: Store,
    /// The trees of the card before: what is in them has been looked through.
    pub(crate) known: Option<&'g Carried>,
    /// When to stop reading; what is not read by then is left out.
    pub(crate) deadline: Deadline,
}

/// Whether objects are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Store {
    /// They are.
    Yes,
    /// It is only found out what would be carried: there are no trees.
    No,
}

/// Writes the work tree, and the index where something is staged, as trees. None where nothing differs from HEAD.
/// `changes` are all paths that do.
pub(crate) fn gather(ground: &Ground<'_>, changes: &[Changed]) -> anyhow::Result<Option<Carried>> {
    let repo = ground.repo.without_refs();
    let head_tree = match ground.head {
        Some(head) => Some(history::facts(repo, head)?.tree),
        None => None,
    };
    let tree_of = |id: Option<&String>| id.and_then(|id| Oid::from_hex(id.as_bytes()).ok());
    let index = repo.index_or_empty().context("cannot read the index")?;
    let mut gathering = Gathering {
        ground,
        index: &index,
        content: Content::new(repo)?,
        head_tree,
        known: [
            tree_of(ground.known.map(|one| &one.tree)),
            tree_of(ground.known.and_then(|one| one.index.as_ref())),
        ],
        leaves: Leaves::new(repo),
        clean: HashSet::new(),
        bytes_left: CARRIED_BYTES_MAX,
        sparse: repo
            .config_snapshot()
            .boolean("core.sparseCheckout")
            .unwrap_or(false),
        carried: Carried::default(),
    };
    gathering.remark_unseen();
    let worktree = gathering.worktree(changes)?;
    let staged = gathering.staged(changes)?;
    gathering.finish(&worktree, &staged)
}

struct Gathering<'g> {
    ground: &'g Ground<'g>,
    index: &'g gix::index::State,
    content: Content<'g>,
    head_tree: Option<Oid>,
    /// Trees whose blobs have been looked through.
    known: [Option<Oid>; 2],
    leaves: Leaves<'g>,
    /// Blobs that were looked through and hold no secret.
    clean: HashSet<Oid>,
    bytes_left: u64,
    sparse: bool,
    carried: Carried,
}

impl Gathering<'_> {
    fn remark_unseen(&mut self) {
        let shows = self.ground.repo.config("status.showUntrackedFiles");
        if shows.is_some_and(|shows| matches!(shows.to_ascii_lowercase().as_str(), "no" | "false"))
        {
            let why = "status.showUntrackedFiles says not to look for them";
            self.carried.leave_out("untracked files", why);
        }
    }

    /// The edits that make HEAD's tree the work tree's.
    fn worktree(&mut self, changes: &[Changed]) -> anyhow::Result<Vec<Edit>> {
        let mut edits = Vec::new();
        for change in changes {
            let path = change.path.as_bstr();
            if edits.len() == CARRIED_FILES_MAX {
                let why = format!("more than {CARRIED_FILES_MAX} paths differ");
                self.carried.leave_out(shown(path), why);
            } else if self.ground.deadline.passed() {
                self.carried.leave_out(shown(path), "out of time");
            } else if let Some(leaf) = self.in_worktree(change)? {
                edits.push((change.path.clone(), leaf));
            }
        }
        Ok(edits)
    }

    /// What the carried tree has at a path; the outer none leaves it as HEAD has it.
    fn in_worktree(&mut self, change: &Changed) -> anyhow::Result<Option<Option<Leaf>>> {
        let path = change.path.as_bstr();
        if path.ends_with(b"/") {
            self.leave_folder(path);
            return Ok(None);
        }
        let entry = self.entry(path);
        let head = self.head_leaf(path)?;
        let is_submodule = |kind| kind == Some(EntryKind::Commit);
        if is_submodule(entry.map(|(leaf, _)| leaf.kind))
            || (entry.is_none() && is_submodule(head.map(|leaf| leaf.kind)))
        {
            if change.unstaged != ' ' {
                let why = "a submodule, which is not looked into";
                self.carried.leave_out(shown(path), why);
            }
            return Ok(Some(entry.map(|(leaf, _)| leaf)));
        }
        if change.staged == 'U' {
            let why = "in conflict: the file is carried, the index's sides of it are not";
            self.carried.leave_out(shown(path), why);
        }
        let flags = entry.map_or(Flags::empty(), |(_, flags)| flags);
        let unseen = entry.map(|(leaf, _)| leaf);
        // Git takes such a file for unchanged, whatever it holds.
        if flags.contains(Flags::ASSUME_VALID)
            || (flags.contains(Flags::SKIP_WORKTREE) && !self.sparse)
        {
            return Ok(Some(unseen));
        }
        let taken = self
            .content
            .take(path, self.index, BLOB_BYTES_MAX, self.ground.deadline);
        match taken {
            Ok(Taken::Nothing) if flags.contains(Flags::SKIP_WORKTREE) => Ok(Some(unseen)),
            Ok(Taken::Nothing | Taken::Other) => Ok(Some(None)),
            Ok(Taken::TooLarge(bytes)) => {
                self.leave_out_large(path, bytes);
                Ok(None)
            }
            Ok(Taken::File { kind, bytes }) => Ok(self.stored(path, kind, &bytes, head)?.map(Some)),
            Err(err) => {
                let why = format!("it cannot be read: {err:#}");
                self.carried.leave_out(shown(path), why);
                Ok(None)
            }
        }
    }

    fn leave_folder(&mut self, path: &BStr) {
        let root = self.ground.repo.workdir();
        let folder = root.zip(gix::path::from_bstr(path).ok());
        let is_repository =
            folder.is_some_and(|(root, path)| root.join(path).join(".git").exists());
        let why = if is_repository {
            "another repository, which is not looked into"
        } else {
            "too many files that nobody added"
        };
        self.carried.leave_out(shown(path), why);
    }

    fn leave_out_large(&mut self, path: &BStr, bytes: u64) {
        let mib = |bytes: u64| bytes.div_ceil(1024 * 1024);
        let why = format!("{} MiB, over {}", mib(bytes), mib(BLOB_BYTES_MAX));
        self.carried.leave_out(shown(path), why);
    }

    /// Writes a file's content where it may be stored; none where it is left out.
    fn stored(
        &mut self,
        path: &BStr,
        kind: EntryKind,
        bytes: &[u8],
        head: Option<Leaf>,
    ) -> anyhow::Result<Option<Leaf>> {
        let repo = self.ground.repo;
        let id = gix::objs::compute_hash(repo.hash_kind(), gix::objs::Kind::Blob, bytes)?;
        let leaf = Leaf { kind, id };
        if head.is_some_and(|head| head.id == id) {
            return Ok(Some(leaf));
        }
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let Some(left) = self.bytes_left.checked_sub(length) else {
            let mib = CARRIED_BYTES_MAX / (1024 * 1024);
            let why = format!("all changed files together are over {mib} MiB");
            self.carried.leave_out(shown(path), why);
            return Ok(None);
        };
        self.bytes_left = left;
        if let Some(kind) = self.secret(path, id, bytes, head)? {
            let why = format!("holds a secret ({kind})");
            self.carried.leave_out(shown(path), why);
            return Ok(None);
        }
        if self.ground.store == Store::Yes {
            repo.write_blob(bytes)?;
        }
        Ok(Some(leaf))
    }

    /// What secret stands in a content that HEAD's does not have at that path.
    fn secret(
        &mut self,
        path: &BStr,
        id: Oid,
        bytes: &[u8],
        head: Option<Leaf>,
    ) -> anyhow::Result<Option<&'static str>> {
        if self.clean.contains(&id) {
            return Ok(None);
        }
        for tree in self.known.into_iter().flatten() {
            let leaf = self.leaves.at(tree, path).ok().flatten();
            if leaf.is_some_and(|leaf| leaf.id == id) {
                return Ok(None);
            }
        }
        let text = readable(bytes);
        let repo = self.ground.repo.without_refs();
        let before = || {
            let blob = head.and_then(|leaf| repo.find_object(leaf.id).ok());
            blob.map_or_else(String::new, |blob| readable(&blob.data).into_owned())
        };
        let places = self.ground.redactor.new_places(&text, before);
        if places.is_empty() {
            self.clean.insert(id);
        }
        Ok(places.first().map(|place| place.kind))
    }

    /// The edits that make HEAD's tree the index's.
    fn staged(&mut self, changes: &[Changed]) -> anyhow::Result<Vec<Edit>> {
        let mut edits = Vec::new();
        for change in changes {
            let path = change.path.as_bstr();
            let entry = self.entry(path);
            let intended = entry.is_some_and(|(_, flags)| flags.contains(Flags::INTENT_TO_ADD));
            if intended {
                self.carried.intended.push(shown(path));
            }
            if matches!(change.staged, ' ' | '?' | 'U') || edits.len() == CARRIED_FILES_MAX {
                continue;
            }
            let leaf = entry.filter(|_| !intended).map(|(leaf, _)| leaf);
            match leaf {
                Some(leaf) if leaf.kind != EntryKind::Commit && !self.may_stage(path, leaf)? => {}
                leaf => edits.push((change.path.clone(), leaf)),
            }
        }
        Ok(edits)
    }

    /// Whether a staged content may be stored; where not, it is named.
    fn may_stage(&mut self, path: &BStr, leaf: Leaf) -> anyhow::Result<bool> {
        let head = self.head_leaf(path)?;
        if head.is_some_and(|head| head.id == leaf.id) || self.clean.contains(&leaf.id) {
            return Ok(true);
        }
        let repo = self.ground.repo.without_refs();
        let header = repo.find_header(leaf.id).context("cannot read the index")?;
        if header.size() > BLOB_BYTES_MAX {
            self.leave_out_large(path, header.size());
            return Ok(false);
        }
        let blob = repo.find_object(leaf.id).context("cannot read the index")?;
        let secret = self.secret(path, leaf.id, &blob.data, head)?;
        if let Some(kind) = secret {
            let why = format!("what is staged holds a secret ({kind})");
            self.carried.leave_out(shown(path), why);
        }
        Ok(secret.is_none())
    }

    fn finish(mut self, worktree: &[Edit], staged: &[Edit]) -> anyhow::Result<Option<Carried>> {
        self.carried.files = self.count(worktree)?;
        self.carried.staged = self.count(staged)?;
        if self.ground.store == Store::Yes {
            let tree = |edits| self.ground.repo.edited_tree(self.head_tree, edits);
            self.carried.tree = tree(worktree)?.to_string();
            let index = (self.carried.staged > 0).then(|| tree(staged));
            self.carried.index = index.transpose()?.map(|tree| tree.to_string());
        }
        let carried = &mut self.carried;
        carried
            .left_out
            .sort_by(|one, other| one.path.cmp(&other.path));
        // A secret that is staged and in the work tree is one to the person.
        carried.left_out.dedup_by(|later, kept| {
            later.path == kept.path && later.why.contains("secret") && kept.why.contains("secret")
        });
        let is_something = carried.files + carried.staged + carried.left_out_count() > 0;
        Ok((is_something || !carried.intended.is_empty()).then_some(self.carried))
    }

    /// How many edits make a difference.
    fn count(&mut self, edits: &[Edit]) -> anyhow::Result<usize> {
        let mut count = 0;
        for (path, leaf) in edits {
            count += usize::from(self.head_leaf(path.as_bstr())? != *leaf);
        }
        Ok(count)
    }

    fn head_leaf(&mut self, path: &BStr) -> anyhow::Result<Option<Leaf>> {
        match self.head_tree {
            Some(tree) => self.leaves.at(tree, path),
            None => Ok(None),
        }
    }

    /// What the index has at a path, conflicts apart.
    fn entry(&self, path: &BStr) -> Option<(Leaf, Flags)> {
        let entry = self
            .index
            .entry_by_path_and_stage(path, Stage::Unconflicted)?;
        let kind = match entry.mode {
            Mode::FILE_EXECUTABLE => EntryKind::BlobExecutable,
            Mode::SYMLINK => EntryKind::Link,
            Mode::COMMIT => EntryKind::Commit,
            _ => EntryKind::Blob,
        };
        Some((Leaf { kind, id: entry.id }, entry.flags))
    }
}
