//! `segue.handoffDir`: each real card also as a file, for people who keep notes.

use std::path::Path;

use anyhow::Context;
use time::{OffsetDateTime, UtcOffset};

use crate::handoff::card::Card;
use crate::handoff::markdown;
use crate::place::Place;

/// Writes `<YYYY-MM-DD>-<HHMMSS>-<session8>.md`, by the person's own clock, where `segue.handoffDir` says; a relative
/// folder is seen from `root`.
pub(super) fn write(place: &Place, card: &Card, root: &Path) -> anyhow::Result<()> {
    let Some(dir) = &place.settings.handoff_dir else {
        return Ok(());
    };
    let env = place.repo.env();
    let name = format!(
        "{}-{}.md",
        stamp(env.now, env.utc_offset)?,
        card.provenance.session.short()
    );
    crate::files::replace(&root.join(dir).join(name), markdown::card(card).as_bytes())
}

fn stamp(now: i64, utc_offset: i32) -> anyhow::Result<String> {
    let offset = UtcOffset::from_whole_seconds(utc_offset).unwrap_or(UtcOffset::UTC);
    let moment = OffsetDateTime::from_unix_timestamp(now)
        .context("cannot name a file by the clock")?
        .to_offset(offset);
    let form = time::macros::format_description!("[year]-[month]-[day]-[hour][minute][second]");
    moment
        .format(form)
        .context("cannot name a file by the clock")
}

#[cfg(test)]
mod tests {
    use super::stamp;

    #[test]
    fn a_file_is_named_by_the_persons_own_clock() {
        assert_eq!(stamp(1_796_040_000, 0).unwrap(), "2026-11-30-120000");
        assert_eq!(
            stamp(1_796_040_000, 13 * 3600 + 1800).unwrap(),
            "2026-12-01-013000"
        );
        assert!(stamp(i64::MAX, 0).is_err());
    }
}
