//! Our refspecs in the person's configuration, so that a plain `git fetch` brings cards too.

use anyhow::bail;

use crate::place::Place;
use crate::store::layout;

/// Adds our refspecs to a remote's, or takes them out; gives those that were changed, or would be.
pub(crate) fn set(
    place: &Place,
    remote: &str,
    wanted: bool,
    dry_run: bool,
) -> anyhow::Result<Vec<String>> {
    let key = format!("remote.{remote}.fetch");
    let there = place.repo.config_all(&key);
    let mut changed = layout::fetch_specs(remote).to_vec();
    changed.retain(|spec| there.contains(spec) != wanted);
    for spec in changed.iter().filter(|_| !dry_run) {
        let args: &[&str] = if wanted {
            &["config", "--local", "--add", &key, spec]
        } else {
            let unset = ["config", "--local", "--fixed-value", "--unset-all"];
            &[&unset[..], &[&key, spec]].concat()
        };
        let output = place.repo.program(args).run()?;
        if !output.success() {
            bail!("cannot change `{key}`: {}", output.complaint());
        }
    }
    Ok(changed)
}
