//! Where a stream begins: what its path, its query and the header of a reader that comes back say.

use axum::{
    extract::RawPathParams,
    http::{HeaderName, request::Parts},
};
use baton_app::Failure;
use baton_core::{
    code::ErrorCode,
    ids::{RoomId, Seq},
};

use crate::gate::only;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The room, and the last place that the reader has. `Last-Event-ID` wins over the query's `field`.
pub(super) fn read(params: &RawPathParams, parts: &Parts, field: &str) -> Result<(RoomId, Seq), Failure> {
    let room = params.iter().find(|(name, _)| *name == "room_id").map(|(_, room)| room).unwrap_or_default();
    let room = room.parse().map_err(|error| invalid("room_id", &format!("{error}")))?;
    let mut after = None;
    for (name, text) in form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()) {
        if name != field || after.is_some() {
            return Err(invalid(&name, &format!("a stream takes `{field}`, once, and nothing else")));
        }
        after = Some(place(field, &text)?);
    }
    let seen = only(&parts.headers, LAST_EVENT_ID)?.filter(|text| !text.is_empty());
    let seen = seen.map(|text| place("Last-Event-ID", text)).transpose()?;
    Ok((room, seen.or(after).unwrap_or_default()))
}

fn place(field: &str, text: &str) -> Result<Seq, Failure> {
    text.parse().map(Seq).map_err(|_| invalid(field, "it must be the number of an event"))
}

fn invalid(field: &str, problem: &str) -> Failure {
    Failure::new(ErrorCode::InvalidInput, format!("{field}: {problem}.")).with("field", field)
}
