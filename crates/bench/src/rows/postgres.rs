//! Row 10: the same on a Postgres server: transitions against the raw pipelined one, and waking.
//!
//! The server is the one that `cargo xtask bench` started, named by `BATON_TEST_POSTGRES`, with its settings as they
//! ship: each commit waits for the disk. Both sides run in this process in alternating slices; with eight rooms each
//! has a thread and a connection of its own.

use std::{
    env,
    path::{Path, PathBuf},
    sync::{Arc, Barrier},
    thread,
    time::{Duration, Instant},
};

use baton_cluster::SharedCluster;

use crate::{
    player::{Door, Player},
    raw_postgres::{Bell, Raw},
    report::{Measure, Measured, Target},
    stats::{Samples, median},
    trouble::{Outcome, Trouble, refused},
};

use super::{
    Setting,
    handoff::Handoffs,
    waiters::{self, Recipient},
};

const ROOMS: usize = 8;
/// Long enough for a wait that was just asked for to sit at the bell.
const SETTLE: Duration = Duration::from_millis(5);

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let server = Server::new()?;
    let slice = Duration::from_millis(setting.pick(500, 250));
    let rounds = setting.pick(12, 4);
    let mut one = side_by_side(&server, 1, slice, rounds)?;
    let mut eight = side_by_side(&server, ROOMS, slice, rounds)?;
    let mut wakes = handoffs(setting, &server)?;
    let mut bell = rings(&server, setting.pick(500, 100))?;
    let spread = median(&eight.ours) / median(&one.ours);
    let raw_spread = median(&eight.raw) / median(&one.raw);
    let ms = |samples: &mut Samples, share: f64| samples.quantile_us(share) / 1e3;
    let measures = vec![
        one.measure("Postgres: claim or release, one room").target(Target::RatioAtLeast(0.70)),
        one.tail("its p50", 0.5),
        one.tail("its p99", 0.99),
        eight.measure("eight rooms at once, all together").target(Target::RatioAtLeast(0.70)),
        eight.tail("its p50", 0.5),
        eight.tail("its p99", 0.99),
        Measure::new("eight rooms by one", spread, "×").against(raw_spread),
        Measure::new("handoff, release written → wait answered, p50", ms(&mut wakes.from_asking, 0.5), "ms"),
        Measure::new("the same, p99", ms(&mut wakes.from_asking, 0.99), "ms"),
        Measure::new("release answered → wait answered, p50", ms(&mut wakes.from_answer, 0.5), "ms")
            .against(ms(&mut bell, 0.5)),
        Measure::new("the same, p99", ms(&mut wakes.from_answer, 0.99), "ms").against(ms(&mut bell, 0.99)),
    ];
    let notes = vec![
        "the yardstick of a transition is a raw pipelined SELECT … FOR UPDATE transaction with the same rows; \
         without the time, the mark and the notification that Baton adds"
            .to_owned(),
        "the yardstick of waking is a bare NOTIFY, from its sending to its arrival on another connection; Baton's \
         also reads the room and commits the claim"
            .to_owned(),
    ];
    Ok(Measured { measures, notes })
}

/// A database of the bench's own on the server.
struct Server {
    cluster: SharedCluster,
    name: String,
    place: tempfile::TempDir,
}

impl Server {
    fn new() -> Outcome<Self> {
        let url = env::var("BATON_TEST_POSTGRES")
            .map_err(|_| Trouble::from("BATON_TEST_POSTGRES names no server; `cargo xtask bench` starts one"))?;
        let cluster = SharedCluster::from_url(&url)?;
        let name = format!("bench_{}", std::process::id());
        cluster.create_database(&name)?;
        Ok(Self { cluster, name, place: tempfile::tempdir()? })
    }

    fn url(&self) -> String {
        self.cluster.url(&self.name)
    }

    fn workspace(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server goes with the bench.
        let _ = self.cluster.drop_database(&self.name);
    }
}

/// What both sides did.
#[derive(Default)]
struct Sides {
    /// Transitions per second, slice by slice.
    ours: Vec<f64>,
    raw: Vec<f64>,
    ours_took: Samples,
    raw_took: Samples,
}

impl Sides {
    fn measure(&self, what: &str) -> Measure {
        let ratios: Vec<f64> = self.ours.iter().zip(&self.raw).map(|(ours, raw)| ours / raw).collect();
        let raw = median(&self.raw);
        Measure::new(what, median(&ratios) * raw, "/s").against(raw)
    }

    fn tail(&mut self, what: &str, share: f64) -> Measure {
        Measure::new(what, self.ours_took.quantile_us(share), "µs").against(self.raw_took.quantile_us(share))
    }
}

/// One who claims and releases, over and over.
type Worker = Box<dyn FnMut() -> Outcome<Duration> + Send>;

fn side_by_side(server: &Server, rooms: usize, slice: Duration, rounds: usize) -> Outcome<Sides> {
    let (mut ours, mut raw) = (Vec::new(), Vec::new());
    for number in 0..rooms {
        let agent = format!("bench:{rooms}-{number}");
        let mut player =
            Player::join(Path::new(&server.url()), &server.workspace(&format!("{rooms}-{number}")), &agent)?;
        ours.push(Box::new(move || player.transition(Door::Json).map_err(refused)) as Worker);
        let workspace = server.workspace(&format!("raw-{rooms}-{number}"));
        let mut yardstick = Raw::open(&server.url(), &workspace, &agent)?;
        raw.push(Box::new(move || yardstick.transition()) as Worker);
    }
    let mut sides = Sides::default();
    // The first slice of each is a warm-up and is thrown away.
    for round in 0..=rounds {
        let (raw_rate, raw_took) = together(&mut raw, slice)?;
        let (rate, took) = together(&mut ours, slice)?;
        if round > 0 {
            sides.raw.push(raw_rate);
            sides.ours.push(rate);
            sides.raw_took.merge(raw_took);
            sides.ours_took.merge(took);
        }
    }
    Ok(sides)
}

/// Lets all workers work at once for a while, and tells how many transitions they made together in a second.
fn together(workers: &mut [Worker], slice: Duration) -> Outcome<(f64, Samples)> {
    let start = Arc::new(Barrier::new(workers.len()));
    let began = Instant::now();
    let done: Vec<Outcome<Samples>> = thread::scope(|scope| {
        let running: Vec<_> = workers
            .iter_mut()
            .map(|worker| {
                let start = start.clone();
                scope.spawn(move || {
                    start.wait();
                    let (began, mut took) = (Instant::now(), Samples::default());
                    // Ends with the stick given back.
                    while began.elapsed() < slice || took.len() % 2 == 1 {
                        took.add(worker()?);
                    }
                    Ok(took)
                })
            })
            .collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(Trouble::from("a worker panicked"))))
            .collect()
    });
    let elapsed = began.elapsed();
    let mut all = Samples::default();
    for took in done {
        all.merge(took?);
    }
    Ok((all.len() as f64 / elapsed.as_secs_f64(), all))
}

fn handoffs(setting: &Setting, server: &Server) -> Outcome<Handoffs> {
    let (store, workspace) = (PathBuf::from(server.url()), server.workspace("handoffs"));
    let mut giver = waiters::Server::join(setting, &store, &workspace, "bench:giver")?;
    let recipient = Recipient::join(setting, &store, &workspace, "bench:recipient", "bench:giver")?;
    Handoffs::between(&mut giver, &recipient, setting.pick(500, 100), SETTLE)
}

fn rings(server: &Server, rounds: usize) -> Outcome<Samples> {
    let bell = Bell::hang(&server.url())?;
    let mut samples = Samples::default();
    for _ in 0..rounds {
        thread::sleep(SETTLE / 5);
        samples.add(bell.ring()?);
    }
    Ok(samples)
}
