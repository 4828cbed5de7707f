//! A client that says exactly what a test wants it to say.

use std::{path::Path, sync::Arc};

use baton_bus::{Hub, socket::Server};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    task::JoinHandle,
};

use crate::world::World;

/// A served socket. It is served until the hub shuts down.
pub(crate) struct Served {
    pub(crate) path: std::path::PathBuf,
    task: JoinHandle<()>,
    hub: Arc<Hub>,
}

impl Served {
    pub(crate) fn new(world: &World) -> Self {
        let server = Server::bind(&world.hub, &world.socket(), world.app.environment()).unwrap();
        let path = server.path().to_owned();
        Self { path, task: tokio::spawn(server.serve()), hub: Arc::clone(&world.hub) }
    }

    pub(crate) async fn peer(&self) -> Peer {
        Peer::connect(&self.path).await
    }

    /// Ends the server and waits until it has.
    pub(crate) async fn end(self) {
        self.hub.shut_down();
        self.task.await.unwrap();
        self.hub.drained().await;
    }
}

pub(crate) struct Peer {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    asked: u64,
}

impl Peer {
    pub(crate) async fn connect(path: &Path) -> Self {
        let (reader, writer) = UnixStream::connect(path).await.unwrap().into_split();
        Self { reader: BufReader::new(reader), writer, asked: 0 }
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.unwrap();
    }

    /// Sends an envelope and tells its id.
    pub(crate) async fn send(&mut self, kind: &str, mut more: Value) -> String {
        self.asked += 1;
        let id = format!("r{}", self.asked);
        let fields = more.as_object_mut().unwrap();
        for (name, value) in [("v", json!(1)), ("type", json!(kind)), ("id", json!(id))] {
            fields.entry(name).or_insert(value);
        }
        self.write(format!("{more}\n").as_bytes()).await;
        id
    }

    /// The next envelope, or nothing when the server hung up.
    pub(crate) async fn hear(&mut self) -> Option<Value> {
        let mut line = String::new();
        // Who is cut off finds half a line at the end, or its connection reset.
        self.reader.read_line(&mut line).await.ok().filter(|_| line.ends_with('\n'))?;
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// Asks and waits for the answer, over whatever else is said.
    pub(crate) async fn ask(&mut self, kind: &str, more: Value) -> Value {
        let id = self.send(kind, more).await;
        loop {
            let heard = self.hear().await.expect("an answer");
            if heard["corr"] == *id && heard.get("status").is_some() {
                return heard;
            }
        }
    }

    /// Asks for something that is done, and tells what came of it.
    pub(crate) async fn call(&mut self, kind: &str, payload: Value) -> Value {
        let mut answer = self.ask(kind, json!({"payload": payload})).await;
        assert_eq!(answer["status"], "ok", "{answer}");
        answer["payload"].take()
    }

    /// Asks for something that is refused, and tells the code.
    pub(crate) async fn refused(&mut self, kind: &str, more: Value) -> String {
        let answer = self.ask(kind, more).await;
        assert_eq!(answer["status"], "error", "{answer}");
        answer["error"]["code"].as_str().unwrap().to_owned()
    }

    /// Says that there is nothing more to say.
    pub(crate) async fn close_half(&mut self) {
        self.writer.shutdown().await.unwrap();
    }
}
