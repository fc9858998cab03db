//! Decisions: choices that bind later cards, kept as an append-only log.
//!
//! `decisions.md` holds one line a decision, oldest first, so that git packs a growing log to nothing:
//!
//! ```text
//! - [1f0c2a9b] 2026-11-30T12:00:00Z user: use plain git refs — why: remotes carry them — instead of: a database
//! - [1f0c2a9b] 2026-12-01T09:30:00Z user retracted
//! ```

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::session::sha256_hex;

const WHY: &str = " — why: ";
const INSTEAD: &str = " — instead of: ";
const RETRACTED: &str = " retracted";

/// Who decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum By {
    /// The person.
    User,
    /// The agent, on its own account.
    Agent,
}

impl By {
    /// As it stands in the log.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
        }
    }

    /// The reverse of [`Self::as_str`].
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "user" => Some(Self::User),
            "agent" => Some(Self::Agent),
            _ => None,
        }
    }
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decision {
    /// Eight hex digits made of the moment, the decider and the words: the same decision has the same id on
    /// every machine and in every re-reading of one transcript.
    pub(crate) id: String,
    /// When, in seconds since 1970 UTC.
    pub(crate) at: i64,
    /// Who.
    pub(crate) by: By,
    /// What was chosen.
    pub(crate) what: String,
    /// Why.
    pub(crate) why: Option<String>,
    /// What was not chosen.
    pub(crate) instead_of: Option<String>,
    /// When and by whom it was taken back.
    pub(crate) retracted: Option<(i64, By)>,
}

impl Decision {
    /// A standing decision. Line ends and runs of blanks in the texts become one blank.
    pub(crate) fn new(
        at: i64,
        by: By,
        what: &str,
        why: Option<&str>,
        instead_of: Option<&str>,
    ) -> Self {
        let what = one_line(what);
        let id = sha256_hex(format!("{at} {} {what}", by.as_str()).as_bytes(), 8);
        Self {
            id,
            at,
            by,
            what,
            why: why.map(one_line),
            instead_of: instead_of.map(one_line),
            retracted: None,
        }
    }
}

impl Decision {
    /// Changes every text, as a redactor does; the id stays.
    pub(crate) fn map_texts(&mut self, mut change: impl FnMut(&str) -> String) {
        self.what = change(&self.what);
        self.why = self.why.as_deref().map(&mut change);
        self.instead_of = self.instead_of.as_deref().map(&mut change);
    }
}

/// The decisions of a chain, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DecisionLog {
    decisions: Vec<Decision>,
    /// Lines that this version cannot read, kept to the letter.
    unread: Vec<String>,
}

impl DecisionLog {
    /// Reads `decisions.md`. Total: a line it does not know is kept and written back.
    pub(crate) fn parse(text: &str) -> Self {
        let mut log = Self::default();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            match parse_line(line) {
                Some(Line::Decision(decision)) => log.add(decision),
                Some(Line::Retraction { id, at, by })
                    if log.decisions.iter().any(|one| one.id == id) =>
                {
                    log.retract(&id, at, by);
                }
                _ => log.unread.push(line.to_owned()),
            }
        }
        log
    }

    /// Writes `decisions.md`: each line where its moment puts it.
    pub(crate) fn render(&self) -> String {
        let mut lines: Vec<(i64, usize, String)> = Vec::new();
        for (n, one) in self.decisions.iter().enumerate() {
            lines.push((one.at, 2 * n, decision_line(one)));
            if let Some((at, by)) = one.retracted {
                lines.push((
                    at,
                    2 * n + 1,
                    format!("- [{}] {} {}{RETRACTED}", one.id, stamp(at), by.as_str()),
                ));
            }
        }
        lines.sort();
        let read = lines.into_iter().map(|(_, _, line)| line);
        self.unread
            .iter()
            .cloned()
            .chain(read)
            .map(|line| line + "\n")
            .collect()
    }

    /// All of them, oldest first, retracted ones too.
    pub(crate) fn all(&self) -> &[Decision] {
        &self.decisions
    }

    /// Those that bind.
    pub(crate) fn standing(&self) -> impl DoubleEndedIterator<Item = &Decision> {
        self.decisions.iter().filter(|one| one.retracted.is_none())
    }

    /// Adds one in the order of time, behind those of the same second; one that is there already changes nothing.
    pub(crate) fn add(&mut self, decision: Decision) {
        if self.decisions.iter().any(|one| one.id == decision.id) {
            return;
        }
        let at = self.decisions.partition_point(|one| one.at <= decision.at);
        self.decisions.insert(at, decision);
    }

    /// Takes one back; `false` when there is none with that id that stands.
    pub(crate) fn retract(&mut self, id: &str, at: i64, by: By) -> bool {
        let found = self
            .decisions
            .iter_mut()
            .find(|one| one.id == id && one.retracted.is_none());
        found.map(|one| one.retracted = Some((at, by))).is_some()
    }

    /// Keeps the decisions, and the lines that this version cannot read, that are said to stay.
    pub(crate) fn retain(
        &mut self,
        decision: impl FnMut(&Decision) -> bool,
        line: impl FnMut(&String) -> bool,
    ) {
        self.decisions.retain(decision);
        self.unread.retain(line);
    }

    /// Adds everything that `other` knows; a retraction on either side stands, the earlier one of two. Whichever side it
    /// is called on, the order is the same.
    pub(crate) fn unite(&mut self, other: &Self) {
        let all = in_order(&self.decisions, &other.decisions);
        let mut all: Vec<Decision> = all.into_iter().cloned().collect();
        for one in &mut all {
            let known = [&self.decisions, &other.decisions];
            let known = known
                .into_iter()
                .flatten()
                .filter(|known| known.id == one.id);
            one.retracted = known.filter_map(|known| known.retracted).min();
        }
        self.decisions = all;
        for line in &other.unread {
            if !self.unread.contains(line) {
                self.unread.push(line.clone());
            }
        }
    }
}

/// The decisions of two logs, each once, by time. Those of one second keep the order of their log; of two that stand in
/// one log alone the smaller id goes first.
fn in_order<'d>(one: &'d [Decision], other: &'d [Decision]) -> Vec<&'d Decision> {
    let mut left: Vec<&Decision> = one.iter().collect();
    let mut right: Vec<&Decision> = other.iter().collect();
    let mut all = Vec::new();
    loop {
        let next = match (left.first().copied(), right.first().copied()) {
            (None, None) => return all,
            (Some(only), None) | (None, Some(only)) => only,
            (Some(ours), Some(theirs)) => {
                let waits = |one: &Decision, others: &[&Decision]| {
                    others
                        .iter()
                        .any(|other| other.at == one.at && other.id == one.id)
                };
                let rank =
                    |one: &'d Decision, others: &[&Decision]| (one.at, waits(one, others), &one.id);
                match rank(ours, &right) <= rank(theirs, &left) {
                    true => ours,
                    false => theirs,
                }
            }
        };
        left.retain(|one| one.id != next.id);
        right.retain(|one| one.id != next.id);
        all.push(next);
    }
}

enum Line {
    Decision(Decision),
    Retraction { id: String, at: i64, by: By },
}

fn decision_line(one: &Decision) -> String {
    let mut line = format!(
        "- [{}] {} {}: {}",
        one.id,
        stamp(one.at),
        one.by.as_str(),
        one.what
    );
    for (word, text) in [(WHY, &one.why), (INSTEAD, &one.instead_of)] {
        if let Some(text) = text {
            line.push_str(word);
            line.push_str(text);
        }
    }
    line
}

fn parse_line(line: &str) -> Option<Line> {
    let (id, rest) = line.strip_prefix("- [")?.split_once("] ")?;
    let (at, rest) = rest.split_once(' ')?;
    let at = OffsetDateTime::parse(at, &Rfc3339).ok()?.unix_timestamp();
    if let Some(by) = rest.strip_suffix(RETRACTED).and_then(By::parse) {
        return Some(Line::Retraction {
            id: id.to_owned(),
            at,
            by,
        });
    }
    let (by, rest) = rest.split_once(": ")?;
    let (rest, instead_of) = split_last(rest, INSTEAD);
    let (what, why) = split_last(rest, WHY);
    let by = By::parse(by)?;
    Some(Line::Decision(Decision {
        id: id.to_owned(),
        at,
        by,
        what: what.to_owned(),
        why,
        instead_of,
        retracted: None,
    }))
}

fn split_last<'t>(text: &'t str, mark: &str) -> (&'t str, Option<String>) {
    match text.split_once(mark) {
        Some((before, after)) => (before, Some(after.to_owned())),
        None => (text, None),
    }
}

/// A moment in seconds since 1970 as `2026-11-30T12:00:00Z`; one outside of what a calendar holds is 1970.
pub(crate) fn stamp(at: i64) -> String {
    let moment = OffsetDateTime::from_unix_timestamp(at).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    moment
        .format(&Rfc3339)
        .unwrap_or_else(|_| "1970-01-01T00:00:00Z".to_owned())
}

/// One line, in which none of the marks of the log stands.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace(WHY, " - why: ")
        .replace(INSTEAD, " - instead of: ")
}

/// Both logs, each decision once.
pub(crate) fn united<'l>(logs: impl IntoIterator<Item = &'l DecisionLog>) -> DecisionLog {
    let mut all = DecisionLog::default();
    for log in logs {
        all.unite(log);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> DecisionLog {
        let mut log = DecisionLog::default();
        log.add(Decision::new(
            1_796_040_000,
            By::User,
            "use plain\nrefs",
            Some("remotes carry them"),
            Some("a database"),
        ));
        log.add(Decision::new(
            1_796_040_060,
            By::Agent,
            "cap at 6 KB",
            None,
            None,
        ));
        log
    }

    #[test]
    fn what_is_rendered_is_read_back_and_newer_lines_stand_below() {
        let mut log = sample();
        let before = log.render();
        assert_eq!(DecisionLog::parse(&before), log);
        let id = log.all()[0].id.clone();
        assert!(log.retract(&id, 1_796_050_000, By::User));
        let after = log.render();
        assert!(
            after.starts_with(&before),
            "append only:\n{before}\n{after}"
        );
        assert_eq!(DecisionLog::parse(&after), log);
        assert_eq!(
            log.standing()
                .map(|one| one.what.as_str())
                .collect::<Vec<_>>(),
            ["cap at 6 KB"]
        );
    }

    #[test]
    fn union_knows_each_decision_once_whichever_side_comes_first() {
        let (mut left, mut right) = (sample(), sample());
        right.add(Decision::new(
            1_796_040_030,
            By::User,
            "no daemon",
            None,
            None,
        ));
        left.retract(&left.all()[1].id.clone(), 1_796_060_000, By::User);
        let (ab, ba) = (united([&left, &right]), united([&right, &left]));
        assert_eq!(ab, ba);
        assert_eq!(ab.all().len(), 3);
        assert_eq!(ab.standing().count(), 2);
    }

    #[test]
    fn decisions_of_one_second_keep_their_order() {
        let made = |what: &str| Decision::new(1_796_040_000, By::User, what, None, None);
        let (mut left, mut right) = (DecisionLog::default(), DecisionLog::default());
        for what in ["one", "two", "three", "four", "five", "six"] {
            left.add(made(what));
        }
        for what in ["one", "two", "seven", "five", "eight"] {
            right.add(made(what));
        }
        let words = |log: &DecisionLog| -> Vec<String> {
            log.all().iter().map(|one| one.what.clone()).collect()
        };
        assert_eq!(words(&left), ["one", "two", "three", "four", "five", "six"]);
        assert_eq!(DecisionLog::parse(&left.render()), left);
        let (ab, ba) = (united([&left, &right]), united([&right, &left]));
        assert_eq!(ab, ba);
        for log in [&left, &right] {
            let mut kept = words(&ab);
            kept.retain(|what| words(log).contains(what));
            assert_eq!(kept, words(log));
        }
        assert_eq!(ab.all().len(), 8);
    }

    #[test]
    fn a_line_from_a_newer_version_is_kept() {
        let text = "- something else\n";
        assert_eq!(DecisionLog::parse(text).render(), text);
    }
}
