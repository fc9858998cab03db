//! How long ago something was, in a word or two.

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// `seconds` as `40 s`, `5 min`, `3 h`, `12 d`, `2 y`: the largest unit of which there are two, except that hours
/// begin at one. Time that has not come yet (another machine's clock) is `0 s`.
pub(crate) fn words(seconds: i64) -> String {
    let (number, unit) = largest(seconds);
    format!("{number} {unit}")
}

/// The same where every character counts: `40s`, `5m`, `3h`, `12d`, `2y`.
pub(crate) fn brief(seconds: i64) -> String {
    let (number, unit) = largest(seconds);
    format!("{number}{}", &unit[..1])
}

fn largest(seconds: i64) -> (i64, &'static str) {
    let seconds = seconds.max(0);
    let (size, unit) = match seconds {
        0..120 => (1, "s"),
        120..HOUR => (MINUTE, "min"),
        _ if seconds < 2 * DAY => (HOUR, "h"),
        _ if seconds < 2 * YEAR => (DAY, "d"),
        _ => (YEAR, "y"),
    };
    (seconds / size, unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_grows_with_the_age() {
        let check = |seconds, expect: &str| {
            assert_eq!(words(seconds), expect);
            assert_eq!(brief(seconds), expect.replace(" min", "m").replace(' ', ""));
        };
        check(-5, "0 s");
        check(119, "119 s");
        check(120, "2 min");
        check(HOUR - 1, "59 min");
        check(HOUR, "1 h");
        check(2 * DAY - 1, "47 h");
        check(2 * DAY, "2 d");
        check(2 * YEAR, "2 y");
    }
}
