//! The bounds of the HTTP server, for the documents.

use std::time::Duration;

use baton_core::limits::Limit;

use crate::{
    gate, login,
    routes::body,
    server::{self, connection, wire},
    stream, tokens,
};

/// Every bound that a client can run into.
pub fn bounds() -> Vec<Limit> {
    vec![
        Limit::new("CONNECTIONS", "Most connections at a time.", &server::CONNECTIONS_MAX),
        Limit::new("HEAD_BYTES", "Largest head of a request.", &connection::HEAD_BYTES),
        Limit::new("HEADERS", "Most headers of a request.", &connection::HEADERS_MAX),
        Limit::new("HEAD_TIME", "Time for the head of a request to arrive.", &connection::HEAD_TIME),
        Limit::new("URI_BYTES", "Longest address of a request.", &gate::URI_BYTES),
        Limit::new("BODY_BYTES", "Largest body of a request.", &body::BODY_BYTES),
        Limit::new("BODY_TIME", "Time for the body of a request to arrive.", &body::BODY_TIME),
        Limit::new("STALL", "Time for a peer to take what it is sent.", &wire::STALL),
        Limit::new("PULSE", "Time between the comments of a stream on which nothing happens.", &stream::PULSE),
        Limit::new(
            "RETRY",
            "Time after which a stream tells its reader to come back (`retry:`).",
            &Duration::from_millis(stream::RETRY_MS),
        ),
        Limit::new("TOKENS", "Most tokens.", &tokens::TOKENS_MAX),
        Limit::new("NAME_CHARS", "Longest name of a token.", &tokens::NAME_CHARS),
        Limit::new("TICKET", "Time for which a ticket of a browser counts.", &login::TICKET_TTL),
        Limit::new("TICKETS", "Most tickets at a time.", &login::TICKETS_MAX),
        Limit::new("SESSION", "Time for which a browser's login counts.", &login::SESSION_TTL),
        Limit::new("SESSIONS", "Most browsers that are logged in.", &login::SESSIONS_MAX),
    ]
}
