//! Row 11: the life of a job (create, claim, report, complete) through MCP over stdio, one client that waits for each answer,
//! against the same four transactions raw.
//!
//! Client and server share one processor, so that the kernel's choice of where to wake them does not decide.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{
    jobs::{REPORT, RawJobs, SUMMARY, job_to_do},
    player::Player,
    process,
    report::{Measure, Measured, Target},
    stats::{Samples, median},
    trouble::{Outcome, refused},
    wire::Wire,
};

use super::Setting;

/// Lives in a slice: enough for a checkpoint or two.
const SLICE: usize = 240;
const AGENT: &str = "bench:runner";
const STEPS: [&str; 4] = ["create", "claim", "report", "complete"];

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let _pinned = process::OneProcessor::take()?;
    let place = tempfile::tempdir()?;
    let workspace = place.path().join("workspace");
    let [mcp, app, raw] = ["mcp", "app", "raw"].map(|name| place.path().join(name));
    let room_id = Player::join(&mcp, &workspace, "bench:manager")?.room_id().to_owned();
    let mut wire = Wire::spawn(setting.servers.command(&mcp, AGENT))?;
    wire.join(&workspace, &room_id)?;
    let mut served = Served { wire, room_id, jobs: 0 };
    let mut direct = Direct { player: Player::join(&app, &workspace, AGENT)?, jobs: 0 };
    let mut raw = RawJobs::open(&raw, &workspace, AGENT)?;

    let mut sides: [Side; 3] = Default::default();
    for round in 0..=setting.pick(20, 6) {
        let before = process::usage(served.wire.pid())?;
        let mut by_mcp = slice(|| served.life())?;
        by_mcp.cost_us = (process::usage(served.wire.pid())?.nanos - before.nanos) as f64 / 1e3 / SLICE as f64;
        let slices = [by_mcp, slice(|| direct.life())?, slice(|| life(&mut raw))?];
        // The first slice of each is a warm-up and is thrown away.
        if round > 0 {
            sides.iter_mut().zip(slices).for_each(|(side, slice)| side.keep(slice));
        }
    }
    let [mut served, direct, mut raw] = sides;
    let mut measures = vec![
        served.against("job lifecycle through MCP over stdio, one client", &raw).target(Target::AtLeast(2_000.0)),
        direct.against("the same four through the app (Command::run)", &raw),
        Measure::new("the server's processor time for a lifecycle", median(&served.costs_us), "µs")
            .against(median(&raw.costs_us)),
        Measure::new("the app's processor time for it", median(&direct.costs_us), "µs").against(median(&raw.costs_us)),
    ];
    for (step, name) in STEPS.iter().enumerate() {
        let (ours, raw) = (served.steps[step].quantile_us(0.5), raw.steps[step].quantile_us(0.5));
        measures.push(Measure::new(format!("{name} through MCP, p50"), ours, "µs").against(raw));
    }
    Ok(Measured { measures, notes: Vec::new() })
}

/// How long each step of a life took.
type Life = [Duration; 4];

/// What steps 2 to 4 say: the job, and more.
fn inputs(room_id: &str, job: u32) -> [Value; 4] {
    let about = |more: Value| {
        let mut input = json!({"room_id": room_id, "job": format!("JOB-{job:03}"), "runner_id": AGENT});
        if let (Some(input), Value::Object(more)) = (input.as_object_mut(), more) {
            input.extend(more);
        }
        input
    };
    [
        job_to_do(room_id),
        about(json!({})),
        about(json!({"claim_revision": 1, "kind": "progress", "message": REPORT, "percent": 50})),
        about(json!({"claim_revision": 1, "status": "DONE", "summary": SUMMARY})),
    ]
}

/// Through an MCP server.
struct Served {
    wire: Wire,
    room_id: String,
    jobs: u32,
}

impl Served {
    fn life(&mut self) -> Outcome<Life> {
        self.jobs += 1;
        let mut took = Life::default();
        for ((input, op), took) in inputs(&self.room_id, self.jobs).into_iter().zip(STEPS).zip(&mut took) {
            let call = json!({"name": "jobs", "arguments": {"op": op, "args": input}}).to_string();
            let started = Instant::now();
            let answer = self.wire.ask("tools/call", &call)?;
            *took = started.elapsed();
            // The line is not read as JSON, but a refusal would be answered faster.
            if answer.windows(REFUSED.len()).any(|part| part == REFUSED) {
                return Err(format!("{op} was answered with {}", String::from_utf8_lossy(answer)).into());
            }
        }
        Ok(took)
    }
}

/// How an MCP answer says that it is a refusal.
const REFUSED: &[u8] = b"\"isError\":true";

/// Through the app, in this process.
struct Direct {
    player: Player,
    jobs: u32,
}

impl Direct {
    fn life(&mut self) -> Outcome<Life> {
        self.jobs += 1;
        let mut took = Life::default();
        for ((input, op), took) in inputs(self.player.room_id(), self.jobs).into_iter().zip(STEPS).zip(&mut took) {
            let command = Player::command(&format!("jobs.{op}"))?;
            let started = Instant::now();
            self.player.run(command, input).map_err(refused)?;
            *took = started.elapsed();
        }
        Ok(took)
    }
}

fn life(raw: &mut RawJobs) -> Outcome<Life> {
    let (number, created) = raw.create()?;
    Ok([created, raw.claim(number)?.1, raw.report(number)?.1, raw.complete(number)?.1])
}

/// What one side did in its slice.
struct Slice {
    lives: Vec<Life>,
    cost_us: f64,
}

fn slice(mut live: impl FnMut() -> Outcome<Life>) -> Outcome<Slice> {
    let before = process::this_thread_us();
    let lives = (0..SLICE).map(|_| live()).collect::<Outcome<Vec<_>>>()?;
    Ok(Slice { lives, cost_us: (process::this_thread_us() - before) / SLICE as f64 })
}

/// The slices of one side.
#[derive(Default)]
struct Side {
    rates: Vec<f64>,
    costs_us: Vec<f64>,
    steps: [Samples; 4],
}

impl Side {
    fn keep(&mut self, slice: Slice) {
        let busy: Duration = slice.lives.iter().flatten().sum();
        self.rates.push(slice.lives.len() as f64 / busy.as_secs_f64());
        self.costs_us.push(slice.cost_us);
        for life in slice.lives {
            self.steps.iter_mut().zip(life).for_each(|(samples, took)| samples.add(took));
        }
    }

    /// The rate of this side. The ratio is the middle one of those between neighbours.
    fn against(&self, what: &str, raw: &Self) -> Measure {
        let ratios: Vec<_> = self.rates.iter().zip(&raw.rates).map(|(own, raw)| own / raw).collect();
        let yardstick = median(&raw.rates);
        Measure::new(what, median(&ratios) * yardstick, "/s").against(yardstick)
    }
}
