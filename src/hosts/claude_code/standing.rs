//! What else Claude Code's settings say about our hooks.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::install;
use crate::hosts::{Obstacle, Places, Standing};

/// The plugin's name; behind it stand `@` and the marketplace that it came from.
const PLUGIN: &str = "git-segue@";

/// Looks into the settings of the person, and of the project: shared and the person's own.
pub(super) fn standing(places: &Places, project_root: Option<&Path>) -> Standing {
    let mut standing = Standing::default();
    let local = project_root.map(install::project_file);
    let shared = local
        .as_ref()
        .map(|local| local.with_file_name("settings.json"));
    let files: Vec<PathBuf> = [install::user_file(places), shared, local]
        .into_iter()
        .flatten()
        .collect();
    for file in files {
        let settings = std::fs::read(&file).unwrap_or_default();
        let settings: Value = serde_json::from_slice(&settings).unwrap_or_default();
        let plugins = settings["enabledPlugins"].as_object();
        let is_on =
            |(name, on): (&String, &Value)| name.starts_with(PLUGIN) && *on == Value::Bool(true);
        if plugins.is_some_and(|plugins| plugins.iter().any(is_on)) {
            standing.plugins.push(file.clone());
        }
        if settings["disableAllHooks"] == Value::Bool(true) {
            let file = file.display();
            standing.obstacles.push(Obstacle {
                what: format!("`disableAllHooks` in {file} keeps every hook from running"),
                mend: format!("take `disableAllHooks` out of {file}"),
            });
        }
    }
    standing
}
