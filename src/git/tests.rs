//! Repositories of every kind, and what may stand in the way.

use std::path::Path;
use std::time::{Duration, SystemTime};

use super::process::Call;
use super::*;
use crate::files::replace;

fn git(dir: &Path, args: &[&str]) -> String {
    let output = Call::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"])
        .args(args)
        .dir(dir)
        .run()
        .unwrap();
    assert!(output.success(), "git {args:?}: {}", output.complaint());
    output.text().trim_end().to_owned()
}

fn ground() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q", "-b", "main"]);
    git(
        dir.path(),
        &["commit", "-q", "--allow-empty", "-m", "first"],
    );
    dir
}

fn open(dir: &Path, env: &GitEnv) -> Repo {
    match Repo::discover(dir, env).unwrap() {
        Found::Repo(repo) => *repo,
        Found::None => panic!("no repository"),
    }
}

fn repo(dir: &Path) -> Repo {
    open(dir, &GitEnv::default())
}

fn commit(repo: &Repo, message: &str) -> Oid {
    let blob = repo.write_blob(message.as_bytes()).unwrap();
    let entry = TreeEntry {
        name: "a".to_owned(),
        oid: blob,
        tree: false,
    };
    let tree = repo.write_tree(vec![entry]).unwrap();
    repo.write_commit(tree, &[], message).unwrap()
}

#[test]
fn what_is_written_is_read_back_and_git_agrees() {
    let dir = ground();
    let env = GitEnv {
        now: 1_796_040_000,
        utc_offset: 3_600,
        name: Some("Ada <x>\n".to_owned()),
        email: Some("ada@example.com".to_owned()),
        ..GitEnv::default()
    };
    let repo = open(dir.path(), &env);
    let id = commit(&repo, "subject\n");
    assert_eq!(
        git(
            dir.path(),
            &["log", "-1", "--format=%cn <%ce> %cI %s", &id.to_string()]
        ),
        "Ada x <ada@example.com> 2026-11-30T13:00:00+01:00 subject"
    );
    let read = repo.read_commit(id).unwrap();
    assert_eq!(
        (read.at, read.message.as_str()),
        (1_796_040_000, "subject\n")
    );
    assert_eq!(repo.read_file(id, "a").unwrap().unwrap(), b"subject\n");
    assert_eq!(repo.read_file(id, "b").unwrap(), None);
    assert_eq!(repo.ids_with_prefix(&id.to_string()[..10]).unwrap(), [id]);
}

#[test]
fn a_ref_moves_only_from_where_it_was_thought_to_be() {
    let dir = ground();
    let repo = repo(dir.path());
    let (one, two) = (commit(&repo, "one"), commit(&repo, "two"));
    let swap = |old, new| repo.swap_ref("refs/segue/s", old, new, "log").unwrap();
    assert_eq!(swap(Some(two), one), Swap::Moved);
    assert_eq!(swap(None, one), Swap::Done);
    assert_eq!(swap(None, two), Swap::Moved);
    assert_eq!(swap(Some(two), one), Swap::Moved);
    assert_eq!(swap(Some(one), two), Swap::Done);
    assert_eq!(repo.find_ref("refs/segue/s").unwrap(), Some(two));
    assert_eq!(
        repo.refs_under("refs/segue/").unwrap(),
        [("refs/segue/s".to_owned(), two)]
    );
}

#[test]
fn a_held_packed_refs_lock_is_no_hindrance() {
    let dir = ground();
    git(dir.path(), &["pack-refs", "--all"]);
    replace(&dir.path().join(".git/packed-refs.lock"), b"").unwrap();
    let repo = repo(dir.path());
    let id = commit(&repo, "one");
    assert_eq!(
        repo.swap_ref("refs/segue/s", None, id, "log").unwrap(),
        Swap::Done
    );
    assert_eq!(git(dir.path(), &["rev-parse", "segue/s"]), id.to_string());
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a file's age is told by the machine's clock"
)]
fn a_lock_that_a_killed_process_left_is_swept_and_a_fresh_one_is_respected() {
    let dir = ground();
    let repo = repo(dir.path());
    let id = commit(&repo, "one");
    let lock = dir.path().join(".git/refs/segue/s.lock");
    std::fs::create_dir_all(lock.parent().unwrap()).unwrap();
    let file = std::fs::File::create(&lock).unwrap();
    let err = repo.swap_ref("refs/segue/s", None, id, "log").unwrap_err();
    let hints = &err.downcast_ref::<Failure>().unwrap().hints;
    assert!(hints[0].contains("s.lock"), "{hints:?}");
    let hour = Duration::from_secs(3_600);
    file.set_modified(SystemTime::now() - hour).unwrap();
    assert_eq!(
        repo.swap_ref("refs/segue/s", None, id, "log").unwrap(),
        Swap::Done
    );
    assert!(!lock.exists());
}

#[test]
fn a_repository_that_git_would_not_use_is_refused_with_a_hint() {
    let dir = ground();
    git(dir.path(), &["config", "core.repositoryformatversion", "1"]);
    git(dir.path(), &["config", "extensions.moonPhase", "true"]);
    let err = Repo::discover(dir.path(), &GitEnv::default()).unwrap_err();
    let failure = err.downcast_ref::<Failure>().unwrap();
    assert!(
        failure
            .message
            .ends_with("it has the unknown extension `moonphase`"),
        "{failure}"
    );
    assert_eq!(failure.hints, ["update git-segue"]);
    replace(&dir.path().join(".git/config"), b"[broken").unwrap();
    let err = Repo::discover(dir.path(), &GitEnv::default()).unwrap_err();
    assert!(format!("{err}").ends_with("it is broken"), "{err:?}");
}

#[test]
fn a_folder_without_a_repository_has_none() {
    let dir = tempfile::tempdir().unwrap();
    let check = || Repo::discover(dir.path(), &GitEnv::default()).unwrap();
    assert!(matches!(check(), Found::None));
    // A link to a git directory that is gone, as a removed main work tree leaves it.
    replace(&dir.path().join(".git"), b"gitdir: /nowhere/.git").unwrap();
    assert!(matches!(check(), Found::None));
}

#[test]
fn a_linked_work_tree_shares_the_common_folder() {
    let dir = ground();
    git(dir.path(), &["worktree", "add", "-q", "linked"]);
    let linked = repo(&dir.path().join("linked"));
    let main = repo(dir.path());
    assert_eq!(
        linked.common_dir().canonicalize().unwrap(),
        main.common_dir().canonicalize().unwrap()
    );
    assert_ne!(linked.git_dir(), main.git_dir());
    let id = commit(&linked, "one");
    linked.swap_ref("refs/segue/s", None, id, "log").unwrap();
    assert_eq!(main.find_ref("refs/segue/s").unwrap(), Some(id));
}

#[test]
fn git_c_wins_over_the_configuration_and_adds_to_it() {
    let dir = ground();
    git(dir.path(), &["config", "segue.model", "small"]);
    git(dir.path(), &["config", "segue.redact", "one"]);
    let env = GitEnv {
        config_parameters: Some("'segue.MODEL'='large' 'segue.redact=two'".to_owned()),
        ..GitEnv::default()
    };
    let before = repo(dir.path());
    assert_eq!(before.section("segue").last("model"), Some("small"));
    assert_eq!(before.config("segue.model").as_deref(), Some("small"));
    let repo = open(dir.path(), &env);
    assert_eq!(repo.config("segue.model").as_deref(), Some("large"));
    assert_eq!(repo.config_all("segue.redact"), ["one", "two"]);
    assert_eq!(repo.config("segue.other"), None);
    let section = repo.section("segue");
    assert_eq!(section.last("Model"), Some("large"));
    assert_eq!(section.all("redact"), ["one", "two"]);
    assert_eq!(section.last("other"), None);
}

#[test]
fn a_ref_of_no_bytes_gets_back_what_its_log_says() {
    let dir = ground();
    let repo = repo(dir.path());
    let (one, two) = (commit(&repo, "one"), commit(&repo, "two"));
    let name = "refs/segue/s";
    for (old, new) in [(None, one), (Some(one), two)] {
        assert_eq!(repo.swap_ref(name, old, new, "log").unwrap(), Swap::Done);
    }
    assert_eq!(repo.heal_ref(name).unwrap(), None, "it is whole");
    for broken in [&b""[..], &[0; 41]] {
        replace(&dir.path().join(".git/refs/segue/s"), broken).unwrap();
        assert!(repo.find_ref(name).is_err());
        assert_eq!(repo.heal_ref(name).unwrap(), Some(two));
        assert_eq!(repo.find_ref(name).unwrap(), Some(two));
    }
}

#[test]
fn a_bare_repository_inside_of_a_work_tree_sets_nothing_for_us() {
    let dir = ground();
    git(dir.path(), &["init", "-q", "--bare", "inner"]);
    let inner = dir.path().join("inner");
    git(&inner, &["config", "segue.censusCommand", "anything"]);
    assert_eq!(repo(&inner).section("segue").last("censusCommand"), None);
    assert_eq!(repo(&inner).config("core.bare").as_deref(), Some("true"));
    let alone = tempfile::tempdir().unwrap();
    git(alone.path(), &["init", "-q", "--bare"]);
    git(alone.path(), &["config", "segue.censusCommand", "anything"]);
    let alone = repo(alone.path()).section("segue");
    assert_eq!(alone.last("censusCommand"), Some("anything"));
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a file's age is told by the machine's clock"
)]
fn what_a_killed_writer_left_among_the_objects_is_swept_after_a_day() {
    let dir = ground();
    let repo = repo(dir.path());
    let objects = dir.path().join(".git/objects");
    let (old, new, other) = (".tmpAbCd12", ".tmpAbCd34", "other");
    for name in [old, new, other] {
        let file = std::fs::File::create(objects.join(name)).unwrap();
        let age = Duration::from_secs(if name == new { 60 } else { 90_000 });
        file.set_modified(SystemTime::now() - age).unwrap();
    }
    repo.sweep_temporary_objects();
    let left = [old, new, other].map(|name| objects.join(name).exists());
    assert_eq!(left, [false, true, true]);
}

#[test]
fn refs_in_tables_are_read_and_moved_by_git_itself() {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q", "--ref-format=reftable"]);
    let repo = repo(dir.path());
    assert!(repo.gix().is_none());
    let (one, two) = (commit(&repo, "one"), commit(&repo, "two"));
    let swap = |old, new| repo.swap_ref("refs/segue/s", old, new, "log").unwrap();
    assert_eq!(swap(Some(two), one), Swap::Moved);
    assert_eq!(swap(None, one), Swap::Done);
    assert_eq!(swap(None, two), Swap::Moved);
    assert_eq!(swap(Some(one), two), Swap::Done);
    assert_eq!(repo.find_ref("refs/segue/s").unwrap(), Some(two));
    assert_eq!(repo.refs_under("refs/segue/").unwrap().len(), 1);
    assert!(!dir.path().join(".git/refs/segue").exists());
}
