//! A tool's call → what it does.

use std::borrow::Cow;

use serde::Deserialize;

use super::record::Text;
use crate::handoff::clip;
use crate::handoff::transcript::{Action, INPUT_BYTES_MAX, Todo, TodoState};
use crate::hosts::skim::Piece;

/// Every field of a tool's input that we read, whichever tool it is of.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Input<'r> {
    #[serde(borrow)]
    command: Option<Piece<'r>>,
    #[serde(borrow)]
    file_path: Text<'r>,
    #[serde(borrow)]
    notebook_path: Text<'r>,
    #[serde(borrow)]
    path: Text<'r>,
    #[serde(borrow)]
    pattern: Option<Piece<'r>>,
    #[serde(borrow)]
    new_string: Option<Piece<'r>>,
    #[serde(borrow)]
    new_source: Option<Piece<'r>>,
    #[serde(borrow)]
    edits: Option<Piece<'r>>,
    #[serde(borrow)]
    todos: Option<Piece<'r>>,
    #[serde(borrow)]
    questions: Option<Piece<'r>>,
    #[serde(borrow)]
    plan: Option<Piece<'r>>,
    #[serde(borrow)]
    prompt: Option<Piece<'r>>,
    #[serde(borrow)]
    subagent_type: Text<'r>,
    #[serde(borrow)]
    subject: Text<'r>,
    #[serde(borrow, rename = "taskId")]
    task_id: Text<'r>,
    #[serde(borrow)]
    status: Text<'r>,
}

#[derive(Deserialize)]
struct EditPart<'r> {
    #[serde(borrow, default)]
    new_string: Text<'r>,
}

#[derive(Deserialize)]
struct TodoPart<'r> {
    #[serde(borrow, default)]
    content: Text<'r>,
    #[serde(borrow, default)]
    status: Text<'r>,
}

#[derive(Deserialize)]
struct QuestionPart<'r> {
    #[serde(borrow, default)]
    question: Text<'r>,
}

/// The tasks of the host's task list (TaskCreate, TaskUpdate), which change one at a time.
#[derive(Default)]
pub(super) struct Tasks {
    tasks: Vec<Task>,
}

struct Task {
    /// The host's number of it, known once the result is there.
    number: Option<String>,
    /// The call that made it.
    call: String,
    todo: Todo,
}

impl Tasks {
    /// The host said which number the task of that call got.
    pub(super) fn number(&mut self, call: &str, number: &str) {
        if let Some(task) = self.tasks.iter_mut().find(|task| task.call == call) {
            task.number = Some(number.to_owned());
        }
    }

    fn create(&mut self, call: &str, subject: &str) -> Action {
        self.tasks.push(Task {
            number: None,
            call: call.to_owned(),
            todo: Todo {
                text: clipped(subject),
                state: TodoState::Pending,
            },
        });
        self.list()
    }

    fn update(&mut self, input: &Input<'_>) -> Action {
        let number = &*input.task_id;
        if &*input.status == "deleted" {
            self.tasks
                .retain(|task| task.number.as_deref() != Some(number));
        }
        let found = self
            .tasks
            .iter_mut()
            .find(|task| task.number.as_deref() == Some(number));
        if let Some(task) = found {
            if !input.status.is_empty() {
                task.todo.state = state(&input.status);
            }
            if !input.subject.is_empty() {
                task.todo.text = clipped(&input.subject);
            }
        }
        self.list()
    }

    fn list(&self) -> Action {
        Action::Todos(self.tasks.iter().map(|task| task.todo.clone()).collect())
    }
}

/// What the call `id` of the tool `name` does. `cwd` is where the host is.
pub(super) fn action(
    name: &str,
    id: &str,
    input: Option<Piece<'_>>,
    cwd: Option<&str>,
    tasks: &mut Tasks,
) -> Action {
    let input: Input<'_> = input.and_then(Piece::read).unwrap_or_default();
    let path = || input.file_path.0.clone().into_owned();
    match name {
        "Bash" | "PowerShell" => Action::Run {
            command: ends(input.command),
            cwd: cwd.map(str::to_owned),
        },
        "Read" | "NotebookRead" => Action::Read {
            path: first(&input.file_path, &input.notebook_path),
        },
        "Edit" => Action::Edit {
            path: path(),
            added: ends(input.new_string),
        },
        "MultiEdit" => Action::Edit {
            path: path(),
            added: clipped(&joined::<EditPart<'_>>(input.edits, |part| {
                &part.new_string
            })),
        },
        "NotebookEdit" => Action::Edit {
            path: first(&input.notebook_path, &input.file_path),
            added: ends(input.new_source),
        },
        "Write" => Action::Write { path: path() },
        "Grep" | "Glob" => Action::Search {
            pattern: ends(input.pattern),
            path: input.path.some(),
        },
        "TodoWrite" => Action::Todos(todos(input.todos)),
        "TaskCreate" => tasks.create(id, &input.subject),
        "TaskUpdate" => tasks.update(&input),
        "AskUserQuestion" => Action::Ask {
            questions: questions(input.questions),
        },
        "ExitPlanMode" => Action::Plan {
            text: ends(input.plan),
        },
        "Task" | "Agent" => Action::Spawn {
            kind: input.subagent_type.some(),
            prompt: ends(input.prompt),
        },
        other => Action::Other {
            tool: other.to_owned(),
        },
    }
}

fn todos(piece: Option<Piece<'_>>) -> Vec<Todo> {
    parts::<TodoPart<'_>>(piece)
        .into_iter()
        .map(|part| Todo {
            text: clipped(&part.content),
            state: state(&part.status),
        })
        .collect()
}

fn questions(piece: Option<Piece<'_>>) -> Vec<String> {
    parts::<QuestionPart<'_>>(piece)
        .iter()
        .map(|part| clipped(&part.question))
        .collect()
}

fn state(name: &str) -> TodoState {
    match name {
        "completed" => TodoState::Done,
        "in_progress" => TodoState::Active,
        _ => TodoState::Pending,
    }
}

fn joined<'r, P: Deserialize<'r>>(
    piece: Option<Piece<'r>>,
    text: impl Fn(&P) -> &Text<'r>,
) -> String {
    let parts = parts::<P>(piece);
    let texts: Vec<&str> = parts.iter().map(|part| &**text(part)).collect();
    texts.join("\n")
}

fn parts<'r, P: Deserialize<'r>>(piece: Option<Piece<'r>>) -> Vec<P> {
    piece.and_then(Piece::read).unwrap_or_default()
}

fn first(one: &Text<'_>, other: &Text<'_>) -> String {
    match one.is_empty() {
        true => other.0.clone().into_owned(),
        false => Cow::into_owned(one.0.clone()),
    }
}

fn ends(piece: Option<Piece<'_>>) -> String {
    let text = piece.and_then(|piece| piece.text_for_ends(INPUT_BYTES_MAX));
    clipped(&text.unwrap_or_default())
}

fn clipped(text: &str) -> String {
    clip::ends(text, INPUT_BYTES_MAX)
}
