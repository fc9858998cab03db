//! Two machines with the same commit, and what a work tree looks like.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::world::{Ran, World};
use crate::sync::two_clones::TwoClones;

/// The session of every card here.
pub(crate) const SESSION: &str = "s-1";

/// Two clones at the same commit, which `prepare` has made on `repo`.
pub(crate) fn at_one_commit(prepare: impl Fn(&World)) -> TwoClones {
    let mut clones = TwoClones::new();
    let world = clones.on("repo");
    prepare(world);
    world.git(&["add", "--all"]);
    world.git(&["commit", "--quiet", "--allow-empty", "-m", "The ground"]);
    world.git(&["push", "--quiet", "origin", "main"]);
    let world = clones.on("other");
    world.git(&["fetch", "--quiet"]);
    // Every file is checked out anew, as settings that `prepare` has made have it.
    world.git(&["rm", "--quiet", "-r", "."]);
    world.git(&["reset", "--quiet", "--hard", "origin/main"]);
    clones
}

/// Saves a card that carries the work of `repo`, and brings it to `other`; gives its id.
pub(crate) fn carried_over(clones: &mut TwoClones) -> String {
    let world = clones.on("repo");
    let args = ["save", "--carry", "--session", SESSION, "-m", "carry on"];
    world.run(&args).ended(0);
    clones.segue("repo", &["push"]).ok();
    clones.segue("other", &["fetch"]).ok();
    clones.tip("repo", SESSION)
}

/// Runs `resume --apply` on `other`, which may change its work tree and its index.
pub(crate) fn apply(clones: &mut TwoClones, more: &[&str]) -> Ran {
    let args = [&["resume", "--apply"], more, &[SESSION]].concat();
    clones.on("other").run_changing(&args, b"", &["other"])
}

/// Everything in a work tree but git's own: path → kind, mode and content.
pub(crate) fn picture(dir: &Path) -> BTreeMap<Vec<u8>, (char, Vec<u8>)> {
    let mut seen = BTreeMap::new();
    look(dir, dir, &mut seen);
    seen
}

fn look(root: &Path, dir: &Path, seen: &mut BTreeMap<Vec<u8>, (char, Vec<u8>)>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().is_some_and(|name| name == ".git") {
            continue;
        }
        let meta = path.symlink_metadata().unwrap();
        let name = path.strip_prefix(root).unwrap();
        let name = name.as_os_str().as_bytes().to_vec();
        if meta.is_dir() {
            look(root, &path, seen);
        } else if meta.is_symlink() {
            let target = std::fs::read_link(&path).unwrap();
            seen.insert(name, ('l', target.as_os_str().as_bytes().to_vec()));
        } else {
            let runs = meta.permissions().mode() & 0o111 != 0;
            let kind = if runs { 'x' } else { 'f' };
            seen.insert(name, (kind, std::fs::read(&path).unwrap()));
        }
    }
}

/// What git says of a work tree: every path with its modes and ids.
pub(crate) fn status(world: &World) -> String {
    let args = ["status", "--porcelain=v2", "-z", "--untracked-files=all"];
    world.git(&args).replace('\0', "\n")
}

/// The entries of an index, flags and all.
pub(crate) fn index(world: &World) -> String {
    world
        .git(&["ls-files", "--stage", "-t", "-z"])
        .replace('\0', "\n")
}

/// The bytes of an index file.
pub(crate) fn index_bytes(world: &World) -> Vec<u8> {
    std::fs::read(world.dir().join(".git/index")).unwrap()
}

/// A file under a name of any bytes.
pub(crate) fn write_bytes(world: &World, name: &[u8], content: &[u8]) {
    let path = world.dir().join(std::ffi::OsStr::from_bytes(name));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// A link under a name, in the place of whatever was there.
pub(crate) fn link(world: &World, target: &str, name: &str) {
    let path = world.dir().join(name);
    std::fs::remove_file(&path).ok();
    std::os::unix::fs::symlink(target, path).unwrap();
}

/// Lets a file run, or not.
pub(crate) fn set_runs(world: &World, name: &str, runs: bool) {
    let mode = if runs { 0o755 } else { 0o644 };
    let path = world.dir().join(name);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn remove(world: &World, name: &str) {
    let path = world.dir().join(name);
    if path.symlink_metadata().unwrap().is_dir() {
        std::fs::remove_dir_all(path).unwrap();
    } else {
        std::fs::remove_file(path).unwrap();
    }
}
