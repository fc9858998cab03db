//! Stories: Markdown whose `console` blocks are run, and must print what stands below each command.
//!
//! A command is `git …`, `git segue …`, `cd <folder>` (below the sandbox's root) or `echo <words> > <file>`; `< <file>` gives
//! it its input. Behind what it prints stands `[<code>]` where it did not succeed. Ids differ from run to run, since a
//! repository goes by a name by lot: each hex digit of one is `x`, and the sandbox's root is `/home`.

use std::path::Path;

use super::golden;
use super::world::World;

/// Runs a story; `UPDATE_GOLDEN=1` writes anew what its commands print.
#[track_caller]
pub(crate) fn assert_true(world: &mut World, path: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(file).unwrap();
    let mut told = String::new();
    let mut in_console = false;
    for line in text.lines() {
        let fence = line.starts_with("```");
        match line.strip_prefix("$ ") {
            Some(command) if in_console => {
                told.push_str(&format!("{line}\n{}", run(world, command)));
            }
            // What was printed last time.
            _ if in_console && !fence => {}
            _ => told.push_str(&format!("{line}\n")),
        }
        in_console = if fence {
            line == "```console"
        } else {
            in_console
        };
    }
    golden::assert_same(path, &told);
}

/// What a command prints.
fn run(world: &mut World, command: &str) -> String {
    let mut words = words(command);
    if let ["cd", folder] = words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        world.cd(folder);
        return String::new();
    }
    if let Some(at) = words.iter().position(|word| word == ">") {
        let text = words[1..at].join(" ") + "\n";
        world.write(&words[at + 1], text);
        return String::new();
    }
    let input = words.iter().position(|word| word == "<").map(|at| {
        let input = world.read(&words[at + 1]);
        words.truncate(at);
        input
    });
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ran = match words[..] {
        ["git", "segue", ref args @ ..] => {
            let segue = world.segue(args);
            world.finish(segue, input.unwrap_or_default().as_bytes())
        }
        ["git", ref args @ ..] => world.try_git(args),
        _ => panic!("no command of a story: {command}"),
    };
    let code = ran.code.filter(|code| *code != 0);
    let code = code.map_or_else(String::new, |code| format!("[{code}]\n"));
    let root = world.root().display().to_string();
    let said = format!("{}{}{code}", ran.stdout, ran.stderr).replace(&root, "/home");
    let said = without_ids(&said);
    // An answer may end without a line end, and an empty line would end the block's list of lines for a reader.
    if said.is_empty() || said.ends_with('\n') {
        said
    } else {
        said + "\n"
    }
}

/// The words of a command line, with single and double quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// `text` with `x` for each digit of what looks like an id.
fn without_ids(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut plain = String::new();
    for piece in text.split_inclusive(|c| !is_part(c)) {
        let word = piece.trim_end_matches(|c| !is_part(c));
        let is_id = word.len() >= 8 && word.chars().all(|c| c.is_ascii_hexdigit());
        match is_id {
            true => plain.push_str(&("x".repeat(word.len()) + &piece[word.len()..])),
            false => plain.push_str(piece),
        }
    }
    plain
}
