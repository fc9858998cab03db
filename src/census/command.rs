//! The person's own census: a command line run in the work tree, without a shell.

use crate::deadline::Deadline;
use crate::git::Repo;
use crate::git::process::Call;
use crate::handoff::census::CommandOutput;

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
    let Some((program, args)) = split(command).and_then(|words| {
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

/// Splits a command line into words as a shell does, with quotes and backslashes but nothing else: no variables, no
/// globs. None for an unended quote.
fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '\\' => match chars.next()? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: Option<&[&str]>) {
        let words = split(line);
        let words: Option<Vec<&str>> = words
            .as_ref()
            .map(|words| words.iter().map(String::as_str).collect());
        assert_eq!(words.as_deref(), expect, "{line}");
    }

    #[test]
    fn a_command_line_is_split_like_a_shells_but_nothing_is_expanded() {
        check("", Some(&[]));
        check("  make  census ", Some(&["make", "census"]));
        check("a 'b c' \"d e\"", Some(&["a", "b c", "d e"]));
        check("a\\ b '' x'y'\"z\"", Some(&["a b", "", "xyz"]));
        check("\"a\\\"b\\n\" '\\'", Some(&["a\"b\\n", "\\"]));
        check("$HOME *.rs | cat", Some(&["$HOME", "*.rs", "|", "cat"]));
        check("'open", None);
        check("\"open", None);
        check("end\\", None);
    }

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
