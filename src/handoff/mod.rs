//! The nouns: values without IO. They know nothing of git, of hosts, or of the terminal.

pub(crate) mod age;
pub(crate) mod card;
pub(crate) mod carried;
pub(crate) mod census;
pub(crate) mod claim;
pub(crate) mod clip;
pub(crate) mod command_line;
pub(crate) mod decision;
pub(crate) mod foreign;
pub(crate) mod freshness;
pub(crate) mod hand;
pub(crate) mod markdown;
pub(crate) mod plain;
pub(crate) mod redact;
pub(crate) mod session;
pub(crate) mod subagent;
pub(crate) mod tally;
pub(crate) mod transcript;
