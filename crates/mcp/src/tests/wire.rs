//! A client that writes and reads lines, and sees exactly what a real one would.

use std::{sync::Arc, time::Duration};

use baton_app::table::{TABLE, Tier};
use baton_core::{process::SessionKind, room::Actor};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf},
    sync::Notify,
    task::JoinHandle,
    time::timeout,
};

use crate::{
    callers::{Callers, Seen},
    serve::{ServeError, serve_on},
    tools::Tools,
};

use super::world::World;

/// Longer than anything here takes; a test that gets here has failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// One client's connection.
pub(super) struct Wire {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    server: JoinHandle<Result<(), ServeError>>,
    stop: Arc<Notify>,
    next_id: u64,
    /// What every request carries in the 2026-07-28 revision.
    meta: Option<Value>,
    pub(super) world: World,
}

impl Wire {
    /// A connection on which nothing has been said.
    pub(super) fn open() -> Self {
        Self::offering(Tools::of(TABLE, Tier::Daily))
    }

    pub(super) fn offering(tools: Tools) -> Self {
        let world = World::new();
        let (near, far) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(far);
        let stop = Arc::new(Notify::new());
        let stopped = Arc::clone(&stop);
        let callers = Callers::new(identify, world.workspace());
        let app = world.app();
        let server = tokio::spawn(async move {
            serve_on(reader, writer, app, tools, callers, async move { stopped.notified().await }).await
        });
        let (reader, writer) = tokio::io::split(near);
        Self { reader: BufReader::new(reader), writer, server, stop, next_id: 1, meta: None, world }
    }

    /// A connection that said hello the way current clients do.
    pub(super) async fn greeted() -> Self {
        let mut wire = Self::open();
        wire.initialize("2025-11-25").await;
        wire
    }

    /// Says hello and returns what the server answered.
    pub(super) async fn initialize(&mut self, version: &str) -> Value {
        let hello = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "test-client", "version": "1"},
        });
        let answer = self.request("initialize", hello).await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        answer
    }

    /// From now on every request says who sends it, instead of a handshake.
    pub(super) fn speak_inline(&mut self) {
        self.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "inline-client", "version": "1"},
        }));
    }

    pub(super) async fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string()).await;
    }

    pub(super) async fn send_line(&mut self, line: &str) {
        self.writer.write_all(line.as_bytes()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    /// Sends the same line many times, without anybody reading meanwhile. The connection sends nothing after that.
    pub(super) fn flood(&mut self, line: &str, times: usize) -> impl Future<Output = ()> + use<> {
        let (_, unused) = tokio::io::split(tokio::io::duplex(1).0);
        let mut writer = std::mem::replace(&mut self.writer, unused);
        let lines = format!("{line}\n").repeat(times);
        async move { writer.write_all(lines.as_bytes()).await.unwrap() }
    }

    pub(super) async fn read(&mut self) -> Value {
        let mut line = String::new();
        timeout(PATIENCE, self.reader.read_line(&mut line)).await.expect("an answer in time").unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Sends a request and returns its id.
    pub(super) async fn ask(&mut self, method: &str, mut params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        if let Some(Value::Object(meta)) = &self.meta {
            let merged = params["_meta"].as_object().cloned().unwrap_or_default();
            params["_meta"] = meta.iter().map(|(key, value)| (key.clone(), value.clone())).chain(merged).collect();
        }
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    /// Sends a request and reads until its answer comes.
    pub(super) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        loop {
            let message = self.read().await;
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool and returns its result.
    pub(super) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await["result"].take()
    }

    /// Joins the workspace's room and returns its id.
    pub(super) async fn join(&mut self) -> Value {
        let path = self.world.workspace();
        self.call("join_path", json!({"context_path": path})).await["structuredContent"]["room_id"].take()
    }

    /// Joins a room whose stick is with somebody else, so that a wait waits.
    pub(super) async fn join_room_held_by_another(&mut self) -> Value {
        let room = self.join().await;
        self.world.take_the_stick(&room);
        room
    }

    /// Asks the server to stop, as a signal would.
    pub(super) fn signal(&self) {
        self.stop.notify_one();
    }

    /// Closes the connection.
    pub(super) async fn hang_up(&mut self) {
        self.writer.shutdown().await.unwrap();
    }

    /// Waits for the server to end.
    pub(super) async fn ended(self) -> Result<(), ServeError> {
        timeout(PATIENCE, self.server).await.expect("the server ends in time").unwrap()
    }
}

/// An id that shows what was seen.
fn identify(seen: Seen<'_>) -> Actor {
    let (client, thread) = (seen.client_name.unwrap_or("nobody"), seen.thread_id.unwrap_or("main"));
    Actor::found(format!("{client}:{thread}").parse().unwrap(), None, SessionKind::McpHarness)
}
