//! Row 16: round trips of one client over HTTP/1.1 with its connection kept, against a bare axum route.
//!
//! As row 15: the bare route takes and gives JSON and looks at nothing, Baton's checks host, origin and token, and reads
//! the store. Both are served by hyper on a runtime with the same settings.

use serde_json::{Value, json};

use crate::{
    bus::{BareHttp, Requests, Up, post},
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
    let bare = BareHttp::start()?;
    let mut raw = Raw::open(&place.path().join("raw"), &place.path().join("raw-workspace"), "bench:one")?;
    let session = up.session(&["sender", "worker"])?;

    let headers = up.headers("sender");
    let call =
        |command: &str, input: &Value| post(up.address(), &format!("/v1/call/{command}"), &headers, &input.to_string());
    let list = call("session.list", &json!({}));
    let echoed = post(bare.address(), "/echo", &headers, "{}");
    let mut reader = Requests::connect(up.address())?;
    let bytes = trips::expect(reader.ask(&list)?, &session)?;
    let long = post(bare.address(), "/echo", &headers, &json!({"bytes": bytes}).to_string());
    let (mut echo, mut long_echo) = (Requests::connect(bare.address())?, Requests::connect(bare.address())?);
    trips::expect(echo.ask(&echoed)?, "{}")?;
    let mut writer = Requests::connect(up.address())?;
    let mut number = 0;
    let submit = || {
        number += 1;
        let request = call("action.submit", &trips::submission(&session, "worker", number));
        trips::expect(writer.ask(&request)?, r#""ok":true"#).map(|_| ())
    };

    let mut sides = [
        Side::new(bare.pid(), || echo.ask(&echoed).map(|_| ())),
        Side::new(up.pid(), || reader.ask(&list).map(|_| ())),
        Side::new(bare.pid(), || long_echo.ask(&long).map(|_| ())),
        Side::new(up.pid(), submit),
        Side::new(std::process::id(), || Ok(raw.transition().map(|_| ())?)),
    ];
    trips::alternate(setting, &mut sides)?;
    let [mut echo, mut read, long_echo, submit, raw] = sides;
    let measures = vec![
        read.rate("session.list over HTTP, against a bare axum route", &echo).target(Target::RatioAtLeast(0.6)),
        read.rate("the same, against an answer of the same length", &long_echo),
        read.rate_over_all("the same over all trips, with whatever interrupted them", &echo),
        read.quantile("a trip, p50", 0.5, &mut echo),
        read.quantile("a trip, p99", 0.99, &mut echo),
        read.cost("the server's processor time for it", &echo),
        submit.rate("action.submit over HTTP, against a raw transaction", &raw),
    ];
    let note = format!("one client that waits for each answer; the body of that to session.list has {bytes} bytes");
    Ok(Measured { measures, notes: vec![note] })
}
