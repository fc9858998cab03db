//! The repository is itself a plugin and a marketplace: the hosts' own commands take it, and its hooks do the work.

use std::ffi::OsString;
use std::path::Path;

use super::compaction::filling_turn;
use super::host::Host;
use super::sandbox::{Fault, Sandbox};
use super::script::Script;

/// The parts of the repository that a host reads.
const PARTS: [&str; 4] = [".claude-plugin", ".agents", "hooks", "LICENSE"];

/// What installs the repository in Claude Code.
const IN_CLAUDE_CODE: [&[&str]; 2] = [
    &["plugin", "marketplace", "add", "MARKET"],
    &["plugin", "install", "git-segue@git-segue"],
];

/// A world whose Claude Code has the repository as a plugin; nothing, after a loud line, where it is not to be had.
pub(crate) fn in_claude_code(script: Script) -> Option<Sandbox> {
    let sandbox = Sandbox::with_our_program(Host::ClaudeCode, script)?;
    run(&sandbox, &IN_CLAUDE_CODE);
    Some(sandbox)
}

/// Runs the host's own commands with a copy of the repository.
fn run(sandbox: &Sandbox, commands: &[&[&str]]) {
    let market = sandbox.place("market");
    for part in PARTS {
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(part),
            &market.join(part),
        );
    }
    for command in commands {
        let word = |word: &&str| match *word {
            "MARKET" => market.clone().into_os_string(),
            other => OsString::from(other),
        };
        sandbox.headless(&command.iter().map(word).collect::<Vec<_>>(), "");
    }
}

/// Installed by the host, not by `init`: a compaction leaves its card, and is harmless once our program has gone. The model
/// writes no card here, so Claude Code compacts by itself.
fn check(host: Host, commands: &[&[&str]]) {
    let Some(sandbox) = Sandbox::with_our_program(host, filling_turn()) else {
        return;
    };
    run(&sandbox, commands);
    sandbox.headless(&host.turn("round the total"), "The total is rounded.");
    sandbox.assert_given_after_compaction(0);
    assert_eq!(sandbox.compaction_cards().len(), 1, "{}", sandbox.log());
    sandbox.break_with(Fault::Missing);
    sandbox.headless(&host.resumed_turn("what is left"), "Fine.");
}

/// Copies a file or a folder.
fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        std::fs::copy(from, to).unwrap();
        return;
    }
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        copy(&from.join(&name), &to.join(&name));
    }
}

#[test]
fn claude_code_takes_the_repository_as_a_plugin() {
    let own: [&[&str]; 2] = [
        &["plugin", "validate", "--strict", "MARKET"],
        &["plugin", "test", "MARKET"],
    ];
    check(Host::ClaudeCode, &[&own[..], &IN_CLAUDE_CODE].concat());
}

#[test]
fn codex_takes_the_repository_as_a_plugin() {
    check(
        Host::Codex,
        &[
            &["plugin", "marketplace", "add", "MARKET"],
            &["plugin", "add", "git-segue@git-segue"],
        ],
    );
}
