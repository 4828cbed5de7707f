//! Ids that clients choose for their agents: each belongs to the process or the credential that added it.

use baton_core::{process::SessionKind, room::Actor};
use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

use super::scene::{list, living, sound, standing, submits, takes, user};

fn status(agent: &Agent<'_>, of: &str) -> Value {
    let listed = agent.does("agent.list", json!({}));
    list(&listed["agents"]).iter().find(|agent| agent["id"] == of).unwrap()["status"].clone()
}

/// The agent `name` of whoever holds a token.
fn held<'a>(app: &'a TestApp, token: &str, name: &str) -> Agent<'a> {
    let found = Actor::found(format!("token:{token}").parse().unwrap(), None, SessionKind::McpHarness);
    app.agent_as(found.choosing(name.parse().unwrap()).by_way_of(token))
}

#[test]
fn agent_add_for_an_id_whose_process_lives_is_refused_and_rebinds_nothing_also_when_the_second_process_ends() {
    on_every_backend(|app| {
        let [ana, bo] = living(&app, ["ana", "bo"]);
        let room = ana.room();
        app.app().connect(bo.caller(), &room).unwrap();
        submits(&ana, "g", [user("bo", "a1")]);
        takes(&bo);
        let before = app.log(&room).len();
        let rival = app.living_agent("bo");
        rival.enter(&room);
        for (command, input) in [
            ("bus.add", json!({})),
            ("bus.add", json!({"name": "Bob"})),
            ("bus.update", json!({"id": "bo", "name": "Bob"})),
            ("bus.take", json!({})),
            ("bus.result", json!({"action_id": "a1", "status": "completed"})),
            ("bus.send", json!({"text": "I am bo."})),
            ("bus.remove", json!({})),
        ] {
            let refused = rival.refused(command, input);
            assert_eq!(
                (&refused["error"], &refused["pid"]),
                (&json!("id_in_use"), &json!(bo.process().pid)),
                "{command}"
            );
        }
        assert!(app.app().connect(rival.caller(), &room).is_err());
        rival.dies();
        app.later_minutes(1);
        app.app().sweep_gone(&room).unwrap();
        assert_eq!(app.log(&room).len(), before, "the log is as it was");
        assert_eq!((standing(&ana, "a1"), status(&ana, "bo")), ("nothing yet".to_owned(), json!("connected")));
        bo.does("bus.result", json!({"action_id": "a1", "status": "completed"}));
        submits(&ana, "h", [user("bo", "a2")]);
        assert_eq!(takes(&bo), ["a2"]);
        sound(&app);
    });
}

#[test]
fn an_agent_that_a_credential_added_is_neither_another_credentials_nor_a_processs() {
    on_every_backend(|app| {
        let ana = app.agent("ana");
        let room = super::scene::opens(&ana, "talk");
        super::scene::adds(&ana, &room);
        let worker = held(&app, "ci", "worker");
        worker.enter(&room);
        worker.does("bus.add", json!({}));
        submits(&ana, "g", [user("worker", "a1")]);
        let before = app.log(&room).len();
        for other in [held(&app, "eve", "worker"), app.living_agent("worker")] {
            other.enter(&room);
            for command in ["bus.add", "bus.take", "bus.remove", "inbox.list", "room.state", "room.leave"] {
                let refused = other.refused(command, json!({}));
                assert_eq!([&refused["error"], &refused["added_by"]], ["id_in_use", "ci"], "{command}");
            }
        }
        assert_eq!(app.log(&room).len(), before, "the log is as it was");
        assert_eq!(takes(&worker), ["a1"]);
        sound(&app);
    });
}

#[test]
fn a_credential_that_was_made_for_an_agent_goes_on_with_it_whoever_added_it() {
    on_every_backend(|app| {
        let ana = app.agent("ana");
        let room = super::scene::opens(&ana, "talk");
        super::scene::adds(&ana, &room);
        let worker = held(&app, "ci", "worker");
        worker.enter(&room);
        worker.does("bus.add", json!({}));
        submits(&ana, "g", [user("worker", "a1")]);
        let found = Actor::found("token:made".parse().unwrap(), None, SessionKind::McpHarness);
        let bound = app.agent_as(found.bound_to("worker".parse().unwrap()).by_way_of("made"));
        bound.enter(&room);
        assert_eq!(bound.does("bus.add", json!({}))["rejoined"], true);
        assert_eq!(takes(&bound), ["a1"]);
        assert_eq!(worker.refused("bus.take", json!({}))["added_by"], "made");
        sound(&app);
    });
}
