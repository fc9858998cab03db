//! How a card looks to a person, in lines.

use time::macros::format_description;
use time::{OffsetDateTime, UtcOffset};

use crate::handoff::age;
use crate::handoff::card::{Card, Stored, Writer};
use crate::handoff::claim::{Judged, Verdict};
use crate::handoff::clip;
use crate::handoff::freshness::{Freshness, Level, Standing};
use crate::handoff::session::{Kind, Trigger, short};
use crate::handoff::tally::{self, Tally};
use crate::store::Glance;
use crate::store::layout::{BRANCH, CONTINUES, HEAD, HOST, SESSION, VERDICTS, WRITER};
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

/// What the head of a card says; from its commit's message alone, or from the card.
#[derive(Debug)]
pub(super) struct Head {
    id: String,
    at: i64,
    kind: Kind,
    trigger: Trigger,
    session: String,
    host: String,
    remote: Option<String>,
    /// The session and the card that it goes on from.
    continues: Option<(String, String)>,
    /// Who wrote it, and why it was not a model where one was asked.
    writer: String,
    head: Option<String>,
    branch: Option<String>,
    tally: Tally,
    goal: String,
}

impl From<&Glance> for Head {
    fn from(glance: &Glance) -> Self {
        let own = |key| glance.trailer(key).map(str::to_owned);
        let (kind, trigger) = glance.kind_and_trigger();
        let continues = glance.trailer(CONTINUES).and_then(|on| on.split_once(' '));
        Self {
            id: glance.id.clone(),
            at: glance.at,
            kind,
            trigger,
            session: own(SESSION).unwrap_or_default(),
            host: own(HOST).unwrap_or_default(),
            remote: None,
            continues: continues.map(|(session, card)| (session.to_owned(), card.to_owned())),
            writer: own(WRITER).unwrap_or_default(),
            head: own(HEAD),
            branch: own(BRANCH),
            tally: glance
                .trailer(VERDICTS)
                .map(Tally::parse)
                .unwrap_or_default(),
            goal: glance.goal.clone(),
        }
    }
}

impl From<&Stored> for Head {
    fn from(stored: &Stored) -> Self {
        let card = &stored.card;
        let from = &card.provenance;
        let census = card.census.as_ref();
        let continues = from.continues.as_ref();
        Self {
            id: stored.id.clone(),
            at: stored.at,
            kind: from.kind,
            trigger: from.trigger,
            session: from.session.as_str().to_owned(),
            host: from.host.clone(),
            remote: stored.remote.clone(),
            continues: continues.map(|on| (on.session.ref_name().to_owned(), on.card.clone())),
            writer: match &card.writer {
                Writer::Rules {
                    because: Some(because),
                } => format!("rules ({because})"),
                other => other.name().to_owned(),
            },
            head: census.and_then(|census| census.head.clone()),
            branch: census.and_then(|census| census.branch.clone()),
            tally: tally::of(card),
            goal: card.goal().to_owned(),
        }
    }
}

impl Head {
    /// On one line: `<id8> <age> <trigger> <verdicts> <goal>`.
    pub(super) fn oneline(&self, clock: Clock) -> Line {
        let why = match self.kind {
            Kind::Card => self.trigger.as_str(),
            other => other.as_str(),
        };
        let line = Line::new()
            .ink(Ink::Id, short(&self.id))
            .ink(Ink::Faint, format!(" {:>6} ", clock.age(self.at)))
            .text(format!("{why} "));
        let line = if self.tally.is_empty() {
            line
        } else {
            line.join(tally(self.tally)).text(" ")
        };
        line.text(goal(&self.goal))
    }

    /// As `git log` has it for a commit, without the goal.
    pub(super) fn lines(&self, clock: Clock) -> Vec<Line> {
        let field = |name: &str, value: String| Line::new().text(format!("{name:<10}{value}"));
        let mut title = Line::new().ink(Ink::Id, format!("card {}", self.id));
        if self.kind != Kind::Card {
            title = title.text(format!(" ({})", self.kind.as_str()));
        }
        let mut lines = vec![title];
        lines.push(field(
            "Session:",
            format!("{} ({})", self.session, self.host),
        ));
        if let Some(remote) = &self.remote {
            lines.push(field("Remote:", remote.clone()));
        }
        if let Some((session, card)) = &self.continues {
            let name = format!("{} of session {}", short(card), short(session));
            lines.push(field("Goes on:", name));
        }
        let date = format!("{} ({} ago)", clock.date(self.at), clock.age(self.at));
        lines.push(field("Date:", date));
        let why = format!("{}, written by {}", self.trigger.as_str(), self.writer);
        lines.push(field("Trigger:", why));
        if self.head.is_some() || self.branch.is_some() {
            let head = self.head.as_deref().map_or("no commit", short);
            let branch = self.branch.as_deref().unwrap_or("detached");
            lines.push(field("Head:", format!("{head} ({branch})")));
        }
        if !self.tally.is_empty() {
            lines.push(Line::new().text("Claims:   ").join(tally(self.tally)));
        }
        lines
    }

    /// What the person wants, in one line.
    pub(super) fn goal(&self) -> String {
        goal(&self.goal)
    }
}

/// `✅ 3 ⚠️ 2 ❌ 1`, each where there is one.
pub(super) fn tally(tally: Tally) -> Line {
    let counts = [
        (Ink::Good, "✅", tally.confirmed),
        (Ink::Warn, "⚠️", tally.unconfirmed),
        (Ink::Bad, "❌", tally.refuted),
    ];
    let mut line = Line::new();
    let mut gap = "";
    for (ink, mark, count) in counts.into_iter().filter(|(_, _, count)| *count > 0) {
        line = line.text(gap).ink(ink, format!("{mark} {count}"));
        gap = " ";
    }
    line
}

/// `1 card`, `2 cards`.
pub(super) fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// A goal as a list has it: its first line, cut.
pub(super) fn goal(goal: &str) -> String {
    clip::head(goal.lines().next().unwrap_or_default(), GOAL_BYTES_MAX)
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
