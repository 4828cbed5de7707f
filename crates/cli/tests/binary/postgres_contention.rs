//! Rooms on one server do not wait for each other.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{path::Path, thread};

use baton_testkit::Backend;
use serde_json::json;

use crate::support::{Agent, RoomLock, World, all_at_once, assert_turns_of, takes_turns};

const PROCESSES_PER_ROOM: usize = 8;
const CYCLES: usize = 50;

/// An agent in the room of a workspace.
fn agent_in(world: &World, workspace: &Path, name: &str) -> Agent {
    let mut command = world.baton(&["mcp", "--tools", "full"]);
    command.current_dir(workspace);
    Agent::join(command, name).0
}

#[test]
fn eight_processes_in_each_of_two_rooms_take_all_their_turns_without_gap_or_repeat() {
    let world = World::on(Backend::Postgres);
    let workspaces = [world.workspace(), world.make_workspace("other")];
    let rooms = all_at_once(2 * PROCESSES_PER_ROOM, |number, start| {
        let mut agent = agent_in(&world, &workspaces[number % 2], &format!("worker-{number}"));
        start.wait();
        takes_turns(&mut agent, CYCLES);
        agent.room_id
    });
    assert_ne!(rooms[0], rooms[1]);
    for room in &rooms[..2] {
        assert_turns_of(&world.log(room), PROCESSES_PER_ROOM, CYCLES);
    }
    world.assert_sound();
}

#[test]
fn a_room_whose_row_is_locked_waits_and_the_other_room_does_not() {
    let world = World::on(Backend::Postgres);
    let mut ana = agent_in(&world, &world.workspace(), "ana");
    let mut bo = agent_in(&world, &world.make_workspace("other"), "bo");
    let lock = RoomLock::take(world.place(), &ana.room_id);
    let call = ana.start("wait_for_turn", json!({ "max_wait_ms": 0 }));
    while waiting_for_a_lock(&world) == 0 {
        thread::yield_now();
    }
    assert_eq!(bo.claim()["turn_id"], 1);
    bo.release();
    assert_eq!(waiting_for_a_lock(&world), 1, "the other room went on while this one stood still");
    // What is stored can be read all the while.
    assert_eq!(ana.ok("get_room_state", json!({}))["room"]["state"], "idle");
    lock.release();
    let (_, answer) = ana.finish(call);
    assert_eq!((&answer["status"], &answer["turn_id"]), (&json!("your_turn"), &json!(1)), "{answer}");
    ana.release();
    world.assert_sound();
}

/// How many sessions of this world's database wait for somebody's lock.
fn waiting_for_a_lock(world: &World) -> usize {
    let waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    world.place().sql(waiting).parse().unwrap()
}
