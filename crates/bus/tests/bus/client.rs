//! The typed client: the same story on every transport that needs no HTTP.

use std::sync::Arc;

use baton_app::commands::bus::{
    ActionInput, AddInput, AwaitInput, Delivery, HistoryInput, ResultInput, SubmitInput, TakeInput,
};
use baton_bus::client::{Client, Transport};
use baton_core::{
    bus::{Data, Status, What},
    ids::{RoomId, Seq},
};
use serde_json::{Value, json};

use crate::{
    peer::Served,
    world::{World, note},
};

pub(crate) fn add(client: &Client, session: &RoomId, id: &str) {
    let id = Some(id.parse().unwrap());
    let input = AddInput { room_id: session.clone(), id, name: None, role: None, idempotency_key: None };
    client.agent_add(&input).unwrap();
}

pub(crate) fn report(client: &Client, session: &RoomId, delivery: &Delivery, status: Status) {
    let is_new = matches!(&delivery.what, What::Control { .. }) && status == Status::Completed;
    let action_id = delivery.action_id.clone().unwrap();
    let begun = Data { new_context_id: format!("ctx-{action_id}").parse().ok(), new_task_id: None };
    let reported = client.result(&ResultInput {
        room_id: session.clone(),
        action_id,
        group_id: None,
        action_index: None,
        status,
        detail: None,
        data: is_new.then_some(begun),
        idempotency_key: None,
    });
    assert_eq!(reported.unwrap().action.status, Some(status));
}

fn message(dst: &str, action_id: &str, action_index: u32, text: &str) -> ActionInput {
    serde_json::from_value(json!({"type": "message", "kind": "user", "dst": dst, "action_id": action_id,
        "action_index": action_index, "text": text}))
    .unwrap()
}

fn new(dst: &str, action_id: &str, action_index: u32) -> ActionInput {
    serde_json::from_value(json!({"type": "control", "command": "new", "dst": dst, "action_id": action_id,
        "action_index": action_index}))
    .unwrap()
}

fn submission(session: &RoomId, group: &str, actions: Vec<ActionInput>) -> SubmitInput {
    let group_id = group.parse().unwrap();
    SubmitInput { room_id: session.clone(), group_id, actions, context: None, task_id: None, idempotency_key: None }
}

/// Two agents, a submission with a `new`, its results, and the refusals on the way: all that was answered.
fn story(transport: &Transport) -> Vec<Value> {
    let boss = Client::connect(transport.clone()).unwrap();
    let session = boss.session_create(Some("story")).unwrap().id;
    add(&boss, &session, "boss");
    let worker = Client::connect(transport.clone()).unwrap();
    add(&worker, &session, "worker");
    let mut actions = worker.actions(&session).unwrap();
    let actions_of_group =
        vec![message("worker", "a1", 0, "First."), new("worker", "a2", 1), message("worker", "a3", 2, "Then.")];
    boss.submit(&submission(&session, "g", actions_of_group)).unwrap();
    let mut told = Vec::new();
    for status in [Status::Completed, Status::Completed, Status::Rejected] {
        let delivery = actions.next().unwrap().unwrap();
        report(&worker, &session, &delivery, status);
        told.push(json!([delivery.action_id, delivery.what, delivery.after_action_id]));
    }
    let ended =
        boss.wait(&AwaitInput { room_id: session.clone(), group_id: "g".parse().unwrap(), max_wait_ms: Some(50_000) });
    assert!(ended.unwrap().ended);

    // A key is good for one request, on whichever connection; other refusals have their code and what to do.
    let key = |client: &Client| client.call("session.create", &json!({"name": "once"}), Some("k")).unwrap();
    let another = boss.another().unwrap();
    assert_eq!(another.agent(), boss.agent());
    assert_eq!(key(&boss), key(&another));
    let again = boss.submit(&submission(&session, "g", vec![message("worker", "a1", 0, "x")])).unwrap_err();
    assert!(again.detail["next"].is_string());
    let nobody = boss.submit(&submission(&session, "g", vec![message("nobody", "a9", 0, "x")])).unwrap_err();
    told.push(json!([again.code, nobody.code, nobody.detail["agents"]]));
    let unknown = boss.call("no.such", &json!({}), None).unwrap_err();
    told.push(json!(unknown.code));
    drop(actions);

    // The history and the stream tell the same; a stream that is opened anew goes on where it was.
    let mut events = boss.events(&session, Seq(0)).unwrap();
    let history = boss.history(&HistoryInput {
        room_id: session.clone(),
        after: None,
        before: None,
        types: None,
        limit: None,
        max_wait_ms: None,
    });
    for record in history.unwrap().events {
        assert_eq!(events.next().unwrap().unwrap(), record);
        events.resume().unwrap();
        assert_eq!(events.cursor(), record.seq);
        if record.payload["status"] != "disconnected" {
            told.push(json!([
                record.kind,
                record.src,
                record.dst,
                record.payload["action_id"],
                record.payload["status"]
            ]));
        }
    }
    let beyond = boss.events(&session, Seq(1000)).err().unwrap();
    told.push(json!([beyond.code, beyond.detail["field"]]));
    told
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_hears_the_same_on_the_socket_and_without_a_server() {
    let (here, there) = (World::new(), World::new());
    let served = Served::new(&there);
    let (direct, socket) =
        (Transport::Direct(Arc::clone(&here.app), Box::new(here.caller("me"))), Transport::Socket(there.socket()));
    let direct = tokio::task::spawn_blocking(move || story(&direct)).await.unwrap();
    let socket = tokio::task::spawn_blocking(move || story(&socket)).await.unwrap();
    // Its own identity opens the session, and is another on each.
    let without_opener =
        |told: Vec<Value>| told.into_iter().filter(|line| line[0] != "session.created").collect::<Vec<_>>();
    assert_eq!(without_opener(direct), without_opener(socket));
    served.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_whose_server_ended_says_so_and_goes_on_with_the_next_one() {
    let world = World::new();
    let served = Served::new(&world);
    let (room, path) = (world.room(), world.socket());
    let newest = world.app.newest(&room).unwrap();
    let (client, mut events) = tokio::task::spawn_blocking({
        let room = room.clone();
        move || {
            let client = Client::connect(Transport::Socket(path)).unwrap();
            add(&client, &room, "worker");
            let events = client.events(&room, newest).unwrap();
            (client, events)
        }
    })
    .await
    .unwrap();
    served.end().await;
    let world = World { hub: baton_bus::Hub::new(Arc::clone(&world.app)), ..world };
    let app = Arc::clone(&world.app);
    let caller = world.caller("ana");
    let served = Served::new(&world);
    tokio::task::spawn_blocking(move || {
        // What it was told before the end comes first.
        let broken = events.find_map(Result::err).unwrap();
        assert!(broken.is_disconnected() && events.next().is_none());
        events.resume().unwrap();
        let written = note(&app, &caller, &room, "after");
        assert!(events.any(|event| event.unwrap().seq == written));

        let taken = |client: &Client| {
            let input = TakeInput { room_id: room.clone(), resume_after: None, limit: None, max_wait_ms: None };
            client.take(&input)
        };
        assert!(taken(&client).unwrap_err().is_disconnected());
        client.reconnect().unwrap();
        assert!(taken(&client).unwrap().deliveries.is_empty());
    })
    .await
    .unwrap();
    served.end().await;
}
