//! The ledger of subagents, and the guard against one that would start in a full window.

use super::{Outcome, Scene};
use crate::hosts::{AgentSeen, Reply, RunningAgent};
use crate::place::Place;
use crate::state::log::Did;
use crate::state::sessions::SessionState;

/// A subagent is about to start. In a window that is nearly full it is refused, and the agent is told what to do instead.
pub(super) fn announced(
    scene: &Scene<'_>,
    place: &Place,
    kind: Option<&str>,
    prompt: &str,
) -> anyhow::Result<Outcome> {
    let limit = place.settings.guard_percent;
    let state = place.state.session(&scene.session);
    if let Some(fill) = scene
        .fill_percent(&state)
        .filter(|fill| limit > 0 && *fill > limit)
    {
        let reason = format!(
            "git-segue: the context window is {fill} % full, so no subagent starts now: its result would find no room. Ask \
             the person to /compact first (segue.guardPercent is {limit})."
        );
        return Ok(Outcome {
            reply: Reply::RefuseSpawn(reason),
            did: Did::Refused,
            card: None,
            note: format!("{fill} %"),
        });
    }
    let prompt = scene.clean(place, prompt);
    place
        .state
        .update_session(&scene.session, |state| state.agent_announced(kind, &prompt))?;
    Ok(Outcome::nothing())
}

/// A subagent started.
pub(super) fn started(
    scene: &Scene<'_>,
    place: &Place,
    seen: &AgentSeen,
) -> anyhow::Result<Outcome> {
    place.state.update_session(&scene.session, |state| {
        state.agent_started(&seen.id, seen.kind.as_deref(), scene.now());
    })?;
    Ok(Outcome::nothing())
}

/// A subagent ended. Claude Code 2.1.332 tells the end of a compaction's own fork as that of a subagent without a kind,
/// which never started: it is none.
pub(super) fn ended(scene: &Scene<'_>, place: &Place, seen: &AgentSeen) -> anyhow::Result<Outcome> {
    let answer = seen.answer.as_deref();
    let answer = answer.map(|answer| scene.clean(place, answer));
    place.state.update_session(&scene.session, |state| {
        if seen.kind.is_none() && !state.agents.iter().any(|one| one.id == seen.id) {
            return;
        }
        let output = seen
            .transcript
            .as_ref()
            .map(|path| path.to_string_lossy().into_owned());
        state.agent_ended(
            &seen.id,
            seen.kind.as_deref(),
            output,
            answer.as_deref(),
            scene.now(),
        );
    })?;
    Ok(Outcome::nothing())
}

/// Whether the host's list of running subagents says something that the ledger does not know.
pub(super) fn differs(state: &SessionState, running: &[RunningAgent]) -> bool {
    let in_ledger = state.agents.iter().filter(|one| one.ended.is_none());
    in_ledger.clone().count() != running.len()
        || running
            .iter()
            .any(|one| !in_ledger.clone().any(|own| own.id == one.id))
}

/// Takes over the host's list: who is missing in it has ended, though no event said so. It holds also where it cannot be
/// written down.
pub(super) fn listed(scene: &Scene<'_>, place: &Place, running: &[RunningAgent]) -> SessionState {
    let (state, _) = place.state.change_session(&scene.session, |state| {
        let gone: Vec<String> = state
            .agents
            .iter()
            .filter(|own| own.ended.is_none() && !running.iter().any(|one| one.id == own.id))
            .map(|own| own.id.clone())
            .collect();
        for id in gone {
            state.agent_ended(&id, None, None, None, scene.now());
        }
        for one in running {
            state.agent_listed(
                &one.id,
                one.kind.as_deref(),
                one.description.as_deref(),
                scene.now(),
            );
        }
        state.clone()
    });
    state
}
