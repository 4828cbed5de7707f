//! Who is served, in which order, and who is not.

use std::{os::unix::fs::PermissionsExt, path::Path};

use baton_app::identity::Surroundings;
use baton_bus::socket::{Server, find, raise_descriptor_limit};
use baton_core::code::ErrorCode;
use baton_testkit::Other;
use serde_json::{Value, json};

use crate::{
    peer::{Peer, Served},
    world::World,
};

#[tokio::test]
async fn a_client_is_who_its_process_is_until_it_adds_an_agent() {
    let world = World::new();
    let served = Served::new(&world);
    let mut peer = served.peer().await;
    let own = Surroundings::of_process(std::process::id()).unwrap().cli_caller().actor.agent_id;
    assert_eq!(peer.call("ping", json!({})).await["agent_id"], own.as_str());
    let session = peer.call("session.create", json!({"name": "demo"})).await["session"]["id"].clone();

    let added = peer.call("agent.add", json!({"session": session, "id": "worker"})).await;
    assert_eq!(added["agent"]["id"], "worker");
    let sent = peer.call("message.send", json!({"session": session, "text": "hello"})).await;
    assert_eq!(sent["recipients"], json!([]));
    peer.call("agent.add", json!({"session": session, "id": "boss", "name": "The Boss"})).await;
    assert_eq!(peer.call("ping", json!({})).await["agents"], json!([own, "worker", "boss"]));

    // The one that was added last speaks, unless `src` says who.
    for (src, expected) in [(None, "boss"), (Some("worker"), "worker"), (Some("boss"), "boss")] {
        let mut envelope = json!({"session": session, "payload": {"text": "hello"}});
        src.iter().for_each(|src| envelope["src"] = json!(src));
        let answer = peer.ask("message.send", envelope).await;
        assert_eq!(answer["session"], session, "{answer}");
        let seq = answer["payload"]["seq"].as_u64().unwrap();
        let history = peer.call("events.history", json!({"session": session, "after": seq - 1, "limit": 1})).await;
        assert_eq!(history["events"][0]["src"], expected);
    }
    let strange = json!({"src": "stranger", "session": session, "payload": {"text": "x"}});
    assert_eq!(peer.refused("message.send", strange).await, "SOURCE_MISMATCH");
    let strange = json!({"src": "stranger", "session": session, "payload": {"id": "new"}});
    assert_eq!(peer.refused("agent.add", strange).await, "SOURCE_MISMATCH");
    let rename = json!({"src": "worker", "session": session, "payload": {"id": "boss", "name": "Worker"}});
    assert_eq!(peer.refused("agent.update", rename).await, "SOURCE_MISMATCH");

    // Nobody becomes a harness, a person or the bus by saying so.
    for id in ["codex:1234", "human:root:pts1", "bus"] {
        assert_eq!(
            peer.refused("agent.add", json!({"session": session, "payload": {"id": id}})).await,
            "INVALID_AGENT_ID"
        );
    }
    let posing = json!({"payload": {"context_path": world.workspace(), "agent_id_override": "human:root:pts1"}});
    assert_eq!(peer.refused("room.join", posing).await, "SOURCE_MISMATCH");
    peer.ask("agent.remove", json!({"src": "boss", "session": session})).await;
    assert_eq!(peer.call("ping", json!({})).await["agents"], json!([own, "worker"]));
}

#[tokio::test]
async fn the_key_of_the_envelope_is_that_of_the_request() {
    let world = World::new();
    let served = Served::new(&world);
    let (mut one, mut two) = (served.peer().await, served.peer().await);
    let keyed = || json!({"idempotency_key": "k", "payload": {"name": "once"}});
    let first = one.ask("session.create", keyed()).await;
    let again = two.ask("session.create", keyed()).await;
    assert_eq!(first["payload"], again["payload"]);
    assert_eq!(two.call("session.list", json!({})).await["sessions"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn requests_are_answered_in_order_and_a_wait_keeps_nothing_waiting() {
    let world = World::new();
    let room = world.room();
    let served = Served::new(&world);
    let mut peer = served.peer().await;
    let newest = world.app.newest(&room).unwrap();
    let wait = json!({"session": room, "payload": {"after": newest, "max_wait_ms": 50_000}});
    let waiting = peer.send("events.history", wait).await;
    let mut expected = Vec::new();
    for number in 0..50 {
        let kind = if number % 2 == 0 { "ping" } else { "session.list" };
        expected.push(peer.send(kind, json!({})).await);
    }
    for (place, id) in expected.iter().enumerate() {
        let heard = peer.hear().await.unwrap();
        assert_eq!((&heard["corr"], &heard["seq"]), (&json!(id), &json!(place + 1)));
    }
    let written = world.note(&room, "now");
    let answer = peer.hear().await.unwrap();
    assert_eq!((&answer["corr"], &answer["payload"]["events"][0]["seq"]), (&json!(waiting), &json!(written)));
}

#[tokio::test]
async fn a_thousand_idle_connections_keep_nobody_from_being_served() {
    raise_descriptor_limit();
    let world = World::new();
    let served = Served::new(&world);
    let mut idle = Vec::new();
    for _ in 0..1000 {
        idle.push(served.peer().await);
    }
    let mut busy = served.peer().await;
    for _ in 0..100 {
        busy.call("ping", json!({})).await;
    }
    // And each of them is served when it asks at last.
    for peer in &mut idle {
        peer.send("ping", json!({})).await;
    }
    for peer in &mut idle {
        assert_eq!(peer.hear().await.unwrap()["status"], "ok");
    }
}

#[tokio::test]
async fn one_server_has_the_socket_and_what_it_leaves_behind_is_replaced() {
    let world = World::new();
    let served = Served::new(&world);
    let again = Server::bind(&world.hub, &world.socket(), world.app.environment()).err().unwrap();
    assert_eq!((again.code, &again.details["pid"]), (ErrorCode::Conflict, &std::process::id().into()));
    assert_eq!(mode(&served.path), 0o600);
    assert_eq!(mode(served.path.parent().unwrap()), 0o700);

    // As a server leaves it that was killed.
    let left = world.data().join("left.sock");
    drop(std::os::unix::net::UnixListener::bind(&left).unwrap());
    drop(Server::bind(&world.hub, &left, world.app.environment()).unwrap());

    // Somebody else's socket, and somebody's file.
    let foreign = world.data().join("foreign.sock");
    let _listener = std::os::unix::net::UnixListener::bind(&foreign).unwrap();
    let refused = Server::bind(&world.hub, &foreign, world.app.environment()).err().unwrap();
    assert_eq!((refused.code, &refused.details["pid"]), (ErrorCode::Conflict, &std::process::id().into()));
    let file = world.data().join("file.sock");
    std::fs::write(&file, "precious").unwrap();
    assert_eq!(Server::bind(&world.hub, &file, world.app.environment()).err().unwrap().code, ErrorCode::Conflict);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious");
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn a_socket_whose_path_is_too_long_is_found_all_the_same() {
    let world = World::new();
    let long = world.data().join("x".repeat(120)).join("bus.sock");
    let environment =
        baton_app::environment::Environment::of([("XDG_RUNTIME_DIR", world.directory.path())], world.data());
    let server = Server::bind(&world.hub, &long, &environment).unwrap();
    let path = server.path().to_owned();
    assert_ne!(path, long);
    let task = tokio::spawn(server.serve());
    let mut peer = Peer::connect(&find(&long)).await;
    peer.call("ping", json!({})).await;
    world.hub.shut_down();
    task.await.unwrap();
    assert!(!path.exists());
    assert_eq!(find(&long), long);
}

#[tokio::test]
async fn another_user_is_refused_with_words() {
    if !rustix::process::geteuid().is_root() {
        // Only root can be somebody else.
        return;
    }
    let world = World::new();
    // Somewhere that another user can reach, with a socket that it may open.
    let open = tempfile::tempdir().unwrap();
    std::fs::set_permissions(open.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let path = open.path().join("bus.sock");
    let server = Server::bind(&world.hub, &path, world.app.environment()).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
    let task = tokio::spawn(server.serve());
    let directory = open.path().to_owned();
    let said = tokio::task::spawn_blocking(move || {
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
        let mut other = Other::start_through("setpriv", &nobody, "another user", &directory);
        let said = other.says().unwrap();
        other.ends();
        said
    });
    let refusal: Value = serde_json::from_str(&said.await.unwrap()).unwrap();
    assert_eq!((&refusal["type"], &refusal["error"]["code"]), (&"bus.refused".into(), &"FORBIDDEN".into()));
    assert_eq!(refusal["error"]["detail"]["uid"], 65534);
    assert_eq!(world.hub.metrics().refused_connections(), 1);
    world.hub.shut_down();
    task.await.unwrap();
}
