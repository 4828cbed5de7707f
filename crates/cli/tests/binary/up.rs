//! `baton up`: a server beside processes that need none, on one store.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Live, World};

#[test]
fn what_a_process_without_a_server_does_wakes_a_stream_and_the_other_way_round() {
    World::on_every_backend(|world| {
        let web = world.up(&[]);
        let mut ana = world.agent("ana");
        let room = ana.room_id.clone();
        let mut events = web.events(&room, 0);
        assert_eq!(events.next_of("session.created")["session"], room.as_str());
        ana.claim();
        ana.release();
        let released = events.next_of("stick.release");
        assert_eq!(released["src"], ana.id.as_str());

        let path = world.workspace();
        web.call("worker", "room.join", &json!({ "context_path": path }));
        let turn = web.call("worker", "stick.wait", &json!({ "room_id": room, "max_wait_ms": 40_000 }));
        assert_eq!(turn["status"], "your_turn", "{turn}");
        let waiting = ana.start_wait();
        let release = json!({
            "room_id": room, "expected_turn_id": turn["turn_id"], "lease_id": turn["lease_id"],
            "handoff": { "status": "done", "next_action": "go on" },
        });
        web.call("worker", "stick.release", &release);
        let (_, answer) = ana.finish(waiting);
        assert_eq!(answer["status"], "your_turn", "{answer}");
        assert_eq!(events.next_of("stick.release")["src"], "worker");
        drop(web);
        world.assert_sound();
    });
}

#[test]
fn it_ends_on_ctrl_c_with_streams_told_and_nothing_left_behind() {
    let world = World::new();
    let web = world.up(&[]);
    let ana = world.agent("ana");
    let mut events = web.events(&ana.room_id, 0);
    events.next_of("session.created");
    let facts = web.facts.clone();
    let socket = facts["socket"].as_str().unwrap();
    assert!(fs::exists(socket).unwrap() && world.data().join("up.json").exists());
    web.interrupt();
    events.next_of("bus.closing");
    assert!(events.are_over());
    assert_eq!(web.ends(), 0);
    assert!(!fs::exists(socket).unwrap() && !world.data().join("up.json").exists());
    // And a second time it is there again.
    assert_eq!(world.up(&[]).send("GET", "/v1/rooms", &[], "").status, 200);
}

#[test]
fn with_a_runner_it_executes_jobs_of_its_room_and_both_end_together() {
    let world = World::new();
    world.configure("[executors.command]\nargv = [\"/bin/false\"]\n");
    let ana = world.agent("ana");
    let web = world.up(&["--runner"]);
    let mut events = web.events(&ana.room_id, 0);
    world.data_of(&["job", "create", "Try", "--prompt", "Do it.", "--executor", "command"]);
    let runner = events.next_of("runner.register")["src"].clone();
    assert_eq!(events.next_of("job.claimed")["src"], runner);
    events.next_of("job.failed");
    web.interrupt();
    events.next_of("bus.closing");
    assert_eq!(web.ends(), 0);
    let retired = world.data_of(&["room", "events", "--limit", "1"]);
    assert_eq!(retired["events"][0]["event_type"], "runner.retire", "{retired}");
}

#[test]
fn tokens_and_tickets_are_made_and_ended_beside_a_server_that_runs() {
    let world = World::new();
    let early = world.run(&["ticket", "--json"]);
    assert_eq!((early.status, early.code().as_str()), (3, "PRECONDITION_FAILED"));
    let web = world.up(&[]);
    let made = world.data_of(&["token", "create", "--role", "viewer", "--name", "ci"]);
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    let look = || web.send_as_stranger("GET", "/v1/rooms", &[("Authorization", &bearer)], "").status;
    assert_eq!(look(), 200);
    let listed = world.run(&["token", "list"]).stdout;
    let lines: Vec<&str> = listed.lines().map(|line| line.split("  ").next().unwrap()).collect();
    assert_eq!(lines, ["operator", "ci"]);
    assert!(!listed.contains(made["token"].as_str().unwrap()));
    world.data_of(&["token", "revoke", "ci"]);
    assert_eq!(look(), 401);
    let login = world.data_of(&["ticket"])["login"].as_str().unwrap().to_owned();
    let url = web.facts["url"].as_str().unwrap();
    for (address, status) in [(&*login, 200), (&*login, 401), (web.facts["login"].as_str().unwrap(), 200)] {
        let answer = web.send_as_stranger("GET", address.strip_prefix(url).unwrap(), &[], "");
        assert_eq!(answer.status, status);
        assert_eq!(answer.headers.contains("HttpOnly"), status == 200, "{answer:?}");
    }
}

#[test]
fn it_listens_for_other_machines_only_when_told_so_and_only_once_on_a_store() {
    let world = World::new();
    for (arguments, code) in [
        (&["--listen", "0.0.0.0:0"][..], "FORBIDDEN"),
        (&["--listen", "0.0.0.0:0", "--allow-remote"], "FORBIDDEN"),
        (&["--room", "room_1"], "INVALID_INPUT"),
    ] {
        let ran = world.run(&[&["up", "--json"], arguments].concat());
        assert_eq!(ran.code(), code, "{arguments:?} {ran:?}");
    }
    let first = world.up(&[]);
    let second = world.run(&["up", "--json", "--listen", "127.0.0.1:0"]);
    assert_eq!(second.code(), "CONFLICT", "{second:?}");
    assert_eq!(second.json()["error"]["pid"], first.facts["pid"]);
    let remote = ["--allow-remote", "--insecure-plaintext", "--socket", "other.sock"];
    let mut live = Live::start(world.baton(&[&["up", "--json", "--listen", "0.0.0.0:0"], &remote[..]].concat()));
    let facts: Value = serde_json::from_str(live.shows("\n").trim()).expect("it tells where it listens");
    assert!(facts["data"]["url"].as_str().is_some_and(|url| url.starts_with("http://localhost:")), "{facts}");
    live.signal(Signal::TERM);
    assert_eq!(live.ends().0, 0);
}
