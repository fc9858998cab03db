//! `git segue show`: one card as it was written, and what is different now.

use std::collections::BTreeMap;

use serde_json::json;

use super::shown::{self, Clock, Head};
use super::{Context, Ending, PATIENCE, json};
use crate::deadline::Deadline;
use crate::error::Failure;
use crate::handoff::card::{Stored, Writer};
use crate::handoff::census::Census;
use crate::handoff::markdown;
use crate::handoff::session::short;
use crate::place::Make;
use crate::restore::Now;
use crate::sync::trust;
use crate::ui::{Line, Ui};

/// What is typed behind `show`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// The census: what was true in the repository then
    #[arg(long)]
    census: bool,
    /// The summary, where the writer made one
    #[arg(long, conflicts_with = "census")]
    summary: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// The card; this session's newest when not given
    #[arg(value_name = "card")]
    card: Option<String>,
}

/// Prints the card, its census, or its summary.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let place = cx.place(Make::No)?;
    let picked = cx.card(&place, args.card.as_deref())?;
    cx.remark(picked.remark());
    let stored = picked.stored;
    if args.summary && !args.json {
        return summary(cx.ui, &stored);
    }
    if args.census && !args.json {
        return census(cx.ui, &stored);
    }
    let now = cx.look(&place, &stored);
    let trust = stored
        .remote
        .as_ref()
        .map(|remote| trust::of_stored(&place, &stored, remote, Deadline::after(PATIENCE)).words());
    if args.json {
        let freshness = json::freshness(&now.freshness);
        let card = json::full(&stored);
        let body = json!({ "card": card, "freshness": freshness, "trust": trust });
        cx.ui.json(&json::answer("show", body))?;
        return Ok(Ending::Yes);
    }
    cx.ui.page()?;
    whole(cx.ui, &stored, &now, trust, Clock::of(&cx.env))?;
    Ok(Ending::Yes)
}

fn summary(ui: &mut Ui, stored: &Stored) -> anyhow::Result<Ending> {
    let none = || Failure::no(format!("card `{}` has no summary", short(&stored.id)));
    let summary = stored.card.summary.as_deref().ok_or_else(none)?;
    ui.page()?;
    ui.text(summary)?;
    Ok(Ending::Yes)
}

fn whole(
    ui: &mut Ui,
    stored: &Stored,
    now: &Now,
    trust: Option<String>,
    clock: Clock,
) -> anyhow::Result<()> {
    for line in Head::from(stored).lines(clock) {
        ui.line(&line)?;
    }
    if let Some(trust) = trust {
        ui.line(&Line::new().text(format!("Trust:    {trust}")))?;
    }
    let card = &stored.card;
    if let Writer::Model(call) = &card.writer {
        let tokens = |count: Option<u64>| count.map_or("?".to_owned(), |count| count.to_string());
        ui.line(&Line::new().text(format!(
            "Model:    {} tokens read, {} written, {}.{} s",
            tokens(call.input_tokens),
            tokens(call.output_tokens),
            call.milliseconds / 1000,
            call.milliseconds % 1000 / 100,
        )))?;
    }
    if let Some(redacted) = redacted(&card.redactions) {
        ui.line(&Line::new().text(format!("Redacted: {redacted}")))?;
    }
    if let Some(carried) = card.census.as_ref().and_then(|one| one.carried.as_ref()) {
        ui.line(&Line::new().text(format!("Carried:  {}", carried.counted())))?;
        for one in &carried.left_out {
            ui.line(&Line::new().text(format!("  left out: {} ({})", one.path, one.why)))?;
        }
        if carried.more_left_out > 0 {
            let more = format!("  left out: {} more", carried.more_left_out);
            ui.line(&Line::new().text(more))?;
        }
    }
    ui.line(
        &Line::new()
            .text("Now:      ")
            .join(shown::level(&now.freshness)),
    )?;
    for reason in shown::reasons(&now.freshness) {
        ui.line(&Line::new().text("        ").join(reason))?;
    }
    let turned: Vec<_> = shown::turned(card, &now.verdicts).collect();
    if !turned.is_empty() {
        ui.line(&Line::new().text("Turned since it was written:"))?;
        for (judged, verdict) in turned {
            ui.line(
                &Line::new()
                    .text("  ")
                    .join(shown::verdict(verdict, &judged.claim.text)),
            )?;
        }
    }
    ui.line(&Line::new())?;
    ui.text(&markdown::card(card))
}

/// `3 secrets taken out: 2 github-token, 1 url-password`; none where there were none.
fn redacted(counts: &BTreeMap<String, u32>) -> Option<String> {
    let all: u32 = counts.values().sum();
    let secrets = if all == 1 { "secret" } else { "secrets" };
    let kinds: Vec<String> = counts
        .iter()
        .map(|(kind, n)| format!("{n} {kind}"))
        .collect();
    (all > 0).then(|| format!("{all} {secrets} taken out: {}", kinds.join(", ")))
}

fn census(ui: &mut Ui, stored: &Stored) -> anyhow::Result<Ending> {
    let none = || {
        Failure::no(format!("card `{}` has no census", short(&stored.id)))
            .hint("it was written outside of a repository")
    };
    let census = stored.card.census.as_ref().ok_or_else(none)?;
    ui.page()?;
    for line in census_lines(census) {
        ui.line(&Line::new().text(line))?;
    }
    Ok(Ending::Yes)
}

fn census_lines(census: &Census) -> Vec<String> {
    let mut lines = vec![format!("root      {}", census.root)];
    if let Some(command) = &census.command {
        let exit = command
            .exit
            .map_or("killed".to_owned(), |code| format!("exit {code}"));
        lines.push(format!("command   {} ({exit})", command.command));
        lines.extend(command.output.lines().map(|line| format!("  {line}")));
    } else {
        let head = census.head.as_deref().unwrap_or("no commit yet");
        lines.push(format!("head      {head}"));
        let branch = census.branch.as_deref().unwrap_or("detached");
        lines.push(format!("branch    {branch}"));
    }
    if let Some(upstream) = &census.upstream {
        let count = |count: Option<usize>| count.map_or("?".to_owned(), |count| count.to_string());
        lines.push(format!(
            "upstream  {}, {} ahead, {} behind",
            upstream.name,
            count(upstream.ahead),
            count(upstream.behind)
        ));
    }
    lines.extend(
        census
            .operation
            .iter()
            .map(|one| format!("underway  {one}")),
    );
    let dirty = census.dirty.iter();
    lines.extend(dirty.map(|one| format!("dirty     {}{} {}", one.staged, one.unstaged, one.path)));
    let recent = census.recent.iter();
    lines.extend(recent.map(|one| format!("commit    {} {}", short(&one.id), one.subject)));
    let worktrees = census.worktrees.iter();
    lines.extend(worktrees.map(|one| {
        format!(
            "worktree  {} ({})",
            one.path,
            one.branch.as_deref().unwrap_or("detached")
        )
    }));
    lines.extend(census.stashes.iter().map(|one| format!("stash     {one}")));
    lines.extend(census.cut.iter().map(|one| format!("cut       {one}")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_counted_by_kind_and_named_only_where_there_were_any() {
        let check = |counts: &[(&str, u32)], expect: Option<&str>| {
            let counts = counts
                .iter()
                .map(|(kind, n)| ((*kind).to_owned(), *n))
                .collect();
            assert_eq!(redacted(&counts).as_deref(), expect);
        };
        check(&[], None);
        check(
            &[("url-password", 1)],
            Some("1 secret taken out: 1 url-password"),
        );
        check(
            &[("github-token", 2), ("url-password", 1)],
            Some("3 secrets taken out: 2 github-token, 1 url-password"),
        );
    }
}
