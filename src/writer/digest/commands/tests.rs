use super::*;

#[test]
fn a_shell_line_is_taken_apart_outside_of_quotes() {
    let check = |command: &str, expect: &[&str]| {
        let lines: Vec<String> = parts(&one_line(command))
            .into_iter()
            .map(|part| part.line)
            .collect();
        assert_eq!(lines, expect, "{command}");
    };
    check("cargo test", &["cargo test"]);
    check("cd a && make all 2>&1 | tail -5", &["cd a", "make all"]);
    check(
        "make; npm run 'a && b' || true",
        &["make", "npm run 'a && b'", "true"],
    );
    check(
        "go test ./... -run \"A|B\" > out.txt",
        &["go test ./... -run \"A|B\""],
    );
    check("a | b | c && d", &["a", "d"]);
    check("sh -c 'x > y'", &["sh -c 'x > y'"]);
    check("serve &", &["serve"]);
    check("make && cat > a <<'EOF'\nrm x\nEOF", &["make"]);
    check("make \\\n  all", &["make all"]);
    check("", &[]);
    check("a \\", &["a \\"]);
    check("ä | ö", &["ä"]);
}

#[test]
fn what_the_shell_hides_is_not_called_passed() {
    let check = |command: &str, outcome: Outcome, output: &str, expect: Ran| {
        let call = ToolUse {
            id: String::new(),
            action: Action::Run {
                command: command.to_owned(),
                cwd: None,
            },
            outcome,
            output: output.to_owned(),
        };
        let mut runs = Runs::default();
        runs.add(0, 0, &call, &Place::new(None, &[]));
        let runs = runs.finish();
        let make = runs.iter().find(|run| run.bare == "make");
        assert_eq!(make.unwrap().ran, expect, "{command} {output}");
    };
    check("make", Outcome::Ok, "", Ran::Passed);
    check("cd a && make 2>&1", Outcome::Ok, "", Ran::Passed);
    check("make && ls", Outcome::Ok, "", Ran::Passed);
    check("make | tail", Outcome::Ok, "all good", Ran::Unknown);
    check("make | tail", Outcome::Ok, "error: no rule", Ran::Failed);
    check("make || true", Outcome::Ok, "", Ran::Unknown);
    check("make; ls", Outcome::Ok, "", Ran::Unknown);
    check("make", Outcome::Failed(Some(2)), "", Ran::Failed);
    check("cd a && make", Outcome::Failed(Some(2)), "", Ran::Failed);
    check(
        "make && npm test",
        Outcome::Failed(Some(1)),
        "",
        Ran::Unknown,
    );
    check("make", Outcome::Interrupted, "", Ran::Unknown);
}

#[test]
fn a_command_is_told_with_the_folder_that_it_ran_in() {
    let check = |cwd: Option<&str>, command: &str, expect: &str| {
        let call = ToolUse {
            id: String::new(),
            action: Action::Run {
                command: command.to_owned(),
                cwd: cwd.map(str::to_owned),
            },
            outcome: Outcome::Ok,
            output: String::new(),
        };
        let mut runs = Runs::default();
        let place = Place::new(Some("/w"), &["/w".to_owned()]);
        runs.add(0, 0, &call, &place);
        let runs = runs.finish();
        assert_eq!(runs.last().unwrap().line, expect, "{cwd:?} {command}");
        assert_eq!(runs.last().unwrap().bare, "make", "{cwd:?} {command}");
    };
    check(None, "make", "make");
    check(Some("/w"), "make", "make");
    check(Some("/w"), "cd a && make", "cd a && make");
    check(Some("/w"), "cd a/b; cd ../c/. && make", "cd a/c && make");
    check(Some("/w/a"), "make", "cd a && make");
    check(Some("/w/a"), "cd .. && make", "make");
    check(Some("/w/a"), "cd /w && make", "make");
    check(None, "cd /w/a && cd 'b c' && make", "cd 'a/b c' && make");
    check(Some("/w"), "cd /elsewhere && make", "make");
    check(Some("/w"), "cd $DIR && cd a && make", "make");
    check(Some("/w"), "cd a && cd - && make", "make");
}
