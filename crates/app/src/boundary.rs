//! What an agent is interrupted for is told to it where it next touches Baton: with the answer to whatever it called.
//!
//! An agent in a harness of its own cannot be stopped from outside. But between two tool calls it listens, so the answer to
//! the next one carries what a person has to say, and with that it is seen. Looking costs one search in an index that
//! has nothing but interrupts, in the call's own transaction where that loads the caller's room. The agent of a job is left
//! to its runner, which stops it.

use std::sync::{Arc, Mutex, PoisonError};

use baton_core::{
    ids::{AgentId, RoomId, Seq},
    inbox::Content,
    process::SessionKind,
    time::Timestamp,
};
use baton_store::{inbox as items, log, turns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    App, Caller, Failure,
    app::Request,
    commands::envelope::called,
    table::{Call, Command, Effect, INBOX, Place, UseCase},
};

/// A word that does not wait for the next turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Interrupt {
    /// Its number.
    pub message: Seq,
    /// The sender's name.
    pub from: String,
    /// The kind of session behind the sender, while it sent; missing where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_kind: Option<SessionKind>,
    /// What they said.
    pub text: String,
    /// When.
    pub sent_at: Timestamp,
}

/// Where a call leaves word whether its caller is interrupted.
#[derive(Clone, Debug, Default)]
pub struct Boundary(Arc<Mutex<Option<Look>>>);

/// The last look for interrupts: of whom, in which room, and whether there are any.
#[derive(Debug)]
struct Look {
    room: RoomId,
    agent: AgentId,
    interrupted: bool,
}

impl Boundary {
    /// The call that takes what its caller is interrupted for, if it is.
    pub fn call(&self) -> Option<Call> {
        let Look { room, interrupted, .. } = self.0.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        interrupted.then(|| Call::of(&TAKE, Map::from_iter([("room_id".to_owned(), room.as_str().into())])))
    }

    /// What that call answered.
    pub fn answered(answer: Value) -> Vec<Interrupt> {
        serde_json::from_value::<Taken>(answer).map(|taken| taken.interrupts).unwrap_or_default()
    }

    /// Notes whether an agent is interrupted in a room.
    pub(crate) fn note(&self, room: &RoomId, agent: &AgentId, interrupted: bool) {
        let look = Look { room: room.clone(), agent: agent.clone(), interrupted };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(look);
    }

    fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn knows(&self, room: &RoomId, agent: &AgentId) -> bool {
        let look = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        look.as_ref().is_some_and(|look| look.room == *room && look.agent == *agent)
    }
}

impl App {
    /// Notes at the caller's boundary whether it is interrupted in `room`, or in the one that it joined last, once a call
    /// of `effect` has ended. A call that may have waited is looked after again: what it saw may be long ago.
    pub(crate) fn look_for_interrupts(
        &self,
        caller: &Caller,
        boundary: &Boundary,
        room: Option<RoomId>,
        effect: Effect,
    ) {
        let own = room.or_else(|| caller.room_joined_last()).filter(|room| caller.boundary_in(room).is_some());
        // What was seen in passing in another room is no word to this caller.
        let Some(room) = own else { return boundary.forget() };
        let you = caller.actor().agent_id;
        if matches!(effect, Effect::Read | Effect::Write) && boundary.knows(&room, &you) {
            return;
        }
        // Whatever goes wrong here, the call itself was answered, and the next one looks again.
        let interrupted = self.store.read(|tx| items::is_interrupted(tx, &room, &you));
        boundary.note(&room, &you, interrupted.unwrap_or(false));
    }
}

/// Taking what one is interrupted for. No surface offers it: whoever serves an agent's calls asks in its name.
static TAKE: Command = Command::of::<Take>();

struct Take;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TakeInput {
    room_id: RoomId,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Taken {
    interrupts: Vec<Interrupt>,
}

impl UseCase for Take {
    const NAME: &'static str = "inbox.interrupts";
    const PLACE: Place = Place::Portal(&INBOX);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "What you are interrupted for; you have seen it then.";
    type Input = TakeInput;
    type Output = Taken;

    fn perform(app: &App, caller: &Caller, input: TakeInput) -> Result<Taken, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: None };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let you = change.actor.agent_id.clone();
            // Of several calls at once, one tells it.
            let waiting = items::interrupts(change.store.tx()?, &change.room.id, &you)?;
            let turn = turns::open_of(change.store.tx()?, &change.room.id, &you)?.map(|turn| turn.id);
            change.store.note(waiting.clone());
            let mut interrupts = Vec::new();
            for item in waiting {
                let Some(recorded) = log::find(change.store.tx()?, &change.room.id, item.message)? else { continue };
                let Some(mail) = recorded.mail() else { continue };
                let Content::Text(text) = mail.content else { continue };
                if change.record(item.see(turn))?.is_some() {
                    interrupts.push(Interrupt {
                        message: item.message,
                        from: mail.from_name.map_or_else(|| called(&change.room, &item.sender), str::to_owned),
                        sender_kind: mail.sender_kind,
                        text: text.to_owned(),
                        sent_at: recorded.at,
                    });
                }
            }
            Ok(Taken { interrupts })
        })
    }
}
