//! The bounds of this crate's servers, for the documents.

use baton_core::limits::Limit;

use crate::{
    envelope, feed, hub, quota, rate,
    socket::{connection, server, session, speakers, streams},
};

/// Every bound that a client can run into.
pub fn bounds() -> Vec<Limit> {
    vec![
        Limit::new("FRAME_BYTES", "Longest line of the socket, without its end.", &envelope::FRAME_BYTES),
        Limit::new("DEPTH", "Deepest nesting of objects and lists in a line.", &envelope::DEPTH_MAX),
        Limit::new("TYPE_BYTES", "Longest `type` of an envelope.", &envelope::TYPE_BYTES),
        Limit::new("ID_BYTES", "Longest `id` and `corr` of an envelope.", &envelope::ID_BYTES),
        Limit::new("CONNECTIONS", "Most connections to the socket at a time.", &server::CONNECTIONS_MAX),
        Limit::new("AGENTS", "Most agents that one connection speaks for.", &speakers::AGENTS_MAX),
        Limit::new("STREAMS", "Most streams of one connection.", &streams::STREAMS_MAX),
        Limit::new("WAITS", "Most calls of one connection that wait at a time.", &session::WAITS_MAX),
        Limit::new("CALLS", "Calls in a second under one credential.", &rate::CALLS_PER_SECOND),
        Limit::new("BURST", "Calls at once under one credential, after a pause.", &rate::BURST_CALLS),
        Limit::new("STREAMS", "Most streams under one credential.", &quota::STREAMS_MAX),
        Limit::new("WAITS", "Most calls under one credential that wait at a time.", &quota::WAITS_MAX),
        Limit::new("WAITS", "Most calls of a server that wait at a time.", &hub::WAITS_MAX),
        Limit::new("STREAMS", "Most streams of events of a server.", &feed::SUBSCRIBERS_MAX),
        Limit::new("ROOMS", "Most rooms of a server that are streamed at a time.", &feed::FEEDS_MAX),
        Limit::new("UNREAD", "Events that a stream may be behind without reading.", &feed::UNREAD_MAX),
        Limit::new("FINISH", "Time for calls that run when the server begins to end.", &connection::FINISH),
    ]
}
