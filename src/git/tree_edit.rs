//! A tree made of another one by a few edits; the folders that no edit is in are shared.

use std::collections::HashMap;

use anyhow::Context as _;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::tree::EntryKind;

use super::tree_diff::Leaf;
use super::{Oid, Repo};

/// A path and what is to stand there; none where nothing is to.
pub(crate) type Edit = (BString, Option<Leaf>);

impl Repo {
    /// The tree of `base` (the empty one where there is none) with `edits` made to it. A folder gives way to a file that
    /// takes its name, and a file to a folder; one of nothing is gone.
    pub(crate) fn edited_tree(&self, base: Option<Oid>, edits: &[Edit]) -> anyhow::Result<Oid> {
        let root = match base {
            Some(tree) => self
                .without_refs()
                .find_tree(tree)
                .and_then(|tree| Ok(tree.decode()?.into()))
                .with_context(|| format!("cannot read tree `{tree}`"))?,
            None => gix::objs::Tree::default(),
        };
        let objects = &self.without_refs().objects;
        let mut editor = gix::objs::tree::Editor::new(root, objects, self.hash_kind());
        let names = |path: &'_ BString| -> Vec<BString> {
            path.split(|byte| *byte == b'/')
                .map(BString::from)
                .collect()
        };
        let cannot = |path: &BStr| format!("cannot change `{path}` in a tree");
        // What goes makes room for what comes.
        for (path, _) in edits.iter().filter(|(_, leaf)| leaf.is_none()) {
            let removed = editor.remove_if_leaf(names(path).iter().map(|name| name.as_bstr()));
            removed.with_context(|| cannot(path.as_bstr()))?;
        }
        for (path, leaf) in edits {
            let Some(leaf) = leaf else { continue };
            let names = names(path);
            let put = editor.upsert(names.iter().map(|name| name.as_bstr()), leaf.kind, leaf.id);
            put.with_context(|| cannot(path.as_bstr()))?;
        }
        editor
            .write(|tree| self.write_object(tree))
            .context("cannot write a tree")
    }

    /// What a tree has at `path`; none when it has nothing there, or a folder.
    pub(crate) fn leaf_at(&self, tree: Oid, path: &BStr) -> anyhow::Result<Option<Leaf>> {
        let read = || -> gix::Result<Option<Leaf>> {
            let tree = self.without_refs().find_tree(tree)?;
            let found = tree.lookup_entry(path.split(|byte| *byte == b'/'))?;
            Ok(found
                .filter(|entry| !entry.mode().is_tree())
                .map(|entry| Leaf {
                    kind: entry.mode().kind(),
                    id: entry.object_id(),
                }))
        };
        read().with_context(|| format!("cannot read `{path}` of tree {tree}"))
    }
}

/// Looks paths up in trees; each tree is read once, however many paths lead through it.
pub(crate) struct Leaves<'r> {
    repo: &'r gix::Repository,
    trees: HashMap<Oid, HashMap<BString, Leaf>>,
}

impl<'r> Leaves<'r> {
    /// For the trees of a repository.
    pub(crate) fn new(repo: &'r gix::Repository) -> Self {
        let trees = HashMap::new();
        Self { repo, trees }
    }

    /// What a tree has at `path`; none when it has nothing there, or a folder.
    pub(crate) fn at(&mut self, tree: Oid, path: &BStr) -> anyhow::Result<Option<Leaf>> {
        let mut tree = tree;
        let mut names = path.split(|byte| *byte == b'/').peekable();
        while let Some(name) = names.next() {
            let Some(found) = self.names(tree)?.get(name.as_bstr()).copied() else {
                return Ok(None);
            };
            match (found.kind == EntryKind::Tree, names.peek().is_none()) {
                (true, false) => tree = found.id,
                (false, true) => return Ok(Some(found)),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    fn names(&mut self, tree: Oid) -> anyhow::Result<&HashMap<BString, Leaf>> {
        if !self.trees.contains_key(&tree) {
            let read = || -> gix::Result<HashMap<BString, Leaf>> {
                let object = self.repo.find_tree(tree)?;
                let entries = object.iter().map(|entry| {
                    let entry = entry?;
                    let (kind, id) = (entry.mode().kind(), entry.object_id());
                    Ok((entry.filename().to_owned(), Leaf { kind, id }))
                });
                entries.collect()
            };
            let names = read().with_context(|| format!("cannot read tree {tree}"))?;
            self.trees.insert(tree, names);
        }
        Ok(&self.trees[&tree])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::{Strategy, any, prop_assert_eq};

    use super::*;
    use crate::git::sandbox::Sandbox;

    #[test]
    fn files_and_folders_give_way_to_each_other() {
        let sandbox = Sandbox::new(&[]);
        let repo = sandbox.repo();
        let blob = repo.write_blob(b"new").unwrap();
        let leaf = |kind| Some(Leaf { kind, id: blob });
        let base = sandbox.git(&["rev-parse", "HEAD^{tree}"]);
        let base = Oid::from_hex(base.trim().as_bytes()).unwrap();
        let check = |edits: &[(&str, Option<Leaf>)], expect: &str| {
            let edits: Vec<Edit> = edits
                .iter()
                .map(|(path, leaf)| ((*path).into(), *leaf))
                .collect();
            let tree = repo.edited_tree(Some(base), &edits).unwrap();
            let names = sandbox.git(&["ls-tree", "-r", "--name-only", &tree.to_string()]);
            assert_eq!(
                names.split_whitespace().collect::<Vec<_>>().join(" "),
                expect
            );
        };
        check(&[], "a b src/c src/deep/d");
        check(&[("src/deep/d", None)], "a b src/c");
        check(&[("src", leaf(EntryKind::Link))], "a b src");
        check(
            &[("a", None), ("a/x", leaf(EntryKind::Blob))],
            "a/x b src/c src/deep/d",
        );
        check(
            &[
                ("a", None),
                ("b", None),
                ("src/c", None),
                ("src/deep/d", None),
            ],
            "",
        );
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]

        /// Git makes the same tree of the same files.
        #[test]
        fn edits_make_the_tree_that_git_makes(
            before in files(), after in files()
        ) {
            let sandbox = Sandbox::unborn(&[]);
            let repo = sandbox.repo();
            let put = |files: &BTreeMap<String, u8>| -> Vec<Edit> {
                files.iter().map(|(path, content)| {
                    let id = repo.write_blob(&[*content]).unwrap();
                    let kind = [EntryKind::Blob, EntryKind::BlobExecutable, EntryKind::Link]
                        [usize::from(*content) % 3];
                    (path.as_str().into(), Some(Leaf { kind, id }))
                }).collect()
            };
            let base = repo.edited_tree(None, &put(&before)).unwrap();
            let mut edits = put(&after);
            edits.extend(before.keys().filter(|path| !after.contains_key(*path))
                .map(|path| (path.as_str().into(), None)));
            let tree = repo.edited_tree(Some(base), &edits).unwrap();
            prop_assert_eq!(tree, repo.edited_tree(None, &put(&after)).unwrap());
            let fsck = sandbox.git(&["fsck", "--strict", "--no-dangling"]);
            prop_assert_eq!(fsck.trim(), "");
        }
    }

    /// A few files under few names, so that files and folders meet; none below another.
    fn files() -> impl Strategy<Value = BTreeMap<String, u8>> {
        let name = proptest::sample::select(vec!["a", "a.b", "a-b", "b"]);
        let path = proptest::collection::vec(name, 1..4).prop_map(|names| names.join("/"));
        proptest::collection::btree_map(path, any::<u8>(), 0..6).prop_map(|files| {
            let below = |path: &str| files.keys().any(|one| path.starts_with(&format!("{one}/")));
            let kept = files.iter().filter(|(path, _)| !below(path));
            kept.map(|(path, content)| (path.clone(), *content))
                .collect()
        })
    }
}
