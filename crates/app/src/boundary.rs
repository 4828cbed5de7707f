//! What an agent is interrupted for is told to it where it next touches Baton: with the answer to whatever it called.
//!
//! An agent in a harness of its own cannot be stopped from outside. But between two tool calls it listens, so the answer to
//! the next one carries what a person has to say, and with that it is seen. Looking costs one search in an index that
//! has nothing but interrupts. The agent of a job is left to its runner, which stops it.

use std::sync::{Arc, Mutex, PoisonError};

use baton_core::{
    event::Event,
    ids::{RoomId, Seq},
    inbox,
    room::Stick,
    time::Timestamp,
};
use baton_store::{inbox as items, log};
use serde::Serialize;

use crate::{App, Caller, Failure, app::Request};

/// A person's word that does not wait for the next turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interrupt {
    /// Its number.
    pub message: Seq,
    /// What the person is called.
    pub from: String,
    /// What they said.
    pub text: String,
    /// When.
    pub sent_at: Timestamp,
}

/// Where a call leaves what its caller is interrupted for.
#[derive(Clone, Debug, Default)]
pub struct Boundary(Arc<Mutex<Vec<Interrupt>>>);

impl Boundary {
    /// What was left here.
    pub fn take(&self) -> Vec<Interrupt> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn leave(&self, interrupts: Vec<Interrupt>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(interrupts);
    }
}

impl App {
    /// Leaves at the caller's boundary what it is interrupted for in `room`, or in the one that it joined last.
    pub(crate) fn interrupt(&self, caller: &Caller, room: Option<RoomId>) {
        let Some(boundary) = caller.boundary() else { return };
        let Some(room) = room.or_else(|| caller.room_joined_last()) else { return };
        if caller.own_job_in(&room).is_some() {
            return;
        }
        // Whatever goes wrong here, the call itself was answered, and the next one looks again.
        if let Ok(interrupts) = self.interrupts(caller, &room) {
            boundary.leave(interrupts);
        }
    }

    fn interrupts(&self, caller: &Caller, room: &RoomId) -> Result<Vec<Interrupt>, Failure> {
        let you = caller.actor().agent_id;
        let any = self.store.read(|tx| Ok::<_, Failure>(!items::interrupts(tx, room, &you)?.is_empty()))?;
        if !any {
            return Ok(Vec::new());
        }
        let request = Request { command: "inbox.interrupt", input: room, key: None };
        let told: Vec<(Seq, String, String, Timestamp)> = self.change(caller, &request, room, |change| {
            if change.room.stick == Stick::Closed {
                return Ok(Vec::new());
            }
            let waiting = items::interrupts(change.tx, room, &you)?;
            let turn = change.open_turn(&you)?.map(|turn| turn.id);
            change.take_items(waiting.clone());
            let mut told = Vec::new();
            for item in waiting {
                let Some(recorded) = log::find(change.tx, room, item.message)? else { continue };
                let Event::Inbox(inbox::Event::Told(said)) = recorded.event else { continue };
                if let Some(event) = item.see(turn) {
                    change.record(event)?;
                    told.push((item.message, said.from_name, said.text, recorded.at));
                }
            }
            Ok(told)
        })?;
        let interrupt = |(message, from, text, sent_at)| Interrupt { message, from, text, sent_at };
        Ok(told.into_iter().map(interrupt).collect())
    }
}
