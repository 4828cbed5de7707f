//! Tasks.

use baton_app::commands::tasks::TaskView;
use baton_core::{task::State, time::Timestamp};

use super::words::{ago, block, columns, line};

/// How a task stands, in a sentence.
pub(crate) fn task_sentence(task: &TaskView) -> String {
    let state = match (task.state, assignee(task)) {
        (State::Open, Some(who)) => format!("is open, for {who}"),
        (State::Open, None) => "is open, and nobody's yet".to_owned(),
        (State::InProgress, Some(who)) => format!("is in progress with {who}"),
        (State::InProgress, None) => "is in progress".to_owned(),
        (State::Done, Some(who)) => format!("is done, by {who}"),
        (State::Done, None) => "is done".to_owned(),
    };
    format!("{} {state}: {}", task.task, line(&task.title))
}

/// Tasks, a line each.
pub(crate) fn task_lines(tasks: &[TaskView]) -> String {
    let row = |task: &TaskView| {
        let scopes = if task.scopes.is_empty() { String::new() } else { format!("  in {}", scopes(task)) };
        [
            task.task.to_string(),
            word(task.state).to_owned(),
            assignee(task).unwrap_or_else(|| "nobody".to_owned()),
            line(&task.title) + &scopes,
        ]
    };
    columns(&tasks.iter().map(row).collect::<Vec<_>>())
}

/// A task, whole.
pub(crate) fn task_page(task: &TaskView, now: Timestamp) -> String {
    let mut page = format!("{}  {}\n", task.task, line(&task.title));
    page.push_str(&block("state", &format!("{}, changed {}", word(task.state), ago(task.updated_at, now))));
    page.push_str(&block("for", &assignee(task).unwrap_or_else(|| "nobody".to_owned())));
    if !task.scopes.is_empty() {
        page.push_str(&block("in", &scopes(task)));
    }
    page.push_str(&block("by", &format!("{}, created {}", task.created_by, ago(task.created_at, now))));
    let next = match task.state {
        State::Open => format!("\nnext: baton task start {}\n", task.task),
        State::InProgress => format!("\nnext: baton task done {}\n", task.task),
        State::Done => String::new(),
    };
    page + &next
}

/// What people call whoever does it.
fn assignee(task: &TaskView) -> Option<String> {
    let id = || task.assignee.as_ref().map(ToString::to_string);
    task.assignee_agent.as_deref().map(line).or_else(id)
}

fn scopes(task: &TaskView) -> String {
    line(&task.scopes.join(", "))
}

fn word(state: State) -> &'static str {
    match state {
        State::Open => "open",
        State::InProgress => "in progress",
        State::Done => "done",
    }
}
