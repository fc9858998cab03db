//! A transcript file → neutral turns.

use std::path::{Path, PathBuf};

use crate::handoff::transcript::Transcript;
use crate::hosts::Places;

/// Reads a transcript to its end.
pub(super) fn read(path: &Path) -> anyhow::Result<Transcript> {
    anyhow::bail!(
        "cannot read the transcript `{}`: not built yet",
        path.display()
    )
}

/// The newest transcript of a conversation in `dir` or below it.
pub(super) fn find(_places: &Places, _dir: &Path) -> anyhow::Result<Option<PathBuf>> {
    Ok(None)
}

/// The transcript of one session.
pub(super) fn find_session(_places: &Places, _session: &str) -> anyhow::Result<Option<PathBuf>> {
    Ok(None)
}
