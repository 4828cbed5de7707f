//! The end: streams are told, calls are answered, and nobody new comes in.

use serde_json::json;
use tokio::net::TcpStream;

use crate::support::{Ask, World};

#[tokio::test]
async fn streams_are_told_waits_come_back_and_the_server_ends() {
    let world = World::start().await;
    let session = world.session().await;
    let mut stream = world.connect().await;
    let ask = Ask::get(&format!("/v1/sessions/{session}/events")).token(&world.operator()).stream();
    stream.send(&ask.text(&world.host())).await;
    assert_eq!(stream.head().await.status, 200);
    assert_eq!(stream.event().await.unwrap().id, Some(1));
    world.call("worker-a", "agent.add", json!({ "room_id": session }));
    assert_eq!(stream.event().await.unwrap().kind, "agent.added");
    let mut idle = world.connect().await;
    idle.send(&Ask::get("/healthz").text(&world.host())).await;
    assert_eq!(idle.answer().await.status, 200);
    let mut waiting = world.connect().await;
    let history = Ask::call("events.history", json!({ "room_id": session, "after": 2, "max_wait_ms": 50_000 }));
    waiting.send(&history.token(&world.operator()).text(&world.host())).await;
    while !world.ask(Ask::get("/metrics")).await.text().contains("\nbaton_waits 1\n") {}

    world.hub.shut_down();
    let last = stream.event().await.unwrap();
    assert_eq!((last.id, last.kind.as_str()), (None, "bus.closing"));
    assert_eq!(stream.event().await, None);
    assert!(matches!(waiting.answer().await.status, 200 | 503));
    idle.rest().await;
    world.running.await.unwrap();
    assert!(TcpStream::connect(world.address).await.is_err());
}
