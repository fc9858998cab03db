//! Whatever a model or its server does, the rules' card stands, and says why.

use super::{card, count, good, message, save, with_model, writer};
use crate::support::model::{Act, ModelServer};

/// Saves with a server that plays a script within two seconds; the reason that stands on the card is the one expected, and the
/// person reads it too.
#[track_caller]
fn check(script: Vec<Act>, expect: &str) -> ModelServer {
    let server = ModelServer::start(script);
    let world = with_model(&server);
    world.git(&["config", "segue.timeout", "2"]);
    let said = save(&world).ended(0);
    let written = writer(&world);
    assert_eq!(
        written["because"],
        format!("claude-haiku-4-5 {expect}"),
        "{written}"
    );
    let line = format!("warning: written by rules: claude-haiku-4-5 {expect}\n");
    assert_eq!(said.stderr, line);
    assert_eq!(count(&world), "1");
    assert!(card(&world).contains("Plant a second tree."));
    server
}

fn reply(text: &str) -> Vec<Act> {
    vec![Act::ok(&message(text))]
}

#[test]
fn a_server_that_says_nothing_or_never_ends_is_left_in_time() {
    check(vec![Act::Hang], "timed out after 2 s");
    check(vec![Act::Drip], "timed out after 2 s");
}

#[test]
fn a_server_that_says_no_is_quoted_without_the_key() {
    let server = check(
        vec![Act::error(
            401,
            &format!("invalid x-api-key {}", super::KEY),
        )],
        "answered 401: invalid x-api-key [redacted:key]",
    );
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_server_that_is_busy_is_asked_once_more_as_it_says() {
    let busy = |wait: &'static str| {
        let body = r#"{"error":{"message":"slow down"}}"#.to_owned();
        Act::Reply(429, vec![("retry-after", wait)], body)
    };
    let server = ModelServer::start(vec![busy("0"), good()]);
    let world = with_model(&server);
    save(&world).ended(0);
    assert_eq!(
        (server.asked().len(), &writer(&world)["name"]),
        (2, &"claude-haiku-4-5".into())
    );
    let server = check(vec![busy("0")], "answered 429: slow down");
    assert_eq!(server.asked().len(), 2);
    let server = check(vec![busy("3600")], "answered 429: slow down");
    assert_eq!(server.asked().len(), 1);
    let broken = Act::Reply(500, vec![("retry-after", "0")], "<html>".to_owned());
    let server = check(vec![broken], "answered 500");
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn an_answer_that_is_none_is_told() {
    check(
        vec![Act::Reply(200, vec![], "<html>".to_owned())],
        "gave an answer that is no JSON object",
    );
    check(
        vec![Act::Reply(200, vec![], " ".repeat(10 << 20))],
        "gave an answer over 256 KiB",
    );
    check(reply(""), "gave an empty answer");
    check(reply("Sure, what can I do?"), "gave no sections of a card");
    check(reply("## Done\n- none\n"), "gave a card that says nothing");
    check(
        reply("I'm sorry, I can't help."),
        "refused: I'm sorry, I can't help.",
    );
    check(
        reply("## Done\n- посажено второе дерево и забор не тронут"),
        "answered in another language",
    );
    let mut cut = message("## Done\n- a tree");
    cut["stop_reason"] = "max_tokens".into();
    check(
        vec![Act::ok(&cut)],
        "was cut off at its limit of 16000 tokens",
    );
}

#[test]
fn a_connection_that_breaks_is_told() {
    let server = ModelServer::start(vec![Act::Cut]);
    let world = with_model(&server);
    save(&world).ended(0);
    let because = writer(&world)["because"].as_str().unwrap().to_owned();
    assert!(
        because.starts_with("claude-haiku-4-5 cannot be reached: "),
        "{because}"
    );
}

#[test]
fn a_key_never_travels_in_plain_text_to_another_machine_and_none_is_told() {
    let server = ModelServer::start(vec![good()]);
    let mut world = with_model(&server);
    world.git(&["config", "segue.endpoint", "http://models.example.com"]);
    save(&world).ended(0);
    assert_eq!(
        writer(&world)["because"],
        "claude-haiku-4-5 was not asked: `http://models.example.com` would get the key in plain text"
    );
    world.git(&["config", "--unset", "segue.endpoint"]);
    world.unset_env("ANTHROPIC_API_KEY");
    save(&world).ended(0);
    assert_eq!(
        writer(&world)["because"],
        "claude-haiku-4-5 was not asked: neither ANTHROPIC_API_KEY nor segue.apiKeyCommand is set"
    );
    assert_eq!(server.asked().len(), 0);
}
