//! Bounds: too much of anything is refused, and the server goes on answering.

use baton_http::CONNECTIONS_MAX;
use serde_json::json;
use tokio::io::AsyncReadExt;

use crate::support::{Ask, World};

const MEGABYTE: usize = 1024 * 1024;

#[tokio::test]
async fn a_body_of_a_hundred_megabytes_is_refused_and_its_sender_told_so() {
    let world = World::start().await;
    let token = world.operator();
    let head = |framing: &str| {
        format!(
            "POST /v1/call/session.create HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n{framing}\r\n\r\n",
            world.host()
        )
    };
    let bytes = vec![b' '; MEGABYTE];
    let mut announced = world.connect().await;
    announced.send(&head(&format!("Content-Length: {}", 100 * MEGABYTE))).await;
    let mut chunked = world.connect().await;
    chunked.send(&head("Transfer-Encoding: chunked")).await;
    for peer in [&mut announced, &mut chunked] {
        peer.try_send(format!("{:x}\r\n", 100 * MEGABYTE).as_bytes()).await;
        for _ in 0..100 {
            if !peer.try_send(&bytes).await {
                break;
            }
        }
        let answer = peer.answer().await;
        assert_eq!(answer.refusal(), (413, "PAYLOAD_TOO_LARGE".to_owned()));
    }
    assert_eq!(world.data_of(Ask::get("/v1/sessions")).await["sessions"], json!([]));
}

#[tokio::test]
async fn heads_have_a_size_and_so_have_addresses() {
    let world = World::start().await;
    let many = (0..10_000).fold(Ask::get("/healthz"), |ask, number| ask.header(&format!("X-{number}"), "x"));
    assert_eq!(world.ask(many).await.status, 431);
    assert_eq!(world.ask(Ask::get("/healthz").header("X-Long", &"x".repeat(MEGABYTE))).await.status, 431);
    let long = world.ask(Ask::get(&format!("/v1/rooms?{}", "x".repeat(20_000)))).await;
    assert_eq!(long.refusal(), (413, "PAYLOAD_TOO_LARGE".to_owned()));
    assert_eq!(world.ask(Ask::get("/healthz")).await.status, 200);
}

#[tokio::test]
async fn what_is_not_an_object_of_json_is_refused() {
    let world = World::start().await;
    let deep = format!("{{\"name\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let bodies =
        [deep.as_str(), "[]", "1", "null", "\"x\"", "{", "{\"name\":\"x\"} {}", "{\"name\":1}", "{\"nome\":\"x\"}"];
    for body in bodies {
        let answer = world.ask(Ask::post("/v1/sessions").body(body)).await;
        assert_eq!(answer.refusal(), (400, "INVALID_INPUT".to_owned()), "{:.60}", body);
    }
    let form = Ask::post("/v1/sessions").header("Content-Type", "application/x-www-form-urlencoded").body("name=x");
    assert_eq!(world.ask(form).await.refusal(), (400, "INVALID_INPUT".to_owned()));
    let mut peer = world.connect().await;
    let latin = format!(
        "POST /v1/sessions HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Length: 12\r\n\r\n",
        world.host(),
        world.operator()
    );
    peer.send(&latin).await;
    peer.try_send(b"{\"name\":\"\xe9\"}").await;
    assert_eq!(peer.answer().await.refusal(), (400, "INVALID_INPUT".to_owned()));
    assert_eq!(world.data_of(Ask::get("/v1/sessions")).await["sessions"], json!([]));
}

#[tokio::test]
async fn a_request_that_breaks_off_does_nothing() {
    let world = World::start().await;
    let whole = Ask::post("/v1/sessions").token(&world.operator()).json(json!({ "name": "x" })).text(&world.host());
    for length in [10, whole.len() - 5] {
        let mut peer = world.connect().await;
        peer.send(&whole[..length]).await;
        drop(peer);
    }
    let mut nonsense = world.connect().await;
    nonsense.send("\u{16}\u{3}\u{1} this is not HTTP\r\n\r\n").await;
    assert!(nonsense.rest().await.starts_with("HTTP/1.1 400"));
    assert_eq!(world.data_of(Ask::get("/v1/sessions")).await["sessions"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_arrive_and_a_connection_that_is_idle_are_given_up_on() {
    let world = World::start().await;
    let mut slow = world.connect().await;
    slow.send("GET /healthz HTTP/1.1\r\nHo").await;
    // Time passes only while nobody has anything to do, so these end when the server's patience does.
    let said = slow.rest().await;
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 408"), "{said}");
    let mut idle = world.connect().await;
    idle.send(&Ask::get("/healthz").text(&world.host())).await;
    assert_eq!(idle.head().await.status, 200);
    idle.rest().await;
    let mut silent = tokio::net::TcpStream::connect(world.address).await.unwrap();
    assert_eq!(silent.read(&mut [0; 1]).await.unwrap_or(0), 0);
}

#[tokio::test]
async fn a_thousand_idle_connections_keep_nobody_from_being_answered() {
    baton_bus::socket::raise_descriptor_limit();
    let world = World::start().await;
    let mut idle = Vec::new();
    for _ in 0..1_000 {
        idle.push(world.connect().await);
    }
    assert!(idle.len() < CONNECTIONS_MAX);
    assert_eq!(world.ask(Ask::get("/v1/rooms")).await.status, 200);
    let mut last = idle.pop().unwrap();
    last.send(&Ask::get("/healthz").text(&world.host())).await;
    assert_eq!(last.answer().await.status, 200);
}

#[tokio::test]
async fn one_connection_too_many_is_told_so_and_one_less_makes_room() {
    let world = World::start_with(|settings, _| settings.connections_max = 2).await;
    let ask = Ask::get("/healthz").text(&world.host());
    let mut inside = [world.connect().await, world.connect().await];
    for peer in &mut inside {
        peer.send(&ask).await;
        assert_eq!(peer.answer().await.status, 200);
    }
    let mut outside = world.connect().await;
    let answer = outside.answer().await;
    assert_eq!(answer.refusal(), (503, "RATE_LIMITED".to_owned()));
    assert_eq!(answer.header("retry-after"), Some("1"));
    let [mut leaving, _staying] = inside;
    leaving.send(&Ask::get("/healthz").header("Connection", "close").text(&world.host())).await;
    assert_eq!(leaving.answer().await.status, 200);
    leaving.rest().await;
    // The place is free once the server has seen that too.
    loop {
        let mut peer = world.connect().await;
        peer.try_send(ask.as_bytes()).await;
        if peer.answer().await.status == 200 {
            break;
        }
    }
}
