//! Many processes, one room.

use std::{collections::BTreeSet, sync::Barrier, thread};

use serde_json::{Value, json};

use crate::support::World;

const PROCESSES: usize = 16;
const CYCLES: usize = 200;

/// Runs `work` in as many threads as there are processes, and gives what each came to.
fn all_at_once<T: Send>(work: impl Fn(usize, &Barrier) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(PROCESSES);
    thread::scope(|scope| {
        let (work, start) = (&work, &start);
        let threads: Vec<_> = (0..PROCESSES).map(|number| scope.spawn(move || work(number, start))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a worker found something wrong")).collect()
    })
}

#[test]
fn sixteen_processes_with_200_claim_release_cycles_each_make_3200_turns_without_gap_or_repeat() {
    let world = World::new();
    let rooms = all_at_once(|number, start| {
        let (mut agent, _) = world.server(&format!("worker-{number}"));
        start.wait();
        for _ in 0..CYCLES {
            agent.claim();
            agent.release();
        }
        // Whoever is done steps out of the sequence, or the stick would be kept for it.
        agent.ok("leave_path", json!({}));
        agent.room_id
    });
    let log = world.log(&rooms[0]);
    let turns_of = |kind: &str| {
        let events = log.iter().filter(|event| event["event_type"] == kind);
        events.map(|event| event["turn_id"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let all: Vec<u64> = (1..=(PROCESSES * CYCLES) as u64).collect();
    assert_eq!(turns_of("claim"), all);
    assert_eq!(turns_of("release"), all);
    assert_eq!(turns_of("takeover"), Vec::<u64>::new());
    let grants_of = |agent: &Value| {
        let claims = log.iter().filter(|event| event["event_type"] == "claim");
        claims.filter(|event| event["to_agent_id"] == *agent).count()
    };
    let joins = log.iter().filter(|event| event["event_type"] == "join");
    assert!(joins.map(|event| grants_of(&event["to_agent_id"])).all(|grants| grants == CYCLES));
    world.assert_sound();
}

#[test]
fn simultaneous_claims_across_multiple_concurrent_processes_grant_the_stick_to_exactly_one() {
    let world = World::new();
    let answers = all_at_once(|number, start| {
        let (mut agent, _) = world.server(&format!("claimer-{number}"));
        start.wait();
        let (refused, answer) = agent.ask("wait_for_turn", json!({ "max_wait_ms": 0 }));
        assert!(!refused, "{answer}");
        // Nobody hangs up before all have been answered: the winner must not look gone to a slow one.
        start.wait();
        (agent.id, answer)
    });
    let winners: Vec<_> = answers.iter().filter(|(_, answer)| answer["status"] == "your_turn").collect();
    let [(winner, turn)] = winners[..] else { panic!("{winners:#?}") };
    assert_eq!(turn["turn_id"], 1);
    for (_, answer) in answers.iter().filter(|(agent, _)| agent != winner) {
        assert_eq!((&answer["status"], &answer["owner"]), (&json!("not_yet"), &json!(winner)), "{answer}");
    }
    world.assert_sound();
}

#[test]
fn sixteen_processes_that_start_at_once_on_a_store_that_does_not_exist_make_one_store_with_one_room() {
    let world = World::new();
    let joined = all_at_once(|number, start| {
        start.wait();
        world.server(&format!("starter-{number}")).1
    });
    let rooms: BTreeSet<_> = joined.iter().map(|joined| joined["room_id"].as_str().unwrap()).collect();
    assert_eq!(rooms.len(), 1, "{rooms:?}");
    assert_eq!(joined.iter().filter(|joined| joined["created"] == true).count(), 1);
    let log = world.log(joined[0]["room_id"].as_str().unwrap());
    assert_eq!(log.len(), 1 + PROCESSES);
    world.assert_sound();
}
