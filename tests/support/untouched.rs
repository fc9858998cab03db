//! What no command of ours may change: index, work tree, HEAD, configuration, foreign refs, the person's home.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::world::World;

/// Files of a git directory that are not ours to write.
const GIT_FILES: [&str; 9] = [
    "HEAD",
    "index",
    "config",
    "config.worktree",
    "ORIG_HEAD",
    "FETCH_HEAD",
    "MERGE_HEAD",
    "info/exclude",
    "shallow",
];
/// Refs that are ours.
const OUR_REFS: [&str; 3] = ["refs/segue/", "refs/segue-remotes/", "refs/notes/segue"];

/// What was there at one moment: the bytes of each file (a link's target, a folder's name alone), each foreign ref.
pub(crate) struct Untouched {
    files: BTreeMap<PathBuf, Vec<u8>>,
    refs: String,
}

impl Untouched {
    /// Looks at the current folder's repository and at the home of a sandbox.
    pub(crate) fn look(world: &World) -> Self {
        let mut files = BTreeMap::new();
        let root = world.root();
        let state = world.home().join(".local/state");
        walk(&world.home(), &state, &mut files);
        let mut refs = String::new();
        let places = world.try_git(&[
            "rev-parse",
            "--path-format=absolute",
            "--git-dir",
            "--git-common-dir",
        ]);
        if places.code == Some(0) {
            for dir in places.stdout.lines().map(Path::new) {
                for name in GIT_FILES {
                    if let Ok(bytes) = std::fs::read(dir.join(name)) {
                        files.insert(dir.join(name), bytes);
                    }
                }
                walk(&dir.join("hooks"), &state, &mut files);
            }
            refs = world
                .git(&[
                    "for-each-ref",
                    "--format=%(refname) %(objectname) %(symref)",
                ])
                .lines()
                .filter(|line| !OUR_REFS.iter().any(|ours| line.starts_with(ours)))
                .collect::<Vec<_>>()
                .join("\n");
        }
        let top = world.try_git(&["rev-parse", "--show-toplevel"]);
        let top = top.stdout.trim_end_matches('\n');
        if !top.is_empty() {
            walk(Path::new(top), &state, &mut files);
        }
        let files = files
            .into_iter()
            .map(|(path, bytes)| {
                let path = path.strip_prefix(&root).map(Path::to_owned).unwrap_or(path);
                (path, bytes)
            })
            .collect();
        Self { files, refs }
    }

    /// Fails the test when anything is other than it was, but for the paths in `changed`.
    #[track_caller]
    pub(crate) fn assert_same(&self, after: &Self, changed: &[&str]) {
        let paths = self.files.keys().chain(after.files.keys());
        for path in paths.filter(|path| !changed.iter().any(|one| path.starts_with(one))) {
            let (old, new) = (self.files.get(path), after.files.get(path));
            assert!(
                old == new,
                "`{}` was touched\n--- before\n{}\n--- after\n{}",
                path.display(),
                show(old),
                show(new)
            );
        }
        assert_eq!(self.refs, after.refs, "foreign refs were moved");
    }
}

fn show(bytes: Option<&Vec<u8>>) -> String {
    bytes.map_or("(not there)".to_owned(), |bytes| {
        String::from_utf8_lossy(bytes).into_owned()
    })
}

/// Everything under `dir` but git directories and what is under `skip`.
fn walk(dir: &Path, skip: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    for path in entries.map(|entry| entry.unwrap().path()) {
        let kind = path.symlink_metadata().unwrap().file_type();
        if path == skip || path.file_name().is_some_and(|name| name == ".git") {
            continue;
        }
        if kind.is_dir() {
            // An empty folder counts; those above `skip` may come into being on the way to it.
            if !skip.starts_with(&path) {
                files.insert(path.clone(), Vec::new());
            }
            walk(&path, skip, files);
        } else if kind.is_symlink() {
            let target = std::fs::read_link(&path).unwrap();
            files.insert(path, target.into_os_string().into_encoded_bytes());
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).unwrap_or_else(|err| err.to_string().into_bytes());
            files.insert(path, bytes);
        }
    }
}
