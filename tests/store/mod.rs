//! The stored format, seen with plain git.

mod sandbox;
