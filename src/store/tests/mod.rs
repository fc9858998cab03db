//! Chains of cards in real repositories.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Appended, Store};
use crate::git::process::Call;
use crate::git::{Found, GitEnv, Repo};
use crate::handoff::card::{Card, Provenance, Writer};
use crate::handoff::claim::{Claim, Judged, Origin, Section, Sections, Verdict};
use crate::handoff::decision::{By, Decision, DecisionLog};
use crate::handoff::session::{Kind, SessionId, Trigger};

mod chain;
mod find;
mod kept;

/// A repository in a folder of its own, with one commit.
struct Ground {
    dir: tempfile::TempDir,
}

impl Ground {
    fn new(init: &[&str]) -> Self {
        let ground = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        ground.git(&[&["init", "-q", "-b", "main"], init].concat());
        ground.git(&["commit", "-q", "--allow-empty", "-m", "first"]);
        ground
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn git(&self, args: &[&str]) -> String {
        let output = Call::new("git")
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"])
            .args(args)
            .dir(self.path())
            .run()
            .unwrap();
        assert!(output.success(), "git {args:?}: {}", output.complaint());
        output.text().trim_end().to_owned()
    }

    fn repo(&self) -> Repo {
        self.repo_at(1_796_040_000)
    }

    fn repo_at(&self, now: i64) -> Repo {
        let env = GitEnv {
            now,
            name: Some("Ada".to_owned()),
            email: Some("ada@example.com".to_owned()),
            ..GitEnv::default()
        };
        match Repo::discover(self.path(), &env).unwrap() {
            Found::Repo(repo) => *repo,
            Found::None => panic!("no repository"),
        }
    }

    /// Writes a file under the repository's folder.
    fn write(&self, path: &str, text: &str) {
        crate::files::replace(&self.path().join(path), text.as_bytes()).unwrap();
    }

    /// The kinds of a chain's commits, newest first.
    fn kinds(&self, session: &str) -> String {
        let format = "--format=%(trailers:key=Segue-Kind,valueonly,separator=%x20)";
        let name = format!("refs/segue/{session}");
        self.git(&["log", "--first-parent", format, &name])
            .replace('\n', " ")
    }
}

fn card(session: &str, kind: Kind, goal: &str) -> Card {
    let mut sections = Sections::default();
    sections.of_mut(Section::Goal).push(Judged {
        claim: Claim::new(Origin::User, goal),
        verdict: Verdict::Confirmed,
    });
    Card {
        provenance: Provenance {
            session: SessionId::new(session),
            host: "claude-code".to_owned(),
            kind,
            trigger: Trigger::CompactAuto,
            instructions: None,
            transcript: None,
            cwd: None,
            repository: None,
            continues: None,
        },
        writer: Writer::Rules { because: None },
        sections,
        decisions: DecisionLog::default(),
        subagents: Vec::new(),
        census: None,
        summary: None,
        redactions: BTreeMap::new(),
    }
}

fn decided(mut card: Card, what: &str) -> Card {
    card.decisions
        .add(Decision::new(1_796_000_000, By::User, what, None, None));
    card
}

fn append(ground: &Ground, card: &Card) -> Appended {
    let appended = Store::new(&ground.repo()).append(card, None).unwrap();
    assert_eq!(appended.warnings, Vec::<String>::new());
    appended
}
