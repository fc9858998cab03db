//! How a card looks to a person, in lines.

use time::macros::format_description;
use time::{OffsetDateTime, UtcOffset};

use super::tally;
use crate::handoff::age;
use crate::handoff::card::{Card, Stored, Writer};
use crate::handoff::claim::{Judged, Verdict};
use crate::handoff::clip;
use crate::handoff::freshness::{Freshness, Level, Standing};
use crate::handoff::session::{Kind, short};
use crate::ui::{Ink, Line};

/// A goal in a list is cut to this, in bytes.
const GOAL_BYTES_MAX: usize = 100;

/// The person's clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// Now, in seconds since 1970 UTC.
    pub(super) now: i64,
    /// Its offset from UTC, in seconds.
    pub(super) utc_offset: i32,
}

impl Clock {
    /// As the environment has it.
    pub(super) fn of(env: &crate::settings::Env) -> Self {
        Self {
            now: env.git.now,
            utc_offset: env.git.utc_offset,
        }
    }

    /// How long ago `at` was.
    pub(super) fn age(self, at: i64) -> String {
        age::words(self.now.saturating_sub(at))
    }

    /// A moment as git shows it.
    pub(super) fn date(self, at: i64) -> String {
        let offset = UtcOffset::from_whole_seconds(self.utc_offset).unwrap_or(UtcOffset::UTC);
        let moment = OffsetDateTime::from_unix_timestamp(at)
            .ok()
            .and_then(|moment| moment.checked_to_offset(offset));
        let format = format_description!(
            "[weekday repr:short] [month repr:short] [day padding:none] [hour]:[minute]:[second] [year] \
             [offset_hour sign:mandatory][offset_minute]"
        );
        moment
            .and_then(|moment| moment.format(format).ok())
            .unwrap_or_else(|| format!("{at}"))
    }
}

/// A card on one line: `<id8> <age> <trigger> <verdicts> <goal>`.
pub(super) fn oneline(stored: &Stored, clock: Clock) -> Line {
    let card = &stored.card;
    let line = Line::new()
        .ink(Ink::Id, short(&stored.id))
        .ink(Ink::Faint, format!(" {:>6} ", clock.age(stored.at)))
        .text(format!("{} ", label(stored)));
    let tally = tally::of(card);
    let line = if tally.is_empty() {
        line
    } else {
        tally.line(line).text(" ")
    };
    line.text(goal(card.goal()))
}

/// A goal as a list has it: its first line, cut.
pub(super) fn goal(goal: &str) -> String {
    clip::head(goal.lines().next().unwrap_or_default(), GOAL_BYTES_MAX)
}

/// The head of a card, as `git log` has it for a commit.
pub(super) fn head(stored: &Stored, clock: Clock) -> Vec<Line> {
    let card = &stored.card;
    let from = &card.provenance;
    let field = |name: &str, value: String| Line::new().text(format!("{name:<10}{value}"));
    let mut title = Line::new().ink(Ink::Id, format!("card {}", stored.id));
    if from.kind != Kind::Card {
        title = title.text(format!(" ({})", from.kind.as_str()));
    }
    let mut lines = vec![title];
    lines.push(field(
        "Session:",
        format!("{} ({})", from.session.as_str(), from.host),
    ));
    if let Some(remote) = &stored.remote {
        lines.push(field("Remote:", remote.clone()));
    }
    if let Some(before) = &from.continues {
        let name = format!(
            "{} of session {}",
            short(&before.card),
            before.session.short()
        );
        lines.push(field("Goes on:", name));
    }
    let age = clock.age(stored.at);
    lines.push(field(
        "Date:",
        format!("{} ({age} ago)", clock.date(stored.at)),
    ));
    lines.push(field(
        "Trigger:",
        format!(
            "{}, written by {}",
            from.trigger.as_str(),
            writer(&card.writer)
        ),
    ));
    if let Some(census) = &card.census {
        let head = census.head.as_deref().map_or("no commit", short);
        let branch = census.branch.as_deref().unwrap_or("detached");
        lines.push(field("Head:", format!("{head} ({branch})")));
    }
    lines
}

/// Who wrote a card, and why it was not a model where one was asked.
fn writer(writer: &Writer) -> String {
    match writer {
        Writer::Rules { because: None } => "rules".to_owned(),
        Writer::Rules {
            because: Some(because),
        } => format!("rules ({because})"),
        Writer::Model(call) => call.name.clone(),
        Writer::Hand => "hand".to_owned(),
    }
}

/// Why a card was written, or what it is where it is no real card.
fn label(stored: &Stored) -> &'static str {
    let from = &stored.card.provenance;
    match from.kind {
        Kind::Card => from.trigger.as_str(),
        other => other.as_str(),
    }
}

/// How fresh a card is: the level with what it asks for.
pub(super) fn level(freshness: &Freshness) -> Line {
    let ink = match freshness.level {
        Level::Fresh => Ink::Good,
        Level::SlightlyStale | Level::Stale => Ink::Warn,
        Level::VeryStale => Ink::Bad,
    };
    Line::new()
        .ink(ink, freshness.level.as_str())
        .text(format!(": {}", freshness.level.advice()))
}

/// Why it is not fresher, one line each.
pub(super) fn reasons(freshness: &Freshness) -> impl Iterator<Item = Line> {
    freshness
        .reasons
        .iter()
        .map(|reason| Line::new().text(format!("  - {reason}")))
}

/// The claims whose verdict is another one now, each with the new one.
pub(super) fn turned<'c>(
    card: &'c Card,
    now: &'c [Verdict],
) -> impl Iterator<Item = (&'c Judged, &'c Verdict)> {
    let claims = card.sections.iter().map(|(_, judged)| judged).zip(now);
    claims.filter(|(judged, now)| {
        std::mem::discriminant(&judged.verdict) != std::mem::discriminant(*now)
    })
}

/// A verdict's mark, its text, and the reason behind it.
pub(super) fn verdict(verdict: &Verdict, text: &str) -> Line {
    let (ink, mark, why) = match verdict {
        Verdict::Confirmed => (Ink::Good, "✅", None),
        Verdict::Unconfirmed(why) => (Ink::Warn, "⚠️", why.as_deref()),
        Verdict::Refuted(why) => (Ink::Bad, "❌", Some(why.as_str())),
    };
    let line = Line::new().ink(ink, mark).text(format!(" {text}"));
    match why {
        Some(why) => line.ink(Ink::Faint, format!(" ({why})")),
        None => line,
    }
}

/// What a claim is worth now, where that is less than when it was written.
pub(super) fn standing(standing: Option<&Standing>) -> Line {
    let (ink, text) = match standing {
        Some(Standing::Changed(how)) => (Ink::Warn, format!(" [changed: {how}]")),
        Some(Standing::Gone(how)) => (Ink::Bad, format!(" [gone: {how}]")),
        Some(Standing::PassedOnOlderTree(_)) => {
            (Ink::Warn, " [passed on an older tree]".to_owned())
        }
        Some(Standing::Contradicted(how)) => (Ink::Bad, format!(" [contradicted: {how}]")),
        Some(Standing::Holds | Standing::Unchecked) | None => return Line::new(),
    };
    Line::new().ink(ink, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_shown_as_git_shows_it_in_the_persons_own_offset() {
        let check = |at, utc_offset, expect| {
            let clock = Clock { now: 0, utc_offset };
            assert_eq!(clock.date(at), expect);
        };
        check(1_796_040_000, 0, "Mon Nov 30 12:00:00 2026 +0000");
        check(1_796_040_000, -19_800, "Mon Nov 30 06:30:00 2026 -0530");
        check(1_796_169_600, 3_600, "Wed Dec 2 01:00:00 2026 +0100");
        check(i64::MAX, 0, "9223372036854775807");
    }
}
