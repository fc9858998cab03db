//! Moments as git writes and reads them.

/// A date as `GIT_COMMITTER_DATE` may hold it: seconds since 1970 UTC, and the offset from UTC in seconds.
pub(crate) fn parse(text: &str) -> Option<(i64, i32)> {
    let time = gix::date::parse(text.trim(), None).ok()?;
    Some((time.seconds, time.offset))
}

#[cfg(test)]
mod tests {
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
