//! The authoritative look at a room.

use baton_core::{
    handoff::Handoff,
    ids::{AgentId, RoomId, Seq},
    limits,
    policy::Policy,
    room::{Prospect, TakeoverReason},
    time::Timestamp,
};
use baton_store::{StoreError, engine::Tx, envelopes, rooms::Arrival, spawns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure, Rights,
    app::Sight,
    commands::envelope::known_as,
    connection::{Signs, Vantage},
    presence::{self, Effort},
    table::{Effect, Place, Tier, UseCase},
    testimony,
    view::{Mail, PathRoom, RoomMember},
};

/// `room.state`
pub struct State;

/// Which room.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateInput {
    pub room_id: RoomId,
}

/// All there is to know about a room now.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetRoomStateResult {
    pub room: PathRoom,
    /// Members who are here.
    pub members: Vec<RoomMember>,
    /// Members that are not listed: they have not been seen lately, or are too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub members_not_shown: Option<usize>,
    pub policy: Policy,
    /// Whether you may take the stick over.
    pub takeover: TakeoverView,
    /// Who wrote the handoff below.
    pub handoff_from: Option<AgentId>,
    /// The handoff waiting for the next holder or, while the stick is held, the one this turn began with. After a
    /// takeover it is the last one there was, until the next release.
    pub handoff: Option<Handoff>,
    /// The event that carries it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_event_seq: Option<Seq>,
    /// Who lost the stick, while it is held by a takeover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_agent_id: Option<AgentId>,
    /// Their name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_agent: Option<String>,
    /// When the current turn began.
    pub owned_since: Option<Timestamp>,
    /// What waits in your inbox.
    #[serde(default, skip_serializing_if = "Mail::is_empty")]
    pub inbox: Mail,
    /// What somebody waits for.
    #[serde(default, skip_serializing_if = "Requests::is_empty")]
    pub requests: Requests,
}

/// How much is owed, awaited, and to be decided, as far as it is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Requests {
    /// Responses that you owe.
    pub owed: usize,
    /// Responses that you are owed.
    pub awaited: usize,
    /// Requests for further agents that wait for an operator, if you are one.
    pub approvals: usize,
}

impl Requests {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn of(tx: &mut dyn Tx, room: &RoomId, caller: &Caller, agent: &AgentId) -> Result<Self, StoreError> {
        let most = limits::REQUESTS_SHOWN;
        let found = envelopes::concerning(tx, room, agent, 2 * most)?;
        Ok(Self {
            owed: found.iter().filter(|posted| posted.recipient == *agent).count(),
            awaited: found.iter().filter(|posted| posted.reply_to == *agent).count(),
            approvals: match caller.rights() {
                Rights::Operator => spawns::pending(tx, room, most)?.len(),
                Rights::Agent | Rights::Viewer => 0,
            },
        })
    }
}

/// Whether a takeover is open to the caller.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct TakeoverView {
    pub available: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<TakeoverReason>,
}

impl UseCase for State {
    const NAME: &'static str = "room.state";
    const PLACE: Place = Place::Tool("get_room_state", Tier::Daily);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "Read a room: owner, members, expiries, last handoff, whether takeover is open.";
    type Input = StateInput;
    type Output = GetRoomStateResult;

    fn perform(app: &App, caller: &Caller, input: StateInput) -> Result<GetRoomStateResult, Failure> {
        let actor = caller.actor();
        let (mut sight, handoff, waiting, requests, signs, revoked_agent) = app.store.read(|tx| {
            let Arrival { room, handoff, waiting } = app.arrive(tx, caller, &input.room_id, &actor.agent_id)?;
            let eyes = app.eyes(tx, &room)?;
            let requests = Requests::of(tx, &room.id, caller, &actor.agent_id)?;
            let signs = Signs::read(tx, &room, &eyes)?;
            let revoked = room.ownership().and_then(|ownership| ownership.taken_from.as_ref());
            let revoked = revoked.map(|agent| known_as(tx, &room, agent)).transpose()?;
            Ok::<_, Failure>((Sight { room, eyes, now: tx.now()? }, handoff, waiting, requests, signs, revoked))
        })?;
        presence::refresh(app, caller, &mut sight.room, sight.now, Effort::Try)?;
        testimony::give(app, &sight, Effort::Try);
        let Sight { room, eyes, now } = sight;
        let takeover = match room.prospect(now, &actor.agent_id, actor.process.as_ref(), &eyes) {
            Prospect::Takeover { reason } if caller.may_act_in(&room) => Some(reason),
            _ => None,
        };
        let from = Vantage::new(&room, now, app.stale_after_or_default(), &eyes);
        let (members, members_not_shown) = RoomMember::present(&from, &signs, &actor.agent_id);
        Ok(GetRoomStateResult {
            members,
            members_not_shown: Some(members_not_shown).filter(|more| *more > 0),
            policy: room.policy.clone(),
            takeover: TakeoverView { available: takeover.is_some(), reason: takeover },
            handoff_event_seq: handoff.as_ref().map(|recorded| recorded.seq),
            revoked_agent_id: room.ownership().and_then(|ownership| ownership.taken_from.clone()),
            revoked_agent,
            handoff_from: handoff.as_ref().map(|recorded| recorded.actor.clone()),
            handoff: handoff.and_then(|recorded| recorded.event.handoff().cloned()),
            inbox: waiting.into(),
            requests,
            owned_since: room.ownership().map(|ownership| ownership.since),
            room: PathRoom::of(&room, now, &actor, &eyes),
        })
    }
}
