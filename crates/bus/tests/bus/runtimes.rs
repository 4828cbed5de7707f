//! Runtimes that are connected: actions are pushed in order, and what is owed by who is gone ends at once.

use std::path::Path;

use baton_app::Caller;
use baton_bus::client::{Client, Transport};
use baton_core::{
    bus::Status,
    ids::{RoomId, Seq},
    room::Actor,
};
use baton_testkit::{Other, Role, Sleeper};
use serde_json::{Value, json};

use crate::{
    client::{add, report},
    peer::{Peer, Served},
    world::{World, run},
};

/// A session with a boss who submits.
async fn boss(served: &Served) -> (Peer, Value) {
    let mut boss = served.peer().await;
    let session = boss.call("session.create", json!({})).await["session"]["id"].clone();
    boss.call("agent.add", json!({"session": session, "id": "boss"})).await;
    (boss, session)
}

/// Has the boss submit a message for `dst`.
async fn submit(boss: &mut Peer, session: &Value, dst: &str, action: &str) {
    let action = json!({"type": "message", "kind": "user", "dst": dst, "text": "Go.", "action_id": action,
        "action_index": 0});
    boss.call("action.submit", json!({"session": session, "group_id": "g", "actions": [action]})).await;
}

/// The status that an agent is told to have next on the boss's stream.
async fn next_status(stream: &mut Peer, agent: &str) -> Value {
    loop {
        let mut heard = stream.hear().await.unwrap();
        let event = heard["payload"]["envelope"].take();
        if event["type"] == "agent.updated" && event["payload"]["id"] == agent {
            return event["payload"]["status"].clone();
        }
    }
}

#[tokio::test]
async fn who_goes_on_as_another_is_pushed_what_the_other_was_asked() {
    let world = World::new();
    let served = Served::new(&world);
    let (mut boss, session) = boss(&served).await;
    let mut process = Sleeper::start();
    let actor = Actor { process: Some(process.identity()), ..world.caller("worker").actor() };
    let worker = Caller::new(actor, world.workspace());
    run(&world.app, &worker, "agent.add", json!({"session": session}));
    run(&world.app, &worker, "tasks.create", json!({"room_id": session, "title": "Mend the roof"}));
    run(&world.app, &worker, "tasks.start", json!({"room_id": session, "task": "TASK-001"}));
    let name = run(&world.app, &worker, "agent.show", json!({"room_id": session}))["name"].clone();
    submit(&mut boss, &session, "worker", "a1").await;
    process.kill();
    let (mut runtime, mut heir) = (served.peer().await, served.peer().await);
    for peer in [&mut runtime, &mut heir] {
        peer.call("agent.add", json!({"session": session, "id": "heir"})).await;
    }
    runtime.ask("actions.stream", json!({"session": session})).await;
    heir.call("agent.adopt", json!({"room_id": session, "agent": name})).await;
    let pushed = runtime.hear().await.unwrap();
    assert_eq!((&pushed["payload"]["actions"][0]["action_id"], &pushed["dst"]), (&json!("a1"), &json!("heir")));
}

#[tokio::test]
async fn actions_are_pushed_with_their_true_sender_and_told_again_after_a_break_until_they_end() {
    let world = World::new();
    let served = Served::new(&world);
    let (mut boss, session) = boss(&served).await;
    let mut stream = served.peer().await;
    stream.send("events.stream", json!({"session": session})).await;
    let mut worker = served.peer().await;
    worker.call("agent.add", json!({"session": session, "id": "worker"})).await;
    submit(&mut boss, &session, "worker", "a1").await;

    let began = worker.ask("actions.stream", json!({"session": session})).await;
    assert_eq!(began["payload"]["agent_id"], "worker");
    assert_eq!(next_status(&mut stream, "worker").await, "connected");
    submit(&mut boss, &session, "worker", "a2").await;
    for action in ["a1", "a2"] {
        let pushed = worker.hear().await.unwrap();
        assert_eq!(
            (&pushed["type"], &pushed["src"], &pushed["dst"]),
            (&json!("action.submit"), &json!("boss"), &json!("worker"))
        );
        assert_eq!((&pushed["corr"], &pushed["session"]), (&began["corr"], &session));
        let expected = json!([{"type": "message", "kind": "user", "text": "Go.", "dst": "worker", "action_id": action,
            "action_index": 0}]);
        assert_eq!((&pushed["payload"]["actions"], &pushed["payload"]["group_id"]), (&expected, &json!("g")));
        assert_eq!(pushed["payload"]["context"]["owner_id"], "boss");
    }
    boss.call("message.send", json!({"session": session, "dst": "worker", "text": "By the way."})).await;
    let word = worker.hear().await.unwrap();
    assert_eq!((&word["type"], &word["payload"]["text"]), (&json!("message.created"), &json!("By the way.")));

    // One runtime at a time, whoever connects it.
    let mut rival = served.peer().await;
    rival.call("agent.add", json!({"session": session, "id": "worker"})).await;
    assert_eq!(rival.refused("actions.stream", json!({"session": session})).await, "duplicate_listener");
    let stranger = served.peer().await.refused("actions.stream", json!({"session": session})).await;
    assert_eq!(stranger, "AGENT_NOT_FOUND");

    worker.call("action.result", json!({"session": session, "action_id": "a1", "status": "completed"})).await;
    drop(worker);
    assert_eq!(next_status(&mut stream, "worker").await, "disconnected");
    submit(&mut boss, &session, "worker", "a3").await;
    rival.ask("actions.stream", json!({"session": session})).await;
    for action in ["a2", "a3"] {
        assert_eq!(rival.hear().await.unwrap()["payload"]["actions"][0]["action_id"], action);
    }
    assert_eq!(next_status(&mut stream, "worker").await, "connected");
    served.end().await;
    while let Some(heard) = rival.hear().await {
        assert_eq!(heard["type"], "bus.closing");
    }
    let room: RoomId = session.as_str().unwrap().parse().unwrap();
    let last = world.app.records(&room, Seq(0), 1000).unwrap().pop().unwrap();
    assert_eq!(
        (last.payload["status"].as_str(), last.payload["detail"].as_str()),
        (Some("disconnected"), Some("its stream ended: the server ended"))
    );
}

#[tokio::test]
async fn what_a_killed_target_owes_ends_in_an_error_at_once_and_what_one_that_hung_up_owes_does_not() {
    let world = World::new();
    let served = Served::new(&world);
    let (mut boss, session) = boss(&served).await;
    let directory = world.data();
    let wanted = session.as_str().unwrap().to_owned();
    std::fs::write(directory.join("session"), &wanted).unwrap();
    let mut target = tokio::task::spawn_blocking(move || {
        let mut target = Other::start("target", &directory);
        assert_eq!(target.says().unwrap(), "connected");
        target
    })
    .await
    .unwrap();
    submit(&mut boss, &session, "target", "a1").await;
    submit(&mut boss, &session, "hung-up", "a2").await;
    let mut target = tokio::task::spawn_blocking(move || {
        assert_eq!(target.says().unwrap(), "accepted");
        target
    })
    .await
    .unwrap();
    // It said that it has it, and hung up with its other connection; then it is killed.
    let newest = world.app.newest(&wanted.parse().unwrap()).unwrap();
    boss.send("events.stream", json!({"session": session, "payload": {"after": newest}})).await;
    tokio::task::spawn_blocking(move || target.kill()).await.unwrap();
    let mut ended = Vec::new();
    while ended.len() < 2 {
        let mut heard = boss.hear().await.unwrap();
        let event = heard["payload"]["envelope"].take();
        if event["type"] == "action.result" {
            assert_eq!((&event["payload"]["status"], &event["src"]), (&json!("error"), &json!("bus")), "{event}");
            ended.push(event["payload"]["action_id"].as_str().unwrap().to_owned());
        }
    }
    ended.sort();
    assert_eq!(ended, ["a1", "a2"], "both were the same process");
}

#[tokio::test]
async fn a_second_process_that_adds_a_connected_agents_id_is_refused_and_its_end_ends_nothing() {
    let world = World::new();
    let served = Served::new(&world);
    let (mut boss, session) = boss(&served).await;
    let mut worker = served.peer().await;
    worker.call("agent.add", json!({"session": session, "id": "worker"})).await;
    worker.ask("actions.stream", json!({"session": session})).await;
    submit(&mut boss, &session, "worker", "a1").await;
    assert_eq!(worker.hear().await.unwrap()["payload"]["actions"][0]["action_id"], "a1");
    let room: RoomId = session.as_str().unwrap().parse().unwrap();
    let before = world.app.newest(&room).unwrap();
    let directory = world.data();
    std::fs::write(directory.join("session"), session.as_str().unwrap()).unwrap();
    let refused = tokio::task::spawn_blocking(move || {
        let mut rival = Other::start("rival", &directory);
        let refused: Value = serde_json::from_str(&rival.says().unwrap()).unwrap();
        rival.go();
        rival.ends();
        refused
    });
    let refused = refused.await.unwrap();
    for answer in refused.as_array().unwrap() {
        assert_eq!((&answer["code"], &answer["detail"]["pid"]), (&json!("id_in_use"), &json!(std::process::id())));
        assert!(answer["detail"]["next"].as_str().unwrap().contains("another id"), "{answer}");
    }
    assert_eq!(world.app.newest(&room).unwrap(), before, "the log is as it was");
    submit(&mut boss, &session, "worker", "a2").await;
    assert_eq!(worker.hear().await.unwrap()["payload"]["actions"][0]["action_id"], "a2", "its stream lives");
    for action in ["a1", "a2"] {
        worker.call("action.result", json!({"session": session, "action_id": action, "status": "completed"})).await;
    }
}

/// Another process that would be `worker`, and tells how that went.
pub(crate) fn rival(role: &Role) {
    let session: RoomId = std::fs::read_to_string(role.directory.join("session")).unwrap().parse().unwrap();
    let client = Client::connect(Transport::Socket(socket(&role.directory))).unwrap();
    let tried = [json!({"id": "worker"}), json!({"id": "worker", "name": "Mine"})].map(|mut input| {
        input["session"] = json!(session);
        let refused = client.call("agent.add", &input, None).unwrap_err();
        json!({"code": refused.code, "detail": refused.detail})
    });
    role.say(&json!(tried).to_string());
    role.hear();
}

/// The target of a test above, in a process of its own.
pub(crate) fn target(role: &Role) {
    let session = std::fs::read_to_string(role.directory.join("session")).unwrap().parse().unwrap();
    let client = |id: &str| {
        let client = Client::connect(Transport::Socket(socket(&role.directory))).unwrap();
        add(&client, &session, id);
        client
    };
    let target = client("target");
    // An agent whose connection is gone, and whose process is not.
    drop(client("hung-up"));
    let mut actions = target.actions(&session).unwrap();
    role.say("connected");
    let delivery = actions.next().unwrap().unwrap();
    report(&target, &session, &delivery, Status::Accepted);
    role.say("accepted");
    role.hear();
}

fn socket(directory: &Path) -> std::path::PathBuf {
    directory.join(baton_bus::socket::FILE_NAME)
}
