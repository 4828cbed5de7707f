//! The log: what happened in a room, in one numbered row of events.
//!
//! Each part of Baton has its own kinds of events beside its rules ([`room`], [`scope`], [`task`], [`inbox`] …); here they
//! become one type that is stored, read back and told to those who wait. Folding is each part's own ([`crate::part`]): an
//! event belongs to one directory, and every part whose rows it touches applies it.
//!
//! The stored type names are stable; a payload may gain optional fields and never loses or re-uses one.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use crate::{
    bus, context, envelope,
    handoff::Handoff,
    ids::{AgentId, RoomId, Seq},
    inbox,
    job::{self, JobId},
    lease::Fence,
    library, redact, room, runner, scope, spawn, task,
    time::Timestamp,
    tree, turn,
};

/// An event with its place in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Which room.
    pub room_id: RoomId,
    /// Which place.
    pub seq: Seq,
    /// When.
    pub at: Timestamp,
    /// Who did it.
    pub actor: AgentId,
    /// Whether the actor's id was given by hand instead of being worked out from its process.
    pub overridden: bool,
    /// The turn the room was in once it had happened.
    pub turn: Fence,
    /// What.
    pub event: Event,
}

/// A stored type or payload that this version cannot read.
#[derive(Debug, thiserror::Error)]
pub enum UnknownEvent {
    /// No event has this type.
    #[error("no event type {0:?} is known")]
    Type(String),
    /// The type is known, the payload is not what it should be.
    #[error("the payload of a {kind} event cannot be read")]
    Payload {
        /// The type.
        kind: &'static str,
        /// Why.
        source: serde_json::Error,
    },
}

/// A text that looks like a secret, in a place where nothing can stand for it: an id, a name or a scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} looks like a secret, and nothing can stand in its place")]
pub struct SecretInName {
    /// The field of the event.
    pub field: String,
}

/// Why an event may not be stored.
#[derive(Debug, thiserror::Error)]
pub enum Unstorable {
    /// It names something by a secret.
    #[error(transparent)]
    Secret(#[from] SecretInName),
    /// Its payload cannot be written.
    #[error("the payload of a {kind} event cannot be written")]
    Payload {
        /// The type.
        kind: &'static str,
        /// Why.
        source: serde_json::Error,
    },
}

/// Whose wait an event may end. The others hear of it too, but can take their time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern<'a> {
    /// Anybody's.
    Everyone,
    /// That member's.
    One(&'a AgentId),
    /// Nobody's.
    Nobody,
}

/// A type of event, for readers of the log that are other programs.
#[derive(Clone, Copy)]
pub struct EventType {
    /// The stored type.
    pub name: &'static str,
    /// What happened, in a sentence.
    pub about: &'static str,
    schema: fn(&mut SchemaGenerator) -> Schema,
}

impl EventType {
    /// The type `name`, whose payload is a `P`.
    pub(crate) const fn of<P: JsonSchema>(name: &'static str, about: &'static str) -> Self {
        Self { name, about, schema: P::json_schema }
    }

    /// The JSON schema of the payload. `generator` keeps the schemas that it mentions.
    pub fn schema_in(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }
}

/// Lists the events of one part: their stored types and payloads.
macro_rules! events {
    ($(#[doc = $doc:literal] $kind:literal => $name:ident,)*) => {
        /// Something that happened.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Event {
            $(#[doc = $doc] $name($name),)*
        }

        impl Event {
            /// The stored types.
            pub const KINDS: &[&str] = &[$($kind,)*];

            /// Every type of event of this part.
            pub(crate) const TYPES: &[$crate::event::EventType] =
                &[$($crate::event::EventType::of::<$name>($kind, $doc),)*];

            /// The stored type.
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$name(_) => $kind,)* }
            }

            /// The payload as JSON.
            pub fn payload(&self) -> serde_json::Result<String> {
                match self { $(Self::$name(payload) => serde_json::to_string(payload),)* }
            }

            /// Reads an event back from its stored type and payload. Nothing, if the type is none of these.
            pub fn read(kind: &str, payload: &str) -> Option<Result<Self, $crate::event::UnknownEvent>> {
                match kind {
                    $($kind => Some(serde_json::from_str(payload)
                        .map(Self::$name)
                        .map_err(|source| $crate::event::UnknownEvent::Payload { kind: $kind, source })),)*
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use events;

/// A rule's answer: the event that follows, or several in their order, or none where it is so already.
pub trait Decided: Sized {
    /// The answer once it is in the log.
    type Logged;

    /// Hands each event on to `log`, in order.
    fn log<E>(self, log: &mut dyn FnMut(Event) -> Result<Recorded, E>) -> Result<Self::Logged, E>;
}

impl Decided for Event {
    type Logged = Recorded;

    fn log<E>(self, log: &mut dyn FnMut(Event) -> Result<Recorded, E>) -> Result<Recorded, E> {
        log(self)
    }
}

impl<D: Decided> Decided for Option<D> {
    type Logged = Option<D::Logged>;

    fn log<E>(self, log: &mut dyn FnMut(Event) -> Result<Recorded, E>) -> Result<Self::Logged, E> {
        self.map(|decided| decided.log(log)).transpose()
    }
}

impl<D: Decided> Decided for Vec<D> {
    type Logged = Vec<D::Logged>;

    fn log<E>(self, log: &mut dyn FnMut(Event) -> Result<Recorded, E>) -> Result<Self::Logged, E> {
        self.into_iter().map(|decided| decided.log(log)).collect()
    }
}

/// Answers whose caller goes on with what was granted: it gets that back as it was logged, beside the event.
macro_rules! granted {
    ($($name:ident),*) => {
        $(impl Decided for room::$name {
            type Logged = (Self, Recorded);

            fn log<E>(self, log: &mut dyn FnMut(Event) -> Result<Recorded, E>) -> Result<Self::Logged, E> {
                let recorded = log(room::Event::$name(self.clone()).into())?;
                let logged = match recorded.event.room() {
                    Some(room::Event::$name(logged)) => logged.clone(),
                    _ => self,
                };
                Ok((logged, recorded))
            }
        })*
    };
}
granted!(Claimed, TakenOver, Resumed);

macro_rules! parts {
    ($($(#[$doc:meta])* $name:ident($part:ident),)*) => {
        /// Something that happened.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Event {
            $($(#[$doc])* $name($part::Event),)*
        }

        $(impl From<$part::Event> for Event {
            fn from(event: $part::Event) -> Self {
                Self::$name(event)
            }
        }

        impl Decided for $part::Event {
            type Logged = Recorded;

            fn log<E>(self, log: &mut dyn FnMut(Event) -> Result<Recorded, E>) -> Result<Recorded, E> {
                log(self.into())
            }
        })*

        impl Event {
            /// Every type of event, part by part.
            pub fn types() -> impl Iterator<Item = EventType> {
                [$($part::Event::TYPES,)*].into_iter().flatten().copied()
            }

            /// The stored type: `stick.release`. What follows the dot is the contract's `event_type`.
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$name(event) => event.kind(),)* }
            }

            /// The payload as JSON.
            pub fn payload(&self) -> serde_json::Result<String> {
                match self { $(Self::$name(event) => event.payload(),)* }
            }

            /// Reads an event back from its stored type and payload.
            pub fn read(kind: &str, payload: &str) -> Result<Self, UnknownEvent> {
                let parts = [$(|kind: &str, payload: &str| $part::Event::read(kind, payload).map(|read| read.map(Self::$name)),)*];
                parts
                    .iter()
                    .find_map(|read| read(kind, payload))
                    .unwrap_or_else(|| Err(UnknownEvent::Type(kind.to_owned())))
            }

            /// Whom it concerns besides the actor.
            pub fn subject(&self) -> Option<&AgentId> {
                match self { $(Self::$name(event) => event.subject(),)* }
            }

            /// Who should hear of it first.
            pub fn concerns(&self) -> Concern<'_> {
                match self { $(Self::$name(event) => event.concerns(),)* }
            }
        }
    };
}

parts! {
    /// To its members, its policy or the stick.
    Room(room),
    /// To a reservation of paths.
    Scope(scope),
    /// To a task.
    Task(task),
    /// To a message or somebody's inbox.
    Inbox(inbox),
    /// To a job.
    Job(job),
    /// To a runner.
    Runner(runner),
    /// In the library.
    Library(library),
    /// On the bus.
    Bus(bus),
    /// To what the room is for.
    Context(context),
    /// To an envelope or an edge.
    Envelope(envelope),
    /// In a turn.
    Turn(turn),
    /// To a request for another agent.
    Spawn(spawn),
}

impl Event {
    /// The event as it may be stored, without what looks like a secret in any of its texts, and its payload. Secrets are
    /// looked for in the payload as it is stored, so that no kind of event and no field can be left out.
    pub fn without_secrets(self) -> Result<(Self, String), Unstorable> {
        let unwritable = |source| Unstorable::Payload { kind: self.kind(), source };
        let payload = self.payload().map_err(unwritable)?;
        if !redact::may_hold_secret(&payload) {
            return Ok((self, payload));
        }
        let given: Value = serde_json::from_str(&payload).map_err(unwritable)?;
        let clean = redact::redact_payload(&given).map_err(|field| SecretInName { field })?;
        if clean == given {
            return Ok((self, payload));
        }
        // Ids do not take a marker, so such an event cannot be read.
        let read = Self::read(self.kind(), &clean.to_string());
        let read = read.map_err(|_| SecretInName { field: differing(&given, &clean) })?;
        let payload = read.payload().map_err(unwritable)?;
        Ok((read, payload))
    }

    /// What happened to the room's members, its policy or the stick, if it is that.
    pub fn room(&self) -> Option<&room::Event> {
        match self {
            Self::Room(event) => Some(event),
            Self::Scope(_)
            | Self::Task(_)
            | Self::Inbox(_)
            | Self::Job(_)
            | Self::Runner(_)
            | Self::Library(_)
            | Self::Bus(_)
            | Self::Context(_)
            | Self::Envelope(_)
            | Self::Turn(_)
            | Self::Spawn(_) => None,
        }
    }

    /// The job it is about, if it is about one.
    pub fn job(&self) -> Option<JobId> {
        match self {
            Self::Job(event) => Some(event.job()),
            Self::Room(_)
            | Self::Scope(_)
            | Self::Task(_)
            | Self::Inbox(_)
            | Self::Runner(_)
            | Self::Library(_)
            | Self::Bus(_)
            | Self::Context(_)
            | Self::Envelope(_)
            | Self::Turn(_)
            | Self::Spawn(_) => None,
        }
    }

    /// The handoff of the stick that it carries.
    pub fn handoff(&self) -> Option<&Handoff> {
        self.room()?.handoff()
    }

    /// The record of the workspace's files that goes with a handoff of the stick.
    pub fn tree(&self) -> Option<&tree::Record> {
        self.room()?.tree()
    }
}

/// The first field in which two payloads differ.
fn differing(given: &Value, clean: &Value) -> String {
    let fields = given.as_object().into_iter().flatten();
    let first = fields.into_iter().find(|(name, value)| clean.get(name.as_str()) != Some(*value));
    first.map_or_else(String::new, |(name, _)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> String {
        "ghp_".chars().chain("a1B2c3D4".chars().cycle().take(24)).collect()
    }

    fn read(kind: &str, payload: Value) -> Event {
        Event::read(kind, &payload.to_string()).unwrap()
    }

    #[test]
    fn an_event_is_stored_without_secrets_in_any_of_its_texts() {
        let noted = |text: String| read("room.note", serde_json::json!({ "text": text }));
        let stored = |text: &str| {
            let event = noted(text.to_owned());
            let payload = event.payload().unwrap();
            (event, payload)
        };
        let clean = noted(format!(" a\n\n{}  b", key())).without_secrets().unwrap();
        assert_eq!(clean, stored(" a\n\n[redacted:github]  b"));
        let plain = stored("the token of 58792b4c1f0e9d8a7b6c5d4e3f2a1b0c9d8e7f6a, secret: none");
        assert_eq!(plain.0.clone().without_secrets().unwrap(), plain);
    }

    #[test]
    fn a_secret_in_place_of_an_id_is_refused_because_a_marker_would_be_another_id() {
        for (kind, payload, field) in [
            ("member.leave", serde_json::json!({ "agent_id": key() }), "agent_id"),
            ("conversation.task", serde_json::json!({ "task_id": key(), "status": "done" }), "task_id"),
        ] {
            let Err(Unstorable::Secret(found)) = read(kind, payload).without_secrets() else {
                panic!("{kind} is stored")
            };
            assert_eq!(found.field, field);
        }
    }
}
