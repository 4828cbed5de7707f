//! Clocks that differ: a wall clock that was set, and time namespaces. Those with namespaces need root.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use baton_core::time::{Timestamp, Ttl};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Agent, Ran, World};

/// Shows a program a wall clock that is a day ahead, and other clocks as they are.
const WALL_CLOCK_AHEAD: &[&str] = &["env", "FAKETIME_DONT_FAKE_MONOTONIC=1", "faketime", "-m", "-f", "+1d"];

/// Puts a program into a time namespace in which the machine booted a day earlier.
const BOOT_CLOCK_AHEAD: &[&str] = &["unshare", "--time", "--boottime", "86400", "--fork"];

const HALF_A_DAY: Ttl = Ttl::from_minutes(12 * 60);

fn time(text: &Value) -> Timestamp {
    serde_json::from_value(text.clone()).unwrap()
}

fn owner_seen_by(agent: &mut Agent) -> Value {
    let state = agent.ok("get_room_state", json!({}));
    let owner = &state["room"]["owner"];
    state["members"].as_array().unwrap().iter().find(|member| member["agent_id"] == *owner).unwrap().clone()
}

fn lease_seen_by(agent: &mut Agent) -> Value {
    agent.ok("get_room_state", json!({}))["room"]["lease_expires_at"].clone()
}

#[test]
fn nobody_takes_a_live_turn_by_a_clock_that_is_a_day_ahead() {
    for way in [WALL_CLOCK_AHEAD, BOOT_CLOCK_AHEAD] {
        let world = World::new();
        let mut holder = world.agent("ana");
        let turn = holder.claim();
        let mut fast = world.agent_by_way_of(way, "bo");
        assert_eq!(owner_seen_by(&mut fast)["process"], "alive", "{way:?}");
        assert_eq!(lease_seen_by(&mut fast), turn["lease_expires_at"], "{way:?}");
        let waited = fast.ok("wait_for_turn", json!({ "max_wait_ms": 100 }));
        assert_eq!(
            (&waited["status"], &waited["room_state"]),
            (&"not_yet".into(), &"owned".into()),
            "{way:?}: {waited}"
        );
        let taken = json!({ "expected_turn_id": turn["turn_id"], "reason": "it is tomorrow" });
        assert_eq!(fast.refused("takeover_stick", taken)["error"], "takeover_unavailable", "{way:?}");
        holder.release();
        fast.claim();
        fast.release();
        assert!(times_go_forward(&world, &holder), "{way:?}");
        world.assert_sound();
    }
}

#[test]
fn a_holder_whose_clock_is_a_day_ahead_holds_no_longer_than_others_and_is_seen_to_live_and_to_end() {
    for way in [WALL_CLOCK_AHEAD, BOOT_CLOCK_AHEAD] {
        let world = World::new();
        let mut bo = world.agent("bo");
        // What it holds is compared with what an agent whose clock is right is given.
        let usual = bo.claim();
        bo.release();
        let mut fast = world.agent_by_way_of(way, "ana");
        let turn = fast.claim();
        let beat = fast.fenced(json!({}));
        fast.ok("heartbeat", beat);
        let lease = |turn: &Value| turn["lease_expires_at"].clone();
        let longer = time(&lease(&turn)).since(time(&lease(&usual)));
        assert!(longer < HALF_A_DAY, "{way:?}: {longer}");
        assert_eq!(owner_seen_by(&mut bo)["process"], "alive", "{way:?}");
        let waiting = bo.start_wait();
        fast.signal(Signal::KILL);
        let (_, open) = bo.finish(waiting);
        assert_eq!((&open["status"], &open["reason"]), (&"takeover_available".into(), &"owner_gone".into()), "{way:?}");
    }
}

#[test]
fn the_doctor_says_that_the_wall_clock_is_a_day_ahead_of_the_store_and_finds_nothing_wrong() {
    let world = World::new();
    world.agent("ana").claim();
    let told = |way: &[&str], arguments: &[&str]| {
        let mut command = world.command(way[0]);
        command.args(&way[1..]).arg(env!("CARGO_BIN_EXE_baton")).args(arguments);
        Ran::of(command)
    };
    let fast = told(WALL_CLOCK_AHEAD, &["doctor"]);
    let line = "ahead of the store's time, which goes on from the boot; leases are not affected\n";
    assert!(
        fast.status == 0 && fast.stdout.contains("\nclock        this machine's is ") && fast.stdout.contains(line),
        "{fast:?}"
    );
    let ahead = told(WALL_CLOCK_AHEAD, &["doctor", "--json"]).json()["data"]["store"]["clock_ahead_ms"].as_i64();
    assert!(ahead.is_some_and(|ahead| Ttl::from_millis(ahead.unsigned_abs()) > HALF_A_DAY), "{ahead:?}");
    for right in [told(&["env"], &["doctor"]), told(BOOT_CLOCK_AHEAD, &["doctor"])] {
        assert!(right.status == 0 && !right.stdout.contains("clock   "), "{right:?}");
    }
}

/// Whether no event is recorded before the one that it follows.
fn times_go_forward(world: &World, agent: &Agent) -> bool {
    let log = world.log(&agent.room_id);
    log.iter().map(|event| event["created_at"].as_str().unwrap()).is_sorted()
}
