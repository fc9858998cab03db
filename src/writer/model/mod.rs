//! A model writes the draft, by one call. What it says is a draft like any other: judged by the repository, believed nowhere.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use super::pen::Pen;
use crate::deadline::Deadline;
use crate::git::process::Call;
use crate::handoff::card::{Card, Draft, ModelCall};
use crate::handoff::census::Census;
use crate::handoff::claim::Section;
use crate::handoff::clip;
use crate::handoff::command_line;
use crate::handoff::decision::DecisionLog;
use crate::handoff::redact::Redactor;
use crate::handoff::transcript::Transcript;
pub(crate) use prompt::Prompt;
pub(crate) use providers::OUTPUT_TOKENS_MAX;
use providers::{Reply, anthropic, command, compatible, cut, openai};

mod answer;
mod claims;
#[cfg(feature = "http")]
mod http;
#[cfg(not(feature = "http"))]
#[path = "no_http.rs"]
mod http;
mod prompt;
mod providers;
mod script;
#[cfg(test)]
mod tests;

/// The longest answer that is read, in bytes.
const ANSWER_BYTES_MAX: u64 = 256 * 1024;
/// The longest reason that stands on a card, in bytes.
const REASON_BYTES_MAX: usize = 200;
/// The longest name of a model that stands on a card, in bytes.
const NAME_BYTES_MAX: usize = 80;
/// What ends an answer that is whole.
const ANSWER_END: &str = "</handoff>";
/// What is read of a key command's output, in bytes.
const KEY_BYTES_MAX: usize = 16 * 1024;
/// What may stand before a model's name.
const PROVIDERS: [&str; 3] = ["anthropic", "openai", "compatible"];
/// As the name of a model: a program of the person's own.
const COMMAND: &str = "command";

/// What is configured about the model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wish<'w> {
    /// `anthropic/<model>`, `openai/<model>`, `compatible/<model>`, or `command`.
    pub(crate) name: &'w str,
    /// The provider's address where it is not the usual one.
    pub(crate) endpoint: Option<&'w str>,
    /// Prints the key.
    pub(crate) key_command: Option<&'w str>,
    /// With `command`: reads the prompt, prints the answer.
    pub(crate) command: Option<&'w str>,
    /// Variables that hold keys, with their values.
    pub(crate) keys: &'w [(&'static str, String)],
    /// The folder that the key command runs in.
    pub(crate) dir: &'w Path,
}

/// What a model is given to write from.
#[derive(Clone, Copy)]
pub(crate) struct Material<'m> {
    /// The conversation.
    pub(crate) transcript: Option<&'m Transcript>,
    /// The repository.
    pub(crate) census: Option<&'m Census>,
    /// The session's previous card.
    pub(crate) previous: Option<&'m Card>,
    /// The chain's decisions.
    pub(crate) decisions: &'m DecisionLog,
    /// What the person wrote behind `/compact` or `save -m`.
    pub(crate) instructions: Option<&'m str>,
    /// Takes secrets out of everything before it leaves.
    pub(crate) redactor: &'m Redactor,
    /// Paths relative to this are written relative; the work tree's root.
    pub(crate) root: Option<&'m str>,
    /// Now, in seconds since 1970 UTC.
    pub(crate) now: i64,
}

/// A draft by a model.
#[derive(Debug)]
pub(crate) struct Written {
    /// What it says.
    pub(crate) draft: Draft,
    /// Sections that its answer did not have.
    pub(crate) left_out: Vec<Section>,
    /// Who wrote it and what it cost.
    pub(crate) call: ModelCall,
    /// How many secrets were taken out of its words, by kind.
    pub(crate) redactions: BTreeMap<String, u32>,
}

/// Why there is no draft.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fault {
    /// The time was over.
    TimedOut,
    /// The answer was longer than is read.
    TooLong,
    /// Anything else, as it stands behind the model's name.
    Told(String),
}

/// Asks the model once and reads its answer. An error is one line as it stands on a card: `<model> timed out after 40 s`.
pub(crate) fn by_model(
    wish: &Wish<'_>,
    material: &Material<'_>,
    budget: Duration,
) -> Result<Written, String> {
    let deadline = Deadline::after(budget);
    let started = Instant::now();
    let asked = || -> Result<Written, Fault> {
        let model = Model::choose(wish)?;
        let prompt = prompt(material);
        let reply = model.ask(wish, &prompt, deadline)?;
        let call = ModelCall {
            name: label(wish.name).to_owned(),
            input_tokens: reply.input_tokens,
            output_tokens: reply.output_tokens,
            milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        written(&reply.text, call, material, &prompt)
    };
    asked().map_err(|fault| reason(fault, label(wish.name), budget, material))
}

/// What a model is asked: the same whoever asks it.
pub(crate) fn prompt(material: &Material<'_>) -> Prompt {
    // What is taken out of the prompt is no part of the card.
    prompt::write(material, &mut BTreeMap::new())
}

/// The draft of a model that somebody else asked with [`prompt()`]; `said` are its words, or why there are none. An error is
/// one line as of [`by_model`].
pub(crate) fn heard(
    call: &ModelCall,
    said: Result<&str, &str>,
    material: &Material<'_>,
) -> Result<Written, String> {
    let name = clip::one_line(&call.name, NAME_BYTES_MAX);
    let read = || -> Result<Written, Fault> {
        let text = said.map_err(|why| Fault::Told(why.to_owned()))?;
        if u64::try_from(text.len()).is_ok_and(|bytes| bytes > ANSWER_BYTES_MAX) {
            return Err(Fault::TooLong);
        }
        if call.output_tokens >= Some(OUTPUT_TOKENS_MAX.into()) && !text.contains(ANSWER_END) {
            return Err(cut());
        }
        let call = ModelCall {
            name: name.clone(),
            ..call.clone()
        };
        written(text, call, material, &prompt(material))
    };
    read().map_err(|fault| reason(fault, &name, Duration::ZERO, material))
}

/// The draft of an answer.
fn written(
    text: &str,
    call: ModelCall,
    material: &Material<'_>,
    prompt: &Prompt,
) -> Result<Written, Fault> {
    let answer = answer::read(text)?;
    if script::is_foreign(text, &prompt.data) {
        return Err(Fault::Told("answered in another language".to_owned()));
    }
    let mut pen = Pen::new(material.redactor);
    let draft = claims::draft(&answer, material, &mut pen);
    let said = |section: &Section| answer.sections.iter().any(|(one, _)| one == section);
    Ok(Written {
        draft,
        left_out: Section::ALL.into_iter().filter(|one| !said(one)).collect(),
        call,
        redactions: pen.redactions(),
    })
}

/// Why there is no draft, in one line.
fn reason(fault: Fault, name: &str, budget: Duration, material: &Material<'_>) -> String {
    let why = match fault {
        Fault::TimedOut => format!("timed out after {} s", budget.as_secs()),
        Fault::TooLong => format!("gave an answer over {} KiB", ANSWER_BYTES_MAX / 1024),
        Fault::Told(why) => why,
    };
    let why = material.redactor.clean(&why, &mut BTreeMap::new());
    clip::one_line(&format!("{name} {why}"), REASON_BYTES_MAX)
}

/// Whether a text names a model, which may still not be there.
pub(crate) fn is_name(name: &str) -> bool {
    match name.split_once('/') {
        Some((provider, model)) => PROVIDERS.contains(&provider) && !model.is_empty(),
        None => name == COMMAND,
    }
}

/// The model's own name, without its provider.
fn label(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, model)| model)
}

/// Whom to ask.
enum Model<'w> {
    Anthropic(&'w str),
    OpenAi(&'w str),
    Compatible(&'w str, &'w str),
    Command(String, Vec<String>),
}

impl<'w> Model<'w> {
    fn choose(wish: &Wish<'w>) -> Result<Self, Fault> {
        let told = |why: &str| Err(Fault::Told(why.to_owned()));
        match wish.name.split_once('/') {
            Some(("anthropic", model)) if !model.is_empty() => Ok(Self::Anthropic(model)),
            Some(("openai", model)) if !model.is_empty() => Ok(Self::OpenAi(model)),
            Some(("compatible", model)) if !model.is_empty() => match wish.endpoint {
                Some(endpoint) => Ok(Self::Compatible(model, endpoint)),
                None => told("has no address: segue.endpoint is not set"),
            },
            None if wish.name == COMMAND => {
                let line = wish.command.unwrap_or_default();
                let mut words = command_line::split(line).unwrap_or_default().into_iter();
                match words.next() {
                    Some(program) => Ok(Self::Command(program, words.collect())),
                    None => told(
                        "is not to be found: segue.modelCommand is not set, or has an unended quote",
                    ),
                }
            }
            _ => told(
                "is no model: segue.model is anthropic/<model>, openai/<model>, compatible/<model> or command",
            ),
        }
    }

    fn ask(&self, wish: &Wish<'_>, prompt: &Prompt, deadline: Deadline) -> Result<Reply, Fault> {
        let key = |url: &str, variable| key(wish, url, variable, deadline);
        match self {
            Self::Anthropic(model) => {
                let url = wish.endpoint.unwrap_or(anthropic::ADDRESS);
                let key = key(url, Some(anthropic::KEY_VARIABLE))?;
                let post = anthropic::request(model, url, key.as_deref(), prompt);
                anthropic::read(&send(&post, key.as_deref(), deadline)?)
            }
            Self::OpenAi(model) => {
                let url = wish.endpoint.unwrap_or(openai::ADDRESS);
                let key = key(url, Some(openai::KEY_VARIABLE))?;
                let post = openai::request(model, url, key.as_deref(), prompt);
                openai::read(&send(&post, key.as_deref(), deadline)?)
            }
            Self::Compatible(model, url) => {
                let key = key(url, compatible::key_variable(url))?;
                let post = compatible::request(model, url, key.as_deref(), prompt);
                compatible::read(&send(&post, key.as_deref(), deadline)?)
            }
            Self::Command(program, args) => command::run(program, args, prompt, deadline),
        }
    }
}

/// Sends a request; what is told of a failure does not hold the key, which servers repeat.
fn send(post: &http::Post, key: Option<&str>, deadline: Deadline) -> Result<Vec<u8>, Fault> {
    http::send(post, deadline).map_err(|fault| match (fault, key) {
        (Fault::Told(why), Some(key)) => Fault::Told(why.replace(key, "[redacted:key]")),
        (fault, _) => fault,
    })
}

/// The key for an address: what `segue.apiKeyCommand` prints, else the provider's usual variable. It never travels in plain
/// text to another machine.
fn key(
    wish: &Wish<'_>,
    url: &str,
    variable: Option<&str>,
    deadline: Deadline,
) -> Result<Option<String>, Fault> {
    let from_variable = wish
        .keys
        .iter()
        .find(|(name, _)| Some(*name) == variable)
        .map(|(_, value)| value.clone());
    let key = match wish.key_command {
        Some(line) => Some(printed_key(line, wish.dir, deadline)?),
        None => from_variable,
    };
    match (key, variable) {
        (Some(_), _) if !url.starts_with("https://") && !http::is_local(url) => Err(Fault::Told(
            format!("was not asked: `{url}` would get the key in plain text"),
        )),
        (None, Some(variable)) if !http::is_local(url) => Err(Fault::Told(format!(
            "was not asked: neither {variable} nor segue.apiKeyCommand is set"
        ))),
        (key, _) => Ok(key),
    }
}

fn printed_key(line: &str, dir: &Path, deadline: Deadline) -> Result<String, Fault> {
    let told = |why: String| Fault::Told(format!("was not asked: segue.apiKeyCommand {why}"));
    let words = command_line::split(line).unwrap_or_default();
    let (program, args) = words
        .split_first()
        .ok_or_else(|| told("has an unended quote".to_owned()))?;
    let output = Call::new(program)
        .args(args)
        .dir(dir)
        .deadline(deadline)
        .output_bytes_max(KEY_BYTES_MAX)
        .run()
        .map_err(|err| told(format!("failed: {err:#}")))?;
    if !output.success() {
        return Err(told(format!("failed: {}", output.complaint())));
    }
    let text = output.text();
    let key = text.lines().next().unwrap_or_default().trim();
    if key.is_empty() || key.contains(char::is_control) {
        return Err(told("printed no key".to_owned()));
    }
    Ok(key.to_owned())
}
