//! Agents on two machines that share a store, and nothing else that they could see each other by.
//!
//! The leases are the default ones (45 minutes), so that no timeout can be what opened a takeover, unless a test says
//! that it makes them short.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use serde_json::{Value, json};

use crate::support::{Agent, Network, handoff};

#[test]
fn a_release_on_one_machine_wakes_a_wait_on_the_other_and_the_handoff_arrives_as_it_was_given() {
    let Network { a, b, world, .. } = &Network::new();
    let (mut ana, mut bo) = (a.agent(world, "ana"), b.agent(world, "bo"));
    assert_eq!(ana.room_id, bo.room_id);
    let from_there = [seen(&mut bo, &ana), seen(&mut ana, &bo)];
    assert_eq!(from_there, ["unknown", "unknown"], "on another machine nobody can look");
    ana.claim();
    let waiting = bo.start_wait();
    let said = json!({
        "status": "What I did:\n\tthe \"parser\", \u{1f680}\nWhat I learned: \\ is not /", "next_action": "go on — from here",
        "artifacts": [{ "path": "src/main.rs", "lines": [1, 20], "role": "review", "note": "ünfinished" }],
        "open_questions": ["why?"], "do_not": ["touch it"],
    });
    let release = ana.fenced(json!({ "handoff": said }));
    ana.ok("release_stick", release);
    let (_, turn) = bo.finish(waiting);
    assert_eq!((&turn["status"], &turn["turn_id"]), (&json!("your_turn"), &json!(2)), "{turn}");
    assert_eq!((&turn["handoff"], &turn["from_agent_id"]), (&said, &json!(ana.id)));
    let waiting = ana.start_wait();
    bo.release();
    assert_eq!(ana.finish(waiting).1["turn_id"], 3);
    world.assert_sound();
}

#[test]
fn the_end_of_a_harness_is_told_by_its_own_server_and_opens_a_takeover_on_the_other_machine() {
    let Network { a, b, world, .. } = &Network::new();
    let (mut ana, mut bo) = (a.agent(world, "ana"), b.agent(world, "bo"));
    ana.claim();
    let waiting = bo.start_wait();
    a.kill_harness(&ana);
    let id = ana.id.clone();
    // The end of the harness closes its side of the connection, which is all that its server hears of it.
    drop(ana);
    let (_, open) = bo.finish(waiting);
    assert_eq!(why(&open), ["takeover_available", "owner_gone", "owner_gone", id.as_str()], "{open}");
    assert_eq!(take_over(&mut bo, &open)["basis"], "owner_gone");
    assert_eq!(last_event(&mut bo)["proof"], "exited", "the proof is stored with the decision");
    bo.release();
    world.assert_sound();
}

#[test]
fn the_end_of_a_harness_is_told_by_another_agent_on_its_machine() {
    let Network { a, b, world, .. } = &Network::new();
    let (mut ana, mut cy, mut bo) = (a.agent(world, "ana"), a.agent(world, "cy"), b.agent(world, "bo"));
    ana.claim();
    let (near, far) = (cy.start_wait(), bo.start_wait());
    // The connection stays open, so its own server hears nothing; the one that waits there sees it.
    a.kill_harness(&ana);
    for (agent, waiting) in [(&mut cy, near), (&mut bo, far)] {
        let (_, open) = agent.finish(waiting);
        assert_eq!(why(&open), ["takeover_available", "owner_gone", "owner_gone", ana.id.as_str()], "{open}");
    }
    let late = ana.fenced(json!({ "handoff": handoff("not quite done", "finish it") }));
    assert_eq!(ana.refused("release_stick", late)["error"], "stale_lease", "its server lives, and speaks for nobody");
    let state = bo.ok("get_room_state", json!({}));
    assert_eq!(take_over(&mut bo, &state["room"])["basis"], "owner_gone");
    world.assert_sound();
}

#[test]
fn without_a_word_from_its_machine_an_owner_is_unknown_and_only_the_end_of_its_lease_opens_a_takeover() {
    let mut network = Network::new();
    let mut ana = network.a.agent(&network.world, "ana");
    let mut bo = network.b.agent(&network.world, "bo");
    network.world.set_policy(&ana.room_id, &["--lease", "3000ms", "--heartbeat", "1000ms"]);
    let lease_expires_at = ana.claim()["lease_expires_at"].clone();
    network.a.dies();
    assert_eq!(seen(&mut bo, &ana), "unknown");
    let waiting = bo.start_wait();
    let (_, open) = bo.finish(waiting);
    assert_eq!(why(&open), ["takeover_available", "stale_owner", "owner_timeout", ana.id.as_str()], "{open}");
    assert_eq!(take_over(&mut bo, &open)["basis"], "owner_timeout");
    let takeover = last_event(&mut bo);
    assert_eq!(takeover["proof"], Value::Null, "{takeover}");
    let (taken, ran_out) = (takeover["created_at"].as_str(), lease_expires_at.as_str());
    assert!(taken.is_some() && taken >= ran_out, "taken at {taken:?}, and the lease was good until {ran_out:?}");
    network.world.assert_sound();
}

#[test]
fn a_machine_that_was_cut_off_for_longer_than_its_lease_finds_its_stale_writes_refused_and_joins_in_again() {
    let Network { a, b, world, .. } = &Network::new();
    let (mut ana, mut bo) = (a.agent(world, "ana"), b.agent(world, "bo"));
    world.set_policy(&ana.room_id, &["--lease", "2000ms", "--heartbeat", "500ms"]);
    ana.claim();
    a.cut_off();
    // Sent into the void, and delivered when the network is back.
    let fenced = ana.fenced(json!({}));
    let beat = ana.start("heartbeat", fenced);
    let waiting = bo.start_wait();
    let (_, open) = bo.finish(waiting);
    assert_eq!(why(&open), ["takeover_available", "stale_owner", "owner_timeout", ana.id.as_str()], "{open}");
    world.set_policy(&bo.room_id, &["--lease", "2700000ms", "--heartbeat", "300000ms"]);
    assert_eq!(take_over(&mut bo, &open)["turn_id"], 2);
    a.reconnect();
    let whose = json!({ "error": "turn_mismatch", "current_owner": bo.id, "current_turn_id": 2 });
    let (refused, beat) = ana.finish(beat);
    assert!(refused, "{beat}");
    if !beat["error"].as_str().unwrap_or_default().starts_with("store_") {
        assert_eq!(parts(&beat, &whose), whose);
    }
    let late = ana.fenced(json!({ "handoff": handoff("back again", "never mind") }));
    let refusal = ana.refused("release_stick", late);
    assert_eq!(parts(&refusal, &whose), whose, "{refusal}");
    // The same process, never restarted, waits for its turn like everybody else.
    let waiting = ana.start_wait();
    bo.release();
    assert_eq!(ana.finish(waiting).1["turn_id"], 3);
    ana.release();
    world.assert_sound();
}

#[test]
fn the_doctor_is_content_on_every_machine() {
    let Network { a, b, world, .. } = &Network::new();
    let (mut ana, mut bo) = (a.agent(world, "ana"), b.agent(world, "bo"));
    ana.claim();
    ana.release();
    bo.claim();
    for machine in [a, b] {
        let ran = machine.baton(world, &["doctor", "--json"]);
        assert_eq!(ran.status, 0, "{ran:?}");
    }
}

fn take_over(agent: &mut Agent, open: &Value) -> Value {
    agent.ok("takeover_stick", json!({ "expected_turn_id": open["turn_id"], "reason": "no answer" }))
}

/// Status, state of the room, reason and owner in the answer to a wait.
fn why(answer: &Value) -> [&Value; 4] {
    ["status", "room_state", "reason", "current_owner"].map(|key| &answer[key])
}

/// What `agent` can see of the process of `other`.
fn seen(agent: &mut Agent, other: &Agent) -> Value {
    let state = agent.ok("get_room_state", json!({}));
    let members = state["members"].as_array().unwrap();
    members.iter().find(|member| member["agent_id"] == other.id).unwrap()["process"].clone()
}

fn last_event(agent: &mut Agent) -> Value {
    agent.ok("get_room_events", json!({ "limit": 1 }))["events"][0].clone()
}

/// Those parts of `answer` that `wanted` has.
fn parts(answer: &Value, wanted: &Value) -> Value {
    wanted.as_object().unwrap().keys().map(|key| (key.clone(), answer[key].clone())).collect()
}
