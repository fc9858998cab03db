//! What is wrong with `segue.*` in git's config: keys that do not exist, values that count as unset since they make no sense.

use super::{SECTION, truth};
use crate::git::{Repo, Written, date};

/// More percent than this there is not.
const PERCENT_MAX: u64 = 100;

/// What a value must be.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// A whole number, none below zero.
    Number,
    /// A whole number up to a hundred.
    Percent,
    /// As git spells truth values.
    Truth,
    /// An age, as git writes ages.
    Age,
    /// Who writes cards.
    Model,
    /// Anything.
    Text,
}

/// Every key with what its value must be.
const KEYS: [(&str, Shape); 19] = [
    ("saveInterval", Shape::Number),
    ("pressurePercent", Shape::Percent),
    ("guardPercent", Shape::Percent),
    ("holdMinutes", Shape::Number),
    ("summaryHint", Shape::Truth),
    ("censusCommand", Shape::Text),
    ("redact", Shape::Text),
    ("remote", Shape::Text),
    ("trustRemote", Shape::Text),
    ("sign", Shape::Truth),
    ("autoPush", Shape::Truth),
    ("carryWorktree", Shape::Truth),
    ("expire", Shape::Age),
    ("handoffDir", Shape::Text),
    ("model", Shape::Model),
    ("endpoint", Shape::Text),
    ("apiKeyCommand", Shape::Text),
    ("modelCommand", Shape::Text),
    ("timeout", Shape::Number),
];

/// Something wrong in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// What, in one line.
    pub(crate) text: String,
    /// The command that mends it.
    pub(crate) mend: String,
}

/// What is wrong with the settings in the files that `repo` reads.
pub(crate) fn faults(repo: &Repo) -> Vec<Fault> {
    let written = repo.section_in_files(SECTION);
    written.iter().filter_map(fault).collect()
}

fn fault(one: &Written) -> Option<Fault> {
    let known = KEYS
        .iter()
        .find(|(key, _)| key.eq_ignore_ascii_case(&one.key));
    let text = match known {
        None => format!("there is no setting `{SECTION}.{}`", one.key),
        Some((key, shape)) => {
            let why = why_not(*shape, &one.value)?;
            format!("`{SECTION}.{key}` is `{}`: {why}", one.value.trim())
        }
    };
    let key = known.map_or(one.key.as_str(), |(key, _)| key);
    let mend = format!("git config{} --unset-all {SECTION}.{key}", one.flag);
    Some(Fault { text, mend })
}

/// Why that value makes no sense there; none where it does.
fn why_not(shape: Shape, value: &str) -> Option<&'static str> {
    let number = value.trim().parse::<u64>();
    match shape {
        Shape::Number => number.is_err().then_some("that is no whole number from 0"),
        Shape::Percent => {
            let sound = number.is_ok_and(|number| number <= PERCENT_MAX);
            (!sound).then_some("that is no whole number from 0 to 100")
        }
        Shape::Truth => truth(value).is_none().then_some("that is neither true nor false"),
        Shape::Age => date::before(value, 0).is_none().then_some("that is no age, as `90.days` is"),
        Shape::Model => (!is_model(value.trim())).then_some(
            "a model is `anthropic/<model>`, `openai/<model>`, `compatible/<model>`, `command` or `none`",
        ),
        Shape::Text => None,
    }
}

fn is_model(value: &str) -> bool {
    match value.split_once('/') {
        Some((provider, model)) => {
            matches!(provider, "anthropic" | "openai" | "compatible") && !model.is_empty()
        }
        None => matches!(value, "" | "command" | super::NO_MODEL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: &str, value: &str, expect: Option<&str>) {
        let written = Written {
            key: key.to_owned(),
            value: value.to_owned(),
            flag: " --global",
        };
        let text = fault(&written).map(|fault| fault.text);
        assert_eq!(text.as_deref(), expect, "{key}={value}");
    }

    #[test]
    fn values_that_make_no_sense_and_keys_that_do_not_exist_are_named() {
        check("saveinterval", " 120 ", None);
        check("carryworktree", "yes", None);
        check("expire", "90.days", None);
        check("model", "compatible/qwen3:8b", None);
        check("redact", "banana", None);
        let text = "`segue.saveInterval` is `banana`: that is no whole number from 0";
        check("saveinterval", "banana", Some(text));
        let text = "`segue.holdMinutes` is `-1`: that is no whole number from 0";
        check("holdminutes", "-1", Some(text));
        let text = "`segue.guardPercent` is `101`: that is no whole number from 0 to 100";
        check("guardpercent", "101", Some(text));
        let text = "`segue.carryWorktree` is `perhaps`: that is neither true nor false";
        check("carryworktree", "perhaps", Some(text));
        check(
            "savinterval",
            "1",
            Some("there is no setting `segue.savinterval`"),
        );
    }
}
