//! Row 15: round trips of one client over the bus socket, against a bare echo on the same stack.
//!
//! What is judged is a real command that reads: `session.list` on a store with one session. The echo gives back the request;
//! an echo as long as Baton's answer is told beside it. `action.submit` is a transaction, so it is told against the
//! raw one of row 1, which has no socket between.

use serde_json::json;

use crate::{
    bus::{BareSocket, Lines, Up},
    raw::Raw,
    report::{Measured, Target},
    trouble::Outcome,
};

use super::{
    Setting,
    trips::{self, Side},
};

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let place = tempfile::tempdir()?;
    let up = Up::start(&place.path().join("data"))?;
    let bare = BareSocket::start(place.path())?;
    let mut raw = Raw::open(&place.path().join("raw"), &place.path().join("raw-workspace"), "bench:one")?;
    let session = up.session(&["worker"])?;

    let list = line("session.list", json!({}));
    let ping = line("ping", json!({}));
    let mut reader = Lines::connect(up.socket())?;
    let bytes = trips::expect(reader.ask(&list)?, &session)?;
    let mut pinger = Lines::connect(up.socket())?;
    trips::expect(pinger.ask(&ping)?, r#""status":"ok""#)?;
    let mut echo = Lines::connect(bare.path())?;
    trips::expect(echo.ask(&list)?, "session.list")?;
    let mut long_echo = Lines::connect(bare.path())?;
    let long = format!("{}\n", json!({"bytes": bytes})).into_bytes();
    let mut writer = Lines::connect(up.socket())?;
    let joined = line("agent.add", json!({"room_id": session, "id": "sender"}));
    trips::expect(writer.ask(&joined)?, r#""status":"ok""#)?;
    let mut number = 0;
    let mut submit = || {
        number += 1;
        let request = line("action.submit", trips::submission(&session, "worker", number));
        trips::expect(writer.ask(&request)?, r#""status":"ok""#).map(|_| ())
    };

    let mut sides = [
        Side::new(bare.pid(), || echo.ask(&list).map(|_| ())),
        Side::new(up.pid(), || reader.ask(&list).map(|_| ())),
        Side::new(bare.pid(), || long_echo.ask(&long).map(|_| ())),
        Side::new(up.pid(), || pinger.ask(&ping).map(|_| ())),
        Side::new(up.pid(), &mut submit),
        Side::new(std::process::id(), || Ok(raw.transition().map(|_| ())?)),
    ];
    trips::alternate(setting, &mut sides)?;
    let [mut echo, mut read, long_echo, ping, submit, raw] = sides;
    let measures = vec![
        read.rate("session.list over the socket, against a bare echo", &echo).target(Target::RatioAtLeast(0.6)),
        read.rate("the same, against an echo of the same length", &long_echo),
        read.rate_over_all("the same over all trips, with whatever interrupted them", &echo),
        read.quantile("a trip, p50", 0.5, &mut echo),
        read.quantile("a trip, p99", 0.99, &mut echo),
        read.cost("the server's processor time for it", &echo),
        ping.rate("ping over the socket, against a bare echo", &echo),
        submit.rate("action.submit over the socket, against a raw transaction", &raw),
    ];
    let note = format!("one client that waits for each answer; that to session.list has {bytes} bytes");
    Ok(Measured { measures, notes: vec![note] })
}

/// An envelope on a line.
fn line(kind: &str, payload: serde_json::Value) -> Vec<u8> {
    format!("{}\n", json!({"v": 1, "type": kind, "id": "r1", "payload": payload})).into_bytes()
}
