//! `git segue init`: our hooks in the hosts' settings, or out of them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Context, Ending, json as answers};
use crate::error::Failure;
use crate::git::{Found, Repo};
use crate::handoff::command_line::quoted;
use crate::hosts::{self, ADAPTERS, Adapter, Project};
use crate::place::Make;
use crate::sync::{self, refspec};
use crate::ui::{Ink, Line, Ui};
use crate::wiring::{self, Act, Change, Scope};

/// What is typed behind `init`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Hosts to wire: claude-code, codex; those that you have when not given
    #[arg(value_name = "host")]
    hosts: Vec<String>,
    /// For all your projects, not this one alone
    #[arg(long)]
    global: bool,
    /// Set our status line too, where none is set
    #[arg(long, conflicts_with = "remove")]
    statusline: bool,
    /// Take our hooks and our status line out again
    #[arg(long)]
    remove: bool,
    /// Let a plain `git fetch` of <remote> bring its cards too
    #[arg(long, value_name = "remote", num_args = 0..=1, conflicts_with_all = ["hosts", "global"])]
    fetch: Option<Option<String>>,
    /// Show what would change, change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Runs it: every file is planned before the first one is written.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    if let Some(remote) = &args.fetch {
        return refspecs(args, cx, remote.as_deref());
    }
    let hosts = chosen(args, cx)?;
    let program = program(cx)?;
    let act = if args.remove {
        Act::Unwire
    } else {
        Act::Wire(&program)
    };
    let (mut changes, mut lines) = (Vec::new(), Vec::new());
    for host in hosts {
        let root = if args.global {
            None
        } else {
            Some(root_for(host, cx)?)
        };
        let scope = root.as_deref().map_or(Scope::Person, Scope::Project);
        let path = wiring::file(host, &cx.env.places, scope)?;
        let mut change = wiring::plan(host, path, act)?;
        // Who names no host means those that have one.
        if args.statusline && (host.wiring.status_line.is_some() || !args.hosts.is_empty()) {
            let (places, root) = (&cx.env.places, root.as_deref());
            let there = wiring::add_status_line(host, &mut change, places, root, &program)?;
            lines.extend(there.filter(|line| !line.set.ours));
        }
        changes.push((host, change));
    }
    if !args.dry_run {
        for (_, change) in &changes {
            change.make()?;
            if !args.global {
                change.leave_no_empty_folder();
            }
        }
    }
    for line in &lines {
        advise_to_wrap(cx.ui, line, &program);
    }
    if args.json {
        let files: Vec<Value> = changes
            .iter()
            .map(|(host, change)| answer(host, change))
            .collect();
        let body = answers::answer("init", json!({ "dry_run": args.dry_run, "files": files }));
        cx.ui.json(&body)?;
        return Ok(Ending::Yes);
    }
    for (host, change) in &changes {
        show(cx.ui, args, host, change)?;
        if !args.remove {
            warn_of_double(args, cx, host);
        }
    }
    Ok(Ending::Yes)
}

/// Our refspecs into the configuration of a remote, or out of it.
fn refspecs(args: &Args, cx: &mut Context<'_>, remote: Option<&str>) -> anyhow::Result<Ending> {
    let place = cx.place(Make::No)?;
    let remote = sync::remote(&place, remote)?;
    let changed = refspec::set(&place, &remote, !args.remove, args.dry_run)?;
    if args.json {
        let body = json!({ "dry_run": args.dry_run, "remote": remote, "refspecs": changed });
        cx.ui.json(&answers::answer("init", body))?;
        return Ok(Ending::Yes);
    }
    if changed.is_empty() {
        let state = if args.remove {
            "does not fetch"
        } else {
            "fetches"
        };
        let text = format!("a plain `git fetch {remote}` {state} cards already");
        cx.ui.line(&Line::new().text(text))?;
    }
    let (ink, mark) = match args.remove {
        true => (Ink::Bad, '-'),
        false => (Ink::Good, '+'),
    };
    for spec in changed {
        let text = format!("{mark} remote.{remote}.fetch = {spec}");
        cx.ui.line(&Line::new().ink(ink, text))?;
    }
    Ok(Ending::Yes)
}

/// The hosts that are meant: those that were named, else all for a removal, else those that the person has.
fn chosen(args: &Args, cx: &Context<'_>) -> anyhow::Result<Vec<&'static Adapter>> {
    if !args.hosts.is_empty() {
        return named(&args.hosts);
    }
    if args.remove {
        return Ok(ADAPTERS.iter().collect());
    }
    let present = wiring::present(&cx.env.places);
    if present.is_empty() {
        let none = Failure::fatal("cannot tell which host to wire: none has a folder in your home");
        let hint = format!("name one, as in `git segue init {}`", ADAPTERS[0].name);
        return Err(none.hint(hint).into());
    }
    Ok(present)
}

/// The hosts of those names.
pub(super) fn named(names: &[String]) -> anyhow::Result<Vec<&'static Adapter>> {
    let find = |name: &String| {
        hosts::find(name).ok_or_else(|| {
            let known: Vec<&str> = ADAPTERS.iter().map(|host| host.name).collect();
            Failure::usage(format!("unknown host `{name}`"))
                .hint(format!("hosts are: {}", known.join(", ")))
                .into()
        })
    };
    names.iter().map(find).collect()
}

/// The root of the project that the command was started in, as that host sees it.
pub(super) fn root_for(host: &Adapter, cx: &Context<'_>) -> anyhow::Result<PathBuf> {
    let found = Repo::discover(&cx.dir, &cx.env.git)?;
    let root = match &found {
        Found::Repo(repo) => match host.wiring.project {
            Project::WorkTree => repo.workdir().map(Path::to_owned),
            Project::MainCheckout => main_checkout(repo),
        },
        Found::None => None,
    };
    root.ok_or_else(|| {
        Failure::fatal("cannot wire a project: this is not the work tree of a repository")
            .hint("`git segue init --global` wires all your projects")
            .into()
    })
}

/// The work tree that the repository was made with; the current one where that cannot be told.
fn main_checkout(repo: &Repo) -> Option<PathBuf> {
    // The path may lead through `..`.
    let common = repo.common_dir().canonicalize().ok();
    let beside = common.filter(|dir| dir.file_name() == Some(".git".as_ref()));
    let checkout = beside.as_deref().and_then(Path::parent);
    checkout.or(repo.workdir()).map(Path::to_owned)
}

/// The program that the hooks are to call: this one.
pub(super) fn program(cx: &Context<'_>) -> anyhow::Result<PathBuf> {
    let unknown = || Failure::fatal("cannot tell where this program is");
    Ok(cx.env.program.clone().ok_or_else(unknown)?)
}

fn show(ui: &mut Ui, args: &Args, host: &Adapter, change: &Change) -> anyhow::Result<()> {
    let path = change.path.display();
    let title = host.title;
    if change.is_none() {
        let state = if args.remove {
            "not wired"
        } else {
            "already wired"
        };
        return ui.line(&Line::new().text(format!("{title}: {state} in {path}")));
    }
    let said = match (args.remove, args.dry_run) {
        (false, false) => "wired in",
        (false, true) => "would be wired in",
        (true, false) => "no longer wired in",
        (true, true) => "would no longer be wired in",
    };
    ui.line(&Line::new().ink(Ink::Title, format!("{title}: {said} {path}")))?;
    for line in change.diff().lines() {
        let ink = match line.as_bytes().first() {
            Some(b'+') => Ink::Good,
            Some(b'-') => Ink::Bad,
            Some(b'@') => Ink::Id,
            _ => Ink::Plain,
        };
        ui.line(&Line::new().ink(ink, line))?;
    }
    if args.remove {
        return Ok(());
    }
    for advice in host.wiring.advice {
        ui.say(&Line::new().ink(Ink::Hint, "hint: ").text(*advice));
    }
    if !args.global && change.old.is_none() {
        let private = format!("keep {path} out of commits: it names a program by its path here");
        ui.say(&Line::new().ink(Ink::Hint, "hint: ").text(private));
    }
    Ok(())
}

/// A status line of the person's own stays; says how to have both.
fn advise_to_wrap(ui: &mut Ui, line: &wiring::Line, program: &Path) {
    let path = line.path.display();
    let kept = format!("the status line that {path} sets stays as it is");
    let both = format!(
        "to have ours behind it, set its command to: {} statusline --wrap {}",
        quoted(&program.to_string_lossy()),
        quoted(&line.set.command)
    );
    ui.say(&Line::new().ink(Ink::Warn, "warning: ").text(kept));
    ui.say(&Line::new().ink(Ink::Hint, "hint: ").text(both));
}

/// Says so when the host is wired in its other file too: then every hook runs twice.
fn warn_of_double(args: &Args, cx: &mut Context<'_>, host: &Adapter) {
    let (other, flag) = if args.global {
        let root = root_for(host, cx).ok();
        (root.map(|root| (host.wiring.project_file)(&root)), "")
    } else {
        ((host.wiring.user_file)(&cx.env.places), " --global")
    };
    let Some(other) = other else { return };
    // A file that cannot be read is `doctor`'s to speak of; this one is wired.
    if wiring::count(host, &other).unwrap_or_default() > 0 {
        let double = format!("{} is wired in {} as well", host.title, other.display());
        let mend = format!(
            "`git segue init {}{flag} --remove` takes that one out",
            host.name
        );
        cx.ui
            .say(&Line::new().ink(Ink::Warn, "warning: ").text(double));
        cx.ui.say(&Line::new().ink(Ink::Hint, "hint: ").text(mend));
    }
}

fn answer(host: &Adapter, change: &Change) -> Value {
    let kind = match (&change.old, &change.new) {
        (old, new) if old == new => "none",
        (None, _) => "created",
        (_, None) => "removed",
        _ => "changed",
    };
    json!({ "host": host.name, "path": change.path.display().to_string(), "change": kind, "diff": change.diff() })
}
