//! What every request must show, on every path.

use baton_http::Role;
use serde_json::json;

use crate::support::{Ask, World};

/// Every sort of path: open, behind the gate, streams, those that do not exist.
const PATHS: [&str; 8] =
    ["/", "/healthz", "/login", "/metrics", "/openapi.json", "/v1/rooms", "/v1/rooms/room_1/events", "/nothing/here"];

fn no(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[tokio::test]
async fn a_request_that_is_meant_for_another_host_is_refused_on_every_path_whoever_asks() {
    let world = World::start().await;
    let port = world.address.port();
    for path in PATHS {
        for foreign in
            ["evil.example".to_owned(), format!("evil.example:{port}"), "127.0.0.1".to_owned(), String::new()]
        {
            let answer = world.ask(Ask::get(path).host(&foreign)).await;
            assert_eq!(answer.refusal(), no(403, "FORBIDDEN"), "{path} {foreign:?}");
        }
        for own in [format!("localhost:{port}"), format!("[::1]:{port}")] {
            let answer = world.ask(Ask::get(path).host(&own)).await;
            assert_ne!(answer.status, 403, "{path} {own}");
        }
    }
    let absolute = world.ask(Ask::get("http://evil.example/v1/rooms")).await;
    assert_eq!(absolute.refusal(), no(403, "FORBIDDEN"));
    let mut peer = world.connect().await;
    peer.send(&format!("GET /healthz HTTP/1.0\r\nAuthorization: Bearer {}\r\n\r\n", world.operator())).await;
    assert_eq!(peer.answer().await.refusal(), no(403, "FORBIDDEN"), "no host at all");
}

#[tokio::test]
async fn pages_of_another_origin_are_refused_and_no_answer_allows_them_anything() {
    let world = World::start().await;
    for path in PATHS {
        for foreign in ["http://evil.example", "null", "http://localhost:3000", "https://127.0.0.1"] {
            let answer = world.ask(Ask::get(path).header("Origin", foreign)).await;
            assert_eq!(answer.refusal(), no(403, "FORBIDDEN"), "{path} {foreign}");
            assert!(!answer.headers.iter().any(|(name, _)| name.starts_with("access-control")), "{answer:?}");
        }
        let own = format!("http://{}", world.host());
        let answer = world.ask(Ask::get(path).header("Origin", &own)).await;
        assert_ne!(answer.status, 403, "{path}");
        assert!(!answer.headers.iter().any(|(name, _)| name.starts_with("access-control")), "{answer:?}");
    }
    let preflight = Ask::new("OPTIONS", "/v1/sessions").header("Origin", "http://evil.example");
    assert_eq!(world.send(preflight.header("Access-Control-Request-Method", "POST")).await.status, 403);
}

#[tokio::test]
async fn without_a_token_that_counts_there_is_health_and_nothing_else() {
    let world = World::start().await;
    let revoked = world.token("gone", Role::Operator, None);
    assert_eq!(world.send(Ask::get("/v1/rooms").token(&revoked)).await.status, 200);
    world.keyring().revoke(&"gone".parse().unwrap()).unwrap();
    let operator = world.operator();
    let strangers = [
        Vec::new(),
        vec![format!("Bearer {revoked}")],
        vec!["Bearer baton_guess".to_owned()],
        vec!["Bearer ".to_owned()],
        vec![operator.clone()],
        vec![format!("Basic {operator}")],
        vec![format!("Bearer {operator}x")],
    ];
    for shown in strangers {
        let stranger = |ask: Ask| shown.iter().fold(ask, |ask, shown| ask.header("Authorization", shown));
        for path in PATHS.iter().filter(|path| !["/", "/healthz", "/login"].contains(path)) {
            let answer = world.send(stranger(Ask::get(path))).await;
            assert_eq!(answer.refusal(), no(401, "UNAUTHORIZED"), "{path} {shown:?}");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        }
        let call = world.send(stranger(Ask::call("session.create", json!({})))).await;
        assert_eq!(call.refusal(), no(401, "UNAUTHORIZED"));
        let health = world.send(stranger(Ask::get("/healthz"))).await;
        assert_eq!((health.status, health.text().as_str()), (200, r#"{"ok":true}"#));
    }
    // In an address a token counts for nothing.
    assert_eq!(world.send(Ask::get(&format!("/v1/rooms?token={operator}"))).await.status, 401);
    let known = world.ask(Ask::get("/healthz")).await.json();
    assert_eq!((&known["ok"], &known["store"]), (&json!(true), &json!("ok")));
    assert_eq!(world.data_of(Ask::get("/v1/sessions")).await["sessions"], json!([]));
}

#[tokio::test]
async fn a_viewer_sees_everything_and_changes_nothing() {
    let world = World::start().await;
    let session = world.session().await;
    let viewer = world.token("viewer", Role::Viewer, None);
    let before = world.data_of(Ask::get(&format!("/v1/sessions/{session}/events"))).await;
    for path in ["/v1/rooms", "/v1/sessions", "/metrics", "/openapi.json"] {
        assert_eq!(world.send(Ask::get(path).token(&viewer)).await.status, 200, "{path}");
    }
    let writes = [
        Ask::post("/v1/sessions"),
        Ask::call("session.close", json!({ "room_id": session })),
        Ask::new("DELETE", &format!("/v1/sessions/{session}")),
        Ask::call("stick.wait", json!({ "room_id": session })),
    ];
    for write in writes {
        let answer = world.send(write.clone().token(&viewer)).await;
        assert_eq!(answer.refusal(), no(403, "FORBIDDEN"), "{write:?}");
        assert_eq!(answer.json()["error"]["needs"], "agent");
    }
    assert_eq!(world.data_of(Ask::get(&format!("/v1/sessions/{session}/events"))).await, before);
}

#[tokio::test]
async fn who_speaks_is_told_by_the_token_and_never_by_the_body() {
    let world = World::start().await;
    let session = world.session().await;
    let bound = world.token("bound", Role::Agent, Some("worker-a"));
    let free = world.token("free", Role::Agent, None);
    let path = format!("/v1/sessions/{session}/agents");
    let added = world.send(Ask::post(&path).token(&bound).json(json!({}))).await;
    assert_eq!(added.json()["data"]["agent"]["id"], "worker-a", "{}", added.text());
    let refused = [
        Ask::post(&path).token(&bound).agent("worker-b"),
        Ask::post(&path).token(&bound).json(json!({ "id": "worker-b" })),
        Ask::post(&path).token(&free).agent("codex:9b22"),
        Ask::post(&path).token(&free).agent("human:ana:http"),
        Ask::call("room.join", json!({ "agent_id_override": "codex:9b22" })).token(&bound),
    ];
    for ask in refused {
        let answer = world.send(ask.clone()).await;
        assert_eq!(answer.refusal(), no(403, "SOURCE_MISMATCH"), "{ask:?}");
    }
    let other = world.send(Ask::post(&path).token(&free).agent("worker-b").json(json!({}))).await;
    assert_eq!(other.json()["data"]["agent"]["id"], "worker-b", "{}", other.text());
    let history = world.data_of(Ask::get(&format!("/v1/sessions/{session}/events?after=0"))).await;
    let sources: Vec<_> = history["events"].as_array().unwrap().iter().map(|event| event["src"].clone()).collect();
    assert_eq!(sources, ["human:ana:http", "worker-a", "worker-b"]);
}
