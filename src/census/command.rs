//! The person's own census: a command line run in the work tree, without a shell.

use crate::deadline::Deadline;
use crate::git::Repo;
use crate::git::process::Call;
use crate::handoff::census::CommandOutput;
use crate::handoff::command_line;

/// What it prints is kept up to here, in whole lines.
const OUTPUT_BYTES_MAX: usize = 4 * 1024;
/// What is read of it; the rest is dropped while it runs on.
const READ_BYTES_MAX: usize = 64 * 1024;

/// Runs `segue.censusCommand`. That it failed is part of the census; that it did not start or end in time is named in
/// `cut`.
pub(super) fn run(
    repo: &Repo,
    command: &str,
    deadline: Deadline,
    cut: &mut Vec<String>,
) -> CommandOutput {
    let mut result = CommandOutput {
        command: command.to_owned(),
        output: String::new(),
        exit: None,
    };
    let Some((program, args)) = command_line::split(command).and_then(|words| {
        let (program, args) = words.split_first()?;
        Some((program.clone(), args.to_vec()))
    }) else {
        cut.push("command: an unended quote, or nothing to run".to_owned());
        return result;
    };
    let output = Call::new(&program)
        .args(args)
        .dir(repo.workdir().unwrap_or_else(|| repo.git_dir()))
        .env("GIT_OPTIONAL_LOCKS", "0")
        .deadline(deadline)
        .output_bytes_max(READ_BYTES_MAX)
        .run();
    match output {
        Ok(output) => {
            if output.timed_out {
                cut.push("command: out of time".to_owned());
            }
            result.exit = output.code.filter(|_| !output.timed_out);
            result.output = clip(&output.text());
        }
        Err(err) => cut.push(format!("command: {err:#}")),
    }
    result
}

/// The first whole lines that fit, and how many more there were.
fn clip(text: &str) -> String {
    let text = text.trim_end();
    if text.len() <= OUTPUT_BYTES_MAX {
        return text.to_owned();
    }
    let mut end = OUTPUT_BYTES_MAX;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // One line that is longer than all of it is cut inside.
    let kept = text[..end]
        .rfind('\n')
        .map_or(&text[..end], |at| &text[..at]);
    let more = text[kept.len()..].trim_start_matches('\n').lines().count();
    format!("{kept}\n… lines left out: {more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_clipped_between_lines() {
        assert_eq!(clip("a\nb\n\n"), "a\nb");
        let long = "0123456789\n".repeat(1000);
        let clipped = clip(&long);
        assert!(clipped.len() < OUTPUT_BYTES_MAX + 30);
        assert!(clipped.ends_with("9\n… lines left out: 628"), "{clipped}");
        let line = "é".repeat(OUTPUT_BYTES_MAX);
        assert!(clip(&line).ends_with("é\n… lines left out: 1"));
    }
}
