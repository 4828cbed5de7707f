//! Becoming an agent of a session, under which id and name, and ceasing to be one.

use baton_app::Rights;
use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

use super::scene::{adds, events, list, opens, session, sound, standing, submits, user};

/// Somebody who is not in the session of another yet.
fn comer<'a>(app: &'a TestApp, id: &str, host: &Agent<'_>) -> Agent<'a> {
    let agent = app.agent(id);
    agent.enter(&host.room());
    agent
}

#[test]
fn an_agent_joins_as_who_it_is_or_under_an_id_of_its_choice_without_a_colon() {
    on_every_backend(|app| {
        let [ana] = session(&app, ["ana"]);
        let codex = comer(&app, "codex:1a2b", &ana);
        let added = codex.does("bus.add", json!({"id": "worker-1", "name": "Worker One", "role": "builder"}));
        let expected = json!({"id": "worker-1", "name": "Worker One", "status": "idle"});
        assert_eq!((&added["agent"], &added["rejoined"]), (&expected, &json!(false)));
        assert_eq!(app.stored(&ana.room()).member(&"worker-1".parse().unwrap()).unwrap().display_name, "Worker One");
        let itself = codex.does("bus.add", json!({}));
        assert_eq!(itself["agent"]["id"], "codex:1a2b");
        for taken in ["claude:9", "human:eve:1", "bus", "broadcast"] {
            let refusal = codex.refused("bus.add", json!({"id": taken}));
            assert_eq!([&refusal["error"], &refusal["field"]], ["INVALID_AGENT_ID", "id"], "{taken}");
        }
        for wrong in ["", "a b", "a/b"] {
            assert_eq!(codex.refused("bus.add", json!({"id": wrong}))["error"], "INVALID_INPUT", "{wrong}");
        }
        sound(&app);
    });
}

#[test]
fn an_id_that_is_a_name_is_the_name_and_any_other_name_is_one_that_people_can_read() {
    on_every_backend(|app| {
        let [ana] = session(&app, ["ana"]);
        let name = |id: &str, input: Value| comer(&app, id, &ana).does("bus.add", input)["agent"]["name"].clone();
        assert_eq!(name("codex:1", json!({"id": "worker-a"})), "worker-a");
        assert_eq!(name("codex:2", json!({"name": "Jürgen 2.0"})), "Jürgen 2.0");
        assert!(name("codex:3", json!({})).as_str().unwrap().contains('-'), "a name is made");
        for wrong in ["", " Ana", "a  b", "role:x", "broadcast", "bus", "a\nb", &"x".repeat(49)] {
            let refusal = comer(&app, "codex:4", &ana).refused("bus.add", json!({"name": wrong}));
            assert_eq!([&refusal["error"], &refusal["field"]], ["INVALID_AGENT_ID", "name"], "{wrong:?}");
        }
    });
}

#[test]
fn one_word_means_one_agent() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let taken = |input: Value| comer(&app, "codex:1", &ana).refused("bus.add", input)["error"].clone();
        assert_eq!(taken(json!({"name": "Ana"})), "DUPLICATE_AGENT_ID", "a name of another");
        assert_eq!(taken(json!({"name": "ana"})), "DUPLICATE_AGENT_ID", "an id of another");
        assert_eq!(taken(json!({"id": "Ana", "name": "Somebody"})), "DUPLICATE_AGENT_ID", "a name of another as an id");
        bo.does("bus.update", json!({"id": "bo", "name": "Bobby"}));
        for name in ["Bo", "Bobby"] {
            assert_eq!(taken(json!({"name": name})), "DUPLICATE_AGENT_ID", "a name that another had or has");
        }
        assert_eq!(ana.refused("bus.update", json!({"id": "ana", "name": "Bo"}))["error"], "DUPLICATE_AGENT_ID");
        bo.does("bus.update", json!({"id": "bo", "name": "Bo"}));
        sound(&app);
    });
}

#[test]
fn an_agent_updates_only_itself_and_every_stream_tells_it() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let refusal = ana.refused("bus.update", json!({"id": "bo", "name": "Mine"}));
        assert_eq!([&refusal["error"], &refusal["field"]], ["SOURCE_MISMATCH", "id"]);
        assert_eq!(ana.refused("bus.update", json!({"id": "ana", "name": ""}))["field"], "name");
        assert_eq!(ana.refused("bus.update", json!({"id": "ana"}))["error"], "INVALID_INPUT");
        let updated = ana.does("bus.update", json!({"id": "ana", "name": "Ana Lena"}));
        assert_eq!(updated["agent"], json!({"id": "ana", "name": "Ana Lena", "status": "idle"}));
        let told = events(&bo, &["agent.updated"]);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0]["payload"], json!({"id": "ana", "name": "Ana Lena", "previous_name": "Ana"}));
        assert_eq!(told[0]["src"], "ana");
        submits(&bo, "g", [user("Ana Lena", "a1")]);
        assert_eq!(
            ana.does("bus.add", json!({"name": "Ana Maria"}))["agent"]["name"],
            "Ana Maria",
            "and on joining again"
        );
        let stranger = comer(&app, "dot", &ana);
        assert_eq!(stranger.refused("bus.update", json!({"id": "dot", "name": "Dot"}))["error"], "AGENT_NOT_FOUND");
        sound(&app);
    });
}

#[test]
fn an_agent_leaves_and_only_an_operator_removes_another() {
    on_every_backend(|app| {
        let [ana, bo, cy] = session(&app, ["ana", "bo", "cy"]);
        submits(&ana, "g", [user("bo", "a1"), user("cy", "a2")]);
        let refusal = ana.refused("bus.remove", json!({"id": "bo"}));
        assert_eq!([&refusal["error"], &refusal["needs"]], ["FORBIDDEN", "operator"]);
        let left = bo.does("bus.remove", json!({}));
        assert_eq!((&left["removed"], &left["agents"]), (&json!("bo"), &json!(["ana", "cy"])));
        assert_eq!(standing(&ana, "a1"), "error: its target left the session");
        let operator = app.agent("human:eve:1");
        operator.enter(&ana.room());
        let operator = operator.caller().clone().with_rights(Rights::Operator);
        let input = |id: &str| json!({"room_id": ana.room(), "id": id});
        app.call(&operator, "bus.remove", input("cy")).unwrap();
        assert_eq!(standing(&ana, "a2"), "error: its target left the session");
        let again = app.call(&operator, "bus.remove", input("cy")).unwrap_err();
        assert_eq!(again.to_json()["error"], "AGENT_NOT_FOUND");
        let told: Vec<Value> = events(&ana, &["agent.removed"]).iter().map(|event| event["payload"].clone()).collect();
        let removed = |id: &str| json!({"id": id, "status": "gone", "detail": "it is no longer a member"});
        assert_eq!(told, [removed("bo"), removed("cy")]);
        assert_eq!(events(&ana, &["agent.removed"])[1]["src"], "human:eve:1", "whoever acted is the actor");
        assert!(cy.call("bus.take", json!({})).is_err());
        sound(&app);
    });
}

#[test]
fn who_holds_the_stick_is_not_removed() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        submits(&ana, "g", [user("bo", "a1")]);
        bo.claim();
        let before = app.everything();
        assert!(bo.call("bus.remove", json!({})).is_err());
        assert_eq!(app.everything(), before, "and what it was asked goes on");
    });
}

#[test]
fn the_agents_of_a_session_are_listed_as_the_bus_knows_them() {
    on_every_backend(|app| {
        let ana = app.agent("ana");
        adds(&ana, &opens(&ana, "talk"));
        let listed = ana.does("agent.list", json!({}));
        let agent = &list(&listed["agents"])[0];
        assert_eq!([&agent["id"], &agent["name"], &agent["status"]], ["ana", "Ana", "idle"]);
    });
}
