//! What is staged: HEAD's tree against the index. Folders that the index knows to be equal are not opened, so a
//! repository with one staged file costs the trees above that file.

use anyhow::Context as _;
use gix::bstr::{BStr, BString, ByteSlice, ByteVec as _};
use gix::index::entry::{Flags, Mode};
use gix::index::extension::Tree as CacheTree;

use crate::deadline::Deadline;
use crate::git::{Oid, history};

/// A path of the index that differs from HEAD, with git's letter for how.
pub(super) type Staged = (BString, char);

/// Everything that is staged, against the tree of HEAD's commit. Conflicts and paths that are only meant to be added are left out.
pub(super) fn changes(
    repo: &gix::Repository,
    head: Option<Oid>,
    index: &gix::index::State,
    deadline: Deadline,
) -> anyhow::Result<Vec<Staged>> {
    let head_tree = match head {
        Some(head) => history::facts(repo, head)?.tree,
        None => Oid::empty_tree(repo.object_hash()),
    };
    let mut diff = Diff {
        repo,
        index,
        deadline,
        found: Vec::new(),
    };
    let whole = 0..index.entries().len();
    diff.folder(head_tree, &mut BString::default(), whole, index.tree())?;
    Ok(diff.found)
}

struct Diff<'a> {
    repo: &'a gix::Repository,
    index: &'a gix::index::State,
    deadline: Deadline,
    found: Vec<Staged>,
}

/// One entry of a tree of HEAD.
struct TreeEntry {
    /// Its name, with a `/` behind a folder's: so both sides sort alike.
    name: BString,
    mode: gix::objs::tree::EntryMode,
    id: Oid,
}

impl Diff<'_> {
    /// Compares a tree with the index entries in `range`, which are those below `prefix`.
    fn folder(
        &mut self,
        tree: Oid,
        prefix: &mut BString,
        range: std::ops::Range<usize>,
        cached: Option<&CacheTree>,
    ) -> anyhow::Result<()> {
        if cached.is_some_and(|cached| cached.num_entries.is_some() && cached.id == tree) {
            return Ok(());
        }
        anyhow::ensure!(!self.deadline.passed(), "out of time");
        let mut theirs = self.entries_of(tree)?.into_iter().peekable();
        let mut at = range.start;
        while at < range.end || theirs.peek().is_some() {
            let here = (at < range.end).then(|| self.group(at, range.end, prefix.len()));
            let order = match (&here, theirs.peek()) {
                (Some((name, _)), Some(entry)) => name.as_bstr().cmp(entry.name.as_bstr()),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, _) => std::cmp::Ordering::Greater,
            };
            let mut group = at..at;
            if let Some((_, end)) = here
                && order.is_le()
            {
                group = at..end;
                at = end;
            }
            let entry = if order.is_ge() { theirs.next() } else { None };
            match entry {
                None => self.added(group),
                Some(entry) => self.compare(&entry, prefix, group, cached)?,
            }
        }
        Ok(())
    }

    /// The name at `at` one level below a prefix of that length, with a `/` behind a folder's, and where the entries
    /// with that name end.
    fn group(&self, at: usize, end: usize, prefix: usize) -> (BString, usize) {
        let entries = self.index.entries();
        let path = &entries[at].path(self.index)[prefix..];
        let length = path.find_byte(b'/').map_or(path.len(), |slash| slash + 1);
        let name = path[..length].as_bstr();
        let count = entries[at..end].partition_point(|entry| {
            let path = &entry.path(self.index)[prefix..];
            if name.ends_with(b"/") {
                path.starts_with(name)
            } else {
                path == name
            }
        });
        (name.to_owned(), at + count.max(1))
    }

    fn compare(
        &mut self,
        entry: &TreeEntry,
        prefix: &mut BString,
        group: std::ops::Range<usize>,
        cached: Option<&CacheTree>,
    ) -> anyhow::Result<()> {
        let length = prefix.len();
        prefix.push_str(&entry.name);
        if entry.mode.is_tree() {
            let name = entry.name.strip_suffix(b"/").unwrap_or(&entry.name);
            let below =
                cached.and_then(|one| one.children.iter().find(|child| child.name[..] == *name));
            if !self.is_unchanged_sparse_folder(group.clone(), entry.id) {
                self.folder(entry.id, prefix, group, below)?;
            }
        } else {
            self.compare_file(entry, prefix.as_bstr(), group);
        }
        prefix.truncate(length);
        Ok(())
    }

    /// A sparse index keeps a whole folder as one entry.
    fn is_unchanged_sparse_folder(&self, group: std::ops::Range<usize>, tree: Oid) -> bool {
        let mut entries = self.index.entries()[group].iter();
        entries
            .next()
            .is_some_and(|entry| entry.mode == Mode::DIR && entry.id == tree)
    }

    fn compare_file(&mut self, entry: &TreeEntry, path: &BStr, group: std::ops::Range<usize>) {
        let ours = &self.index.entries()[group];
        if ours.iter().any(|one| one.stage_raw() != 0) {
            return;
        }
        // One that is only meant to be added does not stand in the index yet.
        let ours = ours
            .iter()
            .find(|one| !one.flags.contains(Flags::INTENT_TO_ADD));
        let how = match ours {
            None => 'D',
            Some(one) if !same_kind(one.mode, entry.mode) => 'T',
            Some(one) if one.id != entry.id || one.mode != mode_of(entry.mode) => 'M',
            Some(_) => return,
        };
        self.found.push((path.to_owned(), how));
    }

    fn added(&mut self, group: std::ops::Range<usize>) {
        for entry in &self.index.entries()[group] {
            if entry.stage_raw() == 0 && !entry.flags.contains(Flags::INTENT_TO_ADD) {
                self.found.push((entry.path(self.index).to_owned(), 'A'));
            }
        }
    }

    fn entries_of(&self, tree: Oid) -> anyhow::Result<Vec<TreeEntry>> {
        if tree.is_empty_tree() {
            return Ok(Vec::new());
        }
        let tree = self
            .repo
            .find_tree(tree)
            .with_context(|| format!("cannot read tree `{tree}`"))?;
        tree.iter()
            .map(|entry| {
                let entry = entry.context("cannot read a tree")?;
                let mut name = entry.filename().to_owned();
                if entry.mode().is_tree() {
                    name.push_byte(b'/');
                }
                Ok(TreeEntry {
                    name,
                    mode: entry.mode(),
                    id: entry.id().detach(),
                })
            })
            .collect()
    }
}

fn mode_of(mode: gix::objs::tree::EntryMode) -> Mode {
    use gix::objs::tree::EntryKind;
    match mode.kind() {
        EntryKind::Tree => Mode::DIR,
        EntryKind::Blob => Mode::FILE,
        EntryKind::BlobExecutable => Mode::FILE_EXECUTABLE,
        EntryKind::Link => Mode::SYMLINK,
        EntryKind::Commit => Mode::COMMIT,
    }
}

fn same_kind(ours: Mode, theirs: gix::objs::tree::EntryMode) -> bool {
    let plain = |mode: Mode| {
        if mode == Mode::FILE_EXECUTABLE {
            Mode::FILE
        } else {
            mode
        }
    };
    plain(ours) == plain(mode_of(theirs))
}
