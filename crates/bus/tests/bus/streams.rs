//! Streams over the socket: every event once, in order, whatever happens to the connection.

use std::{
    sync::{Arc, mpsc},
    thread,
};

use baton_core::ids::{RoomId, Seq};
use serde_json::{Value, json};

use crate::{
    peer::{Peer, Served},
    world::{World, flood, note, run},
};

/// Opens a stream and tells the id of its request.
async fn follow(peer: &mut Peer, room: &RoomId, after: Seq) -> String {
    let id = peer.send("events.stream", json!({"session": room, "payload": {"after": after}})).await;
    let answer = peer.hear().await.unwrap();
    assert_eq!((&answer["corr"], &answer["payload"]["stream"]), (&json!(id), &json!(id)), "{answer}");
    id
}

#[tokio::test]
async fn a_stream_pushes_records_that_are_those_of_the_history() {
    let world = World::new();
    let room = world.room();
    (0..5).for_each(|_| _ = world.note(&room, "x"));
    let served = Served::new(&world);
    let mut peer = served.peer().await;
    let id = follow(&mut peer, &room, Seq(0)).await;
    let last = world.note(&room, "live");
    let mut pushed = Vec::new();
    while pushed.len() < last.0 as usize {
        let mut record = peer.hear().await.unwrap();
        assert_eq!(
            (&record["type"], &record["corr"], &record["session"]),
            (&json!("events.record"), &json!(id), &json!(room))
        );
        assert_eq!(record["seq"], pushed.len() + 2, "the connection counts what it is sent");
        let envelope = record["payload"]["envelope"].take();
        assert_eq!((&record["payload"]["seq"], &record["payload"]["ts"]), (&envelope["seq"], &envelope["ts"]));
        pushed.push(envelope);
    }
    let history = peer.call("events.history", json!({"session": room})).await;
    assert_eq!(Value::from(pushed), history["events"]);

    // Stopped, it says nothing more; the id may be used again.
    peer.call("events.stop", json!({"stream": id})).await;
    world.note(&room, "unheard");
    peer.call("ping", json!({})).await;
    let newest = world.app.newest(&room).unwrap();
    follow(&mut peer, &room, newest).await;
    let written = world.note(&room, "heard");
    assert_eq!(peer.hear().await.unwrap()["payload"]["seq"], written.0);
}

#[tokio::test]
async fn the_stream_of_who_reads_nothing_ends_alone_and_says_so_and_goes_on_without_a_gap() {
    const SUBMISSIONS: u64 = 50;
    let world = World::new();
    let room = world.room_of_two();
    let start = world.app.newest(&room).unwrap();
    let served = Served::new(&world);
    let (mut idle, mut keen) = (served.peer().await, served.peer().await);
    let slow = follow(&mut idle, &room, start).await;
    let opened = run(&world.app, &world.caller("ana"), "session.create", json!({"name": "quiet"}));
    let other_room: RoomId = opened["session"]["id"].as_str().unwrap().parse().unwrap();
    run(&world.app, &world.caller("ana"), "agent.add", json!({"room_id": other_room}));
    let beginning = world.app.newest(&other_room).unwrap();
    let quiet = follow(&mut idle, &other_room, beginning).await;
    follow(&mut keen, &room, start).await;
    let (app, caller, to) = (Arc::clone(&world.app), world.caller("ana"), room.clone());
    let writer = thread::spawn(move || flood(&app, &caller, &to, SUBMISSIONS));
    for place in 1..=SUBMISSIONS * 256 {
        assert_eq!(keen.hear().await.unwrap()["payload"]["seq"], start.0 + place);
    }
    let last = start.0 + writer.join().unwrap();

    // It finds what had gone out before its stream ended, and then that it did, and where to go on.
    while world.hub.metrics().subscribers_dropped() == 0 {
        tokio::task::yield_now().await;
    }
    let ping = idle.send("ping", json!({})).await;
    let mut cursor = start;
    let dropped = loop {
        let heard = idle.hear().await.unwrap();
        if heard["type"] != "events.record" {
            break heard;
        }
        assert_eq!((&heard["corr"], &heard["payload"]["seq"]), (&json!(slow), &json!(cursor.next().0)));
        cursor = cursor.next();
    };
    assert!(cursor.0 < last);
    assert_eq!((&dropped["type"], &dropped["corr"]), (&json!("bus.dropped"), &json!(slow)), "{dropped}");
    let error = &dropped["error"];
    assert_eq!((&error["code"], &error["detail"]["after"]), (&json!("SLOW_CONSUMER"), &json!(cursor.0)));
    // The connection goes on, and so does its other stream.
    assert_eq!(idle.hear().await.unwrap()["corr"], json!(ping));
    let written = world.note(&other_room, "still there");
    let heard = idle.hear().await.unwrap();
    assert_eq!((&heard["corr"], &heard["payload"]["seq"]), (&json!(quiet), &json!(written.0)));
    follow(&mut idle, &room, cursor).await;
    while cursor.0 < last {
        assert_eq!(idle.hear().await.unwrap()["payload"]["seq"], cursor.next().0);
        cursor = cursor.next();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_reconnections_while_eight_write_miss_nothing_and_repeat_nothing() {
    const SENDERS: usize = 8;
    const RECONNECTIONS: usize = 1000;
    let world = World::new();
    let room = world.room();
    let start = world.app.newest(&room).unwrap();
    let served = Served::new(&world);
    // Each writes once for each time that the reader comes back, while it does.
    let (come_back, senders): (Vec<_>, Vec<_>) = (0..SENDERS)
        .map(|number| {
            let (app, caller) = (world.beside(), world.caller(&format!("sender-{number}")));
            run(&app, &caller, "room.join", json!({"context_path": world.workspace()}));
            let (room, (come_back, comes_back)) = (room.clone(), mpsc::channel());
            let sender = thread::spawn(move || comes_back.iter().for_each(|()| _ = note(&app, &caller, &room, "x")));
            (come_back, sender)
        })
        .unzip();
    let mut cursor = start;
    for number in 0..RECONNECTIONS {
        come_back.iter().for_each(|sender| sender.send(()).unwrap());
        let mut peer = served.peer().await;
        follow(&mut peer, &room, cursor).await;
        // A few each time, so that it is cut in the middle of what comes.
        for _ in 0..=number % 7 {
            let record = peer.hear().await.unwrap();
            assert_eq!(record["payload"]["seq"], cursor.next().0);
            assert_eq!(record["payload"]["envelope"]["seq"], cursor.next().0);
            cursor = cursor.next();
        }
    }
    drop(come_back);
    senders.into_iter().for_each(|sender| sender.join().unwrap());
    let newest = world.app.newest(&room).unwrap();
    let mut peer = served.peer().await;
    follow(&mut peer, &room, cursor).await;
    while cursor < newest {
        assert_eq!(peer.hear().await.unwrap()["payload"]["seq"], cursor.next().0);
        cursor = cursor.next();
    }
}

#[tokio::test]
async fn when_the_server_ends_streams_are_told_calls_are_finished_and_the_socket_is_gone() {
    let world = World::new();
    let room = world.room();
    let newest = world.app.newest(&room).unwrap();
    let served = Served::new(&world);
    let path = served.path.clone();
    let (mut peer, mut idle) = (served.peer().await, served.peer().await);
    let stream = follow(&mut peer, &room, newest).await;
    let wait = json!({"session": room, "payload": {"after": newest, "max_wait_ms": 50_000}});
    let waiting = peer.send("events.history", wait).await;
    idle.call("ping", json!({})).await;
    while world.hub.metrics().waits() == 0 {
        tokio::task::yield_now().await;
    }
    served.end().await;
    let (mut closing, mut answered) = (false, false);
    while let Some(heard) = peer.hear().await {
        closing |= heard["type"] == "bus.closing" && heard["corr"] == *stream && heard["session"] == *room.as_str();
        answered |= heard["corr"] == *waiting && heard.get("status").is_some();
    }
    assert!(closing && answered);
    assert_eq!(idle.hear().await, None);
    assert!(!path.exists());
}
