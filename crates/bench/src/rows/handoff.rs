//! Row 5: from the release in one process to the answered wait in another, through MCP.
//!
//! The commit itself cannot be seen from outside, so it is bracketed. From just before the release is written to its
//! server until the waiter's answer is read is an upper bound: it also has the way of the request and the
//! transaction. From the release's own answer until the waiter's is a lower bound, and may be negative, because
//! both answers are under way at once. With the release made through the app in this process the upper bound is
//! tighter: only the transaction itself is in it. The bounds of the first kind are judged.

use std::time::Duration;

use crate::{
    player::Player,
    report::{Measure, Measured, Target},
    stats::Samples,
    trouble::Outcome,
};

use super::{
    Setting, waiters,
    waiters::{Giver, Recipient},
};

/// Long enough for a wait that was just asked for to sit at the bell.
const SETTLE: Duration = Duration::from_millis(3);

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let rounds = setting.pick(1_000, 200);
    let mut through_mcp = between_servers(setting, rounds)?;
    let mut from_app = from_this_process(setting, rounds)?;
    let ms = |samples: &mut Samples, share: f64| samples.quantile_us(share) / 1e3;
    let (upper, lower) = (&mut through_mcp.from_asking, &mut through_mcp.from_answer);
    let mut measures = vec![
        Measure::new("handoff, release written → wait answered, p50", ms(upper, 0.5), "ms").target(Target::AtMost(0.3)),
        Measure::new("the same, p99", ms(upper, 0.99), "ms").target(Target::AtMost(2.0)),
        Measure::new("release answered → wait answered, p50 (lower bound)", ms(lower, 0.5), "ms"),
        Measure::new("the same, p99", ms(lower, 0.99), "ms"),
        Measure::new("release called in the app → wait answered, p50", ms(&mut from_app.from_asking, 0.5), "ms"),
        Measure::new("the same, p99", ms(&mut from_app.from_asking, 0.99), "ms"),
    ];
    let sixteen = waiters::sixteen(setting)?;
    measures.extend(sixteen.measures);
    Ok(Measured { measures, notes: sixteen.notes })
}

/// How long the handoffs took.
#[derive(Default)]
pub(super) struct Handoffs {
    /// Since just before the release was asked for.
    pub(super) from_asking: Samples,
    /// Since the release was answered.
    pub(super) from_answer: Samples,
}

impl Handoffs {
    /// Hands the stick over and back, as often as asked, with `settle` before each.
    pub(super) fn between(
        giver: &mut dyn Giver,
        recipient: &Recipient,
        rounds: usize,
        settle: Duration,
    ) -> Outcome<Self> {
        let mut handoffs = Self::default();
        // The first ones warm up both sides.
        let warm_up = rounds / 20;
        for round in 0..rounds + warm_up {
            giver.take()?;
            recipient.wait()?;
            std::thread::sleep(settle);
            let given = giver.give()?;
            let received = recipient.received()?;
            recipient.pass_back()?;
            if round >= warm_up {
                handoffs.from_asking.add(received.saturating_duration_since(given.asked));
                let since_answer = match received.checked_duration_since(given.answered) {
                    Some(after) => crate::stats::nanos(after),
                    None => -crate::stats::nanos(given.answered.saturating_duration_since(received)),
                };
                handoffs.from_answer.add_nanos(since_answer);
            }
        }
        Ok(handoffs)
    }
}

fn between_servers(setting: &Setting, rounds: usize) -> Outcome<Handoffs> {
    let place = tempfile::tempdir()?;
    let (data, workspace) = (place.path().join("data"), place.path().join("workspace"));
    let mut giver = waiters::Server::join(setting, &data, &workspace, "bench:giver")?;
    let recipient = Recipient::join(setting, &data, &workspace, "bench:recipient", "bench:giver")?;
    Handoffs::between(&mut giver, &recipient, rounds, SETTLE)
}

fn from_this_process(setting: &Setting, rounds: usize) -> Outcome<Handoffs> {
    let place = tempfile::tempdir()?;
    let (data, workspace) = (place.path().join("data"), place.path().join("workspace"));
    let mut giver = Player::join(&data, &workspace, "bench:giver")?;
    let recipient = Recipient::join(setting, &data, &workspace, "bench:recipient", "bench:giver")?;
    Handoffs::between(&mut giver, &recipient, rounds, SETTLE)
}
