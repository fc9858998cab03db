//! Moments as people and scripts write them: `2026-11-30 12:05:09 +0100`, `20261130_120509`, `2026-11-30`.

use time::{Date, Month, PrimitiveDateTime, Time, UtcOffset};

/// The first moment in a text, in seconds since 1970 UTC. Without a zone it is by a clock that far from UTC, in seconds; a
/// zone that is only a name counts as that too, but for UTC.
pub(super) fn parse(text: &str, utc_offset: i32) -> Option<i64> {
    let start = text.char_indices().map(|(at, _)| at).find(|&at| {
        let free = !text[..at].ends_with(|c: char| c.is_ascii_digit());
        free && date(&text[at..]).is_some()
    })?;
    let (date, rest) = date(&text[start..])?;
    let (time, rest) = time_of_day(rest).unwrap_or((Time::MIDNIGHT, rest));
    let offset = zone(rest).unwrap_or(utc_offset);
    let offset = UtcOffset::from_whole_seconds(offset).ok()?;
    Some(
        PrimitiveDateTime::new(date, time)
            .assume_offset(offset)
            .unix_timestamp(),
    )
}

fn date(text: &str) -> Option<(Date, &str)> {
    let (year, rest) = digits(text, 4)?;
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    let (month, rest) = digits(rest, 2)?;
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    let (day, rest) = digits(rest, 2)?;
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    let date = Date::from_calendar_date(i32::try_from(year).ok()?, month, u8::try_from(day).ok()?);
    Some((date.ok()?, rest))
}

fn time_of_day(text: &str) -> Option<(Time, &str)> {
    let text = text.trim_start_matches([' ', 'T', '_', '-', ',']);
    let between = [':', '-', '.'];
    let (hour, rest) = digits(text, 2)?;
    let (minute, rest) = digits(rest.strip_prefix(between).unwrap_or(rest), 2)?;
    let (second, rest) = digits(rest.strip_prefix(between).unwrap_or(rest), 2).unwrap_or((0, rest));
    let small = |n: u32| u8::try_from(n).ok();
    let time = Time::from_hms(small(hour)?, small(minute)?, small(second)?).ok()?;
    Some((time, rest))
}

/// `Z`, `UTC`, `+0100` or `+01:00`, in seconds.
fn zone(text: &str) -> Option<i32> {
    let text = text.trim_start();
    if text.starts_with('Z') || text.starts_with("UTC") || text.starts_with("GMT") {
        return Some(0);
    }
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let (hours, rest) = digits(&text[1..], 2)?;
    let (minutes, _) = digits(rest.strip_prefix(':').unwrap_or(rest), 2)?;
    Some(sign * i32::try_from(hours * 3600 + minutes * 60).ok()?)
}

/// So many digits as a number, and what is behind them.
fn digits(text: &str, n: usize) -> Option<(u32, &str)> {
    let (number, rest) = text.split_at_checked(n)?;
    let all = number.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.parse().ok().filter(|_| all)?;
    Some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn moments_are_read_in_every_form_that_such_files_have() {
        let noon = 1_796_040_000;
        for (text, expect) in [
            (
                "# Handoff before compaction — 2026-11-30 12:00:00 UTC (session a)",
                Some(noon),
            ),
            ("2026-11-30 13:00 +0100", Some(noon)),
            ("2026-11-30T12:00:00Z", Some(noon)),
            ("2026-11-30T17:30:00+05:30", Some(noon)),
            ("HANDOFF_2026-11-30_14-00-00.md", Some(noon)),
            ("HANDOFF_20261130_140000.md", Some(noon)),
            ("2026-11-30 14:00 EET", Some(noon)),
            ("[2026-11-30] Session", Some(noon - 14 * 3600)),
            ("2026-13-30", None),
            ("the day after", None),
            ("", None),
        ] {
            // The person's clock is two hours ahead.
            assert_eq!(parse(text, 7200), expect, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([0-9é:TZ+ _-]|2026-11-30){0,20}") {
            parse(&text, 0);
        }
    }
}
