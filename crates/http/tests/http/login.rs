//! A browser: the ticket, the cookie, and what the cookie is good for.

use baton_app::clock::Clock;
use baton_core::time::Ttl;
use baton_http::{Admitted, TICKET_TTL};
use serde_json::json;

use crate::support::{Answer, Ask, World};

async fn log_in(world: &World) -> Answer {
    let ticket = world.tickets().issue(world.clock.now()).unwrap();
    world.send(Ask::get(&format!("/login?ticket={}", ticket.reveal()))).await
}

fn cookie(answer: &Answer) -> String {
    answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_ticket_is_exchanged_for_a_cookie_once() {
    let world = World::start().await;
    let ticket = world.tickets().issue(world.clock.now()).unwrap();
    let ask = Ask::get(&format!("/login?ticket={}", ticket.reveal()));
    let first = world.send(ask.clone()).await;
    assert_eq!(first.status, 200);
    let (name, port) = (first.header("set-cookie").unwrap(), world.address.port());
    assert!(name.starts_with(&format!("baton_{port}=")), "{name}");
    assert!(name.ends_with("; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200"), "{name}");
    let again = world.send(ask).await;
    assert_eq!((again.status, again.header("set-cookie")), (401, None));
    for wrong in ["/login", "/login?ticket=", "/login?ticket=guess", "/login?ticket=..%2f..%2foperator.token"] {
        let answer = world.send(Ask::get(wrong)).await;
        assert_eq!((answer.status, answer.header("set-cookie")), (401, None), "{wrong}");
    }
    let late = world.tickets().issue(world.clock.now()).unwrap();
    world.clock.advance(TICKET_TTL);
    assert_eq!(world.send(Ask::get(&format!("/login?ticket={}", late.reveal()))).await.status, 401);
}

#[tokio::test]
async fn a_browser_that_logged_in_is_the_owner() {
    let world = World::start().await;
    let cookie = cookie(&log_in(&world).await);
    let front = world.send(Ask::get("/").header("Cookie", &format!("theme=dark; {cookie}; a=b"))).await;
    assert_eq!(front.status, 200);
    let own = format!("http://{}", world.host());
    let create = Ask::post("/v1/sessions").header("Cookie", &cookie).header("Origin", &own);
    let created = world.send(create.json(json!({ "name": "from a page" }))).await.json();
    let session = created["data"]["session"]["id"].as_str().unwrap();
    let history = world.data_of(Ask::get(&format!("/v1/sessions/{session}/events"))).await;
    assert_eq!(history["events"][0]["src"], "human:ana:http");
}

#[tokio::test]
async fn a_cookie_that_somebody_elses_page_had_sent_changes_nothing() {
    let world = World::start().await;
    let cookie = cookie(&log_in(&world).await);
    let browser = |ask: Ask| ask.header("Cookie", &cookie);
    let create = || browser(Ask::post("/v1/sessions").json(json!({ "name": "x" })));
    for ask in [
        create(),
        create().header("Origin", "http://evil.example"),
        create().header("Origin", "null"),
        create().header("Origin", &format!("http://{}", world.host())).header("Sec-Fetch-Site", "same-site"),
        browser(Ask::get("/v1/rooms")).header("Sec-Fetch-Site", "cross-site"),
        browser(Ask::new("DELETE", "/v1/sessions/room_1")),
    ] {
        assert_eq!(world.send(ask.clone()).await.status, 403, "{ask:?}");
    }
    assert_eq!(world.data_of(Ask::get("/v1/sessions")).await["sessions"], json!([]));
    for other in ["baton_1=x".to_owned(), format!("{cookie}x"), cookie.replacen("baton_", "other_", 1)] {
        assert_eq!(world.send(Ask::get("/v1/rooms").header("Cookie", &other)).await.status, 401, "{other}");
    }
}

#[tokio::test]
async fn pages_are_framed_by_nobody_and_load_nothing() {
    let world = World::start().await;
    let logged_in = log_in(&world).await;
    let front = world.send(Ask::get("/").header("Cookie", &cookie(&logged_in))).await;
    let stranger = world.send(Ask::get("/")).await;
    assert_eq!(stranger.status, 401);
    for page in [logged_in, front, stranger, world.send(Ask::get("/login")).await] {
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(page.header("referrer-policy"), Some("same-origin"));
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(page.header("cache-control"), Some("no-store"));
    }
}

/// A cookie of one server, as another's would be called.
fn renamed(cookie: &str, world: &World) -> String {
    format!("baton_{}={}", world.address.port(), cookie.split_once('=').unwrap().1)
}

#[tokio::test]
async fn a_restart_logs_nobody_out() {
    let (world, again) = (World::start().await, World::start().await);
    let cookie = renamed(&cookie(&log_in(&world).await), &again);
    assert_eq!(again.send(Ask::get("/").header("Cookie", &cookie)).await.status, 401);
    let kept = again.data().join("browsers");
    std::fs::create_dir_all(&kept).unwrap();
    for entry in std::fs::read_dir(world.data().join("browsers")).unwrap().map(Result::unwrap) {
        std::fs::copy(entry.path(), kept.join(entry.file_name())).unwrap();
    }
    assert_eq!(again.send(Ask::get("/").header("Cookie", &cookie)).await.status, 200);
    again.clock.advance(Ttl::from_minutes(12 * 60));
    assert_eq!(again.send(Ask::get("/").header("Cookie", &cookie)).await.status, 401);
}

#[tokio::test]
async fn a_browser_logs_out_by_its_own_page_and_nobody_elses() {
    let world = World::start().await;
    let cookie = cookie(&log_in(&world).await);
    let front = || Ask::get("/").header("Cookie", &cookie);
    assert!(world.send(front()).await.text().contains("action=\"/logout\""));
    let leave = |origin: &str| Ask::post("/logout").header("Cookie", &cookie).header("Origin", origin);
    assert_eq!(world.send(leave("http://evil.example")).await.status, 403);
    assert_eq!(world.send(front()).await.status, 200);
    let left = world.send(leave(&format!("http://{}", world.host()))).await;
    assert_eq!(left.status, 200);
    assert!(left.header("set-cookie").unwrap().contains("=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"), "{left:?}");
    assert_eq!(world.send(front()).await.status, 401);
}

#[tokio::test]
async fn a_viewer_sees_and_cannot_act() {
    let world = World::start().await;
    let ticket = world.tickets().issue_for(Admitted::Viewer, world.clock.now()).unwrap();
    let cookie = cookie(&world.send(Ask::get(&format!("/login?ticket={}", ticket.reveal()))).await);
    let page = world.send(Ask::get("/").header("Cookie", &cookie)).await;
    assert_eq!(page.status, 200);
    assert!(page.text().contains("can look, not act") && !page.text().contains("action=\"/do/"), "{}", page.text());
    let own = format!("http://{}", world.host());
    let post = |path: &str| Ask::post(path).header("Cookie", &cookie).header("Origin", &own);
    let made = world.send(post("/v1/sessions").json(json!({ "name": "x" }))).await;
    assert_eq!(made.refusal(), (403, "FORBIDDEN".to_owned()));
    for command in ["room.join", "jobs.message", "agent.approval.resolve", "stick.takeover"] {
        let refused = world.send(post(&format!("/do/{command}")).body("room_id=room_1")).await;
        assert_eq!(refused.status, 403, "{command}");
        assert!(refused.text().contains("data-code=\"FORBIDDEN\""), "{}", refused.text());
    }
    assert_eq!(world.data_of(Ask::get("/v1/sessions")).await["sessions"], json!([]));
}
