//! The second half of a save where a model is configured: the rules' card stands already, and the model's takes its place.
//! Whatever goes wrong, the rules' card stays, with the reason on it.

use std::path::Path;
use std::time::Duration;

use super::{Request, Saved, Source, card, is_about, notes_file};
use crate::deadline::Deadline;
use crate::handoff::card::{Card, Draft, ModelCall, Stored, Writer};
use crate::handoff::claim::{Origin, Section};
use crate::place::Place;
use crate::secrets;
use crate::state::log::{Did, Entry};
use crate::store::{Replaced, Store};
use crate::writer::model::{self, Material, Prompt, Wish, Written};

/// The longest time that a call may be given, in seconds.
const BUDGET_SECONDS_MAX: u64 = 600;
/// What the card's own work may take once the model has answered: a census, the verdicts, the commit.
const REWRITE_TIME_MAX: Duration = Duration::from_secs(10);

/// Which model is asked, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asking<'a> {
    /// As `anthropic/claude-haiku-4-5`.
    pub(crate) name: &'a str,
    /// Variables that hold keys, with their values.
    pub(crate) keys: &'a [(&'static str, String)],
    /// How long the host waits for the whole.
    pub(crate) host_max: Duration,
    /// Now, in seconds since 1970 UTC.
    pub(crate) now: i64,
}

/// The card as the model writes it, from the one by rules; that one with the reason where the model does not. `before` is the
/// card before it.
pub(crate) fn rewritten(
    place: &Place,
    request: &Request<'_>,
    by_rules: &Card,
    before: Option<&Stored>,
    asking: &Asking<'_>,
) -> Card {
    let settings = &place.settings.model;
    let wish = Wish {
        name: asking.name,
        endpoint: settings.endpoint.as_deref(),
        key_command: settings.key_command.as_deref(),
        command: settings.command.as_deref(),
        keys: asking.keys,
        dir: &request.cwd,
    };
    let budget = budget(place).min(asking.host_max);
    let written = with_material(place, request, by_rules, before, asking.now, |material| {
        model::by_model(&wish, material, budget)
    });
    card_of(place, request, by_rules, written, asking.now)
}

/// What a host's function hook asks a model in our place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    /// What it is to do, and with what.
    pub(crate) prompt: Prompt,
    /// What it may write.
    pub(crate) output_tokens_max: u32,
    /// How long it may take.
    pub(crate) time_max: Duration,
}

/// The question about the card by rules, for somebody else to ask. `before` is the card before it.
pub(crate) fn question(
    place: &Place,
    request: &Request<'_>,
    by_rules: &Card,
    before: Option<&Stored>,
    now: i64,
) -> Question {
    Question {
        prompt: with_material(place, request, by_rules, before, now, model::prompt),
        output_tokens_max: model::OUTPUT_TOKENS_MAX,
        time_max: budget(place),
    }
}

/// The card by the answer to a [`Question`] (or why there is none), as of [`rewritten`].
pub(crate) fn heard(
    place: &Place,
    request: &Request<'_>,
    by_rules: &Card,
    before: Option<&Stored>,
    (call, said): (&ModelCall, Result<&str, &str>),
    now: i64,
) -> Card {
    let written = with_material(place, request, by_rules, before, now, |material| {
        model::heard(call, said, material)
    });
    card_of(place, request, by_rules, written, now)
}

fn budget(place: &Place) -> Duration {
    let seconds = place.settings.model.timeout_seconds;
    Duration::from_secs(seconds.clamp(1, BUDGET_SECONDS_MAX))
}

/// Runs `ask` with what a model writes from.
fn with_material<R>(
    place: &Place,
    request: &Request<'_>,
    by_rules: &Card,
    before: Option<&Stored>,
    now: i64,
    ask: impl FnOnce(&Material<'_>) -> R,
) -> R {
    let repo = place.census_repo();
    let own = &place.settings.redact;
    let redactor = secrets::redactor(request.variables, repo, own);
    let census = by_rules.census.as_ref();
    let here = is_about(request.transcript, census);
    ask(&Material {
        transcript: request.transcript,
        census,
        previous: before.map(|stored| &stored.card),
        decisions: &by_rules.decisions,
        instructions: request.instructions.as_deref(),
        redactor: &redactor,
        root: census.map(|one| one.root.as_str()).filter(|_| here),
        now,
    })
}

/// The card of what a model wrote; that by rules with the reason where it did not.
fn card_of(
    place: &Place,
    request: &Request<'_>,
    by_rules: &Card,
    written: Result<Written, String>,
    now: i64,
) -> Card {
    match written {
        Ok(written) => {
            log(place, request, &written.call, now);
            judged(place, request, by_rules, written)
        }
        Err(because) => Card {
            writer: Writer::Rules {
                because: Some(because),
            },
            ..by_rules.clone()
        },
    }
}

/// What the call cost, for `git segue stats`; a log that cannot be written costs nothing more.
fn log(place: &Place, request: &Request<'_>, call: &ModelCall, now: i64) {
    let entry = Entry {
        at: now,
        host: request.host.to_owned(),
        session: request.session.as_str().to_owned(),
        event: request.trigger.as_str().to_owned(),
        did: Did::Asked,
        card: None,
        bytes: None,
        milliseconds: call.milliseconds,
        model: Some(call.name.clone()),
        tokens: call.input_tokens.zip(call.output_tokens),
        note: String::new(),
    };
    place.state.log(&entry).unwrap_or_default();
}

/// The model's draft, completed by what the rules' card has and judged as theirs was.
fn judged(place: &Place, request: &Request<'_>, by_rules: &Card, written: Written) -> Card {
    let Written {
        mut draft,
        left_out,
        call,
        redactions,
    } = written;
    complete(&mut draft, &left_out, by_rules);
    let request = Request {
        source: Source::Given {
            draft: Box::new(draft),
            writer: Writer::Model(call),
        },
        ..request.clone()
    };
    let stored = Stored {
        id: String::new(),
        parents: Vec::new(),
        at: 0,
        remote: None,
        card: by_rules.clone(),
    };
    let deadline = Deadline::after(REWRITE_TIME_MAX);
    let mut card = card(Some(place), Some(&stored), &request, deadline);
    // The decisions of the model stand behind those that the rules saw.
    for (kind, count) in redactions {
        *card.redactions.entry(kind).or_default() += count;
    }
    card
}

/// Sections that the model left out are the rules'; so is the goal where the model's is not in the person's words.
fn complete(draft: &mut Draft, left_out: &[Section], by_rules: &Card) {
    let of_rules = |section: Section| {
        let judged = by_rules.sections.of(section).iter();
        judged.map(|one| one.claim.clone())
    };
    for &section in left_out {
        draft.sections.of_mut(section).extend(of_rules(section));
    }
    let goal = draft.sections.of_mut(Section::Goal);
    if goal.iter().all(|claim| claim.origin != Origin::User) {
        let mut first: Vec<_> = of_rules(Section::Goal).collect();
        first.retain(|claim| goal.iter().all(|one| one.text != claim.text));
        goal.splice(0..0, first);
    }
}

/// Puts the rewritten card in the place of the one by rules, as long as nobody moved the chain on meanwhile.
pub(crate) fn put(
    place: &Place,
    by_rules: Saved,
    rewritten: Card,
    cwd: &Path,
) -> anyhow::Result<Saved> {
    let store = Store::new(&place.repo).signing(place.settings.sign);
    let replace = || store.replace(&by_rules.appended.id, &rewritten);
    let mut saved = match place.state.saving(replace)? {
        Replaced::Yes(mut appended) => {
            appended.written |= by_rules.appended.written;
            appended.warnings.splice(0..0, by_rules.appended.warnings);
            let root = place.root(cwd);
            if let Err(err) = notes_file::write(place, &rewritten, &root) {
                appended.warnings.push(format!("{err:#}"));
            }
            Saved {
                card: rewritten,
                appended,
            }
        }
        Replaced::Moved => {
            let mut saved = by_rules;
            let late = "a newer card came before the model's answer, which is dropped";
            saved.appended.warnings.push(late.to_owned());
            return Ok(saved);
        }
    };
    saved.appended.warnings.extend(said(&saved.card.writer));
    Ok(saved)
}

/// What there is to tell of a call that did not succeed.
fn said(writer: &Writer) -> Option<String> {
    match writer {
        Writer::Rules {
            because: Some(because),
        } => Some(format!("written by rules: {because}")),
        _ => None,
    }
}

/// Whether a text names a model.
pub(crate) fn is_model(name: &str) -> bool {
    model::is_name(name)
}

/// What a call cost, in one line for the log.
pub(crate) fn cost(call: &ModelCall) -> String {
    let tokens = |count: Option<u64>| count.map_or("?".to_owned(), |count| count.to_string());
    format!(
        "{}: {} tokens read, {} written, {} ms",
        call.name,
        tokens(call.input_tokens),
        tokens(call.output_tokens),
        call.milliseconds
    )
}
