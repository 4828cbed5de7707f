//! Protocol events: the contract's labels as a sentence, and what each event says below it.

use baton_app::wording;
use baton_core::protocol::ProtocolEvent;
use serde_json::Value;

use super::{
    event::{Names, printed},
    words::{block, line},
};

/// What happened between whom, after the contract's label for it.
pub(super) fn sentence(event: &ProtocolEvent) -> String {
    wording::of_protocol(event).iter().map(|piece| printed(piece, &Names::new())).collect()
}

/// Whom a message is from or for, as people say it.
pub(super) fn addressed(agent: Option<&str>) -> String {
    line(&wording::addressed(agent))
}

/// Its subject, if it is a message.
pub(super) fn subject(event: &ProtocolEvent) -> Option<&str> {
    event.payload.get("subject").and_then(Value::as_str)
}

/// What it says besides, indented.
pub(super) fn page(event: &ProtocolEvent) -> String {
    wording::particulars(event).iter().map(|(label, text)| block(label, text)).collect()
}
