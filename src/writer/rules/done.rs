//! Done: commits made, errors resolved, commands that passed, files changed, todos ticked off.

use std::collections::HashMap;

use super::in_flight::TODO_BYTES_MAX;
use super::traps::ERROR_BYTES_MAX;
use crate::handoff::claim::{Claim, Evidence, Origin};
use crate::handoff::transcript::TodoState;
use crate::writer::digest::{Digest, FileUse, Made, Ran, Run, command_shown};
use crate::writer::pen::Pen;

/// So many commits are told, the latest.
const COMMITS_MAX: usize = 5;
/// A commit's subject is told up to here, in bytes.
const SUBJECT_BYTES_MAX: usize = 120;
/// So many of the commands that differ only in flags and paths.
const OF_A_KIND_MAX: usize = 2;
/// So many resolved errors are told, the latest.
const RESOLVED_MAX: usize = 3;
/// So many other commands are told.
const COMMANDS_MAX: usize = 8;
/// So many changed files are told, those used most.
const FILES_MAX: usize = 4;
/// So many of the other changed files are named.
const NAMES_MAX: usize = 8;
/// So many todos are told, the latest.
const TODOS_MAX: usize = 5;

/// The claims of the section.
pub(in crate::writer) fn write(digest: &Digest<'_>, pen: &mut Pen<'_>) -> Vec<Claim> {
    let mut claims = Vec::new();
    for commit in digest.commits.iter().rev().take(COMMITS_MAX) {
        claims.push(committed(commit, pen));
    }
    let mut resolved: Vec<usize> = Vec::new();
    for run in digest.runs.iter().rev() {
        if let Some(claim) =
            resolved_error(digest, run, pen).filter(|_| resolved.len() < RESOLVED_MAX)
        {
            claims.push(claim);
            resolved.push(run.last);
        }
    }
    for run in others(digest) {
        claims.push(ended(digest, run, pen));
    }
    claims.extend(changed(digest, pen));
    let done = digest
        .todos
        .iter()
        .rev()
        .filter(|todo| todo.state == TodoState::Done);
    for todo in done.take(TODOS_MAX) {
        let text = pen.head(&todo.text, TODO_BYTES_MAX);
        if pen.first_time(&text) {
            claims.push(Claim::new(Origin::Agent, text));
        }
    }
    claims
}

fn committed(commit: &Made, pen: &mut Pen<'_>) -> Claim {
    let subject = pen.head(&commit.subject, SUBJECT_BYTES_MAX);
    let evidence = Evidence::Commit {
        id: commit.id.clone(),
        subject: subject.clone(),
    };
    Claim::new(Origin::Finding, format!("committed \"{subject}\"")).with(evidence)
}

/// A command that failed and later passed: the error's line and what was changed between.
fn resolved_error(digest: &Digest<'_>, run: &Run<'_>, pen: &mut Pen<'_>) -> Option<Claim> {
    if !is_resolved(run) {
        return None;
    }
    let (at, output) = run.failure?;
    let error = pen.head(command_shown(output)?, ERROR_BYTES_MAX);
    let between: Vec<&FileUse> = digest
        .changed_since(at)
        .into_iter()
        .filter(|file| file.last_edit.is_some_and(|edit| edit < run.last))
        .collect();
    let by = match between.is_empty() {
        true => String::new(),
        false => format!(" by changes in {}", super::names(&between, pen)),
    };
    let text = format!("`{}` passes, resolved{by}: {error}", pen.line(&run.line));
    Some(Claim::new(Origin::Finding, text).with(super::command(digest, run, pen)))
}

fn is_resolved(run: &Run<'_>) -> bool {
    run.ran == Ran::Passed && run.failure.is_some()
}

/// The other commands, those run most and last.
fn others<'d, 't>(digest: &'d Digest<'t>) -> Vec<&'d Run<'t>> {
    let kept = |run: &&Run<'_>| run.ran != Ran::Failed && !is_resolved(run);
    let mut runs: Vec<&Run<'_>> = digest.runs.iter().filter(kept).collect();
    runs.sort_by(|one, other| {
        other
            .weight(digest.calls)
            .total_cmp(&one.weight(digest.calls))
    });
    let mut kinds: HashMap<&str, usize> = HashMap::new();
    runs.retain(|run| {
        let of_kind = kinds.entry(run.kind()).or_default();
        *of_kind += 1;
        *of_kind <= OF_A_KIND_MAX
    });
    runs.truncate(COMMANDS_MAX);
    runs
}

fn ended(digest: &Digest<'_>, run: &Run<'_>, pen: &mut Pen<'_>) -> Claim {
    let how = match run.ran {
        Ran::Passed => "passed",
        _ => "ran, exit status hidden by the shell",
    };
    let text = format!("`{}` {how}", pen.line(&run.line));
    Claim::new(Origin::Finding, text).with(super::command(digest, run, pen))
}

/// The files changed most and last, with the names that the changes define.
fn changed(digest: &Digest<'_>, pen: &mut Pen<'_>) -> Vec<Claim> {
    let mut files: Vec<&FileUse> = digest.files.iter().filter(|file| file.edits > 0).collect();
    files.sort_by(|one, other| {
        other
            .weight(digest.calls)
            .total_cmp(&one.weight(digest.calls))
    });
    let (settled, files): (Vec<&FileUse>, Vec<&FileUse>) = files
        .into_iter()
        .partition(|file| file.is_settled(digest.calls));
    let told = files.len().min(FILES_MAX);
    let mut claims = Vec::new();
    for file in &files[..told] {
        let what = match (file.deleted, file.written) {
            (true, _) => "deleted",
            (_, true) => "written",
            _ => "edited",
        };
        let names = match file.names.is_empty() {
            true => String::new(),
            false => format!(": {}", pen.line(&file.names.join(", "))),
        };
        let text = format!("{what} {}{names}", pen.line(file.short()));
        claims.push(Claim::new(Origin::Finding, text).with(super::path(&file.path)));
    }
    claims.extend(earlier(&files[told..], &settled, pen));
    claims
}

/// The other changed files by their names alone.
fn earlier(files: &[&FileUse], settled: &[&FileUse], pen: &mut Pen<'_>) -> Option<Claim> {
    let all = files.iter().chain(settled);
    let names: Vec<String> = all.map(|file| pen.line(file.name())).collect();
    let more = match names.len().saturating_sub(NAMES_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shown = names[..names.len().min(NAMES_MAX)].join(", ");
    (!names.is_empty()).then(|| Claim::new(Origin::Finding, format!("changed too: {shown}{more}")))
}
