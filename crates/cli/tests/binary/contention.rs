//! Many processes, one room, on every engine.

use std::collections::BTreeSet;

use baton_testkit::Backend;
use serde_json::json;

use crate::support::{World, all_at_once, assert_turns_of, takes_turns};

const PROCESSES: usize = 16;

/// Has all processes claim and release so many times, at once, and looks at what is left.
fn take_all_turns(world: &World, cycles: usize) {
    let rooms = all_at_once(PROCESSES, |number, start| {
        let (mut agent, _) = world.server(&format!("worker-{number}"));
        start.wait();
        takes_turns(&mut agent, cycles);
        agent.room_id
    });
    assert_turns_of(&world.log(&rooms[0]), PROCESSES, cycles);
    world.assert_sound();
}

#[test]
fn sixteen_processes_with_200_claim_release_cycles_each_make_3200_turns_without_gap_or_repeat() {
    take_all_turns(&World::new(), 200);
}

#[test]
fn sixteen_processes_on_a_server_with_200_claim_release_cycles_each_make_3200_turns_without_gap_or_repeat() {
    take_all_turns(&World::on(Backend::Postgres), 200);
}

#[test]
fn simultaneous_claims_across_multiple_concurrent_processes_grant_the_stick_to_exactly_one() {
    World::on_every_backend(|world| {
        let answers = all_at_once(PROCESSES, |number, start| {
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
    });
}

#[test]
fn sixteen_processes_that_start_at_once_on_a_store_that_does_not_exist_make_one_store_with_one_room() {
    World::on_every_backend(|world| {
        let joined = all_at_once(PROCESSES, |number, start| {
            start.wait();
            world.server(&format!("starter-{number}")).1
        });
        let rooms: BTreeSet<_> = joined.iter().map(|joined| joined["room_id"].as_str().unwrap()).collect();
        assert_eq!(rooms.len(), 1, "{rooms:?}");
        assert_eq!(joined.iter().filter(|joined| joined["created"] == true).count(), 1);
        let log = world.log(joined[0]["room_id"].as_str().unwrap());
        assert_eq!(log.len(), 1 + PROCESSES);
        world.assert_sound();
    });
}
