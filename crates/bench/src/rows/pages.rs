//! Row 18: every page of the dashboard, in a room with ten thousand events and two thousand jobs.
//!
//! A kept connection asks for each page in turn. What is judged is the time until the first byte of the answer, since a
//! browser begins to lay out then, and how long the page is. The yardstick is a bare axum route that answers as many bytes.

use serde_json::json;

use crate::{
    bus::{BareHttp, Requests, Up, get, post},
    player::Player,
    report::{Measure, Measured, Target},
    stats::Samples,
    trouble::{Outcome, refused},
};

use super::Setting;

const JOBS: u32 = 2_000;
const EVENTS: u64 = 10_000;
/// Bytes that a page may have, and milliseconds until its first.
const PAGE_KB: f64 = 200.0;
const FIRST_BYTE_MS: f64 = 50.0;

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let filled = setting.stores.with(JOBS)?;
    let player = Player::join(&filled.data(), &filled.workspace(), "bench:manager")?;
    for _ in filled.events..EVENTS {
        player.note().map_err(refused)?;
    }
    let up = Up::start(&filled.data())?;
    let bare = BareHttp::start()?;
    let mut measures = Vec::new();
    for (name, path) in pages(&filled.room_id) {
        let request = get(up.address(), &path, &up.owner_headers());
        let (mut first_byte, mut bytes) = (Samples::default(), 0);
        let mut connection = Requests::connect(up.address())?;
        for round in 0..setting.pick(60, 15) {
            let answer = connection.time(&request)?;
            bytes = answer.bytes;
            if round > 2 {
                first_byte.add(answer.first_byte);
            }
        }
        let echo = post(bare.address(), "/echo", "", &json!({ "bytes": bytes }).to_string());
        let (mut yardstick, mut connection) = (Samples::default(), Requests::connect(bare.address())?);
        for _ in 0..setting.pick(60, 15) {
            yardstick.add(connection.time(&echo)?.first_byte);
        }
        let ms = |samples: &mut Samples, share: f64| samples.quantile_us(share) / 1e3;
        measures.push(
            Measure::new(format!("{name}: first byte, p50"), ms(&mut first_byte, 0.5), "ms")
                .against(ms(&mut yardstick, 0.5))
                .target(Target::AtMost(FIRST_BYTE_MS)),
        );
        measures.push(Measure::new("the same, p99", ms(&mut first_byte, 0.99), "ms"));
        measures.push(Measure::new("its size", bytes as f64 / 1e3, "KB").target(Target::AtMost(PAGE_KB)));
    }
    let note = format!("{JOBS} jobs and {EVENTS} events in one room; 2 processors for the server and its client");
    Ok(Measured { measures, notes: vec![note] })
}

fn pages(room: &str) -> [(&'static str, String); 11] {
    [
        ("now", "/".to_owned()),
        ("rooms", "/rooms".to_owned()),
        ("room", format!("/rooms/{room}")),
        ("graph", format!("/rooms/{room}/graph")),
        ("inspector", format!("/rooms/{room}/agents/bench:manager")),
        ("jobs of a room", format!("/rooms/{room}/jobs")),
        ("a job", format!("/rooms/{room}/jobs/JOB-001")),
        ("all jobs", "/jobs".to_owned()),
        ("agents", "/agents".to_owned()),
        ("doctor", "/doctor".to_owned()),
        ("search", "/search?q=error".to_owned()),
    ]
}
