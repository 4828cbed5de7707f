//! Row 12: claiming the next job and completing it, through the app, in a store with a thousand jobs and in one with a
//! million, each against the raw transactions on a copy of the same store.
//!
//! All four run in this process, in alternating slices, each on a store of its own. A slice uses up most of what waits
//! among a thousand jobs, so there it is put back afterwards. A slice is long enough that each has a checkpoint to pay for.

use std::time::Duration;

use serde_json::Value;

use crate::{
    jobs::{Filled, Hand, RawJobs},
    process,
    report::{Measure, Measured, Target},
    stats::{Samples, median},
    trouble::{Outcome, refused},
};

use super::Setting;

const FEW: u32 = 1_000;
const MANY: u32 = 1_000_000;
/// Jobs that are claimed and completed in a slice. A store with a thousand jobs has enough that wait.
const SLICE: usize = 250;
/// Those at the beginning of a slice that are not counted: statements are prepared, and pages read.
const WARM_UP: usize = 20;
const AGENT: &str = "bench:runner";

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let (few, many) = (setting.stores.with(FEW)?, setting.stores.with(MANY)?);
    let place = tempfile::tempdir()?;
    let copy = |filled: &Filled, name: &str| filled.copy(&place.path().join(name));
    let (app_few, raw_few, raw_many) = (copy(&few, "few")?, copy(&few, "few-raw")?, copy(&many, "many-raw")?);
    let mut few = Pair {
        hand: Hand::join(&app_few, &few.workspace(), AGENT)?,
        raw: RawJobs::open(&raw_few, &few.workspace(), AGENT)?,
        after: After::PutBack,
    };
    let filled = format!(
        "the store with {} jobs has {} events in one room, 3 in 10 jobs wait; it was filled in {:.0} s",
        many.jobs,
        many.events,
        many.took.as_secs_f64()
    );
    let mut many = Pair {
        hand: Hand::join(&many.data(), &many.workspace(), AGENT)?,
        raw: RawJobs::open(&raw_many, &many.workspace(), AGENT)?,
        after: After::GoOn,
    };

    let mut sides: [Side; 4] = Default::default();
    for round in 0..=setting.pick(16, 8) {
        let slices = [few.by_app()?, few.by_raw()?, many.by_app()?, many.by_raw()?];
        // The first slice of each is a warm-up and is thrown away.
        if round > 0 {
            sides.iter_mut().zip(slices).for_each(|(side, slice)| side.keep(slice));
        }
    }
    let [mut app_few, mut raw_few, mut app_many, mut raw_many] = sides;
    let measures = vec![
        app_few
            .against("claim-next + complete through the app, 1,000 jobs", &raw_few)
            .target(Target::RatioAtLeast(0.5)),
        app_many.against("the same, 1,000,000 jobs, against raw there", &raw_many),
        app_many
            .against("its rate at 1,000,000 jobs, against that at 1,000", &app_few)
            .target(Target::RatioAtLeast(0.9)),
        raw_many.against("raw at 1,000,000 jobs, against raw at 1,000", &raw_few),
        cost("processor time of a claim and a completion, 1,000 jobs", &app_few, &raw_few),
        cost("the same, 1,000,000 jobs", &app_many, &raw_many),
        tail("claim-next, p50, 1,000,000 jobs", &mut app_many.claims, &mut raw_many.claims, 0.5),
        tail("complete, p50, 1,000,000 jobs", &mut app_many.completions, &mut raw_many.completions, 0.5),
        tail("claim-next, p99, 1,000,000 jobs", &mut app_many.claims, &mut raw_many.claims, 0.99),
    ];
    let p50 = format!(
        "at 1,000 jobs claim-next has p50 {:.0} µs ({:.0} raw), complete {:.0} ({:.0} raw)",
        app_few.claims.quantile_us(0.5),
        raw_few.claims.quantile_us(0.5),
        app_few.completions.quantile_us(0.5),
        raw_few.completions.quantile_us(0.5),
    );
    Ok(Measured { measures, notes: vec![filled, p50] })
}

/// What one side did in its slice.
#[derive(Default)]
struct Slice {
    claims: Samples,
    completions: Samples,
    cost_us: f64,
}

/// Both ways of working, on two stores with the same jobs.
struct Pair {
    hand: Hand,
    raw: RawJobs,
    after: After,
}

/// What happens to jobs once a slice is over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    /// They are done again.
    PutBack,
    /// There are enough others.
    GoOn,
}

impl Pair {
    fn by_app(&mut self) -> Outcome<Slice> {
        let mut done: Vec<Value> = Vec::new();
        let slice = slice(|| {
            let claimed = self.hand.claim().map_err(refused)?.ok_or("nothing is left to claim")?;
            let completed = self.hand.complete(&claimed).map_err(refused)?;
            done.push(claimed.job);
            Ok([claimed.took, completed])
        })?;
        if self.after == After::PutBack {
            done.iter().try_for_each(|job| self.hand.put_back(job)).map_err(refused)?;
        }
        Ok(slice)
    }

    fn by_raw(&mut self) -> Outcome<Slice> {
        let mut done = Vec::new();
        let slice = slice(|| {
            let (number, claimed) = self.raw.claim_next()?;
            let number = number.ok_or("nothing is left to claim")?;
            done.push(number);
            Ok([claimed, self.raw.complete(number)?.1])
        })?;
        if self.after == After::PutBack {
            done.iter().try_for_each(|number| self.raw.put_back(*number))?;
        }
        Ok(slice)
    }
}

fn slice(mut step: impl FnMut() -> Outcome<[Duration; 2]>) -> Outcome<Slice> {
    for _ in 0..WARM_UP {
        step()?;
    }
    let mut slice = Slice::default();
    let before = process::this_thread_us();
    for _ in 0..SLICE {
        let [claimed, completed] = step()?;
        slice.claims.add(claimed);
        slice.completions.add(completed);
    }
    slice.cost_us = (process::this_thread_us() - before) / SLICE as f64;
    Ok(slice)
}

/// The slices of one side.
#[derive(Default)]
struct Side {
    rates: Vec<f64>,
    costs_us: Vec<f64>,
    claims: Samples,
    completions: Samples,
}

impl Side {
    fn keep(&mut self, slice: Slice) {
        let busy: i64 = slice.claims.nanos().iter().chain(slice.completions.nanos()).sum();
        self.rates.push(SLICE as f64 * 1e9 / busy as f64);
        self.costs_us.push(slice.cost_us);
        self.claims.merge(slice.claims);
        self.completions.merge(slice.completions);
    }

    /// The rate of this side. The ratio is the middle one of those between neighbours.
    fn against(&self, what: &str, other: &Self) -> Measure {
        let ratios: Vec<_> = self.rates.iter().zip(&other.rates).map(|(own, other)| own / other).collect();
        let yardstick = median(&other.rates);
        Measure::new(what, median(&ratios) * yardstick, "/s").against(yardstick)
    }
}

fn cost(what: &str, ours: &Side, raw: &Side) -> Measure {
    Measure::new(what, median(&ours.costs_us), "µs").against(median(&raw.costs_us))
}

fn tail(what: &str, ours: &mut Samples, raw: &mut Samples, share: f64) -> Measure {
    Measure::new(what, ours.quantile_us(share), "µs").against(raw.quantile_us(share))
}
