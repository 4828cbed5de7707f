//! A person's word reaches an agent at its next call, whatever that is.

use serde_json::{Value, json};

use super::wire::Wire;

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn an_interrupt_comes_with_the_answer_to_the_next_call_and_once() {
    let mut wire = Wire::greeted().await;
    let room = wire.join().await;
    let quiet = wire.call("list_rooms", json!({})).await;
    assert_eq!(quiet["structuredContent"].get("interrupt"), None);
    wire.world.tell(&room, "test-client:main", "stop that", "interrupt");
    wire.world.tell(&room, "test-client:main", "and this too", "interrupt");
    wire.world.tell(&room, "test-client:main", "when you have time", "queue");
    // A call that only reads, and is not even about the room.
    let told = wire.call("list_rooms", json!({})).await;
    let interrupts = told["structuredContent"]["interrupt"].as_array().unwrap().clone();
    assert_eq!(interrupts.len(), 2, "{told}");
    assert_eq!((&interrupts[0]["text"], &interrupts[0]["from"]), (&json!("stop that"), &json!("human:x")));
    assert!(interrupts[0]["sent_at"].is_string() && interrupts[0]["message"].is_u64());
    assert!(text(&told).starts_with("INTERRUPT from human:x, a person (message "), "{}", text(&told));
    assert!(text(&told).contains("stop that\n") && text(&told).ends_with('}'));
    assert!(told["structuredContent"]["rooms"].is_array(), "the answer itself is all there");
    let events = wire.call("get_room_events", json!({"room_id": room, "limit": 2})).await;
    assert_eq!(events["structuredContent"].get("interrupt"), None, "it is told once");
    let kinds: Vec<&Value> =
        events["structuredContent"]["events"].as_array().unwrap().iter().map(|event| &event["event_type"]).collect();
    assert_eq!(kinds, ["see", "see"], "that it was told is in the log");
    let inbox = wire.call("inbox", json!({"op": "list"})).await;
    let items = inbox["structuredContent"]["data"]["items"].clone();
    assert_eq!((items.as_array().unwrap().len(), &items[0]["subject"]), (1, &json!("when you have time")));
}

#[tokio::test]
async fn an_interrupt_comes_with_refusals_and_portals_and_ends_a_wait() {
    let mut wire = Wire::greeted().await;
    let room = wire.join_room_held_by_another().await;
    wire.world.tell(&room, "test-client:main", "one", "interrupt");
    let refused = wire.call("release_stick", json!({"room_id": room})).await;
    assert_eq!(
        (&refused["isError"], &refused["structuredContent"]["interrupt"][0]["text"]),
        (&json!(true), &json!("one"))
    );
    wire.world.tell(&room, "test-client:main", "two", "interrupt");
    let portal = wire.call("tasks", json!({"op": "list"})).await;
    assert_eq!(portal["structuredContent"]["interrupt"][0]["text"], "two");
    assert_eq!(portal["structuredContent"]["command"], "tasks.list");
    let arguments = json!({"room_id": room, "max_wait_ms": 50_000});
    let id = wire.ask("tools/call", json!({"name": "wait_for_turn", "arguments": arguments})).await;
    wire.world.tell(&room, "test-client:main", "three", "interrupt");
    let waited = wire.read().await;
    assert_eq!(
        (&waited["id"], &waited["result"]["structuredContent"]["interrupt"][0]["text"]),
        (&json!(id), &json!("three"))
    );
}

#[tokio::test]
async fn whoever_joined_no_room_and_others_of_the_connection_are_told_nothing() {
    let mut wire = Wire::greeted().await;
    let room = wire.join().await;
    let params = json!({"name": "list_rooms", "arguments": {}, "_meta": {"threadId": "t-42"}});
    wire.world.tell(&room, "test-client:main", "for the other", "interrupt");
    let other = wire.request("tools/call", params).await["result"].take();
    assert_eq!(other["structuredContent"].get("interrupt"), None, "it has joined nothing");
    let own = wire.call("get_room_state", json!({"room_id": room})).await;
    assert_eq!(own["structuredContent"]["interrupt"][0]["text"], "for the other");
}
