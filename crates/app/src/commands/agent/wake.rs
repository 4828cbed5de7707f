//! Choosing what wakes an agent.

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId},
    policy::Wake as Wakes,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::{Request, internal},
    commands::envelope::called,
    table::{AGENT, Access, Effect, Place, UseCase},
};

/// `agent.wake`
pub struct Wake;

/// A choice of what wakes an idle agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WakeChoice {
    /// Nothing.
    Off,
    /// Messages and answers to it.
    Messages,
    /// Those, the stick that is kept for it, and jobs that need it.
    All,
    /// As the room's policy says.
    Room,
}

impl WakeChoice {
    /// The choice that is written so.
    pub fn named(word: &str) -> Option<Self> {
        if word == "room" { Some(Self::Room) } else { Wakes::named(word).map(Self::from) }
    }

    const fn chosen(self) -> Option<Wakes> {
        match self {
            Self::Off => Some(Wakes::Off),
            Self::Messages => Some(Wakes::Messages),
            Self::All => Some(Wakes::All),
            Self::Room => None,
        }
    }
}

impl From<Wakes> for WakeChoice {
    fn from(wake: Wakes) -> Self {
        match wake {
            Wakes::Off => Self::Off,
            Wakes::Messages => Self::Messages,
            Wakes::All => Self::All,
        }
    }
}

/// An agent, and what is to wake it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WakeInput {
    pub room_id: RoomId,
    /// Name or id; default: you. Others: operators only
    pub agent: Option<String>,
    /// room: as the room's policy says
    pub wake: WakeChoice,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// An agent's wakes from now on.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct WakeResult {
    pub room_id: RoomId,
    /// Its name.
    pub agent: String,
    pub agent_id: AgentId,
    /// The wakes in force.
    pub wake: Wakes,
    /// Whether they were chosen for it, and are not the room's.
    pub chosen: bool,
}

impl UseCase for Wake {
    const NAME: &'static str = "agent.wake";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access {
        by_hand: Some("`baton agent wake` at a terminal, or the agent's page of `baton up`"),
        ..Access::limited("itself").without_jobs(None)
    };
    const ABOUT: &'static str = "Choose what wakes you while you are idle, as long as you are a member.";
    type Input = WakeInput;
    type Output = WakeResult;

    fn perform(app: &App, caller: &Caller, input: WakeInput) -> Result<WakeResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let chosen = app.change(caller, &request, &input.room_id, |change| {
            let agent_id = match &input.agent {
                Some(named) => change.named(named)?,
                None => change.actor.agent_id.clone(),
            };
            let wake = input.wake.chosen();
            change.decide(|room, call| room.choose_wake(call, &agent_id, wake, caller.authority()))?;
            let member = change.room.member(&agent_id).ok_or_else(|| internal("who is woken is a member"))?;
            Ok(WakeResult {
                room_id: change.room.id.clone(),
                agent: called(&change.room, &agent_id),
                wake: change.room.wake_of(member),
                chosen: member.wake.is_some(),
                agent_id,
            })
        });
        chosen.map_err(|failure| match failure.code {
            ErrorCode::Forbidden if failure.details.contains_key("needs") => {
                Self::ACCESS.operator_needed(caller.role(), failure.message).with("field", "agent")
            }
            _ => failure,
        })
    }
}
