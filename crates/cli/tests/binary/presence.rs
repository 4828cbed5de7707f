//! One agent, one word: a running server's stream, commands and pages say the same of a real process at every moment.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use baton_app::commands::bus::AddInput;
use baton_bus::client::{Client, Transport};
use baton_core::ids::RoomId;
use baton_testkit::{Other, Role};
use serde_json::{Value, json};

use crate::support::{Events, Web, World};

/// The next word of the stream about an agent, and its reason.
fn told(events: &mut Events, agent: &str) -> (String, Value) {
    loop {
        let payload = events.next_of("agent.updated")["payload"].clone();
        if payload["id"] == agent && payload["status"].is_string() {
            return (payload["status"].as_str().unwrap().to_owned(), payload["detail"].clone());
        }
    }
}

/// The words of an element of a page, in its `data-connection`.
fn connection(page: &str, mark: &str) -> String {
    let (_, rest) = page.split_once(mark).unwrap_or_else(|| panic!("no {mark} in {page}"));
    let (_, rest) = rest.split_once("data-connection=\"").unwrap_or_else(|| panic!("no connection after {mark}"));
    rest.split('"').next().unwrap().to_owned()
}

/// The one word that every command and every page has for an agent, and its reason.
fn word(world: &World, web: &Web, room: &str, agent: &str) -> (String, Value) {
    let data = |arguments: &[&str]| {
        let ran = world.run_as("ana", &[arguments, &["--room", room, "--json"]].concat());
        assert_eq!(ran.status, 0, "{ran:?}");
        ran.json()["data"].clone()
    };
    let of = |list: &Value| list.as_array().unwrap().iter().find(|one| one["agent_id"] == agent).cloned();
    let agents = data(&["agent", "list"]);
    let listed = of(&agents["agents"]).unwrap_or_else(|| panic!("no {agent}: {agents}"));
    let (state, why) = (listed["connection"]["state"].clone(), listed["connection"]["why"].clone());
    let mut others = vec![
        data(&["agent", "show", agent]),
        data(&["agent", "inspect", agent]),
        of(&data(&["agent", "graph"])["nodes"]).unwrap(),
    ];
    let status = data(&["status"]);
    others.extend(of(&status["state"]["members"]));
    assert!(state == "gone" || others.len() == 4, "who is there is a member of the room's state: {status}");
    for found in &others {
        assert_eq!((&found["connection"]["state"], &found["connection"]["why"]), (&state, &why));
    }
    assert_eq!(listed["status"], state);
    let page = |path: &str| {
        let answer = web.send("GET", path, &[], "");
        assert_eq!(answer.status, 200, "{path}");
        answer.body
    };
    let said = [
        connection(&page("/agents"), &format!("data-agent=\"{agent}\"")),
        connection(&page(&format!("/rooms/{room}/agents/{agent}")), "id=\"region-agent\""),
        connection(&page(&format!("/rooms/{room}/graph")), &format!("data-node=\"{agent}\"")),
    ];
    assert!(said.iter().all(|word| state == *word), "{state}: {said:?}");
    if state != "gone" {
        let shown = world.run_as("ana", &["status", "--room", room]).stdout;
        let line = shown.lines().find(|line| line.contains(agent)).unwrap();
        assert!(line.contains(state.as_str().unwrap()), "{state}: {line}");
    }
    (state.as_str().unwrap().to_owned(), why)
}

#[test]
fn one_word_is_said_of_a_runtime_that_connects_is_cut_connects_again_and_is_killed() {
    World::on_every_backend(|world| {
        let web = world.up(&[]);
        let room = world.join_as("ana");
        let mut events = web.events(&room, 0);
        let facts = json!({ "socket": web.facts["socket"], "room": room });
        std::fs::write(world.root().join("facts"), facts.to_string()).unwrap();
        let mut worker = Other::start("runtime", &world.root());
        assert_eq!(worker.says().unwrap(), "added");
        assert_eq!(word(&world, &web, &room, "worker").0, "idle", "it never had a stream");
        worker.go();
        assert_eq!(told(&mut events, "worker").0, "connected");
        assert_eq!(word(&world, &web, &room, "worker").0, "connected");
        worker.go();
        let cut = told(&mut events, "worker");
        assert_eq!(cut, ("disconnected".to_owned(), json!("its stream ended: its connection ended")));
        assert_eq!(word(&world, &web, &room, "worker"), cut);
        worker.go();
        // It calls before its stream is up.
        assert_eq!(told(&mut events, "worker").0, "idle");
        assert_eq!(told(&mut events, "worker").0, "connected");
        assert_eq!(word(&world, &web, &room, "worker").0, "connected");
        // It owes nobody anything, and its death is told all the same.
        worker.kill();
        let last = std::iter::repeat_with(|| told(&mut events, "worker")).find(|(word, _)| word == "gone").unwrap();
        assert_eq!(last.1, json!("its process has exited"));
        assert_eq!(word(&world, &web, &room, "worker"), last);
        world.assert_sound();
    });
}

/// The runtime of the story, in a process of its own. Each `go` has it connect, hang up, and connect again.
pub(crate) fn runtime(role: &Role) {
    let facts: Value = serde_json::from_str(&std::fs::read_to_string(role.directory.join("facts")).unwrap()).unwrap();
    let room: RoomId = facts["room"].as_str().unwrap().parse().unwrap();
    let client = Client::connect(Transport::Socket(facts["socket"].as_str().unwrap().into())).unwrap();
    let id = Some("worker".parse().unwrap());
    client.agent_add(&AddInput { room_id: room.clone(), id, name: None, role: None, idempotency_key: None }).unwrap();
    // With work of its own it stays a member when its process is gone.
    let task = client.call("tasks.create", &json!({ "room_id": room, "title": "Mend it" }), None).unwrap();
    client.call("tasks.start", &json!({ "room_id": room, "task": task["task"] }), None).unwrap();
    role.say("added");
    for _ in 0..2 {
        role.hear();
        let stream = client.actions(&room).unwrap();
        role.hear();
        drop(stream);
    }
    role.hear();
}
