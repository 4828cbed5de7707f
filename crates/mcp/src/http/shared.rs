//! A server of many clients: who each of them is, and where its calls run.
//!
//! Nothing can be seen of a client but what it sends, so it is the agent that its credentials name, else the conversation
//! that it names, else its session. Without sessions (2026-07-28) it is its principal: agents that share a token and a
//! program are told apart only if each names itself.

use std::{
    mem,
    path::PathBuf,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use baton_app::{
    Caller, Cancel, Connection, Failure, Rights,
    commands::room::Leave,
    identity::resolve_remote,
    table::{self, Call, UseCase},
};
use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId},
    process::SessionKind,
    room::Actor,
};
use http::request::Parts;
use rmcp::{RoleServer, service::RequestContext};
use serde_json::{Map, Value};
use tokio::{runtime::Handle, sync::watch};

use super::{recent::Recent, service::session_id, sessions::Attended};
use crate::{blocking::Answer, callers::thread_id, host::Host, instructions::INSTRUCTIONS};

/// How many agents without a session are remembered by the room they joined.
const REMEMBERED_MAX: usize = 1024;

/// Whom the HTTP layer found a request to come from: an extension of the request, beside its [`Rights`].
#[derive(Clone, Debug)]
pub struct Principal {
    /// Tells it from other principals. Only who began a session may use it.
    pub name: Arc<str>,
    /// The token or login that it came with.
    pub credential: Arc<str>,
    /// Turns to the reason when that stops counting, if it can.
    pub revocation: Option<watch::Receiver<Option<Arc<str>>>>,
    /// The agent that it speaks for, where its credentials or the request say.
    pub agent: Option<AgentId>,
    /// Whether its credentials were made for that agent.
    pub is_bound: bool,
}

impl Default for Principal {
    /// Whoever needs no credentials.
    fn default() -> Self {
        Self { name: "".into(), credential: "".into(), revocation: None, agent: None, is_bound: false }
    }
}

type Running = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// How the server runs a call of a principal: under the caller's rights and the principal's limits, where it keeps no other
/// call waiting.
#[derive(Clone)]
pub struct Run(Arc<dyn Fn(Principal, Caller, Call) -> Running + Send + Sync>);

impl Run {
    /// Calls run as `run` says.
    pub fn new<F>(run: impl Fn(Principal, Caller, Call) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        Self(Arc::new(move |principal, caller, call| Box::pin(run(principal, caller, call))))
    }
}

/// What the agents without a session joined.
pub(super) struct Remembered(Mutex<Recent<Seat, Arc<Connection>>>);

/// An agent of a principal: another principal may name the same conversation.
type Seat = (Arc<str>, AgentId);

impl Default for Remembered {
    fn default() -> Self {
        Self(Mutex::new(Recent::of(REMEMBERED_MAX)))
    }
}

impl Remembered {
    fn of(&self, principal: &Arc<str>, agent: &AgentId) -> Arc<Connection> {
        let key = (Arc::clone(principal), agent.clone());
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(connection) = remembered.get(&key) {
            return Arc::clone(connection);
        }
        let connection = Arc::<Connection>::default();
        remembered.insert(key, Arc::clone(&connection));
        connection
    }
}

/// One session's side of the server, or one request's where there are no sessions.
pub(super) struct Shared {
    run: Run,
    remembered: Arc<Remembered>,
    connection: Arc<Connection>,
    /// The agents that this session is, each with a room that it joined. They end with it.
    seats: Mutex<Vec<SessionSeat>>,
    closing: watch::Receiver<bool>,
}

/// An agent that is a session, in a room.
struct SessionSeat {
    principal: Principal,
    caller: Caller,
    room: RoomId,
}

/// Most rooms that a session leaves when it ends.
const SEATS_MAX: usize = 64;

impl Shared {
    pub(super) fn new(run: Run, remembered: Arc<Remembered>, closing: watch::Receiver<bool>) -> Self {
        Self { run, remembered, connection: Arc::default(), seats: Mutex::default(), closing }
    }

    /// Notes the room of an agent that nobody can be once its session has ended: no credential and no conversation names
    /// it.
    fn seated(&self, context: &RequestContext<RoleServer>, principal: Principal, caller: &Caller) {
        let is_session = context.extensions.get::<Attended>().is_some();
        if !is_session || principal.agent.is_some() || thread_id(&context.meta).is_some() {
            return;
        }
        let Some(room) = caller.room_joined_last() else { return };
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        if seats.len() < SEATS_MAX && seats.iter().all(|seat| seat.room != room) {
            seats.push(SessionSeat { principal, caller: caller.clone(), room });
        }
    }
}

impl Drop for Shared {
    /// Has the agents of an ended session leave. With the server they stay, and time tells.
    fn drop(&mut self) {
        let seats = mem::take(self.seats.get_mut().unwrap_or_else(PoisonError::into_inner));
        let (Some(leave), Ok(runtime)) = (table::find(Leave::NAME), Handle::try_current()) else { return };
        if seats.is_empty() || *self.closing.borrow() {
            return;
        }
        let run = self.run.clone();
        runtime.spawn(async move {
            for SessionSeat { principal, caller, room } in seats {
                let input = Map::from_iter([("room_id".to_owned(), room.as_str().into())]);
                // Whoever holds the stick stays a member until its lease is over.
                let _ = (run.0)(principal, caller, Call::of(leave, input)).await;
            }
        });
    }
}

/// The sender of a request.
fn principal_of(context: &RequestContext<RoleServer>) -> Principal {
    let told = |parts: &Parts| parts.extensions.get::<Principal>().cloned();
    context.extensions.get::<Parts>().and_then(told).unwrap_or_default()
}

impl Host for Shared {
    /// Hooks run beside a program and not beside a server, so nothing that they signed counts here.
    fn caller(&self, context: &RequestContext<RoleServer>, _told: Option<&Value>, cancel: Cancel) -> Caller {
        let (parts, principal) = (context.extensions.get::<Parts>(), principal_of(context));
        let rights = parts.and_then(|parts| parts.extensions.get::<Rights>().copied()).unwrap_or(Rights::Agent);
        // A session is one only where the call came through one, whatever its headers say.
        let session = parts.filter(|_| context.extensions.get::<Attended>().is_some()).and_then(session_id);
        let client = context.client_info();
        let client_name = client.as_ref().map(|client| client.name.as_str());
        let actor = match principal.agent {
            Some(agent_id) => {
                let found = Actor::found(agent_id.clone(), None, SessionKind::McpHarness);
                if principal.is_bound { found.bound_to(agent_id) } else { found.choosing(agent_id) }
            }
            None => {
                let seat = match session {
                    Some(session) => format!("session {session}"),
                    None => format!("principal {}", principal.name),
                };
                resolve_remote(client_name, thread_id(&context.meta).as_deref(), &seat)
            }
        };
        // Who needs no credentials came with none.
        let actor = if principal.name.is_empty() { actor } else { actor.by_way_of(&principal.name) };
        let connection = match session {
            Some(_) => Arc::clone(&self.connection),
            None => self.remembered.of(&principal.name, &actor.agent_id),
        };
        Caller::new(actor, PathBuf::new()).with_rights(rights).on(connection, cancel)
    }

    async fn run(&self, context: &RequestContext<RoleServer>, call: Call, caller: Caller) -> Answer {
        let (principal, speaker) = (principal_of(context), caller.clone());
        let answer = (self.run.0)(principal.clone(), caller, call).await;
        self.seated(context, principal, &speaker);
        match answer {
            Err(failure) if failure.code == ErrorCode::Canceled && *self.closing.borrow() => {
                Err(Failure::new(ErrorCode::ShuttingDown, "The server is shutting down."))
            }
            answer => answer,
        }
    }

    async fn gone(&self, context: &RequestContext<RoleServer>) {
        let unattended = async {
            match context.extensions.get::<Attended>() {
                // There is nothing to be told but that the other end is gone.
                Some(Attended(reader)) => while reader.clone().changed().await.is_ok() {},
                // Without a session rmcp cancels the request itself.
                None => std::future::pending().await,
            }
        };
        let mut closing = self.closing.clone();
        tokio::select! {
            () = unattended => {}
            // Whoever could announce the end is gone, and so is the server.
            _ = closing.wait_for(|closing| *closing) => {}
        }
    }

    fn instructions(&self) -> &'static str {
        INSTRUCTIONS
    }
}
