//! Row 4: a writer that dies, or stops, inside its transaction.
//!
//! The writer is a raw connection in another process that sits between `BEGIN IMMEDIATE` and `COMMIT`. A note
//! through the app is already waiting for the lock when the writer is killed; what is told is the time from the
//! kill to the answer. A writer that is stopped instead keeps its lock, and the note must fail at the deadline
//! with an error that names the writer.

use std::{
    path::Path,
    process::Child,
    thread,
    time::{Duration, Instant},
};

use baton_app::Failure;
use rustix::process::{Pid, Signal, kill_process};

use crate::{
    helpers,
    player::Player,
    report::{Measure, Measured, Target},
    stats::Samples,
    trouble::{Outcome, refused},
};

use super::Setting;

/// Long enough for a note to have reached the lock.
const SETTLE: Duration = Duration::from_millis(30);
/// The store's deadline, and what a machine under load may add to it.
const DEADLINE_MS: f64 = 5_500.0;

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let place = tempfile::tempdir()?;
    let data = place.path().join("data");
    let player = Player::join(&data, &place.path().join("workspace"), "bench:survivor")?;
    player.note().map_err(refused)?;

    let mut after_kill = Samples::default();
    for _ in 0..setting.pick(30, 10) {
        after_kill.add(next_commit_after_kill(&player, &data)?);
    }
    let stopped = note_beside_a_stopped_writer(&player, &data)?;
    let measures = vec![
        Measure::new("kill -9 of a writer → next commit, p50", after_kill.quantile_us(0.5) / 1e3, "ms"),
        Measure::new("the same, worst", after_kill.worst_us() / 1e3, "ms").target(Target::AtMost(5.0)),
        Measure::new("stopped writer → error", stopped.waited_ms, "ms").target(Target::AtMost(DEADLINE_MS)),
        Measure::new("the error names the writer's pid (1 = yes)", f64::from(u8::from(stopped.names_it)), "")
            .target(Target::AtLeast(1.0)),
    ];
    Ok(Measured { measures, notes: vec![format!("the error beside a stopped writer: {}", stopped.failure)] })
}

fn next_commit_after_kill(player: &Player, data: &Path) -> Outcome<Duration> {
    let mut holder = hold(data)?;
    let (killed, committed) = thread::scope(|scope| {
        let note = scope.spawn(|| player.note().map(|_| Instant::now()));
        thread::sleep(SETTLE);
        let killed = Instant::now();
        let sent = holder.kill();
        (sent.map(|()| killed), note.join())
    });
    holder.wait()?;
    let committed = committed.map_err(|_| "the note panicked")?.map_err(refused)?;
    Ok(committed.saturating_duration_since(killed?))
}

struct Stopped {
    waited_ms: f64,
    names_it: bool,
    failure: Failure,
}

fn note_beside_a_stopped_writer(player: &Player, data: &Path) -> Outcome<Stopped> {
    let mut holder = hold(data)?;
    let pid = i32::try_from(holder.id()).ok().and_then(Pid::from_raw).ok_or("a holder has no pid")?;
    kill_process(pid, Signal::STOP)?;
    let started = Instant::now();
    let noted = player.note();
    let waited_ms = started.elapsed().as_secs_f64() * 1e3;
    holder.kill()?;
    holder.wait()?;
    let Err(failure) = noted else { return Err("a note was committed beside a stopped writer".into()) };
    let names_it = failure.message.contains(&holder.id().to_string());
    Ok(Stopped { waited_ms, names_it, failure })
}

fn hold(data: &Path) -> Outcome<Child> {
    let mut command = helpers::command("helper-hold")?;
    command.arg(data);
    Ok(helpers::start(command)?.0)
}
