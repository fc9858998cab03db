//! The `git-segue` program; git finds it as `git segue`.

fn main() -> std::process::ExitCode {
    git_segue::run()
}
