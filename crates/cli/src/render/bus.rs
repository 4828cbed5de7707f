//! Sessions, actions and what was delivered, as the bus has them.

use baton_app::commands::bus::{ActionView, Delivery, Session, SessionStatus, SubmitResult};
use baton_core::bus::{Kind, Plan, What};

use super::words::{block, columns, line};
use crate::ui::clean;

/// Sessions, a line each.
pub(crate) fn session_lines(sessions: &[Session]) -> String {
    let row = |session: &Session| {
        let status = match session.status {
            SessionStatus::Open => "open",
            SessionStatus::Closed => "closed",
        };
        let known = session.name.as_deref().or(session.canonical_path.as_deref());
        let events = format!("{} events", session.last_seq);
        [session.id.to_string(), status.to_owned(), events, known.map_or_else(String::new, line)]
    };
    columns(&sessions.iter().map(row).collect::<Vec<_>>())
}

/// A session in a sentence.
pub(crate) fn session_name(session: &Session) -> String {
    match &session.name {
        Some(name) => format!("{} ({})", line(name), session.id),
        None => session.id.to_string(),
    }
}

/// Actions and how far they are, a line each.
pub(crate) fn action_lines(actions: &[ActionView]) -> String {
    let row = |action: &ActionView| {
        let what = match (action.command, action.kind) {
            (Some(command), _) => format!("/{}", command.as_str()),
            (None, Some(Kind::Reply)) => "reply".to_owned(),
            (None, _) => "message".to_owned(),
        };
        [
            format!("{:>5}", action.seq.0),
            action.action_id.to_string(),
            what,
            format!("for {}", action.dst),
            action.status.map_or("submitted", |status| status.as_str()).to_owned(),
            came_of_it(action),
        ]
    };
    columns(&actions.iter().map(row).collect::<Vec<_>>())
}

/// What a target said of an action, besides how far it is.
fn came_of_it(action: &ActionView) -> String {
    let data = action.data.as_ref();
    let context = data.and_then(|data| data.new_context_id.as_ref()).map(|context| format!("begins {context}"));
    let task = data.and_then(|data| data.new_task_id.as_ref()).map(|task| format!("for {task}"));
    let parts = [action.detail.as_deref().map(line), context, task];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// That actions were submitted.
pub(crate) fn submitted_page(submitted: &SubmitResult) -> String {
    let many = match submitted.actions.len() {
        1 => "One action is".to_owned(),
        some => format!("{some} actions are"),
    };
    let rows = submitted
        .actions
        .iter()
        .map(|action| [format!("{:>5}", action.seq.0), action.action_id.to_string(), format!("for {}", action.dst)]);
    format!(
        "{many} submitted as {}, in the conversation {} for {}.\n{}",
        submitted.group_id,
        submitted.context_id,
        submitted.task_id,
        columns(&rows.collect::<Vec<_>>())
    )
}

/// What was sent to somebody, and how to report on it. `again` is how the session was asked for.
pub(crate) fn delivery_page(delivery: &Delivery, again: &str) -> String {
    let report = delivery
        .action_id
        .as_ref()
        .map_or_else(String::new, |action| block("report", &format!("baton bus result {action} completed{again}")));
    format!("{:>5}  {}\n{}{report}", delivery.seq.0, delivery_sentence(delivery), delivery_body(delivery))
}

/// Who sent what.
pub(super) fn delivery_sentence(delivery: &Delivery) -> String {
    let sender = format!("{} ({})", line(&delivery.sender_name), delivery.src);
    match &delivery.what {
        What::Control { command, .. } => format!("{sender} asks: /{}", command.as_str()),
        What::Message { kind: Kind::Reply, reply_to_action_id: Some(answered), .. } => {
            format!("{sender} replies to {answered}")
        }
        What::Message { kind: Kind::Reply, .. } => format!("{sender} replies"),
        What::Message { .. } if delivery.action_id.is_some() => format!("{sender} asks"),
        What::Message { .. } => format!("{sender} says"),
    }
}

/// What it says, and where it belongs.
pub(super) fn delivery_body(delivery: &Delivery) -> String {
    let mut body = match &delivery.what {
        What::Message { text, plan, .. } => block("text", text) + &plan.as_ref().map_or_else(String::new, steps),
        What::Control { args, .. } => args.as_ref().map_or_else(String::new, |args| block("args", args)),
    };
    body.push_str(&block("about", &format!("{}, {}", delivery.context.context_id, delivery.task_id)));
    if let Some(new) = &delivery.after_action_id {
        body.push_str(&block("after", &format!("{new}, a /new that has not ended")));
    }
    body
}

fn steps(plan: &Plan) -> String {
    let numbered = plan.steps.iter().zip(1..).map(|(step, place)| format!("{place}. {}", clean(step)));
    let note = plan.note.iter().cloned();
    block("plan", &numbered.chain(note).collect::<Vec<_>>().join("\n"))
}
