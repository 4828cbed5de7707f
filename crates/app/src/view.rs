//! Rooms, members and events as callers see them, in the contract's words.

use baton_core::{
    agent::{ConnectionState, ConnectionStatus},
    bus,
    event::{self, Recorded},
    handoff::Handoff,
    ids::{AgentId, LeaseId, Role, RoomId, Seq, event_id},
    inbox,
    job::{self, JobId},
    lease::Fence,
    library, limits,
    policy::{Policy, Wake},
    process::{Guardian, Liveness, Proof, SessionKind, Witness},
    protocol::{Project, ProtocolEvent},
    reference::Reference,
    room::{Actor, Event, Member, Ownership, Room, RoomState, TakeoverReason},
    task::{self, TaskId},
    time::Timestamp,
};
use baton_store::inbox::Waiting;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    connection::{Signs, Vantage},
    scope_events::DisplacedOwner,
};

/// The members who are not known to be gone, and whoever the stick is held by or kept for, each with its place in the turn
/// order.
fn here<'a>(room: &'a Room, you: &'a AgentId, witness: &'a dyn Witness) -> impl Iterator<Item = (usize, &'a Member)> {
    let recipient = room.reservation().map(|reservation| &reservation.recipient);
    room.members.iter().enumerate().filter(move |(_, member)| {
        let is_named = [room.owner(), recipient, Some(you)].contains(&Some(&member.agent_id));
        is_named || !member.liveness(witness).is_gone()
    })
}

/// A room at a glance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathRoom {
    pub room_id: RoomId,
    /// What people call it, if somebody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub canonical_path: Option<String>,
    /// In turn order.
    pub members: Vec<AgentId>,
    /// The place in the turn order from which the sequence goes on.
    pub sequence_index: usize,
    pub owner: Option<AgentId>,
    /// What people call the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_agent: Option<String>,
    /// The process that keeps the stick for a person, and the person's terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_by: Option<Guardian>,
    pub reserved_for: Option<AgentId>,
    /// What people call whoever it is kept for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved_for_agent: Option<String>,
    pub pending_handoff_event_seq: Option<Seq>,
    pub turn_id: Fence,
    /// Shown to the owner only.
    pub lease_id: Option<LeaseId>,
    pub lease_expires_at: Option<Timestamp>,
    pub claim_expires_at: Option<Timestamp>,
    pub state: RoomState,
    pub updated_at: Timestamp,
}

impl PathRoom {
    pub(crate) fn of(room: &Room, now: Timestamp, viewer: &Actor, witness: &dyn Witness) -> Self {
        let ownership = room.ownership();
        let own = |ownership: &&Ownership| {
            ownership.lease.holder == viewer.agent_id && room.require_own_id(now, viewer, witness).is_ok()
        };
        let reservation = room.reservation();
        let called = |agent: &AgentId| room.member(agent).map(|member| member.display_name.clone());
        Self {
            room_id: room.id.clone(),
            name: room.name.clone(),
            canonical_path: room.canonical_path.clone(),
            members: here(room, &viewer.agent_id, witness).map(|(_, member)| member.agent_id.clone()).collect(),
            sequence_index: room.sequence_index,
            owner: room.owner().cloned(),
            owner_agent: room.owner().and_then(called),
            kept_by: room.guardian(),
            reserved_for: reservation.map(|reservation| reservation.recipient.clone()),
            reserved_for_agent: reservation.and_then(|reservation| called(&reservation.recipient)),
            pending_handoff_event_seq: room.pending().map(|pending| pending.seq),
            turn_id: room.turn,
            lease_id: ownership.filter(own).map(|ownership| ownership.lease_id.clone()),
            lease_expires_at: ownership.map(|ownership| ownership.lease.expires_at),
            claim_expires_at: reservation.map(|reservation| reservation.claim_expires_at),
            state: room.state(now, witness),
            updated_at: room.updated_at,
        }
    }
}

/// A member and whether they are there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoomMember {
    pub agent_id: AgentId,
    /// What people call them.
    pub display_name: String,
    /// What they are here for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Their place in the turn order, from 0.
    pub ordinal: usize,
    pub joined_at: Timestamp,
    pub last_seen_at: Timestamp,
    /// Whether they count for turns.
    pub status: MemberStatus,
    /// Whether they are there, and why.
    pub connection: ConnectionStatus,
    pub session_kind: SessionKind,
    /// Set when their id was given by hand: nobody knows who stands behind it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub agent_id_override: bool,
    /// What can be seen of their process.
    pub process: ProcessState,
    /// Why it is known to be gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_started_at: Option<Timestamp>,
    /// The agent whose conversation they share as a second process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_to: Option<AgentId>,
}

/// Whether a member counts for turns and takeovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemberStatus {
    Active,
    Inactive,
}

/// The three answers to "is it alive?", as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProcessState {
    Alive,
    Gone,
    Unknown,
}

impl ProcessState {
    pub(crate) fn of(liveness: &Liveness) -> Self {
        match liveness {
            Liveness::Alive => Self::Alive,
            Liveness::Gone(_) => Self::Gone,
            Liveness::Unknown => Self::Unknown,
        }
    }
}

impl RoomMember {
    pub(crate) fn of(from: &Vantage<'_>, signs: &Signs, ordinal: usize, member: &Member) -> Self {
        let active = member.is_active(from.now, &from.room.policy, from.witness);
        let liveness = member.liveness(from.witness);
        Self {
            agent_id: member.agent_id.clone(),
            display_name: member.display_name.clone(),
            role: member.role.clone(),
            ordinal,
            joined_at: member.joined_at,
            last_seen_at: member.last_seen_at,
            status: if active { MemberStatus::Active } else { MemberStatus::Inactive },
            connection: signs.status(from, member),
            session_kind: member.session_kind,
            agent_id_override: member.overridden,
            process: ProcessState::of(&liveness),
            proof: liveness.proof(),
            pid: member.process.as_ref().map(|process| process.pid),
            process_started_at: member.process.as_ref().map(|process| process.process_started_at),
            parallel_to: member.parallel_to.clone(),
        }
    }

    /// The members who are not known to be gone, and whoever the stick is held by or kept for, in turn order; and how many
    /// are left out.
    pub(crate) fn present(from: &Vantage<'_>, signs: &Signs, you: &AgentId) -> (Vec<Self>, usize) {
        let Vantage { room, witness, .. } = *from;
        let shown: Vec<Self> = here(room, you, witness)
            .take(limits::MEMBERS_SHOWN)
            .map(|(ordinal, member)| Self::of(from, signs, ordinal, member))
            .collect();
        let more = room.members.len() - shown.len();
        (shown, more)
    }
}

/// How much waits in your inbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mail {
    pub unseen: u64,
    pub to_accept: u64,
}

impl Mail {
    pub(crate) const fn is_empty(&self) -> bool {
        self.unseen == 0 && self.to_accept == 0
    }
}

impl From<Waiting> for Mail {
    fn from(waiting: Waiting) -> Self {
        Self { unseen: waiting.unseen, to_accept: waiting.to_accept }
    }
}

/// An event of a room. `from_agent_id` is whom the stick (or the word) came from, `to_agent_id` whom it went to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoomEvent {
    pub event_seq: Seq,
    pub event_id: String,
    pub turn_id: Fence,
    /// `create join leave reorder register claim release pass takeover note policy close`, of scopes, tasks,
    /// jobs, runners and the library `scope.reserve task.start job.claimed …`, of inboxes `deliver see accept forward`; protocol events are
    /// `HANDOFF BLOCKED DECISION INFO INCURSION RESUME`
    pub event_type: String,
    pub from_agent_id: Option<AgentId>,
    pub to_agent_id: Option<AgentId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Handoff>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How the agent is connected from then on, where that changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<ConnectionState>,
    /// What it says, in a line: of a note its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What made a takeover possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<TakeoverReason>,
    /// Why the one taken over was known to be gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// The joiner's name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Set when the id of whoever did it was given by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id_override: Option<bool>,
    /// The agent whose conversation the joiner shares as a second process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_to: Option<AgentId>,
    /// The new turn order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<AgentId>>,
    /// The new timings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// The paths that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Until when what was granted lasts, unless it is renewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Who lost something by it, and how present they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub displaced: Vec<DisplacedOwner>,
    /// The task that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The job that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// What it points to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub refs: Vec<Reference>,
    /// The messages that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Seq>,
    /// The event as the operative protocol has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<ProtocolEvent>,
    pub created_at: Timestamp,
}

impl RoomEvent {
    /// An event of a room of `project`.
    pub fn of(recorded: &Recorded, project: Project<'_>) -> Self {
        let protocol = ProtocolEvent::of(recorded, project);
        let blank = Self::blank(recorded);
        let told = match &recorded.event {
            event::Event::Room(event) => blank.of_room(event, recorded),
            event::Event::Scope(event) => blank.of_scope(event),
            event::Event::Task(event) => blank.of_task(event),
            event::Event::Inbox(event) => blank.of_inbox(event),
            event::Event::Job(event) => blank.of_job(event),
            event::Event::Runner(event) => Self { note: Some(event.runner().to_string()), ..blank },
            event::Event::Library(event) => blank.of_library(event),
            event::Event::Bus(event) => blank.of_bus(event, recorded),
            event::Event::Context(event) => blank.of_context(event),
            event::Event::Envelope(event) => blank.of_envelope(event, recorded),
            event::Event::Turn(event) => blank.of_turn(event),
            event::Event::Spawn(event) => blank.of_spawn(event, recorded),
        };
        let event_type = protocol.as_ref().map_or(told.event_type, |protocol| protocol.event_type.clone());
        Self { event_type, protocol, ..told }
    }

    /// What an event of a stored type is called. Tasks, scopes, jobs and cards are created, released and noted too, so
    /// only the room's own events and those of inboxes go by their last word.
    pub fn word(kind: &str) -> &str {
        let is_short = Event::KINDS.contains(&kind) || inbox::Event::KINDS.contains(&kind);
        if is_short { kind.split_once('.').map_or(kind, |(_, word)| word) } else { kind }
    }

    /// What every event has.
    fn blank(recorded: &Recorded) -> Self {
        Self {
            event_seq: recorded.seq,
            event_id: event_id(&recorded.room_id, recorded.seq),
            turn_id: recorded.turn,
            event_type: Self::word(recorded.event.kind()).to_owned(),
            from_agent_id: Some(recorded.actor.clone()),
            to_agent_id: None,
            handoff: recorded.event.handoff().cloned(),
            reason: None,
            connection: None,
            note: None,
            basis: None,
            proof: None,
            display_name: None,
            agent_id_override: recorded.overridden.then_some(true),
            parallel_to: None,
            order: None,
            policy: None,
            scope: None,
            expires_at: None,
            displaced: Vec::new(),
            task: None,
            job: None,
            refs: Vec::new(),
            messages: Vec::new(),
            protocol: None,
            created_at: recorded.at,
        }
    }

    fn of_task(self, event: &task::Event) -> Self {
        use task::Event;
        let task = event.task();
        match event {
            Event::Created(created) => {
                Self { task, note: Some(created.title.clone()), to_agent_id: created.assignee.clone(), ..self }
            }
            Event::Started(_) | Event::Done(_) | Event::Focused(_) => Self { task, ..self },
            Event::Assigned(assigned) => Self { task, to_agent_id: assigned.to.clone(), ..self },
        }
    }

    fn of_job(self, event: &job::Event) -> Self {
        let note = Some(event.message().to_owned());
        Self { job: Some(event.job()), note, refs: event.refs().to_vec(), ..self }
    }

    fn of_library(self, event: &library::Event) -> Self {
        use library::Event;
        let (note, reference) = match event {
            Event::CardCreated(card) => (card.title.clone(), Reference::Card(card.card)),
            Event::CardPinned(pinned) => {
                let word = if pinned.pinned { "pinned" } else { "unpinned" };
                (word.to_owned(), Reference::Card(pinned.card))
            }
            Event::AnchorSet(anchor) => (anchor.title.clone(), Reference::Anchor(anchor.anchor.clone())),
            Event::PlanCreated(plan) => (plan.title.clone(), Reference::Plan(plan.plan)),
            Event::ArtifactKept(kept) => (kept.name.clone(), Reference::Artifact(kept.kind, kept.artifact.0)),
            Event::ArtifactDropped(dropped) => {
                return Self { note: Some(format!("the content of {} was given up", dropped.artifact)), ..self };
            }
        };
        Self { note: Some(note), refs: vec![reference], ..self }
    }

    fn of_bus(self, event: &bus::Event, recorded: &Recorded) -> Self {
        use bus::{Event, What};
        let to_agent_id = recorded.event.subject().cloned();
        let (note, messages) = match event {
            Event::Submitted(submitted) => {
                let note = match &submitted.what {
                    What::Message { text, .. } => text.clone(),
                    What::Control { command, args } => {
                        let args = args.as_ref().map(|args| format!(" {args}")).unwrap_or_default();
                        format!("/{}{args}", command.as_str())
                    }
                };
                (Some(note), vec![recorded.seq])
            }
            Event::Resulted(resulted) => {
                let detail = resulted.detail.as_ref().map(|detail| format!(": {detail}")).unwrap_or_default();
                (Some(format!("{}{detail}", resulted.status.as_str())), vec![resulted.action])
            }
            Event::Messaged(messaged) => (Some(messaged.text.clone()), vec![recorded.seq]),
            Event::TaskReported(reported) => {
                let summary = reported.summary.as_ref().map(|summary| format!(": {summary}")).unwrap_or_default();
                (Some(format!("{} {}{summary}", reported.task_id, reported.status.as_str())), Vec::new())
            }
            Event::Connected(_) => (None, Vec::new()),
            Event::Disconnected(disconnected) => {
                let status = disconnected.connection.as_ref();
                (Some(status.map_or(&disconnected.why, |status| &status.why).clone()), Vec::new())
            }
            Event::Returned(returned) => (Some(returned.connection.why.clone()), Vec::new()),
        };
        let connection = match event {
            Event::Connected(_) => Some(ConnectionState::Connected),
            Event::Returned(returned) => Some(returned.connection.state),
            Event::Disconnected(disconnected) => disconnected.connection.as_ref().map(|status| status.state),
            Event::Submitted(_) | Event::Resulted(_) | Event::Messaged(_) | Event::TaskReported(_) => None,
        };
        Self { to_agent_id, connection, note, messages, ..self }
    }

    fn of_inbox(self, event: &inbox::Event) -> Self {
        use inbox::Event;
        match event {
            Event::Sent(sent) => {
                let to_agent_id = match sent.recipients.as_slice() {
                    [one] => Some(one.agent_id.clone()),
                    _ => None,
                };
                Self { to_agent_id, scope: sent.scope.clone(), messages: vec![self.event_seq], ..self }
            }
            Event::Delivered(delivered) => Self { messages: delivered.items.clone(), ..self },
            Event::Seen(seen) => Self { messages: vec![seen.item], to_agent_id: Some(seen.sender.clone()), ..self },
            Event::Accepted(accepted) => Self {
                messages: vec![accepted.item],
                to_agent_id: Some(accepted.sender.clone()),
                note: accepted.note.clone(),
                ..self
            },
            Event::Forwarded(forwarded) => {
                Self { messages: forwarded.items.clone(), to_agent_id: Some(forwarded.to.clone()), ..self }
            }
            Event::Told(told) => Self {
                messages: vec![self.event_seq],
                to_agent_id: Some(told.to.clone()),
                note: Some(told.text.clone()),
                reason: told.interrupts.then(|| "interrupt".to_owned()),
                ..self
            },
        }
    }

    fn of_room(self, event: &Event, recorded: &Recorded) -> Self {
        let actor = Some(recorded.actor.clone());
        let blank = self;
        match event {
            Event::Created(created) => Self { policy: Some(created.policy.clone()), ..blank },
            Event::Joined(joined) => Self {
                from_agent_id: None,
                to_agent_id: actor,
                display_name: Some(joined.display_name.clone()),
                reason: match &joined.parallel_to {
                    Some(first) => Some(format!("a second process of the conversation of {first}")),
                    None if joined.session_kind == SessionKind::HumanGuardian => {
                        Some("a guardian process holds for it".to_owned())
                    }
                    None => joined.rejoin.then(|| "came back as another process".to_owned()),
                },
                parallel_to: joined.parallel_to.clone(),
                ..blank
            },
            Event::Left(left) => Self {
                from_agent_id: Some(left.agent_id.clone()),
                to_agent_id: left.reserved_for.clone(),
                reason: left.retired.map(|_| "its process has exited".to_owned()),
                proof: left.retired,
                ..blank
            },
            Event::Rested(rested) => Self {
                from_agent_id: Some(rested.agent_id.clone()),
                to_agent_id: rested.reserved_for.clone(),
                reason: rested.proof.map(|_| "its process has exited".to_owned()),
                proof: rested.proof,
                expires_at: Some(rested.until),
                ..blank
            },
            Event::Registered(registered) => {
                let was = format!("was {}", registered.previous_name);
                Self { display_name: Some(registered.display_name.clone()), reason: Some(was), ..blank }
            }
            Event::Resumed(resumed) => Self {
                display_name: Some(resumed.adopted_agent.clone()),
                to_agent_id: Some(resumed.prior_session_agent.clone()),
                reason: Some(resumed.evidence.clone()),
                ..blank
            },
            Event::WakeChosen(chosen) => {
                let wake = chosen.wake.map_or("as the room's policy says", Wake::as_str);
                Self { to_agent_id: Some(chosen.agent_id.clone()), reason: Some(wake.to_owned()), ..blank }
            }
            Event::Reordered(reordered) => Self { order: Some(reordered.order.clone()), ..blank },
            Event::Claimed(claimed) => Self {
                from_agent_id: claimed.from_agent_id.clone(),
                to_agent_id: actor,
                reason: Some(claimed.reason.as_str().to_owned()),
                expires_at: Some(claimed.grant.lease_expires_at),
                ..blank
            },
            Event::Released(released) | Event::Passed(released) => {
                Self { to_agent_id: released.to_agent_id.clone(), expires_at: released.claim_expires_at, ..blank }
            }
            Event::TakenOver(taken) => Self {
                from_agent_id: Some(taken.revoked_agent_id.clone()),
                to_agent_id: actor,
                reason: Some(taken.reason.clone()),
                basis: Some(taken.basis),
                proof: taken.liveness.proof(),
                expires_at: Some(taken.grant.lease_expires_at),
                displaced: vec![DisplacedOwner::of_stick(taken)],
                ..blank
            },
            Event::Noted(noted) => Self { note: Some(noted.text.clone()), ..blank },
            Event::PolicySet(set) => Self { policy: Some(set.policy.clone()), ..blank },
            Event::Renamed(renamed) => Self { note: Some(renamed.name.clone()), ..blank },
            Event::Closed(closed) => Self { reason: closed.reason.clone(), ..blank },
        }
    }
}
