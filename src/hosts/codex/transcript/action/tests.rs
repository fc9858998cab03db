use super::*;

fn piece(json: &str) -> Piece<'_> {
    skim::read(json.as_bytes()).unwrap()
}

#[test]
fn the_command_is_what_the_shell_is_given_to_the_letter() {
    let check = |json: &str, expect: Option<&str>| {
        assert_eq!(command_line(piece(json)).as_deref(), expect, "{json}");
    };
    check(
        r#"["/bin/bash","-lc","cargo test \"a b\" && ls"]"#,
        Some("cargo test \"a b\" && ls"),
    );
    check(r#"["zsh","-c","ls"]"#, Some("ls"));
    check(r#"["pwsh.exe","-NoProfile","-Command","dir"]"#, Some("dir"));
    check(r#"["bash","run.sh"]"#, Some("bash run.sh"));
    check(
        r#"["git","commit","-m","it's"]"#,
        Some(r"git commit -m 'it'\''s'"),
    );
    check(r#"["bash"]"#, Some("bash"));
    check(r#""ls -1""#, Some("ls -1"));
    check("7", None);
    check(r#"["ls",1]"#, None);
}

#[test]
fn an_address_is_a_folder() {
    let check = |address: &str, expect: &str| assert_eq!(folder(address), expect);
    check("file:///home/dev/work/billing", "/home/dev/work/billing");
    check("file:///home/dev/a%20b/%C3%A9", "/home/dev/a b/é");
    check("file:///C:/work", "C:/work");
    check("file:///a%2", "/a%2");
    check("file:///a%zz%", "/a%zz%");
    check("src", "src");
}

#[test]
fn a_command_that_only_reads_is_a_read() {
    let check = |parsed: &str, expect: &[Action]| {
        let actions = of_command("x", Some("/w".into()), Some(piece(parsed)));
        assert_eq!(actions, expect, "{parsed}");
    };
    let run = [Action::Run {
        command: "x".into(),
        cwd: Some("/w".into()),
    }];
    let file = |path: &str| Action::Read { path: path.into() };
    check(
        r#"[{"type":"read","path":"src/a.rs"},{"type":"read","path":"/b"}]"#,
        &[file("/w/src/a.rs"), file("/b")],
    );
    check(
        r#"[{"type":"read","path":"a"},{"type":"read","path":"a"}]"#,
        &[file("/w/a")],
    );
    check(
        r#"[{"type":"search","query":"total","path":"src"}]"#,
        &[Action::Search {
            pattern: "total".into(),
            path: Some("/w/src".into()),
        }],
    );
    check(r#"[{"type":"read","path":"a"},{"type":"unknown"}]"#, &run);
    check(r#"[{"type":"list_files","path":"src"}]"#, &run);
    check("[]", &run);
    check("7", &run);
}

#[test]
fn a_patch_is_the_changes_that_it_asks_for() {
    let patch = "*** Begin Patch\n*** Update File: a.py\n@@\n old\n-x\n+y\n++z\n*** Add File: b.py\n+B\n\
                 *** Delete File: c.py\n*** Update File: d.py\n*** Move to: e.py\n@@\n-1\n+2\n*** End Patch";
    let edit = |path: &str, added: &str| Action::Edit {
        path: path.into(),
        added: added.into(),
    };
    let expect = [
        edit("a.py", "y\n+z"),
        Action::Write {
            path: "b.py".into(),
        },
        Action::Delete {
            path: "c.py".into(),
        },
        edit("e.py", "2"),
        Action::Delete {
            path: "d.py".into(),
        },
    ];
    assert_eq!(of_patch(patch), expect);
    assert_eq!(of_patch("echo a"), []);
    let shell = serde_json::json!({"command": ["apply_patch", patch]}).to_string();
    assert_eq!(of_function("shell", &shell), expect);
}

#[test]
fn functions_are_known_by_name() {
    let check = |name: &str, arguments: &str, expect: Action| {
        assert_eq!(of_function(name, arguments), [expect], "{name}");
    };
    let run = |command: &str, cwd: Option<&str>| Action::Run {
        command: command.into(),
        cwd: cwd.map(str::to_owned),
    };
    let todo = |text: &str, state| Todo {
        text: text.into(),
        state,
    };
    check(
        "exec_command",
        r#"{"cmd":"ls","workdir":"src"}"#,
        run("ls", Some("src")),
    );
    check(
        "shell",
        r#"{"command":["bash","-lc","ls"]}"#,
        run("ls", None),
    );
    check("exec_command", "{}", other("exec_command"));
    check("exec_command", "half a", other("exec_command"));
    check(
        "update_plan",
        r#"{"plan":[{"step":"a","status":"completed"},{"step":"b","status":"in_progress"},{"step":"c"}]}"#,
        Action::Todos(vec![
            todo("a", TodoState::Done),
            todo("b", TodoState::Active),
            todo("c", TodoState::Pending),
        ]),
    );
    check(
        "request_user_input",
        r#"{"questions":[{"id":"q","question":"Up or down?"},{"title":"Why?"}]}"#,
        Action::Ask {
            questions: vec!["Up or down?".into(), "Why?".into()],
        },
    );
    check(
        "spawn_agent",
        r#"{"task_name":"t","message":"Look","agent_type":"explorer"}"#,
        Action::Spawn {
            kind: Some("explorer".into()),
            prompt: "Look".into(),
        },
    );
    check("wait_agent", "", other("wait_agent"));
}
