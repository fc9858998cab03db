//! The hosts' programs: from npm, once, into `target/live-hosts/`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::host::Host;

/// Names the wanted versions; see the module's documentation.
const SWITCH: &str = "GIT_SEGUE_LIVE";

/// The pinned versions.
const PINNED: &str = include_str!("versions.txt");

/// The host's program, or nothing, after a loud line that says why.
pub(crate) fn program(host: Host) -> Option<PathBuf> {
    static FOUND: [OnceLock<Result<PathBuf, String>>; 2] = [OnceLock::new(), OnceLock::new()];
    let found = FOUND[host as usize].get_or_init(|| find(host));
    match found {
        Ok(program) => Some(program.clone()),
        Err(why) => {
            // Straight to standard error: the test harness keeps what `eprintln!` says of a passing test to itself.
            let test = std::thread::current()
                .name()
                .unwrap_or("live test")
                .to_owned();
            let line = format!("\n*** SKIPPED {test}: {why} ***\n");
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            None
        }
    }
}

/// The program, installed when it is not there yet; else why there is none.
fn find(host: Host) -> Result<PathBuf, String> {
    let switch = std::env::var(SWITCH).unwrap_or_default();
    let version = match switch.as_str() {
        "" | "pinned" => pinned(host.package()),
        "newest" => newest(host.package())?,
        "off" => return Err(format!("{SWITCH}=off")),
        other => panic!("{SWITCH}={other}: give pinned, newest or off"),
    };
    run(Command::new("tmux").arg("-V"))?;
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("live-hosts");
    let name = format!("{}-{version}", host.name());
    let folder = cache.join(&name);
    if let Some(program) = host.program_in(&folder.join("node_modules")) {
        return Ok(program);
    }
    // Filled elsewhere and renamed, so that a broken download is never taken for a host.
    std::fs::create_dir_all(&cache).map_err(|error| error.to_string())?;
    let fresh = tempfile::Builder::new()
        .prefix(&name)
        .tempdir_in(&cache)
        .map_err(|error| error.to_string())?;
    let package = format!("{}@{version}", host.package());
    run(Command::new("npm")
        .args([
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--fetch-retries=1",
            "--prefix",
        ])
        .arg(fresh.path())
        .arg(&package))?;
    let rename = std::fs::rename(fresh.path(), &folder);
    host.program_in(&folder.join("node_modules"))
        .ok_or_else(|| format!("{package} brought no program for this machine ({rename:?})"))
}

/// The version that `versions.txt` names.
fn pinned(package: &str) -> String {
    let line = |line: &str| {
        Some(line.split_once(' ')?)
            .filter(|(name, _)| *name == package)
            .map(|(_, v)| v.to_owned())
    };
    PINNED.lines().find_map(line).unwrap()
}

/// The version that npm calls the newest.
fn newest(package: &str) -> Result<String, String> {
    run(Command::new("npm").args(["view", package, "version", "--fetch-retries=1"]))
        .map(|text| text.trim().to_owned())
}

/// Standard output of a command that succeeds; else what it said.
fn run(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(said(&output.stdout))
    } else {
        Err(format!(
            "{program}: {}",
            said(&output.stderr).lines().next().unwrap_or("failed")
        ))
    }
}
