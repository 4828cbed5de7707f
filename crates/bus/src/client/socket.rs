//! Over the Unix socket: one line asks, one line answers.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader, Read, Write},
    os::unix::net::UnixStream,
    path::Path,
};

use baton_app::bus::VERSION;
use baton_core::ids::AgentId;
use serde_json::{Map, Value, json};

use super::{ClientError, link};
use crate::socket::find;

/// Longest line that is read. Answers are shorter; what is longer is not from Baton.
const LINE_BYTES: u64 = 64 * 1024 * 1024;

/// A connection to the socket.
pub(super) struct Link {
    reader: BufReader<UnixStream>,
    asked: u64,
    /// For whom the connection speaks.
    added: BTreeSet<AgentId>,
}

impl Link {
    /// Connects to the socket at `path`, or where it points to.
    pub(super) fn connect(path: &Path) -> Result<Self, ClientError> {
        let actual = find(path);
        let stream = UnixStream::connect(&actual)
            .map_err(|error| ClientError::disconnected(format_args!("{}: {error}", actual.display())))?;
        Ok(Self { reader: BufReader::new(stream), asked: 0, added: BTreeSet::new() })
    }

    /// Sends a request and tells its id.
    fn ask(&mut self, mut envelope: Map<String, Value>, command: &str) -> Result<String, ClientError> {
        self.asked += 1;
        let id = format!("c{}", self.asked);
        envelope.extend([("v", json!(VERSION)), ("type", json!(command)), ("id", json!(id))].map(named));
        let line = format!("{}\n", Value::Object(envelope));
        self.reader.get_ref().write_all(line.as_bytes()).map_err(ClientError::disconnected)?;
        Ok(id)
    }

    /// Asks for a stream, as `agent` or as who the client is.
    pub(super) fn stream(
        &mut self,
        command: &str,
        payload: Value,
        agent: Option<&AgentId>,
    ) -> Result<Value, ClientError> {
        link::Link::call(self, command, payload, None, agent)
    }

    /// The next envelope.
    pub(super) fn hear(&mut self) -> Result<Value, ClientError> {
        let mut line = String::new();
        let read = self.reader.by_ref().take(LINE_BYTES).read_line(&mut line).map_err(ClientError::disconnected)?;
        if read == 0 || !line.ends_with('\n') {
            return Err(ClientError::disconnected("the server hung up"));
        }
        let envelope: Value = serde_json::from_str(&line).map_err(ClientError::unreadable)?;
        // A refusal that answers no request is about the connection.
        match (&envelope["type"], envelope.get("corr")) {
            (Value::String(kind), None) if kind == "bus.refused" => Err(ClientError::of_json(&envelope["error"])),
            _ => Ok(envelope),
        }
    }
}

impl link::Link for Link {
    fn call(
        &mut self,
        command: &str,
        input: Value,
        key: Option<&str>,
        agent: Option<&AgentId>,
    ) -> Result<Value, ClientError> {
        let mut envelope = Map::from_iter([("payload".to_owned(), input)]);
        envelope.extend(key.map(|key| named(("idempotency_key", json!(key)))));
        // An agent is spoken for once it was added on this connection.
        envelope.extend(agent.filter(|agent| self.added.contains(*agent)).map(|agent| named(("src", json!(agent)))));
        let id = self.ask(envelope, command)?;
        loop {
            let mut heard = self.hear()?;
            if heard["corr"] != *id {
                continue;
            }
            return match heard["status"].as_str() {
                Some("ok") => {
                    if command == "agent.add" {
                        self.added.extend(heard["payload"]["agent"]["id"].as_str().and_then(|id| id.parse().ok()));
                    }
                    Ok(heard["payload"].take())
                }
                Some("error") => Err(ClientError::of_json(&heard["error"])),
                _ => continue,
            };
        }
    }
}

fn named((name, value): (&str, Value)) -> (String, Value) {
    (name.to_owned(), value)
}
