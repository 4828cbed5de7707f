//! `baton hold`: a person owns the stick through a guardian process.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Agent, Ran, Terminal, World, handoff, ready};

/// The `data` that a person's command answered, or its refusal, and its exit status.
fn as_person(terminal: &mut Terminal, arguments: &[&str]) -> (Value, i32) {
    let ran = terminal.run(&[arguments, &["--json"]].concat());
    let answer = ran.json();
    (if answer["error"].is_null() { answer["data"].clone() } else { answer["error"].clone() }, ran.status)
}

fn guardian_pid(held: &Value) -> Pid {
    pid(&held["guardian_pid"])
}

fn pid(number: &Value) -> Pid {
    Pid::from_raw(number.as_i64().unwrap().try_into().unwrap()).unwrap()
}

/// The entry of the person at a terminal, as `agent` sees it.
fn person_seen_by(agent: &mut Agent, terminal: &Terminal) -> Option<Value> {
    let state = agent.ok("get_room_state", json!({}));
    let members = state["members"].as_array().unwrap();
    members.iter().find(|member| member["agent_id"] == terminal.person()).cloned()
}

/// The guardian of the person at a terminal, once it is behind them.
fn guardian_that_waits(seen_by: &mut Agent, terminal: &Terminal) -> Pid {
    loop {
        match person_seen_by(seen_by, terminal).filter(|person| person["session_kind"] == "human_guardian") {
            Some(person) => break pid(&person["pid"]),
            None => thread::yield_now(),
        }
    }
}

#[test]
fn a_person_is_the_shell_of_their_terminal_and_gone_with_it() {
    let world = World::new();
    let (mut bo, mut ana) = (world.agent("bo"), world.terminal());
    let joined = as_person(&mut ana, &["join"]).0;
    assert_eq!(joined["agent_id"], ana.person());
    let person = person_seen_by(&mut bo, &ana).unwrap();
    assert_eq!((&person["session_kind"], pid(&person["pid"])), (&"human".into(), ana.shell()), "{person}");
    let elsewhere = world.at_terminal(&["join", "--json"]).json()["data"]["agent_id"].clone();
    assert!(elsewhere != ana.person() && elsewhere.as_str().unwrap().starts_with("human:"), "{elsewhere}");

    assert_eq!(as_person(&mut ana, &["wait"]).1, 0);
    let waiting = bo.start_wait();
    ana.closes();
    assert_eq!(bo.finish(waiting).1["reason"], "owner_gone");
}

#[test]
fn the_guardian_is_the_process_behind_the_person_and_release_ends_it() {
    let world = World::new();
    let (mut bo, mut ana) = (world.agent("bo"), world.terminal());
    let (held, exit) = as_person(&mut ana, &["hold"]);
    assert_eq!((exit, &held["turn"]["status"]), (0, &Value::from("your_turn")), "{held}");
    let state = bo.ok("get_room_state", json!({}));
    let person = person_seen_by(&mut bo, &ana).unwrap();
    assert_eq!(person["session_kind"], "human_guardian");
    assert_eq!(person["process"], "alive");
    assert_eq!(person["pid"], held["guardian_pid"]);
    assert_eq!(state["room"]["owner"], ana.person());

    let ended = end_of(guardian_pid(&held));
    let (released, exit) = as_person(&mut ana, &["release", "--status", "read it all", "--next", "go on"]);
    assert_eq!((exit, &released["reserved_for"]), (0, &Value::from(bo.id.as_str())), "{released}");
    ended.wait();
    assert_eq!(bo.claim()["handoff"]["status"], "read it all");
    world.assert_sound();
}

#[test]
fn heartbeats_of_the_guardian_keep_a_short_lease_alive_past_its_time() {
    let world = World::new();
    let (mut bo, mut ana) = (world.agent("bo"), world.terminal());
    world.set_policy(&bo.room_id, &["--lease", "1500ms", "--heartbeat", "100ms"]);
    let (held, exit) = as_person(&mut ana, &["hold"]);
    assert_eq!(exit, 0, "{held}");
    // Twice the lease passes in this wait, and nothing opens.
    let answer = bo.ok("wait_for_turn", json!({ "max_wait_ms": 3000 }));
    assert_eq!((&answer["status"], &answer["room_state"]), (&"not_yet".into(), &"owned".into()), "{answer}");
    let log = world.log(&bo.room_id);
    assert!(log.iter().all(|event| event["event_type"] != "heartbeat"));
    kill_process(guardian_pid(&held), Signal::KILL).unwrap();
}

#[test]
fn killing_the_guardian_leaves_the_stick_visibly_without_an_owner() {
    let world = World::new();
    let (mut bo, mut ana) = (world.agent("bo"), world.terminal());
    let (held, exit) = as_person(&mut ana, &["hold"]);
    assert_eq!(exit, 0, "{held}");
    let waiting = bo.start_wait();
    kill_process(guardian_pid(&held), Signal::KILL).unwrap();
    let (_, answer) = bo.finish(waiting);
    let why = ["status", "reason", "current_owner"].map(|key| &answer[key]);
    assert_eq!(why, ["takeover_available", "owner_gone", &ana.person()]);
}

#[test]
fn a_takeover_ends_the_guardian() {
    let world = World::new();
    let (mut bo, mut ana) = (world.agent("bo"), world.terminal());
    world.set_policy(&bo.room_id, &["--lease", "2000ms", "--heartbeat", "1000ms"]);
    let (held, _) = as_person(&mut ana, &["hold"]);
    let guardian = guardian_pid(&held);
    // Between two heartbeats: one that is stopped inside a transaction would hold up everybody.
    while bo.ok("get_room_state", json!({}))["room"]["lease_expires_at"] == held["turn"]["lease_expires_at"] {
        thread::yield_now();
    }
    kill_process(guardian, Signal::STOP).unwrap();
    let waiting = bo.start_wait();
    let (_, open) = bo.finish(waiting);
    assert_eq!(open["reason"], "owner_timeout", "{open}");
    bo.ok("takeover_stick", json!({ "expected_turn_id": open["turn_id"], "reason": "asleep" }));
    let ended = end_of(guardian);
    kill_process(guardian, Signal::CONT).unwrap();
    ended.wait();
}

#[test]
fn a_hold_that_was_interrupted_while_it_waited_claims_nothing_later() {
    let world = World::new();
    let (mut bo, mut ana) = (world.agent("bo"), world.terminal());
    bo.claim();
    ana.starts(&["hold"]);
    let ended = end_of(guardian_that_waits(&mut bo, &ana));
    ana.types("\u{3}");
    ended.wait();
    assert_ne!(ana.ends().status, 0);
    bo.release();
    assert_only_claim(&world, &bo);
}

#[test]
fn a_hold_that_ignores_hang_ups_still_ends_with_its_terminal_and_claims_nothing_later() {
    let world = World::new();
    let (mut bo, mut ana) = (world.agent("bo"), world.terminal());
    bo.claim();
    ana.starts_by_way_of(&["nohup"], &["hold"]);
    let ended = end_of(guardian_that_waits(&mut bo, &ana));
    ana.closes();
    ended.wait();
    bo.release();
    assert_only_claim(&world, &bo);
}

/// The stick was claimed once, by `agent`, and has been released.
fn assert_only_claim(world: &World, agent: &Agent) {
    let mut words = world.log(&agent.room_id).into_iter().map(|event| event["event_type"].clone());
    assert_eq!(words.next_back(), Some("release".into()));
    assert_eq!(words.filter(|word| word == "claim").count(), 1, "only its own");
}

#[test]
fn a_guardian_takes_over_from_the_shell_that_waited() {
    let world = World::new();
    let (mut bo, mut ana) = (world.agent("bo"), world.terminal());
    for command in ["join", "wait"] {
        assert_eq!(as_person(&mut ana, &[command]).1, 0);
    }
    let (held, exit) = as_person(&mut ana, &["hold"]);
    assert_eq!((exit, &held["turn"]["resumed"]), (0, &Value::from(true)), "{held}");
    let state = bo.ok("get_room_state", json!({}));
    assert_eq!(state["room"]["state"], "owned", "{state}");
    world.assert_sound();

    let waiting = bo.start_wait();
    kill_process(guardian_pid(&held), Signal::KILL).unwrap();
    assert_eq!(bo.finish(waiting).1["reason"], "owner_gone", "so it is the guardian that holds");
}

#[test]
fn a_guardian_ends_when_its_terminal_is_closed_and_others_see_at_once_that_the_owner_is_gone() {
    let world = World::new();
    let (mut bo, mut ana) = (world.agent("bo"), world.terminal());
    let (held, exit) = as_person(&mut ana, &["hold"]);
    assert_eq!(exit, 0, "{held}");
    let (ended, person) = (end_of(guardian_pid(&held)), ana.person());
    let waiting = bo.start_wait();
    ana.closes();
    ended.wait();
    let (_, open) = bo.finish(waiting);
    let why = ["status", "reason", "current_owner"].map(|key| &open[key]);
    assert_eq!(why, ["takeover_available", "owner_gone", &person]);
    bo.ok("takeover_stick", json!({ "expected_turn_id": open["turn_id"], "reason": "they left" }));
    world.assert_sound();
}

#[test]
fn a_guardian_ends_with_the_shell_that_leads_its_session_though_the_window_stays_open() {
    let leaves: [fn(&mut Terminal); 2] =
        [|terminal| terminal.types("exit\n"), |terminal| kill_process(terminal.shell(), Signal::KILL).unwrap()];
    for leave in leaves {
        let world = World::new();
        let (mut bo, mut ana) = (world.agent("bo"), world.terminal());
        let (held, exit) = as_person(&mut ana, &["hold"]);
        assert_eq!(exit, 0, "{held}");
        let ended = end_of(guardian_pid(&held));
        let waiting = bo.start_wait();
        leave(&mut ana);
        ended.wait();
        assert_eq!(bo.finish(waiting).1["reason"], "owner_gone");
    }
}

#[test]
fn a_guardian_outlives_its_command_and_what_is_interrupted_at_its_terminal() {
    let world = World::new();
    let (mut bo, mut ana) = (world.agent("bo"), world.terminal());
    let (held, exit) = as_person(&mut ana, &["hold"]);
    assert_eq!(exit, 0, "{held}");
    ana.starts(&["radar", "--watch"]);
    ana.shows(&bo.room_id);
    ana.types("\u{3}");
    assert_ne!(ana.ends().status, 0);
    let person = person_seen_by(&mut bo, &ana).unwrap();
    assert_eq!((&person["process"], &person["pid"]), (&"alive".into(), &held["guardian_pid"]));
    let (released, exit) = as_person(&mut ana, &["release", "--status", "read it all", "--next", "go on"]);
    assert_eq!((exit, &released["reserved_for"]), (0, &Value::from(bo.id.as_str())), "{released}");
}

#[test]
fn a_person_who_held_and_released_is_still_there() {
    let world = World::new();
    let (mut bo, mut ana) = (world.agent("bo"), world.terminal());
    assert_eq!(ana.run(&["join"]).status, 0);
    assert_eq!(ana.run(&["scope", "reserve", "src"]).status, 0);
    let (held, exit) = as_person(&mut ana, &["hold"]);
    assert_eq!(exit, 0, "{held}");
    let (released, exit) = as_person(&mut ana, &["release", "--status", "read it all", "--next", "go on"]);
    assert_eq!(exit, 0, "{released}");
    let person = person_seen_by(&mut bo, &ana).unwrap();
    assert_eq!((&person["process"], &person["connection"]["state"]), (&"alive".into(), &"idle".into()), "{person}");
    bo.refused("scope", json!({"op": "reserve", "args": {"scopes": ["src"], "takeover_stale": true}}));
    world.assert_sound();
}

#[test]
fn refusals_and_status_name_the_process_that_keeps_the_stick_and_its_terminal() {
    let world = World::new();
    let (mut bo, mut ana) = (world.agent("bo"), world.terminal());
    let shown = ana.run(&["hold"]);
    assert_eq!(shown.status, 0, "{shown:?}");
    let state = bo.ok("get_room_state", json!({}));
    let (pid, turn) = (state["room"]["kept_by"]["pid"].clone(), state["room"]["turn_id"].clone());
    assert_eq!(state["room"]["kept_by"], json!({ "pid": pid, "terminal": ana.name() }));
    let keeper = format!("kept by process {pid} on {}", ana.name());
    assert!(shown.stdout.contains(&keeper), "{shown:?}");

    let handoff = handoff("mine", "all mine");
    let lease = "lease_00000000000000000000000000";
    for (tool, arguments) in [
        ("takeover_stick", json!({ "expected_turn_id": turn, "reason": "I want it" })),
        ("close_room", json!({ "expected_turn_id": turn })),
        ("release_stick", json!({ "expected_turn_id": turn, "lease_id": lease, "handoff": handoff })),
        ("release_stick", json!({ "expected_turn_id": 0, "lease_id": lease, "handoff": handoff })),
    ] {
        let refused = bo.refused(tool, arguments);
        assert_eq!(refused["kept_by"], state["room"]["kept_by"], "{tool}: {refused}");
        assert_eq!(refused["current_owner"], ana.person(), "{tool}: {refused}");
        assert!(refused["message"].as_str().unwrap().contains(&keeper), "{tool}: {refused}");
    }
    let status = world.run_as("cy", &["status"]);
    let name = state["room"]["owner_agent"].as_str().unwrap();
    assert!(status.stdout.contains(&format!("held by {name}, {keeper}, lease ")), "{status:?}");
}

#[test]
fn nobody_becomes_the_guardian_of_somebody_else_by_naming_them() {
    let world = World::new();
    let (bo, mut ana) = (world.agent("bo"), world.terminal());
    let before = world.log(&bo.room_id);
    let (refused, exit) = as_person(&mut ana, &["hold", "--room", &bo.room_id, "--guardian-of", &bo.id]);
    assert_eq!((exit, &refused["error"]), (3, &Value::from("INVALID_INPUT")), "{refused}");
    assert_eq!(world.log(&bo.room_id), before);

    let mut overridden = world.terminal_with(&[("BATON_AGENT_ID", "test:ana")]);
    let (held, exit) = as_person(&mut overridden, &["hold"]);
    assert_eq!(exit, 0, "{held}");
    let joins = world.log(&bo.room_id).into_iter().filter(|event| event["to_agent_id"] == "test:ana");
    let mut joins = joins.filter(|event| event["event_type"] == "join").peekable();
    assert!(joins.peek().is_some() && joins.all(|join| join["agent_id_override"] == true));
    kill_process(guardian_pid(&held), Signal::KILL).unwrap();
}

#[test]
fn what_the_guardian_is_refused_is_told_with_its_facts_and_the_next_step() {
    let mut ana = World::new().terminal();
    let (refused, exit) = as_person(&mut ana, &["hold", "--room", "room_0000000000000000"]);
    assert_eq!(exit, 4);
    assert_eq!(
        refused,
        json!({
            "code": "unknown_room", "error": "unknown_room", "message": "There is no room room_0000000000000000.",
            "room_id": "room_0000000000000000", "next": "Call `baton room list`, or `baton join` to open one.",
        })
    );
}

#[test]
fn whoever_has_no_terminal_of_their_own_is_told_to_wait_instead() {
    let world = World::new();
    let bo = world.agent("bo");
    let before = world.log(&bo.room_id);
    let mut ana = world.terminal();
    ana.starts_by_way_of(&["setsid", "--wait"], &["hold", "--json"]);
    let refused = ana.ends();
    assert_eq!((refused.status, refused.code()), (2, "INVALID_INPUT".to_owned()), "{refused:?}");
    assert_eq!(refused.json()["error"]["next"], "Use `baton wait`.");
    assert_eq!(world.log(&bo.room_id), before);
}

#[test]
fn an_agent_is_told_to_wait_instead() {
    let world = World::new();
    let mut command = world.baton(&["hold", "--json"]);
    command.env("CLAUDECODE", "1");
    let ran = Ran::of(command);
    assert_eq!((ran.status, ran.code()), (2, "INVALID_INPUT".to_owned()), "{ran:?}");
    assert_eq!(ran.json()["error"]["next"], "Use `baton wait`.");
}

/// A handle on a process that is not our child, through which its end can be awaited.
struct Ending(rustix::fd::OwnedFd);

fn end_of(pid: Pid) -> Ending {
    Ending(rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).unwrap())
}

impl Ending {
    fn wait(&self) {
        assert!(ready(&self.0), "it did not end");
    }
}
