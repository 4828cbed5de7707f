//! Row 8: one MCP call that reads, against the bare server's echo, in alternating slices.
//!
//! The echo of a short text is the yardstick that is judged against. An echo as long as Baton's answer is told
//! beside it, because an answer has the room twice (as text and structured) and its bytes cost both alike.
//!
//! Client and servers share one processor, so that the kernel's choice of where to wake them does not decide.

use std::time::Instant;

use serde_json::json;

use crate::{
    helpers,
    player::Player,
    process,
    report::{Measure, Measured, Target},
    stats::{Samples, median},
    trouble::Outcome,
    wire::Wire,
};

use super::Setting;

/// Calls in a slice.
const SLICE: usize = 500;

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let _pinned = process::OneProcessor::take()?;
    let place = tempfile::tempdir()?;
    let (data, workspace) = (place.path().join("data"), place.path().join("workspace"));
    let player = Player::join(&data, &workspace, "bench:other")?;
    let mut ours = Wire::spawn(setting.servers.command(&data, "bench:reader"))?;
    ours.join(&workspace, player.room_id())?;
    let mut command = helpers::command("helper-bare-mcp")?;
    command.arg(&data);
    let mut bare = Wire::spawn(command)?;

    let state = json!({"name": "get_room_state", "arguments": {"room_id": player.room_id()}}).to_string();
    let bytes = ours.ask_naming(&state, player.room_id())?.len();
    let echo = json!({"name": "echo", "arguments": {"text": player.room_id()}}).to_string();
    bare.ask_naming(&echo, player.room_id())?;
    let long_echo = json!({"name": "echo", "arguments": {"bytes": bytes}}).to_string();

    let (mut read, mut short, mut long) = (Vec::new(), Vec::new(), Vec::new());
    let (mut read_cost, mut short_cost) = (Vec::new(), Vec::new());
    for round in 0..=setting.pick(30, 8) {
        let slices = [calls(&mut ours, &state)?, calls(&mut bare, &echo)?, calls(&mut bare, &long_echo)?];
        // The first slice of each is a warm-up and is thrown away.
        if round > 0 {
            let [ours, echoed, echoed_long] = slices;
            read_cost.push(ours.cost_us);
            short_cost.push(echoed.cost_us);
            read.push(ours.took);
            short.push(echoed.took);
            long.push(echoed_long.took);
        }
    }
    let p50 =
        |slices: &mut [Samples]| median(&slices.iter_mut().map(|slice| slice.quantile_us(0.5)).collect::<Vec<_>>());
    let (read, short, long) = (p50(&mut read), p50(&mut short), p50(&mut long));
    let measures = vec![
        Measure::new("get_room_state through MCP, p50, against a bare echo", read, "µs")
            .against(short)
            .target(Target::RatioAtMost(2.0)),
        Measure::new("the same, against an echo of the same length", read, "µs").against(long),
        Measure::new("the server's processor time for it", median(&read_cost), "µs").against(median(&short_cost)),
    ];
    Ok(Measured { measures, notes: vec![format!("the answer to get_room_state has {bytes} bytes")] })
}

/// A slice of calls.
struct Slice {
    took: Samples,
    /// The server's processor time for one call, which a busy machine disturbs less.
    cost_us: f64,
}

fn calls(wire: &mut Wire, params: &str) -> Outcome<Slice> {
    let mut took = Samples::default();
    let before = process::usage(wire.pid())?;
    for _ in 0..SLICE {
        let started = Instant::now();
        wire.ask("tools/call", params)?;
        took.add(started.elapsed());
    }
    let nanos = process::usage(wire.pid())?.nanos - before.nanos;
    Ok(Slice { took, cost_us: nanos as f64 / 1e3 / SLICE as f64 })
}
