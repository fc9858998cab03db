//! Cards from recorded conversations, and from anything at all.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::handoff::card::{Frame, Provenance, Writer};
use crate::handoff::claim::{Origin, Verdict};
use crate::handoff::decision::DecisionLog;
use crate::handoff::markdown::{self, CARD_BYTES_MAX};
use crate::handoff::session::{Kind, SessionId, Trigger};
use crate::handoff::transcript::{Action, Outcome, Todo, TodoState, ToolUse, Turn, What};
use crate::hosts;

fn card(transcript: &Transcript) -> String {
    let redactor = Redactor::new(Vec::new());
    let (draft, redactions) = by_rules(&Brief {
        transcript: Some(transcript),
        census: None,
        previous: None,
        by_hand: None,
        goes_on_from: None,
        instructions: None,
        redactor: &redactor,
        root: None,
    });
    let frame = Frame {
        provenance: Provenance {
            session: SessionId::new(transcript.session.as_deref().unwrap_or_default()),
            host: "host".to_owned(),
            kind: Kind::Card,
            trigger: Trigger::Manual,
            instructions: None,
            transcript: None,
            cwd: None,
            repository: None,
            continues: None,
        },
        writer: Writer::Rules { because: None },
        decisions: DecisionLog::default(),
        subagents: transcript.running(),
        census: None,
        redactions,
    };
    markdown::card(&Card::judge(draft, frame, |_, _| {
        Verdict::Unconfirmed(None)
    }))
}

/// The lines of one section of a card.
fn section<'c>(card: &'c str, title: &str) -> Vec<&'c str> {
    let lines = card
        .lines()
        .skip_while(|line| line.strip_prefix("## ") != Some(title));
    lines.skip(1).take_while(|line| !line.is_empty()).collect()
}

#[derive(Default)]
struct Talk(Transcript);

impl Talk {
    fn say(mut self, what: What) -> Self {
        let at = 1_796_040_000 + self.0.turns.len() as i64;
        self.0.push(Turn { at, what });
        self
    }

    fn person(self, words: &str) -> Self {
        self.say(What::Person(words.to_owned()))
    }

    fn agent(self, words: &str) -> Self {
        self.say(What::Agent(words.to_owned()))
    }

    fn tool(self, action: Action, outcome: Outcome, output: &str) -> Self {
        self.say(What::Tool(ToolUse {
            id: String::new(),
            action,
            outcome,
            output: output.to_owned(),
        }))
    }

    fn run(self, command: &str, outcome: Outcome, output: &str) -> Self {
        let (command, cwd) = (command.to_owned(), None);
        self.tool(Action::Run { command, cwd }, outcome, output)
    }

    fn edit(self, path: &str, added: &str) -> Self {
        let (path, added) = (path.to_owned(), added.to_owned());
        self.tool(Action::Edit { path, added }, Outcome::Ok, "")
    }

    #[track_caller]
    fn check(self, title: &str, expect: &[&str]) -> Self {
        let card = card(&self.0);
        assert_eq!(section(&card, title), expect, "{card}");
        self
    }
}

#[test]
fn what_is_forbidden_behind_where_a_quote_ends_is_a_trap() {
    let filler = "This line says what the parser is for and how it came to be. ".repeat(12);
    let late = format!("{filler}Never edit the migrations. {filler}");
    Talk::default()
        .person(&format!("{late}Use tabs."))
        .agent("I see.")
        .person(&format!(
            "{filler}Do not add a crate. {filler}{filler}Do not push."
        ))
        .check(
            "Traps",
            &[
                "- user: \"Do not add a crate.\"",
                "- user: \"Never edit the migrations.\"",
            ],
        );
    Talk::default()
        .person("Port it. Do not push.")
        .check("Traps", &["none seen"]);
}

#[test]
fn the_goal_is_the_persons_latest_words_then_the_first() {
    Talk::default()
        .person("build a parser")
        .person("make it fast")
        .agent("Shall I use a trie?")
        .person("yes")
        .check(
            "Goal and repo",
            &[
                "- yes (in answer to: \"Shall I use a trie?\")",
                "- asked first: \"build a parser\"",
                "- before that: \"make it fast\"",
            ],
        )
        .check("Next steps", &["none seen"]);
}

#[test]
fn what_failed_and_then_passed_is_done_with_its_error_and_its_cure() {
    Talk::default()
        .person("go")
        .run("make check 2>&1", Outcome::Failed(Some(2)), "x.c:3: no such name\nmore")
        .edit("src/x.c", "")
        .run("make check 2>&1", Outcome::Ok, "")
        .check(
            "Done",
            &[
                "- ⚠️ unconfirmed: `make check` passes, resolved by changes in x.c: x.c:3: no such name",
                "- ⚠️ unconfirmed: edited src/x.c",
            ],
        )
        .check("In flight", &["none seen"])
        .edit("src/x.c", "void read_all() {}")
        .check("In flight", &["- ⏳ changed since its last run: x.c · resume: `make check`"]);
}

#[test]
fn what_fails_still_is_in_flight_and_what_was_given_up_is_a_trap() {
    Talk::default()
        .person("go")
        .run(
            "frob --all",
            Outcome::Failed(Some(1)),
            "error: unknown flag --all",
        )
        .run("frob --each", Outcome::Ok, "")
        .run("make", Outcome::Ok, "")
        .run("make check", Outcome::Failed(Some(2)), "FAIL: two")
        .check(
            "In flight",
            &["- ⏳ fails: FAIL: two · resume: `make check`"],
        )
        .check(
            "Traps",
            &["- finding: `frob --all` failed: error: unknown flag --all"],
        );
}

#[test]
fn commits_are_told_with_their_ids() {
    Talk::default()
        .person("go")
        .run(
            "git add . && git commit -m 'Parse once'",
            Outcome::Ok,
            "[main 1a2b3c4] Parse once\n 1 file changed",
        )
        .check(
            "Done",
            &["- ⚠️ unconfirmed: committed \"Parse once\" (1a2b3c4)"],
        );
}

#[test]
fn prohibitions_and_refusals_are_traps_in_the_persons_words() {
    Talk::default()
        .person("go")
        .person("never touch the lock file")
        .agent("Understood.")
        .run("git push", Outcome::Rejected, "not before I say so")
        .person("not before I say so")
        .agent("Fine.")
        .person("go on with the docs")
        .check(
            "Traps",
            &[
                "- user: \"not before I say so\" (instead of `git push`)",
                "- user: \"never touch the lock file\"",
            ],
        );
}

#[test]
fn todos_stand_where_their_state_puts_them() {
    let todo = |text: &str, state| Todo {
        text: text.to_owned(),
        state,
    };
    let todos = vec![
        todo("read it", TodoState::Done),
        todo("change it", TodoState::Active),
        todo("test it", TodoState::Pending),
    ];
    Talk::default()
        .person("go")
        .tool(Action::Todos(todos), Outcome::Ok, "")
        .agent("Now I'll change it properly.")
        .check("Done", &["- ⚠️ unconfirmed: read it"])
        .check("In flight", &["- ⏳ change it"])
        .check(
            "Next steps",
            &[
                "1. agent: Now I'll change it properly.",
                "2. finding: test it",
            ],
        );
}

#[test]
fn questions_that_wait_are_the_persons_and_answers_are_decisions() {
    let ask = |text: &str| Action::Ask {
        questions: vec![text.to_owned()],
    };
    Talk::default()
        .person("go")
        .tool(ask("Which tree?"), Outcome::Ok, "Which tree? → the oak")
        .agent("The oak it is. May I plant it now?")
        .check("Only the user", &["- May I plant it now?"]);
    let talk =
        Talk::default()
            .person("go")
            .tool(ask("Which tree?"), Outcome::Ok, "Which tree? → the oak");
    let redactor = Redactor::new(Vec::new());
    let (draft, _) = by_rules(&Brief {
        transcript: Some(&talk.0),
        census: None,
        previous: None,
        by_hand: None,
        goes_on_from: None,
        instructions: None,
        redactor: &redactor,
        root: None,
    });
    let told: Vec<_> = draft
        .decisions
        .iter()
        .map(|one| (one.at, one.what.as_str()))
        .collect();
    assert_eq!(told, [(1_796_040_001, "Which tree? → the oak")]);
}

#[test]
fn without_a_transcript_the_last_card_holds_and_without_one_the_persons_words_do() {
    let redactor = Redactor::new(Vec::new());
    let brief = Brief {
        transcript: None,
        census: None,
        previous: None,
        by_hand: None,
        goes_on_from: None,
        instructions: Some("keep the bench"),
        redactor: &redactor,
        root: None,
    };
    let (draft, _) = by_rules(&brief);
    assert_eq!(
        draft.sections.of(Section::Goal),
        [crate::handoff::claim::Claim::new(
            Origin::User,
            "keep the bench"
        )]
    );
}

#[test]
fn recorded_conversations_give_these_cards() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/claude-code/2.1.332");
    let host = hosts::find("claude-code").unwrap();
    let mut seen = 0;
    for entry in std::fs::read_dir(root.join("cards")).unwrap() {
        let golden = entry.unwrap().path();
        let name = golden.file_stem().unwrap().to_string_lossy().into_owned();
        let transcript = root.join(format!("transcripts/{name}.jsonl"));
        let got = card(&(host.read)(&transcript).unwrap());
        assert_eq!(got, std::fs::read_to_string(&golden).unwrap(), "{name}");
        seen += 1;
    }
    assert_eq!(seen, 5);
}

fn any_turn() -> impl Strategy<Value = What> {
    let text = || "(\\PC|\n|`|\"|\\\\){0,40}";
    prop_oneof![
        text().prop_map(What::Person),
        text().prop_map(What::Agent),
        Just(What::Interrupted),
        Just(What::Compacted),
        (text(), text(), 0..5_usize).prop_map(|(input, output, n)| {
            let outcomes = [
                Outcome::Ok,
                Outcome::Open,
                Outcome::Failed(Some(1)),
                Outcome::Rejected,
                Outcome::Interrupted,
            ];
            let actions = [
                Action::Run {
                    command: input.clone(),
                    cwd: None,
                },
                Action::Edit {
                    path: input.clone(),
                    added: output.clone(),
                },
                Action::Ask {
                    questions: vec![input.clone()],
                },
                Action::Plan {
                    text: input.clone(),
                },
                Action::Read { path: input },
            ];
            What::Tool(ToolUse {
                id: String::new(),
                action: actions[n].clone(),
                outcome: outcomes[output.len() % 5],
                output,
            })
        }),
    ]
}

proptest! {
    #[test]
    fn any_conversation_gives_a_card_within_its_bytes(turns in prop::collection::vec(any_turn(), 0..60)) {
        let mut talk = Talk::default();
        for what in turns {
            talk = talk.say(what);
        }
        let card = card(&talk.0);
        prop_assert!(card.len() <= CARD_BYTES_MAX, "{}", card.len());
        prop_assert!(!card.chars().any(|c| c.is_control() && c != '\n'));
    }

    #[test]
    fn a_recorded_conversation_cut_or_changed_anywhere_gives_a_card(at: prop::sample::Index, to: u8, cut: bool) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures/claude-code/2.1.332/transcripts/manual-compaction-edit-agents.jsonl");
        let mut bytes = std::fs::read(path).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = to;
        if cut {
            bytes.truncate(at);
        }
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, &bytes).unwrap();
        let transcript = (hosts::find("claude-code").unwrap().read)(file.path()).unwrap();
        prop_assert!(card(&transcript).len() <= CARD_BYTES_MAX);
    }
}
