//! Targets whose processes are gone: what they owed ends in an error, once.

use std::thread;

use baton_testkit::on_every_backend;
use serde_json::json;

use super::scene::{ends, events, living, sound, standing, submits, takes, user};

const GONE: &str = "error: its target's process is gone";

#[test]
fn what_is_asked_of_a_target_that_is_gone_ends_at_once() {
    on_every_backend(|app| {
        let [ana, bo, cy] = living(&app, ["ana", "bo", "cy"]);
        submits(&ana, "g", [user("bo", "a0")]);
        bo.dies();
        submits(&ana, "h", [user("bo", "a1"), user("cy", "a2")]);
        assert_eq!((standing(&ana, "a1"), standing(&ana, "a2")), (GONE.to_owned(), "nothing yet".to_owned()));
        let result = &events(&ana, &["action.result"])[0];
        assert_eq!(result["src"], "bus", "nobody's word, whoever asked");
        assert_eq!([&result["payload"]["action_id"], &result["payload"]["status"]], ["a1", "error"]);
        assert_eq!(takes(&cy), ["a2"]);
        sound(&app);
    });
}

#[test]
fn a_wait_for_results_ends_when_the_target_is_gone() {
    on_every_backend(|app| {
        let [ana, bo] = living(&app, ["ana", "bo"]);
        submits(&ana, "g", [user("bo", "a1"), user("bo", "a2")]);
        takes(&bo);
        bo.dies();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| ana.does("bus.await", json!({"group_id": "g", "max_wait_ms": 50_000})));
            assert_eq!(waiting.join().unwrap()["ended"], true);
        });
        assert_eq!(
            ["a1", "a2"].map(|action| (standing(&ana, action), ends(&ana, action))),
            [(GONE.to_owned(), 1), (GONE.to_owned(), 1)]
        );
        sound(&app);
    });
}

#[test]
fn a_sweep_ends_what_the_gone_owed_and_nothing_twice() {
    on_every_backend(|app| {
        let [ana, bo, cy] = living(&app, ["ana", "bo", "cy"]);
        submits(&ana, "g", [user("bo", "a1"), user("cy", "a2")]);
        let room = ana.room();
        app.app().sweep_gone(&room).unwrap();
        assert_eq!(standing(&ana, "a1"), "nothing yet");
        bo.dies();
        let before = app.log(&room).len();
        for _ in 0..2 {
            app.app().sweep_gone(&room).unwrap();
        }
        // The end of the action, and of its target's membership.
        let told: Vec<&str> = app.log(&room)[before..].iter().map(|recorded| recorded.event.kind()).collect();
        assert_eq!(told, ["action.result", "member.leave"]);
        assert_eq!((standing(&ana, "a1"), standing(&ana, "a2")), (GONE.to_owned(), "nothing yet".to_owned()));
        assert_eq!(app.log(&room).last().unwrap().actor.as_str(), "bus");
        let told = events(&ana, &["agent.removed"]).pop().unwrap()["payload"].clone();
        assert_eq!(told, json!({"id": "bo", "proof": "exited", "status": "gone", "detail": "its process has exited"}));
        let late = bo.refused("bus.result", json!({"action_id": "a1", "status": "completed"}));
        assert_eq!(late["error"], "ALREADY_ENDED");
        assert_eq!(takes(&cy), ["a2"]);
        sound(&app);
    });
}

#[test]
fn the_next_write_in_the_room_ends_what_the_gone_owed_where_there_is_no_server() {
    on_every_backend(|app| {
        let [ana, bo] = living(&app, ["ana", "bo"]);
        submits(&ana, "g", [user("bo", "a1")]);
        bo.dies();
        app.later_minutes(1);
        // Nothing of the bus: any write will do.
        ana.does("room.note", json!({"text": "Is anybody there?"}));
        assert_eq!((standing(&ana, "a1"), ends(&ana, "a1")), (GONE.to_owned(), 1));
        assert_eq!(events(&ana, &["agent.removed"]).pop().unwrap()["payload"]["id"], "bo");
        sound(&app);
    });
}

#[test]
fn a_target_that_dies_with_the_stick_stays_until_that_is_settled_and_streams_hear_that_it_is_gone() {
    on_every_backend(|app| {
        let [ana, bo] = living(&app, ["ana", "bo"]);
        bo.claim();
        submits(&ana, "g", [user("bo", "a1")]);
        bo.dies();
        for _ in 0..2 {
            app.app().sweep_gone(&ana.room()).unwrap();
        }
        assert_eq!(standing(&ana, "a1"), GONE);
        let told: Vec<_> = events(&ana, &["agent.updated", "agent.removed"]);
        let gone = json!({"id": "bo", "name": "Bo", "status": "gone", "detail": "its process has exited"});
        assert_eq!(told.iter().map(|event| &event["payload"]).collect::<Vec<_>>(), [&gone], "once");
        sound(&app);
    });
}
