//! Writes: where they run, and that they hold up nobody.

use std::{
    sync::{Condvar, Mutex},
    thread,
    time::Duration,
};

use baton_app::{
    App, Caller, Failure,
    commands::{
        room::{Join, List, ListInput, NoteInput},
        stick::Wait,
    },
    table::{Command, Effect, Place, Tier, UseCase},
};
use serde_json::{Value, json};

use super::wire::Wire;
use crate::tools::Tools;

static TABLE: &[Command] = &[
    Command::of::<Join>(),
    Command::of::<Wait>(),
    Command::of::<List>(),
    Command::of::<Where>(),
    Command::of::<Stuck>(),
];
/// Whether the write that is stuck may go on.
static GATE: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());
/// After this the stuck write gives up, so that a test that must fail does.
const PATIENCE: Duration = Duration::from_secs(5);

/// A write that tells on which thread it runs.
struct Where;

impl UseCase for Where {
    const NAME: &'static str = "room.where";
    const PLACE: Place = Place::Tool("where", Tier::Daily);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "For tests.";
    type Input = ListInput;
    type Output = Value;

    fn perform(_: &App, _: &Caller, _: ListInput) -> Result<Value, Failure> {
        Ok(json!({"thread": this_thread()}))
    }
}

/// A write that waits, as for another process that writes.
struct Stuck;

impl UseCase for Stuck {
    const NAME: &'static str = "room.stuck";
    const PLACE: Place = Place::Tool("stuck", Tier::Daily);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "For tests.";
    type Input = NoteInput;
    type Output = Value;

    fn perform(_: &App, _: &Caller, _: NoteInput) -> Result<Value, Failure> {
        let (open, bell) = (GATE.0.lock().unwrap(), &GATE.1);
        let (open, _) = bell.wait_timeout_while(open, PATIENCE, |open| !*open).unwrap();
        Ok(json!({"let_go": *open}))
    }
}

fn this_thread() -> String {
    format!("{:?}", thread::current().id())
}

async fn greeted() -> Wire {
    let mut wire = Wire::offering(Tools::of(TABLE, Tier::Daily));
    wire.initialize("2025-11-25").await;
    wire
}

async fn where_a_write_runs(wire: &mut Wire) -> String {
    let answer = wire.call("where", json!({})).await;
    answer["structuredContent"]["thread"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[tokio::test]
async fn a_write_that_is_alone_stays_and_one_beside_a_wait_crosses_over() {
    let mut wire = greeted().await;
    let room = wire.join_room_held_by_another().await;
    // Joining may have been slow, and then the next write crosses over once.
    let mut tries = (0..100).map(|_| ());
    while where_a_write_runs(&mut wire).await != this_thread() {
        tries.next().expect("a quick write among a hundred");
    }
    let wait = json!({"name": "wait_for_turn", "arguments": {"room_id": room, "max_wait_ms": 50_000}});
    wire.ask("tools/call", wait).await;
    assert_ne!(where_a_write_runs(&mut wire).await, this_thread());
    wire.hang_up().await;
    wire.ended().await.unwrap();
}

#[tokio::test]
async fn a_write_that_has_to_wait_holds_up_neither_a_wait_nor_a_read() {
    let mut wire = greeted().await;
    let room = wire.join_room_held_by_another().await;
    let wait = json!({"name": "wait_for_turn", "arguments": {"room_id": room, "max_wait_ms": 100}});
    let wait = wire.ask("tools/call", wait).await;
    let stuck = json!({"name": "stuck", "arguments": {"room_id": room, "text": "stuck"}});
    let stuck = wire.ask("tools/call", stuck).await;
    assert_eq!(wire.call("list_rooms", json!({})).await["isError"], false);
    let waited = wire.read().await;
    assert_eq!((&waited["id"], &waited["result"]["structuredContent"]["status"]), (&json!(wait), &json!("not_yet")));
    *GATE.0.lock().unwrap() = true;
    GATE.1.notify_all();
    let written = wire.read().await;
    assert_eq!((&written["id"], &written["result"]["structuredContent"]), (&json!(stuck), &json!({"let_go": true})));
}
