//! Subagents: still there after a compaction, waited for where that is set, refused where the window is full.

use super::host::Host;
use super::sandbox::Sandbox;
use super::script::{Gate, Purpose, Reply, Script};

/// What the subagent is asked, and what it answers.
const TASK: &str = "Count the open invoices";
const RESULT: &str = "There are 31 open invoices.";

/// A compaction while a subagent runs, in a turn or by hand; the subagent ends afterwards, and its result arrives.
fn check_with_a_subagent(host: Host, by_hand: bool) {
    let gate = Gate::default();
    let spawned = Script::default().on(Purpose::Turn, "use a subagent", Reply::spawn(TASK));
    let filled = if by_hand {
        spawned
    } else {
        spawned.on(
            Purpose::Turn,
            "",
            Reply::command("ls src").filling_the_context(),
        )
    };
    let script = filled
        .on(Purpose::Turn, "", Reply::text("It is at work."))
        .on(Purpose::Turn, "wait for it", Reply::await_agents())
        .on(Purpose::Subagent, "", Reply::text(RESULT).held_by(&gate));
    let Some(sandbox) = Sandbox::wired(host, script) else {
        return;
    };
    let terminal = sandbox.terminal(host.terminal());
    terminal.ask("use a subagent", "It is at work.");
    sandbox.api.request(0, Purpose::Subagent, "");
    if by_hand {
        terminal.ask("/compact", host.compacted_sign());
    }
    terminal.say("wait for it");
    let (seen, card) = sandbox.assert_given_after_compaction(0);
    assert!(
        card.text.contains(TASK),
        "the card names the running subagent:\n{}",
        card.text
    );
    gate.open();
    sandbox.api.request_with(seen, RESULT);
    terminal.quit(host.exit_line());
}

/// An automatic compaction that `segue.holdMinutes` puts off until the subagent has ended.
fn check_hold(host: Host) {
    let gate = Gate::default();
    let script = Script::default()
        .on(Purpose::Turn, "use a subagent", Reply::spawn(TASK))
        .on(
            Purpose::Turn,
            "",
            Reply::command("ls src").filling_the_context(),
        )
        .on(Purpose::Turn, "wait for it", Reply::await_agents())
        .on(Purpose::Subagent, "", Reply::text(RESULT).held_by(&gate));
    let Some(sandbox) = Sandbox::wired(host, script) else {
        return;
    };
    sandbox.configure("segue.holdMinutes", "1");
    let terminal = sandbox.terminal(host.terminal());
    terminal.say("use a subagent");
    sandbox.wait_for_a_card();
    assert!(!sandbox.api.was_asked_for(Purpose::Summary), "it waits");
    gate.open();
    sandbox.assert_given_after_compaction(0);
    assert_eq!(
        sandbox.compaction_cards().len(),
        2,
        "one before the wait, one behind it"
    );
    terminal.say("wait for it");
    sandbox.api.request_with(0, RESULT);
}

/// A subagent that is refused, since the window is fuller than `segue.guardPercent` allows. It is so before the call and with
/// it: whether the call stands in the transcript when its hook runs is a matter of luck in Claude Code 2.1.332.
fn check_guard(host: Host) {
    let looked = Reply::text("It is read.").in_a_used_context();
    let script = Script::default()
        .on(Purpose::Turn, "read it all", looked)
        .on(
            Purpose::Turn,
            "use a subagent",
            Reply::spawn(TASK).in_a_used_context(),
        )
        .on(Purpose::Turn, "", Reply::text("I may not."));
    let Some(sandbox) = Sandbox::wired(host, script) else {
        return;
    };
    sandbox.configure("segue.guardPercent", "5");
    sandbox.headless(&host.turn("read it all"), "It is read.");
    sandbox.headless(&host.resumed_turn("use a subagent"), "I may not.");
    let none_started = !sandbox.api.was_asked_for(Purpose::Subagent);
    assert!(none_started, "a subagent started:\n{}", sandbox.log());
    sandbox.api.request_with(0, "the context window is");
}

#[test]
fn claude_code_is_compacted_while_a_subagent_runs() {
    check_with_a_subagent(Host::ClaudeCode, true);
}

#[test]
fn claude_code_compacts_while_a_subagent_runs() {
    check_with_a_subagent(Host::ClaudeCode, false);
}

#[test]
fn codex_is_compacted_while_a_subagent_runs() {
    check_with_a_subagent(Host::Codex, true);
}

#[test]
fn codex_compacts_while_a_subagent_runs() {
    check_with_a_subagent(Host::Codex, false);
}

#[test]
fn claude_code_is_held_until_its_subagent_has_ended() {
    check_hold(Host::ClaudeCode);
}

#[test]
fn claude_code_starts_no_subagent_in_a_full_window() {
    check_guard(Host::ClaudeCode);
}

#[test]
fn codex_is_held_until_its_subagent_has_ended() {
    check_hold(Host::Codex);
}

#[test]
fn codex_starts_no_subagent_in_a_full_window() {
    check_guard(Host::Codex);
}
