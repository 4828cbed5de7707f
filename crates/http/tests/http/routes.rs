//! Routes: the same command by its name and by what it is about.

use serde_json::{Value, json};

use crate::support::{Ask, World};

#[tokio::test]
async fn a_resource_and_a_call_give_the_same_answer() {
    let world = World::start().await;
    let session = world.session().await;
    world.call("worker-a", "agent.add", json!({ "room_id": session }));
    world.call("worker-a", "message.send", json!({ "room_id": session, "text": "hello" }));
    let room = |rest: &str| format!("/v1/rooms/{session}{rest}");
    let bus = |rest: &str| format!("/v1/sessions/{session}{rest}");
    let in_room = |more: Value| {
        let mut input = json!({ "room_id": session });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    let pairs = [
        ("/v1/rooms".to_owned(), "room.list", json!({ "all": true })),
        ("/v1/sessions?status=open&limit=5".to_owned(), "session.list", json!({ "status": "open", "limit": 5 })),
        (room(""), "room.state", in_room(json!({}))),
        (room("/events?after=1&limit=1"), "room.events", in_room(json!({ "after": 1, "limit": 1 }))),
        (room("/agents"), "agent.list", in_room(json!({}))),
        (room("/jobs"), "jobs.list", in_room(json!({}))),
        (bus("/messages?limit=10"), "message.list", in_room(json!({ "limit": 10 }))),
        (bus("/actions?open=true"), "action.list", in_room(json!({ "open": true }))),
        (
            bus("/events?types=agent.added&types=message.created"),
            "events.history",
            in_room(json!({ "types": ["agent.added", "message.created"] })),
        ),
        (format!("/v1/jobs/JOB-001?room_id={session}"), "jobs.open", in_room(json!({ "job": "JOB-001" }))),
        (room("/events?limit=0"), "room.events", in_room(json!({ "limit": 0 }))),
        ("/v1/rooms/lobby".to_owned(), "room.state", json!({ "room_id": "lobby" })),
    ];
    for (path, command, input) in pairs {
        let (resource, call) = (world.ask(Ask::get(&path)).await, world.ask(Ask::call(command, input)).await);
        assert_eq!((resource.status, resource.json()), (call.status, call.json()), "{path}");
    }
}

#[tokio::test]
async fn what_a_request_says_twice_must_be_the_same_and_what_nobody_knows_is_refused() {
    let world = World::start().await;
    let session = world.session().await;
    let messages = format!("/v1/sessions/{session}/messages");
    for ask in [
        Ask::get("/v1/sessions?limt=5"),
        Ask::get("/v1/sessions?limit=five"),
        Ask::get("/v1/sessions?limit=5&limit=6"),
        Ask::get("/v1/rooms?all=false"),
        Ask::post("/v1/sessions?name=x"),
        Ask::call("session.create", json!({})).header("Idempotency-Key", "a").header("Idempotency-Key", "b"),
        Ask::call("session.create", json!({ "idempotency_key": "a" })).header("Idempotency-Key", "b"),
        Ask::post(&messages).json(json!({ "room_id": "room_another", "text": "x" })),
        Ask::post("/v1/call/session.create?name=x"),
    ] {
        let answer = world.ask(ask.clone()).await;
        assert_eq!(answer.refusal(), (400, "INVALID_INPUT".to_owned()), "{ask:?}");
    }
    assert_eq!(world.data_of(Ask::get("/v1/sessions")).await["sessions"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_key_has_a_request_carried_out_once_whichever_way_it_comes() {
    let world = World::start().await;
    let named = |name: &str| json!({ "name": name });
    let first = world.data_of(Ask::post("/v1/sessions").header("Idempotency-Key", "k1").json(named("a"))).await;
    let again = Ask::call("session.create", named("a")).header("Idempotency-Key", "k1");
    assert_eq!(world.data_of(again).await, first);
    let in_body = Ask::call("bus.open", json!({ "name": "a", "idempotency_key": "k1" }));
    assert_eq!(world.data_of(in_body).await, first);
    let other = world.ask(Ask::post("/v1/sessions").header("Idempotency-Key", "k1").json(named("b"))).await;
    assert_eq!(other.refusal(), (409, "idempotency_conflict".to_owned()));
    assert_eq!(world.data_of(Ask::get("/v1/sessions")).await["sessions"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_is_not_there_is_said_in_the_same_words_as_everything_else() {
    let world = World::start().await;
    for (ask, status) in [
        (Ask::get("/v2/rooms"), 404),
        (Ask::call("room.burn", json!({})), 404),
        (Ask::get("/v1/call/room.list"), 405),
        (Ask::new("PUT", "/v1/sessions"), 405),
        (Ask::new("DELETE", "/openapi.json"), 405),
    ] {
        let answer = world.ask(ask.clone()).await;
        assert_eq!(answer.refusal(), (status, "UNKNOWN_CMD".to_owned()), "{ask:?}");
        assert_eq!(answer.header("allow").is_some(), status == 405, "{ask:?}");
    }
    let unknown = world.ask(Ask::get("/v1/rooms/room_unknown")).await;
    assert_eq!(unknown.refusal(), (404, "unknown_room".to_owned()));
}

#[tokio::test]
async fn a_wait_is_withdrawn_when_its_caller_goes() {
    let world = World::start().await;
    let session = world.session().await;
    world.call("worker-a", "agent.add", json!({ "room_id": session }));
    world.call("worker-b", "agent.add", json!({ "room_id": session }));
    let wait = |who: &str| {
        let ask = Ask::call("stick.wait", json!({ "room_id": session, "max_wait_ms": 50_000 }));
        ask.token(&world.operator()).agent(who).text(&world.host())
    };
    let mut holder = world.connect().await;
    holder.send(&wait("worker-a")).await;
    assert_eq!(holder.answer().await.json()["data"]["status"], "your_turn");
    let mut waiting = world.connect().await;
    waiting.send(&wait("worker-b")).await;
    until(&world, 1).await;
    drop(waiting);
    until(&world, 0).await;
}

/// Looks until as many calls wait as are expected.
async fn until(world: &World, waits: u64) {
    let expected = format!("\nbaton_waits {waits}\n");
    while !world.ask(Ask::get("/metrics")).await.text().contains(&expected) {}
}
