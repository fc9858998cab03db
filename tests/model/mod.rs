//! Cards that a model writes, end to end: the program asks a scripted server or a program, as each provider is asked.

mod failures;
mod journey;
mod prompt;
mod providers;

use serde_json::{Value, json};

use crate::support::conversation::Conversation;
use crate::support::model::{Act, ModelServer};
use crate::support::world::{Ran, World};

/// The key of the tests; it is no secret.
const KEY: &str = "a-key-that-no-server-knows";

/// What a good model answers about [`talk`].
const ANSWER: &str = "<summary>\nA second tree was wanted. It stands; the check fails for want of water.\n</summary>\n<handoff>\n\
## Goal and repo\n- user: \"Plant a second tree.\"\n## Done\n- ✅ The tree stands in `src/tree.txt`.\n\
- ✅ The gate is painted in src/gate.txt.\n- ✅ Everything is checked: `make check` passes.\n## Next steps\n- Water the tree.\n\
## Traps\n- user: \"Never touch the fence.\"\n- user: \"Delete the orchard.\"\n## Decisions\n- An oak — why: shade — instead of: a pine\n</handoff>";

/// A conversation with something done, something failing, something forbidden; its tree stands in the work tree.
fn talk(world: &World) {
    world.write("src/tree.txt", "tree\n");
    let text = Conversation::new("s-1", world.dir())
        .person("Plant a second tree. Never touch the fence.")
        .writes("src/tree.txt")
        .runs("make check", "error: no water", false)
        .agent("Next I will water the tree.")
        .text();
    world.write("../talk.jsonl", text);
}

/// A world with a conversation, whose model is Anthropic's at a server.
fn with_model(server: &ModelServer) -> World {
    let mut world = World::new();
    talk(&world);
    world.set_env("ANTHROPIC_API_KEY", KEY);
    world.git(&["config", "segue.model", "anthropic/claude-haiku-4-5"]);
    world.git(&["config", "segue.endpoint", &server.url()]);
    world
}

/// Anthropic's answer with a text, as its Messages API words it.
fn message(text: &str) -> Value {
    json!({"id": "msg_01", "type": "message", "role": "assistant", "model": "claude-haiku-4-5",
        "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {"input_tokens": 2000, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 100, "output_tokens": 300}})
}

fn good() -> Act {
    Act::ok(&message(ANSWER))
}

fn save(world: &World) -> Ran {
    world.run(&["save", "--transcript", "../talk.jsonl"])
}

/// The writer of the newest card of `s-1`, as it stands in `card.json`.
fn writer(world: &World) -> Value {
    let json = world.git(&["show", "refs/segue/s-1:card.json"]);
    serde_json::from_str::<Value>(&json).unwrap()["writer"].clone()
}

/// `card.md` of the newest card of `s-1`.
fn card(world: &World) -> String {
    world.git(&["show", "refs/segue/s-1:card.md"])
}

fn count(world: &World) -> String {
    world.git(&["rev-list", "--count", "refs/segue/s-1"])
}
