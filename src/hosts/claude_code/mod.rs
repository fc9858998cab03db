//! Claude Code: its row of the table.

use super::{Adapter, Wiring};

mod install;
mod payload;
mod reply;
mod standing;
mod transcript;

/// What we know of Claude Code.
pub(super) const ADAPTER: Adapter = Adapter {
    name: "claude-code",
    title: "Claude Code",
    parse: payload::parse,
    read: transcript::read,
    find: transcript::find,
    find_session: transcript::find_session,
    render: reply::render,
    wiring: Wiring {
        project_file: install::project_file,
        user_file: install::user_file,
        add: install::add,
        remove: install::remove,
        list: install::list,
        standing: standing::standing,
        advice: install::ADVICE,
    },
};
