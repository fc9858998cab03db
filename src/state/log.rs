//! `segue.log`: one line an event, so that a person (and `doctor`) can see what every hook did.
//!
//! ```text
//! 2026-11-30T12:00:00Z claude-code 0190a000-0000-7000-8000-000000000001 PreCompact saved card=1f0c2a9b bytes=5120 ms=12 compact-auto
//! ```

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};

use anyhow::Context;

use super::StateDir;
use crate::handoff::decision::stamp;
use crate::handoff::session::short;

/// Beyond this the older half is dropped.
const LOG_BYTES_MAX: u64 = 1 << 20;
/// A word is cut to this, in characters; the longest name of a session that is no hash is not.
const WORD_CHARS_MAX: usize = 100;
/// What one event may say beside its fields, in bytes.
const NOTE_BYTES_MAX: usize = 400;

/// What a hook did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Did {
    /// Wrote a card.
    Saved,
    /// Would have, but the tip held the same card.
    Unchanged,
    /// Gave a card to the agent.
    Gave,
    /// Told the agent something else: the advisory line, the pressure line.
    Told,
    /// Waited for subagents.
    Held,
    /// Refused a subagent.
    Refused,
    /// Nothing to do.
    Nothing,
    /// Had a model write: a line of its own beside that of the event.
    Asked,
    /// Something went wrong; the host went on.
    Trouble,
}

impl Did {
    const ALL: [(Self, &'static str); 9] = [
        (Self::Saved, "saved"),
        (Self::Unchanged, "unchanged"),
        (Self::Gave, "gave"),
        (Self::Told, "told"),
        (Self::Held, "held"),
        (Self::Refused, "refused"),
        (Self::Nothing, "nothing"),
        (Self::Asked, "asked"),
        (Self::Trouble, "trouble"),
    ];

    /// As it stands in the log.
    pub(crate) fn as_str(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(did, _)| *did == self)
            .map_or("", |(_, name)| name)
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(_, one)| *one == name)
            .map(|(did, _)| *did)
    }
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// When, in seconds since 1970 UTC.
    pub(crate) at: i64,
    /// The host's name.
    pub(crate) host: String,
    /// The session; `-` where the host gave none.
    pub(crate) session: String,
    /// The host's name for the event.
    pub(crate) event: String,
    /// What was done.
    pub(crate) did: Did,
    /// The card, as people see it.
    pub(crate) card: Option<String>,
    /// Bytes given.
    pub(crate) bytes: Option<usize>,
    /// How long it took.
    pub(crate) milliseconds: u64,
    /// The model that was asked.
    pub(crate) model: Option<String>,
    /// Tokens that it read and wrote, where its provider says them.
    pub(crate) tokens: Option<(u64, u64)>,
    /// Whatever else there is to say, in one line.
    pub(crate) note: String,
}

impl Entry {
    fn line(&self) -> String {
        let word = |text: &str| {
            let word: String = text
                .chars()
                .filter(|c| c.is_ascii_graphic())
                .take(WORD_CHARS_MAX)
                .collect();
            if word.is_empty() {
                "-".to_owned()
            } else {
                word
            }
        };
        let (host, session, event) = (word(&self.host), word(&self.session), word(&self.event));
        let mut line = format!(
            "{} {host} {session} {event} {}",
            stamp(self.at),
            self.did.as_str()
        );
        let card = self
            .card
            .as_deref()
            .map(|card| format!(" card={}", word(short(card))))
            .unwrap_or_default();
        let bytes = self
            .bytes
            .map(|bytes| format!(" bytes={bytes}"))
            .unwrap_or_default();
        let model = self
            .model
            .as_deref()
            .map(|model| format!(" model={}", word(model)))
            .unwrap_or_default();
        let tokens = self
            .tokens
            .map(|(read, written)| format!(" read={read} wrote={written}"))
            .unwrap_or_default();
        let milliseconds = self.milliseconds;
        write!(line, "{card}{bytes} ms={milliseconds}{model}{tokens}").unwrap_or_default();
        let note: Vec<&str> = self
            .note
            .split(|c: char| c.is_whitespace() || c.is_control())
            .filter(|w| !w.is_empty())
            .collect();
        let note = crate::handoff::clip::head(&note.join(" "), NOTE_BYTES_MAX);
        if !note.is_empty() {
            line.push(' ');
            line.push_str(&note);
        }
        line
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(6, ' ');
        let at = words.next()?;
        let at =
            time::OffsetDateTime::parse(at, &time::format_description::well_known::Rfc3339).ok()?;
        let (host, session, event) = (words.next()?, words.next()?, words.next()?);
        let did = Did::parse(words.next()?)?;
        let mut entry = Self {
            at: at.unix_timestamp(),
            host: host.to_owned(),
            session: session.to_owned(),
            event: event.to_owned(),
            did,
            card: None,
            bytes: None,
            milliseconds: 0,
            model: None,
            tokens: None,
            note: String::new(),
        };
        let mut read = None;
        let mut rest = words.next().unwrap_or_default();
        while let Some((name, value)) = rest.split(' ').next().and_then(|word| word.split_once('='))
        {
            match name {
                "card" => entry.card = Some(value.to_owned()),
                "bytes" => entry.bytes = value.parse().ok(),
                "ms" => entry.milliseconds = value.parse().ok()?,
                "model" => entry.model = Some(value.to_owned()),
                "read" => read = value.parse().ok(),
                "wrote" => entry.tokens = read.zip(value.parse().ok()),
                _ => break,
            }
            rest = rest.split_once(' ').map_or("", |(_, rest)| rest);
        }
        entry.note = rest.to_owned();
        Some(entry)
    }
}

impl StateDir {
    /// Appends one line; a log that has grown too long loses its older half first.
    pub(crate) fn log(&self, entry: &Entry) -> anyhow::Result<()> {
        let path = self.dir.join("segue.log");
        let context = || format!("cannot write `{}`", path.display());
        let open = || {
            std::fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(&path)
        };
        let mut file = match open() {
            Err(err) if err.kind() == ErrorKind::NotFound => {
                std::fs::create_dir_all(&self.dir).with_context(context)?;
                open()
            }
            opened => opened,
        }
        .with_context(context)?;
        if file.metadata().is_ok_and(|meta| meta.len() > LOG_BYTES_MAX) {
            let text = std::fs::read(&path).with_context(context)?;
            let half = text.len() / 2;
            let from = memchr::memchr(b'\n', &text[half..]).map_or(text.len(), |at| half + at + 1);
            crate::files::replace(&path, &text[from..])?;
            file = open().with_context(context)?;
        }
        // One write: lines of hooks that run at the same time do not mix.
        file.write_all((entry.line() + "\n").as_bytes())
            .with_context(context)
    }

    /// The events alone, oldest first: a model's calls belong to one.
    pub(crate) fn events(&self) -> Vec<Entry> {
        let mut entries = self.entries();
        entries.retain(|entry| entry.did != Did::Asked);
        entries
    }

    /// Every line that can be read, oldest first.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let text = std::fs::read(self.dir.join("segue.log")).unwrap_or_default();
        String::from_utf8_lossy(&text)
            .lines()
            .filter_map(Entry::parse)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(note: &str) -> Entry {
        Entry {
            at: 1_796_040_000,
            host: "codex".into(),
            session: "0190a000-0000-7000".into(),
            event: "PreCompact".into(),
            did: Did::Saved,
            card: Some("1f0c2a9b77".into()),
            bytes: Some(5120),
            milliseconds: 12,
            model: None,
            tokens: None,
            note: note.into(),
        }
    }

    #[test]
    fn a_line_says_everything_in_one_line_and_is_read_back() {
        let line = entry("cannot\nread `x`").line();
        assert_eq!(
            line,
            "2026-11-30T12:00:00Z codex 0190a000-0000-7000 PreCompact saved card=1f0c2a9b bytes=5120 ms=12 cannot read `x`"
        );
        let back = Entry::parse(&line).unwrap();
        assert_eq!(back.line(), line);
        let asked = Entry {
            did: Did::Asked,
            card: None,
            bytes: None,
            model: Some("qwen3:8b".into()),
            tokens: Some((2100, 300)),
            ..entry("")
        };
        assert!(
            asked
                .line()
                .ends_with("PreCompact asked ms=12 model=qwen3:8b read=2100 wrote=300")
        );
        assert_eq!(Entry::parse(&asked.line()).unwrap().tokens, asked.tokens);
        assert_eq!(Entry::parse("rubbish"), None);
        assert_eq!(entry("").line().lines().count(), 1);
    }

    #[test]
    fn a_log_that_is_too_long_keeps_its_newer_half() {
        let dir = tempfile::tempdir().unwrap();
        let state = StateDir::at(dir.path());
        let long = "x ".repeat(200);
        for n in 0..4000 {
            state
                .log(&Entry {
                    milliseconds: n,
                    ..entry(&long)
                })
                .unwrap();
        }
        let size = std::fs::metadata(dir.path().join("segue.log"))
            .unwrap()
            .len();
        assert!(size <= LOG_BYTES_MAX + 1000, "{size}");
        let entries = state.entries();
        assert_eq!(entries.last().unwrap().milliseconds, 3999);
        assert!(
            entries
                .windows(2)
                .all(|two| two[0].milliseconds + 1 == two[1].milliseconds)
        );
    }
}
