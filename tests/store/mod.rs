//! The stored format, seen with plain git.

mod kinds;
mod plain_git;
mod sandbox;
