//! An envelope that goes out: an answer, an event, or a word of the bus's own.
//!
//! An answer has its request's `type`, `corr` = the request's `id`, and `status`: `ok` with a `payload`, or `error` with
//! `error{code,message,detail}`, where `detail` has the failure's facts and its `next` step. `seq` counts what this
//! connection was sent. An event was written once for all subscribers and is put in as it is.

use std::{io::Write, sync::Arc};

use baton_app::{Failure, bus::VERSION};
use baton_core::{ids::RoomId, time::Timestamp};
use serde_json::{Value, json};

use crate::{Pushed, Rendered};

/// Who says what the bus itself says.
const SRC: &str = "bus";
/// A refusal of what was no request.
pub(super) const REFUSED: &str = "bus.refused";
/// The last word before the server ends.
pub(super) const CLOSING: &str = "bus.closing";
/// An event of a stream.
const RECORD: &str = "events.record";
/// The end of a stream.
const DROPPED: &str = "bus.dropped";
/// The bytes of an envelope beside its body, or more.
const SHELL_BYTES: usize = 1024;

/// An envelope, before it has its place on the connection.
#[derive(Debug)]
pub(super) struct Frame {
    kind: String,
    session: Option<RoomId>,
    /// As its request's `id` was given.
    corr: Option<Value>,
    body: Body,
}

#[derive(Debug)]
enum Body {
    /// `payload`, as JSON.
    Answer(String),
    /// `error`, as JSON.
    Refusal(String),
    Record(Arc<Rendered>),
    /// Something for an agent, from its sender.
    Push(Arc<Pushed>),
    /// Nothing more than its type.
    Word,
}

impl Frame {
    /// The answer to a request.
    pub(super) fn answer(kind: &str, corr: &str, session: Option<RoomId>, answer: Result<Value, Failure>) -> Self {
        let body = match answer {
            Ok(payload) => Body::Answer(payload.to_string()),
            Err(failure) => Body::Refusal(error(&failure).to_string()),
        };
        Self { kind: kind.to_owned(), session, corr: Some(corr.into()), body }
    }

    /// A refusal of something that may not have been a request.
    pub(super) fn refusal(kind: Option<&str>, corr: Option<Value>, failure: &Failure) -> Self {
        let body = Body::Refusal(error(failure).to_string());
        Self { kind: kind.unwrap_or(REFUSED).to_owned(), session: None, corr, body }
    }

    /// The end of the stream that request `corr` began.
    pub(super) fn dropped(session: &RoomId, corr: &str, failure: &Failure) -> Self {
        let session = Some(session.clone());
        Self { session, ..Self::refusal(Some(DROPPED), Some(corr.into()), failure) }
    }

    /// The next event of the stream that request `corr` began.
    pub(super) fn record(session: &RoomId, corr: &str, event: Arc<Rendered>) -> Self {
        let (session, corr) = (Some(session.clone()), Some(corr.into()));
        Self { kind: RECORD.to_owned(), session, corr, body: Body::Record(event) }
    }

    /// The next delivery to the runtime that request `corr` connected.
    pub(super) fn push(session: &RoomId, corr: &str, pushed: Arc<Pushed>) -> Self {
        let (session, corr) = (Some(session.clone()), Some(corr.into()));
        Self { kind: pushed.kind.to_owned(), session, corr, body: Body::Push(pushed) }
    }

    /// A word of the bus.
    pub(super) fn word(kind: &str, session: Option<RoomId>, corr: Option<&str>) -> Self {
        Self { kind: kind.to_owned(), session, corr: corr.map(Value::from), body: Body::Word }
    }

    /// How much it takes, or a little more.
    pub(super) fn bytes(&self) -> usize {
        let corr = self.corr.as_ref().and_then(Value::as_str).map_or(0, str::len);
        // Every byte of a name may be written as an escape.
        SHELL_BYTES
            + 6 * corr
            + match &self.body {
                Body::Answer(json) | Body::Refusal(json) => json.len(),
                Body::Record(event) => event.json.len(),
                Body::Push(pushed) => pushed.payload.len(),
                Body::Word => 0,
            }
    }

    /// Writes it as a line, at its place on the connection.
    pub(super) fn write(&self, line: &mut Vec<u8>, id: &str, seq: u64, ts: Timestamp) {
        let mut put = |text: std::fmt::Arguments<'_>| {
            // Memory takes whatever is written to it.
            let _ = line.write_fmt(text);
        };
        let quoted = |text: &str| Value::from(text).to_string();
        put(format_args!("{{\"v\":{VERSION},\"type\":{},\"id\":\"{id}\",\"ts\":\"{ts}\"", quoted(&self.kind)));
        match &self.body {
            Body::Push(pushed) => put(format_args!(",\"src\":\"{}\",\"dst\":\"{}\"", pushed.src, pushed.dst)),
            Body::Answer(_) | Body::Refusal(_) | Body::Record(_) | Body::Word => {
                put(format_args!(",\"src\":\"{SRC}\""))
            }
        }
        if let Some(session) = &self.session {
            put(format_args!(",\"session\":\"{session}\""));
        }
        put(format_args!(",\"seq\":{seq}"));
        if let Some(corr) = &self.corr {
            put(format_args!(",\"corr\":{corr}"));
        }
        match &self.body {
            Body::Answer(payload) => put(format_args!(",\"status\":\"ok\",\"payload\":{payload}}}\n")),
            Body::Refusal(error) => put(format_args!(",\"status\":\"error\",\"error\":{error}}}\n")),
            Body::Record(event) => {
                let Rendered { seq, ts, json, .. } = &**event;
                put(format_args!(",\"payload\":{{\"seq\":{seq},\"ts\":\"{ts}\",\"envelope\":{json}}}}}\n"));
            }
            Body::Push(pushed) => put(format_args!(",\"payload\":{}}}\n", pushed.payload)),
            Body::Word => put(format_args!("}}\n")),
        }
    }
}

/// The contract's form of a failure.
fn error(failure: &Failure) -> Value {
    let mut detail = (*failure.details).clone();
    detail.insert("next".to_owned(), failure.next.clone().into());
    json!({"code": failure.code.as_str(), "message": failure.message, "detail": detail})
}

#[cfg(test)]
mod tests {
    use baton_core::{code::ErrorCode, ids::Seq};

    use super::*;

    fn written(frame: &Frame) -> Value {
        let mut line = Vec::new();
        frame.write(&mut line, "bus_1_2_3", 3, Timestamp::from_millis(0));
        assert!(line.len() <= frame.bytes() && line.ends_with(b"\n"));
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        serde_json::from_slice(&line).unwrap()
    }

    #[test]
    fn answers_repeat_type_and_id_and_say_how_it_went() {
        let room: RoomId = "room_1".parse().unwrap();
        let answer = Frame::answer("room.note", "r\"1", Some(room), Ok(json!({"event_seq": 4})));
        assert_eq!(
            written(&answer),
            json!({"v": 1, "type": "room.note", "id": "bus_1_2_3", "ts": "1970-01-01T00:00:00.000Z", "src": "bus",
                "session": "room_1", "seq": 3, "corr": "r\"1", "status": "ok", "payload": {"event_seq": 4}})
        );
        let failure = Failure::new(ErrorCode::RateLimited, "Too often.").with("retry_after_ms", 7).advising("Wait.");
        let refusal = written(&Frame::answer("ping", "r2", None, Err(failure)));
        assert_eq!((&refusal["status"], &refusal["corr"]), (&"error".into(), &"r2".into()));
        let error =
            json!({"code": "RATE_LIMITED", "message": "Too often.", "detail": {"retry_after_ms": 7, "next": "Wait."}});
        assert_eq!(refusal["error"], error);
        assert!(refusal.get("payload").is_none());
    }

    #[test]
    fn an_event_is_put_in_as_it_was_written() {
        let json = r#"{"v":1,"type":"room.note","text":"line\nbreak"}"#.to_owned();
        let event = Rendered {
            seq: Seq(9),
            id: "evt_1_9".to_owned(),
            kind: "room.note".to_owned(),
            ts: Timestamp::from_millis(1),
            src: "ana".parse().unwrap(),
            dst: None,
            json: json.clone(),
        };
        let record = written(&Frame::record(&"room_1".parse().unwrap(), "r1", Arc::new(event)));
        assert_eq!((&record["type"], &record["seq"], &record["corr"]), (&RECORD.into(), &3.into(), &"r1".into()));
        let envelope: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(record["payload"], json!({"seq": 9, "ts": "1970-01-01T00:00:00.001Z", "envelope": envelope}));
        assert!(record.get("status").is_none());
    }
}
