//! Row 13: a radar of 25 rows, through the app, in stores with a thousand, twenty thousand and a million jobs.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{
    jobs::RawLook,
    player::Player,
    report::{Measure, Measured, Target},
    trouble::{Outcome, refused},
};

use super::{Setting, looks::Place};

const SIZES: [u32; 3] = [1_000, 20_000, 1_000_000];
const ROWS: i64 = 25;

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let open = |jobs: &u32| Place::open(setting.stores.with(*jobs)?);
    let mut fields = SIZES.iter().map(open).collect::<Outcome<Vec<_>>>()?;
    let mut lines = SIZES.iter().map(open).collect::<Outcome<Vec<_>>>()?;
    for _ in 0..setting.pick(12, 5) {
        for place in &mut fields {
            place.look(|player| radar(player, "json"), raw)?;
        }
        for place in &mut lines {
            place.look(|player| radar(player, "lines"), raw)?;
        }
    }
    let mut measures = Vec::new();
    for place in &fields {
        let [ours, raw] = place.p50_us();
        let what = format!("radar of 25 rows as fields, {} jobs, p50", place.filled.jobs);
        measures.push(Measure::new(what, ours / 1e3, "ms").against(raw / 1e3).target(Target::AtMost(5.0)));
    }
    for (what, places) in [("as fields", &fields), ("as lines", &lines)] {
        let [first, .., last] = places.as_slice() else { return Err("there are no stores".into()) };
        let (first, last) = (first.p50_us()[0], last.p50_us()[0]);
        let what = format!("radar {what}, 1,000,000 jobs against 1,000");
        measures.push(Measure::new(what, last / 1e3, "ms").against(first / 1e3).target(Target::RatioAtMost(2.0)));
    }
    if let Some(largest) = fields.last_mut() {
        measures.push(Measure::new("its p99, 1,000,000 jobs", largest.took.quantile_us(0.99) / 1e3, "ms"));
    }
    Ok(Measured { measures, notes: Vec::new() })
}

fn radar(player: &Player, format: &str) -> Outcome<Duration> {
    let input = json!({"room_id": player.room_id(), "limit": ROWS, "fmt": format});
    let command = Player::command("jobs.radar")?;
    let started = Instant::now();
    let answer = player.run(command, input).map_err(refused)?;
    let took = started.elapsed();
    let shows_all = match &answer["jobs"] {
        Value::Array(jobs) => jobs.len() == ROWS as usize,
        _ => answer["lines"].as_str().is_some_and(|lines| lines.lines().count() >= ROWS as usize),
    };
    if shows_all { Ok(took) } else { Err(format!("the radar showed {answer}").into()) }
}

fn raw(raw: &RawLook) -> Outcome<Duration> {
    // One more than is shown tells whether there are more.
    Ok(raw.radar(ROWS + 1)?)
}
