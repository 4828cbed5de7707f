//! `baton wait`

use std::{process::ExitCode, time::Duration};

use baton_app::{
    Failure,
    commands::{
        room::{State, StateInput},
        stick::{Wait, WaitForTurnResult, WaitInput},
    },
    view::Mail,
};
use baton_core::{ids::AgentId, time::Timestamp};

use crate::{
    commands::surface::in_words,
    context::Context,
    exit::Exit,
    patience::{in_calls, parse_seconds},
    render,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Wait for the stick and take it up when it is yours
///
/// Says nothing until there is something to say, then exits once: 0 your turn, 11 takeover available, 12 the
/// room is closed, 13 kept for you (with --park), 14 a message for you, 10 the timeout passed. Costs nothing while it waits.
#[derive(Debug, clap::Args)]
pub(super) struct WaitArgs {
    #[command(flatten)]
    room: RoomArgs,
    /// Give up after this many seconds; 0 tries once [default: wait for ever]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    timeout: Option<Duration>,
    /// Only listen: never take up a free stick, and exit when it is kept for you
    #[arg(long)]
    park: bool,
    /// From an earlier answer with --json: wait for what is new since, and let a takeover be that it told of
    #[arg(long, value_name = "CURSOR", conflicts_with = "key")]
    cursor: Option<String>,
    #[command(flatten)]
    key: KeyArgs,
}

impl WaitArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find_again(context, self.key.earlier(context)?.as_ref())?;
        let you = context.caller.actor().agent_id;
        let (mut calls_left, max_wait_ms) = in_calls(self.timeout);
        let mut cursor = self.cursor.clone();
        loop {
            // Without a cursor every call is the same request, so that a key is for all of them.
            let answer = context.run::<Wait>(WaitInput {
                room_id: room_id.clone(),
                cursor: cursor.clone(),
                max_wait_ms: Some(max_wait_ms),
                park: self.park,
                idempotency_key: self.key.key.clone(),
            })?;
            calls_left = calls_left.map(|calls| calls.saturating_sub(1));
            let again = match &answer {
                WaitForTurnResult::NotYet { reserved_for, new_message, cursor: now, .. } => {
                    cursor = cursor.map(|_| now.clone());
                    reserved_for.as_ref() != Some(&you) && !new_message && calls_left != Some(0)
                }
                WaitForTurnResult::TakeoverAvailable { cursor: now, new_message, .. } => {
                    let is_known = cursor.as_ref().is_some_and(|known| takeover_in(known) == takeover_in(now));
                    cursor = cursor.map(|_| now.clone());
                    is_known && !new_message && calls_left != Some(0)
                }
                WaitForTurnResult::YourTurn { .. } | WaitForTurnResult::Closed { .. } => false,
            };
            if !again {
                let now = context.app.now()?;
                let name = |agent: &AgentId| match context.run::<State>(StateInput { room_id: room_id.clone() }) {
                    Ok(state) => render::name_in(&state, agent),
                    Err(_) => agent.to_string(),
                };
                return Ok(show(ui, answer, |answer| text(answer, now, &you, name), &you));
            }
        }
    }
}

fn show(
    ui: Ui,
    mut answer: WaitForTurnResult,
    text: impl FnOnce(&WaitForTurnResult) -> String,
    you: &AgentId,
) -> ExitCode {
    if let WaitForTurnResult::NotYet { next, .. } | WaitForTurnResult::TakeoverAvailable { next, .. } = &mut answer {
        *next = in_words(next);
    }
    let exit = match &answer {
        WaitForTurnResult::YourTurn { .. } => Exit::Done,
        WaitForTurnResult::NotYet { reserved_for, .. } if reserved_for.as_ref() == Some(you) => Exit::KeptForYou,
        WaitForTurnResult::NotYet { new_message: true, .. }
        | WaitForTurnResult::TakeoverAvailable { new_message: true, .. } => Exit::Message,
        WaitForTurnResult::NotYet { .. } => Exit::NotYet,
        WaitForTurnResult::TakeoverAvailable { .. } => Exit::TakeoverAvailable,
        WaitForTurnResult::Closed { .. } => Exit::Closed,
    };
    ui.answer_with(exit, &answer, || text(&answer))
}

fn text(answer: &WaitForTurnResult, now: Timestamp, you: &AgentId, name: impl Fn(&AgentId) -> String) -> String {
    match answer {
        WaitForTurnResult::YourTurn {
            turn_id,
            lease_id,
            lease_expires_at,
            handoff,
            from_agent_id,
            resumed,
            drift,
            ..
        } => {
            let already = if *resumed { "already " } else { "" };
            let head = format!(
                "It is {already}your turn: turn {turn_id}, lease {lease_id}, which runs out in {}.\n",
                lease_expires_at.since(now)
            );
            let handoff = match (handoff, from_agent_id) {
                (Some(handoff), Some(from)) => {
                    format!("\nHandoff from {}\n{}", name(from), render::handoff_page(handoff))
                }
                _ => String::new(),
            };
            let drift = drift.as_deref().map(|drift| format!("\n{}", render::drift(drift))).unwrap_or_default();
            format!(
                "{head}{handoff}{drift}\nnext: work, `baton heartbeat` now and then, then baton release --status … --next …\n"
            )
        }
        WaitForTurnResult::NotYet { room_state, owner, reserved_for, inbox, new_message, .. } => {
            if reserved_for.as_ref() == Some(you) {
                return "The stick is kept for you.\nnext: baton wait\n".to_owned();
            }
            if *new_message {
                return called(inbox);
            }
            let (owner, recipient) = (owner.as_ref().map(&name), reserved_for.as_ref().map(&name));
            let who = render::who_has_it(owner.as_deref(), recipient.as_deref());
            format!("Not yet: the room is {}, the stick is {who}.\nnext: baton wait\n", room_state.as_str())
        }
        WaitForTurnResult::TakeoverAvailable { new_message: true, inbox, .. } => called(inbox),
        WaitForTurnResult::TakeoverAvailable { turn_id, room_state, current_owner, reserved_for, cursor, .. } => {
            let who = current_owner.as_ref().or(reserved_for.as_ref()).map_or_else(|| "nobody".to_owned(), name);
            format!(
                "{who} does not respond ({}): the stick may be taken over.\nnext: baton take --turn {turn_id} --reason …, or to let them be: baton wait --cursor {cursor}\n",
                room_state.as_str()
            )
        }
        WaitForTurnResult::Closed { .. } => "The room is closed.\nnext: baton join  (opens a fresh room)\n".to_owned(),
    }
}

/// The takeover that a cursor knows of: what follows the place in the log, which other events move.
fn takeover_in(cursor: &str) -> Option<&str> {
    cursor.split_once('.').map(|(_, takeover)| takeover)
}

/// That there are messages.
fn called(inbox: &Mail) -> String {
    let unseen = inbox.unseen;
    let messages = if unseen == 1 { "One message is".to_owned() } else { format!("{unseen} messages are") };
    format!("{messages} waiting for you.\nnext: baton inbox, then baton wait\n")
}
