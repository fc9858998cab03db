//! Read first: the files that were read and changed most and last.

use crate::handoff::claim::{Claim, Origin};
use crate::writer::digest::{Digest, FileUse};
use crate::writer::pen::Pen;

/// So many files are told.
pub(super) const FILES_MAX: usize = 16;

/// The claims of the section.
pub(in crate::writer) fn write(digest: &Digest<'_>, pen: &mut Pen<'_>) -> Vec<Claim> {
    let mut files: Vec<&FileUse> = digest.files.iter().filter(|file| !file.deleted).collect();
    files.sort_by(|one, other| {
        other
            .weight(digest.calls)
            .total_cmp(&one.weight(digest.calls))
    });
    files.truncate(FILES_MAX);
    let claims = files.into_iter().map(|file| {
        let path = pen.line(&file.path);
        let text = format!("{path}: {}", how(file));
        Claim::new(Origin::Finding, text).with(super::path(&path))
    });
    claims.collect()
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
