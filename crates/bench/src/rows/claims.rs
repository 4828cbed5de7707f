//! Row 12: claiming the next job and completing it, through the app, in a store with a thousand jobs and in one with a
//! million, each against the raw transactions on a copy of the same store.
//!
//! All four run in this process, in alternating slices. Whatever a thousand jobs leave to claim is used up by a slice, so
//! the small stores are made anew for each.

use std::{path::Path, time::Duration};

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
const SLICE: usize = 200;
/// Those at the beginning of a slice that are not counted: statements are prepared, and pages read.
const WARM_UP: usize = 20;
const AGENT: &str = "bench:runner";

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let (few, many) = (setting.stores.with(FEW)?, setting.stores.with(MANY)?);
    let place = tempfile::tempdir()?;
    let raw_many = many.copy(&place.path().join("many"))?;
    let mut hand_many = Hand::join(&many.data(), &many.workspace(), AGENT)?;
    let mut raw_many = RawJobs::open(&raw_many, &many.workspace(), AGENT)?;

    let mut sides: [Side; 4] = Default::default();
    for round in 0..=setting.pick(12, 6) {
        let slices = [
            with_few(&few, place.path(), |data| app(&mut Hand::join(data, &few.workspace(), AGENT)?))?,
            with_few(&few, place.path(), |data| raw(&mut RawJobs::open(data, &few.workspace(), AGENT)?))?,
            app(&mut hand_many)?,
            raw(&mut raw_many)?,
        ];
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
    let filled = format!(
        "the store with {} jobs has {} events in one room, 3 in 10 jobs wait; it was filled in {:.0} s",
        many.jobs,
        many.events,
        many.took.as_secs_f64()
    );
    let p50 = format!(
        "at 1,000 jobs claim-next has p50 {:.0} µs ({:.0} raw), complete {:.0} ({:.0} raw)",
        app_few.claims.quantile_us(0.5),
        raw_few.claims.quantile_us(0.5),
        app_few.completions.quantile_us(0.5),
        raw_few.completions.quantile_us(0.5),
    );
    Ok(Measured { measures, notes: vec![filled, p50] })
}

/// Works on a fresh copy of the small store.
fn with_few(few: &Filled, place: &Path, work: impl FnOnce(&Path) -> Outcome<Slice>) -> Outcome<Slice> {
    let data = few.copy(&place.join("few"))?;
    let slice = work(&data);
    std::fs::remove_dir_all(&data)?;
    slice
}

/// What one side did in its slice.
#[derive(Default)]
struct Slice {
    claims: Samples,
    completions: Samples,
    cost_us: f64,
}

fn app(hand: &mut Hand) -> Outcome<Slice> {
    slice(|| {
        let claimed = hand.claim().map_err(refused)?.ok_or("nothing is left to claim")?;
        let completed = hand.complete(&claimed).map_err(refused)?;
        Ok([claimed.took, completed])
    })
}

fn raw(raw: &mut RawJobs) -> Outcome<Slice> {
    slice(|| {
        let (number, claimed) = raw.claim_next()?;
        let ((), completed) = raw.complete(number.ok_or("nothing is left to claim")?)?;
        Ok([claimed, completed])
    })
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
