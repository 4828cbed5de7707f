//! One agent, one word: streams, routes and pages say the same of it at every moment.

use baton_app::{Caller, table};
use baton_core::{ids::RoomId, process::SessionKind, room::Actor};
use baton_http::Role;
use baton_testkit::Sleeper;
use serde_json::{Value, json};

use crate::support::{Ask, Browser, Peer, World};

/// A session, somebody who follows its events, and a browser.
struct Scene<'a> {
    world: &'a World,
    session: String,
    events: Peer,
    browser: Browser<'a>,
}

async fn opened(world: &World, ask: Ask) -> Peer {
    let mut peer = world.connect().await;
    peer.send(&ask.text(&world.host())).await;
    assert_eq!(peer.head().await.status, 200);
    peer
}

/// The words of the first element that is found after each of these, in its `data-connection`.
fn connection<'a>(page: &'a str, mark: &str) -> &'a str {
    let (_, rest) = page.split_once(mark).unwrap_or_else(|| panic!("no {mark} in {page}"));
    let (_, rest) = rest.split_once("data-connection=\"").unwrap_or_else(|| panic!("no connection after {mark}"));
    rest.split('"').next().unwrap()
}

impl<'a> Scene<'a> {
    async fn begin(world: &'a World) -> Self {
        let session = world.session().await;
        let ask = Ask::get(&format!("/v1/sessions/{session}/events")).token(&world.operator()).stream();
        Self { events: opened(world, ask).await, browser: Browser::of(world).await, world, session }
    }

    /// The next word of the stream about an agent, with its reason.
    async fn told(&mut self, agent: &str) -> (String, Value) {
        loop {
            let event = self.events.event().await.expect("the stream goes on");
            let payload = serde_json::from_str::<Value>(&event.data).unwrap()["payload"].clone();
            if payload["id"] == agent && payload["status"].is_string() {
                return (payload["status"].as_str().unwrap().to_owned(), payload["detail"].clone());
            }
        }
    }

    /// The one word that every route and every page has for an agent, with its reason.
    async fn word(&self, agent: &str) -> (String, Value) {
        let room = &self.session;
        let route = async |path: String| self.world.data_of(Ask::get(&path)).await;
        let of = |list: &Value| {
            let found = list.as_array().unwrap().iter().find(|one| one["agent_id"] == agent);
            found.unwrap_or_else(|| panic!("no {agent} in {list}")).clone()
        };
        let listed = of(&route(format!("/v1/sessions/{room}/agents")).await["agents"]);
        let shown = [
            listed.clone(),
            of(&route(format!("/v1/rooms/{room}/graph")).await["nodes"]),
            route(format!("/v1/rooms/{room}/agents/{agent}/inspect")).await,
            of(&route("/v1/overview".to_owned()).await["rooms"][0]["agents"]),
        ];
        let (state, why) = (listed["connection"]["state"].clone(), listed["connection"]["why"].clone());
        assert_eq!(listed["status"], state);
        for found in &shown {
            assert_eq!((&found["connection"]["state"], &found["connection"]["why"]), (&state, &why));
        }
        let page = async |address: String| self.browser.page(&address).await.0;
        let said = [
            connection(&page("/agents".to_owned()).await, &format!("data-agent=\"{agent}\"")).to_owned(),
            connection(&page(format!("/rooms/{room}/agents/{agent}")).await, "id=\"region-agent\"").to_owned(),
            connection(&page(format!("/rooms/{room}/graph")).await, &format!("data-node=\"{agent}\"")).to_owned(),
            connection(&page("/".to_owned()).await, &format!("data-agent=\"{agent}\"")).to_owned(),
        ];
        assert!(said.iter().all(|word| state == *word), "{state}: {said:?}");
        if state != "gone" {
            let state_of_room = route(format!("/v1/rooms/{room}")).await;
            assert_eq!(of(&state_of_room["members"])["connection"]["state"], state);
            let room = page(format!("/rooms/{room}")).await;
            assert_eq!(state, connection(&room, &format!("id=\"member-{agent}\"")));
        }
        (state.as_str().unwrap().to_owned(), why)
    }
}

#[tokio::test]
async fn one_word_is_said_by_streams_routes_and_pages_of_a_runtime_that_comes_is_cut_and_comes_again() {
    let world = World::start().await;
    let mut scene = Scene::begin(&world).await;
    let token = world.token("w", Role::Agent, Some("worker"));
    let agents = format!("/v1/sessions/{}/agents", scene.session);
    let added = world.send(Ask::post(&agents).token(&token).json(json!({}))).await;
    assert_eq!((added.status, &added.json()["data"]["agent"]["status"]), (200, &json!("idle")));
    assert_eq!(scene.word("worker").await.0, "idle");
    let actions = || Ask::get(&format!("/v1/sessions/{}/actions", scene.session)).token(&token).stream();
    let ask = actions();
    let first = opened(&world, ask).await;
    assert_eq!(scene.told("worker").await.0, "connected");
    assert_eq!(scene.word("worker").await.0, "connected");
    drop(first);
    let cut = scene.told("worker").await;
    assert_eq!(cut, ("disconnected".to_owned(), json!("its stream ended: its connection ended")));
    assert_eq!(scene.word("worker").await, cut);
    let ask = Ask::get(&format!("/v1/sessions/{}/actions", scene.session)).token(&token).stream();
    let second = opened(&world, ask).await;
    assert_eq!(scene.told("worker").await.0, "connected");
    assert_eq!(scene.word("worker").await.0, "connected");
    drop(second);
    assert_eq!(scene.told("worker").await, cut);
    let called = world.send(Ask::get(&agents).token(&token)).await;
    assert_eq!(called.status, 200);
    assert_eq!(scene.word("worker").await.0, "idle", "it called since");
}

#[tokio::test]
async fn one_word_is_said_by_streams_routes_and_pages_of_an_agent_whose_process_was_killed() {
    let world = World::start().await;
    let mut scene = Scene::begin(&world).await;
    let mut process = Sleeper::start();
    let actor = Actor::found("codex:1".parse().unwrap(), Some(process.identity()), SessionKind::McpHarness);
    let caller = Caller::new(actor, world.data());
    let run = |command: &str, mut input: Value| {
        input["room_id"] = json!(scene.session);
        table::find_on_wire(command).unwrap().run(world.hub.app(), &caller, input).unwrap()
    };
    run("agent.add", json!({}));
    let task = run("tasks.create", json!({"title": "Mend it"}))["task"].clone();
    run("tasks.start", json!({"task": task}));
    assert_eq!(scene.word("codex:1").await.0, "idle");
    process.kill();
    let room: RoomId = scene.session.parse().unwrap();
    let app = std::sync::Arc::clone(world.hub.app());
    tokio::task::spawn_blocking(move || app.sweep_gone(&room)).await.unwrap().unwrap();
    let gone = ("gone".to_owned(), json!("its process has exited"));
    assert_eq!(scene.told("codex:1").await, gone);
    assert_eq!(scene.word("codex:1").await, gone);
    let filtered = scene.browser.page("/agents?state=gone").await;
    assert!(filtered.region("agents").contains("data-agent=\"codex:1\""));
}

#[tokio::test]
async fn nobody_acts_from_a_page_under_an_id_that_only_begins_like_their_own() {
    let world = World::start().await;
    let room =
        world.call("human:ana:pts0", "room.join", json!({"context_path": "."}))["room_id"].as_str().unwrap().to_owned();
    world.call("human:ana:pts0", "scope.reserve", json!({"room_id": room, "scopes": ["src"]}));
    let terminal = Actor::found("human:ana:pts1".parse().unwrap(), None, SessionKind::Human);
    let terminal = Caller::new(terminal, world.data());
    let run =
        |command: &str, input: Value| table::find_on_wire(command).unwrap().run(world.hub.app(), &terminal, input);
    run("agent.add", json!({"room_id": room})).unwrap();
    run("scope.reserve", json!({"room_id": room, "scopes": ["docs"]})).unwrap();
    let browser = Browser::of(&world).await;
    let page = browser.page(&format!("/rooms/{room}")).await;
    let scopes = page.region("scopes");
    assert!(scopes.contains("Release docs") && !scopes.contains("Release src"), "{scopes}");
    let posted = |scope: &'static str, who: &'static str| {
        [("room_id", room.clone()), ("scopes[]", scope.to_owned()), ("_as", who.to_owned())]
    };
    for (scope, who, status) in [
        ("src", "human:ana:pts0", 403),
        ("src", "human:ana:pts9", 403),
        ("src", "human:eve:pts1", 403),
        ("docs", "human:ana:pts1", 303),
    ] {
        let fields = posted(scope, who);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = browser.submit("scope.release", &fields).await;
        assert_eq!(answer.status, status, "{who}: {}", answer.text());
    }
}
