//! Sessions of agents whose programs call Baton's hooks: how far each was told, whether it is idle, when it was woken, and where
//! its conversation is.
//!
//! No part of the log, like presence. A session without a row has no hooks, and is neither told nor woken.

use std::collections::BTreeMap;

use baton_core::{
    ids::{AgentId, RoomId, Seq},
    lease::Fence,
    process::ProcessIdentity,
    reference::Reference,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::{
    StoreError,
    engine::{Changes, Row, Tx},
    fields::{Fields, bad},
    question::{Answer, questions},
    sql::Shape,
};

/// One session in one room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSession {
    /// The agent.
    pub agent_id: AgentId,
    /// The newest event that its model was told of.
    pub told: Seq,
    /// The end of its last turn, if no prompt came since.
    pub idle_since: Option<Timestamp>,
    /// The newest event that it was woken for.
    pub woken: Seq,
    /// The time of the last wake.
    pub woken_at: Option<Timestamp>,
    /// The begin of the hour in which wakes are counted.
    pub wakes_from: Option<Timestamp>,
    /// Wakes in that hour.
    pub wakes: u32,
    /// The turn that the guard took for it, which ends with the agent's own turn.
    pub taken_turn: Option<Fence>,
    /// The newest turn whose holder was gone, of which its model was told. No event says that such a turn is over.
    pub abandoned_turn: Option<Fence>,
    /// The screens at which it may be, if its program serves several. It is over when all of them are gone.
    pub screens: Vec<ProcessIdentity>,
    /// The last refusals because of missed work, one for the agent and one for each of its sub-agents.
    pub stops: Vec<MissedWorkStop>,
    /// Its conversation, if its program can resume it.
    pub origin: Option<SessionOrigin>,
    /// The last resumption, until the session goes on by itself.
    pub resumption: Option<Resumption>,
}

/// A conversation, with all that resuming it needs. Programs keep conversations in the user's home directory, so they are resumed
/// on that machine and with that home only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionOrigin {
    /// The program.
    pub harness: String,
    /// The program's own id of the conversation.
    pub conversation: String,
    /// The session's working directory.
    pub directory: String,
    /// The user's home directory.
    pub home: String,
    /// The machine.
    pub host_id: String,
}

/// A refusal of edits after work of somebody else that an agent was not told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissedWorkStop {
    /// The agent, or a sub-agent of it, whose model knows other things.
    pub agent_id: AgentId,
    /// The newest event of the room at the first refusal.
    pub seq: Seq,
    /// The turn of the room then.
    pub turn: Fence,
    /// Digests of the files and commands that were refused, each with its first refusal.
    pub subjects: BTreeMap<String, Timestamp>,
    /// Whether the model tried again, which shows that it has read the refusal.
    pub is_heard: bool,
}

/// A resumption of a session by a runner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resumption {
    /// The runner's process, while the resumed program runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<ProcessIdentity>,
    /// Why it failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The file with the program's output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Reference>,
}

impl AgentSession {
    /// A session that was told of everything up to `told`.
    pub fn new(agent_id: AgentId, told: Seq) -> Self {
        Self {
            agent_id,
            told,
            idle_since: None,
            woken: Seq::default(),
            woken_at: None,
            wakes_from: None,
            wakes: 0,
            taken_turn: None,
            abandoned_turn: None,
            screens: Vec::new(),
            stops: Vec::new(),
            origin: None,
            resumption: None,
        }
    }

    /// Notes that its model goes on by itself, told of everything up to `told`.
    pub fn goes_on(&mut self, told: Seq) {
        (self.told, self.idle_since) = (told, None);
        if let Some(resumption) = &mut self.resumption {
            resumption.failure = None;
        }
    }
}

const PUT: &str = "
    INSERT INTO agent_sessions
           (room_id, agent_id, told_seq, idle_since_ms, woken_seq, woken_at_ms, wakes_from_ms, wakes, taken_turn,
            origin, resumption, abandoned_turn, screens, stops)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
        ON CONFLICT (room_id, agent_id) DO UPDATE
       SET told_seq = excluded.told_seq, idle_since_ms = excluded.idle_since_ms, woken_seq = excluded.woken_seq,
           woken_at_ms = excluded.woken_at_ms, wakes_from_ms = excluded.wakes_from_ms, wakes = excluded.wakes,
           taken_turn = excluded.taken_turn, origin = excluded.origin, resumption = excluded.resumption,
           abandoned_turn = excluded.abandoned_turn, screens = excluded.screens,
           stops = excluded.stops
";

/// Stores a session as it is now.
pub fn save(tx: &mut dyn Tx, room: &RoomId, session: &AgentSession) -> Result<(), StoreError> {
    let millis = |time: Option<Timestamp>| time.map(Timestamp::as_millis);
    let number = |turn: Option<Fence>| turn.map(|turn| turn.0 as i64);
    let origin = json(session, session.origin.as_ref())?;
    let resumption = json(session, session.resumption.as_ref())?;
    let screens = json(session, Some(&session.screens).filter(|screens| !screens.is_empty()))?;
    let stops = json(session, Some(&session.stops).filter(|stops| !stops.is_empty()))?;
    let params = [
        room.as_str().into(),
        session.agent_id.as_str().into(),
        (session.told.0 as i64).into(),
        millis(session.idle_since).into(),
        (session.woken.0 as i64).into(),
        millis(session.woken_at).into(),
        millis(session.wakes_from).into(),
        i64::from(session.wakes).into(),
        number(session.taken_turn).into(),
        origin.as_deref().into(),
        resumption.as_deref().into(),
        number(session.abandoned_turn).into(),
        screens.as_deref().into(),
        stops.as_deref().into(),
    ];
    tx.execute(PUT, &params, Changes::Any)
}

fn json<T: Serialize>(session: &AgentSession, value: Option<&T>) -> Result<Option<String>, StoreError> {
    let text = value.map(serde_json::to_string).transpose();
    text.map_err(|error| bad("agent_sessions", session.agent_id.as_str(), error))
}

const REMOVE: &str = "
    DELETE FROM agent_sessions
     WHERE room_id = ?1 AND agent_id = ?2
";

/// Forgets a session that ended.
pub fn remove(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<(), StoreError> {
    tx.execute(REMOVE, &[room.as_str().into(), agent.as_str().into()], Changes::Any)
}

questions! {
    /// The session of an agent.
    pub fn find(agent: &AgentId) -> Option<AgentSession> = FIND: "
        WHERE room_id = ?1 AND agent_id = ?2
    ";

    /// The sessions of a room, by agent.
    pub fn of_room() -> Vec<AgentSession> = OF_ROOM: "
        WHERE room_id = ?1
        ORDER BY agent_id
    ";
}

impl Answer for AgentSession {
    const SHAPE: Shape = Shape::of(
        "agent_sessions",
        &[
            "agent_id",
            "told_seq",
            "idle_since_ms",
            "woken_seq",
            "woken_at_ms",
            "wakes_from_ms",
            "wakes",
            "taken_turn",
            "origin",
            "resumption",
            "abandoned_turn",
            "screens",
            "stops",
        ],
    );

    fn read(room: &RoomId, row: &dyn Row) -> Result<Self, StoreError> {
        let fields = Fields { table: "agent_sessions", key: room.as_str(), row };
        Ok(Self {
            agent_id: fields.id(0)?,
            told: Seq(fields.number(1)?),
            idle_since: fields.optional_time(2)?,
            woken: Seq(fields.number(3)?),
            woken_at: fields.optional_time(4)?,
            wakes_from: fields.optional_time(5)?,
            wakes: u32::try_from(fields.number(6)?).unwrap_or(u32::MAX),
            taken_turn: row.int(7)?.map(|turn| Fence(turn as u64)),
            origin: fields.optional_json(8)?,
            resumption: fields.optional_json(9)?,
            abandoned_turn: row.int(10)?.map(|turn| Fence(turn as u64)),
            screens: fields.optional_json(11)?.unwrap_or_default(),
            stops: fields.optional_json(12)?.unwrap_or_default(),
        })
    }
}
