//! An item of an inbox, and how far up the ladder it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Category, Event, Forwarded};
use crate::{
    bus,
    event::{self, Recorded},
    ids::{AgentId, Seq},
    part::{Part, Rows, Touched},
    room::Room,
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

impl Part for Item {
    /// The event that holds the message, and whose inbox it is in.
    type Key = (Seq, AgentId);

    fn key(&self) -> (Seq, AgentId) {
        (self.message, self.recipient.clone())
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<(Seq, AgentId)> {
        let of = |messages: &[Seq], recipient: &AgentId| {
            messages.iter().map(|message| (*message, recipient.clone())).collect::<Vec<_>>()
        };
        let own = |messages: &[Seq]| Touched::Rows(of(messages, &event.actor));
        match &event.event {
            event::Event::Inbox(Event::Delivered(delivered)) => own(&delivered.items),
            event::Event::Inbox(Event::Seen(seen)) => own(&[seen.item]),
            event::Event::Inbox(Event::Accepted(accepted)) => own(&[accepted.item]),
            event::Event::Inbox(Event::Forwarded(Forwarded { items, from, to })) => {
                Touched::Rows([of(items, from), of(items, to)].concat())
            }
            event::Event::Bus(bus::Event::Resulted(resulted)) => {
                Touched::row((resulted.action, resulted.target.clone()))
            }
            event::Event::Turn(turn::Event::Begun(begun)) => Touched::Rows(of(&begun.items, &begun.agent_id)),
            event::Event::Turn(turn::Event::Ended(ended)) => Touched::Rows(of(&ended.items, &ended.agent_id)),
            _ => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        event.mail().into_iter().flat_map(|mail| mail.items).for_each(|item| rows.put(item));
        match &event.event {
            event::Event::Inbox(own) => rows.apply_own(own, event),
            // Whoever says how far it is with an action has accepted it; and one that was ended in its target's place is off
            // the list.
            event::Event::Bus(bus::Event::Resulted(resulted)) => {
                rows.reach(&resulted.target, &[resulted.action], Stage::Accepted, event.at);
            }
            event::Event::Turn(turn::Event::Begun(begun)) => {
                rows.reach(&begun.agent_id, &begun.items, Stage::Seen, event.at);
                rows.of(&begun.agent_id, &begun.items, |item| item.turn = Some(begun.turn));
            }
            // With its good end all that a turn consumed is accepted, else it may go back. What was accepted meanwhile
            // stays so.
            event::Event::Turn(turn::Event::Ended(ended)) => rows.of(&ended.agent_id, &ended.items, |item| {
                if ended.returned && item.accepted_at.is_none() {
                    item.give_back();
                } else {
                    item.reach(Stage::Accepted, event.at);
                }
            }),
            _ => {}
        }
    }
}

impl Rows<Item> {
    fn apply_own(&mut self, event: &Event, recorded: &Recorded) {
        let actor = &recorded.actor;
        match event {
            Event::Delivered(delivered) => self.reach(actor, &delivered.items, Stage::Delivered, recorded.at),
            Event::Seen(seen) => {
                self.reach(actor, &[seen.item], Stage::Seen, recorded.at);
                if let Some(turn) = seen.turn {
                    self.of(actor, &[seen.item], |item| item.turn = Some(turn));
                }
            }
            Event::Accepted(accepted) => {
                self.reach(actor, &[accepted.item], Stage::Accepted, recorded.at);
                self.of(actor, &[accepted.item], |item| item.note = accepted.note.as_deref().map(storable));
            }
            Event::Forwarded(forwarded) => self.forward(forwarded),
            _ => {}
        }
    }

    /// Gives items to another. Of a message that the other has too, its own item is enough.
    fn forward(&mut self, forwarded: &Forwarded) {
        let Forwarded { items, from, to } = forwarded;
        if from == to {
            return;
        }
        for message in items {
            let moved = self.remove(&(*message, from.clone()));
            if let Some(item) = moved.filter(|_| self.get(&(*message, to.clone())).is_none()) {
                self.put(Item { recipient: to.clone(), ..item });
            }
        }
    }

    fn reach(&mut self, recipient: &AgentId, messages: &[Seq], stage: Stage, at: Timestamp) {
        self.of(recipient, messages, |item| item.reach(stage, at));
    }

    /// Changes somebody's items of some messages.
    fn of(&mut self, recipient: &AgentId, messages: &[Seq], with: impl Fn(&mut Item)) {
        for message in messages {
            self.change(&(*message, recipient.clone()), &with);
        }
    }
}
