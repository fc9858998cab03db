//! Seats: who sat where, so that a cleared conversation finds the card of the one before.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{StateDir, file_name, read_or_default, write};

/// A seat that nobody took for this long is forgotten.
const SEAT_AGE_MAX: Duration = Duration::from_secs(30 * 24 * 3600);

/// Where a person sits: the host's process, else the terminal pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seat {
    key: String,
}

impl Seat {
    /// The host's process; a process id alone comes again, with its start time (any text that differs) it does not.
    pub(crate) fn process(pid: u32, started: &str) -> Self {
        Self {
            key: format!("process {pid} {started}"),
        }
    }

    /// A terminal pane, as `TMUX_PANE=%3`.
    pub(crate) fn pane(pane: &str) -> Self {
        Self {
            key: format!("pane {pane}"),
        }
    }
}

/// Who sits there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Sitter {
    /// What the file's name was made of, for people who look.
    seat: String,
    /// The host's name: another host in the same pane is somebody else.
    host: String,
    /// The session, by the host's id.
    session: String,
}

impl StateDir {
    /// The session that was last seen at a seat with this host.
    pub(crate) fn sitter(&self, seat: &Seat, host: &str) -> Option<String> {
        let sitter: Sitter = read_or_default(&self.seat_path(seat));
        (sitter.seat == seat.key && sitter.host == host).then_some(sitter.session)
    }

    /// Remembers who sits there. Writes only when that changed; a new seat also sweeps those long left.
    pub(crate) fn sit(&self, seat: &Seat, host: &str, session: &str) -> anyhow::Result<()> {
        let path = self.seat_path(seat);
        let sitter = Sitter {
            seat: seat.key.clone(),
            host: host.to_owned(),
            session: session.to_owned(),
        };
        let before: Sitter = read_or_default(&path);
        if before == sitter {
            return Ok(());
        }
        if before == Sitter::default() {
            self.sweep_seats();
        }
        write(&path, &sitter)
    }

    fn seat_path(&self, seat: &Seat) -> std::path::PathBuf {
        self.dir.join("seats").join(file_name(&seat.key))
    }

    fn sweep_seats(&self) {
        let Ok(entries) = std::fs::read_dir(self.dir.join("seats")) else {
            return;
        };
        for entry in entries.flatten() {
            let age = entry
                .metadata()
                .ok()
                .and_then(|meta| meta.modified().ok()?.elapsed().ok());
            if age.is_some_and(|age| age > SEAT_AGE_MAX) {
                // One that another hook took away already is as good as swept.
                std::fs::remove_file(entry.path()).unwrap_or_default();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_knows_its_last_sitter_and_nobody_elses() {
        let dir = tempfile::tempdir().unwrap();
        let state = StateDir::at(dir.path());
        let seat = Seat::process(42, "boot-1 100");
        assert_eq!(state.sitter(&seat, "codex"), None);
        state.sit(&seat, "codex", "a").unwrap();
        state.sit(&seat, "codex", "b").unwrap();
        assert_eq!(state.sitter(&seat, "codex").as_deref(), Some("b"));
        assert_eq!(
            state.sitter(&Seat::process(42, "boot-1 101"), "codex"),
            None,
            "a reused process id"
        );
        assert_eq!(state.sitter(&seat, "claude-code"), None, "another host");
        assert_eq!(state.sitter(&Seat::pane("TMUX_PANE=%1"), "codex"), None);
    }
}
