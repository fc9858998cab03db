//! What an error means to a person and to the shell: a message, a hint, an exit code.

use std::fmt;

/// How a command ended when it did not simply succeed; decides the exit code, in `cli` alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The answer is no: nothing found, something refuted.
    No,
    /// It cannot go on.
    Fatal,
    /// The command line is wrong.
    Usage,
}

/// An error with a kind and, where one helps, the next command to try.
///
/// It travels inside `anyhow::Error`; everything else that does is `Kind::Fatal` without a hint.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Lower case, no full stop; names the operation and the thing.
    pub(crate) message: String,
    /// Printed behind `hint: `, one line each.
    pub(crate) hints: Vec<String>,
    /// Decides the exit code.
    pub(crate) kind: Kind,
}

impl Failure {
    /// The answer is no.
    pub(crate) fn no(message: impl Into<String>) -> Self {
        Self::new(Kind::No, message)
    }

    /// It cannot go on.
    pub(crate) fn fatal(message: impl Into<String>) -> Self {
        Self::new(Kind::Fatal, message)
    }

    /// The command line is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// Adds a line that names the next command.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hints: Vec::new(),
            kind,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
