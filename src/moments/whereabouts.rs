//! Where a conversation is: one place for all of its events, wherever the agent goes meanwhile.

use std::path::{Path, PathBuf};

use crate::handoff::session::SessionId;
use crate::place::{Make, Place};
use crate::settings::Env;
use crate::store::Store;

/// The place of a conversation, and its folder there: where it began if that is known, else where its chain is already,
/// else where the agent is.
pub(super) fn find(
    env: &Env,
    (began, cwd): (Option<&Path>, &Path),
    session: &SessionId,
    make: Make,
) -> anyhow::Result<Option<(Place, PathBuf)>> {
    let cwd = nearest(cwd);
    let dir = began.filter(|dir| dir.is_dir()).unwrap_or(cwd);
    let place = Place::find(env, dir, make)?;
    let here = place.map(|place| (place, dir.to_owned()));
    Ok(match here {
        Some((place, _)) if dir != cwd => {
            Some(linked(env, &place, cwd).unwrap_or((place, dir.to_owned())))
        }
        Some((place, _)) if began.is_none() && place.inside && !has_chain(&place, session) => {
            Some(above(env, &place, session).unwrap_or((place, dir.to_owned())))
        }
        here => here,
    })
}

/// The folder, or the one above it that is still there.
fn nearest(dir: &Path) -> &Path {
    let mut there = dir.ancestors();
    there.find(|dir| dir.is_dir()).unwrap_or(dir)
}

/// Another work tree of the same repository shares its chains, and is where the work is done.
fn linked(env: &Env, place: &Place, cwd: &Path) -> Option<(Place, PathBuf)> {
    let there = Place::find(env, cwd, Make::No).ok()??;
    let real = |place: &Place| place.repo.common_dir().canonicalize().ok();
    let same = there.inside && place.inside && real(&there) == real(place);
    same.then(|| (there, cwd.to_owned()))
}

/// The repository around this one (a submodule, say) that has the session's chain.
fn above(env: &Env, place: &Place, session: &SessionId) -> Option<(Place, PathBuf)> {
    let mut dir = place.repo.workdir()?.parent()?.to_owned();
    loop {
        let around = Place::find(env, &dir, Make::No).ok()??;
        if !around.inside || around.repo.git_dir() == place.repo.git_dir() {
            return None;
        }
        if has_chain(&around, session) {
            return Some((around, dir));
        }
        dir = around.repo.workdir()?.parent()?.to_owned();
    }
}

fn has_chain(place: &Place, session: &SessionId) -> bool {
    let has_card = || {
        let newest = Store::new(&place.repo).newest_id(session);
        newest.is_ok_and(|newest| newest.is_some())
    };
    // What was noted down beside a chain is found sooner than the chain.
    !session.is_unknown() && (place.state.knows(session) || has_card())
}
