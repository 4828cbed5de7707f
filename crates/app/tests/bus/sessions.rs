//! Sessions: every room is one.

use baton_app::Rights;
use baton_testkit::on_every_backend;
use serde_json::{Value, json};

use super::scene::{adds, list, opens, session, sound, standing, submits, user};

#[test]
fn a_session_is_opened_named_renamed_and_closed() {
    on_every_backend(|app| {
        let ana = app.agent("ana");
        let opened = ana.does("bus.open", json!({"name": "Review"}))["session"].clone();
        let at = json!(app.now());
        let expected = json!({
            "id": opened["id"], "name": "Review", "status": "open", "created_at": at, "updated_at": at, "last_seq": 1,
        });
        assert_eq!(opened, expected);
        adds(&ana, &opened["id"].as_str().unwrap().parse().unwrap());
        app.later_minutes(1);
        let renamed = ana.does("bus.rename", json!({"name": "Reviewing"}))["session"].clone();
        assert_eq!((&renamed["name"], &renamed["updated_at"]), (&json!("Reviewing"), &json!(app.now())));
        let again = ana.does("bus.rename", json!({"name": "Reviewing"}))["session"].clone();
        assert_eq!(again["last_seq"], renamed["last_seq"], "the same name is no news");
        let closed = ana.does("bus.close", json!({"reason": "done"}))["session"].clone();
        assert_eq!(closed["status"], "closed");
        for (command, input) in [
            ("bus.rename", json!({"name": "x"})),
            ("bus.close", json!({})),
            ("bus.add", json!({})),
            ("bus.send", json!({"text": "x"})),
        ] {
            assert_eq!(ana.refused(command, input)["error"], "room_closed", "{command}");
        }
        assert_eq!(list(&ana.does("bus.history", json!({}))["events"]).len(), 4, "it stays readable");
        sound(&app);
    });
}

#[test]
fn a_name_says_something_that_a_terminal_can_show() {
    on_every_backend(|app| {
        let [ana] = session(&app, ["ana"]);
        let before = app.everything();
        for name in ["", " ", "a\nb", "\u{1b}[31m", &"x".repeat(121)] {
            for command in ["bus.open", "bus.rename"] {
                let refusal = ana.refused(command, json!({"name": name}));
                assert_eq!([&refusal["error"], &refusal["field"]], ["INVALID_INPUT", "name"], "{name:?}");
            }
        }
        assert_eq!(app.everything(), before);
        ana.does("bus.rename", json!({"name": "ünï ✓ ".repeat(20)}));
        assert!(ana.does("bus.open", json!({}))["session"]["name"].is_null(), "a session needs no name");
    });
}

#[test]
fn sessions_are_listed_by_status_with_rooms_of_workspaces_among_them() {
    on_every_backend(|app| {
        let [ana] = session(&app, ["ana"]);
        app.later_minutes(1);
        let [codex] = app.joined(["codex"]);
        app.later_minutes(1);
        let over = opens(&ana, "over");
        adds(&ana, &over);
        ana.does("bus.close", json!({}));
        let ids = |input: Value| -> Vec<(Value, Value)> {
            let found = ana.does("bus.sessions", input);
            list(&found["sessions"]).iter().map(|session| (session["id"].clone(), session["status"].clone())).collect()
        };
        let room = json!(codex.room());
        let (open, closed) = (json!("open"), json!("closed"));
        let all = ids(json!({}));
        assert_eq!((all.len(), &all[0]), (3, &(json!(over), closed.clone())), "the one that changed last first");
        assert!(all.contains(&(room.clone(), open.clone())));
        assert_eq!(ids(json!({"status": "closed"})), [(json!(over), closed)]);
        assert_eq!(ids(json!({"status": "open"})).len(), 2);
        let first = ana.does("bus.sessions", json!({"limit": 1}));
        assert_eq!((list(&first["sessions"]).len(), &first["has_more"]), (1, &json!(true)));
        assert_eq!(ana.refused("bus.sessions", json!({"status": "half"}))["error"], "INVALID_INPUT");
        assert_eq!(ana.refused("bus.sessions", json!({"limit": 0}))["error"], "INVALID_LIMIT");
        // A room at a path is a session like any other.
        adds(&ana, &codex.room());
        submits(&codex, "g", [user("Ana", "a1")]);
        sound(&app);
    });
}

#[test]
fn closing_ends_what_was_asked_of_anybody_once_and_for_all() {
    on_every_backend(|app| {
        let [ana, bo, cy] = session(&app, ["ana", "bo", "cy"]);
        submits(&ana, "g", [user("bo", "a1"), user("cy", "a2"), user("bo", "a3")]);
        super::scene::reports(&bo, "a1", "completed");
        ana.does("bus.close", json!({"reason": "enough"}));
        let why = "error: the session was closed";
        assert_eq!(["a1", "a2", "a3"].map(|action| standing(&cy, action)), ["completed", why, why]);
        let refusal = bo.refused("bus.result", json!({"action_id": "a3", "status": "completed"}));
        assert_eq!(refusal["error"], "ALREADY_ENDED");
        let last = ana.does("bus.history", json!({"before": 999, "limit": 1}))["events"][0]["type"].clone();
        assert_eq!(last, "session.closed", "nothing comes after it");
        sound(&app);
    });
}

#[test]
fn a_member_closes_a_session_and_so_does_an_operator_but_no_stranger_and_nobody_over_the_holder() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let (stranger, operator) = (app.agent("dot"), app.person("human:eve:1"));
        for agent in [&stranger, &operator] {
            agent.enter(&ana.room());
        }
        assert_eq!(operator.caller().rights(), Rights::Operator);
        for (command, input) in [("bus.close", json!({})), ("bus.rename", json!({"name": "mine"}))] {
            assert!(stranger.call(command, input).is_err());
        }
        bo.claim();
        assert_eq!(ana.refused("bus.close", json!({}))["error"], "stale_lease");
        assert!(operator.call("bus.close", json!({})).is_err(), "not while the stick is held");
        operator.does("bus.rename", json!({"name": "steered"}));
        app.later_minutes(45);
        operator.does("bus.close", json!({}));
        sound(&app);
    });
}
