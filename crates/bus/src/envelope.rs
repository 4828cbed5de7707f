//! The contract's v1 envelope, as it is read: one JSON object, and nothing in it that is not known.
//!
//! `v`, `type` and `id` are required. `src` says which of the connection's agents speaks, `session` and
//! `idempotency_key` are another way to say what the payload may say, `ts`, `seq` and `corr` are the sender's own. `status`
//! and `error` belong to answers. How an answer looks is in `frame`.

use baton_app::{Failure, bus::VERSION, table};
use baton_core::{code::ErrorCode, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

pub use crate::head::Head;

/// Longest line, and so largest envelope.
pub const FRAME_BYTES: usize = 1024 * 1024;
/// Deepest nesting of objects and lists.
pub(crate) const DEPTH_MAX: usize = 64;
/// Longest `type`.
pub(crate) const TYPE_BYTES: usize = 64;
/// Longest `id` and `corr`.
pub(crate) const ID_BYTES: usize = 128;
/// What the inputs of commands call a session.
const ROOM_NAMES: [&str; 3] = ["room_id", "session", "session_id"];

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What is asked for: a command by its wire name, or one of the socket's own words.
    pub kind: String,
    /// The sender's name for the request, which its answer repeats as `corr`.
    pub id: String,
    /// Which agent asks.
    pub src: Option<String>,
    /// Whom it is for.
    pub dst: Option<String>,
    /// Which session it is about.
    pub session: Option<String>,
    /// What makes it safe to repeat.
    pub idempotency_key: Option<String>,
    /// The command's input.
    pub payload: Map<String, Value>,
}

/// Why a line is no request, and which one it would have been.
#[derive(Clone, Debug, PartialEq)]
pub struct Unreadable {
    /// As much of it as is needed to answer it.
    pub head: Head,
    /// What is wrong with it.
    pub failure: Failure,
}

/// The envelope as it is written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wire {
    v: u64,
    #[serde(rename = "type")]
    kind: String,
    id: String,
    /// The sender's own time, which nobody looks at.
    #[serde(rename = "ts")]
    _ts: Option<Value>,
    src: Option<String>,
    dst: Option<String>,
    session: Option<String>,
    #[serde(rename = "seq")]
    _seq: Option<u64>,
    idempotency_key: Option<String>,
    corr: Option<String>,
    payload: Option<Map<String, Value>>,
    status: Option<Value>,
    error: Option<Value>,
}

impl Request {
    /// Reads a line.
    pub fn read(line: &[u8]) -> Result<Self, Box<Unreadable>> {
        let text = str::from_utf8(line).map_err(|error| {
            let message = format!("The line is not UTF-8: byte {} is wrong.", error.valid_up_to() + 1);
            unreadable(line, Failure::new(ErrorCode::InvalidFrame, message))
        })?;
        // Before anything is parsed: whoever nests deeply is after the parser's stack.
        if is_deep(text.as_bytes()) {
            let message = format!("The line nests deeper than {DEPTH_MAX} levels.");
            return Err(unreadable(line, Failure::new(ErrorCode::InvalidFrame, message)));
        }
        let refuse = |message: String| unreadable(line, Failure::new(ErrorCode::InvalidFrame, message));
        // A list would be read as the fields in their order.
        if !text.trim_start().starts_with('{') {
            return Err(refuse("The line is not a JSON object.".to_owned()));
        }
        let wire = match serde_json::from_str::<Wire>(text) {
            Ok(wire) => wire,
            Err(error) => Wire::explained(text, &error).map_err(|failure| unreadable(line, failure))?,
        };
        wire.check().map_err(|(field, problem)| {
            let failure = Failure::new(ErrorCode::InvalidFrame, format!("{field}: {problem}.")).with("field", field);
            unreadable(line, failure)
        })?;
        let Wire { kind, id, src, dst, session, idempotency_key, payload, .. } = wire;
        Ok(Self { kind, id, src, dst, session, idempotency_key, payload: payload.unwrap_or_default() })
    }

    /// The input of a command: the payload, with what the envelope says beside it. What both say must be the same.
    pub fn input(&mut self) -> Result<Map<String, Value>, Failure> {
        let mut input = std::mem::take(&mut self.payload);
        for (field, names, said) in [
            ("session", &ROOM_NAMES[..], &self.session),
            ("idempotency_key", &["idempotency_key"], &self.idempotency_key),
            ("dst", &["dst"], &self.dst),
        ] {
            let Some(said) = said else { continue };
            match names.iter().find_map(|name| input.get(*name)) {
                None => _ = input.insert(names[0].to_owned(), said.as_str().into()),
                Some(same) if same.as_str() == Some(said) => {}
                Some(_) => {
                    let message = format!("{field}: the envelope and its payload name different ones.");
                    return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", field));
                }
            }
        }
        Ok(input)
    }
}

impl Wire {
    /// The envelope that a line with this error can only mean, like one with `"v":"1"`, or the error in plain words.
    fn explained(text: &str, error: &serde_json::Error) -> Result<Self, Failure> {
        let as_said = || {
            let message = format!("The line is not an envelope: {}.", without_place(error));
            Failure::new(ErrorCode::InvalidFrame, message)
        };
        // Of a field that is there twice a value keeps one, and nobody knows which was meant.
        if !error.is_data() || error.to_string().starts_with("duplicate field") {
            return Err(as_said());
        }
        let value: Value = serde_json::from_str(text).map_err(|_| as_said())?;
        table::parse(value).map_err(|failure| Failure {
            code: ErrorCode::InvalidFrame,
            message: format!("The line is not an envelope: {}.", failure.message.trim_end_matches('.')),
            ..failure
        })
    }

    /// What is wrong with it, by field.
    fn check(&self) -> Result<(), (&'static str, String)> {
        if self.v != u64::from(VERSION) {
            return Err(("v", format!("must be {VERSION}, which is all there is")));
        }
        let bounded = |field, text: &str, most: usize| match text.len() {
            0 => Err((field, "must not be empty".to_owned())),
            bytes if bytes > most => Err((field, format!("must have at most {most} bytes"))),
            _ => Ok(()),
        };
        bounded("type", &self.kind, TYPE_BYTES)?;
        bounded("id", &self.id, ID_BYTES)?;
        for (field, text, most) in [
            ("src", &self.src, limits::AGENT_ID_BYTES),
            ("dst", &self.dst, limits::AGENT_ID_BYTES),
            ("session", &self.session, limits::ID_BYTES),
            ("idempotency_key", &self.idempotency_key, limits::IDEMPOTENCY_KEY_BYTES),
            ("corr", &self.corr, ID_BYTES),
        ] {
            text.as_deref().map_or(Ok(()), |text| bounded(field, text, most))?;
        }
        match (&self.status, &self.error) {
            (None, None) => Ok(()),
            (Some(_), _) => Err(("status", "belongs to answers".to_owned())),
            (None, Some(_)) => Err(("error", "belongs to answers".to_owned())),
        }
    }
}

/// A line that cannot be read, with as much of it as can.
fn unreadable(line: &[u8], failure: Failure) -> Box<Unreadable> {
    Box::new(Unreadable { head: Head::find(line), failure })
}

/// Whether objects and lists nest too deeply. Brackets in strings do not count.
fn is_deep(text: &[u8]) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for byte in text {
        match (quoted, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => quoted = !quoted,
            (false, b'{' | b'[') => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return true;
                }
            }
            (false, b'}' | b']') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// What serde says, without where: it is all on one line.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.split_once(" at line ") {
        Some((problem, _)) => problem.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(line: &str) -> Result<Request, Box<Unreadable>> {
        Request::read(line.as_bytes())
    }

    fn problem(line: &str) -> String {
        let wrong = read(line).unwrap_err();
        assert_eq!(wrong.failure.code, ErrorCode::InvalidFrame);
        wrong.failure.message
    }

    #[test]
    fn the_fields_of_the_contract_are_read() {
        let request = read(
            r#"{"v":1,"type":"action.submit","id":"r1","ts":"2026-01-01T00:00:00.000Z","src":"worker","dst":"boss",
                "session":"room_1","seq":4,"idempotency_key":"k","corr":"r0","payload":{"group_id":"g"}}"#,
        );
        let mut request = request.unwrap();
        assert_eq!((&*request.kind, &*request.id, request.src.as_deref()), ("action.submit", "r1", Some("worker")));
        let input = request.input().unwrap();
        let expected = json!({"group_id": "g", "room_id": "room_1", "idempotency_key": "k", "dst": "boss"});
        assert_eq!(Value::Object(input), expected);
    }

    #[test]
    fn what_is_no_envelope_is_named() {
        for (line, expected) in [
            ("nonsense", "The line is not a JSON object."),
            ("[1]", "The line is not a JSON object."),
            ("{", "The line is not an envelope: EOF while parsing an object."),
            (r#"{"v":1,"type":"ping"}"#, "The line is not an envelope: id: missing field `id`."),
            (r#"{"v":1,"id":"1"}"#, "The line is not an envelope: type: missing field `type`."),
            (
                r#"{"v":"new","type":"ping","id":"1"}"#,
                "The line is not an envelope: v: must be a whole number, not \"new\".",
            ),
            (r#"{"v":1,"type":"ping","id":7}"#, "The line is not an envelope: id: must be text, not 7."),
            (
                r#"{"v":1,"type":"ping","id":"1","seq":-1}"#,
                "The line is not an envelope: seq: must not be negative, like -1.",
            ),
            (r#"{"v":2,"type":"ping","id":"1"}"#, "v: must be 1, which is all there is."),
            (r#"{"v":1,"type":"","id":"1"}"#, "type: must not be empty."),
            (r#"{"v":1,"type":"ping","id":"1","status":"ok"}"#, "status: belongs to answers."),
            (r#"{"v":1,"type":"ping","id":"1","id":"2"}"#, "The line is not an envelope: duplicate field `id`."),
            (
                r#"{"v":1,"type":"ping","id":"1","payload":[]}"#,
                "The line is not an envelope: payload: must be an object, not a list.",
            ),
        ] {
            assert_eq!(problem(line), expected, "{line}");
        }
        let unknown = problem(r#"{"v":1,"type":"ping","id":"1","prio":3}"#);
        assert!(
            unknown.starts_with("The line is not an envelope: prio: unknown field `prio`, expected one of `v`"),
            "{unknown}"
        );
        assert!(
            problem(&format!(r#"{{"v":1,"type":"ping","id":"{}"}}"#, "x".repeat(129))).contains("at most 128 bytes")
        );
    }

    #[test]
    fn what_can_be_meant_in_one_way_only_is_taken_for_that() {
        let request = read(r#"{"v":"1","type":"ping","id":"1","seq":"4","payload":"{\"a\":1}"}"#).unwrap();
        assert_eq!(request.payload, *json!({"a": 1}).as_object().unwrap());
    }

    #[test]
    fn a_wrong_envelope_is_answered_under_its_id_where_that_can_be_read() {
        let wrong = read(r#"{"v":7,"type":"ping","id":"r9"}"#).unwrap_err();
        assert_eq!(wrong.head, Head { id: Some("r9".into()), kind: Some("ping".to_owned()) });
        let deep = format!(r#"{{"v":1,"payload":{}{},"type":"ping","id":"r9"}}"#, "[".repeat(999), "]".repeat(999));
        assert_eq!(read(&deep).unwrap_err().head, wrong.head);
        let wrong = Request::read(b"{\"id\":\"r9\",\"type\":\"ping\",\"src\":\"\xff\"}").unwrap_err();
        assert_eq!(wrong.head.id, Some("r9".into()));
    }

    #[test]
    fn deep_json_and_wrong_utf_8_are_refused_before_they_are_parsed() {
        let nested = |depth: usize| {
            format!(r#"{{"v":1,"type":"ping","id":"1","payload":{{"x":{}{}}}}}"#, "[".repeat(depth), "]".repeat(depth))
        };
        read(&nested(DEPTH_MAX - 2)).unwrap();
        assert_eq!(problem(&nested(DEPTH_MAX - 1)), "The line nests deeper than 64 levels.");
        assert!(problem(&nested(400_000)).contains("deeper"));
        read(&format!(
            r#"{{"v":1,"type":"ping","id":"1","payload":{{"x":"{}\"{}"}}}}"#,
            "[".repeat(100),
            "{".repeat(100)
        ))
        .unwrap();
        let wrong = Request::read(b"{\"v\":1,\"type\":\"\xff\"}").unwrap_err();
        assert_eq!(wrong.failure.message, "The line is not UTF-8: byte 16 is wrong.");
    }

    #[test]
    fn what_the_envelope_and_its_payload_both_say_must_agree() {
        for name in ROOM_NAMES {
            let line =
                |room| format!(r#"{{"v":1,"type":"x","id":"1","session":"room_1","payload":{{"{name}":"{room}"}}}}"#);
            assert_eq!(read(&line("room_1")).unwrap().input().unwrap().len(), 1);
            let failure = read(&line("room_2")).unwrap().input().unwrap_err();
            assert_eq!((failure.code, &failure.details["field"]), (ErrorCode::InvalidInput, &"session".into()));
        }
    }
}
