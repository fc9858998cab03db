//! The uncommitted work that a card carries. The value; `crate::carry` gathers it and brings it back.

/// So many paths that were left out are named; the rest is counted.
pub(crate) const LEFT_OUT_MAX: usize = 100;

/// The uncommitted work that a card carries: trees beside the card, and what did not go into them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Carried {
    /// The work tree as a git tree, in hex.
    pub(crate) tree: String,
    /// The index as a git tree, in hex; none where nothing is staged.
    pub(crate) index: Option<String>,
    /// At how many paths the work tree differs from HEAD.
    pub(crate) files: usize,
    /// At how many paths the index differs from HEAD.
    pub(crate) staged: usize,
    /// Paths that the index only means to have (`git add -N`), as a census has paths.
    pub(crate) intended: Vec<String>,
    /// What is not carried as it stands, by path.
    pub(crate) left_out: Vec<LeftOut>,
    /// How many more there are that are not named.
    pub(crate) more_left_out: usize,
}

/// A path that is not carried as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// As a census has paths.
    pub(crate) path: String,
    /// In words, as `holds a secret (github-token)`.
    pub(crate) why: String,
}

impl Carried {
    /// Names what is left out.
    pub(crate) fn leave_out(&mut self, path: impl Into<String>, why: impl Into<String>) {
        if self.left_out.len() == LEFT_OUT_MAX {
            self.more_left_out += 1;
            return;
        }
        self.left_out.push(LeftOut {
            path: path.into(),
            why: why.into(),
        });
    }

    /// `3 changed files, 1 of them staged`.
    pub(crate) fn counted(&self) -> String {
        let files = match self.files {
            1 => "1 changed file".to_owned(),
            n => format!("{n} changed files"),
        };
        match self.staged {
            0 => files,
            n => format!("{files}, {n} staged"),
        }
    }

    /// How many paths are left out.
    pub(crate) fn left_out_count(&self) -> usize {
        self.left_out.len() + self.more_left_out
    }

    /// What is left out, each path with its reason, at most `named` of them: `.env: holds a secret (password), 2 more`.
    pub(crate) fn left_out_words(&self, named: usize) -> Option<String> {
        let mut words: Vec<String> = self
            .left_out
            .iter()
            .take(named)
            .map(|one| format!("`{}` ({})", one.path, one.why))
            .collect();
        let more = self.left_out_count() - words.len();
        if more > 0 {
            words.push(format!("{more} more"));
        }
        (!words.is_empty()).then(|| words.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_named_up_to_a_number_and_counted_beyond() {
        let mut carried = Carried::default();
        assert_eq!(carried.left_out_words(2), None);
        carried.leave_out("a", "because");
        assert_eq!(carried.left_out_words(2).unwrap(), "`a` (because)");
        for n in 0..LEFT_OUT_MAX {
            carried.leave_out(format!("b{n}"), "why");
        }
        assert_eq!(
            (carried.left_out.len(), carried.more_left_out),
            (LEFT_OUT_MAX, 1)
        );
        assert_eq!(
            carried.left_out_words(2).unwrap(),
            "`a` (because), `b0` (why), 99 more"
        );
    }
}
