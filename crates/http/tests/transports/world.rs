//! One server with a socket and a port, on a store, a clock and ids of its own.

use std::{fs, path::PathBuf, sync::Arc};

use baton_app::{
    App, Caller, Location,
    clock::{Clock, RandomIds, Time},
    commands::bus::AddInput,
    environment::Environment,
    table,
};
use baton_bus::{
    Hub, Rate,
    client::{Client, Transport},
    socket,
};
use baton_core::{ids::RoomId, process::SessionKind, room::Actor};
use baton_http::{CONNECTIONS_MAX, Exposure, Keyring, Owner, Server, Settings};
use baton_testkit::ManualClock;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// How a client comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Face {
    Socket,
    Http,
}

impl Face {
    pub(crate) const BOTH: [Self; 2] = [Self::Socket, Self::Http];
}

pub(crate) struct World {
    pub(crate) app: Arc<App>,
    hub: Arc<Hub>,
    token: String,
    base: String,
    pub(crate) directory: TempDir,
    runtime: Option<Runtime>,
}

impl World {
    /// A server as they are.
    pub(crate) fn live() -> Self {
        let clock = ManualClock::new();
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("data");
        let environment = Environment::of([("USER", "ana"), ("HOME", "/nonexistent")], directory.path());
        let app = Arc::new(
            App::open(&Location::Directory(data.clone()), environment.clone(), Time::Own, Box::new(RandomIds)).unwrap(),
        );
        // These tests are not about rates, and send as fast as they can.
        let hub = Hub::with_rate(Arc::clone(&app), Rate { per_second: 1_000_000, burst: 1_000_000 });
        let keyring = Keyring::in_directory(&data);
        keyring.ensure_operator(clock.now()).unwrap();
        let owner = Owner { data: data.clone(), id: "human:ana:http".parse().unwrap(), clock: Arc::new(clock) };
        let settings = Settings {
            listen: "127.0.0.1:0".parse().unwrap(),
            exposure: Exposure::Loopback,
            tls: None,
            hosts: Vec::new(),
            connections_max: CONNECTIONS_MAX,
            owner,
        };
        let runtime = Runtime::new().unwrap();
        let base = runtime.block_on(async {
            let bus = socket::Server::bind(&hub, &data.join(socket::FILE_NAME), &environment).unwrap();
            let http = Server::bind(Arc::clone(&hub), settings, |_| axum::Router::new()).await.unwrap();
            let base = http.url();
            tokio::spawn(bus.serve());
            tokio::spawn(http.run());
            base
        });
        let token = fs::read_to_string(keyring.operator_file()).unwrap().trim().to_owned();
        Self { app, hub, token, base, directory, runtime: Some(runtime) }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.directory.path().join("data").join(socket::FILE_NAME)
    }

    /// A client that comes this way.
    pub(crate) fn client(&self, face: Face) -> Client {
        let transport = match face {
            Face::Socket => Transport::Socket(self.socket()),
            Face::Http => Transport::Http { base: self.base.clone(), token: self.token.clone() },
        };
        Client::connect(transport).unwrap()
    }

    /// The same for an agent of a session.
    pub(crate) fn agent(&self, face: Face, session: &RoomId, id: &str) -> Client {
        let client = self.client(face);
        client.agent_add(&adding(session, id)).unwrap();
        client
    }

    /// A session that was opened without a server.
    pub(crate) fn session(&self) -> RoomId {
        let opened = self.run("session.create", json!({"name": "a session"}));
        opened["session"]["id"].as_str().unwrap().parse().unwrap()
    }

    /// Runs a command past the server, as somebody who has nothing to do with any of it.
    pub(crate) fn run(&self, command: &str, input: Value) -> Value {
        let actor = Actor::found("human:ana:pts1".parse().unwrap(), None, SessionKind::Human);
        let caller = Caller::new(actor, self.directory.path().to_owned());
        table::find_on_wire(command).unwrap().run(&self.app, &caller, input).unwrap()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.hub.shut_down();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

pub(crate) fn adding(session: &RoomId, id: &str) -> AddInput {
    AddInput { room_id: session.clone(), id: Some(id.parse().unwrap()), name: None, role: None, idempotency_key: None }
}
