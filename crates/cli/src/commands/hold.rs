//! `baton hold`
//!
//! The command starts itself again as a guardian that outlives it, waits for one line from there, and ends. The
//! guardian is the process behind the person's turn: while it lives, the lease is renewed.

use std::{
    io::{BufRead, BufReader},
    os::unix::process::CommandExt,
    process::{Command, ExitCode, Stdio},
};

use baton_app::{
    Caller, Failure,
    commands::{
        room::{Join, JoinInput},
        stick::{Wait, WaitForTurnResult, WaitInput},
    },
    hold::{self, Hold},
    identity,
};
use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId},
    limits,
    process::SessionKind,
    room::Actor,
};
use serde::{Deserialize, Serialize};

use crate::{
    context::Context,
    exit::Exit,
    select::RoomArgs,
    ui::{self, Ui},
};

/// Take the stick as a person and keep it until you release it
///
/// Joins, waits for the stick, and leaves a small guardian process behind that keeps your lease alive. `baton
/// release` from the same terminal hands the stick on and ends the guardian.
#[derive(Debug, clap::Args)]
pub(super) struct HoldArgs {
    #[command(flatten)]
    room: RoomArgs,
    /// Be the guardian of this person
    #[arg(long, value_name = "ID", hide = true, requires = "room")]
    guardian_of: Option<AgentId>,
}

/// What the guardian reports, once.
#[derive(Debug, Serialize, Deserialize)]
struct Report {
    guardian_pid: u32,
    room_id: Option<RoomId>,
    turn: Option<WaitForTurnResult>,
    error: Option<serde_json::Value>,
}

impl HoldArgs {
    pub(super) fn run(self, context: Context, ui: Ui) -> Result<ExitCode, Failure> {
        match (self.guardian_of, self.room.room.clone()) {
            (Some(person), Some(room)) => Ok(guard(context, person, room)),
            _ => start(&self.room, &context, ui),
        }
    }
}

/// Starts the guardian and tells what it reports.
fn start(room: &RoomArgs, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
    let person = context.caller.actor();
    if person.session_kind == SessionKind::McpHarness {
        let message = format!("{} is an agent: its harness process holds the stick for it.", person.agent_id);
        return Err(Failure::new(ErrorCode::InvalidInput, message).advising("Use `baton wait`."));
    }
    let room_id = match &room.room {
        Some(room) => room.clone(),
        None => {
            let path = room.path.clone().unwrap_or_else(|| ".".into());
            let join = JoinInput {
                context_path: crate::select::utf8(&path)?,
                force_new: false,
                agent_id_override: None,
                idempotency_key: None,
            };
            context.run::<Join>(join)?.room_id
        }
    };
    let wrong =
        |error: std::io::Error| Failure::new(ErrorCode::Internal, format!("The guardian did not start: {error}."));
    let mut guardian = Command::new(std::env::current_exe().map_err(wrong)?)
        .args(["hold", "--room", room_id.as_str(), "--guardian-of", person.agent_id.as_str()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        // Its own group, so that Ctrl-C at the terminal ends a wait for the stick and not the keeping of it.
        .process_group(0)
        .spawn()
        .map_err(wrong)?;
    let mut line = String::new();
    let out = guardian.stdout.take().ok_or_else(|| Failure::new(ErrorCode::Internal, "the guardian has no output"))?;
    BufReader::new(out).read_line(&mut line).map_err(wrong)?;
    let report: Report = serde_json::from_str(&line)
        .map_err(|_| Failure::new(ErrorCode::Internal, "The guardian ended without a word."))?;
    show(ui, &report)
}

fn show(ui: Ui, report: &Report) -> Result<ExitCode, Failure> {
    if let Some(error) = &report.error {
        let message = error["message"].as_str().unwrap_or("The guardian was refused.").to_owned();
        let code = ErrorCode::ALL.iter().find(|code| Some(code.as_str()) == error["error"].as_str());
        return Err(Failure::new(code.copied().unwrap_or(ErrorCode::Internal), message));
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
            "You hold the stick: turn {turn_id}, kept by process {}.\nnext: baton release --status … --next …\n",
            report.guardian_pid
        ),
        WaitForTurnResult::TakeoverAvailable { turn_id, .. } => {
            format!("The stick may be taken over.\nnext: baton take --turn {turn_id} --reason …, then baton hold\n")
        }
        WaitForTurnResult::NotYet { .. } | WaitForTurnResult::Closed { .. } => {
            "The room takes no more turns.\n".to_owned()
        }
    }))
}

/// Waits for the stick as the guardian, reports, and keeps it until the turn ends.
fn guard(context: Context, person: AgentId, room_id: RoomId) -> ExitCode {
    // Away from the terminal's session: closing the window must not take the stick with it.
    let _ = rustix::process::setsid();
    let found = context.surroundings.guardian();
    let actor: Actor =
        identity::guardian(Actor { agent_id: person, overridden: false, ..found.clone() }, found.process);
    let cwd = context.caller.cwd.clone();
    let context = Context { caller: Caller::new(actor, cwd), ..context };
    let turn = claim(&context, &room_id);
    let report = Report {
        guardian_pid: std::process::id(),
        room_id: Some(room_id.clone()),
        error: turn.as_ref().err().map(Failure::to_json),
        turn: turn.ok(),
    };
    ui::print(&format!("{}\n", serde_json::to_string(&report).unwrap_or_default()));
    let Some(WaitForTurnResult::YourTurn { turn_id, lease_id, .. }) = report.turn else { return Exit::Refused.into() };
    // However the keeping ends, there is nobody left to tell.
    let _ = hold::keep(&context.app, &context.caller, &Hold { room_id, turn_id, lease_id });
    Exit::Done.into()
}

fn claim(context: &Context, room_id: &RoomId) -> Result<WaitForTurnResult, Failure> {
    hold::stand_in(&context.app, &context.caller, room_id)?;
    loop {
        let answer = context.run::<Wait>(WaitInput {
            room_id: room_id.clone(),
            cursor: None,
            max_wait_ms: Some(limits::WAIT_MAX.as_millis()),
            park: false,
            idempotency_key: None,
        })?;
        if !matches!(answer, WaitForTurnResult::NotYet { .. }) {
            return Ok(answer);
        }
    }
}
