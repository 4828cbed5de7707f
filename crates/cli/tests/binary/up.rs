//! `baton up`: a server beside processes that need none, on one store.

use std::{fs, thread};

use baton_http::{Keyring, Role, TokenName};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Live, Ran, Web, World};

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
    let early = world.at_terminal(&["ticket", "--json"]);
    assert_eq!((early.status, early.code().as_str()), (3, "PRECONDITION_FAILED"));
    let web = world.up(&[]);
    let made = world.data_at_terminal(&["token", "create", "--role", "viewer", "--name", "ci"]);
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    let look = || web.send_as_stranger("GET", "/v1/rooms", &[("Authorization", &bearer)], "").status;
    assert_eq!(look(), 200);
    let listed = world.at_terminal(&["token", "list"]).stdout;
    let lines: Vec<&str> = listed.lines().map(|line| line.split("  ").next().unwrap()).collect();
    assert_eq!(lines, ["operator", "ci"]);
    assert!(!listed.contains(made["token"].as_str().unwrap()));
    world.data_at_terminal(&["token", "revoke", "ci"]);
    assert_eq!(look(), 401);
    let login = world.data_at_terminal(&["ticket"])["login"].as_str().unwrap().to_owned();
    let url = web.facts["url"].as_str().unwrap();
    for (address, status) in [(&*login, 200), (&*login, 401), (web.facts["login"].as_str().unwrap(), 200)] {
        let answer = web.send_as_stranger("GET", address.strip_prefix(url).unwrap(), &[], "");
        assert_eq!(answer.status, status);
        assert_eq!(answer.headers.contains("HttpOnly"), status == 200, "{answer:?}");
    }
}

#[test]
fn tokens_and_tickets_are_made_by_people_only() {
    let world = World::new();
    let web = world.up(&[]);
    let tokens = fs::read(world.data().join("tokens.json")).unwrap();
    let a_job = format!("{}/JOB-001/1/r1/cap_0123456789abcdefghjkmnpqrs", world.join_as("ana"));
    for (variable, value) in [("CLAUDECODE", "1"), ("BATON_JOB", a_job.as_str()), ("LANG", "C")] {
        for arguments in [
            &["token", "create", "--role", "operator"][..],
            &["token", "create", "--role", "viewer"],
            &["token", "list"],
            &["token", "revoke", "operator"],
            &["ticket"],
            &["ticket", "--role", "viewer"],
        ] {
            let mut command = world.baton(&[arguments, &["--json"]].concat());
            command.env(variable, value);
            let ran = Ran::of(command);
            assert_eq!((ran.status, ran.code().as_str()), (3, "FORBIDDEN"), "{variable} {arguments:?}: {ran:?}");
            let refusal = &ran.json()["error"];
            let role = if variable == "BATON_JOB" { "job_agent" } else { "agent" };
            assert_eq!((&refusal["role"], &refusal["needs"]), (&json!(role), &json!("operator")));
            let next = refusal["next"].as_str().unwrap();
            assert!(next.contains(&format!("`baton {}", arguments[0])) && next.contains("terminal"), "{refusal}");
        }
    }
    // Also at a terminal, below a harness or with its variables.
    let mut terminal = world.terminal_with(&[("CODEX_THREAD_ID", "t-1")]);
    assert_eq!(terminal.run(&["token", "create", "--role", "operator", "--json"]).code(), "FORBIDDEN");
    assert_eq!(fs::read(world.data().join("tokens.json")).unwrap(), tokens, "nothing was made or ended");
    assert_eq!(web.send("GET", "/v1/rooms", &[], "").status, 200);
}

#[test]
fn an_agent_that_starts_a_server_is_told_no_way_in() {
    let world = World::new();
    let mut command = world.baton(&["up", "--json", "--listen", "127.0.0.1:0"]);
    command.env("CLAUDECODE", "1");
    let mut live = Live::start(command);
    let told: Value = serde_json::from_str(live.shows("\n").trim()).unwrap();
    let facts = &told["data"];
    assert_eq!((&facts["login"], &facts["token_file"]), (&Value::Null, &Value::Null), "{told}");
    assert!(facts["url"].is_string() && facts["socket"].is_string(), "it serves all the same: {told}");
    let why = facts["login_withheld"].as_str().unwrap();
    assert!(why.contains("CLAUDECODE") && why.contains("baton ticket"), "{why}");
    // A person gets in beside it.
    let login = world.data_at_terminal(&["ticket"])["login"].clone();
    assert!(login.as_str().unwrap().starts_with(facts["url"].as_str().unwrap()));
    live.signal(Signal::INT);
    assert_eq!(live.ends().0, 0);
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

/// Submits an action for an agent as `boss`, who is an agent of the owner's.
fn submits(web: &Web, room: &str, target: &str, action: &str) {
    let action = json!({ "type": "message", "kind": "user", "dst": target, "text": "Go.", "action_id": action,
        "action_index": 0 });
    web.call("boss", "action.submit", &json!({ "room_id": room, "group_id": "g", "actions": [action] }));
}

#[test]
fn a_sender_hears_on_its_stream_that_an_mcp_agent_died_which_never_connected() {
    World::on_every_backend(|world| {
        let web = world.up(&[]);
        let mut target = world.agent("bo");
        let room = target.room_id.clone();
        web.call("boss", "agent.add", &json!({ "room_id": room }));
        let mut events = web.events(&room, 0);
        submits(&web, &room, &target.id, "a1");
        events.next_of("message.created");
        target.kill();
        let ended = events.next_of("action.result");
        assert_eq!((&ended["payload"]["action_id"], &ended["payload"]["status"]), (&json!("a1"), &json!("error")));
        assert_eq!(ended["payload"]["detail"], "its target's process is gone");
        assert_eq!(events.next_of("agent.removed")["payload"]["id"], target.id.as_str());
        drop(web);
        world.assert_sound();
    });
}

#[test]
fn what_an_mcp_agent_owed_ends_with_the_next_command_where_there_is_no_server() {
    World::on_every_backend(|world| {
        world.join_as("ana");
        let mut target = world.agent("bo");
        world.run_as("ana", &["bus", "submit", "--to", &target.id, "work", "--idempotency-key", "k"]);
        target.kill();
        world.run_as("ana", &["room", "note", "Is anybody there?"]);
        let told = world.run(&["bus", "tail", "--after", "0", "--types", "action.result", "--json"]).records();
        let ended: Vec<_> =
            told.iter().map(|record| (&record["payload"]["action_id"], &record["payload"]["status"])).collect();
        assert_eq!(ended, [(&json!("k.0"), &json!("error"))]);
        world.assert_sound();
    });
}

#[test]
fn revoking_a_token_in_another_process_ends_its_streams_and_its_waits_over_mcp() {
    let world = World::new();
    let web = world.up(&[]);
    let mut ana = world.agent("ana");
    ana.claim();
    let keyring = Keyring::in_directory(&world.data());
    let now = baton_app::clock::Clock::now(&baton_app::clock::SystemClock);
    let name: TokenName = "ci".parse().unwrap();
    let token = keyring.create(name.clone(), Role::Agent, None, now).unwrap();
    let bearer = format!("Bearer {}", token.reveal());
    let mut stream = web.events_as(&bearer, &ana.room_id);
    stream.next_of("session.created");
    let mut mcp = McpCalls { web: &web, bearer: &bearer, id: 0 };
    let joined = mcp.call("join_path", json!({ "context_path": world.workspace() }));
    assert!(joined.contains(&ana.room_id), "{joined}");
    let wait = json!({ "max_wait_ms": 50_000, "room_id": ana.room_id });
    let last = thread::scope(|scope| {
        let waiting = scope.spawn(|| mcp.call("wait_for_turn", wait));
        while !web.send("GET", "/metrics", &[], "").body.contains("\nbaton_waits 1\n") {
            assert!(!waiting.is_finished(), "{}", waiting.join().unwrap());
        }
        keyring.revoke(&name).unwrap();
        waiting.join().unwrap()
    });
    assert!(last.contains("UNAUTHORIZED") && last.contains("the token ci was revoked"), "{last}");
    let told = stream.next_of("bus.dropped");
    assert_eq!(told["error"]["reason"], "the token ci was revoked");
    assert!(stream.are_over());
}

/// A client of `/mcp` in the revision that has no sessions.
struct McpCalls<'a> {
    web: &'a Web,
    bearer: &'a str,
    id: u64,
}

impl McpCalls<'_> {
    fn call(&mut self, tool: &str, arguments: Value) -> String {
        const REVISION: &str = "2026-07-28";
        self.id += 1;
        let meta = json!({ "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "test-client", "version": "1" } });
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        let message = json!({ "jsonrpc": "2.0", "id": self.id, "method": "tools/call", "params": params });
        let headers = [
            ("Authorization", self.bearer),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
            ("MCP-Protocol-Version", REVISION),
            ("MCP-Method", "tools/call"),
            ("MCP-Name", tool),
        ];
        self.web.send_as_stranger("POST", "/mcp", &headers, &message.to_string()).body
    }
}
