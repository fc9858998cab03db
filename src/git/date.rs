//! Moments as git writes and reads them.

/// A date as `GIT_COMMITTER_DATE` may hold it: seconds since 1970 UTC, and the offset from UTC in seconds.
pub(crate) fn parse(text: &str) -> Option<(i64, i32)> {
    let time = gix::date::parse(text.trim(), None).ok()?;
    Some((time.seconds, time.offset))
}

const DAY_SECONDS: i64 = 24 * 60 * 60;
/// Units of an age with their length in seconds, as git's approxidate counts them.
const UNITS: [(&str, i64); 7] = [
    ("second", 1),
    ("minute", 60),
    ("hour", 60 * 60),
    ("day", DAY_SECONDS),
    ("week", 7 * DAY_SECONDS),
    ("month", 30 * DAY_SECONDS),
    ("year", 365 * DAY_SECONDS),
];

/// The moment that an expiry means, in seconds since 1970 UTC: an age seen from `now` (`90.days`, `2 weeks ago`), a date,
/// `now` or `all`, `never` or `false`. Not gix's own reading of ages: gix 0.90 wants the type of another crate for `now`.
pub(crate) fn before(text: &str, now: i64) -> Option<i64> {
    match text.trim() {
        "now" | "all" => return Some(i64::MAX),
        "never" | "false" => return Some(i64::MIN),
        _ => {}
    }
    let words = text.split(['.', ' ', '_']).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    let (count, unit) = match words[..] {
        [count, unit] | [count, unit, "ago"] => (count, unit),
        _ => return Some(parse(text)?.0),
    };
    let Ok(count) = count.parse::<i64>() else {
        return Some(parse(text)?.0);
    };
    let unit = unit.strip_suffix('s').unwrap_or(unit);
    match UNITS.iter().find(|(name, _)| *name == unit) {
        Some((_, seconds)) => Some(now.saturating_sub(count.saturating_mul(*seconds))),
        None => Some(parse(text)?.0),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_expiry_is_an_age_or_a_date() {
        let now = 1_796_040_000;
        for (text, expect) in [
            ("90.days", Some(now - 90 * 86_400)),
            ("2 weeks ago", Some(now - 14 * 86_400)),
            ("1.hour.ago", Some(now - 3600)),
            ("now", Some(i64::MAX)),
            ("never", Some(i64::MIN)),
            ("1796040000 +0000", Some(now)),
            ("2026-11-30 12:00:00 +0000", Some(now)),
            ("soonish", None),
            ("3 blue moons", None),
        ] {
            assert_eq!(super::before(text, now), expect, "{text}");
        }
    }

    #[test]
    fn every_form_that_git_itself_exports_is_read() {
        for (text, expect) in [
            ("1796040000 +0000", (1_796_040_000, 0)),
            ("@1796040000 +0200", (1_796_040_000, 7200)),
            ("2026-11-30T12:00:00Z", (1_796_040_000, 0)),
            ("2026-11-30 12:00:00 +0000", (1_796_040_000, 0)),
            ("Mon, 30 Nov 2026 12:00:00 +0000", (1_796_040_000, 0)),
        ] {
            assert_eq!(super::parse(text), Some(expect), "{text}");
        }
        assert_eq!(super::parse("tomorrow, perhaps"), None);
    }
}
