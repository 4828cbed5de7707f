//! Row 2: sixteen processes that all write to one store.
//!
//! A transition is a committed write, so the work must be one in which every process can commit at any time:
//! each claims and releases the stick of a room of its own. The rooms are apart and the store's one write lock is
//! not, so all sixteen contend on every transition, and one of them does exactly what the raw yardstick does, which
//! makes the total comparable with one raw process. With the stick of one room the turn order would hand out equal
//! shares whatever the lock did. Two works on one shared room are told beside it: notes, where the room's row is
//! shared too, and turns of one stick, where fifteen wait at the bell.
//!
//! The worst wait is the longest single call, claim or release, from before the lock is asked for until the answer;
//! for the raw side it is the whole raw transaction. Both sides run as long.

use std::time::Duration;

use crate::{
    crew::{Shift, Task},
    report::{Measure, Measured, Target},
    stats::median,
    trouble::Outcome,
    worker::Work,
};

use super::Setting;

const WORKERS: usize = 16;

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let run_for = Duration::from_millis(setting.pick(3_000, 1_500));
    let task = |workers, work| Task { workers, work, run_for, thought: Duration::ZERO };
    let alone = Task { run_for: run_for / 2, ..task(1, Work::Raw) };
    let (mut single, mut ours, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..setting.pick(3, 1) {
        single.push(alone.run()?);
        ours.push(task(WORKERS, Work::OwnRoom).run()?);
        plain.push(task(WORKERS, Work::Raw).run()?);
    }
    let notes_in_one_room = task(WORKERS, Work::Notes).run()?;
    let one_stick = task(WORKERS, Work::OneStick).run()?;

    let rates = |shifts: &[Shift]| middle(shifts, |shift| shift.per_second);
    let worst = |shifts: &[Shift]| middle(shifts, |shift| shift.took.worst_us() / 1_000.0);
    let evenness = |shifts: &[Shift]| shifts.iter().map(Shift::evenness).fold(f64::INFINITY, f64::min);
    let busy = |shifts: &[Shift]| shifts.iter().map(|shift| shift.busy).sum::<u64>();
    let wal = |shifts: &[Shift]| shifts.iter().map(|shift| shift.wal_bytes).max().unwrap_or_default() as f64 / 1e6;
    let measures = vec![
        Measure::new("16 processes, total, against one raw process", rates(&ours), "/s")
            .against(rates(&single))
            .target(Target::RatioAtLeast(0.75)),
        Measure::new("worst wait, against plain busy_timeout", worst(&ours), "ms")
            .against(worst(&plain))
            .target(Target::RatioAtMost(1.0 / 6.0)),
        Measure::new("least served by most served", evenness(&ours), "")
            .against(evenness(&plain))
            .target(Target::AtLeast(0.5)),
        Measure::new("BUSY errors", busy(&ours) as f64, "").target(Target::AtMost(0.0)),
        Measure::new("write-ahead log afterwards", wal(&ours), "MB").against(wal(&plain)).target(Target::AtMost(64.0)),
        Measure::new("16 raw processes, plain busy_timeout, total", rates(&plain), "/s").against(rates(&single)),
        Measure::new("16 processes, notes in one room, total", notes_in_one_room.per_second, "/s"),
        Measure::new("16 processes, turns of one stick by waiting", one_stick.per_second, "/s"),
    ];
    let all_worst = |shifts: &[Shift]| shifts.iter().map(|shift| shift.took.worst_us() / 1e3).fold(0.0, f64::max);
    let notes = vec![
        format!(
            "worst waits of all rounds: {:.1} ms through the app, {:.1} ms plain; BUSY errors of plain busy_timeout: {}",
            all_worst(&ours),
            all_worst(&plain),
            busy(&plain),
        ),
        format!(
            "notes in one room: least by most served {:.2}, worst {:.1} ms, BUSY {}; one stick: least by most {:.2}",
            notes_in_one_room.evenness(),
            notes_in_one_room.took.worst_us() / 1e3,
            notes_in_one_room.busy,
            one_stick.evenness(),
        ),
    ];
    Ok(Measured { measures, notes })
}

fn middle(shifts: &[Shift], of: impl Fn(&Shift) -> f64) -> f64 {
    median(&shifts.iter().map(of).collect::<Vec<_>>())
}
