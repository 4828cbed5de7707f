//! A small typed client, the same over the socket, over HTTP, and without any server.
//!
//! It is synchronous, as its users are: the runner, the command line, tests. [`Client::run`] calls any use case with its own
//! types; the contract's few have a method each. [`Client::events`] follows a session from a cursor and [`Client::actions`]
//! is an agent's runtime; each has a connection of its own, so that nobody who is slow to read keeps an answer back.
//!
//! What must stay true: a program says and hears the same on each [`Transport`].

mod actions;
mod direct;
mod error;
mod events;
mod http;
mod link;
mod socket;
mod sse;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use baton_app::{
    App, Caller,
    commands::bus::{
        Add, AddInput, AddResult, Await, AwaitInput, AwaitResult, History, HistoryInput, HistoryResult, Open,
        OpenInput, OpenResult, Relay, RelayInput, RelayResult, Result as Report, ResultInput, ResultResult, Send,
        SendInput, SendResult, Session, Sessions, SessionsInput, Submit, SubmitInput, SubmitResult, Take, TakeInput,
        TakeResult,
    },
    table::UseCase,
};
use baton_core::ids::{AgentId, RoomId, Seq};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

pub use actions::Actions;
pub use error::ClientError;
pub use events::Events;

use link::Link;

/// How a client reaches Baton.
#[derive(Clone)]
pub enum Transport {
    /// The Unix socket at this path, or where it points to.
    Socket(PathBuf),
    /// A server, by plain HTTP: on this machine, or at the near end of a tunnel.
    Http {
        /// Like `http://127.0.0.1:7433`.
        base: String,
        /// What lets the client in.
        token: String,
    },
    /// No server: this process's own store, as this caller.
    Direct(Arc<App>, Box<Caller>),
}

/// A connection to Baton. Calls of several threads take turns; a thread that wants to wait has one of its own
/// ([`Client::another`]).
pub struct Client {
    transport: Transport,
    state: Mutex<State>,
}

struct State {
    link: Box<dyn Link>,
    speaker: Option<Speaker>,
}

/// An agent of the client's choice, and a session that it was added to.
#[derive(Clone)]
struct Speaker {
    agent: AgentId,
    session: RoomId,
}

impl Client {
    /// Connects.
    pub fn connect(transport: Transport) -> Result<Self, ClientError> {
        let link = link::open(&transport)?;
        Ok(Self { transport, state: Mutex::new(State { link, speaker: None }) })
    }

    /// Another connection for the same agent.
    pub fn another(&self) -> Result<Self, ClientError> {
        let speaker = self.state().speaker.clone();
        let mut link = link::open(&self.transport)?;
        if let Some(speaker) = &speaker {
            link::speak_for(&mut *link, speaker)?;
        }
        Ok(Self { transport: self.transport.clone(), state: Mutex::new(State { link, speaker }) })
    }

    /// Connects anew, for the same agent, after the connection broke.
    pub fn reconnect(&self) -> Result<(), ClientError> {
        let fresh = self.another()?.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        *self.state() = fresh;
        Ok(())
    }

    /// The agent that it speaks for, if it is one of its own choice.
    pub fn agent(&self) -> Option<AgentId> {
        self.state().speaker.as_ref().map(|speaker| speaker.agent.clone())
    }

    /// Calls a command by its name on the wire. A `key` makes it safe to repeat.
    pub fn call(&self, command: &str, input: &impl Serialize, key: Option<&str>) -> Result<Value, ClientError> {
        let input = serde_json::to_value(input).map_err(ClientError::unreadable)?;
        let mut state = self.state();
        let State { link, speaker } = &mut *state;
        link.call(command, input, key, speaker.as_ref().map(|speaker| &speaker.agent))
    }

    /// Calls a use case.
    pub fn run<U: UseCase>(&self, input: &U::Input) -> Result<U::Output, ClientError>
    where
        U::Input: Serialize,
        U::Output: DeserializeOwned,
    {
        let answer = self.call(U::WIRE.unwrap_or(U::NAME), input, None)?;
        serde_json::from_value(answer).map_err(ClientError::unreadable)
    }

    /// Opens a session.
    pub fn session_create(&self, name: Option<&str>) -> Result<Session, ClientError> {
        let input = OpenInput { name: name.map(str::to_owned), idempotency_key: None };
        self.run::<Open>(&input).map(|OpenResult { session }| session)
    }

    /// The sessions there are.
    pub fn session_list(&self) -> Result<Vec<Session>, ClientError> {
        Ok(self.run::<Sessions>(&SessionsInput::default())?.sessions)
    }

    /// Becomes an agent of a session, and speaks for it from now on.
    pub fn agent_add(&self, input: &AddInput) -> Result<AddResult, ClientError> {
        let added = self.run::<Add>(input)?;
        if input.id.is_some() {
            let (agent, session) = (added.agent.id.clone(), added.room_id.clone());
            self.state().speaker = Some(Speaker { agent, session });
        }
        Ok(added)
    }

    /// Submits ordered work.
    pub fn submit(&self, input: &SubmitInput) -> Result<SubmitResult, ClientError> {
        self.run::<Submit>(input)
    }

    /// Takes what was submitted to the agent.
    pub fn take(&self, input: &TakeInput) -> Result<TakeResult, ClientError> {
        self.run::<Take>(input)
    }

    /// Says how far the agent is with an action.
    pub fn result(&self, input: &ResultInput) -> Result<ResultResult, ClientError> {
        self.run::<Report>(input)
    }

    /// Waits for a group of actions.
    pub fn wait(&self, input: &AwaitInput) -> Result<AwaitResult, ClientError> {
        self.run::<Await>(input)
    }

    /// Sends a message.
    pub fn send(&self, input: &SendInput) -> Result<SendResult, ClientError> {
        self.run::<Send>(input)
    }

    /// Passes a model's output on.
    pub fn relay(&self, input: &RelayInput) -> Result<RelayResult, ClientError> {
        self.run::<Relay>(input)
    }

    /// What happened in a session.
    pub fn history(&self, input: &HistoryInput) -> Result<HistoryResult, ClientError> {
        self.run::<History>(input)
    }

    /// Follows a session from a cursor.
    pub fn events(&self, session: &RoomId, after: Seq) -> Result<Events, ClientError> {
        Events::open(&self.transport, session, after)
    }

    /// Becomes the runtime of the agent in a session: what is submitted to it is pushed. It has one at a time.
    pub fn actions(&self, session: &RoomId) -> Result<Actions, ClientError> {
        let agent = self.agent();
        Actions::open(&self.transport, agent.map(|agent| Speaker { agent, session: session.clone() }), session)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
