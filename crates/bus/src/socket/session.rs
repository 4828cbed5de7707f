//! What a client asks for, and what becomes of it.
//!
//! Requests of one connection are answered in the order in which they were asked. What waits for as long as its caller
//! allows is answered when it is done, and keeps nothing else waiting; so do streams.

use std::sync::Arc;

use baton_app::{
    Caller, Failure,
    commands::bus::{AddResult, RemoveResult},
    table::{self, Command, Effect, Subject},
};
use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId},
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio::{sync::Semaphore, task::JoinSet};

use super::{
    frame::Frame,
    out::Out,
    speakers::Speakers,
    streams::{ActionsInput, Opened, StopInput, StreamInput, Streams},
};
use crate::{
    Hub,
    envelope::{Head, Request},
};

/// Most calls of one connection that wait at a time.
pub(crate) const WAITS_MAX: usize = 64;
/// The field by which `join_path` takes another identity, for tests on stdio.
const OVERRIDE: &str = "agent_id_override";
/// The commands that say for whom a connection speaks.
const ADD: &str = "agent.add";
const REMOVE: &str = "agent.remove";

/// What the socket knows beside the command table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// Who am I, and are you there?
    Ping,
    /// Follow a session from a cursor.
    Stream,
    /// Be an agent's runtime in a session: have its actions pushed.
    Actions,
    /// Follow either no longer.
    Stop,
}

impl Word {
    /// Every word.
    pub const ALL: [Self; 4] = [Self::Ping, Self::Stream, Self::Actions, Self::Stop];

    /// The word as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ping => "ping",
            Self::Stream => "events.stream",
            Self::Actions => "actions.stream",
            Self::Stop => "events.stop",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|word| word.as_str() == name)
    }
}

/// One client.
pub(super) struct Session {
    hub: Arc<Hub>,
    speakers: Speakers,
    out: Out,
    streams: Streams,
    waits: JoinSet<()>,
    waiting: Arc<Semaphore>,
}

impl Session {
    pub(super) fn new(hub: Arc<Hub>, speakers: Speakers, out: Out) -> Self {
        let waiting = Arc::new(Semaphore::new(WAITS_MAX));
        Self { hub, speakers, out, streams: Streams::default(), waits: JoinSet::new(), waiting }
    }

    /// Does what a line asks for.
    pub(super) async fn take(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        match Request::read(line) {
            Err(wrong) => self.refuse(wrong.head, &wrong.failure).await,
            Ok(request) => match Word::named(&request.kind) {
                Some(word) => self.say(word, request).await,
                None => self.run(request).await,
            },
        }
    }

    /// Says that something was no request, to whoever waits for an answer to it.
    pub(super) async fn refuse(&self, head: Head, failure: &Failure) {
        self.out.send(Frame::refusal(head.kind.as_deref(), head.id, failure)).await;
    }

    /// Waits until waits have come back and streams have said their last word, since the server ends.
    pub(super) async fn finish(&mut self) {
        while self.waits.join_next().await.is_some() {}
        self.streams.ended().await;
    }

    async fn say(&mut self, word: Word, mut request: Request) {
        let session = session_of(&request);
        let answer = match word {
            Word::Ping => self.ping(&request),
            Word::Stop => parsed(&mut request).and_then(|StopInput { stream }| {
                self.streams.stop(&stream)?;
                Ok(json!({"stream": stream}))
            }),
            Word::Stream | Word::Actions => match self.open(word, &mut request).await {
                Ok((opened, told)) => {
                    // The answer first, then what is streamed.
                    self.out.send(Frame::answer(&request.kind, &request.id, session, Ok(told))).await;
                    return self.streams.begin(opened, &request.id, &self.out);
                }
                Err(failure) => Err(failure),
            },
        };
        self.out.send(Frame::answer(&request.kind, &request.id, session, answer)).await;
    }

    async fn open(&mut self, word: Word, request: &mut Request) -> Result<(Opened, Value), Failure> {
        let caller = self.speakers.caller(request.src.as_deref())?;
        if word == Word::Stream {
            let input: StreamInput = parsed(request)?;
            let told = json!({"session": input.room_id, "after": input.after, "stream": request.id});
            return Ok((self.streams.events(&self.hub, self.speakers.credential(), &request.id, input).await?, told));
        }
        let input: ActionsInput = parsed(request)?;
        let (agent, room) = (caller.actor().agent_id, input.room_id.clone());
        let told = json!({"session": room, "agent_id": agent, "stream": request.id});
        let credential = self.speakers.credential();
        let opened = self.streams.actions(&self.hub, credential, &request.id, caller, input).await?;
        self.speakers.add(&agent, room);
        Ok((opened, told))
    }

    fn ping(&self, request: &Request) -> Result<Value, Failure> {
        let caller = self.speakers.caller(request.src.as_deref())?;
        self.hub.admit(self.speakers.credential())?;
        let agents: Vec<AgentId> = self.speakers.ids().collect();
        let rights = caller.rights().as_str();
        let version = env!("CARGO_PKG_VERSION");
        Ok(json!({"agent_id": caller.actor().agent_id, "role": rights, "agents": agents, "version": version}))
    }

    async fn run(&mut self, mut request: Request) {
        let session = session_of(&request);
        let prepared = self.prepare(&mut request);
        let answer = match prepared {
            Err(failure) => Err(failure),
            Ok((caller, command, input)) => match command.effect {
                Effect::Read | Effect::Write => {
                    let answer = self.hub.call(self.speakers.credential(), caller, command, input).await;
                    if let Ok(answer) = &answer {
                        self.notice(command, answer);
                    }
                    answer
                }
                Effect::Wait | Effect::Follow => match Arc::clone(&self.waiting).try_acquire_owned() {
                    Ok(permit) => {
                        let (hub, out) = (Arc::clone(&self.hub), self.out.clone());
                        let credential = self.speakers.credential().clone();
                        while self.waits.try_join_next().is_some() {}
                        self.waits.spawn(async move {
                            let answer = hub.call(&credential, caller, command, input).await;
                            out.send(Frame::answer(&request.kind, &request.id, session, answer)).await;
                            drop(permit);
                        });
                        return;
                    }
                    Err(_) => {
                        let message = format!("{WAITS_MAX} calls of this connection wait already.");
                        Err(Failure::new(ErrorCode::RateLimited, message)
                            .advising("Let one of them come back first, or open another connection."))
                    }
                },
            },
        };
        self.out.send(Frame::answer(&request.kind, &request.id, session, answer)).await;
    }

    fn prepare(&self, request: &mut Request) -> Result<(Caller, &'static Command, Map<String, Value>), Failure> {
        let command = table::require_on_wire(&request.kind)?;
        if let (Subject::Store, Some(_)) = (command.subject, &request.session) {
            let message = format!("session: {} is about no session in particular.", command.wire_name());
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "session"));
        }
        let input = request.input()?;
        if input.contains_key(OVERRIDE) {
            let message = "On the socket your process says who you are, and `agent.add` for whom you speak.";
            return Err(Failure::new(ErrorCode::SourceMismatch, message).with("field", OVERRIDE));
        }
        let src = request.src.as_deref();
        let caller = match command.wire_name() {
            ADD => self.speakers.adder(src, input.get("id").and_then(Value::as_str))?,
            _ => self.speakers.caller(src)?,
        };
        Ok((caller, command, input))
    }

    /// Remembers for whom the connection speaks.
    fn notice(&mut self, command: &Command, answer: &Value) {
        match command.wire_name() {
            ADD => {
                if let Some(AddResult { room_id, agent, .. }) = told(answer) {
                    self.speakers.add(&agent.id, room_id);
                }
            }
            REMOVE => {
                if let Some(RemoveResult { room_id, removed, .. }) = told(answer) {
                    self.speakers.remove(&removed, &room_id);
                }
            }
            _ => {}
        }
    }
}

/// What a command answered, as the type that it answered with.
fn told<T: DeserializeOwned>(answer: &Value) -> Option<T> {
    T::deserialize(answer).ok()
}

/// The session that a request names, to be repeated in its answer.
fn session_of(request: &Request) -> Option<RoomId> {
    request.session.as_deref().and_then(|session| session.parse().ok())
}

/// The payload of one of the socket's own words.
fn parsed<T: DeserializeOwned + JsonSchema + 'static>(request: &mut Request) -> Result<T, Failure> {
    table::parse(Value::Object(request.input()?))
}
