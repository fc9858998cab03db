//! The ground: `hub` is bare, `repo` and `other` are clones of it, and each is a machine.

use crate::support::world::{Ran, World};

/// Both machines and the remote between them.
pub(crate) struct TwoClones {
    pub(crate) world: World,
}

impl TwoClones {
    /// Clones that trust nobody.
    pub(crate) fn new() -> Self {
        let mut world = World::new();
        let hub = world.bare_repo("hub");
        world.git(&["remote", "add", "origin", &hub.to_string_lossy()]);
        world.git(&["push", "--quiet", "origin", "main"]);
        world.cd("hub");
        world.clone_repo("other");
        world.cd("repo");
        Self { world }
    }

    /// Clones that trust all who may write to the remote.
    pub(crate) fn trusting() -> Self {
        let mut clones = Self::new();
        for machine in ["other", "repo"] {
            let world = clones.on(machine);
            world.git(&["config", "segue.trustRemote", "origin"]);
        }
        clones
    }

    /// Goes to a machine.
    pub(crate) fn on(&mut self, machine: &str) -> &World {
        self.world.cd(machine);
        &self.world
    }

    /// Runs `git-segue` on a machine, without looking at what else it touches.
    pub(crate) fn segue(&mut self, machine: &str, args: &[&str]) -> Ran {
        let world = self.on(machine);
        world.finish(world.segue(args), b"")
    }

    /// Saves a card with these words; gives its id.
    #[track_caller]
    pub(crate) fn save(&mut self, machine: &str, session: &str, words: &str) -> String {
        self.segue(machine, &["save", "--session", session, "-m", words])
            .ok();
        self.tip(machine, session)
    }

    /// Records a decision in a session, as its agent does.
    #[track_caller]
    pub(crate) fn decide(&mut self, machine: &str, session: &str, what: &str) {
        self.world.set_env("CLAUDE_CODE_SESSION_ID", session);
        self.segue(machine, &["decide", what]).ok();
        self.world.unset_env("CLAUDE_CODE_SESSION_ID");
    }

    /// An autosave, as a host's turn makes one.
    #[track_caller]
    pub(crate) fn autosave(&mut self, machine: &str, session: &str, text: &str) -> String {
        let world = self.on(machine);
        world.write("draft.txt", text);
        world.wait(1_000);
        let payload = serde_json::json!({
            "hook_event_name": "Stop",
            "session_id": session,
            "cwd": world.dir(),
            "transcript_path": world.dir().join("none.jsonl"),
        });
        let hook = world.segue(&["hook", "claude-code"]);
        world.finish(hook, payload.to_string().as_bytes()).ok();
        self.tip(machine, session)
    }

    /// The tip of a session's own chain.
    #[track_caller]
    pub(crate) fn tip(&mut self, machine: &str, session: &str) -> String {
        let name = format!("refs/segue/{session}");
        self.on(machine).git(&["rev-parse", &name])
    }

    /// The kinds of the commits of a chain, both sides of joins, newest first.
    #[track_caller]
    pub(crate) fn kinds(&mut self, machine: &str, session: &str) -> String {
        let format = "--format=%(trailers:key=Segue-Kind,valueonly,separator=%x20)";
        let name = format!("refs/segue/{session}");
        let kinds = self
            .on(machine)
            .git(&["log", "--date-order", format, &name]);
        kinds.replace('\n', " ")
    }
}
