//! Whether an agent is there, by a shape, a word and a colour.

use baton_app::connection::AgentConnection;
use baton_core::{agent::ConnectionState, turn::StreamStatus};
use maud::{Markup, html};

/// The mark of a state: a full circle, a ring, a cross, a line. The word stands beside it.
pub(in crate::web) fn state_mark(state: ConnectionState) -> Markup {
    html! {
        svg class={ "state-mark " (state.as_str()) } viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" {
            @match state {
                ConnectionState::Connected => circle cx="6" cy="6" r="5" {},
                ConnectionState::Idle => circle cx="6" cy="6" r="4" {},
                ConnectionState::Disconnected => path d="M2 2L10 10M10 2L2 10" {},
                ConnectionState::Gone => path d="M2 6H10" {},
            }
        }
    }
}

/// The mark, the word, and what the stream does.
pub(in crate::web) fn state_words(connection: &AgentConnection) -> Markup {
    html! {
        span.state {
            (state_mark(connection.state))
            span { b { (connection.state.as_str()) } @if let Some(stream) = stream_words(connection) { ", " (stream) } }
        }
    }
}

/// What the stream does, where it says more than the state.
pub(in crate::web) fn stream_words(connection: &AgentConnection) -> Option<&'static str> {
    match (connection.state, connection.stream) {
        (ConnectionState::Connected, StreamStatus::Writing) => Some("writing"),
        (ConnectionState::Connected | ConnectionState::Idle, StreamStatus::Reading) => Some("reading"),
        (ConnectionState::Connected, StreamStatus::Closed)
        | (ConnectionState::Idle, StreamStatus::Writing | StreamStatus::Closed)
        | (ConnectionState::Disconnected | ConnectionState::Gone, _) => None,
    }
}
