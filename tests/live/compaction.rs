//! A compaction leaves one card, and the very next request to the model has it, once.

use super::host::Host;
use super::sandbox::Sandbox;
use super::script::{Purpose, Reply, Script};

/// A command that fails, which a card has to name.
const FAILING: &str = "python3 -m no_such_tests";

/// A turn in which a command fails and then the context fills up.
pub(crate) fn filling_turn() -> Script {
    Script::default()
        .on(Purpose::Turn, "round the total", Reply::command(FAILING))
        .on(
            Purpose::Turn,
            "",
            Reply::command("ls src").filling_the_context(),
        )
        .on(Purpose::Turn, "", Reply::text("The total is rounded."))
}

/// The host compacts by itself in the middle of a turn; then the conversation is taken up again.
fn check_in_a_turn(host: Host) {
    let script = filling_turn().on(
        Purpose::Turn,
        "what is left",
        Reply::text("The tests are left."),
    );
    let Some(sandbox) = Sandbox::wired(host, script) else {
        return;
    };
    sandbox.headless(&host.turn("round the total"), "The total is rounded.");
    let (seen, card) = sandbox.assert_given_after_compaction(0);
    assert_eq!(card.trigger, "compact-auto");
    assert!(card.text.contains(FAILING), "{}", card.text);
    sandbox.headless(&host.resumed_turn("what is left"), "The tests are left.");
    let (_, request) = sandbox.api.request(seen, Purpose::Turn, "what is left");
    assert!(
        !request.texts_with("[segue]").is_empty(),
        "a resumed conversation knows its card"
    );
    assert_eq!(sandbox.compaction_cards().len(), 1);
}

/// The host compacts by itself before it sends the prompt of a resumed conversation.
fn check_before_a_prompt(host: Host) {
    let script = Script::default()
        .on(Purpose::Turn, "round the total", Reply::command(FAILING))
        .on(
            Purpose::Turn,
            "",
            Reply::text("The total is rounded.").filling_the_context(),
        )
        .on(
            Purpose::Turn,
            "what is left",
            Reply::text("The tests are left."),
        );
    let Some(sandbox) = Sandbox::wired(host, script) else {
        return;
    };
    sandbox.headless(&host.turn("round the total"), "The total is rounded.");
    sandbox.headless(&host.resumed_turn("what is left"), "The tests are left.");
    // What the end of the first run left is what the compaction would leave, so it may be the one card of both.
    let (_, card) = sandbox.assert_given_after_compaction(0);
    assert!(card.text.contains(FAILING), "{}", card.text);
}

/// The person compacts, twice; clears; ends; takes the conversation up again.
fn check_by_hand(host: Host) {
    let script = Script::default()
        .on(Purpose::Turn, "round the total", Reply::command(FAILING))
        .on(Purpose::Turn, "", Reply::text("The total is rounded."))
        .on(
            Purpose::Turn,
            "what is left",
            Reply::text("The tests are left."),
        )
        .on(
            Purpose::Turn,
            "write them",
            Reply::text("They are written."),
        )
        .on(
            Purpose::Turn,
            "begin the next",
            Reply::text("It has begun."),
        )
        .on(Purpose::Turn, "go on", Reply::text("It goes on."));
    let Some(sandbox) = Sandbox::wired(host, script) else {
        return;
    };
    let terminal = sandbox.terminal(host.terminal());
    terminal.ask("round the total", "The total is rounded.");

    terminal.ask("/compact", host.compacted_sign());
    terminal.ask("what is left", "The tests are left.");
    let (seen, card) = sandbox.assert_given_after_compaction(0);
    assert_eq!(card.trigger, "compact-manual");

    terminal.ask("/compact", host.compacted_sign());
    terminal.ask("write them", "They are written.");
    let (seen, second) = sandbox.assert_given_after_compaction(seen);
    assert_ne!(second.id, card.id);
    assert_eq!(sandbox.compaction_cards().len(), 2, "one card a compaction");

    terminal.wipe("/clear", "They are written.");
    terminal.ask("begin the next", "It has begun.");
    let (seen, request) = sandbox.api.request(seen, Purpose::Turn, "begin the next");
    assert_eq!(
        request.texts_with("[segue]").len(),
        1,
        "the card of the conversation before, once"
    );

    terminal.quit(host.exit_line());
    sandbox.headless(&host.resumed_turn("go on"), "It goes on.");
    sandbox.api.request(seen, Purpose::Turn, "go on");
}

#[test]
fn claude_code_compacts_in_a_turn() {
    check_in_a_turn(Host::ClaudeCode);
}

#[test]
fn codex_compacts_in_a_turn() {
    check_in_a_turn(Host::Codex);
}

#[test]
fn claude_code_compacts_before_a_prompt() {
    check_before_a_prompt(Host::ClaudeCode);
}

#[test]
fn codex_compacts_before_a_prompt() {
    check_before_a_prompt(Host::Codex);
}

#[test]
fn claude_code_is_compacted_and_cleared_by_hand() {
    check_by_hand(Host::ClaudeCode);
}

#[test]
fn codex_is_compacted_and_cleared_by_hand() {
    check_by_hand(Host::Codex);
}
