//! A compaction leaves one card, and the next model request has it, once.

use super::host::Host;
use super::sandbox::Sandbox;
use super::script::{Purpose, Reply, Script};

/// A turn that fills the context in its middle, so that the host compacts by itself.
fn check_automatic(host: Host) {
    let script = Script::default()
        .on(
            Purpose::Turn,
            "round the total",
            Reply::command("python3 -m no_such_tests"),
        )
        .on(
            Purpose::Turn,
            "",
            Reply::command("ls src").filling_the_context(),
        )
        .on(Purpose::Turn, "", Reply::text("The total is rounded."));
    let Some(sandbox) = Sandbox::new(host, script) else {
        return;
    };
    let said = sandbox.headless(&host.turn("round the total"));
    assert!(said.contains("The total is rounded."), "{said}");
    let (summary, _) = sandbox.api.request(0, Purpose::Summary, "");
    sandbox.api.request(summary, Purpose::Turn, "");
}

/// A conversation in a terminal, compacted by the person.
fn check_by_hand(host: Host) {
    let script = Script::default()
        .on(
            Purpose::Turn,
            "round the total",
            Reply::command("python3 -m no_such_tests"),
        )
        .on(Purpose::Turn, "", Reply::text("The total is rounded."))
        .on(
            Purpose::Turn,
            "what is left",
            Reply::text("The tests are left."),
        );
    let Some(sandbox) = Sandbox::new(host, script) else {
        return;
    };
    let terminal = sandbox.terminal(host.terminal());
    terminal.say("round the total");
    terminal.wait_for_idle("The total is rounded.");
    terminal.say("/compact");
    let (summary, _) = sandbox.api.request(0, Purpose::Summary, "");
    terminal.wait_for_idle(host.compacted_sign());
    terminal.say("what is left");
    sandbox.api.request(summary, Purpose::Turn, "what is left");
    terminal.wait_for_idle("The tests are left.");
    terminal.quit(host.exit_line());
}

#[test]
fn claude_code_compacts_by_itself() {
    check_automatic(Host::ClaudeCode);
}

#[test]
fn codex_compacts_by_itself() {
    check_automatic(Host::Codex);
}

#[test]
fn claude_code_is_compacted_by_hand() {
    check_by_hand(Host::ClaudeCode);
}

#[test]
fn codex_is_compacted_by_hand() {
    check_by_hand(Host::Codex);
}
