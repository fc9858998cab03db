//! Plumbing: a host's JSON in, its answer out. Whatever goes wrong, the host goes on.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::settings::Env;

/// Answers one event of a host.
pub(crate) fn run(_args: &[OsString], _env: Env) -> ExitCode {
    ExitCode::SUCCESS
}
