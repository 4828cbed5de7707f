//! Begins a stream, or says why not.

use axum::{extract::RawPathParams, http::request::Parts, response::Response};
use baton_app::Failure;
use baton_bus::{Credential, socket::Word};

use super::{cursor, source::Source, written::written};
use crate::{
    answer,
    gate::{Principal, speaker},
    site::Site,
};

/// What the stream of a room's events is called on the socket.
pub(super) const EVENTS: &str = Word::Stream.as_str();
/// What the stream of an agent's actions is called on the socket.
pub(super) const ACTIONS: &str = Word::Actions.as_str();

/// Streams the events of the room that the path names.
pub(crate) async fn events(site: &Site, principal: &Principal, params: &RawPathParams, parts: &Parts) -> Response {
    let credential = site.credentials.watched(principal, None);
    let opened = async {
        let (room, after) = cursor::read(params, parts, "after")?;
        Ok(Source::Events(site.hub.subscribe(&credential, &room, after).await?))
    };
    begun(EVENTS, opened.await, &credential, parts)
}

/// Streams what is submitted to the agent that speaks, which is connected until the stream ends.
pub(crate) async fn actions(site: &Site, principal: &Principal, params: &RawPathParams, parts: &Parts) -> Response {
    let caller = match speaker(principal, &parts.headers, &site.owner) {
        Ok(caller) => caller,
        Err(failure) => return answer::refused(ACTIONS, &failure),
    };
    let credential = site.credentials.watched(principal, Some(&caller.actor().agent_id));
    let opened = async {
        let (room, resume_after) = cursor::read(params, parts, "resume_after")?;
        Ok(Source::Actions(Box::new(site.hub.runtime(&credential, caller, &room, resume_after).await?)))
    };
    begun(ACTIONS, opened.await, &credential, parts)
}

fn begun(name: &str, opened: Result<Source, Failure>, credential: &Credential, parts: &Parts) -> Response {
    match opened {
        Ok(source) => written(source, credential, parts),
        Err(failure) => answer::refused(name, &failure),
    }
}
