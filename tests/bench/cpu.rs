//! What programs cost: CPU time of whole processes, the alternatives in turns, since only ratios of one run mean
//! something on a machine that does other work too.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

/// One program with its arguments and input.
pub(crate) struct Alternative<'a> {
    pub(crate) name: &'static str,
    /// The n-th call of it, and what it reads.
    pub(crate) call: Box<dyn FnMut(usize) -> (Command, Vec<u8>) + 'a>,
}

/// Mean CPU time of each alternative, user and system, in milliseconds. Every round runs `batch` of each.
///
/// Linux counts a process's ended children in clock ticks of 10 ms, but rounds only what it shows: over many batches the
/// roundings cancel out.
pub(crate) fn means(alternatives: &mut [Alternative<'_>], rounds: usize, batch: usize) -> Vec<f64> {
    for one in alternatives.iter_mut() {
        run(one, 0);
    }
    let mut ticks = vec![0; alternatives.len()];
    for round in 0..rounds {
        for (sum, one) in ticks.iter_mut().zip(alternatives.iter_mut()) {
            let before = children_ticks();
            for n in 0..batch {
                run(one, 1 + round * batch + n);
            }
            *sum += children_ticks() - before;
        }
    }
    let runs = u32::try_from(rounds * batch).unwrap();
    let mean = |ticks: u32| f64::from(ticks) * 10.0 / f64::from(runs);
    ticks.into_iter().map(mean).collect()
}

fn run(one: &mut Alternative<'_>, n: usize) {
    let (mut command, input) = (one.call)(n);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // A program that does not read its input closes it.
    child.stdin.take().unwrap().write_all(&input).ok();
    let status = child.wait().unwrap();
    assert!(status.success(), "{} ended with {status}", one.name);
}

/// User and system time of this process's ended children, in clock ticks.
fn children_ticks() -> u32 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit_once(')').unwrap().1.split_whitespace();
    // Fields 16 and 17 of the whole line, whose third is the first behind the name.
    fields
        .skip(13)
        .take(2)
        .map(|field| field.parse::<u32>().unwrap())
        .sum()
}

/// The most memory that a program holds at any moment while it runs, in bytes.
pub(crate) fn memory_peak(mut command: Command) -> u64 {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let path = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(&path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) * 1024);
        std::thread::sleep(Duration::from_millis(2));
    }
    peak
}
