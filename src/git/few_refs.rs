//! A git directory of our own over the same objects and settings that has hardly any refs: git looks at every ref of a
//! repository whenever it sends or gets anything, be it one commit.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;

use super::process::Call;
use super::{Oid, Repo};

/// How the folders' names begin, so that what a killed process leaves behind is swept like other folders aside.
const PREFIX: &str = "aside-refs-";
/// So git keeps its hands off objects that it would take for unreachable from here; `preciousObjects` holds back what is called by hand.
const KEEP_OBJECTS: [&str; 4] = ["-c", "gc.auto=0", "-c", "maintenance.auto=false"];

/// The git directory; gone when dropped.
#[derive(Debug)]
pub(super) struct FewRefs {
    ground: tempfile::TempDir,
}

impl Repo {
    /// One whose refs are these commits, which the other side of a transfer probably has too. None where it cannot be
    /// made, and where the person's settings ask for the git directory's very name: then only the real one will do.
    pub(super) fn few_refs(&self, tips: &BTreeSet<Oid>) -> Option<FewRefs> {
        if self.settings_ask_for_name() {
            return None;
        }
        let ours = self.common_dir.join("segue");
        std::fs::create_dir_all(&ours).ok()?;
        let mut builder = tempfile::Builder::new();
        let ground = builder.prefix(PREFIX).tempdir_in(&ours).ok()?;
        let made = FewRefs { ground };
        let mut packed = String::new();
        for tip in tips.iter().filter(|tip| self.has(**tip)) {
            // Writing to a string does not fail.
            writeln!(packed, "{tip} refs/known/{tip}").unwrap_or_default();
        }
        std::fs::create_dir(made.path().join("refs")).ok()?;
        let write = |name: &str, text: &str| {
            crate::files::replace(&made.path().join(name), text.as_bytes())
        };
        write("packed-refs", &packed).ok()?;
        write("config", &self.few_refs_config()).ok()?;
        // Includes by branch (`includeIf.onbranch:`) see the same one.
        let branch = self.gix().and_then(|repo| repo.head_name().ok().flatten());
        let branch = branch.map_or("refs/heads/none".to_owned(), |name| name.to_string());
        write("HEAD", &format!("ref: {branch}\n")).ok()?;
        Some(made)
    }

    /// A call of git there, as [`Self::program`] is one here.
    pub(super) fn program_in(&self, few: &FewRefs, args: &[&str]) -> Call<'_> {
        let mut git_dir = OsString::from("--git-dir=");
        git_dir.push(few.path());
        self.quiet_git(git_dir).args(KEEP_OBJECTS).args(args).env(
            "GIT_OBJECT_DIRECTORY",
            self.inner.objects.store_ref().path(),
        )
    }

    /// Includes by the git directory's name (`includeIf.gitdir:`) hold in our folder below it too, where they are for all
    /// that is in a folder; not so those for `.git` itself, or for what is in that.
    fn settings_ask_for_name(&self) -> bool {
        let config = self.inner.config_snapshot();
        let sections = config.plumbing().sections_by_name("includeIf");
        let mut conditions = sections
            .into_iter()
            .flatten()
            .filter_map(|section| section.header().subsection_name());
        conditions.any(|condition| {
            let for_folder = condition.ends_with(b"/") && !condition.contains_str(".git");
            condition.starts_with(b"gitdir") && !for_folder
        })
    }

    fn few_refs_config(&self) -> String {
        let quoted = |path: PathBuf| {
            let path = path.to_string_lossy().into_owned();
            path.replace('\\', "\\\\").replace('"', "\\\"")
        };
        let (all, own) = (
            self.common_dir.join("config"),
            self.git_dir.join("config.worktree"),
        );
        format!(
            "[include]\n\tpath = \"{}\"\n\tpath = \"{}\"\n[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n\
             [extensions]\n\tpreciousObjects = true\n\tobjectFormat = {}\n",
            quoted(all),
            quoted(own),
            self.hash_kind()
        )
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
            let few = repo.few_refs(&BTreeSet::from([tip, absent])).unwrap();
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
    fn there_is_none_where_the_settings_ask_for_the_git_directory_itself() {
        let sandbox = Sandbox::new(&[]);
        let condition = |pattern: &str| format!("includeIf.{pattern}.path");
        for pattern in [
            "gitdir:~/work/",
            "onbranch:main",
            "hasconfig:remote.*.url:x",
        ] {
            sandbox.git(&["config", &condition(pattern), "more"]);
        }
        assert!(sandbox.repo().few_refs(&BTreeSet::new()).is_some());
        for pattern in ["gitdir/i:/work/repo/.git", "gitdir:/work/repo/.git/"] {
            sandbox.git(&["config", &condition(pattern), "more"]);
            assert!(sandbox.repo().few_refs(&BTreeSet::new()).is_none());
            sandbox.git(&["config", "--unset", &condition(pattern)]);
        }
    }
}
