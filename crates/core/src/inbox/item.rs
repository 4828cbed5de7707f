//! An item of an inbox, and how far up the ladder it is.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Category, Event, Forwarded};
use crate::{
    bus, envelope,
    event::{self, Recorded},
    ids::{AgentId, Seq},
    job,
    text::storable,
    time::Timestamp,
    turn::{self, TurnId},
};

/// The rungs of the ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Stage {
    /// It waits for its recipient.
    Queued,
    /// Its recipient was told of it.
    Delivered,
    /// Its recipient has read it.
    Seen,
    /// Its recipient has accepted it.
    Accepted,
}

impl Stage {
    /// Every rung, from the lowest.
    pub const ALL: [Self; 4] = [Self::Queued, Self::Delivered, Self::Seen, Self::Accepted];

    /// The rung as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Delivered => "delivered",
            Self::Seen => "seen",
            Self::Accepted => "accepted",
        }
    }
}

/// A message in somebody's inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The event that holds the message.
    pub message: Seq,
    /// Whose inbox it is in.
    pub recipient: AgentId,
    /// Who sent it.
    pub sender: AgentId,
    /// What sort of message it is.
    pub category: Category,
    /// Whether it has to be accepted.
    pub requires_ack: bool,
    /// Whether it ends the recipient's wait.
    pub wakes: bool,
    /// Whether what the recipient does is stopped for it.
    pub interrupts: bool,
    /// The turn that has it.
    pub turn: Option<TurnId>,
    /// When it was sent.
    pub queued_at: Timestamp,
    /// When its recipient was told of it.
    pub delivered_at: Option<Timestamp>,
    /// When its recipient read it.
    pub seen_at: Option<Timestamp>,
    /// When its recipient accepted it.
    pub accepted_at: Option<Timestamp>,
    /// What its recipient said when it accepted it.
    pub note: Option<String>,
}

/// What sort of thing is put into an inbox.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Letter {
    /// What sort of message it is.
    pub(crate) category: Category,
    /// Whether it has to be accepted.
    pub(crate) requires_ack: bool,
    /// Whether it ends the recipient's wait.
    pub(crate) wakes: bool,
    /// Whether what the recipient does is stopped for it.
    pub(crate) interrupts: bool,
}

impl Item {
    /// What an event puts into the inbox of `recipient`.
    pub(crate) fn queued(recorded: &Recorded, recipient: &AgentId, letter: Letter) -> Self {
        let Letter { category, requires_ack, wakes, interrupts } = letter;
        Self {
            message: recorded.seq,
            recipient: recipient.clone(),
            sender: recorded.actor.clone(),
            category,
            requires_ack,
            wakes,
            interrupts,
            turn: None,
            queued_at: recorded.at,
            delivered_at: None,
            seen_at: None,
            accepted_at: None,
            note: None,
        }
    }

    /// How far up the ladder it is.
    pub fn stage(&self) -> Stage {
        match (self.delivered_at, self.seen_at, self.accepted_at) {
            (_, _, Some(_)) => Stage::Accepted,
            (_, Some(_), None) => Stage::Seen,
            (Some(_), None, None) => Stage::Delivered,
            (None, None, None) => Stage::Queued,
        }
    }

    /// Goes back to the queue, because the turn that had it failed. There is no other way down.
    fn give_back(&mut self) {
        (self.delivered_at, self.seen_at, self.turn) = (None, None, None);
    }

    /// Climbs to `stage`, passing what lies below it.
    pub(super) fn reach(&mut self, stage: Stage, at: Timestamp) {
        let rungs = [
            (Stage::Delivered, &mut self.delivered_at),
            (Stage::Seen, &mut self.seen_at),
            (Stage::Accepted, &mut self.accepted_at),
        ];
        for (_, time) in rungs.into_iter().filter(|(rung, _)| *rung <= stage) {
            time.get_or_insert(at);
        }
    }
}

/// The items of a room, as folding its log gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inbox {
    /// By message, and of one message in the order of its recipients. Folding relies on the first.
    pub items: Vec<Item>,
}

impl Inbox {
    /// Folds an event that was decided on. Events of other parts change nothing.
    pub fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            event::Event::Inbox(event) => self.apply_own(event, recorded),
            event::Event::Bus(event) => self.apply_bus(event, recorded),
            event::Event::Envelope(envelope::Event::Sent(sent)) => self.items.push(sent.item(recorded)),
            event::Event::Job(job::Event::Manager(said)) => self.items.push(said.item(recorded)),
            event::Event::Turn(event) => self.apply_turn(event, recorded.at),
            _ => {}
        }
    }

    /// Actions and messages of the bus lie in inboxes too. Whoever says how far it is with an action has accepted it; and
    /// one that was ended in its target's place is off the list.
    fn apply_bus(&mut self, event: &bus::Event, recorded: &Recorded) {
        match event {
            bus::Event::Submitted(submitted) => self.items.push(submitted.item(recorded)),
            bus::Event::Messaged(messaged) => self.items.extend(messaged.items(recorded)),
            bus::Event::Resulted(resulted) => {
                let own = self.of_message(resulted.action).iter_mut();
                own.filter(|item| item.recipient == resulted.target)
                    .for_each(|item| item.reach(Stage::Accepted, recorded.at));
            }
            bus::Event::TaskReported(_)
            | bus::Event::Connected(_)
            | bus::Event::Disconnected(_)
            | bus::Event::Returned(_) => {}
        }
    }

    /// What a turn consumes is seen; with its good end it is accepted, else it may go back. What was accepted meanwhile
    /// stays so.
    fn apply_turn(&mut self, event: &turn::Event, at: Timestamp) {
        let (items, agent) = match event {
            turn::Event::Begun(begun) => (&begun.items, &begun.agent_id),
            turn::Event::Ended(ended) => (&ended.items, &ended.agent_id),
            turn::Event::Prompted(_) | turn::Event::ToolsUsed(_) => return,
        };
        for message in items {
            for item in self.of_message(*message).iter_mut().filter(|item| item.recipient == *agent) {
                match event {
                    turn::Event::Begun(begun) => {
                        item.turn = Some(begun.turn);
                        item.reach(Stage::Seen, at);
                    }
                    turn::Event::Ended(ended) if ended.returned && item.accepted_at.is_none() => item.give_back(),
                    turn::Event::Ended(_) => item.reach(Stage::Accepted, at),
                    turn::Event::Prompted(_) | turn::Event::ToolsUsed(_) => {}
                }
            }
        }
    }

    fn apply_own(&mut self, event: &Event, recorded: &Recorded) {
        match event {
            Event::Sent(sent) => self.items.extend(sent.items(recorded)),
            Event::Delivered(delivered) => self.reach(recorded, &delivered.items, Stage::Delivered),
            Event::Seen(seen) => {
                self.reach(recorded, &[seen.item], Stage::Seen);
                if let Some(turn) = seen.turn {
                    let own = self.of_message(seen.item).iter_mut().filter(|item| item.recipient == recorded.actor);
                    own.for_each(|item| item.turn = Some(turn));
                }
            }
            Event::Told(told) => self.items.push(told.item(recorded)),
            Event::Accepted(accepted) => {
                self.reach(recorded, &[accepted.item], Stage::Accepted);
                let own = self.of_message(accepted.item).iter_mut().filter(|item| item.recipient == recorded.actor);
                own.for_each(|item| item.note = accepted.note.as_deref().map(storable));
            }
            Event::Forwarded(forwarded) => self.forward(forwarded),
        }
    }

    /// Gives items to another. Of a message that the other has too, its own item is enough.
    fn forward(&mut self, forwarded: &Forwarded) {
        if forwarded.from == forwarded.to {
            return;
        }
        let mut doubled = HashSet::new();
        for message in &forwarded.items {
            let items = self.of_message(*message);
            if items.iter().any(|item| item.recipient == forwarded.to) {
                doubled.insert(*message);
                continue;
            }
            for item in items.iter_mut().filter(|item| item.recipient == forwarded.from) {
                item.recipient = forwarded.to.clone();
            }
        }
        if !doubled.is_empty() {
            self.items.retain(|item| item.recipient != forwarded.from || !doubled.contains(&item.message));
        }
    }

    fn reach(&mut self, recorded: &Recorded, messages: &[Seq], stage: Stage) {
        for message in messages {
            let own = self.of_message(*message).iter_mut().filter(|item| item.recipient == recorded.actor);
            own.for_each(|item| item.reach(stage, recorded.at));
        }
    }

    /// The items of one message. A room has many messages and an event is about few, so they are not all looked at.
    fn of_message(&mut self, message: Seq) -> &mut [Item] {
        let start = self.items.partition_point(|item| item.message < message);
        let count = self.items[start..].partition_point(|item| item.message == message);
        &mut self.items[start..start + count]
    }
}
