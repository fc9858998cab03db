//! Refs by the moment of their commits, the newest first, without reading the commit of every ref.
//!
//! What `packed-refs` says stands until that file is replaced, so the order of its refs is kept in an index beside git,
//! under the file's own marks (size, moment, number). Refs that are files of their own are few, since `git gc` packs
//! them, and are looked at each time. The index may be deleted at any time.

use std::collections::{HashSet, VecDeque};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;

use super::{Oid, RefStorage, Repo};

/// Fewer packed refs are read each time: there is nothing to win.
const INDEXED_REFS_MIN: usize = 200;
/// The first word of an index, which a later version changes when it means something else by it.
const FORMAT: &str = "tips-1";

/// A ref with the moment of its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DatedRef {
    /// The whole name.
    pub(crate) name: String,
    /// What it points to.
    pub(crate) id: Oid,
    /// The committer's moment, in seconds since 1970 UTC.
    pub(crate) at: i64,
}

/// Refs, the newest first; see [`Repo::newest_refs`].
pub(crate) struct NewestRefs {
    loose: VecDeque<DatedRef>,
    packed: Packed,
    next_packed: Option<DatedRef>,
    /// A ref that has a file of its own is that, whatever the packed one says.
    hidden: HashSet<String>,
    prefixes: Vec<String>,
}

enum Packed {
    Read(VecDeque<DatedRef>),
    Indexed(Lines<BufReader<File>>),
}

impl Repo {
    /// The refs under prefixes (which end with `/`), the newest first; of the same moment, by name. One whose commit
    /// cannot be read is left out. `all` are the prefixes that an index has, `index` is its file.
    pub(crate) fn newest_refs(
        &self,
        prefixes: &[&str],
        all: &[&str],
        index: &Path,
    ) -> anyhow::Result<NewestRefs> {
        let prefixes: Vec<String> = prefixes.iter().map(|one| (*one).to_owned()).collect();
        let (loose, packed) = match self.storage {
            RefStorage::Files => (
                each(all, |prefix| self.loose_refs(prefix))?,
                self.packed_under(all, index)?,
            ),
            RefStorage::Reftable => (
                each(all, |prefix| self.refs_under(prefix))?,
                Packed::Read(VecDeque::new()),
            ),
        };
        let hidden = loose.iter().map(|(name, _)| name.clone()).collect();
        let mut refs = NewestRefs {
            loose: self.dated(loose),
            packed,
            next_packed: None,
            hidden,
            prefixes,
        };
        refs.next_packed = refs.read_packed();
        Ok(refs)
    }

    fn packed_under(&self, prefixes: &[&str], index: &Path) -> anyhow::Result<Packed> {
        let before = self.packed_marks();
        let indexed = before.as_deref().and_then(|marks| open_index(index, marks));
        if let Some(lines) = indexed {
            return Ok(Packed::Indexed(lines));
        }
        let refs = each(prefixes, |prefix| self.packed_refs(prefix))?;
        let many = refs.len() >= INDEXED_REFS_MIN;
        let dated = self.dated(refs);
        if let Some(marks) =
            before.filter(|marks| many && self.packed_marks().as_ref() == Some(marks))
        {
            // An index that cannot be kept costs time, nothing else.
            crate::files::replace(index, render(&marks, &dated).as_bytes()).unwrap_or_default();
        }
        Ok(Packed::Read(dated))
    }

    /// What tells this `packed-refs` from the one before and the one after.
    fn packed_marks(&self) -> Option<String> {
        let file = std::fs::metadata(self.inner.refs.packed_refs_path()).ok()?;
        let moment = file
            .modified()
            .ok()?
            .duration_since(std::time::UNIX_EPOCH)
            .ok()?;
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&file);
        #[cfg(not(unix))]
        let number = 0;
        let (size, moment) = (file.len(), moment.as_nanos());
        Some(format!("{FORMAT} {size} {moment} {number}"))
    }

    fn dated(&self, refs: Vec<(String, Oid)>) -> VecDeque<DatedRef> {
        let mut dated: Vec<DatedRef> = refs
            .into_iter()
            .filter_map(|(name, id)| {
                let commit = self.inner.find_commit(id).ok()?;
                let at = commit.time().ok()?.seconds;
                Some(DatedRef { name, id, at })
            })
            .collect();
        dated.sort_by(|one, other| (other.at, &one.name).cmp(&(one.at, &other.name)));
        dated.into()
    }
}

impl NewestRefs {
    fn read_packed(&mut self) -> Option<DatedRef> {
        loop {
            let next = match &mut self.packed {
                Packed::Read(refs) => refs.pop_front()?,
                Packed::Indexed(lines) => parse(&lines.next()?.ok()?)?,
            };
            if !self.hidden.contains(&next.name) {
                return Some(next);
            }
        }
    }

    fn next_of_any(&mut self) -> Option<DatedRef> {
        let loose_first = match (self.loose.front(), &self.next_packed) {
            (Some(loose), Some(packed)) => (packed.at, &loose.name) < (loose.at, &packed.name),
            (loose, _) => loose.is_some(),
        };
        if loose_first {
            return self.loose.pop_front();
        }
        let next = self.next_packed.take();
        self.next_packed = self.read_packed();
        next
    }
}

impl Iterator for NewestRefs {
    type Item = DatedRef;

    fn next(&mut self) -> Option<DatedRef> {
        loop {
            let next = self.next_of_any()?;
            if self
                .prefixes
                .iter()
                .any(|prefix| next.name.starts_with(prefix))
            {
                return Some(next);
            }
        }
    }
}

/// What is listed under each prefix.
fn each(
    prefixes: &[&str],
    list: impl Fn(&str) -> anyhow::Result<Vec<(String, Oid)>>,
) -> anyhow::Result<Vec<(String, Oid)>> {
    let lists: anyhow::Result<Vec<_>> = prefixes.iter().map(|prefix| list(prefix)).collect();
    Ok(lists?.concat())
}

/// The lines of an index behind its first, where that has these marks and the index is whole.
fn open_index(path: &Path, marks: &str) -> Option<Lines<BufReader<File>>> {
    let file = File::open(path).ok()?;
    let size = file.metadata().ok()?.len();
    let mut lines = BufReader::new(file).lines();
    let first = lines.next()?.ok()?;
    let (of, rest) = first.rsplit_once(' ')?;
    let rest: u64 = rest.parse().ok()?;
    (of == marks && first.len() as u64 + 1 + rest == size).then_some(lines)
}

fn render(marks: &str, refs: &VecDeque<DatedRef>) -> String {
    let mut text = String::new();
    for DatedRef { name, id, at } in refs {
        // Writing to a string does not fail.
        writeln!(text, "{at} {id} {name}").unwrap_or_default();
    }
    format!("{marks} {}\n{text}", text.len())
}

fn parse(line: &str) -> Option<DatedRef> {
    let mut words = line.splitn(3, ' ');
    let at = words.next()?.parse().ok()?;
    let id = Oid::from_hex(words.next()?.as_bytes()).ok()?;
    let name = words.next()?.to_owned();
    Some(DatedRef { name, id, at })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::sandbox::Sandbox;

    const PREFIXES: [&str; 2] = ["refs/segue/", "refs/segue-remotes/"];

    /// Refs enough for an index, on a few commits of different moments.
    fn many(init: &[&str]) -> Sandbox {
        let sandbox = Sandbox::unborn(init);
        let commits: Vec<String> = (0..7).map(|n| sandbox.commit(&n.to_string())).collect();
        for n in 0..=INDEXED_REFS_MIN {
            let id = &commits[n * 5 % commits.len()];
            sandbox.git(&["update-ref", &format!("refs/segue/s{n}"), id]);
        }
        sandbox.git(&["update-ref", "refs/segue-remotes/o/x", &commits[6]]);
        sandbox.git(&["pack-refs", "--all"]);
        sandbox
    }

    #[track_caller]
    fn check(sandbox: &Sandbox, index: &Path) {
        let repo = sandbox.repo();
        for prefixes in [&PREFIXES[..], &PREFIXES[..1]] {
            let refs = repo.newest_refs(prefixes, &PREFIXES, index).unwrap();
            let ours: Vec<String> = refs.map(|one| format!("{} {}", one.id, one.name)).collect();
            let mut args = vec!["for-each-ref", "--sort=refname", "--sort=-committerdate"];
            args.extend(["--format=%(objectname) %(refname)"].iter().chain(prefixes));
            assert_eq!(ours, sandbox.git(&args).lines().collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_order_is_gits_whatever_is_packed_moved_deleted_or_lost() {
        for init in [&[][..], &["--ref-format=reftable"]] {
            let sandbox = many(init);
            let index = sandbox.path("index");
            check(&sandbox, &index);
            assert_eq!(index.exists(), init.is_empty());
            check(&sandbox, &index);
            let new = sandbox.commit("new");
            sandbox.git(&["update-ref", "refs/segue/s5", &new]);
            sandbox.git(&["update-ref", "refs/segue/new", &new]);
            check(&sandbox, &index);
            sandbox.git(&["update-ref", "-d", "refs/segue/s6"]);
            check(&sandbox, &index);
            sandbox.git(&["pack-refs", "--all"]);
            check(&sandbox, &index);
            if init.is_empty() {
                let text = std::fs::read_to_string(&index).unwrap();
                crate::files::replace(&index, &text.as_bytes()[..text.len() / 2]).unwrap();
                check(&sandbox, &index);
            }
        }
    }
}
