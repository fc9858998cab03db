//! The one test binary: everything that a person or a host can do, on real repositories.

#![allow(
    clippy::disallowed_methods,
    reason = "the walls of .clippy.toml are the product's; a test starts programs and writes files"
)]

mod carry;
mod cli;
mod faults;
mod hosts;
mod init;
mod live;
mod model;
mod store;
mod stories;
mod support;
mod sync;
mod tidy;
