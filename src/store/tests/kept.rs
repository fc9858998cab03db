//! Commits that stay although others take objects away before a ref holds them.

use super::{Ground, card};
use crate::git::process::Call;
use crate::handoff::session::Kind;
use crate::store::Store;

#[test]
fn a_commit_that_was_swept_before_its_ref_moved_is_written_again_as_it_was() {
    let ground = Ground::new(&[]);
    let key = ground.path().join("key");
    let made = Call::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .args([&key])
        .run();
    assert!(made.unwrap().success());
    ground.git(&["config", "gpg.format", "ssh"]);
    ground.git(&["config", "user.signingKey", &key.to_string_lossy()]);
    let repo = ground.repo();
    let card = card("s", Kind::Card, "Plant a tree");
    for signs in [false, true] {
        let store = Store::new(&repo).signing(signs);
        let mut pen = store.pen(Kind::Card);
        let tree = store.write_card_tree(&card).unwrap();
        let mut warnings = Vec::new();
        let id = pen.write(tree, &[], "x\n", None, &mut warnings).unwrap();
        assert_eq!(warnings, [""; 0]);
        ground.git(&["prune", "--expire=now"]);
        assert!(!repo.has(id), "signed: {signs}");
        let again = || {
            store.write_card_tree(&card)?;
            pen.write_again().map(|_| ())
        };
        store.keep(id, again).unwrap();
        assert_eq!(
            repo.raw_commit(id)
                .unwrap()
                .windows(8)
                .any(|part| part == b"\ngpgsig "),
            signs
        );
        assert!(store.is_whole(id), "signed: {signs}");
    }
}
