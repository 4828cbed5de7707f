//! What is no envelope: refused with words, and the connection goes on.

use serde_json::{Value, json};

use crate::{peer::Served, world::World};

/// How much the longest line has beyond what is read.
const HUGE: usize = 100 * 1024 * 1024;

async fn refusal_of(line: &[u8]) -> Value {
    let world = World::new();
    let served = Served::new(&world);
    let mut peer = served.peer().await;
    peer.write(line).await;
    let refusal = peer.hear().await.unwrap();
    assert_eq!(refusal["status"], "error", "{refusal}");
    // Whatever it was, the next request is answered.
    assert_eq!(peer.call("ping", json!({})).await["version"], env!("CARGO_PKG_VERSION"));
    refusal
}

#[tokio::test]
async fn lines_that_are_no_envelopes_are_refused_and_the_connection_goes_on() {
    for (line, kind, code) in [
        ("nonsense\n", "bus.refused", "INVALID_FRAME"),
        ("[]\n", "bus.refused", "INVALID_FRAME"),
        (r#"{"v":1,"type":"ping","id":"r0","colour":"red"}"#, "ping", "INVALID_FRAME"),
        (r#"{"v":1,"type":"ping","id":"r0","payload":{"half":"#, "ping", "INVALID_FRAME"),
        (r#"{"v":one,"type":"ping","id":"r0"}"#, "ping", "INVALID_FRAME"),
        (r#"{"v":1,"type":"ping","id":"r0","id":"r1"}"#, "ping", "INVALID_FRAME"),
        (r#"{"v":1,"type":"ping","id":"r0","status":"ok"}"#, "ping", "INVALID_FRAME"),
        (r#"{"v":1,"type":"ping","id":"r0","payload":[]}"#, "ping", "INVALID_FRAME"),
        (r#"{"v":1,"type":"no.such","id":"r0"}"#, "no.such", "UNKNOWN_CMD"),
        (r#"{"v":1,"type":"room.note","id":"r0","payload":{"room_id":"room_1"}}"#, "room.note", "INVALID_INPUT"),
        (r#"{"v":1,"type":"room.note","id":"r0","payload":{"txt":1}}"#, "room.note", "INVALID_INPUT"),
        (r#"{"v":1,"type":"session.list","id":"r0","session":"room_1"}"#, "session.list", "INVALID_INPUT"),
        (r#"{"v":1,"type":"ping","id":"r0","src":"codex:1234"}"#, "ping", "SOURCE_MISMATCH"),
        (r#"{"v":1,"type":"events.stop","id":"r0","payload":{"stream":"x"}}"#, "events.stop", "UNKNOWN_ID"),
        (r#"{"v":1,"type":"events.stream","id":"r0","payload":{"session":"room_1"}}"#, "events.stream", "unknown_room"),
    ] {
        let refusal = refusal_of(format!("{}\n", line.trim_end()).as_bytes()).await;
        assert_eq!((&refusal["type"], &refusal["error"]["code"]), (&kind.into(), &code.into()), "{refusal}");
        let corr = if kind == "bus.refused" { Value::Null } else { "r0".into() };
        assert_eq!(refusal["corr"], corr, "{refusal}");
        assert!(refusal["error"]["detail"]["next"].is_string());
    }
}

#[tokio::test]
async fn wrong_utf_8_and_deep_json_are_refused() {
    let refusal = refusal_of(b"{\"v\":1,\"type\":\"ping\",\"id\":\"\xc3\x28\"}\n").await;
    assert_eq!(refusal["error"]["code"], "INVALID_FRAME");
    let deep = format!(r#"{{"v":1,"type":"ping","id":"1","payload":{}"#, "{\"a\":".repeat(100_000));
    let refusal = refusal_of(format!("{deep}\n").as_bytes()).await;
    assert_eq!(refusal["error"]["message"], "The line nests deeper than 64 levels.");
    assert_eq!(refusal["corr"], "1", "its sender waits for it");
    let refusal = refusal_of(b"{\"v\":1,\"type\":\"ping\",\"id\":\"r0\",\"src\":\"\xc3\x28\"}\n").await;
    assert_eq!((&refusal["corr"], &refusal["error"]["code"]), (&"r0".into(), &"INVALID_FRAME".into()));
    let refusal = refusal_of(b"{\"v\":1,\"type\":\"ping\",\"id\":7}\n").await;
    assert_eq!((&refusal["corr"], &refusal["error"]["code"]), (&7.into(), &"INVALID_FRAME".into()));
}

#[tokio::test]
async fn a_line_of_a_hundred_megabytes_is_dropped_as_it_arrives() {
    let world = World::new();
    let served = Served::new(&world);
    let mut peer = served.peer().await;
    peer.write(br#"{"v":1,"type":"room.note","id":"1","payload":{"text":""#).await;
    let chunk = vec![b'x'; 1024 * 1024];
    for _ in 0..HUGE / chunk.len() {
        peer.write(&chunk).await;
    }
    peer.write(b"\"}}\n").await;
    let refusal = peer.hear().await.unwrap();
    assert_eq!((&refusal["error"]["code"], &refusal["type"]), (&"PAYLOAD_TOO_LARGE".into(), &"room.note".into()));
    assert_eq!(refusal["corr"], "1");
    peer.call("ping", json!({})).await;
    assert!(world.hub.metrics().bytes_in() > HUGE as u64);
    let resident = resident_bytes();
    assert!(resident < HUGE as u64, "{resident} bytes are resident");
}

/// What this process has in memory: that of every test that runs now, and still less than the line.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim_end_matches("kB").trim().parse::<u64>().unwrap() * 1024
}

#[tokio::test]
async fn half_a_frame_at_the_end_is_nothing_and_what_was_asked_before_is_answered() {
    let world = World::new();
    let served = Served::new(&world);
    let mut peer = served.peer().await;
    peer.send("ping", json!({})).await;
    peer.send("session.list", json!({})).await;
    peer.write(br#"{"v":1,"type":"session.create","id":"half"#).await;
    peer.close_half().await;
    assert_eq!(peer.hear().await.unwrap()["corr"], "r1");
    assert_eq!(peer.hear().await.unwrap()["payload"]["sessions"], json!([]));
    assert_eq!(peer.hear().await, None);
}
