//! A store, a server on a free port, and its owner.

use std::{fs, net::SocketAddr, path::Path, sync::Arc};

use axum::Router;
use baton_app::{
    App, Caller, Failure, Location,
    clock::{Ids, RandomIds, Time},
    environment::Environment,
    table,
};
use baton_bus::{Hub, Rate};
use baton_core::{process::SessionKind, room::Actor};
use baton_http::{CONNECTIONS_MAX, Exposure, Keyring, Owner, Role, Server, Settings, Tickets};
use baton_testkit::{ManualClock, SequentialIds};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinHandle;

use super::{Answer, Ask, Peer};

/// One server and all that belongs to it.
pub(crate) struct World {
    pub(crate) hub: Arc<Hub>,
    pub(crate) clock: ManualClock,
    pub(crate) address: SocketAddr,
    pub(crate) running: JoinHandle<()>,
    directory: TempDir,
}

impl World {
    pub(crate) async fn start() -> Self {
        Self::start_with(|_, _| {}).await
    }

    /// The same with other settings. They may need files, in the directory that is given.
    pub(crate) async fn start_with(change: impl FnOnce(&mut Settings, &Path)) -> Self {
        Self::start_as(|_| Time::Own, Box::new(RandomIds), Rate::default(), change).await
    }

    /// A world in which each credential may be used so often.
    pub(crate) async fn with_rate(rate: Rate) -> Self {
        Self::start_as(|_| Time::Own, Box::new(RandomIds), rate, |_, _| {}).await
    }

    /// A server whose ids and times are the same in every run: its store goes by `clock`, too.
    pub(crate) async fn foretold() -> Self {
        let time = |clock: &ManualClock| Time::Told(Arc::new(clock.clone()));
        Self::start_as(time, Box::new(SequentialIds::default()), Rate::default(), |_, _| {}).await
    }

    async fn start_as(
        time: impl FnOnce(&ManualClock) -> Time,
        ids: Box<dyn Ids>,
        rate: Rate,
        change: impl FnOnce(&mut Settings, &Path),
    ) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("data");
        let clock = ManualClock::new();
        let environment = Environment::of([("USER", "ana"), ("HOME", "/nonexistent")], directory.path());
        let location = Location::Directory(data.clone());
        let app = Arc::new(App::open(&location, environment, time(&clock), ids).unwrap());
        let hub = Hub::with_rate(app, rate);
        let owner = Owner { data: data.clone(), id: "human:ana:http".parse().unwrap(), clock: Arc::new(clock.clone()) };
        let mut settings = Settings {
            listen: "127.0.0.1:0".parse().unwrap(),
            exposure: Exposure::Loopback,
            tls: None,
            hosts: Vec::new(),
            connections_max: CONNECTIONS_MAX,
            owner,
        };
        change(&mut settings, directory.path());
        let server = Server::bind(Arc::clone(&hub), settings, |_| Router::new()).await.unwrap();
        let address = server.address();
        let world = Self { hub, clock, address, running: tokio::spawn(server.run()), directory };
        world.keyring().ensure_operator(baton_app::clock::Clock::now(&world.clock)).unwrap();
        world
    }

    pub(crate) fn data(&self) -> std::path::PathBuf {
        self.directory.path().join("data")
    }

    pub(crate) fn keyring(&self) -> Keyring {
        Keyring::in_directory(&self.data())
    }

    pub(crate) fn tickets(&self) -> Tickets {
        Tickets::in_directory(&self.data())
    }

    /// The owner's token.
    pub(crate) fn operator(&self) -> String {
        fs::read_to_string(self.keyring().operator_file()).unwrap().trim().to_owned()
    }

    /// Another token.
    pub(crate) fn token(&self, name: &str, role: Role, agent: Option<&str>) -> String {
        let agent = agent.map(|agent| agent.parse().unwrap());
        let now = baton_app::clock::Clock::now(&self.clock);
        self.keyring().create(name.parse().unwrap(), role, agent, now).unwrap().reveal().to_owned()
    }

    /// What this server is called.
    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    /// A connection.
    pub(crate) async fn connect(&self) -> Peer {
        Peer::connect(self.address).await
    }

    /// Asks on a connection of its own, exactly as it is.
    pub(crate) async fn send(&self, ask: Ask) -> Answer {
        let mut peer = self.connect().await;
        peer.send(&ask.text(&self.host())).await;
        peer.answer().await
    }

    /// Asks as the owner.
    pub(crate) async fn ask(&self, ask: Ask) -> Answer {
        let token = self.operator();
        self.send(ask.token(&token)).await
    }

    /// The data of something that the owner asks and that must be answered.
    pub(crate) async fn data_of(&self, ask: Ask) -> Value {
        let answer = self.ask(ask).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["data"].clone()
    }

    /// A new session.
    pub(crate) async fn session(&self) -> String {
        let data = self.data_of(Ask::post("/v1/sessions").json(json!({ "name": "test" }))).await;
        data["session"]["id"].as_str().unwrap().to_owned()
    }

    /// Runs a command below HTTP, as another process on the same store would.
    pub(crate) fn call(&self, who: &str, command: &str, input: Value) -> Value {
        self.attempt(who, command, input).unwrap()
    }

    /// The same, of something that may be refused.
    pub(crate) fn attempt(&self, who: &str, command: &str, input: Value) -> Result<Value, Failure> {
        table::find_on_wire(command).unwrap().run(self.hub.app(), &self.caller(who), input)
    }

    /// An agent as another process on the same store is one.
    pub(crate) fn caller(&self, who: &str) -> Caller {
        let actor = Actor::found(who.parse().unwrap(), None, SessionKind::McpHarness);
        Caller::new(actor, self.directory.path().to_owned())
    }
}
