//! Paths as a card writes them: relative to the work tree, `/` between levels.

/// The folder that paths are written relative to.
pub(super) struct Place {
    root: Option<String>,
}

impl Place {
    /// The work tree's root where the conversation was in it, else the folder in which it began.
    pub(super) fn new(root: Option<&str>, cwds: &[String]) -> Self {
        let inside = |root: &&str| {
            let root = plain(root);
            cwds.is_empty() || cwds.iter().any(|cwd| below(&plain(cwd), &root).is_some())
        };
        let root = root.filter(inside).or(cwds.first().map(String::as_str));
        Self {
            root: root.map(plain),
        }
    }

    /// A path as the host gave it, as a card writes it.
    pub(super) fn path(&self, path: &str) -> String {
        let path = plain(path);
        let relative = self
            .root
            .as_deref()
            .and_then(|root| below(&path, root))
            .map(str::to_owned);
        relative.unwrap_or_else(|| path.strip_prefix("./").unwrap_or(&path).to_owned())
    }
}

fn plain(path: &str) -> String {
    let path = path.trim().replace('\\', "/");
    match path.strip_suffix('/') {
        Some(path) if !path.is_empty() => path.to_owned(),
        _ => path,
    }
}

fn below<'p>(path: &'p str, root: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(root)?;
    match rest.strip_prefix('/') {
        Some(rest) => Some(rest),
        None if rest.is_empty() => Some("."),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_work_tree_the_conversation_was_in() {
        let check = |root: Option<&str>, cwds: &[&str], path: &str, expect: &str| {
            let cwds: Vec<String> = cwds.iter().map(|cwd| (*cwd).to_owned()).collect();
            assert_eq!(
                Place::new(root, &cwds).path(path),
                expect,
                "{root:?} {path}"
            );
        };
        check(
            Some("/w/app"),
            &["/w/app/sub"],
            "/w/app/src/a.rs",
            "src/a.rs",
        );
        check(Some("/w/app/"), &[], "/w/app/src/a.rs", "src/a.rs");
        check(Some("/other"), &["/w/app"], "/w/app/src/a.rs", "src/a.rs");
        check(
            Some("/w/app"),
            &["/w/app"],
            "/w/app-two/a.rs",
            "/w/app-two/a.rs",
        );
        check(None, &[], "./src/a.rs", "src/a.rs");
        check(Some(r"C:\w"), &[r"C:\w"], r"C:\w\src\a.rs", "src/a.rs");
    }
}
