//! Row 14: the newest 20 events of a room, through the app, in a room with ten thousand events and in the largest there is.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::{
    player::Player,
    report::{Measure, Measured, Target},
    trouble::{Outcome, refused},
};

use super::{Setting, looks::Place};

/// Jobs that come to ten thousand events, and to three millions.
const SIZES: [u32; 2] = [3_420, 1_000_000];
const EVENTS: i64 = 20;

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let open = |jobs| Place::open(setting.stores.with(jobs)?);
    let [small, large] = SIZES;
    let (mut small, mut large) = (open(small)?, open(large)?);
    for _ in 0..setting.pick(12, 5) {
        for place in [&mut small, &mut large] {
            place.look(newest, |raw| Ok(raw.newest(EVENTS + 1)?))?;
        }
    }
    let told = |place: &Place| {
        let [ours, raw] = place.p50_us();
        Measure::new(format!("newest 20 of {} events, p50", place.filled.events), ours, "µs").against(raw)
    };
    let (first, last) = (small.p50_us()[0], large.p50_us()[0]);
    let flat =
        Measure::new("the latter against the former", last, "µs").against(first).target(Target::RatioAtMost(2.5));
    Ok(Measured { measures: vec![told(&small), told(&large), flat], notes: Vec::new() })
}

fn newest(player: &Player) -> Outcome<Duration> {
    let input = json!({"room_id": player.room_id(), "limit": EVENTS});
    let command = Player::command("room.events")?;
    let started = Instant::now();
    let answer = player.run(command, input).map_err(refused)?;
    let took = started.elapsed();
    match answer["events"].as_array() {
        Some(events) if events.len() == EVENTS as usize => Ok(took),
        _ => Err(format!("the log showed {answer}").into()),
    }
}
