//! Claude Code's function hook: its own model writes summary and card, and the text takes the conversation's place.

use super::compaction::filling_turn;
use super::host::Host;
use super::plugin;
use super::sandbox::{Card, Fault, Sandbox};
use super::script::{Gate, Purpose, Reply, Request, Script};

/// Words that only our question to the model has.
const QUESTION: &str = "Now write the two blocks";

/// A text that only the model's summary has.
const SUMMARY: &str = "The rounding was looked into.";

/// What the model answers us.
const ANSWER: &str = "<summary>\nThe rounding was looked into.\n</summary>\n<handoff>\n## Goal and repo\n- user: \"round the total\"\n\
## Done\n- The total is rounded in `src/rounding.py`.\n## Next steps\n- Write the tests.\n</handoff>";

/// The model writes the next card.
fn writing(script: Script) -> Script {
    script.on(Purpose::Aside, QUESTION, Reply::text(ANSWER))
}

/// After the first compaction behind the first `seen` requests, nobody but us has asked for a summary, and the very next
/// request of the conversation has our text, once. Gives how many requests have now been seen, that request, and the card.
#[track_caller]
fn assert_replaced(sandbox: &Sandbox, seen: usize) -> (usize, Request, Card) {
    let (asked, _) = sandbox.api.request(seen, Purpose::Aside, QUESTION);
    let (next, request) = sandbox.api.request(asked, Purpose::Turn, "");
    assert!(
        !sandbox.api.was_asked_for(Purpose::Summary),
        "{}",
        sandbox.log()
    );
    let said = request.texts_with("[segue]").join("\n");
    assert_eq!(said.matches("[segue]").count(), 1, "given once:\n{said}");
    assert!(said.contains(SUMMARY), "{said}");
    let card = sandbox.compaction_cards().pop().expect("a card");
    assert!(
        said.contains(&format!("continue from card {}", &card.id[..8])),
        "{said}"
    );
    assert!(card.text.contains("written by haiku"), "{}", card.text);
    assert!(
        card.text.contains("refuted: The total is rounded"),
        "{}",
        card.text
    );
    (next + 1, request, card)
}

#[test]
fn it_answers_in_the_middle_of_a_turn() {
    let script = writing(filling_turn());
    let script = script.on(
        Purpose::Turn,
        "what is left",
        Reply::text("The tests are left."),
    );
    let Some(sandbox) = plugin::in_claude_code(script) else {
        return;
    };
    let host = Host::ClaudeCode;
    sandbox.headless(&host.turn("round the total"), "The total is rounded.");
    let (seen, request, card) = assert_replaced(&sandbox, 0);
    assert_eq!(card.trigger, "compact-auto");
    assert!(
        request.last.contains("invoice.py"),
        "the result that waits: {}",
        request.last
    );
    let commands = request.texts_with("ls src");
    let calls = commands.iter().filter(|text| *text == "ls src");
    assert_eq!(calls.count(), 1, "and its call: {commands:#?}");
    sandbox.headless(&host.resumed_turn("what is left"), "The tests are left.");
    sandbox.api.request(seen, Purpose::Turn, "what is left");
    assert_eq!(sandbox.compaction_cards().len(), 1, "{}", sandbox.log());
}

#[test]
fn it_answers_before_a_prompt_and_by_hand() {
    let filled = Reply::text("The total is rounded.").filling_the_context();
    let script = writing(writing(Script::default()))
        .on(Purpose::Turn, "round the total", filled)
        .on(
            Purpose::Turn,
            "what is left",
            Reply::text("The tests are left."),
        )
        .on(
            Purpose::Turn,
            "write them",
            Reply::text("They are written."),
        );
    let Some(sandbox) = plugin::in_claude_code(script) else {
        return;
    };
    let host = Host::ClaudeCode;
    let terminal = sandbox.terminal(host.terminal());
    terminal.ask("round the total", "The total is rounded.");
    terminal.ask("what is left", "The tests are left.");
    let (seen, request, card) = assert_replaced(&sandbox, 0);
    assert_eq!(card.trigger, "compact-auto");
    let prompt = request.texts_with("what is left");
    let own = prompt.iter().filter(|text| text.trim() == "what is left");
    assert_eq!(own.count(), 1, "the prompt that waits, once: {prompt:#?}");

    terminal.ask("/compact", host.compacted_sign());
    terminal.ask("write them", "They are written.");
    let (_, _, second) = assert_replaced(&sandbox, seen);
    assert_eq!(second.trigger, "compact-manual");
    assert_eq!(sandbox.compaction_cards().len(), 2, "{}", sandbox.log());
    terminal.quit(host.exit_line());
}

#[test]
fn it_tells_which_subagents_run_on() {
    let gate = Gate::default();
    let script = writing(Script::default())
        .on(
            Purpose::Turn,
            "use a subagent",
            Reply::spawn("Count the open invoices"),
        )
        .on(Purpose::Turn, "", Reply::text("It is at work."))
        .on(Purpose::Turn, "wait for it", Reply::text("It will report."))
        .on(
            Purpose::Subagent,
            "",
            Reply::text("There are 31.").held_by(&gate),
        );
    let Some(sandbox) = plugin::in_claude_code(script) else {
        return;
    };
    let host = Host::ClaudeCode;
    let terminal = sandbox.terminal(host.terminal());
    terminal.ask("use a subagent", "It is at work.");
    sandbox.api.request(0, Purpose::Subagent, "");
    terminal.ask("/compact", host.compacted_sign());
    terminal.say("wait for it");
    let (asked, _) = sandbox.api.request(0, Purpose::Aside, QUESTION);
    let (seen, request) = sandbox.api.request(asked, Purpose::Turn, "wait for it");
    let said = request.texts_with("[segue]").join("\n");
    let (_, behind) = said.split_once("still running").expect(&said);
    assert!(behind.contains("Do NOT start another one"), "{said}");
    assert!(behind.contains("Count the open invoices"), "{said}");
    gate.open();
    sandbox.api.request_with(seen, "There are 31.");
    terminal.quit(host.exit_line());
}

#[test]
fn it_waits_for_subagents_where_that_is_set() {
    let gate = Gate::default();
    let script = writing(Script::default())
        .on(
            Purpose::Turn,
            "use a subagent",
            Reply::spawn("Count the open invoices"),
        )
        .on(
            Purpose::Turn,
            "",
            Reply::command("ls src").filling_the_context(),
        )
        .on(Purpose::Turn, "", Reply::text("It is at work."))
        .on(
            Purpose::Subagent,
            "",
            Reply::text("There are 31.").held_by(&gate),
        );
    let Some(sandbox) = plugin::in_claude_code(script) else {
        return;
    };
    sandbox.configure("segue.holdMinutes", "1");
    let terminal = sandbox.terminal(Host::ClaudeCode.terminal());
    terminal.say("use a subagent");
    sandbox.wait_for_a_card();
    assert!(
        !sandbox.log().contains("(answer)"),
        "it waits: {}",
        sandbox.log()
    );
    gate.open();
    assert_replaced(&sandbox, 0);
    let cards = sandbox.compaction_cards().len();
    assert_eq!(
        cards,
        2,
        "one before the wait, one behind it: {}",
        sandbox.log()
    );
    sandbox.api.request_with(0, "There are 31.");
    terminal.quit(Host::ClaudeCode.exit_line());
}

#[test]
fn the_host_compacts_by_itself_where_the_model_refuses_and_where_our_program_is_gone() {
    let refused = Reply::text("I'm sorry, I cannot do that.");
    let script = filling_turn()
        .on(Purpose::Aside, QUESTION, refused)
        .on(
            Purpose::Turn,
            "fill it again",
            Reply::command("ls src").filling_the_context(),
        )
        .on(Purpose::Turn, "", Reply::text("It is full."));
    let Some(sandbox) = plugin::in_claude_code(script) else {
        return;
    };
    let host = Host::ClaudeCode;
    sandbox.headless(&host.turn("round the total"), "The total is rounded.");
    let (seen, _) = sandbox.assert_given_after_compaction(0);
    let why = "written by rules (haiku refused: I'm sorry, I cannot do that.)";
    sandbox.api.request_with(0, why);
    assert_eq!(sandbox.compaction_cards().len(), 1, "{}", sandbox.log());
    sandbox.break_with(Fault::Missing);
    sandbox.headless(&host.resumed_turn("fill it again"), "It is full.");
    sandbox.api.request(seen, Purpose::Summary, "");
}
