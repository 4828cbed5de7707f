//! What happened, by cursors.

use std::thread;

use baton_core::ids::Seq;
use baton_testkit::on_every_backend;
use serde_json::{Value, json};

use super::scene::{list, session, submits, user};

fn seqs(page: &Value) -> Vec<u64> {
    list(&page["events"]).iter().map(|event| event["seq"].as_u64().unwrap()).collect()
}

#[test]
fn a_history_is_read_forwards_and_backwards_page_by_page() {
    on_every_backend(|app| {
        let [ana, _bo] = session(&app, ["ana", "bo"]);
        for number in 0..7 {
            ana.does("bus.send", json!({"text": format!("{number}")}));
        }
        let last = app.stored(&ana.room()).last_seq.0;
        assert_eq!(seqs(&ana.does("bus.history", json!({}))), (1..=last).collect::<Vec<_>>());
        let (mut cursor, mut seen) = (json!(0), Vec::new());
        loop {
            let page = ana.does("bus.history", json!({"after": cursor, "limit": 3}));
            seen.extend(seqs(&page));
            cursor = page["cursor"].clone();
            if page["has_more"] == false {
                break;
            }
        }
        assert_eq!(seen, (1..=last).collect::<Vec<_>>(), "no gap, no repeat");
        let newest = ana.does("bus.history", json!({"before": 1_000, "limit": 3}));
        assert_eq!(seqs(&newest), [last, last - 1, last - 2]);
        let older = ana.does("bus.history", json!({"before": newest["cursor"], "limit": 3}));
        assert_eq!(seqs(&older), [last - 3, last - 4, last - 5]);
        assert_eq!(seqs(&ana.does("bus.history", json!({"before": 1}))), [0; 0]);
        for beyond in [json!(last), json!(u64::MAX)] {
            let page = ana.does("bus.history", json!({"after": beyond}));
            assert_eq!((seqs(&page), &page["cursor"], &page["has_more"]), (vec![], &beyond, &json!(false)));
        }
        for wrong in
            [json!({"after": 1, "before": 2}), json!({"limit": 0}), json!({"limit": 201}), json!({"after": -1})]
        {
            assert!(ana.call("bus.history", wrong.clone()).is_err(), "{wrong}");
        }
        let records = app.app().records(&ana.room(), Seq(0), 200).unwrap();
        assert_eq!(json!(records), ana.does("bus.history", json!({}))["events"], "a stream tells the same");
        assert_eq!(app.app().newest(&ana.room()).unwrap(), Seq(last));
    });
}

#[test]
fn only_wanted_types_are_told_and_the_cursor_moves_over_the_others() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        for number in 0..5 {
            submits(&ana, "g", [user("bo", &format!("a{number}"))]);
            super::scene::reports(&bo, &format!("a{number}"), "completed");
        }
        let last = app.stored(&ana.room()).last_seq.0;
        let page = ana.does("bus.history", json!({"types": ["action.result"], "limit": 2}));
        assert!(list(&page["events"]).iter().all(|event| event["type"] == "action.result"));
        assert_eq!((seqs(&page).len(), &page["has_more"]), (2, &json!(true)));
        let rest = ana.does("bus.history", json!({"types": ["action.result"], "after": page["cursor"]}));
        assert_eq!((seqs(&rest).len(), &rest["cursor"]), (3, &json!(last)));
        let none = ana.does("bus.history", json!({"types": ["session.closed"]}));
        assert_eq!((seqs(&none), &none["cursor"]), (vec![], &json!(last)));
        assert_eq!(seqs(&ana.does("bus.history", json!({"types": []}))), [0; 0]);
    });
}

#[test]
fn a_history_waits_for_what_is_wanted_and_passes_over_what_is_not() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let after = app.stored(&ana.room()).last_seq.0;
        let wanted = json!({"after": after, "types": ["session.updated"], "max_wait_ms": 50_000});
        thread::scope(|scope| {
            let waiting = scope.spawn(|| bo.does("bus.history", wanted));
            ana.does("bus.send", json!({"text": "not wanted"}));
            ana.does("bus.rename", json!({"name": "wanted"}));
            let page = waiting.join().unwrap();
            assert_eq!(page["events"][0]["payload"]["name"], "wanted");
        });
        let viewer = app.agent("viewer");
        viewer.enter(&ana.room());
        assert_eq!(
            list(&viewer.does("bus.history", json!({}))["events"]).len() as u64,
            after + 2,
            "who looks need not join"
        );
        viewer.enter(&"room_none".parse().unwrap());
        assert_eq!(viewer.refused("bus.history", json!({}))["error"], "unknown_room");
    });
}
