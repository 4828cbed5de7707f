//! Row 1: a claim or a release in one process, through the app, against the raw transaction.
//!
//! Both run in this process, each on a store of its own, in alternating slices; a ratio is taken of each pair of
//! neighbours, and the middle one told. The door that adapters use ([`Door::Json`]) is the one that is judged.

use std::time::Duration;

use crate::{
    player::{Door, Player},
    process,
    raw::Raw,
    report::{Measure, Measured, Target},
    stats::{Samples, median},
    trouble::{Outcome, refused},
};

use super::Setting;

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let place = tempfile::tempdir()?;
    let slice = Duration::from_millis(setting.pick(400, 250));
    let mut player = Player::join(&place.path().join("baton"), &place.path().join("workspace"), "bench:one")?;
    let mut raw = Raw::open(&place.path().join("raw"), &place.path().join("raw-workspace"), "bench:one")?;

    let mut sides = [Side::default(), Side::default(), Side::default()];
    // The first slice of each is a warm-up and is thrown away.
    for round in 0..=setting.pick(12, 4) {
        let slices = [
            work(slice, || Ok(raw.transition()?))?,
            work(slice, || player.transition(Door::Json).map_err(refused))?,
            work(slice, || player.transition(Door::Typed).map_err(refused))?,
        ];
        if round > 0 {
            sides.iter_mut().zip(slices).for_each(|(side, slice)| side.keep(slice));
        }
    }
    let [mut raw, mut json, mut typed] = sides;
    let rate = |what: &str, side: &Side| {
        let ratios: Vec<_> = side.rates.iter().zip(&raw.rates).map(|(ours, raw)| ours / raw).collect();
        // The ratio of neighbours, on the scale of the raw rate, so that the table's ratio is the middle one.
        let raw_rate = median(&raw.rates);
        Measure::new(what, median(&ratios) * raw_rate, "/s").against(raw_rate)
    };
    let judged = rate("claim or release through the app (Command::run)", &json).target(Target::RatioAtLeast(0.70));
    let told = rate("the same with Rust types (UseCase::run)", &typed);
    let mut tail = |what: &str, share: f64| {
        Measure::new(what, json.took.quantile_us(share), "µs").against(raw.took.quantile_us(share))
    };
    let cost = Measure::new("its processor time", median(&json.costs_us), "µs").against(median(&raw.costs_us));
    let measures = vec![
        judged,
        told,
        cost,
        tail("its p50", 0.5),
        tail("its p99", 0.99),
        tail("its p99.9", 0.999).target(Target::RatioAtMost(2.0)),
    ];
    let note = format!(
        "{} transitions through the app, {} raw; typed p99.9 {:.0} µs. A claim with no time to wait is one transaction, like a release.",
        json.took.len(),
        raw.took.len(),
        typed.took.quantile_us(0.999),
    );
    Ok(Measured { measures, notes: vec![note] })
}

/// The slices of one side.
#[derive(Default)]
struct Side {
    rates: Vec<f64>,
    /// Processor time of one transition, which a busy machine disturbs less.
    costs_us: Vec<f64>,
    took: Samples,
}

impl Side {
    fn keep(&mut self, slice: Slice) {
        let busy: i64 = slice.took.nanos().iter().sum();
        self.rates.push(slice.took.len() as f64 * 1e9 / busy as f64);
        self.costs_us.push(slice.cost_us);
        self.took.merge(slice.took);
    }
}

/// What one side did in its slice.
struct Slice {
    took: Samples,
    cost_us: f64,
}

/// Works until the work itself has taken `for_at_least`, and ends with the stick given back.
fn work(for_at_least: Duration, mut step: impl FnMut() -> Outcome<Duration>) -> Outcome<Slice> {
    let mut took = Samples::default();
    let mut total = Duration::ZERO;
    let before = process::this_thread_us();
    while total < for_at_least || took.len() % 2 == 1 {
        let one = step()?;
        total += one;
        took.add(one);
    }
    let cost_us = (process::this_thread_us() - before) / took.len() as f64;
    Ok(Slice { took, cost_us })
}
