//! Baton's server: what `baton up` starts, on the bus socket and over HTTP.
//!
//! It is the same hub, socket and HTTP server on the same kind of runtime. Only the rate that an agent may ask at is
//! set so high that nobody meets it: each call is still weighed against it.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use baton_app::{
    App,
    clock::{Clock, RandomIds, SystemClock, Time},
    environment::Environment,
    identity::Surroundings,
};
use baton_bus::{
    Hub, Rate,
    socket::{self, raise_descriptor_limit},
};
use baton_http::{Exposure, Facts, Keyring, Owner, Server, Settings};
use serde_json::{Value, json};

use super::{
    Requests, post,
    running::{self, Running},
};
use crate::{
    helpers,
    trouble::{Outcome, refused},
};

/// More than a client can ask.
const UNLIMITED: Rate = Rate { per_second: 1_000_000, burst: 1_000_000 };

/// A server on a store of its own.
pub(crate) struct Up {
    running: Running,
    facts: Facts,
    token: String,
}

impl Up {
    /// Starts one on the store in `data`.
    pub(crate) fn start(data: &Path) -> Outcome<Self> {
        let mut command = helpers::command("helper-up")?;
        command.arg(data);
        let running = Running::start(command)?;
        let facts = Facts::find(data).map_err(refused)?.ok_or("the server does not answer")?;
        let token = fs::read_to_string(Keyring::in_directory(data).operator_file())?.trim().to_owned();
        Ok(Self { running, facts, token })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.running.pid()
    }

    /// Its socket.
    pub(crate) fn socket(&self) -> &Path {
        &self.facts.socket
    }

    /// Where it listens for HTTP.
    pub(crate) fn address(&self) -> SocketAddr {
        self.facts.listen
    }

    /// The headers that let `agent` in.
    pub(crate) fn headers(&self, agent: &str) -> String {
        format!("Authorization: Bearer {}\r\nBaton-Agent: {agent}\r\n", self.token)
    }

    /// The headers that let the owner in.
    pub(crate) fn owner_headers(&self) -> String {
        format!("Authorization: Bearer {}\r\n", self.token)
    }

    /// Calls a command over HTTP for `agent`, which is expected to succeed.
    pub(crate) fn call(&self, agent: &str, command: &str, input: &Value) -> Outcome<Value> {
        let request = post(self.address(), &format!("/v1/call/{command}"), &self.headers(agent), &input.to_string());
        let answer: Value = serde_json::from_slice(Requests::connect(self.address())?.ask(&request)?)?;
        match answer.get("data") {
            Some(data) if answer["ok"] == true => Ok(data.clone()),
            _ => Err(format!("{command} was answered with {answer}").into()),
        }
    }

    /// Opens a session that `agents` are in, and tells its id.
    pub(crate) fn session(&self, agents: &[&str]) -> Outcome<String> {
        let first = agents.first().ok_or("a session is opened by somebody")?;
        let opened = self.call(first, "session.create", &json!({"name": "bench"}))?;
        let id = opened["session"]["id"].as_str().ok_or("the session that was opened has no id")?.to_owned();
        for agent in agents {
            self.call(agent, "agent.add", &json!({"room_id": id, "id": agent}))?;
        }
        Ok(id)
    }
}

/// The helper.
pub(crate) fn serve(words: &[String]) -> Outcome<()> {
    let [data] = words else { return Err("the server needs a data directory".into()) };
    raise_descriptor_limit();
    let environment = Environment::read();
    let location = environment.store_location(Some(data)).map_err(refused)?;
    let app = App::open(&location, environment.clone(), Time::Own, Box::new(RandomIds)).map_err(refused)?;
    let surroundings = Surroundings::gather(environment).map_err(refused)?;
    let data = PathBuf::from(data);
    Keyring::in_directory(&data).ensure_operator(SystemClock.now()).map_err(refused)?;
    let runtime = running::runtime()?;
    runtime.block_on(answer(Hub::with_rate(Arc::new(app), UNLIMITED), &surroundings, &data))
}

async fn answer(hub: Arc<Hub>, surroundings: &Surroundings, data: &Path) -> Outcome<()> {
    let environment = surroundings.environment();
    let owner = Owner { data: data.to_owned(), id: surroundings.person_over("http"), clock: Arc::new(SystemClock) };
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let (exposure, connections_max) = (Exposure::Loopback, baton_http::CONNECTIONS_MAX);
    let settings = Settings { listen, exposure, tls: None, hosts: Vec::new(), owner, connections_max };
    let bus = socket::Server::bind(&hub, &data.join(socket::FILE_NAME), environment).map_err(refused)?;
    let http = Server::bind(Arc::clone(&hub), settings, |_| axum::Router::new()).await.map_err(refused)?;
    let facts =
        Facts { url: http.url(), listen: http.address(), socket: bus.path().to_owned(), pid: std::process::id() };
    let published = facts.publish(data).map_err(refused)?;
    let ending = Arc::clone(&hub);
    thread::spawn(move || {
        // However the input ends, so does the server.
        let _ = helpers::wait_for_the_end();
        ending.shut_down();
    });
    helpers::ready()?;
    tokio::join!(bus.serve(), http.run());
    drop(published);
    hub.drained().await;
    Ok(())
}
