//! Pushing behind a hook's back (`segue.autoPush`): a child of its own that holds nobody up.

use std::ffi::OsString;
use std::path::Path;

use crate::git::process;
use crate::place::Place;
use crate::settings::Env;

/// Starts a push of this place's cards where that is wished and can be done, and does not wait for it. Never inside of a
/// program that we or git's own hooks started: then the person's push is under way.
pub(crate) fn push_behind(place: &Place, env: &Env) -> anyhow::Result<()> {
    let wished = place.settings.auto_push && !env.disabled && place.repo.is_obeyed();
    let Some(program) = env.program.as_deref().filter(|_| wished) else {
        return Ok(());
    };
    if super::remote(place, None).is_err() {
        return Ok(());
    }
    let dir: &Path = place.repo.workdir().unwrap_or(place.repo.git_dir());
    let args = ["push", "--background"].map(OsString::from);
    process::start_detached(program, &args, dir)
}
