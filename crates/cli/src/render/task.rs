//! Tasks.

use baton_app::commands::tasks::TaskView;
use baton_core::{ids::AgentId, task::State, time::Timestamp};

use super::words::{ago, block, columns, line};

/// How a task stands, in a sentence.
fn task_sentence(task: &TaskView) -> String {
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

/// How a task stands once it was changed, and what to do about it.
pub(crate) fn task_changed(task: &TaskView, you: &AgentId) -> String {
    let next = next_step(task, you).map_or_else(String::new, |next| format!("next: {next}\n"));
    format!("{}\n{next}", task_sentence(task))
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

/// A task, whole, and what to do about it.
pub(crate) fn task_page(task: &TaskView, now: Timestamp, you: &AgentId) -> String {
    task_summary(task, now) + &task_next(task, you)
}

/// What to do about a task, behind all that is shown of it.
pub(super) fn task_next(task: &TaskView, you: &AgentId) -> String {
    next_step(task, you).map_or_else(String::new, |next| format!("\nnext: {next}\n"))
}

/// A task, whole.
pub(super) fn task_summary(task: &TaskView, now: Timestamp) -> String {
    let mut page = format!("{}  {}\n", task.task, line(&task.title));
    page.push_str(&block("state", &format!("{}, changed {}", word(task.state), ago(task.updated_at, now))));
    page.push_str(&block("for", &assignee(task).unwrap_or_else(|| "nobody".to_owned())));
    if !task.scopes.is_empty() {
        page.push_str(&block("in", &scopes(task)));
    }
    if let Some(done) = &task.definition_of_done {
        page.push_str(&block("done when", done));
    }
    task.verification.iter().for_each(|step| page.push_str(&block("verify", step)));
    page + &block("by", &format!("{}, created {}", task.created_by, ago(task.created_at, now)))
}

/// What somebody can do about a task, if it is theirs or anybody's.
fn next_step(task: &TaskView, you: &AgentId) -> Option<String> {
    let is_free = task.assignee.as_ref().is_none_or(|assignee| assignee == you);
    match task.state {
        State::Open if is_free => Some(format!("baton task start {}", task.task)),
        State::InProgress if is_free => Some(format!("baton task done {}", task.task)),
        State::Open | State::InProgress | State::Done => None,
    }
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
