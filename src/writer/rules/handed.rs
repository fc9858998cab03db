//! What somebody has just handed over by hand says more than rules can see: it stands first on the next card, as long as
//! the person has asked for nothing else and the conversation has not shown otherwise.

use super::words;
use crate::handoff::card::Draft;
use crate::handoff::claim::{Claim, Evidence, Section};
use crate::handoff::transcript::TodoState;
use crate::writer::Handed;
use crate::writer::digest::{Digest, Ran, Run};

/// A card by hand is old when more turns than this came after it.
const TURNS_AFTER_MAX: usize = 40;

/// Puts the claims of the card by hand in front of the draft's own, each fact once. The goal stays the person's last ask;
/// what was handed over as the goal comes right behind it.
pub(in crate::writer) fn take_over(draft: &mut Draft, hand: Handed<'_>, digest: &Digest<'_>) {
    if !holds(digest, hand.at) {
        return;
    }
    for section in Section::ALL {
        let own = std::mem::take(draft.sections.of_mut(section));
        let handed = hand.card.sections.of(section).iter();
        let handed: Vec<Claim> = handed
            .map(|judged| judged.claim.clone())
            .filter(|claim| !is_over(claim, section, digest, hand.at))
            .collect();
        let mut kept = own;
        kept.retain(|claim| handed.iter().all(|one| !says_the_same(one, claim, section)));
        let mut kept = kept.into_iter();
        let all = draft.sections.of_mut(section);
        if section == Section::Goal {
            all.extend(kept.next());
        }
        all.extend(handed);
        all.extend(kept);
    }
    if draft.summary.is_none() {
        draft.summary.clone_from(&hand.card.summary);
    }
}

/// Whether the card by hand is still the last word: no ask came after it, and not much else.
fn holds(digest: &Digest<'_>, at: i64) -> bool {
    !asked_since(digest, at) && is_close(digest, at)
}

/// Whether the person has asked for something since, beyond a `go on`.
pub(super) fn asked_since(digest: &Digest<'_>, at: i64) -> bool {
    let mut asks = digest.asks.iter();
    asks.any(|ask| is_later(digest, ask.at, at) && !words::is_bare(ask.text))
}

/// Whether not much has happened since.
pub(super) fn is_close(digest: &Digest<'_>, at: i64) -> bool {
    let turns = (0..digest.turns.len()).rev();
    let since = turns.take_while(|&turn| is_later(digest, turn, at));
    since.count() <= TURNS_AFTER_MAX
}

fn is_later(digest: &Digest<'_>, turn: usize, at: i64) -> bool {
    let turn = digest.turns.get(turn);
    turn.is_none_or(|turn| turn.at == 0 || turn.at > at)
}

/// Whether the conversation since shows that an open end is none any more: its command passed, its todo is ticked off.
pub(super) fn is_over(claim: &Claim, section: Section, digest: &Digest<'_>, at: i64) -> bool {
    if !matches!(section, Section::InFlight | Section::NextSteps) {
        return false;
    }
    let named = |run: &Run<'_>| {
        let evidence = claim.evidence.iter();
        let command =
            |one: &Evidence| matches!(one, Evidence::Command { line, .. } if run.is(line));
        let said = |line: &str| claim.text.contains(&format!("`{line}`"));
        evidence.clone().any(command) || said(&run.line) || said(&run.bare)
    };
    let passed = digest.runs.iter().any(|run| {
        let since = digest.turns.get(run.last).is_some_and(|turn| turn.at > at);
        since && run.ran == Ran::Passed && named(run)
    });
    let ticked = digest
        .todos
        .iter()
        .any(|todo| todo.state == TodoState::Done && plain(&todo.text) == plain(&claim.text));
    passed || ticked
}

/// Whether two claims tell one fact: the same words, or under Read first the same file.
pub(super) fn says_the_same(one: &Claim, other: &Claim, section: Section) -> bool {
    let first = |claim: &Claim| claim.paths().next().map(str::to_owned);
    plain(&one.text) == plain(&other.text)
        || (section == Section::ReadFirst && first(one).is_some() && first(one) == first(other))
}

fn plain(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::handoff::card::{Card, Frame, Provenance, Writer};
    use crate::handoff::claim::{Origin, Verdict};
    use crate::handoff::decision::DecisionLog;
    use crate::handoff::redact::Redactor;
    use crate::handoff::session::{Kind, SessionId, Trigger};
    use crate::handoff::transcript::{Action, Outcome, ToolUse, Transcript, Turn, What};
    use crate::writer::{Brief, by_rules};

    /// When the card by hand was written.
    const HANDED: i64 = 100;

    fn hand(claims: &[(Section, Claim)]) -> Card {
        let mut draft = Draft::default();
        for (section, claim) in claims {
            draft.sections.of_mut(*section).push(claim.clone());
        }
        let frame = Frame {
            provenance: Provenance {
                session: SessionId::new("s-1"),
                host: "claude-code".to_owned(),
                kind: Kind::Card,
                trigger: Trigger::Manual,
                instructions: None,
                transcript: None,
                cwd: None,
                repository: None,
                continues: None,
            },
            writer: Writer::Hand,
            decisions: DecisionLog::default(),
            subagents: Vec::new(),
            census: None,
            redactions: BTreeMap::new(),
        };
        Card::judge(draft, frame, |_, _| Verdict::Unconfirmed(None))
    }

    fn transcript(turns: &[(i64, What)]) -> Transcript {
        let mut transcript = Transcript::default();
        for (at, what) in turns {
            transcript.push(Turn {
                at: *at,
                what: what.clone(),
            });
        }
        transcript
    }

    fn person(text: &str) -> What {
        What::Person(text.to_owned())
    }

    fn ran(command: &str, outcome: Outcome) -> What {
        What::Tool(ToolUse {
            id: command.to_owned(),
            action: Action::Run {
                command: command.to_owned(),
                cwd: None,
            },
            outcome,
            output: String::new(),
        })
    }

    /// The texts of a section of the draft that follows a card by hand.
    fn after(card: &Card, turns: &[(i64, What)], section: Section) -> Vec<String> {
        let (transcript, redactor) = (transcript(turns), Redactor::default());
        let (draft, _) = by_rules(&Brief {
            transcript: Some(&transcript),
            census: None,
            previous: None,
            by_hand: Some(Handed { card, at: HANDED }),
            goes_on_from: None,
            instructions: None,
            redactor: &redactor,
            root: None,
        });
        let claims = draft.sections.of(section).iter();
        claims.map(|claim| claim.text.clone()).collect()
    }

    fn agent(text: &str) -> Claim {
        Claim::new(Origin::Agent, text)
    }

    #[test]
    fn what_was_handed_over_stands_first_until_the_person_asks_again() {
        let card = hand(&[
            (Section::Goal, agent("a faster parser")),
            (Section::NextSteps, agent("measure it")),
            (Section::Traps, agent("the cache is off in tests")),
        ]);
        let asked = (10, person("Make the parser faster"));
        let words = (90, What::Agent("Next I will write the docs.".to_owned()));
        let turns = [asked.clone(), words];
        let steps = |turns: &[(i64, What)]| after(&card, turns, Section::NextSteps);
        assert_eq!(steps(&turns), ["measure it", "Next I will write the docs."]);
        assert_eq!(
            after(&card, &turns, Section::Goal),
            ["Make the parser faster", "a faster parser"]
        );
        assert_eq!(
            after(&card, &turns, Section::Traps),
            ["the cache is off in tests"]
        );
        let thanked = [asked.clone(), (120, person("ok thanks"))];
        assert_eq!(steps(&thanked), ["measure it"]);
        let asked_again = [asked.clone(), (120, person("Now write the docs"))];
        assert_eq!(steps(&asked_again), Vec::<String>::new());
        let mut long = vec![asked];
        for n in 0..=TURNS_AFTER_MAX {
            long.push((120, ran(&format!("make part{n}"), Outcome::Ok)));
        }
        assert_eq!(steps(&long), Vec::<String>::new());
        long.pop();
        assert_eq!(steps(&long), ["measure it"]);
    }

    #[test]
    fn what_the_conversation_has_answered_since_is_open_no_more() {
        let command = Evidence::Command {
            line: "cargo test parse".to_owned(),
            exit: None,
            passed: None,
            stale: false,
        };
        let card = hand(&[
            (Section::InFlight, agent("one test fails").with(command)),
            (Section::NextSteps, agent("run `make lint`")),
            (Section::NextSteps, agent("tell the person")),
        ]);
        let asked = (10, person("Make the parser faster"));
        let before = [
            asked.clone(),
            (90, ran("cargo test parse", Outcome::Ok)),
            (91, ran("make lint", Outcome::Failed(Some(1)))),
        ];
        assert_eq!(
            after(&card, &before, Section::InFlight)[0],
            "one test fails"
        );
        assert_eq!(after(&card, &before, Section::NextSteps).len(), 2);
        let since = [
            asked,
            (110, ran("cargo test parse", Outcome::Ok)),
            (111, ran("make lint", Outcome::Ok)),
        ];
        assert_eq!(
            after(&card, &since, Section::InFlight),
            Vec::<String>::new()
        );
        assert_eq!(
            after(&card, &since, Section::NextSteps),
            ["tell the person"]
        );
    }

    #[test]
    fn a_fact_that_both_know_stands_once() {
        let file = |text: &str| {
            agent(text).with(Evidence::Path {
                path: "src/a.rs".to_owned(),
                line: None,
                blob: None,
            })
        };
        let card = hand(&[(Section::ReadFirst, file("src/a.rs: the heart of it"))]);
        let read = What::Tool(ToolUse {
            id: "r".to_owned(),
            action: Action::Read {
                path: "src/a.rs".to_owned(),
            },
            outcome: Outcome::Ok,
            output: String::new(),
        });
        let turns = [(10, person("Make the parser faster")), (20, read)];
        assert_eq!(
            after(&card, &turns, Section::ReadFirst),
            ["src/a.rs: the heart of it"]
        );
    }
}
