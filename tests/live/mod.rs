//! The real hosts, driven to every moment that a card is for.
//!
//! Claude Code and Codex come from npm, in the versions of `versions.txt`, into `target/live-hosts/`. They talk to a
//! scripted model on loopback ([`model_api`]), have a made-up key, a home of their own, and a proxy that answers nothing, so
//! that no account and no network is touched. What the agent is told stands in the log of model requests; what was kept
//! stands in the sandbox's repository.
//!
//! `GIT_SEGUE_LIVE` chooses: unset or `pinned`, the pinned versions, where they are installed or npm answers; `newest`, the
//! newest ones of npm, so that a moved interface shows before it bites; `off`, none. What is not run says so, loudly.
//!
//! Nothing waits for time to pass: each step waits for a request, a screen or a file, with a deadline.

mod broken;
mod compaction;
mod function_hook;
mod host;
mod install;
mod messages;
mod model;
mod model_api;
mod plugin;
mod responses;
mod sandbox;
mod script;
mod subagents;
mod terminal;
mod wait;
