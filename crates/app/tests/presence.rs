//! One agent, one word: streams, lists, pages' sources and events say the same of it at every moment.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use baton_app::doctor;
use baton_core::{
    agent::ConnectionStatus,
    bus,
    event::{Event, Recorded},
    ids::RoomId,
    part::{Part, Rows},
    time::Ttl,
};
use baton_store::{StoreError, table};
use baton_testkit::{Agent, Sleeper, TestApp, on_every_backend};
use serde_json::{Value, json};

const CUT: &str = "disconnected: its stream ended: it hung up";
const GONE: &str = "gone: its process has exited";

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

/// A word and its reason as one text.
fn told(connection: &Value) -> String {
    let text = |field: &str| connection[field].as_str().unwrap_or_else(|| panic!("no {field}: {connection}"));
    format!("{}: {}", text("state"), text("why"))
}

/// The last word of the session's stream about an agent.
fn streamed(viewer: &Agent<'_>, id: &str) -> Option<String> {
    let page = viewer.does("bus.history", json!({"types": ["agent.updated", "agent.removed"], "limit": 200}));
    let about = list(&page["events"]).iter().map(|event| &event["payload"]);
    let last = about.rev().find(|payload| payload["id"] == id && payload["status"].is_string())?;
    let status = last["status"].as_str().unwrap();
    Some(last["detail"].as_str().map_or_else(|| status.to_owned(), |detail| format!("{status}: {detail}")))
}

/// The presence of a member on each surface that answers, which must be one word with one reason.
fn word(viewer: &Agent<'_>, id: &str) -> String {
    let listed = viewer.does("agent.list", json!({}));
    let listed = list(&listed["agents"]).iter().find(|agent| agent["agent_id"] == id).unwrap().clone();
    let shown = viewer.does("agent.show", json!({"agent": id}));
    let inspected = viewer.does("agent.inspect", json!({"agent": id}));
    let graph = viewer.does("agent.graph", json!({}));
    let node = list(&graph["nodes"]).iter().find(|node| node["agent_id"] == id).unwrap().clone();
    let state = viewer.does("room.state", json!({}));
    let member = list(&state["members"]).iter().find(|member| member["agent_id"] == id).cloned();
    let overview = viewer.does("room.overview", json!({}));
    let room = list(&overview["rooms"]).iter().find(|room| room["room_id"] == viewer.room().as_str()).unwrap().clone();
    let glance = list(&room["agents"]).iter().find(|agent| agent["agent_id"] == id).unwrap().clone();
    // A room's state tells who is here; whoever is proven gone and has nothing to hand on is counted only.
    let member = member.unwrap_or_else(|| {
        assert_eq!(listed["status"], "gone", "{id}");
        listed.clone()
    });
    let said = [&listed, &shown, &inspected, &node, &member, &glance].map(|found| told(&found["connection"]));
    for (place, other) in said.iter().enumerate() {
        assert_eq!(*other, said[0], "surface {place} of {id}");
    }
    for status in [&listed["status"], &shown["status"]] {
        assert_eq!(*status, said[0].split(':').next().unwrap(), "{id}");
    }
    let [first, ..] = said;
    first
}

/// The word of all surfaces, the stream included, with its reason where it has one.
fn word_of_all(viewer: &Agent<'_>, id: &str) -> String {
    let word = word(viewer, id);
    let streamed = streamed(viewer, id).unwrap_or_else(|| panic!("the stream says nothing of {id}"));
    assert!(word == streamed || word.split(':').next() == Some(streamed.as_str()), "{word} / {streamed}");
    word
}

fn session<'a, const N: usize>(agents: [Agent<'a>; N]) -> [Agent<'a>; N] {
    let opened = agents[0].does("bus.open", json!({"name": "talk"}));
    let room = opened["session"]["id"].as_str().unwrap().parse().unwrap();
    for agent in &agents {
        agent.enter(&room);
        let added = agent.does("bus.add", json!({}));
        assert_eq!(added["agent"]["status"], "idle");
    }
    agents
}

/// Has another server serve an agent, as far as the store knows.
fn served_by(app: &TestApp, agent: &Agent<'_>, server: &Sleeper) {
    let (agent_id, server) = (agent.id(), Some(server.identity()));
    let connection = bus::Connection { agent_id, server, since: app.now(), ended: None };
    let room = agent.room();
    let stored = app.place().open().write::<_, StoreError>(|tx| {
        let mut rows: Rows<bus::Connection> = table::all(tx, &room)?.into_iter().collect();
        let known: Vec<_> = rows.iter().map(Part::key).collect();
        known.iter().for_each(|agent| drop(rows.remove(agent)));
        rows.put(connection.clone());
        table::save(tx, &room, &mut rows)
    });
    stored.unwrap();
}

fn is_sound(app: &TestApp) {
    let report = doctor::examine(app.app()).unwrap();
    assert!(report.is_clean(), "{:?}", report.checks);
}

#[test]
fn one_word_is_said_of_an_agent_that_connects_is_cut_calls_and_connects_again() {
    on_every_backend(|app| {
        for bo in [app.agent("bo"), app.living_agent("bo2")] {
            let [ana, bo] = session([app.agent("ana"), bo]);
            let (room, id) = (ana.room(), bo.id().to_string());
            assert_eq!(word(&ana, &id), "idle: it is there and waits");
            app.app().connect(bo.caller(), &room).unwrap();
            assert_eq!(word_of_all(&ana, &id), "connected: its runtime is connected");
            assert_eq!(bo.does("bus.add", json!({}))["agent"]["status"], "connected");
            app.later_minutes(60);
            assert_eq!(word_of_all(&ana, &id), "connected: its runtime is connected", "it need not call");
            app.app().disconnect(bo.caller(), &room, "it hung up").unwrap();
            assert_eq!(word_of_all(&ana, &id), CUT);
            app.later(Ttl::from_secs(1));
            assert_eq!(word_of_all(&ana, &id), CUT, "nothing was heard of it since");
            app.app().connect(bo.caller(), &room).unwrap();
            assert_eq!(word_of_all(&ana, &id), "connected: its runtime is connected");
            app.app().disconnect(bo.caller(), &room, "it hung up").unwrap();
            assert_eq!(word_of_all(&ana, &id), CUT);
            // Even a call that only looks shows that it is there, however lately its presence was stored.
            app.later(Ttl::from_millis(1));
            bo.does("tasks.list", json!({}));
            assert_eq!(word(&ana, &id), "idle: it is there and waits");
            let events = app.log(&room).len();
            app.app().disconnect(bo.caller(), &room, "again").unwrap();
            assert_eq!(app.log(&room).len(), events, "a stream ends once");
        }
        is_sound(&app);
    });
}

/// Begins a task, which has its agent stay a member when its process is gone.
fn begins_a_task(agent: &Agent<'_>) {
    let task = agent.does("tasks.create", json!({"title": "Mend it"}))["task"].clone();
    agent.does("tasks.start", json!({"task": task}));
}

/// How often the end of an agent's stream, or of its process, was told.
fn times_told(app: &TestApp, room: &RoomId, id: &str) -> usize {
    let about = |recorded: &&Recorded| match &recorded.event {
        Event::Bus(bus::Event::Disconnected(told)) => told.agent_id.as_str() == id,
        _ => false,
    };
    app.log(room).iter().filter(about).count()
}

#[test]
fn one_word_is_said_of_an_agent_whose_process_was_killed_with_its_stream_and_without_one() {
    on_every_backend(|app| {
        let [bo, cy, di] = ["bo", "cy", "di"].map(|name| app.living_agent(name));
        let [ana, bo, cy, di] = session([app.agent("ana"), bo, cy, di]);
        let room = ana.room();
        for agent in [&bo, &cy, &di] {
            begins_a_task(agent);
        }
        for agent in [&bo, &cy] {
            app.app().connect(agent.caller(), &room).unwrap();
        }
        // The kernel closes the connections of a process before anybody can see that it is gone, or after.
        app.app().disconnect(bo.caller(), &room, "it hung up").unwrap();
        assert_eq!(word_of_all(&ana, "bo"), CUT);
        for agent in [&bo, &cy, &di] {
            agent.dies();
        }
        app.app().disconnect(cy.caller(), &room, "it hung up").unwrap();
        app.app().sweep_gone(&room).unwrap();
        for id in ["bo", "cy", "di"] {
            assert_eq!(word_of_all(&ana, id), GONE);
        }
        let told = || ["bo", "cy", "di"].map(|id| times_told(&app, &room, id));
        assert_eq!(told(), [2, 1, 1]);
        app.later(Ttl::from_secs(2));
        app.app().sweep_gone(&room).unwrap();
        ana.does("room.note", json!({"text": "Well."}));
        assert_eq!(told(), [2, 1, 1], "each death is told once");
        // Its next process is the agent again, and may die again.
        let back = app.living_agent("bo");
        back.enter(&room);
        back.does("bus.add", json!({}));
        assert_eq!(word(&ana, "bo"), "idle: it is there and waits");
        app.app().connect(back.caller(), &room).unwrap();
        assert_eq!(word_of_all(&ana, "bo"), "connected: its runtime is connected");
        back.dies();
        app.app().sweep_gone(&room).unwrap();
        assert_eq!(word_of_all(&ana, "bo"), GONE);
        app.app().disconnect(back.caller(), &room, "it hung up").unwrap();
        assert_eq!(word_of_all(&ana, "bo"), GONE, "the end of its stream is no news");
        is_sound(&app);
    });
}

#[test]
fn one_word_is_said_of_an_agent_that_is_back_at_once_whatever_it_calls_first() {
    on_every_backend(|app| {
        for first in ["room.state", "inbox.list", "scope.status", "bus.add"] {
            let name = format!("of-{}", first.replace('.', "-"));
            let [ana, bo] = session([app.agent("ana"), app.living_agent(&name)]);
            begins_a_task(&bo);
            bo.dies();
            app.app().sweep_gone(&ana.room()).unwrap();
            assert_eq!(word_of_all(&ana, &name), GONE);
            app.later(Ttl::from_secs(1));
            let back = app.living_agent(&name);
            back.enter(&ana.room());
            back.does(first, json!({}));
            let idle = "idle: it is there and waits";
            assert_eq!((word(&ana, &name).as_str(), streamed(&ana, &name).as_deref()), (idle, Some(idle)), "{first}");
        }
        is_sound(&app);
    });
}

#[test]
fn one_word_is_said_of_an_agent_that_takes_the_stick_and_gives_it_back() {
    on_every_backend(|app| {
        let [ana, bo] = session([app.agent("ana"), app.living_agent("bo")]);
        app.app().connect(bo.caller(), &bo.room()).unwrap();
        app.app().disconnect(bo.caller(), &bo.room(), "it hung up").unwrap();
        app.later(Ttl::from_secs(1));
        let turn = bo.claim();
        assert_eq!(word_of_all(&ana, "bo"), "connected: it holds the stick");
        bo.release(&turn);
        assert_eq!(word_of_all(&ana, "bo"), "idle: it is there and waits");
        is_sound(&app);
    });
}

#[test]
fn an_agent_that_is_retired_is_gone_on_every_surface_until_it_calls_again() {
    on_every_backend(|app| {
        let [ana, bo, cy] = session([app.agent("ana"), app.living_agent("bo"), app.living_agent("cy")]);
        let room = ana.room();
        app.app().connect(bo.caller(), &room).unwrap();
        let retired = ConnectionStatus::left(true);
        let retired = format!("{}: {}", retired.state, retired.why);
        for agent in [&bo, &cy] {
            agent.dies();
        }
        app.app().sweep_gone(&room).unwrap();
        for id in ["bo", "cy"] {
            let shown = ana.does("agent.show", json!({"agent": id}));
            assert_eq!((told(&shown["connection"]), &shown["status"]), (retired.clone(), &json!("gone")));
            let inspected = ana.does("agent.inspect", json!({"agent": id}));
            assert_eq!(
                (told(&inspected["connection"]), streamed(&ana, id).unwrap()),
                (retired.clone(), retired.clone())
            );
        }
        assert_eq!(list(&ana.does("agent.list", json!({}))["agents"]).len(), 1);
        app.later(Ttl::from_secs(1));
        let back = app.living_agent("bo");
        back.enter(&room);
        back.does("bus.take", json!({}));
        assert_eq!(word(&ana, "bo"), "idle: it is there and waits");
        is_sound(&app);
    });
}

#[test]
fn one_word_is_said_of_agents_that_never_had_a_stream() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        let unseen = app.agent("cy");
        unseen.join();
        assert_eq!([word(&ana, "bo"), word(&ana, "cy")], ["idle: it is there and waits"; 2]);
        assert_eq!((streamed(&ana, "bo"), streamed(&ana, "cy")), (None, None));
        let turn = bo.claim();
        assert_eq!(word(&ana, "bo"), "connected: it holds the stick");
        bo.release(&turn);
        let run = unseen.does("context.turn.begin", json!({}))["turn"].clone();
        assert_eq!(word(&ana, "cy"), "connected: TURN-1 goes on");
        app.later_minutes(15);
        assert_eq!(word(&ana, "bo"), "idle: its process runs, and it has been silent for 15m or more");
        let silent = "disconnected: nothing is known of its process, and it has been silent for 15m or more";
        assert_eq!(word(&ana, "cy"), silent);
        unseen.does("context.turn.end", json!({ "turn": run, "outcome": "completed" }));
        assert_eq!(word(&ana, "cy"), "idle: it is there and waits");
        begins_a_task(&bo);
        bo.dies();
        assert_eq!(word(&ana, "bo"), GONE);
        app.app().sweep_gone(&ana.room()).unwrap();
        assert_eq!(word_of_all(&ana, "bo"), GONE);
        is_sound(&app);
    });
}

#[test]
fn a_stream_without_its_server_has_ended_and_that_is_told_by_who_sweeps() {
    on_every_backend(|app| {
        let [ana, bo] = session([app.agent("ana"), app.living_agent("bo")]);
        let room = ana.room();
        let mut server = Sleeper::start();
        served_by(&app, &bo, &server);
        assert_eq!(word(&ana, "bo"), "connected: its runtime is connected");
        server.kill();
        let lost = "disconnected: its stream ended: the server that it was connected to is gone";
        assert_eq!(word(&ana, "bo"), lost);
        app.app().sweep_gone(&room).unwrap();
        assert_eq!(word_of_all(&ana, "bo"), lost);
        app.later(Ttl::from_secs(1));
        bo.does("bus.take", json!({}));
        assert_eq!(word(&ana, "bo"), "idle: it is there and waits");
        let events = app.log(&room).len();
        app.app().sweep_gone(&room).unwrap();
        assert_eq!(app.log(&room).len(), events, "it is told once");
    });
}

#[test]
fn an_agent_that_left_is_gone_and_nobody_is_connected_to_a_closed_room() {
    on_every_backend(|app| {
        let [ana, bo, cy] = session([app.agent("ana"), app.living_agent("bo"), app.living_agent("cy")]);
        let room = ana.room();
        for agent in [&ana, &bo, &cy] {
            app.app().connect(agent.caller(), &room).unwrap();
        }
        bo.does("bus.remove", json!({}));
        let shown = ana.does("agent.show", json!({"agent": "bo"}));
        let left = ConnectionStatus::left(false);
        let left = format!("{}: {}", left.state, left.why);
        assert_eq!((told(&shown["connection"]), streamed(&ana, "bo").unwrap()), (left.clone(), left));
        cy.dies();
        ana.does("bus.close", json!({}));
        assert_eq!(word_of_all(&ana, "ana"), "disconnected: the room is closed");
        assert_eq!(word_of_all(&ana, "cy"), GONE, "proof beats the close");
        is_sound(&app);
    });
}

#[test]
fn a_member_under_its_former_name_is_the_same_agent_with_the_same_word() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        let before = bo.entry()["display_name"].as_str().unwrap().to_owned();
        bo.does("agent.register", json!({"name": "amber-otter"}));
        let of = |name: &str| told(&ana.does("agent.show", json!({"agent": name}))["connection"]);
        assert_eq!(of(&before), of("amber-otter"));
        bo.dies();
        assert_eq!([of(&before), of("amber-otter")], [GONE; 2]);
    });
}

#[test]
fn a_person_is_told_the_same_word_of_who_does_not_move() {
    on_every_backend(|app| {
        let [bo] = app.joined_living(["bo"]);
        let ana = app.person("human:ana:http");
        ana.enter(&bo.room());
        bo.claim();
        bo.dies();
        let found = ana.does("agent.needs", json!({}));
        let evidence = &list(&found["needs"])[0]["evidence"];
        assert_eq!(told(&evidence["connection"]), GONE, "{evidence}");
        assert_eq!(word(&ana, "bo"), GONE);
    });
}

#[test]
fn a_setting_that_makes_no_sense_keeps_no_stream_from_ending_and_nobody_from_the_room() {
    on_every_backend(|app| {
        let [ana, bo] = session([app.agent("ana"), app.agent("bo")]);
        let odd = app.beside_with(&[("BATON_STALE_MINUTES", "soon")]);
        odd.app().connect(bo.caller(), &ana.room()).unwrap();
        odd.app().disconnect(bo.caller(), &ana.room(), "it hung up").unwrap();
        let through = ana.through(&odd);
        assert_eq!(through.refused("agent.list", json!({}))["error"], "INVALID_ARGS");
        let state = through.does("room.state", json!({}));
        let member = list(&state["members"]).iter().find(|member| member["agent_id"] == "bo").unwrap();
        assert_eq!(told(&member["connection"]), CUT);
    });
}
