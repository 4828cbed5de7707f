//! Mail: the sorts of messages, and the message that an event puts into inboxes, for all that reads it.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    bus::{self, Control, What},
    envelope,
    event::{Event, Recorded},
    inbox::{self, Item, Sent},
    job,
    process::SessionKind,
    reference::Reference,
};

/// What sort of message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(inline)]
pub enum Category {
    /// Work goes on with the recipient.
    Handoff,
    /// The sender cannot go on without the recipient.
    Blocked,
    /// Something was decided.
    Decision,
    /// Something is good to know.
    Info,
    /// A message of the bus. It is sent there, and not by its category.
    Message,
    /// A control command of the bus. It is sent there, and not by its category.
    Control,
    /// An envelope that only tells something.
    Signal,
    /// A person's word.
    User,
    /// What a manager said to a job.
    Manager,
}

impl Category {
    /// Every category that a message can be sent as.
    pub const ALL: [Self; 4] = [Self::Handoff, Self::Blocked, Self::Decision, Self::Info];

    /// The word as the contract writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Handoff => "HANDOFF",
            Self::Blocked => "BLOCKED",
            Self::Decision => "DECISION",
            Self::Info => "INFO",
            Self::Message => "MESSAGE",
            Self::Control => "CONTROL",
            Self::Signal => "SIGNAL",
            Self::User => "USER",
            Self::Manager => "MANAGER",
        }
    }

    /// The category that a word names, in whatever case.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.as_str().eq_ignore_ascii_case(word))
    }

    /// The way it is sent, which a refusal names to whoever sends it as a message.
    pub(super) const fn way(self) -> &'static str {
        match self {
            Self::Handoff | Self::Blocked | Self::Decision | Self::Info => "is sent as a message",
            Self::Message | Self::Control => "is sent over the bus",
            Self::Signal => "is sent as an envelope",
            Self::User | Self::Manager => "is not sent as a message",
        }
    }

    /// Whether accepting it, where that is required, takes a result: it is an action of the bus.
    pub const fn takes_result(self) -> bool {
        match self {
            Self::Message | Self::Control => true,
            Self::Handoff | Self::Blocked | Self::Decision | Self::Info | Self::Signal | Self::User | Self::Manager => {
                false
            }
        }
    }
}

/// A message as its event holds it.
#[derive(Debug)]
pub struct Mail<'a> {
    /// The items that it puts into inboxes.
    pub items: Vec<Item>,
    /// The kind of session behind its sender, while it sent. Events that were written before it was kept have none.
    pub sender_kind: Option<SessionKind>,
    /// The sender's name. Without one it is what the room calls the sender.
    pub from_name: Option<&'a str>,
    /// The recipient as it was addressed. Without one it is what the room calls the event's subject, or everybody.
    pub to_name: Option<Cow<'a, str>>,
    /// Its text, its parts, or a command.
    pub content: Content<'a>,
    /// The reference that opens it, where it is more than a message.
    pub reference: Option<Reference>,
    /// The references that it points to.
    pub refs: &'a [Reference],
}

/// The content of a message.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// A text alone.
    Text(&'a str),
    /// The parts of a protocol message.
    Parts(&'a Sent),
    /// A command of the bus, and its arguments.
    Command(Control, Option<&'a str>),
}

impl<'a> Content<'a> {
    fn of(what: &'a What) -> Self {
        match what {
            What::Message { text, .. } => Self::Text(text),
            What::Control { command, args } => Self::Command(*command, args.as_deref()),
        }
    }
}

impl Recorded {
    /// The message that the event puts into inboxes. Inboxes get their items from here, so nothing is in one that its
    /// readers know no content of.
    pub fn mail(&self) -> Option<Mail<'_>> {
        let mail = |items, sender_kind, content| Mail {
            items,
            sender_kind,
            from_name: None,
            to_name: None,
            content,
            reference: None,
            refs: &[],
        };
        match &self.event {
            Event::Inbox(inbox::Event::Sent(sent)) => Some(Mail {
                from_name: Some(&sent.from_agent),
                to_name: Some(sent.to_agent.as_str().into()),
                ..mail(sent.items(self), sent.sender_kind, Content::Parts(sent))
            }),
            Event::Inbox(inbox::Event::Told(told)) => Some(Mail {
                from_name: Some(&told.from_name),
                to_name: Some(told.to_name.as_str().into()),
                ..mail(vec![told.item(self)], told.sender_kind, Content::Text(&told.text))
            }),
            Event::Envelope(envelope::Event::Sent(sent)) => Some(Mail {
                from_name: Some(&sent.from_name),
                to_name: Some(sent.to_name.as_str().into()),
                reference: Some(Reference::Payload(sent.envelope.id.clone())),
                ..mail(vec![sent.item(self)], sent.sender_kind, Content::Text(&sent.envelope.payload.message))
            }),
            Event::Job(job::Event::Manager(said)) => Some(Mail {
                to_name: Some(said.job.to_string().into()),
                reference: Some(Reference::JobEvent(said.job, self.seq)),
                refs: &said.refs,
                ..mail(vec![said.item(self)], said.sender_kind, Content::Text(&said.message))
            }),
            Event::Bus(bus::Event::Submitted(submitted)) => Some(Mail {
                from_name: Some(&submitted.sender_name),
                ..mail(vec![submitted.item(self)], submitted.sender_kind, Content::of(&submitted.what))
            }),
            Event::Bus(bus::Event::Messaged(messaged)) => Some(Mail {
                from_name: Some(&messaged.sender_name),
                ..mail(messaged.items(self), messaged.sender_kind, Content::Text(&messaged.text))
            }),
            Event::Inbox(
                inbox::Event::Delivered(_)
                | inbox::Event::Seen(_)
                | inbox::Event::Accepted(_)
                | inbox::Event::Forwarded(_),
            )
            | Event::Envelope(
                envelope::Event::Forwarded(_) | envelope::Event::EdgeSet(_) | envelope::Event::EdgeRemoved(_),
            )
            | Event::Job(
                job::Event::Created(_)
                | job::Event::Claimed(_)
                | job::Event::Reclaimed(_)
                | job::Event::Progress(_)
                | job::Event::Checkpoint(_)
                | job::Event::Question(_)
                | job::Event::ProofGate(_)
                | job::Event::Error(_)
                | job::Event::Completed(_)
                | job::Event::Failed(_)
                | job::Event::Canceled(_)
                | job::Event::Requeued(_)
                | job::Event::Applied(_)
                | job::Event::Branched(_),
            )
            | Event::Bus(
                bus::Event::Resulted(_)
                | bus::Event::TaskReported(_)
                | bus::Event::Connected(_)
                | bus::Event::Disconnected(_)
                | bus::Event::Returned(_),
            )
            | Event::Room(_)
            | Event::Scope(_)
            | Event::Task(_)
            | Event::Runner(_)
            | Event::Library(_)
            | Event::Context(_)
            | Event::Turn(_)
            | Event::Spawn(_) => None,
        }
    }
}
