//! Finds the host's own process by walking up from the hook.

use std::io::Read;
use std::path::Path;

use super::seats::Seat;

/// How many parents are looked at; a shell or two stand between a hook and its host.
const PARENTS_MAX: usize = 12;

/// So much is read of what the system tells of a process, in bytes: its numbers, the beginning of its arguments.
const FILE_BYTES_MAX: usize = 4096;

/// What the walk found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HostProcess {
    /// The host's process, which serves one person at one place.
    Seat(Seat),
    /// A process that serves several conversations: no seat, nor is the environment that it hands on.
    Shared,
    /// None was found.
    Unknown,
}

/// The seat of the process `pid`, which the host itself named; unknown when there is no such process.
pub(crate) fn of_pid(proc: &Path, pid: u32) -> HostProcess {
    match stat(proc, pid) {
        Some(stat) => HostProcess::Seat(seat(proc, pid, &stat)),
        None => HostProcess::Unknown,
    }
}

/// The nearest parent of the process `from` whose program is called `program`; [`HostProcess::Shared`] when `shared` is
/// among its arguments. Reads `/proc` as Linux has it; elsewhere nothing is found and the pane must do.
pub(crate) fn above(proc: &Path, from: u32, program: &str, shared: Option<&str>) -> HostProcess {
    let Some(mut one) = stat(proc, from) else {
        return HostProcess::Unknown;
    };
    for _ in 0..PARENTS_MAX {
        let pid = one.parent;
        let Some(parent) = stat(proc, pid) else {
            return HostProcess::Unknown;
        };
        let arguments = read(proc, pid, "cmdline").unwrap_or_default();
        let arguments: Vec<String> = arguments
            .split(|byte| *byte == 0)
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect();
        let starts_it = |word: &String| {
            Path::new(word)
                .file_stem()
                .is_some_and(|stem| stem == program)
        };
        if parent.name == program || arguments.iter().take(2).any(starts_it) {
            let is_shared =
                shared.is_some_and(|shared| arguments.iter().any(|word| word == shared));
            return if is_shared {
                HostProcess::Shared
            } else {
                HostProcess::Seat(seat(proc, pid, &parent))
            };
        }
        one = parent;
    }
    HostProcess::Unknown
}

struct Stat {
    name: String,
    parent: u32,
    started: String,
}

/// A start time counts from the machine's start, so the seat names that one too.
fn seat(proc: &Path, pid: u32, stat: &Stat) -> Seat {
    let boot = std::fs::read_to_string(proc.join("sys/kernel/random/boot_id")).unwrap_or_default();
    Seat::process(pid, &format!("{} {}", boot.trim(), stat.started))
}

/// The beginning of a process's file in one piece: the system makes its text anew at every read.
fn read(proc: &Path, pid: u32, name: &str) -> Option<Vec<u8>> {
    let mut file = std::fs::File::open(proc.join(pid.to_string()).join(name)).ok()?;
    let mut text = vec![0; FILE_BYTES_MAX];
    let length = file.read(&mut text).ok()?;
    text.truncate(length);
    Some(text)
}

/// `/proc/<pid>/stat`: `pid (name) state parent …`, the start time being its 22nd field; the name may hold blanks and
/// brackets.
fn stat(proc: &Path, pid: u32) -> Option<Stat> {
    let text = read(proc, pid, "stat")?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let (name, rest) = (text.find('(')?, text.rfind(')')?);
    let fields: Vec<&str> = text.get(rest + 1..)?.split_whitespace().collect();
    Some(Stat {
        name: text.get(name + 1..rest)?.to_owned(),
        parent: fields.get(1)?.parse().ok()?,
        started: (*fields.get(19)?).to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(proc: &Path, pid: u32, parent: u32, name: &str, started: u32, arguments: &[&str]) {
        let dir = proc.join(pid.to_string());
        std::fs::create_dir_all(&dir).unwrap();
        let middle = vec!["0"; 17].join(" ");
        let stat = format!("{pid} ({name}) S {parent} {middle} {started} 0 0\n");
        crate::files::replace(&dir.join("stat"), stat.as_bytes()).unwrap();
        crate::files::replace(&dir.join("cmdline"), arguments.join("\0").as_bytes()).unwrap();
    }

    #[test]
    fn the_host_is_found_above_a_shell_and_a_shared_one_is_no_seat() {
        let dir = tempfile::tempdir().unwrap();
        let proc = dir.path();
        process(proc, 1, 0, "init", 1, &["init"]);
        process(proc, 10, 1, "codex", 77, &["/usr/bin/codex"]);
        process(
            proc,
            11,
            10,
            "bash (x) y",
            78,
            &["/bin/bash", "-c", "git-segue hook codex"],
        );
        process(
            proc,
            12,
            11,
            "git-segue",
            79,
            &["git-segue", "hook", "codex"],
        );
        let found = above(proc, 12, "codex", Some("app-server"));
        assert_eq!(found, HostProcess::Seat(Seat::process(10, " 77")));
        assert_eq!(found, of_pid(proc, 10));

        process(proc, 10, 1, "codex", 77, &["/usr/bin/codex", "app-server"]);
        assert_eq!(
            above(proc, 12, "codex", Some("app-server")),
            HostProcess::Shared
        );
        assert_eq!(above(proc, 12, "claude", None), HostProcess::Unknown);
        assert_eq!(of_pid(proc, 99), HostProcess::Unknown);

        process(proc, 10, 1, "node", 77, &["node", "/opt/lib/codex.js"]);
        assert_eq!(
            above(proc, 12, "codex", Some("app-server")),
            HostProcess::Seat(Seat::process(10, " 77"))
        );
    }
}
