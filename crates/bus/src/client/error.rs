//! Why a call did not come to an answer.

use std::fmt;

use baton_app::Failure;
use serde_json::{Map, Value};

/// A "no", or that nobody was there to say anything.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientError {
    /// The stable code; or one of those below, where none was said.
    pub code: String,
    /// What was wrong.
    pub message: String,
    /// What is needed to act, and the `next` step.
    pub detail: Map<String, Value>,
}

impl ClientError {
    /// Nobody answers: the server is not there, or the connection broke. Whether the call was carried out is not known.
    pub const DISCONNECTED: &'static str = "DISCONNECTED";
    /// Somebody answers who does not speak this protocol.
    pub const UNREADABLE: &'static str = "UNREADABLE";

    /// Whether the connection is gone.
    pub fn is_disconnected(&self) -> bool {
        self.code == Self::DISCONNECTED
    }

    pub(super) fn disconnected(why: impl fmt::Display) -> Self {
        let message = format!("The connection to Baton is gone: {why}.");
        Self { code: Self::DISCONNECTED.to_owned(), message, detail: Map::new() }
    }

    pub(super) fn unreadable(why: impl fmt::Display) -> Self {
        let message = format!("What was answered cannot be read: {why}.");
        Self { code: Self::UNREADABLE.to_owned(), message, detail: Map::new() }
    }

    /// From the form of the socket, `{code, message, detail}`, or that of HTTP, where the facts lie beside the code.
    pub(super) fn of_json(error: &Value) -> Self {
        let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let detail = match (error.get("detail"), error) {
            (Some(Value::Object(detail)), _) => detail.clone(),
            (_, Value::Object(fields)) => {
                let is_fact = |name: &str| !["code", "error", "message"].contains(&name);
                fields.iter().filter(|(name, _)| is_fact(name)).map(|(n, v)| (n.clone(), v.clone())).collect()
            }
            _ => Map::new(),
        };
        match text("code") {
            code if code.is_empty() => Self::unreadable(error),
            code => Self { code, message: text("message"), detail },
        }
    }
}

impl From<Failure> for ClientError {
    fn from(failure: Failure) -> Self {
        let mut detail = *failure.details;
        detail.insert("next".to_owned(), failure.next.into());
        Self { code: failure.code.as_str().to_owned(), message: failure.message, detail }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for ClientError {}

#[cfg(test)]
mod tests {
    use baton_app::Envelope;
    use baton_core::code::ErrorCode;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_failure_is_the_same_on_every_transport() {
        let failure = Failure::new(ErrorCode::UnknownId, "There is none.").with("id", "x").advising("Look.");
        let direct = ClientError::from(failure.clone());
        let http = ClientError::of_json(&Envelope::refused("open", &failure).into_json()["error"]);
        let socket = ClientError::of_json(
            &json!({"code": "UNKNOWN_ID", "message": "There is none.", "detail": {"id": "x", "next": "Look."}}),
        );
        assert_eq!((&http, &socket), (&direct, &direct));
        assert_eq!(ClientError::of_json(&json!({})).code, ClientError::UNREADABLE);
    }
}
