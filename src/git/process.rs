//! The one place that starts a program: git itself, the pager, the person's own commands. Never through a shell.
