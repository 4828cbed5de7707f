//! Agents that never connect to the server, and die: whoever asked them something hears it on the stream.

use std::{path::Path, sync::Arc};

use baton_app::{Caller, liveness};
use baton_bus::{Hub, Next, Subscription};
use baton_core::{
    ids::{RoomId, Seq},
    process::SessionKind,
    room::Actor,
};
use baton_testkit::{Other, Role};
use serde_json::{Value, json};

use crate::world::{World, run};

/// A member of the workspace's room whose process is its own, as `baton mcp` makes one.
async fn member(world: &World) -> Other {
    let data = world.data();
    let start = move || {
        let mut member = Other::start("member", &data);
        assert_eq!(member.says().unwrap(), "joined");
        member
    };
    tokio::task::spawn_blocking(start).await.unwrap()
}

/// The member, in its process.
pub(crate) fn play_member(role: &Role) {
    let directory = role.directory.parent().unwrap();
    let app = crate::world::open_at(directory);
    let caller = caller_at(directory);
    run(&app, &caller, "room.join", json!({"context_path": directory.join("workspace")}));
    role.say("joined");
    role.hear();
}

fn caller_at(directory: &Path) -> Caller {
    let process = liveness::identify(std::process::id());
    let actor = Actor::found("member".parse().unwrap(), process, SessionKind::McpHarness);
    Caller::new(actor, directory.to_owned())
}

fn submit(world: &World, room: &RoomId, action: &str) {
    let action = json!({"type": "message", "kind": "user", "dst": "member", "text": "Go.", "action_id": action,
        "action_index": 0});
    let input = json!({"room_id": room, "group_id": "g", "actions": [action]});
    run(&world.beside(), &world.caller("ana"), "action.submit", input);
}

async fn kill(mut member: Other) {
    tokio::task::spawn_blocking(move || member.kill()).await.unwrap();
}

async fn next_of(stream: &mut Subscription, kind: &str) -> Value {
    loop {
        let Next::Record(event) = stream.next().await else { panic!("it goes on") };
        if event.kind == kind {
            return serde_json::from_str(&event.json).unwrap();
        }
    }
}

async fn hears_of_the_death(stream: &mut Subscription, action: &str) {
    let ended = next_of(stream, "action.result").await;
    assert_eq!((&ended["payload"]["action_id"], &ended["payload"]["status"]), (&json!(action), &json!("error")));
    assert_eq!(ended["payload"]["detail"], "its target's process is gone");
    let gone = next_of(stream, "agent.removed").await;
    assert_eq!(gone["payload"]["id"], "member");
    assert!(gone["payload"]["proof"].is_string(), "{gone}");
}

#[tokio::test]
async fn everybody_hears_of_the_death_of_an_agent_that_owes_nothing() {
    let world = World::new();
    let room = world.room();
    let member = member(&world).await;
    let mut stream = world.hub.subscribe(&world.credential(), &room, Seq(0)).await.unwrap();
    kill(member).await;
    let gone = next_of(&mut stream, "agent.removed").await;
    assert_eq!((&gone["payload"]["id"], &gone["payload"]["status"]), (&json!("member"), &json!("gone")));
}

#[tokio::test]
async fn a_sender_hears_on_its_stream_that_a_target_died_that_never_connected() {
    let world = World::new();
    let room = world.room();
    let member = member(&world).await;
    let mut stream = world.hub.subscribe(&world.credential(), &room, Seq(0)).await.unwrap();
    submit(&world, &room, "a1");
    next_of(&mut stream, "message.created").await;
    kill(member).await;
    hears_of_the_death(&mut stream, "a1").await;
}

#[tokio::test]
async fn what_was_owed_before_the_server_came_up_is_watched_from_its_start() {
    let world = World::new();
    let room = world.room();
    world.hub.shut_down();
    let member = member(&world).await;
    submit(&world, &room, "a1");
    let hub = Hub::new(Arc::clone(&world.app));
    let mut stream = hub.subscribe(&world.credential(), &room, world.app.newest(&room).unwrap()).await.unwrap();
    kill(member).await;
    hears_of_the_death(&mut stream, "a1").await;
}

#[tokio::test]
async fn what_the_dead_owed_when_the_server_came_up_ends_at_its_start() {
    let world = World::new();
    let room = world.room();
    world.hub.shut_down();
    let member = member(&world).await;
    submit(&world, &room, "a1");
    kill(member).await;
    let newest = world.app.newest(&room).unwrap();
    let hub = Hub::new(Arc::clone(&world.app));
    let mut stream = hub.subscribe(&world.credential(), &room, newest).await.unwrap();
    hears_of_the_death(&mut stream, "a1").await;
}
