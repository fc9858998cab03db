//! Read first: the files that were read and changed most and last.

use crate::handoff::claim::{Claim, Origin};
use crate::writer::digest::{Digest, FileUse};
use crate::writer::pen::Pen;

/// So many files are told.
pub(super) const FILES_MAX: usize = 16;
/// A file that was used less, as once four half-lives ago, is not told.
const WEIGHT_MIN: f64 = 0.0625;

/// The claims of the section.
pub(in crate::writer) fn write(digest: &Digest<'_>, pen: &mut Pen<'_>) -> Vec<Claim> {
    let mut files: Vec<&FileUse> = digest
        .files
        .iter()
        .filter(|file| counts(digest, file))
        .collect();
    files.sort_by(|one, other| {
        other
            .weight(digest.calls)
            .total_cmp(&one.weight(digest.calls))
    });
    files.truncate(FILES_MAX);
    let claims = files.into_iter().map(|file| {
        let path = pen.line(&file.path);
        let text = format!("{path}: {}", how(file));
        Claim::new(Origin::Finding, text).with(super::path(&file.path))
    });
    claims.collect()
}

/// What lies outside of the work tree counts only where it was changed: the rest is logs and scratch.
fn counts(digest: &Digest<'_>, file: &FileUse) -> bool {
    let outside = file.path.starts_with(['/', '~']) || file.path.get(1..2) == Some(":");
    !file.deleted
        && !file.is_settled(digest.calls)
        && (file.edits > 0 || !outside)
        && file.weight(digest.calls) >= WEIGHT_MIN
}

/// `edited 7×, read 3×`.
fn how(file: &FileUse) -> String {
    let times = |what: &str, n: usize| match n {
        0 => None,
        1 => Some(what.to_owned()),
        n => Some(format!("{what} {n}×")),
    };
    let edited = match (file.written, file.edits) {
        (true, 1) => Some("written".to_owned()),
        (_, n) => times("edited", n),
    };
    let parts: Vec<String> = edited
        .into_iter()
        .chain(times("read", file.reads))
        .collect();
    match parts.is_empty() {
        true => "looked for".to_owned(),
        false => parts.join(", "),
    }
}
