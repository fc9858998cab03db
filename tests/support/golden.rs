//! Texts that were agreed on, kept in files. `UPDATE_GOLDEN=1 cargo test` writes them anew; read the diff.

use std::path::Path;

/// Compares `text` with the file at `path`, from the package's root.
#[track_caller]
pub(crate) fn assert_same(path: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        return;
    }
    let agreed = std::fs::read_to_string(&file).unwrap_or_default();
    let diff = similar::TextDiff::from_lines(agreed.as_str(), text);
    assert!(
        agreed == text,
        "not as agreed in {path}; if it is meant so: UPDATE_GOLDEN=1 cargo test\n{}",
        diff.unified_diff().header("agreed", "now")
    );
}
