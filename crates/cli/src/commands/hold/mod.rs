//! `baton hold`
//!
//! The command starts itself again as a guardian that outlives it, waits for one line from there, and ends
//! ([`start`]). The guardian is the process behind the person's turn: while it lives, the lease is renewed, and it lives no
//! longer than the session of the person's terminal ([`guardian`]).

mod guardian;
mod start;

pub(super) use start::refusal;

use std::process::ExitCode;

use baton_app::{Failure, commands::stick::WaitForTurnResult};
use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId},
};
use serde::{Deserialize, Serialize};

use crate::{context::Context, select::RoomArgs, ui::Ui};

/// Take the stick as a person and keep it until you release it
///
/// Joins, waits for the stick, and leaves a small guardian process behind that keeps your lease alive for as long as
/// your terminal is open. `baton release` from the same terminal hands the stick on and ends the guardian.
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
    terminal: Option<String>,
    room_id: Option<RoomId>,
    turn: Option<WaitForTurnResult>,
    error: Option<serde_json::Value>,
}

impl HoldArgs {
    pub(super) fn run(self, context: Context, ui: Ui) -> Result<ExitCode, Failure> {
        let caller = context.caller.actor();
        if !caller.session_kind.is_person() {
            let message = format!("{} is no person at a terminal: its own process holds the stick.", caller.agent_id);
            return Err(Failure::new(ErrorCode::InvalidInput, message).advising("Use `baton wait`."));
        }
        match (self.guardian_of, self.room.room.clone()) {
            (Some(person), Some(room)) => Ok(guardian::guard(context, &person, room)),
            _ => start::start(&self.room, &context, ui),
        }
    }
}
