//! A session's events, one after the other, and where to go on after a break.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use baton_app::{
    App, Caller, Cancel,
    bus::Record,
    watch::{Watch, Woken},
};
use baton_core::{
    code::ErrorCode,
    ids::{RoomId, Seq},
};
use serde_json::{Value, json};

use super::{ClientError, Transport, http, socket, sse::Sse};

/// Events that are read from a store at once.
const PAGE_EVENTS: u32 = 128;
/// How often a store is looked at without a ring.
const SAFETY: Duration = Duration::from_secs(5);

/// A stream of a session's events. As an iterator it ends when the connection does, with an error that says why;
/// [`Events::resume`] goes on behind the last event that was given.
pub struct Events {
    transport: Transport,
    session: RoomId,
    cursor: Seq,
    source: Source,
}

enum Source {
    Socket(Box<socket::Link>),
    Http(Box<Sse<http::Streamed>>),
    Direct {
        app: Arc<App>,
        ear: Watch,
        ready: VecDeque<Record>,
    },
    /// It broke, and was not resumed.
    Broken,
}

impl Events {
    pub(super) fn open(transport: &Transport, session: &RoomId, after: Seq) -> Result<Self, ClientError> {
        let source = Source::open(transport, session, after)?;
        Ok(Self { transport: transport.clone(), session: session.clone(), cursor: after, source })
    }

    /// The last event that was given.
    pub fn cursor(&self) -> Seq {
        self.cursor
    }

    /// Connects anew and goes on behind the cursor.
    pub fn resume(&mut self) -> Result<(), ClientError> {
        self.source = Source::open(&self.transport, &self.session, self.cursor)?;
        Ok(())
    }

    fn read(&mut self) -> Result<Record, ClientError> {
        match &mut self.source {
            Source::Socket(link) => loop {
                let mut heard = link.hear()?;
                match heard["type"].as_str() {
                    Some("events.record") => return record(heard["payload"]["envelope"].take()),
                    Some("bus.closing") => return Err(ClientError::disconnected("the server is about to end")),
                    Some("bus.dropped") => return Err(ClientError::of_json(&heard["error"])),
                    _ => {}
                }
            },
            Source::Http(stream) => {
                let event = stream.next()?;
                match event.kind.as_str() {
                    "bus.closing" => Err(ClientError::disconnected("the server is about to end")),
                    "bus.dropped" => Err(ClientError::of_json(&event.data["error"])),
                    _ => record(event.data),
                }
            }
            Source::Direct { app, ear, ready } => loop {
                if let Some(record) = ready.pop_front() {
                    return Ok(record);
                }
                ready.extend(app.records(&self.session, self.cursor, PAGE_EVENTS)?);
                if ready.is_empty() && ear.wait(SAFETY, &Cancel::never())? == Woken::Withdrawn {
                    return Err(ClientError::disconnected("nobody wants to know any more"));
                }
            },
            Source::Broken => Err(ClientError::disconnected("the stream broke and was not resumed")),
        }
    }
}

impl Iterator for Events {
    type Item = Result<Record, ClientError>;

    /// Waits for the next event. After an error there is nothing more until [`Events::resume`].
    fn next(&mut self) -> Option<Self::Item> {
        if matches!(self.source, Source::Broken) {
            return None;
        }
        let read = self.read();
        match &read {
            Ok(record) => self.cursor = record.seq,
            Err(_) => self.source = Source::Broken,
        }
        Some(read)
    }
}

impl Source {
    fn open(transport: &Transport, session: &RoomId, after: Seq) -> Result<Self, ClientError> {
        Ok(match transport {
            Transport::Socket(path) => {
                let mut link = socket::Link::connect(path)?;
                link.stream("events.stream", json!({"room_id": session, "after": after}), None)?;
                Self::Socket(Box::new(link))
            }
            Transport::Http { base, token } => {
                let path = format!("/v1/sessions/{session}/events?after={after}");
                let headers = [("Accept", "text/event-stream")];
                let request = http::Request { method: "GET", path: &path, headers: &headers, body: b"" };
                Self::Http(Box::new(Sse::new(http::Server::new(base, token)?.stream(&request)?)))
            }
            Transport::Direct(app, caller) => Self::direct(app, caller, session, after)?,
        })
    }

    fn direct(app: &Arc<App>, caller: &Caller, session: &RoomId, after: Seq) -> Result<Self, ClientError> {
        // The ear first, then the look.
        let ear = app.watch(caller, session)?;
        let newest = app.newest(session)?;
        if after > newest {
            let message = format!("after: the newest event of {session} is {newest}.");
            let failure = baton_app::Failure::new(ErrorCode::InvalidInput, message);
            return Err(failure.with("field", "after").with("newest", newest.0).into());
        }
        Ok(Self::Direct { app: Arc::clone(app), ear, ready: VecDeque::new() })
    }
}

fn record(json: Value) -> Result<Record, ClientError> {
    serde_json::from_value(json).map_err(ClientError::unreadable)
}
