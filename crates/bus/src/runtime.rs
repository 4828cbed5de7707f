//! An agent's runtime, connected: its actions are pushed to it, in order, as they are submitted.
//!
//! It takes what is in the agent's inbox, as `action.take` would, whenever the room's feed tells of something that may be
//! for it; so a thousand runtimes of a room share one reader and need no thread. Being connected is on record until this
//! is dropped. What was told before and has not ended is told again when a runtime comes back. A runtime that is busy does not
//! read, and what is submitted meanwhile waits in the inbox; so nobody drops it for being slow.
//!
//! What must stay true: [`Runtime::next`] may be dropped at any time. What was taken from the inbox is kept here
//! until it is handed out.

use std::{borrow::Cow, collections::VecDeque, sync::Arc};

use baton_app::{
    Caller, Failure,
    commands::bus::{Delivery, Take, TakeInput, TakeResult},
    table::UseCase,
};
use baton_core::{
    bus::What,
    code::ErrorCode,
    ids::{AgentId, RoomId, Seq},
    time::Timestamp,
};
use serde_json::{Map, Value, json};
use tokio::{runtime::Handle, task::JoinHandle};

use crate::{
    Credential, Hub, Permit, Rendered, blocking,
    credential::revoked,
    running::UnderWay,
    subscription::{Ear, Heard},
};

/// Deliveries that are taken at once.
const TAKEN: u32 = 32;
/// How often it is tried to record that a runtime is gone. The store itself waits for seconds each time.
const GOODBYES: usize = 3;

/// What a runtime hears next.
#[derive(Clone, Debug, PartialEq)]
pub enum Push {
    /// Something for its agent.
    Delivery(Arc<Pushed>),
    /// That it was dropped: its credential stopped counting, or its inbox cannot be read.
    Dropped(Failure),
    /// That the server is about to end.
    Closing,
}

/// Something for an agent: an `action.submit` with one action, or a `message.created`.
#[derive(Debug, PartialEq)]
pub struct Pushed {
    /// Its event's place, and its place in the agent's order.
    pub seq: Seq,
    /// Its event's id.
    pub id: String,
    /// `action.submit` or `message.created`.
    pub kind: &'static str,
    /// When it was sent.
    pub ts: Timestamp,
    /// Who sent it.
    pub src: AgentId,
    /// Whose runtime this is.
    pub dst: AgentId,
    /// The payload as JSON.
    pub payload: String,
    /// The whole envelope as JSON.
    pub json: String,
}

/// A connected runtime. It is disconnected when this is dropped.
pub struct Runtime {
    hub: Arc<Hub>,
    credential: Credential,
    _permit: Permit,
    caller: Caller,
    room: RoomId,
    agent: AgentId,
    ear: Ear,
    /// Where to go on with what was told before, until all of it was told again.
    resume_after: Option<Seq>,
    /// Whether there may be something in the inbox.
    fresh: bool,
    /// Taking from the inbox, under way.
    taking: Option<JoinHandle<Result<TakeResult, Failure>>>,
    ready: VecDeque<Arc<Pushed>>,
    /// Why it ends, if it is known.
    why: Cow<'static, str>,
    /// So that a server that ends waits for the goodbye.
    under_way: Option<UnderWay>,
}

impl Hub {
    /// Connects the caller's runtime in a session. Only one at a time; actions after `resume_after` that were told to an
    /// earlier one and have not ended are told again.
    pub async fn runtime(
        self: &Arc<Self>,
        credential: &Credential,
        caller: Caller,
        room: &RoomId,
        resume_after: Seq,
    ) -> Result<Runtime, Failure> {
        self.require_agent(&caller)?;
        let permit = self.open_stream(credential)?;
        // It listens first: what is submitted in between is heard.
        let ear = self.listen(room).await?;
        let under_way = self.enter();
        let (hub, credential, room) = (Arc::clone(self), credential.clone(), room.clone());
        // Made over there, so that one that nobody waits for any more is disconnected again.
        self.in_turn(move || {
            hub.app().connect(&caller, &room)?;
            Ok(Runtime {
                agent: caller.actor().agent_id,
                hub,
                credential,
                _permit: permit,
                caller,
                room,
                ear,
                resume_after: Some(resume_after),
                fresh: true,
                taking: None,
                ready: VecDeque::new(),
                why: "its connection ended".into(),
                under_way: Some(under_way),
            })
        })
        .await
    }
}

impl Runtime {
    /// Whose runtime it is.
    pub fn agent(&self) -> &AgentId {
        &self.agent
    }

    /// Waits for the next delivery. May be dropped at any time and called again.
    pub async fn next(&mut self) -> Push {
        loop {
            if let Some(reason) = self.credential.end() {
                self.why = reason.to_string().into();
                return Push::Dropped(revoked(&reason));
            }
            if let Some(pushed) = self.ready.pop_front() {
                return Push::Delivery(pushed);
            }
            if self.fresh || self.taking.is_some() {
                match self.take().await {
                    Ok(()) => {}
                    Err(failure) if failure.code == ErrorCode::ShuttingDown => return self.close(),
                    Err(failure) => return self.drop_with(failure),
                }
                continue;
            }
            let agent = &self.agent;
            let heard = tokio::select! {
                heard = self.ear.hears(|event| concerns(event, agent)) => heard,
                _ = self.credential.ended() => continue,
            };
            match heard {
                Ok(Heard::Something) => self.fresh = true,
                Ok(Heard::Closing) => return self.close(),
                Err(failure) => return self.drop_with(failure),
            }
        }
    }

    async fn take(&mut self) -> Result<(), Failure> {
        let taking = self.taking.get_or_insert_with(|| {
            let (hub, caller, room) = (Arc::clone(&self.hub), self.caller.clone(), self.room.clone());
            let input =
                TakeInput { room_id: room, resume_after: self.resume_after, limit: Some(TAKEN), max_wait_ms: None };
            tokio::spawn(async move {
                let app = Arc::clone(hub.app());
                hub.in_turn(move || Take::run(&app, &caller, input)).await
            })
        });
        let taken = taking.await;
        self.taking = None;
        let TakeResult { deliveries, has_more, .. } = taken.unwrap_or_else(|_| Err(blocking::ended()))?;
        if self.resume_after.is_some() {
            // Never back: what was adopted lies before what was told already.
            let told = deliveries.last().map(|delivery| delivery.seq).filter(|_| has_more);
            self.resume_after = told.max(self.resume_after.filter(|_| has_more));
            // What was told before came along with what was not; from now on only the latter.
            self.fresh = true;
        } else {
            self.fresh = !deliveries.is_empty();
        }
        for delivery in deliveries {
            self.ready.push_back(Arc::new(Pushed::of(&self.room, &self.agent, &delivery)?));
        }
        Ok(())
    }

    fn close(&mut self) -> Push {
        self.why = "the server ended".into();
        Push::Closing
    }

    fn drop_with(&mut self, failure: Failure) -> Push {
        self.why = "its inbox could not be read".into();
        Push::Dropped(failure)
    }
}

/// Whether an event may have put something into an agent's inbox. What is for everybody names nobody.
fn concerns(event: &Rendered, agent: &AgentId) -> bool {
    match &*event.kind {
        "message.created" | "action.submitted" => event.dst.as_ref().is_none_or(|dst| dst == agent),
        // What was somebody else's may be this agent's from now on.
        "inbox.forward" => true,
        _ => false,
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        let (hub, caller, room) = (Arc::clone(&self.hub), self.caller.clone(), self.room.clone());
        let why = std::mem::take(&mut self.why);
        let (under_way, taking) = (self.under_way.take(), self.taking.take());
        let goodbye = move || {
            // One that is not on record would keep the agent's next runtime out for as long as this server lives.
            let said = (0..GOODBYES).any(|_| blocking::inline(|| hub.app().disconnect(&caller, &room, &why)).is_ok());
            drop(under_way);
            said
        };
        match Handle::try_current() {
            // A call in the agent's name that is still under way would count as a sign of life after the end.
            Ok(handle) => drop(handle.spawn(async move {
                if let Some(taking) = taking {
                    let _ = taking.await;
                }
                tokio::task::spawn_blocking(goodbye).await
            })),
            Err(_) => _ = goodbye(),
        }
    }
}

impl Pushed {
    fn of(room: &RoomId, agent: &AgentId, delivery: &Delivery) -> Result<Self, Failure> {
        let kind = if delivery.action_id.is_some() { "action.submit" } else { "message.created" };
        let payload = if delivery.action_id.is_some() { action(agent, delivery) } else { message(delivery) };
        let envelope = json!({"v": baton_app::bus::VERSION, "type": kind, "id": delivery.message_id,
            "ts": delivery.created_at, "src": delivery.src, "dst": agent, "session": room, "seq": delivery.seq,
            "payload": payload});
        Ok(Self {
            seq: delivery.seq,
            id: delivery.message_id.clone(),
            kind,
            ts: delivery.created_at,
            src: delivery.src.clone(),
            dst: agent.clone(),
            payload: payload.to_string(),
            json: envelope.to_string(),
        })
    }
}

/// A submission with this one action, as its sender could have submitted it.
fn action(agent: &AgentId, delivery: &Delivery) -> Value {
    let Delivery { group_id, action_id, action_index, what, context, task_id, .. } = delivery;
    let mut action = object(json!(what));
    action.extend(object(json!({"dst": agent, "action_id": action_id, "action_index": action_index})));
    let mut payload =
        object(json!({"group_id": group_id, "actions": [action], "context": context, "task_id": task_id}));
    payload.extend(about(delivery));
    if let Some(after) = &delivery.after_action_id {
        payload.insert("after_action_id".to_owned(), json!(after));
    }
    Value::Object(payload)
}

/// A message that wants no result.
fn message(delivery: &Delivery) -> Value {
    let mut payload = match &delivery.what {
        What::Message { kind, text, .. } => object(json!({"text": text, "kind": kind})),
        What::Control { .. } => object(json!(delivery.what)),
    };
    payload.extend(object(json!(delivery.context)));
    payload.extend(object(json!({"context": delivery.context, "task_id": delivery.task_id})));
    payload.extend(about(delivery));
    Value::Object(payload)
}

fn about(delivery: &Delivery) -> Map<String, Value> {
    let Delivery { sender_name, message_id, seq, created_at, .. } = delivery;
    let mut about =
        object(json!({"sender_name": sender_name, "message_id": message_id, "seq": seq, "created_at": created_at}));
    if let Some(kind) = delivery.sender_kind {
        about.insert("sender_kind".to_owned(), json!(kind));
    }
    about
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
