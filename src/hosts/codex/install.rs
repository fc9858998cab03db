//! Where the host is wired, and how.

use std::path::{Path, PathBuf};

use crate::hosts::{Places, Wired};

/// What the person has to do beside.
pub(super) const ADVICE: &[&str] = &[];

/// The settings file for one project.
pub(super) fn project_file(root: &Path) -> PathBuf {
    root.to_owned()
}

/// The settings file of the person.
pub(super) fn user_file(places: &Places) -> Option<PathBuf> {
    places.home.clone()
}

/// The text with our hooks in it.
pub(super) fn add(text: Option<&str>, _binary: &Path) -> anyhow::Result<String> {
    Ok(text.unwrap_or_default().to_owned())
}

/// The text without our hooks.
pub(super) fn remove(text: &str) -> anyhow::Result<Option<String>> {
    Ok(Some(text.to_owned()))
}

/// Our hooks in the text.
pub(super) fn list(_text: &str) -> anyhow::Result<Vec<Wired>> {
    Ok(Vec::new())
}
