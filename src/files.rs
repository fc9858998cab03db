//! Replacing a file whole: written beside it, then renamed over it.

use std::io::Write;
use std::path::Path;

use anyhow::Context;

/// Replaces `path` with `bytes`: readers see the old file or the new one. A link is followed, the old file's
/// permissions are kept, missing folders are made.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let context = || format!("cannot write `{}`", path.display());
    let folder = target
        .parent()
        .filter(|dir| !dir.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).with_context(context)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(context)?;
    file.write_all(bytes).with_context(context)?;
    if let Ok(old) = std::fs::metadata(&target) {
        file.as_file()
            .set_permissions(old.permissions())
            .with_context(context)?;
    }
    file.persist(&target).with_context(context)?;
    Ok(())
}
