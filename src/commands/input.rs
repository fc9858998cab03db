//! Standard input of the verbs that hosts call.

use std::io::{self, ErrorKind, Read};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::Context;

use crate::deadline::Deadline;

/// Longest standard input that is read, in bytes; a prompt may be long.
const INPUT_BYTES_MAX: u64 = 64 << 20;
/// How long the host may take to write it.
const INPUT_WAIT_MAX: Duration = Duration::from_secs(10);
/// Most events are shorter, and so are read at once.
const EVENT_BYTES: usize = 4096;
/// Pause between two looks at an input that is not whole yet.
const LOOK_PAUSE: Duration = Duration::from_micros(500);

/// Standard input to its end; a host that never closes it is not waited for.
///
/// # Errors
///
/// When it cannot be read, or the host took too long.
pub(super) fn whole() -> anyhow::Result<Vec<u8>> {
    let deadline = Deadline::after(INPUT_WAIT_MAX);
    #[cfg(unix)]
    let read = alone::read(&io::stdin(), deadline);
    #[cfg(not(unix))]
    let read = None;
    let read = read.unwrap_or_else(|| beside(io::stdin(), deadline));
    read.context("cannot read standard input")
}

/// Reads in a thread of its own, which any kind of input allows.
fn beside(input: impl Read + Send + 'static, deadline: Deadline) -> io::Result<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = input.take(INPUT_BYTES_MAX).read_to_end(&mut bytes);
        // Nobody listens any more once the wait is over.
        send.send(read.map(|_| bytes)).unwrap_or_default();
    });
    receive
        .recv_timeout(deadline.left())
        .unwrap_or_else(|_| Err(never_ended()))
}

/// Reads an input that says `WouldBlock` instead of waiting for long.
fn patiently(input: impl Read, deadline: Deadline) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(EVENT_BYTES);
    let mut input = input.take(INPUT_BYTES_MAX);
    loop {
        match input.read_to_end(&mut bytes) {
            Ok(_) => return Ok(bytes),
            Err(err) if err.kind() != ErrorKind::WouldBlock => return Err(err),
            Err(_) if deadline.passed() => return Err(never_ended()),
            Err(_) => std::thread::sleep(LOOK_PAUSE),
        }
    }
}

fn never_ended() -> io::Error {
    io::Error::new(ErrorKind::TimedOut, "it never ended")
}

/// Reading without a thread: one costs a fifth of what a hook with nothing to do takes.
#[cfg(unix)]
mod alone {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    use super::{Deadline, patiently};

    /// A read from a socket waits this long at most.
    const SOCKET_WAIT_MAX: Duration = Duration::from_millis(100);

    /// Reads a file, a socket (as Node and Bun give to their children), or where it can be told not to wait a pipe; none
    /// for anything else, of which nothing was read then.
    pub(super) fn read(input: &impl AsFd, deadline: Deadline) -> Option<io::Result<Vec<u8>>> {
        let own = input.as_fd().try_clone_to_owned().ok()?;
        let file = File::from(own);
        let kind = file.metadata().ok()?.file_type();
        if kind.is_file() {
            return Some(patiently(file, deadline));
        }
        if kind.is_socket() {
            let socket = UnixStream::from(OwnedFd::from(file));
            socket.set_read_timeout(Some(SOCKET_WAIT_MAX)).ok()?;
            return Some(patiently(socket, deadline));
        }
        if kind.is_fifo() {
            return Some(patiently(pipe(&file)?, deadline));
        }
        None
    }

    /// The same pipe, opened once more so that only we do not wait for it.
    #[cfg(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    fn pipe(file: &File) -> Option<File> {
        use std::os::fd::AsRawFd;
        use std::os::unix::fs::OpenOptionsExt;

        /// `O_NONBLOCK` on Linux, of these processors.
        const NOT_WAITING: i32 = 0o4000;

        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        let mut options = File::options();
        options.read(true).custom_flags(NOT_WAITING);
        options.open(path).ok()
    }

    #[cfg(not(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    )))]
    fn pipe(_file: &File) -> Option<File> {
        None
    }
}

#[cfg(test)]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use std::io::Write;
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    const WAIT: Duration = Duration::from_millis(200);

    /// What is read of an input whose other end gets `said` and is closed, or is not.
    fn read(
        input: &impl AsFd,
        mut other: impl Write,
        said: &[u8],
        closes: bool,
    ) -> Option<Vec<u8>> {
        other.write_all(said).unwrap();
        let open = (!closes).then_some(other);
        let read = alone::read(input, Deadline::after(WAIT)).unwrap();
        drop(open);
        match read {
            Ok(bytes) => Some(bytes),
            Err(err) => {
                assert_eq!(err.to_string(), "it never ended");
                None
            }
        }
    }

    #[test]
    fn a_pipe_and_a_socket_are_read_to_their_end_and_not_waited_for_without_one() {
        for closes in [true, false] {
            let expect = closes.then(|| b"said".to_vec());
            let (input, other) = io::pipe().unwrap();
            assert_eq!(read(&input, other, b"said", closes), expect);
            let (input, other) = UnixStream::pair().unwrap();
            assert_eq!(read(&input, other, b"said", closes), expect);
        }
    }

    #[test]
    fn what_comes_in_pieces_is_read_whole() {
        let (input, mut other) = io::pipe().unwrap();
        let host = std::thread::spawn(move || {
            other.write_all(b"{").unwrap();
            other.write_all(b"}").unwrap();
        });
        let deadline = Deadline::after(INPUT_WAIT_MAX);
        let read = alone::read(&input, deadline).unwrap().unwrap();
        host.join().unwrap();
        assert_eq!(read, b"{}");
    }

    #[test]
    fn a_file_is_read_and_anything_is_read_in_a_thread() {
        let file = tempfile::NamedTempFile::new().unwrap();
        crate::files::replace(file.path(), b"in a file").unwrap();
        let open = || std::fs::File::open(file.path()).unwrap();
        let deadline = Deadline::after(INPUT_WAIT_MAX);
        let read = alone::read(&open(), deadline).unwrap().unwrap();
        assert_eq!(read, b"in a file");
        assert_eq!(beside(open(), deadline).unwrap(), b"in a file");
        let null = std::fs::File::open("/dev/null").unwrap();
        assert!(alone::read(&null, deadline).is_none());
    }
}
