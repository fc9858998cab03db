//! Codex: its row of the table.

use std::path::PathBuf;
use std::time::Duration;

use super::{Adapter, Places, Processes, Project, Wiring};

mod install;
mod payload;
mod reply;
mod toml_lines;
mod transcript;
mod trust;
mod window;
mod words;

/// What we know of Codex.
pub(super) const ADAPTER: Adapter = Adapter {
    name: "codex",
    title: "Codex",
    parse: payload::parse,
    read: transcript::read,
    find: transcript::find,
    find_session: transcript::find_session,
    render: reply::render,
    context: window::context,
    arrived: window::arrived,
    names_project: false,
    processes: Processes {
        program: "codex",
        shared: Some("app-server"),
        names_itself: false,
    },
    hold_max: Duration::from_secs(3_600),
    wiring: Wiring {
        project: Project::MainCheckout,
        project_file: install::project_file,
        user_file: install::user_file,
        add: install::add,
        remove: install::remove,
        list: install::list,
        standing: trust::standing,
        advice: install::ADVICE,
        // Codex 0.171.0 shows chosen items of its own, and runs nothing for them.
        status_line: None,
    },
};

impl Places {
    /// Codex's own folder; `None` when there is no home either.
    fn codex_folder(&self) -> Option<PathBuf> {
        let in_home = || self.home.as_ref().map(|home| home.join(".codex"));
        self.codex_home.clone().or_else(in_home)
    }
}
