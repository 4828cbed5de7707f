//! Row 7: how soon a server that was just started answers, and what it takes while it idles.
//!
//! From before the process is started until `tools/list` is answered, `initialize` included, on a store that is
//! there. The yardstick is the bare server, which opens the same database.

use std::{
    process::Command,
    thread,
    time::{Duration, Instant},
};

use baton_mcp::client::Client;

use crate::{
    helpers,
    player::Player,
    process::{self, Memory},
    report::{Measure, Measured, Target},
    servers::CLIENT_NAME,
    stats::{Samples, median},
    trouble::{Outcome, refused},
};

use super::Setting;

/// Long enough for a server to have done what it puts off until it is idle.
const SETTLE: Duration = Duration::from_millis(30);

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let place = tempfile::tempdir()?;
    let data = place.path().join("data");
    let player = Player::join(&data, &place.path().join("workspace"), "bench:first")?;
    player.note().map_err(refused)?;

    let (mut ours, mut bare) = (Side::default(), Side::default());
    for _ in 0..setting.pick(40, 15) {
        ours.keep(start(setting.servers.command(&data, "bench:starter"))?);
        let mut command = helpers::command("helper-bare-mcp")?;
        command.arg(&data);
        bare.keep(start(command)?);
    }
    let measures = vec![
        Measure::new("spawn → tools/list answered, p50", ours.took.quantile_us(0.5) / 1e3, "ms")
            .against(bare.took.quantile_us(0.5) / 1e3)
            .target(Target::AtMost(5.0)),
        Measure::new("the same, p90", ours.took.quantile_us(0.9) / 1e3, "ms").against(bare.took.quantile_us(0.9) / 1e3),
        Measure::new("idle memory, resident", ours.resident(), "MB")
            .against(bare.resident())
            .target(Target::AtMost(8.0)),
        Measure::new("idle memory, shared pages divided", ours.proportional(), "MB").against(bare.proportional()),
    ];
    Ok(Measured { measures, notes: vec!["the yardstick is a bare rmcp server that opens the same store".to_owned()] })
}

#[derive(Default)]
struct Side {
    took: Samples,
    memory: Vec<Memory>,
}

impl Side {
    fn keep(&mut self, (took, memory): (Duration, Memory)) {
        self.took.add(took);
        self.memory.push(memory);
    }

    fn resident(&self) -> f64 {
        median(&self.memory.iter().map(|memory| memory.resident / 1e6).collect::<Vec<_>>())
    }

    fn proportional(&self) -> f64 {
        median(&self.memory.iter().map(|memory| memory.proportional / 1e6).collect::<Vec<_>>())
    }
}

fn start(command: Command) -> Outcome<(Duration, Memory)> {
    let started = Instant::now();
    let mut client = Client::spawn(command, CLIENT_NAME)?;
    client.list_tools()?;
    let took = started.elapsed();
    thread::sleep(SETTLE);
    let memory = process::memory(client.pid())?;
    client.close()?;
    Ok((took, memory))
}
