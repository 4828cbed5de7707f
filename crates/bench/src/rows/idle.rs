//! Row 6: what a server costs while its agent waits and nothing happens.

use std::{thread, time::Duration};

use serde_json::json;

use crate::{
    player::Player,
    process,
    report::{Measure, Measured, Target},
    trouble::{Outcome, refused},
};

use super::Setting;

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let place = tempfile::tempdir()?;
    let (data, workspace) = (place.path().join("data"), place.path().join("workspace"));
    let mut holder = Player::join(&data, &workspace, "bench:holder")?;
    holder.claim(0).map_err(refused)?.ok_or("the stick was not free")?;
    let (mut waiter, room_id) = setting.servers.joined(&data, &workspace, "bench:waiter")?;
    waiter.start("wait_for_turn", json!({"room_id": room_id, "max_wait_ms": 50_000}))?;

    thread::sleep(Duration::from_secs(1));
    let watched = Duration::from_secs(setting.pick(10, 5));
    let before = process::usage(waiter.pid())?;
    thread::sleep(watched);
    let after = process::usage(waiter.pid())?;
    let memory = process::memory(waiter.pid())?;

    let seconds = watched.as_secs_f64();
    let wakes = (after.switches - before.switches) as f64 / seconds;
    let percent = (after.nanos - before.nanos) as f64 / 1e9 / seconds * 100.0;
    let measures = vec![
        Measure::new("idle waiter: wake-ups", wakes, "/s").target(Target::AtMost(1.0)),
        Measure::new("idle waiter: processor", percent, "%").target(Target::AtMost(0.02)),
        Measure::new("idle waiter: resident memory", memory.resident / 1e6, "MB"),
    ];
    let note = format!("over {seconds} s, all threads of the server; a wake-up is a context switch of either kind");
    Ok(Measured { measures, notes: vec![note] })
}
