//! The guardian: it waits for the stick, reports once, and keeps the stick until the turn or the terminal's session ends.
//!
//! What must stay true: until it has reported, it ends with its starter. Somebody who gave up waiting must not find
//! out later that they hold the stick, and for ever. If it got the stick and nobody is left to tell, it ends too, and
//! others see at once that the owner is gone.

use std::{process::ExitCode, sync::Arc, thread};

use baton_app::{
    Failure,
    commands::stick::{Wait, WaitForTurnResult, WaitInput},
    hold::{self, Hold, TerminalSession},
    table::UseCase,
};
use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId},
    limits,
};

use super::Report;
use crate::{audience::Audience, context::Context, exit::Exit, ui};

/// Waits for the stick as the guardian of `person`, reports, and keeps it until the turn or the terminal's session ends.
pub(super) fn guard(context: Context, person: &AgentId, room_id: RoomId) -> ExitCode {
    let caller = context.caller.acting_as(context.surroundings.guardian());
    let context = Context { caller, ..context };
    let session = require(&context, person).and_then(|()| TerminalSession::of_guardian(&context.app, &context.caller));
    let session = session.map(Arc::new);
    let turn = match &session {
        Ok(session) => claim(&context, &room_id, session),
        Err(failure) => Err(failure.clone()),
    };
    // Away from the terminal's keys, which end the commands that are run there. Not before, because they are meant to
    // end a wait.
    let _ = rustix::process::setsid();
    let guardian = context.caller.actor().process.and_then(|process| process.guardian());
    let report = Report {
        guardian_pid: std::process::id(),
        terminal: guardian.map(|guardian| guardian.terminal),
        room_id: Some(room_id.clone()),
        error: turn.as_ref().err().map(Failure::to_json),
        turn: turn.ok(),
    };
    let line = serde_json::to_string(&report).unwrap_or_default();
    if ui::try_print(&format!("{line}\n")).is_err() {
        return Exit::Failed.into();
    }
    let (Ok(session), Some(WaitForTurnResult::YourTurn { turn_id, lease_id, .. })) = (session, report.turn) else {
        return Exit::Refused.into();
    };
    // However the keeping ends, there is nobody left to tell.
    let _ = hold::keep(&context.app, &context.caller, &Hold { room_id, turn_id, lease_id }, &session);
    Exit::Done.into()
}

/// Nobody becomes another's guardian by naming them: who it acts for is found out as for every command.
fn require(context: &Context, person: &AgentId) -> Result<(), Failure> {
    let found = context.caller.actor().agent_id;
    if found == *person {
        return Ok(());
    }
    let message = format!("A guardian that {found} starts cannot hold for {person}.");
    Err(Failure::new(ErrorCode::InvalidInput, message).with("agent_id", found.as_str()).advising("Use `baton hold`."))
}

fn claim(context: &Context, room_id: &RoomId, session: &Arc<TerminalSession>) -> Result<WaitForTurnResult, Failure> {
    // The starter alone reads our output; once it is gone the wait is withdrawn. So it is with the session, whose end need
    // not end this process: it may have been told to ignore a hang-up.
    let starter = Audience::new()?;
    let (session, withdraw) = (Arc::clone(session), starter.cancel().clone());
    thread::spawn(move || {
        session.wait_for_end();
        withdraw.ring();
    });
    let waiting = context.caller.clone().on(context.caller.connection.clone(), starter.cancel().clone());
    hold::stand_in(&context.app, &context.caller, room_id)?;
    loop {
        let input = WaitInput {
            room_id: room_id.clone(),
            cursor: None,
            max_wait_ms: Some(limits::WAIT_MAX.as_millis()),
            park: false,
            idempotency_key: None,
        };
        match Wait::run(&context.app, &waiting, input)? {
            WaitForTurnResult::NotYet { .. } => {}
            answer @ WaitForTurnResult::YourTurn { resumed: true, .. } => {
                // The person got it in another way while the guardian waited.
                hold::stand_in(&context.app, &context.caller, room_id)?;
                return Ok(answer);
            }
            answer => return Ok(answer),
        }
    }
}
