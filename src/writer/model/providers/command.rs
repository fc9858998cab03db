//! Any program: the prompt on its standard input, the answer on its standard output. It runs in an empty folder, so that an
//! agent's own program finds no project and no hooks of one, and our hooks are quiet in it.

use super::super::prompt::Prompt;
use super::super::{ANSWER_BYTES_MAX, Fault};
use super::Reply;
use crate::deadline::Deadline;
use crate::git::process::Call;

/// Runs it to its end.
pub(in crate::writer::model) fn run(
    program: &str,
    args: &[String],
    prompt: &Prompt,
    deadline: Deadline,
) -> Result<Reply, Fault> {
    let told = |err: &dyn std::fmt::Display| Fault::Told(format!("cannot be asked: {err}"));
    let folder = tempfile::tempdir().map_err(|err| told(&err))?;
    let most = usize::try_from(ANSWER_BYTES_MAX).unwrap_or(usize::MAX);
    let input = format!("{}\n\n{}", prompt.orders, prompt.data);
    let output = Call::new(program)
        .args(args)
        .dir(folder.path())
        .stdin(input.as_bytes())
        .deadline(deadline)
        .output_bytes_max(most.saturating_add(1))
        .run()
        .map_err(|err| told(&format!("{err:#}")))?;
    if output.timed_out {
        return Err(Fault::TimedOut);
    }
    if !output.success() {
        return Err(Fault::Told(format!("failed: {}", output.complaint())));
    }
    if output.stdout.len() > most {
        return Err(Fault::TooLong);
    }
    Ok(Reply {
        text: output.text(),
        ..Reply::default()
    })
}
