//! The command that a person runs: it starts the guardian and tells what it reports.

use std::{
    io::{BufRead, BufReader},
    process::{Command, ExitCode, Stdio},
};

use baton_app::{
    Failure,
    commands::{
        room::{Join, JoinInput},
        stick::WaitForTurnResult,
    },
};
use baton_core::{code::ErrorCode, ids::RoomId};
use serde_json::{Map, Value};

use super::Report;
use crate::{
    context::Context,
    exit::Exit,
    select::{self, RoomArgs},
    ui::Ui,
};

/// Starts the guardian and waits for its report. It gets the same store, but not as an argument: those are for
/// everybody to see, for as long as it lives.
pub(super) fn start(room: &RoomArgs, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
    let person = context.caller.actor().agent_id;
    let room_id = join(room, context)?;
    let wrong =
        |error: std::io::Error| Failure::new(ErrorCode::Internal, format!("The guardian did not start: {error}."));
    let mut guardian = Command::new(std::env::current_exe().map_err(wrong)?)
        .args(["hold", "--room", room_id.as_str(), "--guardian-of", person.as_str()])
        .envs(context.store.as_ref().map(|store| ("BATON_STORE", store)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(wrong)?;
    let mut line = String::new();
    let out = guardian.stdout.take().ok_or_else(|| Failure::new(ErrorCode::Internal, "the guardian has no output"))?;
    BufReader::new(out).read_line(&mut line).map_err(wrong)?;
    let report: Report = serde_json::from_str(&line)
        .map_err(|_| Failure::new(ErrorCode::Internal, "The guardian ended without a word."))?;
    show(ui, &report)
}

fn join(room: &RoomArgs, context: &Context) -> Result<RoomId, Failure> {
    if let Some(room) = &room.room {
        return Ok(room.clone());
    }
    let path = room.path.clone().unwrap_or_else(|| ".".into());
    let join = JoinInput {
        context_path: select::utf8(&path)?,
        force_new: false,
        agent_id_override: None,
        idempotency_key: None,
    };
    Ok(context.run::<Join>(join)?.room_id)
}

fn show(ui: Ui, report: &Report) -> Result<ExitCode, Failure> {
    if let Some(Value::Object(error)) = &report.error {
        return Err(refusal(error.clone()));
    }
    let Some(turn) = &report.turn else {
        return Err(Failure::new(ErrorCode::Internal, "The guardian reported nothing."));
    };
    let exit = match turn {
        WaitForTurnResult::YourTurn { .. } => Exit::Done,
        WaitForTurnResult::TakeoverAvailable { .. } => Exit::TakeoverAvailable,
        WaitForTurnResult::Closed { .. } => Exit::Closed,
        WaitForTurnResult::NotYet { .. } => Exit::NotYet,
    };
    Ok(ui.answer_with(exit, report, || match turn {
        WaitForTurnResult::YourTurn { turn_id, .. } => format!(
            "You hold the stick: turn {turn_id}, kept by process {}{} until you release it or close the terminal.\n\
             next: baton release --status … --next …\n",
            report.guardian_pid,
            report.terminal.as_ref().map_or_else(String::new, |terminal| format!(" on {terminal}")),
        ),
        WaitForTurnResult::TakeoverAvailable { turn_id, .. } => {
            format!("The stick may be taken over.\nnext: baton take --turn {turn_id} --reason …, then baton hold\n")
        }
        WaitForTurnResult::NotYet { .. } | WaitForTurnResult::Closed { .. } => {
            "The room takes no more turns.\n".to_owned()
        }
    }))
}

/// The failure that another process of Baton's reported, with all its facts.
pub(in crate::commands) fn refusal(mut error: Map<String, Value>) -> Failure {
    let mut text = |key: &str| match error.remove(key) {
        Some(Value::String(text)) => text,
        Some(_) | None => String::new(),
    };
    let (code, message, next) = (text("error"), text("message"), text("next"));
    let code = ErrorCode::ALL.iter().copied().find(|known| known.as_str() == code).unwrap_or(ErrorCode::Internal);
    Failure { code, message, details: Box::new(error), next }
}
