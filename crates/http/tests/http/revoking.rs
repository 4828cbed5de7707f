//! A credential that stops counting ends what is open under it, says why, and touches nobody else's.

use baton_app::clock::Clock;
use baton_bus::Rate;
use baton_core::time::Ttl;
use baton_http::Role;
use serde_json::{Value, json};

use crate::support::{Ask, Browser, Peer, World};

async fn open(world: &World, ask: Ask) -> Peer {
    let mut peer = world.connect().await;
    peer.send(&ask.text(&world.host())).await;
    let head = peer.head().await;
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    peer
}

fn events(session: &str, token: &str) -> Ask {
    Ask::get(&format!("/v1/sessions/{session}/events")).token(token).stream()
}

/// The last word of a stream, over whatever else it says, and that nothing comes after it.
async fn last_word(peer: &mut Peer, kind: &str) -> Value {
    let told = loop {
        let event = peer.event().await.expect("it says why it ends");
        if event.kind == kind {
            break serde_json::from_str(&event.data).unwrap();
        }
    };
    assert_eq!(peer.event().await, None, "that was the last");
    told
}

fn revoke(world: &World, name: &str) {
    world.keyring().revoke(&name.parse().unwrap()).unwrap();
}

#[tokio::test]
async fn revoking_a_token_ends_its_streams_with_the_reason_and_leaves_the_others_open() {
    let world = World::start().await;
    let session = world.session().await;
    let (ci, other) = (world.token("ci", Role::Viewer, None), world.token("other", Role::Viewer, None));
    let mut ended = [open(&world, events(&session, &ci)).await, open(&world, events(&session, &ci)).await];
    let mut stays = open(&world, events(&session, &other)).await;
    assert_eq!(stays.event().await.unwrap().id, Some(1));
    revoke(&world, "ci");
    for peer in &mut ended {
        let told = last_word(peer, "bus.dropped").await;
        assert_eq!((&told["ok"], &told["error"]["code"]), (&json!(false), &json!("UNAUTHORIZED")), "{told}");
        assert_eq!(told["error"]["reason"], "the token ci was revoked");
    }
    assert_eq!(world.send(events(&session, &ci)).await.refusal(), (401, "UNAUTHORIZED".to_owned()));
    world.call("worker-a", "agent.add", json!({ "room_id": session }));
    assert_eq!(stays.event().await.unwrap().kind, "agent.added");
}

#[tokio::test]
async fn a_token_that_is_made_anew_under_its_name_does_not_keep_the_old_ones_streams() {
    let world = World::start().await;
    let session = world.session().await;
    let mut old = open(&world, events(&session, &world.token("ci", Role::Viewer, None))).await;
    revoke(&world, "ci");
    let token = world.token("ci", Role::Viewer, None);
    let mut new = open(&world, events(&session, &token)).await;
    last_word(&mut old, "bus.dropped").await;
    assert_eq!(new.event().await.unwrap().id, Some(1));
    world.call("worker-a", "agent.add", json!({ "room_id": session }));
    assert_eq!(new.event().await.unwrap().kind, "agent.added");
}

#[tokio::test]
async fn revoking_a_token_disconnects_its_runtime_and_every_stream_hears_why() {
    let world = World::start().await;
    let session = world.session().await;
    let ci = world.token("ci", Role::Agent, Some("worker-a"));
    let add = Ask::post(&format!("/v1/sessions/{session}/agents")).json(json!({ "name": "worker-a" }));
    let added = world.send(add.token(&ci)).await;
    assert_eq!(added.status, 200, "{}", added.text());
    let path = format!("/v1/sessions/{session}/actions");
    let mut runtime = open(&world, Ask::get(&path).token(&ci).stream()).await;
    let mut stream = open(&world, events(&session, &world.operator())).await;
    while !stream.event().await.unwrap().data.contains("\"connected\"") {}
    revoke(&world, "ci");
    let told = last_word(&mut runtime, "bus.dropped").await;
    assert_eq!(told["error"]["code"], "UNAUTHORIZED");
    let told: Value = serde_json::from_str(&stream.event().await.unwrap().data).unwrap();
    let expected = json!({"id": "worker-a", "name": "worker-a", "status": "disconnected",
        "detail": "its stream ended: the token ci was revoked"});
    assert_eq!(told["payload"], expected);
}

#[tokio::test]
async fn a_token_that_is_made_for_an_agent_ends_what_another_has_open_for_it() {
    let world = World::start().await;
    let session = world.session().await;
    let ci = world.token("ci", Role::Agent, None);
    let runtime = |agent: &str| Ask::get(&format!("/v1/sessions/{session}/actions")).token(&ci).agent(agent).stream();
    for agent in ["worker-a", "worker-b"] {
        let added = world.send(Ask::call("agent.add", json!({ "room_id": session })).token(&ci).agent(agent)).await;
        assert_eq!(added.status, 200, "{}", added.text());
    }
    let mut ended = open(&world, runtime("worker-a")).await;
    let _stays = open(&world, runtime("worker-b")).await;
    let bound = world.token("own", Role::Agent, Some("worker-a"));
    let told = last_word(&mut ended, "bus.dropped").await;
    assert_eq!(told["error"]["reason"], "the token own was made for worker-a", "{told}");
    let own = Ask::get(&format!("/v1/sessions/{session}/actions")).token(&bound).stream();
    let mut own = loop {
        let mut peer = world.connect().await;
        peer.send(&own.text(&world.host())).await;
        if peer.head().await.status == 200 {
            break peer;
        }
    };
    let other = json!({ "room_id": session, "dst": "worker-a", "text": "for its own token" });
    assert_eq!(world.send(Ask::call("message.send", other).token(&ci).agent("worker-b")).await.status, 200);
    assert!(own.event().await.is_some());
}

#[tokio::test]
async fn revoking_a_token_answers_its_pending_waits() {
    let world = World::start().await;
    let session = world.session().await;
    for (name, command, mut wait) in
        [("one", "action.take", json!({})), ("two", "events.history", json!({ "after": 3 }))]
    {
        let token = world.token(name, Role::Agent, Some(name));
        let add = Ask::post(&format!("/v1/sessions/{session}/agents")).token(&token).json(json!({}));
        assert_eq!(world.send(add).await.status, 200);
        (wait["room_id"], wait["max_wait_ms"]) = (json!(session), json!(50_000));
        let mut waiting = world.connect().await;
        waiting.send(&Ask::call(command, wait).token(&token).text(&world.host())).await;
        while world.hub.metrics().waits() == 0 {
            tokio::task::yield_now().await;
        }
        revoke(&world, name);
        let answer = waiting.answer().await;
        assert_eq!(answer.refusal(), (401, "UNAUTHORIZED".to_owned()));
        assert_eq!(answer.json()["error"]["reason"], format!("the token {name} was revoked"));
        world.hub.drained().await;
    }
}

#[tokio::test]
async fn logging_out_ends_the_live_pages_of_that_browser_and_of_no_other() {
    let world = World::start().await;
    let (leaving, staying) = (Browser::of(&world).await, Browser::of(&world).await);
    let mut ended = open(&world, leaving.live("/")).await;
    let mut stays = open(&world, staying.live("/")).await;
    assert_eq!(stays.event().await.unwrap().kind, "beat");
    leaving.logs_out().await;
    let told = last_word(&mut ended, "ended").await;
    assert_eq!((&told["error"], &told["reason"]), (&json!("UNAUTHORIZED"), &json!("this browser was logged out")));
    world.session().await;
    while stays.event().await.expect("it goes on").kind != "regions" {}
}

#[tokio::test]
async fn a_login_that_expires_ends_its_live_pages() {
    let world = World::start().await;
    let browser = Browser::viewer(&world).await;
    let mut page = open(&world, browser.live("/")).await;
    assert_eq!(page.event().await.unwrap().kind, "beat");
    world.clock.advance(Ttl::from_minutes(12 * 60));
    let told = last_word(&mut page, "ended").await;
    assert_eq!(told["reason"], "this browser's login has expired", "it is {}", world.clock.now());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_does_not_read_is_cut_off_when_its_token_is_revoked() {
    let world = World::start().await;
    let session = world.session().await;
    for who in ["worker-a", "worker-b"] {
        world.call(who, "agent.add", json!({ "room_id": session }));
    }
    let ci = world.token("ci", Role::Viewer, None);
    let deaf = open(&world, events(&session, &ci)).await;
    // More than the system keeps for a reader, and less than it is dropped for.
    for group in 0..30 {
        let action = |index: u32| {
            json!({ "type": "message", "dst": "worker-b", "action_id": format!("a{group}-{index}"),
                "action_index": index, "kind": "user", "text": "x".repeat(500) })
        };
        let actions: Vec<Value> = (0..250).map(action).collect();
        let submit = json!({ "room_id": session, "group_id": format!("g{group}"), "actions": actions });
        tokio::task::block_in_place(|| world.call("worker-a", "action.submit", submit));
    }
    assert_eq!(world.hub.metrics().subscribers(), 1);
    revoke(&world, "ci");
    while world.hub.metrics().subscribers() > 0 {
        tokio::task::yield_now().await;
    }
    drop(deaf);
}

#[tokio::test]
async fn a_hundred_agents_of_one_token_share_its_rate_and_another_token_has_its_own() {
    let world = World::with_rate(Rate { per_second: 1, burst: 60 }).await;
    let (ci, other) = (world.token("ci", Role::Agent, None), world.token("other", Role::Agent, None));
    let look = |token: &str, agent: &str| world.send(Ask::get("/v1/rooms").token(token).agent(agent));
    let mut limited = 0;
    for number in 0..100 {
        let answer = look(&ci, &format!("worker-{number}")).await;
        match answer.status {
            200 => {}
            429 => {
                limited += 1;
                assert_eq!(answer.json()["error"]["credential"], "ci");
                assert!(answer.header("retry-after").is_some());
            }
            status => panic!("{status}"),
        }
    }
    assert!(limited > 20, "{limited} of 100 were refused");
    assert_eq!(look(&other, "worker-0").await.status, 200);
}
