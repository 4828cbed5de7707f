//! Sessions, agents and actions in the contract's words.

use std::collections::{HashMap, HashSet};

use baton_core::{
    agent::ConnectionState,
    bus::{self, Action, BusId, Context, Control, Data, Kind, Messaged, Status, Submitted, What},
    event::{Event, Recorded},
    ids::{AgentId, RoomId, Seq, event_id},
    process::SessionKind,
    room::{Member, Room, Stick},
    time::Timestamp,
};
use baton_store::{bus as store, engine::Tx, rooms::Outline};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Failure, bounds::Page};

/// Whether a session goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum SessionStatus {
    Open,
    Closed,
}

/// A session: a room, as the bus tells it.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    pub id: RoomId,
    pub name: Option<String>,
    /// The workspace that it belongs to, if it does.
    pub canonical_path: Option<String>,
    pub status: SessionStatus,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Its newest event: where a stream of what comes next begins.
    pub last_seq: Seq,
}

impl From<Outline> for Session {
    fn from(outline: Outline) -> Self {
        Self {
            id: outline.id,
            name: outline.name,
            canonical_path: outline.canonical_path,
            status: if outline.closed { SessionStatus::Closed } else { SessionStatus::Open },
            created_at: outline.created_at,
            updated_at: outline.updated_at,
            last_seq: outline.last_seq,
        }
    }
}

impl Session {
    pub(crate) fn of(room: &Room) -> Self {
        Self {
            id: room.id.clone(),
            name: room.name.clone(),
            canonical_path: room.canonical_path.clone(),
            status: if room.stick == Stick::Closed { SessionStatus::Closed } else { SessionStatus::Open },
            created_at: room.created_at,
            updated_at: room.updated_at,
            last_seq: room.last_seq,
        }
    }
}

/// An agent, as the bus tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agent {
    pub id: AgentId,
    pub name: String,
    /// Whether it is there: `connected`, `idle`, `disconnected` or `gone`.
    pub status: ConnectionState,
}

impl Agent {
    pub(crate) fn of(member: &Member, status: ConnectionState) -> Self {
        Self { id: member.agent_id.clone(), name: member.display_name.clone(), status }
    }
}

/// What was asked of a target, and how far it is.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionView {
    /// Its event.
    pub seq: Seq,
    pub message_id: String,
    pub group_id: BusId,
    pub action_id: BusId,
    pub action_index: u32,
    pub src: AgentId,
    pub dst: AgentId,
    pub command: Option<Control>,
    pub kind: Option<Kind>,
    /// The conversation that its target gets it in: after a `new` in its group, the new one.
    pub context_id: BusId,
    /// The conversation that it was submitted in, if that is another.
    pub submitted_in: Option<BusId>,
    /// The `new` before it in its group, unless that is completed.
    pub after_action_id: Option<BusId>,
    /// The last that was heard of it; nothing yet, if it is missing.
    pub status: Option<Status>,
    pub detail: Option<String>,
    pub data: Option<Data>,
    /// Whether that is the end of it.
    pub terminal: bool,
    pub submitted_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

impl ActionView {
    /// An action, and the `new` that begins its conversation, if there is one.
    pub(crate) fn of(room: &RoomId, action: &Action, new: Option<&Action>) -> Self {
        let begun = new.and_then(|new| new.new_context_id.as_ref()).filter(|begun| **begun != action.context_id);
        let data = Data { new_context_id: action.new_context_id.clone(), new_task_id: action.new_task_id.clone() };
        Self {
            seq: action.seq,
            message_id: event_id(room, action.seq),
            group_id: action.group_id.clone(),
            action_id: action.action_id.clone(),
            action_index: action.action_index,
            src: action.sender.clone(),
            dst: action.target.clone(),
            command: action.control,
            kind: action.kind,
            context_id: begun.unwrap_or(&action.context_id).clone(),
            submitted_in: begun.map(|_| action.context_id.clone()),
            after_action_id: unfinished(new),
            status: action.status,
            detail: action.detail.clone(),
            data: (data != Data::default()).then_some(data),
            terminal: !action.is_open(),
            submitted_at: action.submitted_at,
            ended_at: action.ended_at,
        }
    }
}

/// The `new` that has not come to a conversation.
fn unfinished(new: Option<&Action>) -> Option<BusId> {
    new.filter(|new| new.status != Some(Status::Completed)).map(|new| new.action_id.clone())
}

/// Views of as many actions as are wanted and fit.
pub(crate) fn views(tx: &mut dyn Tx, room: &RoomId, found: &[Action], most: u32) -> Result<Vec<ActionView>, Failure> {
    let wanted = &found[..found.len().min(most as usize)];
    // Most groups have no `new` for a target, which one look at the last of its actions tells for all of them.
    let line = |action: &Action| (action.group_id.clone(), action.target.clone(), action.sender.clone());
    let last: HashMap<_, &Action> = wanted.iter().map(|action| (line(action), action)).collect();
    let mut renewed = HashSet::new();
    for (line, action) in last {
        if store::begun_by(tx, room, action)?.is_some() {
            renewed.insert(line);
        }
    }
    let mut news = Vec::with_capacity(wanted.len());
    for action in wanted {
        news.push(if renewed.contains(&line(action)) { store::begun_by(tx, room, action)? } else { None });
    }
    let shown: Vec<_> = wanted.iter().zip(&news).collect();
    Ok(Page::default().fill(&shown, most, |(action, new)| ActionView::of(room, action, new.as_ref())))
}

/// Something that was sent to a target: an action, or a message that nobody owes a result for.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Delivery {
    /// Its event, which is its place in the target's order.
    pub seq: Seq,
    pub message_id: String,
    pub src: AgentId,
    /// What people call the sender.
    pub sender_name: String,
    /// The kind of session behind the sender, while it sent; missing where that is not known.
    pub sender_kind: Option<SessionKind>,
    pub group_id: Option<BusId>,
    /// Report on it by this; a message without one wants no result.
    pub action_id: Option<BusId>,
    pub action_index: Option<u32>,
    /// What is asked.
    #[serde(flatten)]
    pub what: What,
    /// The conversation: after a `new` in its group, the new one.
    pub context: Context,
    pub task_id: BusId,
    /// The `new` before it in its group, unless that is completed: what it says belongs to the conversation that begins
    /// there, or nowhere, if that came to nothing.
    pub after_action_id: Option<BusId>,
    pub created_at: Timestamp,
}

impl Delivery {
    /// What an event puts into inboxes, if it is of the bus. `new` is the last one before it in its group.
    pub(crate) fn of(recorded: &Recorded, new: Option<&Action>) -> Option<Self> {
        let Event::Bus(event) = &recorded.event else { return None };
        match event {
            bus::Event::Submitted(submitted) => Some(Self::action(recorded, submitted, new)),
            bus::Event::Messaged(messaged) => Some(Self::message(recorded, messaged)),
            bus::Event::Resulted(_)
            | bus::Event::TaskReported(_)
            | bus::Event::Connected(_)
            | bus::Event::Disconnected(_)
            | bus::Event::Returned(_) => None,
        }
    }

    fn action(recorded: &Recorded, submitted: &Submitted, new: Option<&Action>) -> Self {
        let mut context = submitted.context.clone();
        let mut task_id = submitted.task_id.clone();
        if let Some(begun) = new.and_then(|new| new.new_context_id.clone()) {
            context.context_id = begun;
        }
        if let Some(begun) = new.and_then(|new| new.new_task_id.clone()) {
            task_id = begun;
        }
        Self {
            seq: recorded.seq,
            message_id: event_id(&recorded.room_id, recorded.seq),
            src: recorded.actor.clone(),
            sender_name: submitted.sender_name.clone(),
            sender_kind: submitted.sender_kind,
            group_id: Some(submitted.group_id.clone()),
            action_id: Some(submitted.action_id.clone()),
            action_index: Some(submitted.action_index),
            what: submitted.what.clone(),
            context,
            task_id,
            after_action_id: unfinished(new),
            created_at: recorded.at,
        }
    }

    fn message(recorded: &Recorded, messaged: &Messaged) -> Self {
        let (kind, text) = (messaged.kind, messaged.text.clone());
        Self {
            seq: recorded.seq,
            message_id: event_id(&recorded.room_id, recorded.seq),
            src: recorded.actor.clone(),
            sender_name: messaged.sender_name.clone(),
            sender_kind: messaged.sender_kind,
            group_id: None,
            action_id: None,
            action_index: None,
            what: What::Message { kind, text, reply_to_action_id: None, plan: None },
            context: messaged.context.clone(),
            task_id: messaged.task_id.clone(),
            after_action_id: None,
            created_at: recorded.at,
        }
    }
}
