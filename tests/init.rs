//! `init` and `doctor`, end to end: they change the files that they name and nothing else.

use std::fs;

use serde_json::Value;

use crate::support::world::World;

const PROJECT: &str = ".claude/settings.local.json";
const PERSON: &str = ".claude/settings.json";
/// What a first wiring of a project may make.
const MADE: [&str; 2] = ["repo/.claude", "repo/.claude/settings.local.json"];

/// Wires Claude Code for the project of the current folder.
#[track_caller]
fn wire(world: &World) -> String {
    world
        .run_changing(&["init", "claude-code"], b"", &MADE)
        .ok()
}

/// What `doctor` finds on Claude Code: tone and text of each.
fn doctor(world: &World, code: i32) -> Vec<String> {
    let answer = world
        .run(&["doctor", "claude-code", "--json"])
        .ended(code)
        .stdout;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let findings = answer["hosts"][0]["findings"].as_array().unwrap().clone();
    let root = world.root().to_string_lossy().into_owned();
    let line = |finding: &Value| {
        let (tone, text) = (
            finding["tone"].as_str().unwrap(),
            finding["text"].as_str().unwrap(),
        );
        format!("{tone} {}", text.replace(&root, "$root"))
    };
    findings.iter().map(line).collect()
}

#[test]
fn a_project_is_wired_to_this_program_by_its_path_and_the_diff_says_so() {
    let world = World::new();
    let said = wire(&world);
    let path = world.dir().join(PROJECT);
    assert!(
        said.starts_with(&format!(
            "Claude Code: wired in {}\n--- /dev/null\n",
            path.display()
        )),
        "{said}"
    );
    let settings: Value = serde_json::from_str(&world.read(PROJECT)).unwrap();
    let handler = &settings["hooks"]["PreCompact"][0]["hooks"][0];
    assert_eq!(handler["command"], env!("CARGO_BIN_EXE_git-segue"));
    assert_eq!(handler["args"], serde_json::json!(["hook", "claude-code"]));
    assert_eq!(
        said.lines().filter(|line| line.starts_with('+')).count(),
        world.read(PROJECT).lines().count() + 1
    );
    let again = world.run(&["init", "claude-code"]).ok();
    assert_eq!(
        again,
        format!("Claude Code: already wired in {}\n", path.display())
    );
}

#[test]
fn what_init_did_remove_undoes_to_the_byte() {
    let world = World::new();
    let theirs = "{\"permissions\": {\"allow\": [\"Bash(ls:*)\"]},\n\t\"hooks\": {\"Stop\": []}}";
    world.write(PROJECT, theirs);
    wire(&world);
    assert_ne!(world.read(PROJECT), theirs);
    world.run_changing(&["init", "--remove"], b"", &MADE).ok();
    assert_eq!(world.read(PROJECT), theirs);
}

#[test]
fn a_file_that_init_made_goes_again() {
    let world = World::new();
    wire(&world);
    world
        .run_changing(&["init", "--remove", "claude-code"], b"", &MADE)
        .ok();
    assert!(!world.dir().join(PROJECT).exists());
    assert!(!world.dir().join(".claude").exists(), "its folder goes too");
}

#[test]
fn a_dry_run_shows_the_same_diff_and_changes_nothing() {
    let world = World::new();
    let shown = world.run(&["init", "-n", "claude-code"]).ok();
    let done = wire(&world);
    assert_eq!(shown.replacen("would be wired in", "wired in", 1), done);
}

#[test]
fn without_a_name_the_hosts_are_wired_that_the_person_has() {
    let world = World::new();
    let none = world.run(&["init"]).ended(128);
    assert!(
        none.stderr
            .contains("hint: name one, as in `git segue init claude-code`"),
        "{}",
        none.stderr
    );
    fs::create_dir(world.home().join(".claude")).unwrap();
    let said = world
        .run_changing(&["init", "--global"], b"", &["home/.claude/settings.json"])
        .ok();
    assert!(said.starts_with("Claude Code: wired in "), "{said}");
    assert!(!said.contains("Codex"), "{said}");
}

#[test]
fn settings_that_are_not_valid_json_are_named_and_left_alone() {
    let world = World::new();
    let broken = "{\n  // mine\n  \"model\": \"opus\"\n}\n";
    let path = world.write(PROJECT, broken);
    let ran = world.run(&["init", "claude-code"]).ended(128);
    let expected = format!(
        "fatal: cannot edit `{}`: not valid JSON: key must be a string at line 2 column 3\n",
        path.display()
    );
    assert_eq!(ran.stderr, expected);
    assert_eq!(world.read(PROJECT), broken);
}

#[test]
fn outside_of_a_repository_there_is_no_project_to_wire() {
    let world = World::bare_ground();
    let ran = world.run(&["init", "claude-code"]).ended(128);
    assert_eq!(
        ran.stderr,
        "fatal: cannot wire a project: this is not the work tree of a repository\n\
         hint: `git segue init --global` wires all your projects\n"
    );
    world.run(&["init", "claude-code", "-n", "--global"]).ok();
}

#[test]
fn an_unknown_host_is_a_wrong_command_line() {
    let ran = World::new().run(&["init", "emacs"]).ended(129);
    assert_eq!(
        ran.stderr,
        "error: unknown host `emacs`\nhint: hosts are: claude-code, codex\n"
    );
}

#[test]
fn each_work_tree_is_wired_by_itself_for_claude_code() {
    let mut world = World::new();
    world.linked_worktree("side");
    world.cd("side");
    world
        .run_changing(
            &["init", "claude-code"],
            b"",
            &["side/.claude", "side/.claude/settings.local.json"],
        )
        .ok();
    assert!(world.dir().join(PROJECT).exists());
}

#[test]
fn codex_reads_the_main_checkout_from_every_work_tree() {
    let mut world = World::new();
    world.linked_worktree("side");
    world.cd("side");
    let said = world.run(&["init", "codex", "-n"]).ok();
    let path = world.root().join("repo/.codex/hooks.json");
    assert!(
        said.starts_with(&format!("Codex: would be wired in {}\n", path.display())),
        "{said}"
    );
}

#[test]
fn doctor_names_settings_that_make_no_sense_with_what_mends_them() {
    let world = World::new();
    wire(&world);
    world.git(&["config", "segue.saveInterval", "banana"]);
    world.git(&["config", "--global", "segue.carryWorkTrees", "true"]);
    let ran = world.run(&["doctor", "claude-code"]).ended(1);
    for line in [
        "  wrong `segue.saveInterval` is `banana`: that is no whole number from 0",
        "        mend: git config --unset-all segue.saveInterval",
        "  wrong there is no setting `segue.carryworktrees`",
        "        mend: git config --global --unset-all segue.carryworktrees",
    ] {
        assert!(ran.stdout.contains(line), "{line}\n{}", ran.stdout);
    }
}

#[test]
fn doctor_is_content_with_a_host_that_is_wired_once_and_names_what_is_wrong_otherwise() {
    let world = World::new();
    let silent = "note no event seen here yet";
    assert_eq!(
        doctor(&world, 1),
        ["wrong not wired: its compactions are not seen", silent]
    );
    wire(&world);
    let project = format!("ok wired in $root/repo/{PROJECT}");
    assert_eq!(doctor(&world, 0), [project.as_str(), silent]);
    let both = world
        .run_changing(
            &["init", "claude-code", "--global"],
            b"",
            &["home/.claude", "home/.claude/settings.json"],
        )
        .ended(0);
    assert!(
        both.stderr
            .contains("hint: `git segue init claude-code --remove` takes that one out"),
        "{}",
        both.stderr
    );
    let person = format!("ok wired in $root/home/{PERSON}");
    let twice = "wrong wired more than once: every hook runs as often";
    assert_eq!(
        doctor(&world, 1),
        [person.as_str(), &project, twice, silent]
    );
}
