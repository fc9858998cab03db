//! The one test binary.
#[test]
fn it_runs() {
    assert!(
        std::process::Command::new(env!("CARGO_BIN_EXE_git-segue"))
            .status()
            .unwrap()
            .success()
    );
}
