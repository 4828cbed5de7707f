//! Row 17: one event to a thousand subscribers over SSE.
//!
//! From just before the writer's request is sent until the last subscriber has the event: that also has the way of
//! the request and the transaction in it, and is judged. From the writer's answer on is told beside it. The yardstick is
//! a bare axum server that broadcasts what it is posted, with as many subscribers, in alternating slices. All clients are one thread
//! with epoll on the same machine, so that some of the time is theirs on both sides.

use crate::{
    bus::{BareHttp, Crowd, Told, Up, get, post},
    process,
    report::{Measure, Measured, Target},
    stats::Samples,
    trouble::Outcome,
};
use serde_json::{Value, json};

use super::Setting;

const SUBSCRIBERS: usize = 1_000;
/// Events of one side before it is the other's turn.
const SLICE: usize = 20;

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    // Both ends of the subscribers that this process has.
    baton_bus::socket::raise_descriptor_limit();
    let place = tempfile::tempdir()?;
    let up = Up::start(&place.path().join("data"))?;
    let bare = BareHttp::start()?;
    let session = up.session(&["sender", "listener"])?;

    let said = json!({"room_id": session, "dst": "listener", "text": "The parser is done; the lexer is yours now."});
    let headers = up.headers("sender");
    let mut ours = Side {
        pid: up.pid(),
        crowd: Crowd::new(up.address())?,
        write: post(up.address(), "/v1/call/message.send", &headers, &said.to_string()),
        subscribe: Box::new(|after| {
            get(up.address(), &format!("/v1/sessions/{session}/events?after={after}"), &headers)
        }),
    };
    let record = a_record(&up, &session, &said)?;
    let mut theirs = Side {
        pid: bare.pid(),
        crowd: Crowd::new(bare.address())?,
        write: post(bare.address(), "/events", "", &record.to_string()),
        subscribe: Box::new(|_| get(bare.address(), "/events", "")),
    };

    let slices = setting.pick(10, 4);
    let [mut one, mut bare_one] = compare(slices, &mut ours, &mut theirs, 1)?;
    let memory = [ours.resident()?, theirs.resident()?];
    let [mut all, mut bare_all] = compare(slices, &mut ours, &mut theirs, SUBSCRIBERS)?;
    let per_subscriber = |before: f64, after: f64| (after - before) / 1024.0 / (SUBSCRIBERS - 1) as f64;
    let memory = [per_subscriber(memory[0], ours.resident()?), per_subscriber(memory[1], theirs.resident()?)];

    let ms = |samples: &mut Samples, share: f64| samples.quantile_us(share) / 1e3;
    let mut both = |what: &str, share: f64| {
        Measure::new(what, ms(&mut all.from_asking, share), "ms").against(ms(&mut bare_all.from_asking, share))
    };
    let measures = vec![
        both("an event to 1,000 SSE subscribers, the last one, p50", 0.5).target(Target::AtMost(30.0)),
        both("the same, p99", 0.99),
        Measure::new("from the writer's answer to the last one, p50", ms(&mut all.from_answer, 0.5), "ms")
            .against(ms(&mut bare_all.from_answer, 0.5)),
        Measure::new("the server's processor time for an event", all.cost_ms, "ms").against(bare_all.cost_ms),
        Measure::new("an event to 1 SSE subscriber, p50", ms(&mut one.from_asking, 0.5), "ms")
            .against(ms(&mut bare_one.from_asking, 0.5)),
        Measure::new("the server's memory for a subscriber", memory[0], "KiB").against(memory[1]),
    ];
    let note = format!(
        "{} events to {SUBSCRIBERS} subscribers, a frame of about {} bytes; the clients' own processor time for one is \
         {:.1} ms (bare: {:.1} ms)",
        all.from_asking.len(),
        record.to_string().len(),
        all.own_ms,
        bare_all.own_ms,
    );
    Ok(Measured { measures, notes: vec![note] })
}

/// A server with its subscribers.
struct Side<'a> {
    pid: u32,
    crowd: Crowd,
    /// The request that makes an event.
    write: Vec<u8>,
    /// The request for what comes after an event.
    subscribe: Box<dyn Fn(u64) -> Vec<u8> + 'a>,
}

/// What came of some events.
#[derive(Default)]
struct Fanned {
    from_asking: Samples,
    from_answer: Samples,
    /// The server's processor time for an event, and the clients'.
    cost_ms: f64,
    own_ms: f64,
}

impl Side<'_> {
    fn gather(&mut self, count: usize) -> Outcome<()> {
        if self.crowd.newest() == 0 {
            self.crowd.tell(&self.write)?;
        }
        let request = (self.subscribe)(self.crowd.newest());
        self.crowd.gather(count, &request)
    }

    fn resident(&self) -> Outcome<f64> {
        Ok(process::memory(self.pid)?.resident)
    }

    fn slice(&mut self, fanned: &mut Fanned) -> Outcome<()> {
        // The first one finds everybody asleep for longer than the others do.
        self.crowd.tell(&self.write)?;
        let (server, own) = (process::usage(self.pid)?, process::this_thread_us());
        for _ in 0..SLICE {
            let Told { from_asking, from_answer } = self.crowd.tell(&self.write)?;
            fanned.from_asking.add(from_asking);
            fanned.from_answer.add_nanos(from_answer);
        }
        fanned.cost_ms += (process::usage(self.pid)?.nanos - server.nanos) as f64 / 1e6;
        fanned.own_ms += (process::this_thread_us() - own) / 1e3;
        Ok(())
    }
}

/// Gives both sides so many subscribers in all, and tells them events in turns.
fn compare<'a>(slices: usize, ours: &mut Side<'a>, theirs: &mut Side<'a>, subscribers: usize) -> Outcome<[Fanned; 2]> {
    let mut fanned = [Fanned::default(), Fanned::default()];
    let mut sides = [ours, theirs];
    for side in &mut sides {
        let there = side.crowd.len();
        side.gather(subscribers - there)?;
    }
    for _ in 0..slices {
        for (side, fanned) in sides.iter_mut().zip(&mut fanned) {
            side.slice(fanned)?;
        }
    }
    for fanned in &mut fanned {
        let events = fanned.from_asking.len() as f64;
        fanned.cost_ms /= events;
        fanned.own_ms /= events;
    }
    Ok(fanned)
}

/// An event as subscribers get it, for the bare server to tell as much.
fn a_record(up: &Up, session: &str, said: &Value) -> Outcome<Value> {
    up.call("sender", "message.send", said)?;
    let history = up.call("sender", "events.history", &json!({"room_id": session}))?;
    let newest = history["events"].as_array().and_then(|events| events.last());
    newest.cloned().ok_or_else(|| format!("the history has no events: {history}").into())
}
