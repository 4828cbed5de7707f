//! What calls go over.

use baton_core::ids::AgentId;
use serde_json::{Value, json};

use super::{ClientError, Speaker, Transport, direct, http, socket};

/// A connection that calls go over, one at a time.
pub(super) trait Link: Send {
    /// Calls a command as `agent`, or as who the client is.
    fn call(
        &mut self,
        command: &str,
        input: Value,
        key: Option<&str>,
        agent: Option<&AgentId>,
    ) -> Result<Value, ClientError>;
}

/// Connects.
pub(super) fn open(transport: &Transport) -> Result<Box<dyn Link>, ClientError> {
    Ok(match transport {
        Transport::Socket(path) => Box::new(socket::Link::connect(path)?),
        Transport::Http { base, token } => Box::new(http::Link::new(base, token)?),
        Transport::Direct(app, caller) => Box::new(direct::Link::new(app, caller)),
    })
}

/// Has a fresh connection speak for an agent that is in a session already.
pub(super) fn speak_for(link: &mut dyn Link, speaker: &Speaker) -> Result<(), ClientError> {
    let Speaker { agent, session } = speaker;
    link.call("agent.add", json!({"room_id": session, "id": agent}), None, None).map(drop)
}
