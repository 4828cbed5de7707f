//! Row 9: the bytes of the default `tools/list`, which every conversation pays for.
//!
//! The whole line is counted, with the few bytes of JSON-RPC around the list.

use crate::{
    report::{Measure, Measured, Target},
    trouble::Outcome,
    wire::Wire,
};

use super::Setting;

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let place = tempfile::tempdir()?;
    let mut wire = Wire::spawn(setting.servers.command(&place.path().join("data"), "bench:lister"))?;
    let bytes = wire.ask("tools/list", "{}")?.len();
    let measure = Measure::new("default tools/list", bytes as f64, "bytes").target(Target::AtMost(9_000.0));
    Ok(Measured { measures: vec![measure], notes: Vec::new() })
}
