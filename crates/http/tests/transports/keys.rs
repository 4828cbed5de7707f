//! One key, one run, whichever way it comes.

use std::{sync::Barrier, thread};

use baton_core::ids::Seq;
use serde_json::json;

use crate::world::{Face, World};

#[test]
fn the_same_submission_under_one_key_over_both_ways_at_once_runs_once() {
    let world = World::live();
    let session = world.session();
    let [socket, http] = Face::BOTH.map(|face| world.agent(face, &session, "sender"));
    world.agent(Face::Http, &session, "target");
    const ROUNDS: usize = 50;
    for round in 0..ROUNDS {
        let input = json!({"session": session, "group_id": "g", "actions": [{"type": "message", "kind": "user",
            "text": "Once.", "dst": "target", "action_id": format!("a{round}"), "action_index": 0}]});
        let (key, both) = (format!("key-{round}"), Barrier::new(2));
        let submit = |client: &baton_bus::client::Client| {
            both.wait();
            client.call("action.submit", &input, Some(&key)).unwrap()
        };
        let [one, other] = thread::scope(|scope| {
            [scope.spawn(|| submit(&socket)), scope.spawn(|| submit(&http))].map(|thread| thread.join().unwrap())
        });
        assert_eq!(one, other);
        let different = json!({"session": session, "group_id": "g", "actions": []});
        for client in [&socket, &http] {
            assert_eq!(client.call("action.submit", &different, Some(&key)).unwrap_err().code, "idempotency_conflict");
        }
    }
    let submitted = world.app.records(&session, Seq::default(), 200).unwrap();
    let submitted = submitted.iter().filter(|record| record.kind == "message.created").count();
    assert_eq!(submitted, ROUNDS);
}
