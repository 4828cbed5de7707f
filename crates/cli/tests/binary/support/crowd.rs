//! Many agents at once, and what the log must say of them afterwards.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{sync::Barrier, thread};

use serde_json::{Value, json};

use super::Agent;

/// Runs `work` in as many threads as are wanted, and gives what each came to.
pub(crate) fn all_at_once<T: Send>(count: usize, work: impl Fn(usize, &Barrier) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(count);
    thread::scope(|scope| {
        let (work, start) = (&work, &start);
        let threads: Vec<_> = (0..count).map(|number| scope.spawn(move || work(number, start))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a worker found something wrong")).collect()
    })
}

/// Has an agent claim and release so many times, and leave.
pub(crate) fn takes_turns(agent: &mut Agent, cycles: usize) {
    for _ in 0..cycles {
        agent.claim();
        agent.release();
    }
    // Whoever is done steps out of the sequence, or the stick would be kept for it.
    agent.ok("leave_path", json!({}));
}

/// The log has every place, and every turn once and in order; every agent had as many as the others.
pub(crate) fn assert_turns_of(log: &[Value], agents: usize, cycles: usize) {
    let places: Vec<u64> = log.iter().map(|event| event["event_seq"].as_u64().unwrap()).collect();
    assert_eq!(places, (1..=log.len() as u64).collect::<Vec<_>>());
    let turns_of = |kind: &str| {
        let events = log.iter().filter(|event| event["event_type"] == kind);
        events.map(|event| event["turn_id"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let all: Vec<u64> = (1..=(agents * cycles) as u64).collect();
    assert_eq!(turns_of("claim"), all);
    assert_eq!(turns_of("release"), all);
    assert_eq!(turns_of("takeover"), Vec::<u64>::new());
    let grants_of = |agent: &Value| {
        let claims = log.iter().filter(|event| event["event_type"] == "claim");
        claims.filter(|event| event["to_agent_id"] == *agent).count()
    };
    let joins: Vec<_> = log.iter().filter(|event| event["event_type"] == "join").collect();
    assert_eq!(joins.len(), agents);
    assert!(joins.iter().all(|event| grants_of(&event["to_agent_id"]) == cycles));
}
