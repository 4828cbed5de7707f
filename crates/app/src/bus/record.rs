//! An event of the log as an envelope of the bus.

use baton_core::{
    agent::{ConnectionState, ConnectionStatus},
    bus::{self, TaskStatus, What},
    envelope,
    event::{Event, Recorded},
    ids::{AgentId, RoomId, Seq, event_id},
    inbox,
    protocol::Project,
    room, task,
    time::Timestamp,
};
use baton_store::{log, rooms};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::BUS;
use crate::{App, Failure, scope_events::Counts};

/// The version of the bus's envelope.
pub const VERSION: u8 = 1;

/// An event as every stream of the bus tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// The envelope's version: 1.
    pub v: u8,
    /// What happened: `message.created`, `action.result`, `agent.updated` …
    #[serde(rename = "type")]
    pub kind: String,
    pub id: String,
    pub ts: Timestamp,
    /// Who did it.
    pub src: AgentId,
    /// Set when the id of whoever did it was given by hand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub agent_id_override: bool,
    /// Whom it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dst: Option<AgentId>,
    pub session: RoomId,
    /// Its place in the session's log, which is the cursor.
    pub seq: Seq,
    pub payload: Value,
}

impl Record {
    /// An event of a room of `project`, as it is told when it happens.
    pub fn when_recorded(recorded: &Recorded, project: Project<'_>) -> Self {
        Self::of(recorded, project, &Counts::default())
    }

    /// An event of a room of `project`, with how often it was met.
    pub(crate) fn of(recorded: &Recorded, project: Project<'_>, counts: &Counts) -> Self {
        let (kind, payload) = told(recorded, project, counts);
        Self {
            v: VERSION,
            kind: kind.to_owned(),
            id: event_id(&recorded.room_id, recorded.seq),
            ts: recorded.at,
            src: teller(recorded).clone(),
            agent_id_override: recorded.overridden,
            // Who is there and what the session is called concerns everybody who looks.
            dst: recorded.event.subject().filter(|_| !is_for_all(kind)).cloned(),
            session: recorded.room_id.clone(),
            seq: recorded.seq,
            payload,
        }
    }
}

/// The teller of an event. A result is its target's, or the bus's for one that did not report, whoever's call ended the action.
fn teller(recorded: &Recorded) -> &AgentId {
    match &recorded.event {
        Event::Bus(bus::Event::Resulted(resulted)) if resulted.target != recorded.actor => &BUS.agent_id,
        _ => &recorded.actor,
    }
}

fn is_for_all(kind: &str) -> bool {
    kind.starts_with("agent.") || kind.starts_with("session.")
}

impl App {
    /// The events of a session after a place, oldest first.
    pub fn records(&self, room: &RoomId, after: Seq, limit: u32) -> Result<Vec<Record>, Failure> {
        self.store.read(|tx| {
            let room = rooms::load(tx, room)?.ok_or_else(|| Failure::unknown_room(room))?;
            let found = log::after(tx, &room.id, after, limit)?;
            let counts = Counts::read(tx, &room, &found)?;
            Ok(found.iter().map(|recorded| Record::of(recorded, (&room).into(), &counts)).collect())
        })
    }

    /// The place of a session's newest event.
    pub fn newest(&self, room: &RoomId) -> Result<Seq, Failure> {
        self.store.read(|tx| Ok(rooms::load(tx, room)?.ok_or_else(|| Failure::unknown_room(room))?.last_seq))
    }
}

/// The contract's name and payload of an event, where it has them; else the log's own name, and what a room's view of it
/// has.
fn told(recorded: &Recorded, project: Project<'_>, counts: &Counts) -> (&'static str, Value) {
    match &recorded.event {
        Event::Bus(event) => of_bus(event),
        Event::Room(room::Event::Created(created)) => (
            "session.created",
            fields([("name", json!(created.name)), ("canonical_path", json!(created.canonical_path))]),
        ),
        Event::Room(room::Event::Renamed(renamed)) => ("session.updated", json!({"name": renamed.name})),
        Event::Room(room::Event::Closed(closed)) => ("session.closed", fields([("reason", json!(closed.reason))])),
        Event::Room(room::Event::Joined(joined)) => {
            let kind = if joined.rejoin { "agent.updated" } else { "agent.added" };
            let (id, name, role) = (json!(joined.agent_id), json!(joined.display_name), json!(joined.role));
            (kind, fields([("id", id), ("name", name), ("role", role)]))
        }
        Event::Room(room::Event::Left(left)) => {
            let status = ConnectionStatus::left(left.retired.is_some());
            let (id, proof) = (json!(left.agent_id), json!(left.retired));
            let status = [("status", json!(status.state)), ("detail", json!(status.why))];
            ("agent.removed", fields([("id", id), ("proof", proof)].into_iter().chain(status)))
        }
        Event::Room(room::Event::Registered(registered)) => {
            let (id, name) = (json!(registered.agent_id), json!(registered.display_name));
            let (role, was) = (json!(registered.role), json!(registered.previous_name));
            ("agent.updated", fields([("id", id), ("name", name), ("role", role), ("previous_name", was)]))
        }
        Event::Room(room::Event::Resumed(resumed)) => {
            let (id, name) = (json!(resumed.agent_id), json!(resumed.adopted_agent));
            ("agent.updated", fields([("id", id), ("name", name), ("previous_id", json!(resumed.prior_session_agent))]))
        }
        Event::Inbox(inbox::Event::Sent(sent)) => {
            let text = [Some(sent.payload.subject()), sent.payload.text()].into_iter().flatten().collect::<Vec<_>>();
            let (category, sender) = (json!(sent.category), json!(sent.from_agent));
            let text = json!(text.join("\n\n"));
            let kind = ("sender_kind", json!(sent.sender_kind));
            let known =
                [("text", text), ("kind", json!("system")), ("sender_name", sender), kind, ("category", category)];
            ("message.created", fields(known.into_iter().chain([("protocol", json!(sent.payload))])))
        }
        Event::Task(event) => of_task(event).unwrap_or_else(|| of_view(recorded, project, counts)),
        Event::Envelope(envelope::Event::Sent(sent)) => ("envelope.sent", json!(sent)),
        Event::Room(_)
        | Event::Scope(_)
        | Event::Inbox(_)
        | Event::Job(_)
        | Event::Runner(_)
        | Event::Library(_)
        | Event::Context(_)
        | Event::Envelope(_)
        | Event::Turn(_)
        | Event::Spawn(_) => of_view(recorded, project, counts),
    }
}

fn of_bus(event: &bus::Event) -> (&'static str, Value) {
    match event {
        bus::Event::Submitted(submitted) => {
            let kind = match submitted.what {
                What::Message { .. } => "message.created",
                What::Control { .. } => "action.submitted",
            };
            (kind, without(json!(submitted), &["target", "depth", "opens", "begins_task"]))
        }
        bus::Event::Resulted(resulted) => {
            ("action.result", without(json!(resulted), &["action", "target", "sender", "begins", "task_in"]))
        }
        bus::Event::Messaged(messaged) => {
            ("message.created", without(json!(messaged), &["recipients", "depth", "opens", "begins_task"]))
        }
        bus::Event::TaskReported(reported) => {
            let context = reported.context.as_ref();
            let context_id = ("context_id", json!(context.map(|context| &context.context_id)));
            let owner_id = ("owner_id", json!(context.map(|context| &context.owner_id)));
            let task = ("task_id", json!(reported.task_id));
            match reported.status {
                TaskStatus::Done => {
                    ("task.done", fields([task, ("summary", json!(reported.summary)), context_id, owner_id]))
                }
                status => ("task.updated", fields([task, ("status", json!(status)), context_id, owner_id])),
            }
        }
        bus::Event::Connected(connected) => {
            let status = ConnectionState::Connected;
            ("agent.updated", json!({"id": connected.agent_id, "name": connected.name, "status": status}))
        }
        bus::Event::Returned(returned) => {
            let ConnectionStatus { state, why } = &returned.connection;
            ("agent.updated", json!({"id": returned.agent_id, "name": returned.name, "status": state, "detail": why}))
        }
        bus::Event::Disconnected(gone) => {
            // Events that were written before it was kept say no more than that the stream ended.
            let (status, detail) = match &gone.connection {
                Some(ConnectionStatus { state, why }) => (*state, why),
                None => (ConnectionState::Disconnected, &gone.why),
            };
            ("agent.updated", json!({"id": gone.agent_id, "name": gone.name, "status": status, "detail": detail}))
        }
    }
}

/// What happens to Baton's own tasks is told as the contract tells it, where it has words for it.
fn of_task(event: &task::Event) -> Option<(&'static str, Value)> {
    let updated = |task, status| ("task.updated", fields([("task_id", json!(task)), ("status", json!(status))]));
    match event {
        task::Event::Created(created) => {
            let (kind, mut payload) = updated(created.task, "ready");
            payload["title"] = json!(created.title);
            Some((kind, payload))
        }
        task::Event::Started(started) => Some(updated(started.task, "running")),
        task::Event::Done(done) => Some(("task.done", json!({"task_id": done.task}))),
        _ => None,
    }
}

fn of_view(recorded: &Recorded, project: Project<'_>, counts: &Counts) -> (&'static str, Value) {
    let view = json!(counts.told(recorded, project));
    (recorded.event.kind(), without(view, &["event_seq", "event_id", "created_at", "event_type"]))
}

/// The fields that say something.
fn fields<'a>(all: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let said = all.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(said.map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

/// What is left of an object: the fields that say something and are not told elsewhere.
fn without(object: Value, told: &[&str]) -> Value {
    let Value::Object(mut fields) = object else { return object };
    fields.retain(|name, value| !value.is_null() && !told.contains(&name.as_str()));
    Value::Object(fields)
}
