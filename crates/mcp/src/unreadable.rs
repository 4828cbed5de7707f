//! What is said about what a client sent that is no message.

use rmcp::{ErrorData, model::RequestId};
use serde_json::Value;

/// Longest message a client may send.
pub(crate) const MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// What becomes of it.
pub(crate) enum Unreadable {
    Refused(ErrorData, Option<RequestId>),
    Ignored,
}

/// Says what is wrong with a `carrier` (a line, a body) of `text` that could not be read as a message.
pub(crate) fn unreadable(carrier: &str, text: &[u8], error: &serde_json::Error) -> Unreadable {
    match serde_json::from_slice::<Value>(text) {
        Err(error) => {
            let message = format!("The {carrier} is not JSON: {error}.");
            Unreadable::Refused(ErrorData::parse_error(message, None), None)
        }
        Ok(Value::Array(_)) => {
            let message = format!("Batches are not supported: send one message per {carrier}.");
            Unreadable::Refused(ErrorData::invalid_request(message, None), None)
        }
        // A notification of a kind we do not know asks for no answer.
        Ok(message) if message.get("id").is_none() && message.get("method").is_some() => Unreadable::Ignored,
        Ok(message) => {
            let id = message.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
            let text = format!("The {carrier} is JSON but not a JSON-RPC 2.0 message: {error}.");
            Unreadable::Refused(ErrorData::invalid_request(text, None), id)
        }
    }
}
