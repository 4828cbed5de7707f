//! Runtimes that are connected: one per agent, and a connection that ends loses nothing.

use baton_core::{
    bus::Connection,
    part::{Part, Rows},
    process::{ProcessIdentity, Proof},
    time::Ttl,
};
use baton_store::{StoreError, hosts, table};
use baton_testkit::{Agent, Sleeper, TestApp, on_every_backend};
use serde_json::{Value, json};

use super::scene::{events, list, session, sound, submits, takes, user};

fn status(agent: &Agent<'_>, of: &str) -> Value {
    let listed = agent.does("agent.list", json!({}));
    list(&listed["agents"]).iter().find(|agent| agent["id"] == of).unwrap()["status"].clone()
}

/// Has another server serve an agent, as far as the store knows.
fn served_by(app: &TestApp, agent: &Agent<'_>, server: Option<ProcessIdentity>) {
    let connection = Connection { agent_id: agent.id(), server, since: app.now(), ended: None };
    let room = agent.room();
    let stored = app.place().open().write::<_, StoreError>(|tx| {
        let mut rows: Rows<Connection> = table::all(tx, &room)?.into_iter().collect();
        let known: Vec<_> = rows.iter().map(Part::key).collect();
        known.iter().for_each(|agent| drop(rows.remove(agent)));
        rows.put(connection.clone());
        table::save(tx, &room, &mut rows)
    });
    stored.unwrap();
}

#[test]
fn a_connection_is_told_and_its_end_loses_nothing() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let room = ana.room();
        app.app().connect(bo.caller(), &room).unwrap();
        assert_eq!((status(&ana, "bo"), status(&ana, "ana")), (json!("connected"), json!("idle")));
        assert_eq!(bo.does("bus.add", json!({}))["agent"]["status"], "connected");
        submits(&ana, "g", [user("bo", "a1")]);
        app.app().disconnect(bo.caller(), &room, "it hung up").unwrap();
        assert_eq!(status(&ana, "bo"), "disconnected");
        app.later(Ttl::from_secs(1));
        assert_eq!(takes(&bo), ["a1"]);
        assert_eq!(status(&ana, "bo"), "idle");
        let told: Vec<Value> =
            events(&ana, &["agent.updated"]).into_iter().map(|event| event["payload"].clone()).collect();
        let expected = [
            json!({"id": "bo", "name": "Bo", "status": "connected"}),
            json!({"id": "bo", "name": "Bo", "status": "disconnected", "detail": "its stream ended: it hung up"}),
            json!({"id": "bo", "name": "Bo", "status": "idle", "detail": "it is there and waits"}),
        ];
        assert_eq!(told, expected);
        let before = app.log(&room).len();
        app.app().disconnect(bo.caller(), &room, "again").unwrap();
        assert_eq!(app.log(&room).len(), before, "who is not connected is not disconnected");
        app.app().connect(bo.caller(), &room).unwrap();
        sound(&app);
    });
}

#[test]
fn a_second_runtime_of_an_agent_is_refused_while_the_first_one_is_served() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let room = ana.room();
        app.app().connect(bo.caller(), &room).unwrap();
        let again = app.app().connect(bo.caller(), &room).unwrap_err();
        assert_eq!(again.to_json()["error"], "duplicate_listener");
        app.app().connect(ana.caller(), &room).unwrap();
        let stranger = app.agent("dot");
        assert_eq!(app.app().connect(stranger.caller(), &room).unwrap_err().to_json()["error"], "AGENT_NOT_FOUND");
        sound(&app);
    });
}

#[test]
fn the_connection_of_a_server_that_is_gone_does_not_count() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let room = ana.room();
        let mut server = Sleeper::start();
        served_by(&app, &bo, Some(server.identity()));
        assert_eq!(status(&ana, "bo"), "connected");
        assert!(app.app().connect(bo.caller(), &room).is_err());
        server.kill();
        assert_eq!(status(&ana, "bo"), "disconnected");
        app.app().connect(bo.caller(), &room).unwrap();
        assert_eq!(status(&ana, "bo"), "connected");
    });
}

#[test]
fn a_server_on_another_machine_counts_until_that_machine_says_that_it_is_gone() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let server = app.agent_elsewhere("server", "afar").process();
        served_by(&app, &bo, Some(server.clone()));
        assert!(app.app().connect(bo.caller(), &ana.room()).is_err());
        let told = app.place().open().write::<_, StoreError>(|tx| {
            hosts::booted(tx, "afar", &server.boot_id, app.now())?;
            hosts::departed(tx, &server, Proof::Exited, app.now())
        });
        told.unwrap();
        app.app().connect(bo.caller(), &ana.room()).unwrap();
    });
}

#[test]
fn a_server_ends_only_connections_of_its_own() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let other = Sleeper::start();
        served_by(&app, &bo, Some(other.identity()));
        app.app().disconnect(bo.caller(), &ana.room(), "the old one hung up").unwrap();
        assert_eq!(status(&ana, "bo"), "connected");
    });
}

#[test]
fn leaving_and_closing_end_connections_and_nothing_comes_after_the_close() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let room = ana.room();
        for agent in [&ana, &bo] {
            app.app().connect(agent.caller(), &room).unwrap();
        }
        bo.does("bus.remove", json!({}));
        ana.does("bus.close", json!({}));
        let before = app.log(&room).len();
        for agent in [&ana, &bo] {
            app.app().disconnect(agent.caller(), &room, "hung up").unwrap();
        }
        app.app().sweep_gone(&room).unwrap();
        assert_eq!(app.log(&room).len(), before);
        assert!(app.app().connect(ana.caller(), &room).is_err());
        let kinds: Vec<&str> = app.log(&room).iter().rev().take(2).map(|recorded| recorded.event.kind()).collect();
        assert_eq!(kinds, ["room.close", "agent.disconnect"]);
        sound(&app);
    });
}

#[test]
fn who_connects_as_another_process_is_that_process_from_then_on() {
    on_every_backend(|app| {
        let [ana, bo] = super::scene::living(&app, ["ana", "bo"]);
        let room = ana.room();
        bo.dies();
        let back = app.living_agent("bo");
        back.enter(&room);
        app.app().connect(back.caller(), &room).unwrap();
        submits(&ana, "g", [user("bo", "a1")]);
        assert_eq!(super::scene::standing(&ana, "a1"), "nothing yet");
        assert_eq!(takes(&back), ["a1"]);
        sound(&app);
    });
}
