//! What `--json` answers with. Every answer is one object on one line that begins with `"version"` (this shape's; 1) and
//! `"verb"`. Keys may be added within a version; none goes or changes its meaning. Moments are RFC 3339 in UTC, ids
//! full hex, absent things `null`. Characters that a terminal would obey are escaped.
//! The shapes are written down in README.md; `tests/tidy.rs` holds its list of verbs to ours.
//!
//! | verb | beside `version` and `verb` |
//! |---|---|
//! | `status` | `session`, `card` (in short, or null), `freshness`, `next`, `hooks`: each `host`, `wired`, `trouble`; `last_event`: `at`, `host`, `event`, `did` |
//! | `log` | `cards`: each in short |
//! | `list` | `sessions`: each `session`, `host`, `card`, `at`, `kind`, `trigger`, `head`, `branch`, `remote`, `goal` |
//! | `show` | `card` in full, `freshness`, `trust` (words, or null for a card of ours) |
//! | `resume` | `card` in short, `freshness`, `text`, `protocol` (lines) |
//! | `verify` | `card` in short, `freshness`, `claims`: each `section`, `text`, `verdict` (now), `why`, `written` (the verdict then), `standing`, `standing_why`; `counts` |
//! | `save` | `card` in full (null where one by hand is refused), `written`, `dry_run`; by hand `given`: `sections`, `lines`, `bytes`, `first_next_step`, or `faults`: each `line`, `why` |
//! | `import` | `dry_run`, `files`: each `path`, `state` (`imported`, `would be imported`, `known`, `skipped`), `layout`, `session`, `at`, `goal`, `card`, `why` |
//! | `push` | `remote`, `dry_run`, `sessions`: each `session`, `card`, `sent`, `why` (list of lines); `notes`: `sent`, `why`, or null |
//! | `fetch`, `pull` | `remote`, `fetched`: each `session`, `card`, `new`; `moved`: each `session`, `how` (`forward`, `joined`, `waits`, `broken`), `card`, `why` |
//! | `init` | `dry_run`, `files`: each `host`, `path`, `change` (`none`, `created`, `changed`, `removed`), `diff`; with `--fetch`: `dry_run`, `remote`, `refspecs` |
//! | `doctor` | `hosts`: each `host`, `findings`: each `tone` (`ok`, `note`, `wrong`), `text`, `mend` |
//! | `decide`, `decisions` | `session`, `decisions`: each `n`, `id`, `at`, `by`, `what`, `why`, `instead_of`, `retracted` |
//!
//! A card in short: `id`, `parents`, `at`, `session`, `host`, `kind`, `trigger`, `writer`, `head`, `branch`, `remote`,
//! `continues`, `goal`, `verdicts` (`confirmed`, `unconfirmed`, `refuted`: of the claims that can be looked at). In full, beside that: `sections` (by key, each
//! a list of `text`, `origin`, `evidence`, `verdict`, `why`), `decisions`, `subagents`, `census`, `summary`,
//! `redactions`, `instructions`, `transcript`, `cwd`, `model`.
//! Freshness: `level`, `advice`, `reasons`, `moved` (`path`, `how`), `commits` (`id`, `subject`).

use serde_json::{Map, Value, json};

use crate::handoff::card::{Card, Stored, Writer};
use crate::handoff::carried::Carried;
use crate::handoff::census::Census;
use crate::handoff::claim::{Evidence, Judged, Section, Verdict};
use crate::handoff::decision::{Decision, stamp};
use crate::handoff::freshness::{Freshness, Standing};
use crate::handoff::subagent::{Subagent, SubagentState};
use crate::handoff::tally::{self, Tally};

/// The version of every shape.
const VERSION: u32 = 1;

/// An answer: `version`, `verb`, and then the fields of `body`.
pub(super) fn answer(verb: &str, body: Value) -> Value {
    let mut object = Map::new();
    object.insert("version".to_owned(), json!(VERSION));
    object.insert("verb".to_owned(), json!(verb));
    if let Value::Object(body) = body {
        object.extend(body);
    }
    Value::Object(object)
}

/// A card in short.
pub(super) fn short(stored: &Stored) -> Value {
    let card = &stored.card;
    let from = &card.provenance;
    json!({
        "id": stored.id,
        "parents": stored.parents,
        "at": stamp(stored.at),
        "session": from.session.as_str(),
        "host": from.host,
        "kind": from.kind.as_str(),
        "trigger": from.trigger.as_str(),
        "writer": card.writer.name(),
        "head": card.census.as_ref().and_then(|census| census.head.as_ref()),
        "branch": card.census.as_ref().and_then(|census| census.branch.as_ref()),
        "remote": stored.remote,
        "continues": from.continues.as_ref().map(|one| json!({
            "session": one.session.as_str(), "card": one.card,
        })),
        "goal": card.goal(),
        "verdicts": tally(tally::of(card)),
    })
}

/// A card in full.
pub(super) fn full(stored: &Stored) -> Value {
    let mut value = short(stored);
    if let Value::Object(object) = &mut value
        && let Value::Object(rest) = body(&stored.card)
    {
        object.extend(rest);
    }
    value
}

/// What stands on a card that has not been stored.
pub(super) fn body(card: &Card) -> Value {
    let from = &card.provenance;
    let sections: Map<String, Value> = Section::ALL
        .into_iter()
        .map(|section| {
            let claims: Vec<Value> = card.sections.of(section).iter().map(judged).collect();
            (section.key().to_owned(), Value::Array(claims))
        })
        .collect();
    let (model, because) = match &card.writer {
        Writer::Model(call) => (
            json!({
                "name": call.name, "input_tokens": call.input_tokens,
                "output_tokens": call.output_tokens, "milliseconds": call.milliseconds,
            }),
            None,
        ),
        Writer::Rules { because } => (Value::Null, because.as_deref()),
        Writer::Hand => (Value::Null, None),
    };
    json!({
        "sections": sections,
        "decisions": decisions(card.decisions.all().iter().enumerate()),
        "subagents": card.subagents.iter().map(subagent).collect::<Vec<_>>(),
        "census": card.census.as_ref().map(census),
        "summary": card.summary,
        "redactions": card.redactions,
        "instructions": from.instructions,
        "transcript": from.transcript,
        "cwd": from.cwd,
        "model": model,
        "writer_because": because,
    })
}

/// Verdicts, counted.
pub(super) fn tally(tally: Tally) -> Value {
    json!({
        "confirmed": tally.confirmed,
        "unconfirmed": tally.unconfirmed,
        "refuted": tally.refuted,
    })
}

fn judged(judged: &Judged) -> Value {
    let (verdict, why) = verdict(&judged.verdict);
    json!({
        "text": judged.claim.text,
        "origin": judged.claim.origin.as_str(),
        "evidence": judged.claim.evidence.iter().map(evidence).collect::<Vec<_>>(),
        "verdict": verdict,
        "why": why,
    })
}

/// A verdict's name and its reason.
pub(super) fn verdict(verdict: &Verdict) -> (&'static str, Option<&str>) {
    match verdict {
        Verdict::Confirmed => ("confirmed", None),
        Verdict::Unconfirmed(why) => ("unconfirmed", why.as_deref()),
        Verdict::Refuted(why) => ("refuted", Some(why)),
    }
}

/// A standing's name and its reason.
pub(super) fn standing(standing: &Standing) -> (&'static str, Option<&str>) {
    match standing {
        Standing::Holds => ("holds", None),
        Standing::Changed(why) => ("changed", Some(why)),
        Standing::Gone(why) => ("gone", Some(why)),
        Standing::PassedOnOlderTree(why) => ("passed on an older tree", Some(why)),
        Standing::Contradicted(why) => ("contradicted", Some(why)),
        Standing::Unchecked => ("unchecked", None),
    }
}

fn evidence(evidence: &Evidence) -> Value {
    match evidence {
        Evidence::Path { path, line, blob } => json!({"path": path, "line": line, "blob": blob}),
        Evidence::Commit { id, subject } => json!({"commit": id, "subject": subject}),
        Evidence::Command {
            line,
            exit,
            passed,
            stale,
        } => json!({"command": line, "exit": exit, "passed": passed, "stale": stale}),
    }
}

/// Decisions with their places in the log, from 0.
pub(super) fn decisions<'d>(all: impl Iterator<Item = (usize, &'d Decision)>) -> Value {
    all.map(|(place, one)| {
        json!({
            "n": place + 1,
            "id": one.id,
            "at": stamp(one.at),
            "by": one.by.as_str(),
            "what": one.what,
            "why": one.why,
            "instead_of": one.instead_of,
            "retracted": one.retracted.map(|(at, by)| json!({"at": stamp(at), "by": by.as_str()})),
        })
    })
    .collect()
}

fn subagent(one: &Subagent) -> Value {
    json!({
        "id": one.id,
        "kind": one.kind,
        "prompt": one.prompt,
        "started": one.started.map(stamp),
        "running": one.state == SubagentState::Running,
        "output": one.output,
        "result": one.result,
    })
}

/// A census.
pub(super) fn census(census: &Census) -> Value {
    let commit =
        |one: &crate::handoff::census::Commit| json!({"id": one.id, "subject": one.subject});
    json!({
        "root": census.root,
        "head": census.head,
        "branch": census.branch,
        "upstream": census.upstream.as_ref().map(|one| json!({
            "name": one.name, "ahead": one.ahead, "behind": one.behind,
        })),
        "operation": census.operation,
        "dirty": census.dirty.iter().map(|one| json!({
            "path": one.path, "staged": one.staged.to_string(),
            "unstaged": one.unstaged.to_string(), "blob": one.blob,
        })).collect::<Vec<_>>(),
        "recent": census.recent.iter().map(commit).collect::<Vec<_>>(),
        "worktrees": census.worktrees.iter().map(|one| json!({
            "path": one.path, "branch": one.branch,
        })).collect::<Vec<_>>(),
        "carried": census.carried.as_ref().map(carried_work),
        "stashes": census.stashes,
        "command": census.command.as_ref().map(|one| json!({
            "command": one.command, "output": one.output, "exit": one.exit,
        })),
        "cut": census.cut,
    })
}

/// What a card carries; null where it carries nothing.
pub(super) fn carried(stored: &Stored) -> Value {
    let census = stored.card.census.as_ref();
    let carried = census.and_then(|census| census.carried.as_ref());
    carried.map_or(Value::Null, carried_work)
}

fn carried_work(carried: &Carried) -> Value {
    json!({
        "files": carried.files,
        "staged": carried.staged,
        "left_out": carried.left_out.iter()
            .map(|one| json!({"path": one.path, "why": one.why})).collect::<Vec<_>>(),
        "more_left_out": carried.more_left_out,
    })
}

/// How far the repository has moved since a card.
pub(super) fn freshness(freshness: &Freshness) -> Value {
    json!({
        "level": freshness.level.as_str(),
        "advice": freshness.level.advice(),
        "reasons": freshness.reasons,
        "moved": freshness.moved.iter().map(|one| json!({"path": one.path, "how": one.how})).collect::<Vec<_>>(),
        "commits": freshness.commits.iter()
            .map(|one| json!({"id": one.id, "subject": one.subject})).collect::<Vec<_>>(),
    })
}
