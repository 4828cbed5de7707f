//! Streams: every event once, in order, from wherever a reader left off.

use serde_json::{Value, json};

use crate::support::{Ask, Event, Peer, World};

fn stream(world: &World, session: &str, query: &str) -> Ask {
    Ask::get(&format!("/v1/sessions/{session}/events{query}")).token(&world.operator()).stream()
}

async fn open(world: &World, ask: Ask) -> Peer {
    let mut peer = world.connect().await;
    peer.send(&ask.text(&world.host())).await;
    let head = peer.head().await;
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    peer
}

fn say(world: &World, session: &str, text: &str) {
    world.call("worker-a", "message.send", json!({ "room_id": session, "text": text }));
}

async fn history(world: &World, session: &str) -> Vec<Value> {
    let data = world.data_of(Ask::get(&format!("/v1/sessions/{session}/events?after=0&limit=200"))).await;
    data["events"].as_array().unwrap().clone()
}

async fn take(peer: &mut Peer, count: usize) -> Vec<Event> {
    let mut events = Vec::new();
    while events.len() < count {
        events.push(peer.event().await.expect("the stream goes on"));
    }
    events
}

#[tokio::test]
async fn a_stream_tells_the_past_and_then_what_happens_exactly_as_the_history_has_it() {
    let world = World::start().await;
    let session = world.session().await;
    world.call("worker-a", "agent.add", json!({ "room_id": session }));
    let mut peer = open(&world, stream(&world, &session, "")).await;
    let past = take(&mut peer, 2).await;
    (0..5).for_each(|number| say(&world, &session, &format!("line\n{number}")));
    let events = [past, take(&mut peer, 5).await].concat();
    let history = history(&world, &session).await;
    assert_eq!(events.len(), history.len());
    for (event, record) in events.iter().zip(&history) {
        assert_eq!(event.id, record["seq"].as_u64());
        assert_eq!(event.kind, record["type"].as_str().unwrap());
        assert_eq!(serde_json::from_str::<Value>(&event.data).unwrap(), *record);
    }
    let room = open(&world, Ask::get(&format!("/v1/rooms/{session}/events")).token(&world.operator()).stream());
    assert_eq!(take(&mut room.await, events.len()).await, events, "a room's stream is the session's");
}

#[tokio::test]
async fn a_reader_goes_on_where_it_left_off() {
    let world = World::start().await;
    let session = world.session().await;
    world.call("worker-a", "agent.add", json!({ "room_id": session }));
    (0..5).for_each(|number| say(&world, &session, &number.to_string()));
    for (query, header, first) in
        [("?after=3", None, 4), ("?after=3", Some("5"), 6), ("", Some("6"), 7), ("?after=0", Some(""), 1)]
    {
        let ask = stream(&world, &session, query);
        let ask = header.into_iter().fold(ask, |ask, seen| ask.header("Last-Event-ID", seen));
        let mut peer = open(&world, ask).await;
        assert_eq!(peer.event().await.unwrap().id, Some(first), "{query} {header:?}");
    }
    for wrong in [
        stream(&world, &session, "?after=x"),
        stream(&world, &session, "?after=1&after=2"),
        stream(&world, &session, "?limit=2"),
        stream(&world, &session, "").header("Last-Event-ID", "-1"),
        stream(&world, "lobby", ""),
    ] {
        assert_eq!(world.send(wrong).await.refusal(), (400, "INVALID_INPUT".to_owned()));
    }
    let unknown = world.send(stream(&world, "room_unknown", "")).await;
    assert_eq!(unknown.refusal(), (404, "unknown_room".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_does_not_read_is_dropped_and_the_others_go_on() {
    let world = World::start().await;
    let session = world.session().await;
    for who in ["worker-a", "worker-b"] {
        world.call(who, "agent.add", json!({ "room_id": session }));
    }
    let mut deaf = open(&world, stream(&world, &session, "")).await;
    let mut reader = open(&world, stream(&world, &session, "")).await;
    let read = tokio::spawn(async move {
        let mut last = 0;
        loop {
            let event = reader.event().await.expect("one that reads is not dropped");
            assert_eq!(event.id, Some(last + 1));
            last += 1;
            if event.data.contains("the last word") {
                return last;
            }
        }
    });
    let mut group = 0;
    while world.hub.metrics().subscribers_dropped() == 0 {
        group += 1;
        let action = |index: u32| {
            json!({
                "type": "message", "dst": "worker-b", "action_id": format!("a{group}-{index}"), "action_index": index,
                "kind": "user", "text": "x".repeat(500),
            })
        };
        let actions: Vec<Value> = (0..250).map(action).collect();
        let submit = json!({ "room_id": session, "group_id": format!("g{group}"), "actions": actions });
        tokio::task::block_in_place(|| world.call("worker-a", "action.submit", submit));
        assert!(group < 200, "nobody is dropped");
    }
    say(&world, &session, "the last word");
    let newest = read.await.unwrap();
    // What was sent to it is still there; then it is told that its stream is over, and where to go on.
    let mut seen = 0;
    let dropped = loop {
        let event = deaf.event().await.expect("its stream has a last word");
        if event.kind == "bus.dropped" {
            break event;
        }
        assert_eq!(event.id, Some(seen + 1));
        seen += 1;
    };
    assert!(seen < newest);
    let told: Value = serde_json::from_str(&dropped.data).unwrap();
    assert_eq!((&told["error"]["code"], &told["error"]["after"]), (&json!("SLOW_CONSUMER"), &json!(seen)), "{told}");
    assert!(deaf.event().await.is_none(), "nothing comes after it");
    let mut back = open(&world, stream(&world, &session, "").header("Last-Event-ID", &seen.to_string())).await;
    for place in seen + 1..=newest {
        assert_eq!(back.event().await.unwrap().id, Some(place));
    }
}

#[tokio::test]
async fn an_agents_runtime_is_connected_while_it_streams_and_has_its_actions_pushed_in_order() {
    let world = World::start().await;
    let session = world.session().await;
    for who in ["worker-a", "worker-b"] {
        world.call(who, "agent.add", json!({ "room_id": session }));
    }
    let path = format!("/v1/sessions/{session}/actions");
    let runtime = || Ask::get(&path).token(&world.operator()).agent("worker-b").stream();
    let submit = |number: u32| {
        let action = json!({
            "type": "message", "dst": "worker-b", "action_id": format!("a{number}"), "action_index": 0, "kind": "user",
            "text": "do it",
        });
        let input = json!({ "room_id": session, "group_id": format!("g{number}"), "actions": [action] });
        world.call("worker-a", "action.submit", input);
    };
    submit(1);
    let mut peer = open(&world, runtime()).await;
    submit(2);
    let mut ids = Vec::new();
    for number in 1..=2 {
        let event = peer.event().await.unwrap();
        let envelope: Value = serde_json::from_str(&event.data).unwrap();
        assert_eq!((event.kind.as_str(), &envelope["src"]), ("action.submit", &json!("worker-a")));
        assert_eq!(envelope["payload"]["actions"][0]["action_id"], format!("a{number}"));
        assert_eq!(event.id, envelope["seq"].as_u64());
        ids.push(event.id.unwrap());
    }
    let second = world.send(runtime()).await;
    assert_eq!(second.status, 409, "{}", second.text());
    let viewer = world.token("viewer", baton_http::Role::Viewer, None);
    assert_eq!(world.send(Ask::get(&path).token(&viewer).stream()).await.status, 403);
    let mut events = open(&world, stream(&world, &session, "")).await;
    drop(peer);
    while !events.event().await.unwrap().data.contains("\"disconnected\"") {}
    // What has not ended is told again, after what was seen.
    let mut back = open(&world, runtime().header("Last-Event-ID", &ids[0].to_string())).await;
    assert_eq!(back.event().await.unwrap().id, Some(ids[1]));
}

#[tokio::test(start_paused = true)]
async fn a_stream_in_which_nothing_happens_shows_that_it_lives() {
    let world = World::start().await;
    let session = world.session().await;
    let mut peer = open(&world, stream(&world, &session, "?after=1")).await;
    assert_eq!(peer.block().await.as_deref(), Some("retry: 1000\n\n"));
    for _ in 0..3 {
        assert_eq!(peer.block().await.as_deref(), Some(":\n\n"));
    }
}
