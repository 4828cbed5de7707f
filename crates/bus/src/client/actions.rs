//! What is submitted to an agent, one after the other: its runtime.

use std::{collections::VecDeque, sync::Arc};

use baton_app::{
    App, Caller,
    commands::bus::{Delivery, Take, TakeInput},
    table::UseCase,
};
use baton_core::{
    ids::{RoomId, Seq},
    limits,
};
use serde_json::{Map, Value, json};

use super::{ClientError, Speaker, Transport, direct, http, link, socket, sse::Sse};

/// What is submitted to an agent. It is the agent's runtime until it is dropped: the session sees the agent connected.
pub struct Actions(Source);

enum Source {
    Socket(Box<socket::Link>),
    Http(Box<Sse<http::Streamed>>),
    Direct(Box<Direct>),
}

/// A runtime in this process.
struct Direct {
    app: Arc<App>,
    caller: Caller,
    session: RoomId,
    resume_after: Option<Seq>,
    ready: VecDeque<Delivery>,
}

impl Actions {
    pub(super) fn open(transport: &Transport, speaker: Option<Speaker>, session: &RoomId) -> Result<Self, ClientError> {
        let agent = speaker.as_ref().map(|speaker| &speaker.agent);
        Ok(Self(match transport {
            Transport::Socket(path) => {
                let mut link = socket::Link::connect(path)?;
                if let Some(speaker) = &speaker {
                    link::speak_for(&mut link, speaker)?;
                }
                link.stream("actions.stream", json!({"room_id": session}), agent)?;
                Source::Socket(Box::new(link))
            }
            Transport::Http { base, token } => {
                let path = format!("/v1/sessions/{session}/actions");
                let mut headers = vec![("Accept", "text/event-stream")];
                headers.extend(agent.map(|agent| ("Baton-Agent", agent.as_str())));
                let request = http::Request { method: "GET", path: &path, headers: &headers, body: b"" };
                Source::Http(Box::new(Sse::new(http::Server::new(base, token)?.stream(&request)?)))
            }
            Transport::Direct(app, caller) => {
                let mut link = direct::Link::new(app, caller);
                if let Some(speaker) = &speaker {
                    link::speak_for(&mut link, speaker)?;
                }
                let caller = link.caller(agent);
                app.connect(&caller, session)?;
                let (app, session) = (Arc::clone(app), session.clone());
                let resume_after = Some(Seq(0));
                Source::Direct(Box::new(Direct { app, caller, session, resume_after, ready: VecDeque::new() }))
            }
        }))
    }

    fn read(&mut self) -> Result<Delivery, ClientError> {
        loop {
            let (kind, envelope) = match &mut self.0 {
                Source::Socket(link) => {
                    let heard = link.hear()?;
                    (heard["type"].as_str().unwrap_or_default().to_owned(), heard)
                }
                Source::Http(stream) => {
                    let event = stream.next()?;
                    (event.kind, event.data)
                }
                Source::Direct(direct) => return direct.read(),
            };
            match kind.as_str() {
                "action.submit" | "message.created" => return delivery(&envelope),
                "bus.closing" => return Err(ClientError::disconnected("the server is about to end")),
                "bus.dropped" => return Err(ClientError::of_json(&envelope["error"])),
                _ => {}
            }
        }
    }
}

impl Iterator for Actions {
    type Item = Result<Delivery, ClientError>;

    /// Waits for the next delivery.
    fn next(&mut self) -> Option<Self::Item> {
        Some(self.read())
    }
}

impl Direct {
    fn read(&mut self) -> Result<Delivery, ClientError> {
        loop {
            if let Some(delivery) = self.ready.pop_front() {
                return Ok(delivery);
            }
            let max_wait_ms = self.resume_after.is_none().then(|| limits::WAIT_MAX.as_millis());
            let (room_id, resume_after) = (self.session.clone(), self.resume_after);
            let input = TakeInput { room_id, resume_after, limit: None, max_wait_ms };
            let taken = Take::run(&self.app, &self.caller, input)?;
            let last = taken.deliveries.last().map(|delivery| delivery.seq);
            self.resume_after = last.filter(|_| resume_after.is_some() && taken.has_more);
            self.ready.extend(taken.deliveries);
        }
    }
}

impl Drop for Direct {
    fn drop(&mut self) {
        // What is not on record shows by its process.
        let _ = self.app.disconnect(&self.caller, &self.session, "its connection ended");
    }
}

/// A delivery from the envelope that told it.
fn delivery(envelope: &Value) -> Result<Delivery, ClientError> {
    let payload = &envelope["payload"];
    let mut fields = match &payload["actions"][0] {
        Value::Object(action) => action.clone(),
        _ => Map::from_iter([("type".to_owned(), json!("message"))]),
    };
    let Value::Object(payload) = payload else { return Err(ClientError::unreadable("a delivery without a payload")) };
    fields.extend(payload.iter().filter(|(name, _)| *name != "actions").map(|(n, v)| (n.clone(), v.clone())));
    fields.insert("src".to_owned(), envelope["src"].clone());
    serde_json::from_value(Value::Object(fields)).map_err(ClientError::unreadable)
}
