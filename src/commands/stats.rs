//! `git segue stats`: what the hooks did, summed up by day and by session.

use serde_json::{Map, Value, json};
use time::{OffsetDateTime, UtcOffset};

use super::{Context, Ending, json};
use crate::handoff::session::Shorts;
use crate::place::Make;
use crate::state::log::{Did, Entry};
use crate::ui::{Ink, Line};

/// What is typed behind `stats`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// The titles of what a model was paid.
const MODEL_COLUMNS: &str = "  calls tokens read tokens written";

/// What was done, summed up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sum {
    /// Cards written.
    saves: u64,
    /// Cards given to an agent.
    givings: u64,
    /// Bytes of text given to agents, cards and other words.
    bytes_given: u64,
    /// Times that something went wrong.
    troubles: u64,
    /// What the hooks took, in milliseconds.
    milliseconds: u64,
    /// Cards that a model wrote.
    calls: u64,
    /// Tokens that it read, as far as its provider says.
    tokens_read: u64,
    /// Tokens that it wrote, as far as its provider says.
    tokens_written: u64,
    /// What it took, in milliseconds; within what the hooks took.
    model_milliseconds: u64,
}

/// Sums under a name, the newest name first.
type Sums = Vec<(String, Sum)>;

/// Prints the sums of the log.
pub(super) fn run(args: &Args, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    let place = cx.place(Make::No)?;
    let entries = place.state.entries();
    let offset = UtcOffset::from_whole_seconds(cx.env.git.utc_offset).unwrap_or(UtcOffset::UTC);
    let days = sums(&entries, |entry| Some(day(entry.at, offset)));
    let sessions = sums(&entries, |entry| Some(entry.session.clone()));
    let models = sums(&entries, |entry| entry.model.clone());
    let total = entries.iter().fold(Sum::default(), Sum::with);
    if args.json {
        let body = json!({
            "total": total.json(),
            "days": in_json(&days, "day"),
            "sessions": in_json(&sessions, "session"),
            "models": in_json(&models, "model"),
        });
        cx.ui.json(&json::answer("stats", body))?;
        return Ok(Ending::Yes);
    }
    if entries.is_empty() {
        cx.ui.line(&Line::new().text("no hook has run here yet"))?;
        return Ok(Ending::Yes);
    }
    cx.ui.page()?;
    let asked = total.calls > 0;
    let shorts = Shorts::of(sessions.iter().map(|(name, _)| name.as_str()));
    for (title, sums) in [("day", &days), ("session", &sessions)] {
        cx.ui.line(&heading(title, asked))?;
        for (name, sum) in sums {
            let name = if title == "day" {
                name
            } else {
                shorts.get(name)
            };
            cx.ui.line(&sum.line(name, asked))?;
        }
    }
    cx.ui.line(&total.line("total", asked))?;
    if asked {
        let columns = format!("{:<28}{MODEL_COLUMNS} {:>8}", "model", "seconds");
        cx.ui.line(&Line::new().ink(Ink::Title, columns))?;
    }
    for (name, sum) in &models {
        let seconds = sum.model_milliseconds as f64 / 1000.0;
        let line = Line::new().ink(Ink::Id, format!("{name:<28}"));
        cx.ui
            .line(&line.text(format!("{} {seconds:>8.1}", sum.model_columns())))?;
    }
    Ok(Ending::Yes)
}

/// The entries of each name, summed; the name that was seen last comes first.
fn sums(entries: &[Entry], name: impl Fn(&Entry) -> Option<String>) -> Sums {
    let mut sums: Sums = Vec::new();
    for entry in entries.iter().rev() {
        let Some(name) = name(entry) else { continue };
        match sums.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum = sum.with(entry),
            None => sums.push((name, Sum::default().with(entry))),
        }
    }
    sums
}

/// The person's day of a moment, as `2026-11-30`.
fn day(at: i64, offset: UtcOffset) -> String {
    let moment = OffsetDateTime::from_unix_timestamp(at)
        .ok()
        .and_then(|moment| moment.checked_to_offset(offset));
    moment.map_or_else(|| "-".to_owned(), |moment| moment.date().to_string())
}

impl Sum {
    fn with(self, entry: &Entry) -> Self {
        if entry.did == Did::Asked {
            let (read, written) = entry.tokens.unwrap_or_default();
            return Self {
                calls: self.calls + 1,
                tokens_read: self.tokens_read.saturating_add(read),
                tokens_written: self.tokens_written.saturating_add(written),
                model_milliseconds: self.model_milliseconds.saturating_add(entry.milliseconds),
                ..self
            };
        }
        let bytes = entry.bytes.and_then(|bytes| u64::try_from(bytes).ok());
        Self {
            saves: self.saves + u64::from(entry.did == Did::Saved),
            givings: self.givings + u64::from(entry.did == Did::Gave),
            bytes_given: self.bytes_given + bytes.unwrap_or(0),
            troubles: self.troubles + u64::from(entry.did == Did::Trouble),
            milliseconds: self.milliseconds.saturating_add(entry.milliseconds),
            ..self
        }
    }

    /// What a model was paid is shown where one was `asked` at all.
    fn line(self, name: &str, asked: bool) -> Line {
        let line = Line::new().ink(Ink::Id, format!("{name:<12}"));
        let line = line.text(format!(
            "{:>7} {:>8} {:>12} ",
            self.saves, self.givings, self.bytes_given
        ));
        let ink = if self.troubles > 0 {
            Ink::Bad
        } else {
            Ink::Plain
        };
        let line = line.ink(ink, format!("{:>9}", self.troubles));
        match asked {
            true => line.text(format!(" {}", self.model_columns())),
            false => line,
        }
    }

    fn model_columns(self) -> String {
        format!(
            "{:>7} {:>11} {:>14}",
            self.calls, self.tokens_read, self.tokens_written
        )
    }

    fn json(self) -> Value {
        json!({
            "saves": self.saves,
            "givings": self.givings,
            "bytes_given": self.bytes_given,
            "troubles": self.troubles,
            "milliseconds": self.milliseconds,
            "calls": self.calls,
            "tokens_read": self.tokens_read,
            "tokens_written": self.tokens_written,
            "model_milliseconds": self.model_milliseconds,
        })
    }
}

fn heading(title: &str, asked: bool) -> Line {
    let mut columns = format!(
        "{title:<12}{:>7} {:>8} {:>12} {:>9}",
        "saves", "givings", "bytes given", "troubles"
    );
    if asked {
        columns += &format!(" {MODEL_COLUMNS}");
    }
    Line::new().ink(Ink::Title, columns)
}

fn in_json(sums: &Sums, key: &str) -> Vec<Value> {
    let one = |(name, sum): &(String, Sum)| {
        let mut object = Map::new();
        object.insert(key.to_owned(), json!(name));
        if let Value::Object(sum) = sum.json() {
            object.extend(sum);
        }
        Value::Object(object)
    };
    sums.iter().map(one).collect()
}
