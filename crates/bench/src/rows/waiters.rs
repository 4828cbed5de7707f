//! Those who hand the stick over and those who wait for it, and the part of row 5 with sixteen of them.
//!
//! Sixteen servers wait on one room; a release wakes them all and is meant for one. The yardstick is a bare bell with
//! sixteen watchers, who all wake and look, and of whom one answers. The release is made through the app in this
//! process, so that both sides start at a write of this process and end at a line read by it.

use std::{
    path::Path,
    sync::mpsc::{Receiver, Sender, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use baton_mcp::client::Client;
use serde_json::{Value, json};

use crate::{
    bell::Bell,
    player::{Player, handoff},
    report::{Measure, Measured, Target},
    servers::ask,
    stats::Samples,
    trouble::{Outcome, Trouble, refused},
};

use super::{Setting, handoff::Handoffs};

const WAITERS: u8 = 16;
/// Long enough for sixteen waiters to have looked and to sit at the bell again.
const SETTLE: Duration = Duration::from_millis(25);
/// As long as a wait may be.
const LONGEST_WAIT_MS: u64 = 50_000;

/// Runs the part with sixteen waiters.
pub(super) fn sixteen(setting: &Setting) -> Outcome<Measured> {
    let rounds = setting.pick(300, 60);
    let mut ours = with_servers(setting, rounds)?;
    let mut bell = with_a_bell(rounds)?;
    let mut measure = |what: &str, share: f64| {
        Measure::new(what, ours.from_asking.quantile_us(share) / 1e3, "ms").against(bell.quantile_us(share) / 1e3)
    };
    let measures = vec![
        measure("16 waiters: release called → the one is answered, p50", 0.5).target(Target::RatioAtMost(2.0)),
        measure("the same, p99", 0.99),
    ];
    let note =
        "16 waiters: the yardstick is a bare bell, from the write to the answer of the one that is meant".to_owned();
    Ok(Measured { measures, notes: vec![note] })
}

fn with_servers(setting: &Setting, rounds: usize) -> Outcome<Handoffs> {
    let place = tempfile::tempdir()?;
    let (data, workspace) = (place.path().join("data"), place.path().join("workspace"));
    let mut giver = Player::join(&data, &workspace, "bench:giver")?;
    // The next in line after the giver is the recipient; the others are further down.
    let recipient = Recipient::join(setting, &data, &workspace, "bench:recipient", "bench:giver")?;
    giver.take()?;
    let mut others = Vec::new();
    for number in 1..WAITERS {
        let (mut client, room_id) = setting.servers.joined(&data, &workspace, &format!("bench:waiter-{number}"))?;
        client.start("wait_for_turn", json!({"room_id": room_id, "max_wait_ms": LONGEST_WAIT_MS}))?;
        others.push(client);
    }
    Handoffs::between(&mut giver, &recipient, rounds, SETTLE)
}

fn with_a_bell(rounds: usize) -> Outcome<Samples> {
    let place = tempfile::tempdir()?;
    let mut bell = Bell::hang(place.path().join("bell"), WAITERS)?;
    let mut samples = Samples::default();
    for round in 0..rounds + 16 {
        thread::sleep(SETTLE / 5);
        let took = bell.ring((round % usize::from(WAITERS)) as u8)?;
        if round >= 16 {
            samples.add(took);
        }
    }
    Ok(samples)
}

/// When a release was asked for, and when it was answered.
pub(super) struct Given {
    pub(super) asked: Instant,
    pub(super) answered: Instant,
}

/// One who hands the stick over.
pub(super) trait Giver {
    /// Waits until it has the stick.
    fn take(&mut self) -> Outcome<()>;
    /// Releases it.
    fn give(&mut self) -> Outcome<Given>;
}

impl Giver for Player {
    fn take(&mut self) -> Outcome<()> {
        match self.claim(LONGEST_WAIT_MS).map_err(refused)? {
            Some(_) => Ok(()),
            None => Err("the stick did not come back".into()),
        }
    }

    fn give(&mut self) -> Outcome<Given> {
        let asked = Instant::now();
        Self::give(self).map_err(refused)?;
        Ok(Given { asked, answered: Instant::now() })
    }
}

/// An agent behind an MCP server.
pub(super) struct Server {
    client: Client,
    room_id: String,
    /// The answer that gave it the stick.
    turn: Value,
}

impl Server {
    pub(super) fn join(setting: &Setting, data: &Path, workspace: &Path, agent: &str) -> Outcome<Self> {
        let (client, room_id) = setting.servers.joined(data, workspace, agent)?;
        Ok(Self { client, room_id, turn: Value::Null })
    }

    /// The room it is in.
    pub(super) fn room_id(&self) -> &str {
        &self.room_id
    }

    fn fence(&self) -> Value {
        json!({
            "room_id": self.room_id,
            "lease_id": self.turn["lease_id"],
            "expected_turn_id": self.turn["turn_id"],
            "handoff": handoff(),
        })
    }

    fn wait(&mut self) -> Outcome<baton_mcp::client::CallId> {
        let arguments = json!({"room_id": self.room_id, "max_wait_ms": LONGEST_WAIT_MS});
        Ok(self.client.start("wait_for_turn", arguments)?)
    }

    fn received(&mut self, wait: baton_mcp::client::CallId) -> Outcome<Instant> {
        let answer = self.client.finish(wait)?;
        let received = Instant::now();
        if answer.content["status"] != "your_turn" {
            return Err(format!("the wait was answered with {}", answer.content).into());
        }
        self.turn = answer.content;
        Ok(received)
    }
}

impl Giver for Server {
    fn take(&mut self) -> Outcome<()> {
        let wait = self.wait()?;
        self.received(wait).map(|_| ())
    }

    fn give(&mut self) -> Outcome<Given> {
        let fence = self.fence();
        let asked = Instant::now();
        ask(&mut self.client, "release_stick", fence)?;
        Ok(Given { asked, answered: Instant::now() })
    }
}

/// One who waits behind an MCP server, on a thread that does nothing but read its answers.
pub(super) struct Recipient {
    orders: Option<Sender<Order>>,
    done: Receiver<Outcome<Instant>>,
    thread: Option<JoinHandle<()>>,
}

enum Order {
    Wait,
    PassBack,
}

impl Recipient {
    /// Joins, and gives the stick back to `giver` each time.
    pub(super) fn join(
        setting: &Setting,
        data: &Path,
        workspace: &Path,
        agent: &str,
        giver: &'static str,
    ) -> Outcome<Self> {
        let mut server = Server::join(setting, data, workspace, agent)?;
        let (orders, taken) = channel();
        let (tell, done) = channel();
        let thread = thread::spawn(move || {
            for order in taken {
                let told = match order {
                    Order::Wait => follow_wait(&mut server, &tell),
                    Order::PassBack => pass_back(&mut server, giver),
                };
                if tell.send(told).is_err() {
                    return;
                }
            }
        });
        Ok(Self { orders: Some(orders), done, thread: Some(thread) })
    }

    /// Asks for the stick, and returns once the request is written.
    pub(super) fn wait(&self) -> Outcome<()> {
        self.order(Order::Wait)?;
        self.told().map(|_| ())
    }

    /// When the wait was answered.
    pub(super) fn received(&self) -> Outcome<Instant> {
        self.told()
    }

    /// Gives the stick back.
    pub(super) fn pass_back(&self) -> Outcome<()> {
        self.order(Order::PassBack)?;
        self.told().map(|_| ())
    }

    fn order(&self, order: Order) -> Outcome<()> {
        let orders = self.orders.as_ref().ok_or("the recipient has gone")?;
        orders.send(order).map_err(|_| Trouble::from("the recipient has gone"))
    }

    fn told(&self) -> Outcome<Instant> {
        self.done.recv()?
    }
}

impl Drop for Recipient {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has told so by its silence.
            let _ = thread.join();
        }
    }
}

/// Tells when the request is written, and then waits for the answer.
fn follow_wait(server: &mut Server, tell: &Sender<Outcome<Instant>>) -> Outcome<Instant> {
    let wait = server.wait()?;
    tell.send(Ok(Instant::now()))?;
    server.received(wait)
}

fn pass_back(server: &mut Server, giver: &str) -> Outcome<Instant> {
    let mut fence = server.fence();
    fence["to_agent_id"] = giver.into();
    ask(&mut server.client, "pass_stick", fence)?;
    Ok(Instant::now())
}
