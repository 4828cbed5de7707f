//! Which room a command is about, which turn, and whether it is said again.

use std::path::{Path, PathBuf};

use baton_app::{
    Failure,
    commands::room::{self, GetRoomStateResult, State, StateInput},
    replay::{self, Earlier},
};
use baton_core::{
    code::ErrorCode,
    ids::{BeadId, LeaseId, RoomId},
    inbox::Urgency,
    lease::Fence,
    task::TaskId,
};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::context::Context;

/// Picks a room.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct RoomArgs {
    /// The room's id
    #[arg(long, value_name = "ID", conflicts_with = "path")]
    pub(crate) room: Option<RoomId>,
    /// A path in the room's workspace [default: the current directory]
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
}

/// Picks a turn. Without them the caller's own current turn is meant.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct TurnArgs {
    /// The turn you believe current
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<u64>,
    /// The lease you were granted
    #[arg(long, value_name = "LEASE")]
    pub(crate) lease: Option<LeaseId>,
}

/// Marks a call that may be repeated.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct KeyArgs {
    /// Repeat a call safely: the same key gets the first answer
    #[arg(long = "idempotency-key", value_name = "KEY")]
    pub(crate) key: Option<String>,
}

/// What a message is about.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct AboutArgs {
    /// The task or bead it is about [default: your task in progress]
    #[arg(long, visible_alias = "bead-id", value_name = "ID")]
    pub(crate) bead: Option<BeadId>,
    /// The paths it is about: a file, a directory or dir/*
    #[arg(long, value_name = "PATH", allow_hyphen_values = true)]
    pub(crate) scope: Option<String>,
}

/// What every command of a holder takes.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct HolderArgs {
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    turn: TurnArgs,
    #[command(flatten)]
    pub(crate) key: KeyArgs,
}

/// The turn that a holder's command is about.
pub(crate) struct Held {
    /// How its room stands.
    pub(crate) state: GetRoomStateResult,
    /// What the same call was about before, if it was made before.
    pub(crate) earlier: Option<Earlier>,
    /// The turn to show.
    pub(crate) turn_id: Fence,
    /// The lease to show.
    pub(crate) lease_id: LeaseId,
}

impl HolderArgs {
    /// Finds out which turn is meant.
    pub(crate) fn find(&self, context: &Context) -> Result<Held, Failure> {
        let earlier = self.key.earlier(context)?;
        let state = self.room.state_again(context, earlier.as_ref())?;
        let (turn_id, lease_id) = self.turn.fence(&state, earlier.as_ref())?;
        Ok(Held { state, earlier, turn_id, lease_id })
    }
}

impl KeyArgs {
    /// What was carried out under this key before. A repeated call means the same, so whatever it does not say is
    /// taken from there.
    pub(crate) fn earlier(&self, context: &Context) -> Result<Option<Earlier>, Failure> {
        match &self.key {
            Some(key) => replay::earlier(&context.app, &context.caller, key),
            None => Ok(None),
        }
    }
}

impl RoomArgs {
    /// The room that is meant. Whoever works on a job and names none means the job's, wherever it works.
    pub(crate) fn find(&self, context: &Context) -> Result<RoomId, Failure> {
        match (&self.room, &self.path) {
            (Some(room), _) => Ok(room.clone()),
            (None, Some(path)) => context.app.room_at(&context.caller, path),
            (None, None) => context.app.room_for(&context.caller, None),
        }
    }

    /// Whether it says nothing.
    pub(crate) fn is_bare(&self) -> bool {
        self.room.is_none() && self.path.is_none()
    }

    /// The room that is meant by a call that may have been made before.
    pub(crate) fn find_again(&self, context: &Context, earlier: Option<&Earlier>) -> Result<RoomId, Failure> {
        match earlier {
            Some(earlier) if self.is_bare() => Ok(earlier.room_id.clone()),
            _ => self.find(context),
        }
    }

    /// The room that is meant, opened if the path has none. A call that was made before is about the room of then.
    pub(crate) fn find_or_open(&self, context: &Context, earlier: Option<&Earlier>) -> Result<RoomId, Failure> {
        match (&self.room, &self.path, earlier) {
            (None, None, Some(_)) | (Some(_), ..) => self.find_again(context, earlier),
            (None, path, _) => {
                room::open_room(&context.app, &context.caller, path.as_deref().unwrap_or(Path::new(".")))
            }
        }
    }

    /// The room that is meant, and how it stands.
    pub(crate) fn state(&self, context: &Context) -> Result<GetRoomStateResult, Failure> {
        self.state_again(context, None)
    }

    /// The same for a call that may have been made before.
    pub(crate) fn state_again(
        &self,
        context: &Context,
        earlier: Option<&Earlier>,
    ) -> Result<GetRoomStateResult, Failure> {
        context.run::<State>(StateInput { room_id: self.find_again(context, earlier)? })
    }
}

/// A path as the text that the command table takes.
pub(crate) fn utf8(path: &Path) -> Result<String, Failure> {
    match path.to_str() {
        Some(path) => Ok(path.to_owned()),
        None => Err(Failure::new(ErrorCode::InvalidPath, format!("{} is not valid UTF-8.", path.display()))),
    }
}

impl TurnArgs {
    /// The turn and lease to show: as given, else as they were shown before, else those the caller holds. A caller
    /// who holds none shows a lease that nobody has, and is told who does.
    fn fence(&self, state: &GetRoomStateResult, earlier: Option<&Earlier>) -> Result<(Fence, LeaseId), Failure> {
        let none: LeaseId = "lease_none".parse().map_err(|_| Failure::new(ErrorCode::Internal, "a lease id"))?;
        Ok((self.turn_of(state, earlier), self.lease_of(state, earlier).unwrap_or(none)))
    }

    /// The turn to show.
    pub(crate) fn turn_of(&self, state: &GetRoomStateResult, earlier: Option<&Earlier>) -> Fence {
        self.turn.map_or_else(|| earlier.map_or(state.room.turn_id, |earlier| earlier.turn_id), Fence)
    }

    /// The lease to show, if the caller has one.
    pub(crate) fn lease_of(&self, state: &GetRoomStateResult, earlier: Option<&Earlier>) -> Option<LeaseId> {
        let found = || earlier.map_or_else(|| state.room.lease_id.clone(), |earlier| earlier.lease_id.clone());
        self.lease.clone().or_else(found)
    }
}

/// The task that a person means: `TASK-001`, `task-1` or `1`.
pub(crate) fn task(text: &str) -> Result<TaskId, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { format!("TASK-{text}").parse() } else { text.parse() }
}

/// Reads how much a message presses.
pub(crate) fn urgency() -> impl TypedValueParser<Value = Urgency> {
    PossibleValuesParser::new(["low", "medium", "high"]).map(|word| match word.as_str() {
        "low" => Urgency::Low,
        "high" => Urgency::High,
        _ => Urgency::Medium,
    })
}
