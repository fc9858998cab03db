//! Whatever becomes of our program, the host's conversation goes on.

use super::compaction::filling_turn;
use super::host::Host;
use super::sandbox::{Fault, GARBAGE, Sandbox};
use super::script::{Purpose, Reply};

/// A turn with a compaction in its middle, and one more turn; both end as if we were not there.
fn check(host: Host, fault: Fault) {
    let script = filling_turn().on(
        Purpose::Turn,
        "what is left",
        Reply::text("The tests are left."),
    );
    let Some(sandbox) = Sandbox::wired(host, script) else {
        return;
    };
    sandbox.break_with(fault);
    sandbox.headless(&host.turn("round the total"), "The total is rounded.");
    if fault == Fault::Slow {
        sandbox.assert_given_after_compaction(0);
    } else {
        let (seen, _) = sandbox.api.request(0, Purpose::Summary, "");
        let (_, request) = sandbox.api.request(seen, Purpose::Turn, "");
        assert_eq!(request.texts_with("[segue]"), Vec::<String>::new());
        assert_eq!(request.texts_with(GARBAGE), Vec::<String>::new());
        assert_eq!(sandbox.compaction_cards().len(), 0);
    }
    sandbox.headless(&host.resumed_turn("what is left"), "The tests are left.");
}

#[test]
fn claude_code_goes_on_when_our_program_is_missing() {
    check(Host::ClaudeCode, Fault::Missing);
}

#[test]
fn codex_goes_on_when_our_program_is_missing() {
    check(Host::Codex, Fault::Missing);
}

#[test]
fn claude_code_goes_on_when_our_program_fails() {
    check(Host::ClaudeCode, Fault::Failing);
}

#[test]
fn codex_goes_on_when_our_program_fails() {
    check(Host::Codex, Fault::Failing);
}

#[test]
fn claude_code_goes_on_when_our_program_is_slow() {
    check(Host::ClaudeCode, Fault::Slow);
}

#[test]
fn codex_goes_on_when_our_program_is_slow() {
    check(Host::Codex, Fault::Slow);
}
