//! Row 3: eight processes that think for 5 ms between two transitions, as busy agents at most do.
//!
//! The store is idle most of the time, so what is measured is how long a writer sleeps after a collision.

use std::time::Duration;

use crate::{
    crew::Task,
    report::{Measure, Measured, Target},
    stats::Samples,
    trouble::Outcome,
    worker::Work,
};

use super::Setting;

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let run_for = Duration::from_millis(setting.pick(3_000, 2_000));
    let task = |work| Task { workers: 8, work, run_for, thought: Duration::from_millis(5) };
    let (mut ours, mut plain) = (Samples::default(), Samples::default());
    for _ in 0..setting.pick(4, 1) {
        ours.merge(task(Work::OwnRoom).run()?.took);
        plain.merge(task(Work::Raw).run()?.took);
    }
    let mut tail = |what: &str, share: f64| {
        Measure::new(what, ours.quantile_us(share) / 1e3, "ms").against(plain.quantile_us(share) / 1e3)
    };
    let measures = vec![
        tail("8 processes with 5 ms of thought, p50", 0.5),
        tail("their p99, against plain busy_timeout", 0.99).target(Target::RatioAtMost(0.35)),
        tail("their p99.9", 0.999),
    ];
    Ok(Measured { measures, notes: vec![format!("{} transitions through the app, {} raw", ours.len(), plain.len())] })
}
