//! Paths as a card writes them: relative to the work tree, `/` between levels.

/// The folder that paths are written relative to.
pub(super) struct Place {
    root: Option<String>,
    /// The folder in which the conversation began.
    start: Option<String>,
}

impl Place {
    /// The work tree's root where the conversation was in it, else the folder in which it began.
    pub(super) fn new(root: Option<&str>, cwds: &[String]) -> Self {
        let inside = |root: &&str| {
            let root = plain(root);
            cwds.is_empty() || cwds.iter().any(|cwd| below(&plain(cwd), &root).is_some())
        };
        let root = root.filter(inside).or(cwds.first().map(String::as_str));
        let mut place = Self {
            root: root.map(plain),
            start: None,
        };
        place.start = cwds.first().map(|cwd| place.path(cwd));
        place
    }

    /// A folder of the work tree, relative to it; none for one outside. Where a command ran of which nobody says it, it
    /// ran where the conversation began.
    pub(super) fn folder(&self, cwd: Option<&str>) -> Option<String> {
        let folder = match cwd {
            Some(cwd) => self.path(cwd),
            None => self.start.clone().unwrap_or_else(|| ".".to_owned()),
        };
        is_inside(&folder).then_some(folder)
    }

    /// Where `cd to` leads from a folder of the work tree; none where that is outside or nobody can say it.
    pub(super) fn moved(&self, from: Option<&str>, to: &str) -> Option<String> {
        let to = plain(to);
        let full = match is_inside(&to) {
            true => format!("{}/{to}", from?),
            false => self.folder(Some(&to))?,
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in full.split('/') {
            match part {
                "" | "." => {}
                ".." => _ = parts.pop()?,
                part => parts.push(part),
            }
        }
        match parts.is_empty() {
            true => Some(".".to_owned()),
            false => Some(parts.join("/")),
        }
    }

    /// Whether a command that runs in `folder` needs it: neither the work tree's root, nor where commands run anyway.
    pub(super) fn must_be_told(&self, folder: &str) -> bool {
        folder != "." && self.start.as_deref() != Some(folder)
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

/// Whether a path is relative, and one that no shell reads in its own way.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && !path.starts_with(['/', '~', '-']) && path.get(1..2) != Some(":")
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
