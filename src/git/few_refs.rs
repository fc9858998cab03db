//! A git directory of our own over the same objects and settings that has hardly any refs: git looks at every ref of a
//! repository whenever it sends or gets anything, be it one commit.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use gix::bstr::ByteSlice;

use super::process::Call;
use super::{Oid, Repo};

/// How the folders' names begin.
const PREFIX: &str = "aside-refs-";
/// A folder that is older was left behind by a process that was killed: no transfer takes so long.
const STALE_AFTER: Duration = Duration::from_secs(60 * 60);
/// So git keeps its hands off objects that it would take for unreachable from here (`preciousObjects` holds back what is
/// called by hand), and the person's hooks never see names of ours.
const QUIET: [&str; 6] = [
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "-c",
    "core.hooksPath=/dev/null",
];

/// The git directory; gone when dropped.
#[derive(Debug)]
pub(super) struct FewRefs {
    ground: tempfile::TempDir,
}

impl Repo {
    /// One whose refs are these commits, which `remote` probably has too. None where it cannot be made, and where only the
    /// real git directory will do.
    pub(super) fn few_refs(&self, remote: &str, tips: &BTreeSet<Oid>) -> Option<FewRefs> {
        if !self.serves_from_aside(remote) {
            return None;
        }
        let config = self.config_for_few()?;
        self.sweep_aside(PREFIX, STALE_AFTER);
        let ground = self.folder_aside(PREFIX).ok()?;
        let made = FewRefs { ground };
        let mut packed = String::new();
        for tip in tips.iter().filter(|tip| self.has(**tip)) {
            // Writing to a string does not fail.
            writeln!(packed, "{tip} refs/known/{tip}").unwrap_or_default();
        }
        std::fs::create_dir(made.path().join("refs")).ok()?;
        for (name, text) in [
            ("packed-refs", packed.as_str()),
            ("config", &config),
            ("HEAD", "ref: refs/heads/none\n"),
        ] {
            crate::files::replace(&made.path().join(name), text.as_bytes()).ok()?;
        }
        Some(made)
    }

    /// A call of git there, as [`Self::program`] is one here.
    pub(super) fn program_in(&self, few: &FewRefs, args: &[&str]) -> Call<'_> {
        let mut git_dir = OsString::from("--git-dir=");
        git_dir.push(few.path());
        let objects = self.inner.objects.store_ref().path();
        let objects = std::path::absolute(objects).unwrap_or_else(|_| objects.to_owned());
        let call = self.quiet_git(git_dir).args(QUIET).args(args);
        call.env("GIT_OBJECT_DIRECTORY", objects)
    }

    /// Whether nothing that a transfer needs stands in the git directory beside its configuration, and nothing in that
    /// depends on the directory's own name, on its branch or its work tree. Includes for all that is in a folder
    /// (`includeIf.gitdir:~/work/`) hold in our folder too.
    fn serves_from_aside(&self, remote: &str) -> bool {
        let config = self.inner.config_snapshot();
        let sections = config.plumbing().sections_by_name("includeIf");
        let mut conditions = sections
            .into_iter()
            .flatten()
            .filter_map(|section| section.header().subsection_name());
        let holds_aside = |condition: &gix::bstr::BStr| {
            let for_folder = condition.ends_with(b"/") && !condition.contains_str(".git");
            condition.starts_with(b"gitdir") && for_folder || condition.starts_with(b"hasconfig:")
        };
        let beside = [
            "shallow".to_owned(),
            format!("remotes/{remote}"),
            format!("branches/{remote}"),
        ];
        conditions.all(holds_aside)
            && !self.parameters.has_section("includeif")
            && config.boolean("extensions.worktreeConfig") != Some(true)
            && beside
                .iter()
                .all(|name| !self.common_dir.join(name).exists())
    }

    /// Its configuration; none where git could not read the path in it.
    fn config_for_few(&self) -> Option<String> {
        let path = self.common_dir.join("config");
        let path = path
            .to_str()
            .filter(|path| !path.contains(char::is_control))?;
        let path = path.replace('\\', "\\\\").replace('"', "\\\"");
        Some(format!(
            "[include]\n\tpath = \"{path}\"\n[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n\
             [extensions]\n\tpreciousObjects = true\n\tobjectFormat = {}\n",
            self.hash_kind()
        ))
    }
}

impl FewRefs {
    fn path(&self) -> &Path {
        self.ground.path()
    }

    /// What a ref points to that a fetch wrote here.
    pub(super) fn find(&self, name: &str) -> Option<Oid> {
        let text = std::fs::read(self.path().join(name)).ok()?;
        Oid::from_hex(text.trim_ascii()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::sandbox::Sandbox;

    #[test]
    fn it_has_the_objects_and_the_refs_that_it_was_given_and_gc_takes_nothing_away() {
        for init in [
            &[][..],
            &["--object-format=sha256"],
            &["--ref-format=reftable"],
        ] {
            let sandbox = Sandbox::new(init);
            sandbox.git(&["config", "person.says", "so"]);
            let head = sandbox.git(&["rev-parse", "HEAD"]).trim().to_owned();
            let tip = Oid::from_hex(head.as_bytes()).unwrap();
            let absent = Oid::from_hex("1".repeat(head.len()).as_bytes()).unwrap();
            let repo = sandbox.repo();
            let few = repo
                .few_refs("origin", &BTreeSet::from([tip, absent]))
                .unwrap();
            let run = |args: &[&str]| repo.program_in(&few, args).run().unwrap();
            let listed = run(&["for-each-ref", "--format=%(objectname) %(refname)"]);
            assert_eq!(listed.text(), format!("{tip} refs/known/{tip}\n"));
            assert_eq!(
                run(&["cat-file", "-p", &format!("{tip}:a")]).text(),
                "content of a\n"
            );
            assert_eq!(run(&["config", "person.says"]).text(), "so\n");
            let draft = sandbox.git(&["hash-object", "-w", "--stdin"]);
            assert!(run(&["gc", "--prune=now"]).success());
            for args in [&["prune"][..], &["repack", "-ad"]] {
                let refused = run(args).complaint();
                assert!(refused.contains("precious-objects"), "{refused}");
            }
            assert_eq!(sandbox.git(&["cat-file", "-t", draft.trim()]), "blob\n");
            let folder = few.path().to_owned();
            drop(few);
            assert!(!folder.exists());
        }
    }

    #[test]
    fn there_is_none_where_only_the_git_directory_itself_will_do() {
        let sandbox = Sandbox::new(&[]);
        let serves = || {
            sandbox
                .repo()
                .few_refs("origin", &BTreeSet::new())
                .is_some()
        };
        let key = |condition: &str| format!("includeIf.{condition}.path");
        for condition in ["gitdir:~/work/", "hasconfig:remote.*.url:x"] {
            sandbox.git(&["config", &key(condition), "more"]);
        }
        assert!(serves());
        for condition in [
            "gitdir/i:/work/repo/.git",
            "gitdir:/work/repo/.git/",
            "onbranch:main",
        ] {
            sandbox.git(&["config", &key(condition), "more"]);
            assert!(!serves(), "{condition}");
            sandbox.git(&["config", "--unset", &key(condition)]);
        }
        for file in ["shallow", "remotes/origin", "branches/origin"] {
            let path = sandbox.root().join(".git").join(file);
            crate::files::replace(&path, b"").unwrap();
            assert!(!serves(), "{file}");
            std::fs::remove_file(path).unwrap();
        }
        assert!(serves());
        sandbox.git(&["config", "extensions.worktreeConfig", "true"]);
        assert!(!serves());
    }

    #[test]
    fn what_a_killed_transfer_left_is_swept_in_time() {
        let sandbox = Sandbox::new(&[]);
        let segue = sandbox.root().join(".git/segue");
        let (old, new) = (segue.join("aside-refs-old"), segue.join("aside-refs-new"));
        std::fs::create_dir_all(&old).unwrap();
        std::fs::create_dir_all(&new).unwrap();
        let folder = std::fs::File::open(&old).unwrap();
        folder.set_modified(std::time::UNIX_EPOCH).unwrap();
        drop(sandbox.repo().few_refs("origin", &BTreeSet::new()));
        assert!(!old.exists() && new.exists());
    }
}
