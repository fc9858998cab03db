//! A host that compacts while a model writes the card.

use serde_json::json;

use super::compaction::filling_turn;
use super::host::Host;
use super::sandbox::Sandbox;
use super::script::{Purpose, Reply, Script};
use crate::support::model::{Act, ModelServer};

/// What the model says of every conversation.
const ANSWER: &str = "<summary>\nThe total is to be rounded.\n</summary>\n<handoff>\n## Goal and repo\n\
- user: \"round the total\"\n## Done\n- ✅ The moon is painted in src/moon.py.\n## Next steps\n- Weigh the invoice twice.\n\
</handoff>";

/// The card that is given is the model's, judged; it took the place of the one by rules.
fn check(host: Host) {
    let answer = json!({"choices": [{"message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1200, "completion_tokens": 80}});
    let server = ModelServer::start(vec![Act::ok(&answer)]);
    let Some(sandbox) = Sandbox::wired(host, filling_turn()) else {
        return;
    };
    sandbox.configure("segue.model", "compatible/card-writer");
    sandbox.configure("segue.endpoint", &server.url());
    sandbox.headless(&host.turn("round the total"), "The total is rounded.");
    let (_, card) = sandbox.assert_given_after_compaction(0);
    assert_eq!(sandbox.compaction_cards().len(), 1);
    for line in [
        "written by card-writer",
        "Weigh the invoice twice.",
        "❌ refuted: The moon is painted in src/moon.py.",
    ] {
        assert!(card.text.contains(line), "{line}\n{}", card.text);
    }
    assert_eq!(server.asked().len(), 1, "one call a compaction");
    let log = sandbox.log();
    assert!(
        log.contains("model=card-writer read=1200 wrote=80"),
        "{log}"
    );
}

/// The host's own program writes the card, started by our hook in the middle of the host's own compaction, by the line of
/// the README: it starts no hook of ours, and leaves no card of itself.
fn check_with_its_own_program(host: Host, line: &str) {
    let script = Script::default()
        .on(
            Purpose::Turn,
            "You write the handoff card",
            Reply::text(ANSWER),
        )
        .then(filling_turn());
    let Some(sandbox) = Sandbox::wired(host, script) else {
        return;
    };
    sandbox.put_host_on_path();
    sandbox.configure("segue.model", "command");
    sandbox.configure("segue.modelCommand", line);
    sandbox.headless(&host.turn("round the total"), "The total is rounded.");
    let (_, card) = sandbox.assert_given_after_compaction(0);
    let log = sandbox.log();
    assert!(
        card.text.contains("Weigh the invoice twice."),
        "{log}\n{}",
        card.text
    );
    assert_eq!(sandbox.compaction_cards().len(), 1);
    assert_eq!(sandbox.sessions(), 1, "the writer has no card of its own");
}

#[test]
fn claude_code_writes_the_card_itself() {
    check_with_its_own_program(Host::ClaudeCode, "claude -p --model haiku");
}

#[test]
fn codex_writes_the_card_itself() {
    let line = "codex exec --ephemeral --skip-git-repo-check --ignore-rules -s read-only --disable hooks \
                --disable unbounded_connection_retries --color never -";
    check_with_its_own_program(Host::Codex, line);
}

#[test]
fn claude_code_compacts_with_a_model() {
    check(Host::ClaudeCode);
}

#[test]
fn codex_compacts_with_a_model() {
    check(Host::Codex);
}
