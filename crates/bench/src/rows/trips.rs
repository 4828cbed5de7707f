//! Round trips of one client, on several sides in alternating slices: what rows 15 and 16 have in common.
//!
//! A rate is that of a slice's middle trip: on a machine that others use as well, long trips come and go with what the others
//! do. It says nothing of those, so the rate over all trips and the p99 are told beside it.

use std::time::{Duration, Instant};

use crate::{
    process,
    report::Measure,
    stats::{Samples, median},
    trouble::Outcome,
};

use super::Setting;

/// What is asked, and of whom.
pub(super) struct Side<'a> {
    pid: u32,
    ask: Box<dyn FnMut() -> Outcome<()> + 'a>,
    /// What each slice found: by its middle trip, and over all.
    rates: Vec<f64>,
    rates_over_all: Vec<f64>,
    costs_us: Vec<f64>,
    took: Samples,
}

impl<'a> Side<'a> {
    /// A side that is asked once by each call of `ask`, and answers from the process `pid`.
    pub(super) fn new(pid: u32, ask: impl FnMut() -> Outcome<()> + 'a) -> Self {
        let (rates, rates_over_all, costs_us) = (Vec::new(), Vec::new(), Vec::new());
        Self { pid, ask: Box::new(ask), rates, rates_over_all, costs_us, took: Samples::default() }
    }

    /// Asks on and on for a slice's time.
    fn slice(&mut self, run_for: Duration) -> Outcome<(Samples, f64, f64)> {
        let mut took = Samples::default();
        let before = process::usage(self.pid)?;
        let started = Instant::now();
        let mut last = started;
        while last.duration_since(started) < run_for {
            (self.ask)()?;
            let now = Instant::now();
            took.add(now.duration_since(last));
            last = now;
        }
        let nanos = process::usage(self.pid)?.nanos - before.nanos;
        let (trips, seconds) = (took.len() as f64, last.duration_since(started).as_secs_f64());
        Ok((took, trips / seconds, nanos as f64 / 1e3 / trips))
    }

    /// Round trips in a second, against another side's, by the middle trip.
    pub(super) fn rate(&self, what: &str, other: &Self) -> Measure {
        ratio(what, &self.rates, &other.rates)
    }

    /// The same over all trips.
    pub(super) fn rate_over_all(&self, what: &str, other: &Self) -> Measure {
        ratio(what, &self.rates_over_all, &other.rates_over_all)
    }

    /// What a trip costs its server in processor time, which a busy machine disturbs less.
    pub(super) fn cost(&self, what: &str, other: &Self) -> Measure {
        Measure::new(what, median(&self.costs_us), "µs").against(median(&other.costs_us))
    }

    /// How long a trip takes.
    pub(super) fn quantile(&mut self, what: &str, share: f64, other: &mut Self) -> Measure {
        Measure::new(what, self.took.quantile_us(share), "µs").against(other.took.quantile_us(share))
    }
}

/// A rate against another, on the scale of the other's. The ratio is the middle one of neighbouring slices' ratios.
fn ratio(what: &str, ours: &[f64], others: &[f64]) -> Measure {
    let ratios: Vec<_> = ours.iter().zip(others).map(|(ours, other)| ours / other).collect();
    let yardstick = median(others);
    Measure::new(what, median(&ratios) * yardstick, "/s").against(yardstick)
}

/// Goes round all sides, slice by slice.
pub(super) fn alternate(setting: &Setting, sides: &mut [Side<'_>]) -> Outcome<()> {
    let run_for = Duration::from_millis(setting.pick(400, 200));
    // The first slice of each is a warm-up and is thrown away.
    for round in 0..=setting.pick(12, 6) {
        for side in &mut *sides {
            let (mut took, rate, cost_us) = side.slice(run_for)?;
            if round > 0 {
                side.rates.push(1e6 / took.quantile_us(0.5));
                side.rates_over_all.push(rate);
                side.costs_us.push(cost_us);
                side.took.merge(took);
            }
        }
    }
    Ok(())
}

/// The length of an answer, which must have `part` in it: a refusal would be answered faster.
pub(super) fn expect(answer: &[u8], part: &str) -> Outcome<usize> {
    if answer.windows(part.len()).any(|window| window == part.as_bytes()) {
        return Ok(answer.len());
    }
    Err(format!("a call was answered with {}", String::from_utf8_lossy(answer)).into())
}

/// The input of the next `action.submit`: one message for `dst`, with an id that was not used before.
pub(super) fn submission(session: &str, dst: &str, number: u64) -> serde_json::Value {
    serde_json::json!({
        "room_id": session,
        "group_id": format!("group-{number}"),
        "actions": [{
            "type": "message", "kind": "user", "dst": dst, "action_id": format!("action-{number}"), "action_index": 0,
            "text": "Look at the parser, please: an empty line ends it too soon.",
        }],
    })
}
