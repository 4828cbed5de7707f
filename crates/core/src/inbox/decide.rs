//! The rules of messages: who gets one, whom it wakes, and who may move it up the ladder.

use super::{Accepted, Category, Delivered, Event, Item, Manner, Payload, Recipient, Refusal, Seen, Sent, Stage, Told};
use crate::{
    envelope::Party,
    handoff::blank_or_long,
    ids::{AgentId, BROADCAST, BeadId, Role, Seq},
    limits,
    process::SessionKind,
    room::{Actor, Member, Room},
    text::storable,
    turn::TurnId,
};

/// Whom a message is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// One agent, by name or id.
    Agent(String),
    /// Everybody with a role: `role:reviewer`.
    Role(Role),
    /// Everybody: `broadcast`.
    Broadcast,
}

impl Address {
    /// Reads an address. A role that is none is an error, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.strip_prefix("role:") {
            Some(role) => role.parse().map(Self::Role).map_err(|error| format!("{error}")),
            None if text == BROADCAST => Ok(Self::Broadcast),
            None => Ok(Self::Agent(text.to_owned())),
        }
    }
}

/// A message that may be sent.
#[derive(Clone, Debug)]
pub struct Message {
    /// To whom.
    pub to: Address,
    /// Of which category.
    pub category: Category,
    /// What it says.
    pub payload: Payload,
    /// What it is about.
    pub bead_id: Option<BeadId>,
    /// Which paths it is about.
    pub scope: Option<String>,
}

impl Message {
    /// Decides to send it. The sender never gets its own message.
    pub fn send(&self, room: &Room, by: &Actor) -> Result<Event, Refusal> {
        let Some(sender) = room.member(&by.agent_id) else {
            return Err(Refusal::UnknownSender { agent_id: by.agent_id.clone() });
        };
        let (to_agent, members) = self.recipients(room, &by.agent_id)?;
        let from_person = by.is_person();
        let recipient = |member: &&Member| Recipient {
            agent_id: member.agent_id.clone(),
            name: member.display_name.clone(),
            // What an agent tells everybody interrupts nobody but whoever holds the stick, or agents would wake each
            // other for ever. A person's word reaches all.
            wakes: self.to != Address::Broadcast || from_person || room.owner() == Some(&member.agent_id),
        };
        Ok(Event::Sent(Sent {
            category: self.category,
            from_agent: sender.display_name.clone(),
            sender_kind: by.sender_kind(),
            to_agent,
            recipients: members.iter().map(recipient).collect(),
            bead_id: self.bead_id.clone(),
            scope: self.scope.clone(),
            payload: self.payload.clone(),
        }))
    }

    fn recipients<'a>(&self, room: &'a Room, by: &AgentId) -> Result<(String, Vec<&'a Member>), Refusal> {
        let others = || room.members.iter().filter(|member| member.agent_id != *by);
        let refuse = |to: String, why| {
            let agents = others().map(|member| member.display_name.clone()).collect();
            Err(Refusal::UnknownRecipient { to, why, agents })
        };
        match &self.to {
            Address::Agent(named) => match room.named(named) {
                Some(member) if member.agent_id == *by => refuse(named.clone(), "that is you"),
                Some(member) => Ok((member.display_name.clone(), vec![member])),
                None => refuse(named.clone(), "no agent of this room has that name or id"),
            },
            Address::Role(role) => {
                let found: Vec<_> = others().filter(|member| member.role.as_ref() == Some(role)).collect();
                let to = format!("role:{role}");
                if found.is_empty() { refuse(to, "nobody else here has that role") } else { Ok((to, found)) }
            }
            Address::Broadcast => {
                let found: Vec<_> = others().collect();
                let to = BROADCAST.to_owned();
                if found.is_empty() { refuse(to, "nobody else is here") } else { Ok((to, found)) }
            }
        }
    }
}

impl Told {
    /// Decides that whoever is called `from_name` says `text` to an agent.
    pub fn decide(
        to: &Party,
        from_name: String,
        sender_kind: Option<SessionKind>,
        text: &str,
        manner: Manner,
    ) -> Result<Event, Refusal> {
        if let Some(why) = blank_or_long(text, limits::MESSAGE_BYTES) {
            return Err(Refusal::InvalidMessage { field: "text", why });
        }
        Ok(Event::Told(Self {
            to: to.agent_id.clone(),
            to_name: to.name.clone(),
            from_name,
            sender_kind,
            text: text.to_owned(),
            interrupts: manner == Manner::Interrupt,
        }))
    }
}

impl Item {
    /// Decides that the recipient was told of those of `items` that are still queued.
    pub fn deliver(items: &[Self]) -> Option<Event> {
        let queued: Vec<Seq> =
            items.iter().filter(|item| item.stage() == Stage::Queued).map(|item| item.message).collect();
        (!queued.is_empty()).then_some(Event::Delivered(Delivered { items: queued }))
    }

    /// Decides that the recipient has read it, in a turn of its own if it has one. `None` means that it had before.
    pub fn see(&self, turn: Option<TurnId>) -> Option<Event> {
        let seen = Seen { item: self.message, sender: self.sender.clone(), turn };
        (self.stage() < Stage::Seen).then_some(Event::Seen(seen))
    }

    /// Decides that the recipient accepts it. `None` means that it had before.
    pub fn accept(&self, note: Option<&str>) -> Option<Event> {
        let says_more = note.is_some_and(|note| self.note.as_deref() != Some(&*storable(note)));
        let accepted = Accepted { item: self.message, sender: self.sender.clone(), note: note.map(str::to_owned) };
        (self.stage() < Stage::Accepted || says_more).then_some(Event::Accepted(accepted))
    }
}
