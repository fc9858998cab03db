//! What the log of this place says a host's hooks did: a host that is wired and silent is broken all the same.

use super::health::Finding;
use crate::handoff::age;
use crate::hosts::Adapter;
use crate::state::log::{Did, Entry};

/// Whether a card that was given stands in the host's transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// It does.
    Arrived,
    /// It does not, although the host has gone on.
    Lost,
    /// It cannot be told, or not yet.
    Unknown,
}

/// The last giving of that host.
pub(crate) fn last_giving<'e>(host: &Adapter, entries: &'e [Entry]) -> Option<&'e Entry> {
    last(host, entries, |entry| entry.did == Did::Gave)
}

/// The last event, save and giving of that host, and the last trouble where nothing went well since. `entries` oldest
/// first; `arrival` is the last giving's; `now` in seconds since 1970 UTC.
pub(crate) fn receipts(
    host: &Adapter,
    entries: &[Entry],
    arrival: Arrival,
    now: i64,
) -> Vec<Finding> {
    let Some(event) = last(host, entries, |_| true) else {
        return vec![Finding::note("no event seen here yet")];
    };
    let ago = |entry: &Entry| format!("{} ago", age::words(now.saturating_sub(entry.at)));
    let mut findings = vec![Finding::good(format!(
        "last event: {}, {}",
        event.event,
        ago(event)
    ))];
    let card = |entry: &Entry| entry.card.as_deref().unwrap_or("-").to_owned();
    let saved = |entry: &Entry| matches!(entry.did, Did::Saved | Did::Unchanged | Did::Held);
    findings.push(match last(host, entries, saved) {
        None => Finding::note("nothing saved here yet"),
        Some(save) => {
            let (card, event, ago) = (card(save), &save.event, ago(save));
            Finding::good(format!("last save: card {card} at {event}, {ago}"))
        }
    });
    if let Some(giving) = last_giving(host, entries) {
        let (card, ago) = (card(giving), ago(giving));
        let bytes = giving.bytes.map(|bytes| format!(", {bytes} bytes"));
        let text = format!(
            "last giving: card {card}{}, {ago}",
            bytes.unwrap_or_default()
        );
        findings.push(match arrival {
            Arrival::Arrived => Finding::good(format!("{text}; it arrived")),
            Arrival::Unknown => Finding::note(format!("{text}; whether it arrived cannot be told")),
            Arrival::Lost => Finding::bad(
                format!("{text}; it did not arrive"),
                format!("let the agent run `git segue resume {card}`"),
            ),
        });
    }
    if event.did == Did::Trouble {
        let mend = "mend what the line names; `segue.log` in the git directory has them all";
        findings.push(Finding::bad(
            format!("last event failed: {}", event.note),
            mend,
        ));
    }
    findings
}

fn last<'e>(
    host: &Adapter,
    entries: &'e [Entry],
    is_meant: impl Fn(&Entry) -> bool,
) -> Option<&'e Entry> {
    let mut newest_first = entries.iter().rev();
    newest_first.find(|entry| entry.host == host.name && is_meant(entry))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wiring::health::Tone;

    const NOW: i64 = 1_796_040_000;

    fn entry(host: &str, event: &str, did: Did, seconds_ago: i64) -> Entry {
        Entry {
            at: NOW - seconds_ago,
            host: host.to_owned(),
            session: "0190a000".to_owned(),
            event: event.to_owned(),
            did,
            card: matches!(did, Did::Saved | Did::Gave).then(|| "1f0c2a9b".to_owned()),
            bytes: (did == Did::Gave).then_some(9_100),
            milliseconds: 3,
            model: None,
            tokens: None,
            note: "cannot read `x`".to_owned(),
        }
    }

    fn check(entries: &[Entry], arrival: Arrival, expected: &[(Tone, &str)]) {
        let host = crate::hosts::find("claude-code").unwrap();
        let found = receipts(host, entries, arrival, NOW);
        let found: Vec<_> = found.iter().map(|f| (f.tone, f.text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_host_that_was_never_heard_here_is_told_so() {
        let other = entry("codex", "Stop", Did::Nothing, 1);
        check(
            &[other],
            Arrival::Unknown,
            &[(Tone::Note, "no event seen here yet")],
        );
    }

    #[test]
    fn the_last_of_each_kind_is_told_with_its_age() {
        let entries = [
            entry("claude-code", "PreCompact", Did::Saved, 7_200),
            entry("claude-code", "SessionStart", Did::Gave, 7_199),
            entry("claude-code", "Stop", Did::Nothing, 180),
            entry("codex", "Stop", Did::Saved, 60),
        ];
        check(
            &entries,
            Arrival::Arrived,
            &[
                (Tone::Good, "last event: Stop, 3 min ago"),
                (
                    Tone::Good,
                    "last save: card 1f0c2a9b at PreCompact, 2 h ago",
                ),
                (
                    Tone::Good,
                    "last giving: card 1f0c2a9b, 9100 bytes, 1 h ago; it arrived",
                ),
            ],
        );
    }

    #[test]
    fn a_card_that_did_not_arrive_and_a_last_event_that_failed_are_wrong() {
        let entries = [
            entry("claude-code", "SessionStart", Did::Gave, 300),
            entry("claude-code", "Stop", Did::Trouble, 120),
        ];
        check(
            &entries,
            Arrival::Lost,
            &[
                (Tone::Good, "last event: Stop, 2 min ago"),
                (Tone::Note, "nothing saved here yet"),
                (
                    Tone::Bad,
                    "last giving: card 1f0c2a9b, 9100 bytes, 5 min ago; it did not arrive",
                ),
                (Tone::Bad, "last event failed: cannot read `x`"),
            ],
        );
    }
}
