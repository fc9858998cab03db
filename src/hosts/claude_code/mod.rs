//! Claude Code: its row of the table.

use std::time::Duration;

use super::{Adapter, Processes, Project, Wiring};

mod function_hook;
mod install;
mod payload;
mod reply;
mod standing;
mod status_line;
mod transcript;
mod window;

/// What we know of Claude Code.
pub(super) const ADAPTER: Adapter = Adapter {
    name: "claude-code",
    title: "Claude Code",
    parse: payload::parse,
    read: transcript::read,
    find: transcript::find,
    find_session: transcript::find_session,
    render: reply::render,
    context: window::context,
    arrived: window::arrived,
    names_project: true,
    processes: Processes {
        program: "claude",
        shared: None,
        names_itself: true,
    },
    hold_max: Duration::from_secs(3_600),
    wiring: Wiring {
        project: Project::WorkTree,
        project_file: install::project_file,
        user_file: install::user_file,
        add: install::add,
        remove: install::remove,
        list: install::list,
        standing: standing::standing,
        advice: install::ADVICE,
        status_line: Some(status_line::WIRING),
    },
};
