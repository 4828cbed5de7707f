//! `baton agent init`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::agent::{self, Init, InitAction, InitInput, InitResult},
};
use baton_core::{code::ErrorCode, ids::RoomId};

use super::{ask, page};
use crate::{
    context::Context,
    select::RoomArgs,
    standing,
    ui::{Ui, clean},
    wording::who,
};

/// Begin a session: register, or adopt an identity whose work was left unfinished
///
/// Opens the workspace's room if there is none. A person at a terminal is asked which identity to go on as, where
/// there are some; a program never is, and is refused with AMBIGUOUS_SESSION and a recommendation. The same situation
/// always gets the same answer.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct InitArgs {
    /// Never ask, not even at a terminal
    #[arg(long)]
    non_interactive: bool,
    /// Go on as this agent, by name or id
    #[arg(long, value_name = "ID", conflicts_with_all = ["register", "role"])]
    adopt: Option<String>,
    /// Begin under this new name
    #[arg(long, value_name = "NAME")]
    register: Option<String>,
    /// What you are here for: messages can be sent to role:R
    #[arg(long, value_name = "R")]
    role: Option<String>,
    /// With --adopt: where you go on, relative to the current directory [default: what it had reserved]
    #[arg(long = "scope", value_name = "S", num_args = 1.., requires = "adopt")]
    scopes: Vec<String>,
    #[command(flatten)]
    room: RoomArgs,
}

impl InitArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.find_room(context)?;
        let scopes = standing::from_root(context, &room_id, self.scopes.clone())?;
        let input = || self.input(&room_id, &scopes);
        // An agent whose harness gives it a terminal is not a person.
        let is_person = context.caller.actor().session_kind.is_person();
        let may_ask = !self.non_interactive && is_person && ui.can_ask();
        match context.run::<Init>(input()) {
            Ok(begun) => Ok(ui.answer(&begun, || text(&begun))),
            Err(failure) if failure.code == ErrorCode::AmbiguousSession && may_ask => {
                ask::which(context, ui, input(), failure)
            }
            Err(failure) if failure.code == ErrorCode::AdoptionRejected && may_ask => {
                ask::confirm(context, ui, &input(), failure)
            }
            Err(failure) => page::refuse(ui, failure, context.app.now()?),
        }
    }

    fn input(&self, room_id: &RoomId, scopes: &[String]) -> InitInput {
        InitInput {
            room_id: room_id.clone(),
            adopt: self.adopt.clone(),
            register: self.register.clone(),
            role: self.role.clone(),
            scopes: scopes.to_vec(),
        }
    }

    /// Whoever adopts goes on where something was, so no room is opened for it; nor for what could not be registered.
    fn find_room(&self, context: &Context) -> Result<RoomId, Failure> {
        if self.adopt.is_some() {
            return self.room.find(context);
        }
        self.register.as_deref().map(agent::parse_name).transpose()?;
        self.role.as_deref().map(agent::parse_role).transpose()?;
        self.room.find_or_open(context, None)
    }
}

/// Who somebody is now, and why.
pub(super) fn text(begun: &InitResult) -> String {
    let role = begun.agent.role.as_ref().map_or_else(String::new, |role| format!(", role {role},"));
    let you = who(&begun.agent.name, &begun.agent.agent_id) + &role;
    let room = &begun.room_id;
    let sentence = match (begun.action, &begun.evidence) {
        (InitAction::Adopted, Some(evidence)) => {
            format!("You go on as {you} in {room}: {}.", clean(evidence))
        }
        (InitAction::Adopted, None) => format!("You go on as {you} in {room}."),
        (InitAction::AlreadyRegistered, _) => format!("You are {you} in {room} already."),
        (InitAction::Registered, _) if begun.recommendation_reason == "no_resumable_identity" => {
            format!("You are {you} in {room}. Nobody's work was left unfinished here.")
        }
        (InitAction::Registered, _) => format!("You are {you} in {room}."),
    };
    format!("{sentence}\n{}", page::standing(&begun.agent))
}
