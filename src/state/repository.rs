//! What this repository goes by on its cards. A path does not tell it from a clone on another machine, where the same
//! person, or the same container, puts it at the same place.

use std::hash::{BuildHasher, RandomState};

use super::StateDir;

const FILE: &str = "repository";

impl StateDir {
    /// The name; none before the first card.
    pub(crate) fn repository(&self) -> Option<String> {
        let name = std::fs::read_to_string(self.dir.join(FILE)).ok()?;
        Some(name.trim().to_owned()).filter(|name| !name.is_empty())
    }

    /// Gives it a name by lot where it has none; says nothing of anybody. Of several that do so at once all find the same
    /// one in the end. Where it cannot be kept, there is none: the path must do.
    pub(crate) fn name_repository(&self) {
        if self.repository().is_none() {
            // The standard library seeds it from the system's source of randomness.
            let name = format!("{:016x}\n", RandomState::new().hash_one(FILE));
            crate::files::replace(&self.dir.join(FILE), name.as_bytes()).unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_keeps_its_name_and_two_have_two() {
        let dirs = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let names = dirs.each_ref().map(|dir| {
            let state = StateDir::at(dir.path());
            assert_eq!(state.repository(), None);
            state.name_repository();
            let name = state.repository().unwrap();
            state.name_repository();
            assert_eq!(state.repository(), Some(name.clone()));
            name
        });
        assert_ne!(names[0], names[1]);
        assert_eq!(names[0].len(), 16);
    }
}
