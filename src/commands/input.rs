//! Standard input of the verbs that hosts call.

use std::io::Read;
use std::sync::mpsc;
use std::time::Duration;

use anyhow::Context;

/// Longest standard input that is read, in bytes; a prompt may be long.
const INPUT_BYTES_MAX: u64 = 64 << 20;
/// How long the host may take to write it.
const INPUT_WAIT_MAX: Duration = Duration::from_secs(10);

/// Standard input to its end; a host that never closes it is not waited for.
///
/// # Errors
///
/// When it cannot be read, or the host took too long.
pub(super) fn whole() -> anyhow::Result<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = std::io::stdin()
            .lock()
            .take(INPUT_BYTES_MAX)
            .read_to_end(&mut bytes);
        // Nobody listens any more once the wait is over.
        send.send(read.map(|_| bytes)).unwrap_or_default();
    });
    let read = receive
        .recv_timeout(INPUT_WAIT_MAX)
        .context("cannot read standard input: it never ended")?;
    read.context("cannot read standard input")
}
