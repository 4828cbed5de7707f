//! One key, one run, on every connection of its caller.

use std::{sync::Barrier, thread};

use baton_core::ids::Seq;
use serde_json::json;

use crate::world::{Face, World};

#[test]
fn the_same_submission_under_one_key_on_two_connections_at_once_runs_once_either_way() {
    for face in Face::BOTH {
        runs_once(face);
    }
}

fn runs_once(face: Face) {
    let world = World::live();
    let session = world.session();
    let [first, second] = [0, 1].map(|_| world.agent(face, &session, "sender"));
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
            [scope.spawn(|| submit(&first)), scope.spawn(|| submit(&second))].map(|thread| thread.join().unwrap())
        });
        assert_eq!(one, other, "{face:?}");
        let different = json!({"session": session, "group_id": "g", "actions": []});
        for client in [&first, &second] {
            assert_eq!(client.call("action.submit", &different, Some(&key)).unwrap_err().code, "idempotency_conflict");
        }
    }
    let submitted = world.app.records(&session, Seq::default(), 200).unwrap();
    let submitted = submitted.iter().filter(|record| record.kind == "message.created").count();
    assert_eq!(submitted, ROUNDS, "{face:?}");
}
